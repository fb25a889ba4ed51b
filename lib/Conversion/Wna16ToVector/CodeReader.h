//===- CodeReader.h - blocks of packed codes as vectors -------------------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOVECTOR_CODEREADER_H
#define WNA16_LIB_CONVERSION_WNA16TOVECTOR_CODEREADER_H

#include "lib/Conversion/Wna16ToVector/BlockReader.h"
#include "lib/Layout/PackedStorage.h"

#include "mlir/IR/BuiltinTypes.h"

namespace wna16 {

/// Reads blocks of `rows` x `columns` codes of the encoded type `type`, whose
/// words are in `words`, as vectors of i32.
class CodeReader {
public:
  CodeReader(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type,
             mlir::Value words, int64_t rows, int64_t columns);

  /// As BlockReader::canRead. Codes in streams are read one by one.
  static bool canRead(mlir::RankedTensorType type, int64_t rows,
                      int64_t columns);

  void begin(mlir::Value row, mlir::Value column);
  /// The codes of min(columns, vectorLanes) neighbours in a row of the block.
  mlir::Value read(int64_t row, int64_t column);

private:
  mlir::Value readPlane(size_t index, int64_t row, int64_t column);
  mlir::Value readStream();

  mlir::ImplicitLocOpBuilder &builder;
  layout::PackedStorage storage;
  mlir::Value words;
  /// One for each plane.
  std::vector<BlockReader> readers;
  /// Of the block's first code.
  mlir::Value firstRow, firstColumn;
};

/// Where the elements of scales or of a bias are; plain ones lie row by row.
layout::StorageLayout getElementLayout(mlir::RankedTensorType type);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_WNA16TOVECTOR_CODEREADER_H
