//===- WeightBlock.h - expands a block of weights into f32 ----------------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOVECTOR_WEIGHTBLOCK_H
#define WNA16_LIB_CONVERSION_WNA16TOVECTOR_WEIGHTBLOCK_H

#include "dialect/Wna16/Wna16.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace wna16 {

/// Rows and columns of a block of expanded weights.
inline constexpr int64_t blockRows = 128, blockColumns = 64;

/// Storage of the operands that weights are made of, one-dimensional.
struct WeightOperands {
  mlir::Value w, s;
  /// Null where codes have an offset.
  mlir::Value zeros;
};

/// Writes (w - zero point) * s of the rows [k, k + rows) and of a block of
/// columns from column n on into `target`, a memref of blockRows x blockColumns
/// f32. `rows` is a multiple of stepRows(). `inside`: all of these columns are
/// stored; otherwise they are the last ones, and what is not stored is not
/// written.
void emitWeightBlock(mlir::ImplicitLocOpBuilder &builder,
                     mlir::wna16::GemmOp gemm, const WeightOperands &operands,
                     mlir::Value k, mlir::Value rows, mlir::Value n,
                     bool inside, mlir::Value target);

/// Rows that are expanded with the same scales; divides blockRows, the group
/// and the stored K.
int64_t stepRows(mlir::wna16::GemmOp gemm);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_WNA16TOVECTOR_WEIGHTBLOCK_H
