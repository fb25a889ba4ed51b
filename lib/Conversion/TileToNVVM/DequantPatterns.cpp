//===- DequantPatterns.cpp - codes to 16-bit floating point ---------------===//
//
// A rule, not a table: the bits of a code are placed in the mantissa of a
// number whose exponent makes its last place worth 1 (1024 for f16, 128 for
// bf16) or, when the code sits `s` bits higher in its half-word, 2^-s; then the
// exponent and the offset of the code are subtracted, which is exact. Two codes
// that lie 16 bits apart share one register and all of its instructions.
// The constants follow from the format: f16 has 10 mantissa bits, so codes of 4
// bits fit at two places; bf16 has 7, so they fit at one, and are shifted
// there.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TileToNVVM/InlinePtx.h"
#include "lib/Conversion/TileToNVVM/RegisterMap.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

/// A floating-point format of 16 bits.
class Format {
public:
  explicit Format(FloatType type)
      : pair(VectorType::get({2}, type)),
        mantissaBits(type.getFPMantissaWidth() - 1) {}

  const VectorType pair;
  /// Stored ones, without the leading 1.
  const unsigned mantissaBits;

  /// Bits of the number 2^(mantissaBits - shift), in both halves.
  uint32_t exponentOf(unsigned shift) const {
    llvm::APFloat power = number(std::ldexp(1.0, mantissaBits - shift));
    uint32_t half = power.bitcastToAPInt().getZExtValue();
    return half | half << 16;
  }

  /// `value`, in both halves of a register.
  Value constant(OpBuilder &builder, Location loc, double value) const {
    return LLVM::ConstantOp::create(
        builder, loc, pair, DenseElementsAttr::get(pair, number(value)));
  }

private:
  llvm::APFloat number(double value) const {
    llvm::APFloat result(value);
    bool losesInfo;
    result.convert(cast<FloatType>(pair.getElementType()).getFloatSemantics(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return result;
  }
};

Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                  builder.getI32IntegerAttr(value));
}

struct DequantPattern : OpConversionPattern<DequantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DequantOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ValType from = op.getCodes().getType(), to = op.getType();
    auto code = cast<mlir::wna16::CodeType>(from.getElementType());
    unsigned width = code.getWidth();
    if (32 % width || width > 8)
      return op.emitOpError("cannot convert codes of ")
             << width << " bits: they straddle words";
    if (!sameThreads(from, to))
      return op.emitOpError("expected codes and result on the same lanes");
    Format format(cast<FloatType>(to.getElementType()));
    if (width > format.mantissaBits)
      return op.emitOpError("cannot convert codes of ")
             << width << " bits to " << to.getElementType()
             << ": its mantissa has " << format.mantissaBits;
    RegisterMap codes(from), result(to);
    Location loc = op.getLoc();
    Words words(rewriter, loc, adaptor.getCodes(), width, format);
    SmallVector<Value> registers;
    for (unsigned element = 0; element < result.elements(); element += 2) {
      unsigned places[2];
      for (unsigned half : {0u, 1u}) {
        auto [row, column] = result.coordinates(element + half);
        std::optional<unsigned> found = codes.find(row, column);
        if (!found)
          return op.emitOpError("expected every lane to hold the codes of its "
                                "result");
        places[half] = *found;
      }
      Value pair = words.exactPair(places[0], places[1],
                                   static_cast<int64_t>(*code.getOffset()));
      if (op.getScales()) {
        FailureOr<Value> scaled =
            scale(op, adaptor, rewriter, result, element, pair);
        if (failed(scaled))
          return failure();
        pair = *scaled;
      }
      registers.push_back(
          LLVM::BitcastOp::create(rewriter, loc, rewriter.getI32Type(), pair));
    }
    // A fragment that the next iteration uses is made here, not there.
    if (llvm::any_of(op->getUsers(),
                     [](Operation *user) { return isa<scf::YieldOp>(user); }))
      for (Value &value : registers)
        value = ptx::pinRegister(rewriter, loc, value);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }

private:
  /// Words of codes, and their shifted copies made on demand.
  class Words {
  public:
    Words(OpBuilder &builder, Location loc, ValueRange words, unsigned width,
          const Format &format)
        : builder(builder), loc(loc), words(words), width(width),
          format(format) {}

    /// codes[low] - offset and codes[high] - offset as a pair.
    Value exactPair(unsigned low, unsigned high, int64_t offset) {
      unsigned perWord = 32 / width;
      unsigned lowBit = low % perWord * width, highBit = high % perWord * width;
      if (low / perWord == high / perWord && highBit == lowBit + 16)
        return subtract(inPlace(low / perWord, lowBit), lowBit, offset);
      // Anywhere else: bring both to bits 0 and 16.
      Value word = LLVM::OrOp::create(
          builder, loc, field(low / perWord, lowBit),
          LLVM::ShlOp::create(builder, loc, field(high / perWord, highBit),
                              constant(builder, loc, 16)));
      word = LLVM::OrOp::create(builder, loc, word,
                                constant(builder, loc, format.exponentOf(0)));
      return subtract(word, 0, offset);
    }

  private:
    uint32_t mask() const { return (1u << width) - 1; }

    /// How far above the last mantissa bit the code may stay.
    unsigned placeOf(unsigned bit) const {
      for (unsigned place : {bit, bit % 8})
        if (place + width <= format.mantissaBits)
          return place;
      return 0;
    }

    /// (word >> whole shift) with everything but two codes replaced by the
    /// exponent.
    Value inPlace(unsigned index, unsigned bit) {
      unsigned place = placeOf(bit);
      uint32_t pairMask = mask() << place;
      return ptx::andOr(builder, loc, shifted(index, bit - place),
                        pairMask | pairMask << 16, format.exponentOf(place));
    }

    Value subtract(Value bits, unsigned bit, int64_t offset) {
      Value pair = LLVM::BitcastOp::create(builder, loc, format.pair, bits);
      double bias =
          std::ldexp(1.0, format.mantissaBits - placeOf(bit)) + offset;
      return LLVM::FSubOp::create(builder, loc, pair,
                                  format.constant(builder, loc, bias));
    }

    Value field(unsigned index, unsigned bit) {
      return LLVM::AndOp::create(builder, loc, shifted(index, bit),
                                 constant(builder, loc, mask()));
    }

    Value shifted(unsigned index, unsigned amount) {
      if (amount == 0)
        return words[index];
      Value &copy = copies[{index, amount}];
      if (!copy)
        copy = LLVM::LShrOp::create(builder, loc, words[index],
                                    constant(builder, loc, amount));
      return copy;
    }

    OpBuilder &builder;
    Location loc;
    ValueRange words;
    unsigned width;
    const Format &format;
    llvm::DenseMap<std::pair<unsigned, unsigned>, Value> copies;
  };

  /// Multiplies the pair at `element` by the scales of its columns.
  static FailureOr<Value> scale(DequantOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter,
                                const RegisterMap &result, unsigned element,
                                Value pair) {
    RegisterMap scales(cast<ValType>(op.getScales().getType()));
    if (!result.sameThreadsAlong(1, scales, 1))
      return op.emitOpError("expected every lane to hold the scales of its "
                            "columns");
    Location loc = op.getLoc();
    Value factors = LLVM::UndefOp::create(rewriter, loc, pair.getType());
    for (unsigned half : {0u, 1u}) {
      std::optional<unsigned> at =
          scales.find(0, result.coordinates(element + half)[1]);
      if (!at)
        return op.emitOpError("expected every lane to hold the scales of its "
                              "columns");
      factors = LLVM::InsertElementOp::create(
          rewriter, loc, factors,
          extractHalf(rewriter, loc, op.getType().getElementType(),
                      adaptor.getScales(), *at),
          constant(rewriter, loc, half));
    }
    return LLVM::FMulOp::create(rewriter, loc, pair, factors).getResult();
  }
};

} // namespace

void ::wna16::populateDequantPatterns(RewritePatternSet &patterns,
                                      const TypeConverter &converter) {
  patterns.add<DequantPattern>(converter, patterns.getContext());
}
