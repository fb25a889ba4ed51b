//===- CodeWords.cpp - packed codes as exact 16-bit numbers ---------------===//

#include "lib/Conversion/TileToNVVM/CodeWords.h"

#include "lib/Conversion/TileToNVVM/InlinePtx.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;
using namespace ::wna16;

static llvm::APFloat numberOf(VectorType pair, double value) {
  llvm::APFloat result(value);
  bool losesInfo;
  result.convert(cast<FloatType>(pair.getElementType()).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

static Value constantOf(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                  builder.getI32IntegerAttr(value));
}

static uint32_t maskOf(unsigned width) { return (1u << width) - 1; }

//===----------------------------------------------------------------------===//
// Format16
//===----------------------------------------------------------------------===//

Format16::Format16(FloatType type)
    : pair(VectorType::get({2}, type)),
      mantissaBits(type.getFPMantissaWidth() - 1) {}

uint32_t Format16::exponentOf(unsigned shift) const {
  llvm::APFloat power = numberOf(pair, std::ldexp(1.0, mantissaBits - shift));
  uint32_t half = power.bitcastToAPInt().getZExtValue();
  return half | half << 16;
}

Value Format16::constant(OpBuilder &builder, Location loc, double value) const {
  return LLVM::ConstantOp::create(
      builder, loc, pair, DenseElementsAttr::get(pair, numberOf(pair, value)));
}

//===----------------------------------------------------------------------===//
// CodeWords
//===----------------------------------------------------------------------===//

CodeWords::CodeWords(OpBuilder &builder, Location loc,
                     ArrayRef<CodePlane> planes, const Format16 &format)
    : builder(builder), loc(loc), planes(planes), format(format) {
  for (const CodePlane &plane : planes)
    width += plane.width;
}

Value CodeWords::difference(const CodePair &codes, int64_t offset) {
  if (!fitsMantissa()) {
    auto wide = VectorType::get({2}, builder.getF32Type());
    double bias = std::ldexp(1.0, 23) + offset;
    Value numbers = LLVM::UndefOp::create(builder, loc, wide);
    for (unsigned half : {0u, 1u})
      numbers = LLVM::InsertElementOp::create(
          builder, loc, numbers,
          LLVM::FSubOp::create(builder, loc, single(codes, half), f32(bias)),
          constantOf(builder, loc, half));
    return LLVM::FPTruncOp::create(builder, loc, format.pair, numbers);
  }
  Placed placed = place(codes);
  Value pair =
      LLVM::BitcastOp::create(builder, loc, format.pair, placed.bits);
  double bias = std::ldexp(1.0, format.mantissaBits - placed.place) + offset;
  return LLVM::FSubOp::create(builder, loc, pair,
                              format.constant(builder, loc, bias));
}

Value CodeWords::difference(const CodePair &codes, Value zeros) {
  if (!fitsMantissa()) {
    // Differences have at most eight bits, and fit again.
    Value exact = difference(codes, 0);
    return LLVM::FSubOp::create(builder, loc, exact, zeros);
  }
  Placed placed = place(codes);
  Value pair =
      LLVM::BitcastOp::create(builder, loc, format.pair, placed.bits);
  Value &bias = biased[{zeros, placed.place}];
  if (!bias)
    bias = LLVM::FAddOp::create(
        builder, loc, zeros,
        format.constant(builder, loc,
                        std::ldexp(1.0, format.mantissaBits - placed.place)));
  return LLVM::FSubOp::create(builder, loc, pair, bias);
}

std::optional<unsigned> CodeWords::commonPlace(const CodePair &codes) const {
  for (auto [plane, place] : llvm::zip(planes, codes.places)) {
    unsigned perWord = 32 / plane.width;
    unsigned low = place[0] % perWord * plane.width;
    unsigned high = place[1] % perWord * plane.width;
    if (place[0] / perWord != place[1] / perWord || high != low + 16)
      return std::nullopt;
  }
  unsigned bit =
      codes.places[0][0] % (32 / planes[0].width) * planes[0].width;
  for (unsigned place : {bit, bit % 8})
    if (place + width <= format.mantissaBits)
      return place;
  return 0;
}

CodeWords::Placed CodeWords::place(const CodePair &codes) {
  std::optional<unsigned> common = commonPlace(codes);
  if (!common) {
    // Anywhere else: bring both to bits 0 and 16.
    Value bits = LLVM::OrOp::create(
        builder, loc, integer(codes, 0),
        LLVM::ShlOp::create(builder, loc, integer(codes, 1),
                            constantOf(builder, loc, 16)));
    return {LLVM::OrOp::create(
                builder, loc, bits,
                constantOf(builder, loc, format.exponentOf(0))),
            0};
  }
  // Everything but the two codes is replaced by the exponent.
  Value bits;
  unsigned target = *common;
  for (unsigned plane = 0; plane < planes.size(); ++plane) {
    unsigned perWord = 32 / planes[plane].width;
    unsigned at = codes.places[plane][0];
    unsigned bit = at % perWord * planes[plane].width;
    uint32_t mask = maskOf(planes[plane].width) << target;
    Value word = shifted(plane, at / perWord, int(bit) - int(target));
    mask |= mask << 16;
    bits = bits ? ptx::andOr(builder, loc, word, mask, bits)
                : ptx::andOr(builder, loc, word, mask,
                             format.exponentOf(*common));
    target += planes[plane].width;
  }
  return {bits, *common};
}

Value CodeWords::single(const CodePair &codes, unsigned half) {
  constexpr int32_t exponent = 0x4B000000; // 2^23
  Value bits = LLVM::OrOp::create(builder, loc, integer(codes, half),
                                  constantOf(builder, loc, exponent));
  return LLVM::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
}

Value CodeWords::integer(const CodePair &codes, unsigned half) {
  Value whole;
  unsigned target = 0;
  for (unsigned plane = 0; plane < planes.size(); ++plane) {
    unsigned perWord = 32 / planes[plane].width;
    unsigned at = codes.places[plane][half];
    unsigned bit = at % perWord * planes[plane].width;
    Value field = LLVM::AndOp::create(
        builder, loc, shifted(plane, at / perWord, int(bit) - int(target)),
        constantOf(builder, loc, maskOf(planes[plane].width) << target));
    whole = whole ? LLVM::OrOp::create(builder, loc, whole, field).getResult()
                  : field;
    target += planes[plane].width;
  }
  return whole;
}

Value CodeWords::f32(double value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getF32Type(),
                                  builder.getF32FloatAttr(value));
}

Value CodeWords::shifted(unsigned plane, unsigned index, int amount) {
  Value word = planes[plane].words[index];
  if (amount == 0)
    return word;
  Value &copy = copies[{int(plane), int(index), amount}];
  if (!copy)
    copy = amount > 0 ? LLVM::LShrOp::create(builder, loc, word,
                                             constantOf(builder, loc, amount))
                            .getResult()
                      : LLVM::ShlOp::create(builder, loc, word,
                                            constantOf(builder, loc, -amount))
                            .getResult();
  return copy;
}
