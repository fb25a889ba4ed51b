//===- ProductLoops.h - the loops of a product on a CPU -------------------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOVECTOR_PRODUCTLOOPS_H
#define WNA16_LIB_CONVERSION_WNA16TOVECTOR_PRODUCTLOOPS_H

#include "lib/Conversion/Wna16ToVector/WeightBlock.h"
#include "lib/Target/CpuTarget.h"

namespace wna16 {

/// Rows of x that share an expanded block of weights.
inline constexpr int64_t chunkRows = 128;

/// Operands in memory, and the part of y to compute.
struct ProductArguments {
  mlir::Value x;
  WeightOperands weights;
  /// One row; null where there is none.
  mlir::Value bias;
  mlir::Value y;
  mlir::Value m0, m1, n0, n1;
};

/// Writes y[m0:m1, n0:n1]; n0 is a multiple of blockColumns, n1 too or N.
void emitProduct(mlir::ImplicitLocOpBuilder &builder, mlir::wna16::GemmOp gemm,
                 const ProductArguments &arguments, const CpuTarget &target);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_WNA16TOVECTOR_PRODUCTLOOPS_H
