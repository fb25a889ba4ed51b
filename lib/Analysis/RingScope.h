//===- RingScope.h - who must meet at a ring op ---------------------------===//
#ifndef WNA16_LIB_ANALYSIS_RINGSCOPE_H
#define WNA16_LIB_ANALYSIS_RINGSCOPE_H

#include "dialect/Tile/Tile.h"

namespace wna16 {

/// The narrowest set of threads that holds, for every element of every field of
/// `ring`, those that copy it and those that read it: derived from the thread
/// maps of fills and the layouts of reads.
mlir::tile::Scope requiredScope(mlir::tile::ForEachWorkOp work,
                                mlir::tile::RingOp ring);

} // namespace wna16

#endif // WNA16_LIB_ANALYSIS_RINGSCOPE_H
