//===- IndexArithmetic.h - a storage layout as arith ops ------------------===//
//
// Prints the map of lib/Layout as index arithmetic, so that the reference
// lowering has no formula of its own for any layout.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOLINALG_INDEXARITHMETIC_H
#define WNA16_LIB_CONVERSION_WNA16TOLINALG_INDEXARITHMETIC_H

#include "lib/Layout/StorageLayout.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace mlir::wna16 {

/// The offset, in elements, of element (row, column); all of index type.
Value emitElementOffset(OpBuilder &builder, Location loc,
                        const ::wna16::layout::StorageLayout &layout, Value row,
                        Value column);

} // namespace mlir::wna16

#endif // WNA16_LIB_CONVERSION_WNA16TOLINALG_INDEXARITHMETIC_H
