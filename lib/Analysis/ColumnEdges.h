//===- ColumnEdges.h - tiles that reach past the columns ------------------===//
#ifndef WNA16_LIB_ANALYSIS_COLUMNEDGES_H
#define WNA16_LIB_ANALYSIS_COLUMNEDGES_H

#include "dialect/Tile/Tile.h"

#include "llvm/ADT/DenseSet.h"

namespace wna16 {

/// The loads, fills and stores of `kernel` whose tile reaches past the columns
/// of a matrix without packed layout, in the first or the last tile of outputs.
/// Only these have to look where a row ends. In a kernel whose counters cannot
/// be run, all that have such a matrix.
llvm::DenseSet<mlir::Operation *> opsPastColumns(mlir::tile::KernelOp kernel);

} // namespace wna16

#endif // WNA16_LIB_ANALYSIS_COLUMNEDGES_H
