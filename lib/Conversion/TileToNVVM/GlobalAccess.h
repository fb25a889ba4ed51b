//===- GlobalAccess.h - a thread's elements of a tile of a matrix ---------===//
//
// Addresses of elements, and whether they exist. Rows follow each other at a
// stride, or a map names them one by one.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_GLOBALACCESS_H
#define WNA16_LIB_CONVERSION_TILETONVVM_GLOBALACCESS_H

#include "lib/Conversion/TileToNVVM/Addressing.h"

namespace wna16 {

/// The rows of `matrix`, which has a map, that a thread has in a tile that
/// begins at row `row`.
MappedRows findRows(mlir::OpBuilder &builder, AddressBuilder &address,
                    mlir::Location loc, const TileAddressing &tile,
                    const GlobalMatrix &matrix, unsigned bits, int64_t row);

/// Finds the rows of all ops that may stand in a loop and use `rows`, which has
/// a map, where it stands. Fails, with an error at the op, when the row it
/// begins at is not constant.
mlir::LogicalResult findRowsOfUsers(mlir::OpBuilder &builder,
                                    mlir::tile::RowsOp rows,
                                    KernelContext &context);

class GlobalAccess {
public:
  /// For the tile of `source` at (row, column) that the threads of `op` have.
  /// With `pinned` there is one pointer per row at run time, or one for all,
  /// and the rest are constants from it.
  GlobalAccess(mlir::OpBuilder &builder, mlir::Operation *op,
               const KernelContext &context, const TileAddressing &tile,
               mlir::Value source, unsigned bits, mlir::Value row,
               mlir::Value column, bool pinned = false);

  /// Fails, with an error at the op, where rows cannot be found.
  mlir::LogicalResult prepare();
  /// The address of element `index` of the thread.
  mlir::Value pointer(unsigned index);
  /// Whether its row exists; null when all rows do.
  mlir::Value rowExists(unsigned index);
  /// Whether its row is one of the view's, if only in number: a map may name
  /// none for it. Null when all are.
  mlir::Value rowIsInside(unsigned index);
  /// Whether a map names it; null without a map.
  mlir::Value rowIsNamed(unsigned index);

private:
  mlir::Value pin(mlir::Value pointer);

  mlir::OpBuilder &builder;
  mlir::Operation *op;
  const KernelContext &context;
  const TileAddressing &tile;
  GlobalMatrix matrix;
  mlir::tile::GlobalType type;
  unsigned bits;
  mlir::Value row, column;
  bool pinned;
  AddressBuilder address;
  /// Without a map.
  mlir::Value base;
  /// With one.
  MappedRows rows;
};

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TILETONVVM_GLOBALACCESS_H
