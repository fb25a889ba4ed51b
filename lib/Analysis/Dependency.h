//===- Dependency.h - what a kernel may touch before it waits -------------===//
//
// A kernel that is launched before the one in front of it has ended must not
// touch what that one may still write or read. Packed weights and scales are
// constants of the model: no kernel of a stream writes them.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_ANALYSIS_DEPENDENCY_H
#define WNA16_LIB_ANALYSIS_DEPENDENCY_H

#include "dialect/Tile/Tile.h"

namespace wna16 {

/// Whether the kernel in front may use this matrix: all that has no packed
/// layout.
bool isShared(mlir::tile::GlobalType matrix);

/// Whether `op` itself reads or writes such a matrix.
bool touchesShared(mlir::Operation *op);

/// The first wait in `kernel`; null when it is not written to overlap.
mlir::tile::DependencyWaitOp findDependencyWait(mlir::tile::KernelOp kernel);

/// Checks, in a kernel that waits, that every agent of `work` touches such
/// matrices after its own wait only [DEP-V1].
mlir::LogicalResult checkDependency(mlir::tile::ForEachWorkOp work);

} // namespace wna16

#endif // WNA16_LIB_ANALYSIS_DEPENDENCY_H
