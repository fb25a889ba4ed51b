//===- RingAddress.h - where the fields of a stage lie --------------------===//
//
// Shared by everything that touches a ring: fills, reads, asynchronous
// products.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_RINGADDRESS_H
#define WNA16_LIB_CONVERSION_TILETONVVM_RINGADDRESS_H

#include "lib/Conversion/TileToNVVM/Patterns.h"

namespace wna16 {

/// Fails, with an error at `op`, when `ring` has no place in shared memory.
mlir::LogicalResult expectPlace(mlir::Operation *op, mlir::Value ring);

/// Address of `field` in the stage of step `step`, plus `threadBytes` (i32):
/// !llvm.ptr<3>.
mlir::Value fieldAddress(mlir::OpBuilder &builder, mlir::Operation *op,
                         const KernelContext &context, mlir::Value ring,
                         mlir::Value step, llvm::StringRef field,
                         mlir::Value threadBytes);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TILETONVVM_RINGADDRESS_H
