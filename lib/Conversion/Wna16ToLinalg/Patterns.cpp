//===- Patterns.cpp - patterns of convert-wna16-to-linalg -----------------===//
//
// Elements are read from storage through emitElementOffset; the arithmetic is
// f32 and rounds once, at the end.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/Wna16ToLinalg/Patterns.h"

#include "dialect/Wna16/Wna16.h"
#include "lib/Conversion/Wna16ToLinalg/Elements.h"
#include "lib/Conversion/Wna16ToLinalg/StoredCodes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::wna16;

/// The weights of a gemm or a dequantize, converted.
template <typename Op>
static StoredWeights getWeights(Op op, typename Op::Adaptor adaptor) {
  StoredWeights weights{{op.getW().getType(), adaptor.getW()},
                        {op.getS().getType(), adaptor.getS()},
                        {}};
  if (op.getZeros())
    weights.zeros = {cast<RankedTensorType>(op.getZeros().getType()),
                     adaptor.getZeros()};
  return weights;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

struct DequantizeToLinalg : OpConversionPattern<DequantizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(DequantizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getY().getType();
    SmallVector<AffineMap> maps{rewriter.getMultiDimIdentityMap(2)};
    SmallVector<utils::IteratorType> iterators(2,
                                               utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, TypeRange{type}, ValueRange{},
        ValueRange{emitEmpty(rewriter, loc, type)}, maps, iterators,
        [&](OpBuilder &builder, Location loc, ValueRange) {
          Value k = linalg::IndexOp::create(builder, loc, 0);
          Value n = linalg::IndexOp::create(builder, loc, 1);
          Value weight =
              emitWeight(builder, loc, getWeights(op, adaptor), k, n);
          Value rounded = arith::TruncFOp::create(
              builder, loc, type.getElementType(), weight);
          linalg::YieldOp::create(builder, loc, rounded);
        });
    return success();
  }
};

struct GemmToLinalg : OpConversionPattern<GemmOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(GemmOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getY().getType();
    Value x = adaptor.getX(), m;
    if (type.isDynamicDim(0))
      m = tensor::DimOp::create(rewriter, loc, x, 0);

    // sum[m, n] += x[m, k] * weight(k, n), in f32.
    auto sumType =
        RankedTensorType::get(type.getShape(), rewriter.getF32Type());
    AffineExpr dM, dN, dK;
    bindDims(rewriter.getContext(), dM, dN, dK);
    SmallVector<AffineMap> maps{
        AffineMap::get(3, 0, {dM, dK}, rewriter.getContext()),
        AffineMap::get(3, 0, {dM, dN}, rewriter.getContext())};
    SmallVector<utils::IteratorType> iterators{utils::IteratorType::parallel,
                                               utils::IteratorType::parallel,
                                               utils::IteratorType::reduction};
    auto sum = linalg::GenericOp::create(
        rewriter, loc, TypeRange{sumType}, ValueRange{x},
        ValueRange{emitZeros(rewriter, loc, sumType, m)}, maps, iterators,
        [&](OpBuilder &builder, Location loc, ValueRange arguments) {
          Value n = linalg::IndexOp::create(builder, loc, 1);
          Value k = linalg::IndexOp::create(builder, loc, 2);
          Value weight =
              emitWeight(builder, loc, getWeights(op, adaptor), k, n);
          Value activation = arith::ExtFOp::create(
              builder, loc, builder.getF32Type(), arguments[0]);
          Value product =
              arith::MulFOp::create(builder, loc, activation, weight);
          Value next =
              arith::AddFOp::create(builder, loc, arguments[1], product);
          linalg::YieldOp::create(builder, loc, next);
        });

    SmallVector<AffineMap> roundMaps(2, rewriter.getMultiDimIdentityMap(2));
    iterators.pop_back();
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, TypeRange{type}, sum.getResults(),
        ValueRange{emitEmpty(rewriter, loc, type, m)}, roundMaps, iterators,
        [&](OpBuilder &builder, Location loc, ValueRange arguments) {
          Value result = arguments[0];
          if (op.getBias()) {
            auto biasType = cast<RankedTensorType>(op.getBias().getType());
            Value n = linalg::IndexOp::create(builder, loc, 1);
            Value bias = emitScale(builder, loc, {biasType, adaptor.getBias()},
                                   indexConstant(builder, loc, 0), n);
            result = arith::AddFOp::create(builder, loc, result, bias);
          }
          linalg::YieldOp::create(
              builder, loc,
              emitRound(builder, loc, type.getElementType(), result));
        });
    return success();
  }
};

/// Two loops over what both have that move one element at a time. Storage is
/// written in an order that only its own map knows, hence loops and not a
/// linalg.generic.
struct RepackToLoops : OpConversionPattern<RepackOp> {
  using OpConversionPattern::OpConversionPattern;

  /// `target` with element (row, column) taken from `source`.
  static Value moveElement(OpBuilder &builder, Location loc, RepackOp op,
                           Value source, Value target, Value row,
                           Value column) {
    RankedTensorType from = op.getSource().getType();
    RankedTensorType to = op.getResult().getType();
    if (!isa<CodeType>(from.getElementType())) {
      Value scale = tensor::ExtractOp::create(
          builder, loc, source,
          emitScaleIndices(builder, loc, from, row, column));
      return tensor::InsertOp::create(
          builder, loc, scale, target,
          emitScaleIndices(builder, loc, to, row, column));
    }
    Value code = emitReadCode(builder, loc, from, source, row, column);
    return emitWriteCode(builder, loc, to, target, row, column, code);
  }

  LogicalResult
  matchAndRewrite(RepackOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getResult().getType();
    auto storage = getTypeConverter()->convertType<RankedTensorType>(type);
    Value zero = indexConstant(rewriter, loc, 0);
    Value one = indexConstant(rewriter, loc, 1);
    RankedTensorType from = op.getSource().getType();
    auto common = [&](unsigned dim) {
      return indexConstant(
          rewriter, loc, std::min(from.getDimSize(dim), type.getDimSize(dim)));
    };
    Value rows = common(0), columns = common(1);
    scf::LoopNest nest = scf::buildLoopNest(
        rewriter, loc, {zero, zero}, {rows, columns}, {one, one},
        emitZeros(rewriter, loc, storage),
        [&](OpBuilder &builder, Location loc, ValueRange indices,
            ValueRange carried) -> scf::ValueVector {
          return {moveElement(builder, loc, op, adaptor.getSource(), carried[0],
                              indices[0], indices[1])};
        });
    rewriter.replaceOp(op, nest.results);
    return success();
  }
};

/// An encoded tensor has a static logical shape, which its storage has not.
struct DimOfEncoded : OpConversionPattern<tensor::DimOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tensor::DimOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (!type || !getLayout(type))
      return rewriter.notifyMatchFailure(op, "source has no layout");
    Location loc = op.getLoc();
    ArrayRef<int64_t> shape = type.getShape();
    Value extent = indexConstant(rewriter, loc, shape.back());
    for (int64_t dim = shape.size() - 2; dim >= 0; --dim) {
      Value isDim = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::eq, adaptor.getIndex(),
          indexConstant(rewriter, loc, dim));
      extent = arith::SelectOp::create(rewriter, loc, isDim,
                                       indexConstant(rewriter, loc, shape[dim]),
                                       extent);
    }
    rewriter.replaceOp(op, extent);
    return success();
  }
};

} // namespace

void mlir::wna16::populateWna16ToLinalgPatterns(const TypeConverter &converter,
                                                RewritePatternSet &patterns) {
  patterns.add<DequantizeToLinalg, GemmToLinalg, RepackToLoops, DimOfEncoded>(
      converter, patterns.getContext());
  populateMoePatterns(converter, patterns);
}
