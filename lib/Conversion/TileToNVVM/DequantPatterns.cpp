//===- DequantPatterns.cpp - codes to 16-bit floating point ---------------===//
//
// Exact differences (CodeWords) times scales. Scales of the result's type are
// multiplied in that type; others through f32, so that the product is rounded
// once.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TileToNVVM/CodeWords.h"
#include "lib/Conversion/TileToNVVM/InlinePtx.h"
#include "lib/Conversion/TileToNVVM/RegisterMap.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                  builder.getI32IntegerAttr(value));
}

/// Zeros or scales of a dequantisation: which register goes with an element.
class GroupRows {
public:
  GroupRows(Value rows, ValueRange registers, const RegisterMap &result,
            int64_t rowsPerGroup)
      : type(cast<ValType>(rows.getType())), registers(registers), map(type),
        result(result), rowsPerGroup(rowsPerGroup) {}

  bool onSameLanes() const { return result.sameThreadsAlong(1, map, 1); }

  /// The numbers for elements `element` and the next, as a pair; null when this
  /// thread does not have them.
  Value pairAt(OpBuilder &builder, Location loc, unsigned element) {
    std::array<unsigned, 2> at;
    for (unsigned half : {0u, 1u}) {
      auto [row, column] = result.coordinates(element + half);
      std::optional<unsigned> found = map.find(row / rowsPerGroup, column);
      if (!found)
        return {};
      at[half] = *found;
    }
    Value &pair = pairs[at];
    if (pair)
      return pair;
    auto type = VectorType::get({2}, this->type.getElementType());
    pair = LLVM::UndefOp::create(builder, loc, type);
    for (unsigned half : {0u, 1u})
      pair = LLVM::InsertElementOp::create(
          builder, loc, pair,
          extractHalf(builder, loc, type.getElementType(), registers, at[half]),
          constant(builder, loc, half));
    return pair;
  }

private:
  ValType type;
  ValueRange registers;
  RegisterMap map;
  const RegisterMap &result;
  int64_t rowsPerGroup;
  std::map<std::array<unsigned, 2>, Value> pairs;
};

/// `pair` in f32, where it is more than an extended number to LLVM: a product
/// of two of those, bf16 and f16, would be computed in f16, which has not the
/// range of bf16.
Value widenOpaquely(OpBuilder &builder, Location loc, Value pair) {
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  auto wide = VectorType::get({2}, f32);
  Value extended = LLVM::FPExtOp::create(builder, loc, wide, pair);
  Value result = LLVM::UndefOp::create(builder, loc, wide);
  for (unsigned half : {0u, 1u}) {
    Value at = constant(builder, loc, half);
    Value number =
        LLVM::ExtractElementOp::create(builder, loc, extended, at);
    Value bits = ptx::pinRegister(
        builder, loc, LLVM::BitcastOp::create(builder, loc, i32, number));
    result = LLVM::InsertElementOp::create(
        builder, loc, result, LLVM::BitcastOp::create(builder, loc, f32, bits),
        at);
  }
  return result;
}

/// a * b, rounded once to the type of `a`.
Value multiply(OpBuilder &builder, Location loc, Value a, Value b) {
  if (a.getType() == b.getType())
    return LLVM::FMulOp::create(builder, loc, a, b);
  auto wide = VectorType::get({2}, builder.getF32Type());
  Value product = LLVM::FMulOp::create(
      builder, loc, LLVM::FPExtOp::create(builder, loc, wide, a),
      widenOpaquely(builder, loc, b));
  return LLVM::FPTruncOp::create(builder, loc, a.getType(), product);
}

struct DequantPattern : OpConversionPattern<DequantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DequantOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RegisterMap result(op.getType());
    Format16 format(cast<FloatType>(op.getType().getElementType()));
    SmallVector<CodePlane> planes;
    SmallVector<RegisterMap> maps;
    for (auto [plane, words] : llvm::zip(op.getCodes(), adaptor.getCodes())) {
      auto type = cast<ValType>(plane.getType());
      auto code = cast<mlir::wna16::CodeType>(type.getElementType());
      if (32 % code.getWidth())
        return op.emitOpError("cannot convert codes of ")
               << code.getWidth() << " bits: they straddle words";
      if (!sameThreads(type, op.getType()))
        return op.emitOpError("expected codes and result on the same lanes");
      planes.push_back({words, code.getWidth()});
      maps.emplace_back(type);
    }
    std::optional<GroupRows> zeros, scales;
    if (op.getZeros())
      zeros.emplace(op.getZeros(), adaptor.getZeros(), result,
                    op.getRowsPerGroup());
    if (op.getScales())
      scales.emplace(op.getScales(), adaptor.getScales(), result,
                     op.getRowsPerGroup());
    for (const std::optional<GroupRows> *rows : {&zeros, &scales})
      if (*rows && !(*rows)->onSameLanes())
        return op.emitOpError("expected every lane to hold the scales of its "
                              "columns");

    CodeWords words(rewriter, loc, planes, format);
    SmallVector<Value> registers;
    for (unsigned element = 0; element < result.elements(); element += 2) {
      FailureOr<CodePair> codes = findCodes(op, result, maps, element);
      if (failed(codes))
        return failure();
      auto rowsAt = [&](std::optional<GroupRows> &rows) {
        return rows ? rows->pairAt(rewriter, loc, element) : Value();
      };
      Value zero = rowsAt(zeros);
      Value pair = zero ? words.difference(*codes, zero)
                        : words.difference(*codes, op.getCodeOffset());
      Value scale = rowsAt(scales);
      if ((zeros && !zero) || (scales && !scale))
        return op.emitOpError("expected every lane to hold the scales of its "
                              "columns");
      if (scale)
        pair = multiply(rewriter, loc, pair, scale);
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
  /// The codes of elements `element` and the next.
  static FailureOr<CodePair> findCodes(DequantOp op, const RegisterMap &result,
                                       ArrayRef<RegisterMap> maps,
                                       unsigned element) {
    CodePair codes;
    for (const RegisterMap &map : maps) {
      std::array<unsigned, 2> places;
      for (unsigned half : {0u, 1u}) {
        auto [row, column] = result.coordinates(element + half);
        std::optional<unsigned> found = map.find(row, column);
        if (!found)
          return op.emitOpError("expected every lane to hold the codes of its "
                                "result");
        places[half] = *found;
      }
      codes.places.push_back(places);
    }
    return codes;
  }
};

} // namespace

void ::wna16::populateDequantPatterns(RewritePatternSet &patterns,
                                      const TypeConverter &converter) {
  patterns.add<DequantPattern>(converter, patterns.getContext());
}
