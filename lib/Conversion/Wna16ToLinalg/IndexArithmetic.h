//===- IndexArithmetic.h - a storage layout as arith ops ------------------===//
//
// Prints the maps of lib/Layout as integer arithmetic, so that lowerings have
// no formula of their own for any layout.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOLINALG_INDEXARITHMETIC_H
#define WNA16_LIB_CONVERSION_WNA16TOLINALG_INDEXARITHMETIC_H

#include "lib/Layout/StorageLayout.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace mlir::wna16 {

/// The offset, in elements, of element (row, column); all of the same type,
/// index or an integer that is wide enough.
Value emitElementOffset(OpBuilder &builder, Location loc,
                        const ::wna16::layout::StorageLayout &layout, Value row,
                        Value column);

/// Row and column of the element at `offset`, in a layout without gaps.
std::pair<Value, Value>
emitElementPlace(OpBuilder &builder, Location loc,
                 const ::wna16::layout::StorageLayout &layout, Value offset);

} // namespace mlir::wna16

#endif // WNA16_LIB_CONVERSION_WNA16TOLINALG_INDEXARITHMETIC_H
