//===- StoredCodes.h - reading and writing packed codes -------------------===//
//
// The codes of a weight or zero-point matrix in the i32 words that hold them,
// for every layout and width.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOLINALG_STOREDCODES_H
#define WNA16_LIB_CONVERSION_WNA16TOLINALG_STOREDCODES_H

#include "lib/Layout/PackedStorage.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::wna16 {

/// The code at (row, column), an i32; `load` reads the word with a number,
/// which has the type of row and column.
Value emitReadCode(OpBuilder &builder, Location loc,
                   const ::wna16::layout::PackedStorage &storage, Value row,
                   Value column, function_ref<Value(Value word)> load);

/// The code at (row, column) of `words`, which holds a tensor of the encoded
/// type `type`: an i32.
Value emitReadCode(OpBuilder &builder, Location loc, RankedTensorType type,
                   Value words, Value row, Value column);

/// `words` with the code (an i32) at (row, column), where all bits have been 0.
Value emitWriteCode(OpBuilder &builder, Location loc, RankedTensorType type,
                    Value words, Value row, Value column, Value code);

} // namespace mlir::wna16

#endif // WNA16_LIB_CONVERSION_WNA16TOLINALG_STOREDCODES_H
