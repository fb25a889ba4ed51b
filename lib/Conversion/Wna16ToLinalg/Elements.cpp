//===- Elements.cpp - numbers of stored operands --------------------------===//

#include "lib/Conversion/Wna16ToLinalg/Elements.h"

#include "lib/Conversion/Wna16ToLinalg/IndexArithmetic.h"
#include "lib/Conversion/Wna16ToLinalg/StoredCodes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::wna16;

Value mlir::wna16::indexConstant(OpBuilder &builder, Location loc,
                                 int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value mlir::wna16::i32Constant(OpBuilder &builder, Location loc,
                               int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                      value);
}

SmallVector<Value> mlir::wna16::emitScaleIndices(OpBuilder &builder,
                                                 Location loc,
                                                 RankedTensorType type,
                                                 Value group, Value n) {
  if (!getLayout(type))
    return {group, n};
  ::wna16::layout::PackedStorage storage = getStorage(type);
  return {emitElementOffset(builder, loc, *storage.singleLayout(), group, n)};
}

Value mlir::wna16::emitWiden(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
}

Value mlir::wna16::emitRound(OpBuilder &builder, Location loc, Type type,
                             Value value) {
  if (type.isF32())
    return value;
  return arith::TruncFOp::create(builder, loc, type, value);
}

Value mlir::wna16::emitScale(OpBuilder &builder, Location loc,
                             const Stored &scales, Value group, Value n) {
  Value scale = tensor::ExtractOp::create(
      builder, loc, scales.value,
      emitScaleIndices(builder, loc, scales.type, group, n));
  return emitWiden(builder, loc, scale);
}

Value mlir::wna16::emitWeight(OpBuilder &builder, Location loc,
                              const StoredWeights &weights, Value k, Value n) {
  const Stored &w = weights.w;
  int64_t groupSize = w.type.getDimSize(0) / weights.s.type.getDimSize(0);
  Value group = arith::DivUIOp::create(builder, loc, k,
                                       indexConstant(builder, loc, groupSize));
  Value stored = emitReadCode(builder, loc, w.type, w.value, k, n);
  Value zero =
      weights.zeros.value
          ? emitReadCode(builder, loc, weights.zeros.type, weights.zeros.value,
                         group, n)
          : i32Constant(builder, loc,
                        *cast<CodeType>(w.type.getElementType()).getOffset());
  Value integer = arith::SubIOp::create(builder, loc, stored, zero);
  Value value =
      arith::SIToFPOp::create(builder, loc, builder.getF32Type(), integer);
  return arith::MulFOp::create(builder, loc, value,
                               emitScale(builder, loc, weights.s, group, n));
}

Value mlir::wna16::emitEmpty(OpBuilder &builder, Location loc,
                             RankedTensorType type, Value m) {
  SmallVector<Value> dynamic;
  if (type.getNumDynamicDims())
    dynamic.push_back(m);
  return tensor::EmptyOp::create(builder, loc, type, dynamic);
}

Value mlir::wna16::emitZeros(OpBuilder &builder, Location loc,
                             RankedTensorType type, Value m) {
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return linalg::FillOp::create(builder, loc, zero,
                                emitEmpty(builder, loc, type, m))
      .getResult(0);
}
