//===- RingFields.h - what becomes a field of a ring, and how -------------===//
//
// pipeline-loads turns loads of a loop into fields of a ring. Which loads, what
// carries them and how they lie in a stage follows from the load, its users and
// the schedule alone.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_ANALYSIS_RINGFIELDS_H
#define WNA16_LIB_ANALYSIS_RINGFIELDS_H

#include "dialect/Tile/Tile.h"

namespace wna16 {

/// Whether `value` is an operand of a product, also through a dequantisation.
bool feedsProduct(mlir::Value value);

/// Whether asynchronous products read what `load` loads from where it lies:
/// it is the second operand of products, and nothing else.
bool staysInRing(mlir::tile::LoadOp load, mlir::wna16::ScheduleAttr schedule);

/// How a field is stored: as its source is; rows are permuted where products or
/// tensor copies want panels, and padded where threads copy and read them.
mlir::Attribute fieldStorage(mlir::tile::LoadOp load, mlir::tile::Engine engine,
                             mlir::wna16::ScheduleAttr schedule);

/// What carries the tiles of `load`. Rows of a matrix whose number is known at
/// run time only are a box that may reach past its end.
mlir::tile::Engine engineFor(mlir::tile::LoadOp load,
                             mlir::wna16::CopyEngine copy);

} // namespace wna16

#endif // WNA16_LIB_ANALYSIS_RINGFIELDS_H
