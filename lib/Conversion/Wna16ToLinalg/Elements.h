//===- Elements.h - numbers of stored operands ----------------------------===//
//
// What the patterns of all ops read: scales, biases and whole weights, in f32.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOLINALG_ELEMENTS_H
#define WNA16_LIB_CONVERSION_WNA16TOLINALG_ELEMENTS_H

#include "dialect/Wna16/Wna16.h"

#include "mlir/IR/Builders.h"

namespace mlir::wna16 {

/// A logical type, and the value that holds its elements.
struct Stored {
  RankedTensorType type;
  Value value;
};

/// Quantized weights. `zeros` is empty where codes have an offset.
struct StoredWeights {
  Stored w, s, zeros;
};

Value indexConstant(OpBuilder &builder, Location loc, int64_t value);
Value i32Constant(OpBuilder &builder, Location loc, int64_t value);

/// Where the scale at (group, n) is: indices into its storage, which is the
/// tensor itself when it is plain.
SmallVector<Value> emitScaleIndices(OpBuilder &builder, Location loc,
                                    RankedTensorType type, Value group,
                                    Value n);

/// The scale, or bias, at (group, n), in f32.
Value emitScale(OpBuilder &builder, Location loc, const Stored &scales,
                Value group, Value n);

/// (code - zero point) * scale of the weight at (k, n), in f32.
Value emitWeight(OpBuilder &builder, Location loc, const StoredWeights &weights,
                 Value k, Value n);

/// `value` in f32.
Value emitWiden(OpBuilder &builder, Location loc, Value value);

/// The f32 `value` rounded to `type`.
Value emitRound(OpBuilder &builder, Location loc, Type type, Value value);

/// An uninitialised tensor of `type`; `m` is its first extent when dynamic.
Value emitEmpty(OpBuilder &builder, Location loc, RankedTensorType type,
                Value m = {});

/// A tensor of `type` full of zeros.
Value emitZeros(OpBuilder &builder, Location loc, RankedTensorType type,
                Value m = {});

} // namespace mlir::wna16

#endif // WNA16_LIB_CONVERSION_WNA16TOLINALG_ELEMENTS_H
