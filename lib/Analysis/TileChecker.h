//===- TileChecker.h - runs the ring protocol of a kernel -----------------===//
#ifndef WNA16_LIB_ANALYSIS_TILECHECKER_H
#define WNA16_LIB_ANALYSIS_TILECHECKER_H

#include "dialect/Tile/Tile.h"

namespace wna16 {

/// Runs the counters of `work` for every part of K and checks the protocol of
/// its rings and where its tiles come from and go to; errors are diagnostics
/// whose labels docs/spec.md explains.
mlir::LogicalResult checkByRunning(mlir::tile::ForEachWorkOp work);

} // namespace wna16

#endif // WNA16_LIB_ANALYSIS_TILECHECKER_H
