//===- PartialWords.cpp - codes of which a thread wants a part of a word --===//

#include "lib/Conversion/TileToNVVM/PartialWords.h"

#include "lib/Conversion/TileToNVVM/CodeWords.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::Basis;

namespace wna16 {

mlir::wna16::CodeType zeroPointsOf(Type stored, ValType result) {
  if (!isa<FloatType>(result.getElementType()))
    return {};
  return dyn_cast<mlir::wna16::CodeType>(stored);
}

/// Number of `basis` among the codes of the storage.
static int64_t codeAt(const TileAddressing &tile, const Basis &basis) {
  return tile.positionOf(basis[0], basis[1]).elements;
}

bool threadsShareWords(const TileAddressing &tile, unsigned width) {
  int64_t perWord = 32 / width;
  for (const char *in : {"lane", "warp"})
    for (const Basis &basis : tile.getLayout().bases(in))
      if (codeAt(tile, basis) % perWord)
        return true;
  return false;
}

Value threadWordBytes(AddressBuilder &address, const TileAddressing &tile,
                      unsigned width) {
  int64_t perWord = 32 / width;
  // Lanes and warps may share bits of a column: XOR, as coordinates are.
  return address.xorOverThread(tile.getLayout(), [&](const Basis &basis) {
    return codeAt(tile, basis) / perWord * 4;
  });
}

Value threadShift(AddressBuilder &address, const TileAddressing &tile,
                  unsigned width) {
  int64_t perWord = 32 / width;
  return address.xorOverThread(tile.getLayout(), [&](const Basis &basis) {
    return codeAt(tile, basis) % perWord * width;
  });
}

SmallVector<Value> zeroNumbers(OpBuilder &builder, Location loc,
                               AddressBuilder &address,
                               const TileAddressing &tile, ValType type,
                               unsigned width, std::array<int64_t, 2> offsets,
                               llvm::function_ref<Value(int64_t)> loadWord) {
  int64_t perWord = 32 / width;
  // Within a word, threads and registers count different codes.
  Value shift = threadShift(address, tile, width);
  std::map<int64_t, Value> words;
  SmallVector<Value> numbers;
  Format16 format(cast<FloatType>(type.getElementType()));
  for (unsigned element = 0; element < tile.elements(); element += 2) {
    SmallVector<CodePlane> planes;
    CodePair pair;
    SmallVector<Value> both;
    std::array<unsigned, 2> places;
    for (unsigned half : {0u, 1u}) {
      int64_t code = tile.position(element + half, offsets).elements;
      Value &word = words[code / perWord];
      if (!word)
        word = LLVM::LShrOp::create(builder, loc,
                                    loadWord(code / perWord * 4), shift);
      both.push_back(word);
      places[half] = half * perWord + code % perWord;
    }
    planes.push_back({both, width});
    pair.places.push_back(places);
    CodeWords codes(builder, loc, planes, format);
    numbers.push_back(LLVM::BitcastOp::create(
        builder, loc, builder.getI32Type(), codes.difference(pair, 0)));
  }
  return numbers;
}

} // namespace wna16
