//===- TargetElements.cpp - what one thread of a repack makes -------------===//
//
// Words of planes: the place of the first code is computed, those of the others
// differ from it in bits that are known now. Words of streams: a code after the
// other from the one that the word begins in.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/RepackToGPU/TargetElements.h"

#include "lib/Conversion/Wna16ToLinalg/IndexArithmetic.h"
#include "lib/Conversion/Wna16ToLinalg/StoredCodes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>
#include <numeric>

using namespace mlir;
using mlir::wna16::emitElementOffset;
using mlir::wna16::emitElementPlace;
using mlir::wna16::emitReadCode;

namespace wna16 {

/// Whether 32 bits hold all numbers that places in `storage` are computed from.
static bool fits32(const layout::PackedStorage &storage) {
  // Threads are counted in whole blocks.
  constexpr int64_t end = std::numeric_limits<int32_t>::max() - 1024;
  int64_t largest = storage.words();
  if (const auto &streams = storage.bitStreams())
    largest = std::max(largest, (storage.shape()[streams->along] + 32) *
                                    static_cast<int64_t>(storage.bits()));
  for (const layout::Plane &plane : storage.planes())
    largest = std::max(largest, plane.layout.span());
  return largest < end;
}

TargetElements::TargetElements(ImplicitLocOpBuilder &builder,
                               const layout::PackedStorage &from,
                               const layout::PackedStorage &to)
    : builder(builder), from(from), to(to),
      type(fits32(from) && fits32(to) ? builder.getI32Type()
                                      : builder.getI64Type()) {
  for (int dim : {0, 1}) {
    common[dim] = std::min(from.shape()[dim], to.shape()[dim]);
    // The last word of a stream may have room for more codes than there are.
    bool runs = to.bitStreams() && to.bitStreams()->along == unsigned(dim);
    open[dim] = runs || to.shape()[dim] > common[dim];
  }
}

int64_t TargetElements::count() const {
  return to.bits() == 16 ? to.singleLayout()->span() : to.words();
}

Value TargetElements::constant(Type type, int64_t value) {
  return arith::ConstantOp::create(builder,
                                   builder.getIntegerAttr(type, value));
}

Value TargetElements::readElement(Value row, Value column, Load load) {
  Value place[] = {row, column};
  Value inside;
  for (int dim : {0, 1}) {
    if (!open[dim])
      continue;
    Value below =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, place[dim],
                              constant(type, common[dim]));
    // Read anyway, but what is there.
    place[dim] = arith::SelectOp::create(builder, below, place[dim],
                                         constant(type, 0));
    inside = inside ? arith::AndIOp::create(builder, inside, below).getResult()
                    : below;
  }
  Value element =
      from.bits() == 16
          ? load(emitElementOffset(builder, builder.getLoc(),
                                   *from.singleLayout(), place[0], place[1]))
          : emitReadCode(builder, builder.getLoc(), from, place[0], place[1],
                         load);
  if (!inside)
    return element;
  return arith::SelectOp::create(builder, inside, element,
                                 constant(element.getType(), 0));
}

Value TargetElements::make(Value item, Load load) {
  if (to.bits() == 16)
    return makeElement(item, load);
  if (to.bitStreams())
    return makeStreamWord(item, load);
  // The words of a plane lie behind those of the planes before it.
  auto wordOf = [&](auto &&self, ArrayRef<layout::Plane> planes) -> Value {
    const layout::Plane &plane = planes.front();
    Value word = item;
    if (plane.firstWord)
      word = arith::SubIOp::create(builder, item,
                                   constant(type, plane.firstWord));
    if (planes.size() == 1)
      return makePlaneWord(plane, word, load);
    Value here = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, item,
                                       constant(type, planes[1].firstWord));
    auto branch = scf::IfOp::create(builder, builder.getI32Type(), here,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, makePlaneWord(plane, word, load));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, self(self, planes.drop_front()));
    return branch.getResult(0);
  };
  return wordOf(wordOf, to.planes());
}

Value TargetElements::makeElement(Value item, Load load) {
  auto [row, column] = emitElementPlace(builder, builder.getLoc(),
                                        *to.singleLayout(), item);
  return readElement(row, column, load);
}

Value TargetElements::makePlaneWord(const layout::Plane &plane, Value word,
                                    Load load) {
  int64_t perWord = 32 / plane.bits;
  const layout::LinearLayout &tile = plane.layout.tile();
  assert((int64_t(1) << tile.totalInBits()) >= perWord &&
         "a tile of codes has whole words");
  Value first = arith::MulIOp::create(builder, word, constant(type, perWord));
  auto [row, column] =
      emitElementPlace(builder, builder.getLoc(), plane.layout, first);
  Type i32 = builder.getI32Type();
  Value result;
  for (int64_t slot = 0; slot < perWord; ++slot) {
    std::vector<uint32_t> moved = tile.apply({uint32_t(slot)});
    auto move = [&](Value coordinate, uint32_t bits) -> Value {
      return bits ? arith::XOrIOp::create(builder, coordinate,
                                          constant(type, bits))
                        .getResult()
                  : coordinate;
    };
    Value part = readElement(move(row, moved[0]), move(column, moved[1]), load);
    if (plane.firstBit)
      part = arith::ShRUIOp::create(builder, part,
                                    constant(i32, plane.firstBit));
    if (to.planes().size() > 1)
      part = arith::AndIOp::create(
          builder, part, constant(i32, (int64_t(1) << plane.bits) - 1));
    if (slot)
      part = arith::ShLIOp::create(builder, part,
                                   constant(i32, slot * plane.bits));
    result = result ? arith::OrIOp::create(builder, result, part).getResult()
                    : part;
  }
  return result;
}

Value TargetElements::makeStreamWord(Value word, Load load) {
  const layout::BitStreams &streams = *to.bitStreams();
  int64_t bits = to.bits();
  // The one of the two strides that is not 1 is the larger one.
  bool wordsInside = streams.wordStride == 1;
  Value by = constant(type, wordsInside ? streams.streamStride
                                        : streams.wordStride);
  Value outer = arith::DivUIOp::create(builder, word, by);
  Value inner = arith::RemUIOp::create(builder, word, by);
  Value stream = wordsInside ? outer : inner;
  Value inStream = wordsInside ? inner : outer;

  Type i64 = builder.getI64Type();
  Value begin = arith::MulIOp::create(builder, inStream, constant(type, 32));
  Value first = arith::DivUIOp::create(builder, begin, constant(type, bits));
  // As many codes as lie in a word at most, and all `bits` bits further up,
  // so that none moves down.
  int64_t common = std::gcd(int64_t(32), bits);
  int64_t codes = 1 + (32 - common + bits - 1) / bits;
  Value result;
  for (int64_t code = 0; code < codes; ++code) {
    Value along = first;
    if (code)
      along = arith::AddIOp::create(builder, first, constant(type, code));
    Value element = streams.along == 0 ? readElement(along, stream, load)
                                       : readElement(stream, along, load);
    Value shift = arith::MulIOp::create(builder, along, constant(type, bits));
    shift = arith::AddIOp::create(builder, shift, constant(type, bits));
    shift = arith::SubIOp::create(builder, shift, begin);
    if (type != i64)
      shift = arith::ExtUIOp::create(builder, i64, shift);
    Value part = arith::ExtUIOp::create(builder, i64, element);
    part = arith::ShLIOp::create(builder, part, shift);
    result = result ? arith::OrIOp::create(builder, result, part).getResult()
                    : part;
  }
  result = arith::ShRUIOp::create(builder, result, constant(i64, bits));
  return arith::TruncIOp::create(builder, builder.getI32Type(), result);
}

} // namespace wna16
