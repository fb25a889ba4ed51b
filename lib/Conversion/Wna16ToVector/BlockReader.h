//===- BlockReader.h - blocks of a stored matrix as vectors ---------------===//
//
// A storage layout moves bits of coordinates. For a block whose sides are
// powers of two, the offset of an element is therefore that of the block plus a
// constant that the compiler knows, and what has to be loaded, how often, and
// which lanes change places is decided here.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOVECTOR_BLOCKREADER_H
#define WNA16_LIB_CONVERSION_WNA16TOVECTOR_BLOCKREADER_H

#include "lib/Layout/StorageLayout.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <vector>

namespace wna16 {

/// Columns that one vector spans, if a block is that wide.
inline constexpr int64_t vectorLanes = 16;

/// Reads blocks of `rows` x `columns` elements. An item of memory (a word, or a
/// scale) holds `perItem` of them; the storage begins at item `first`.
class BlockReader {
public:
  BlockReader(mlir::ImplicitLocOpBuilder &builder,
              const layout::StorageLayout &layout, mlir::Value storage,
              int64_t perItem, int64_t rows, int64_t columns,
              int64_t first = 0);

  /// Whether offsets in such a block are that of the block plus constants.
  /// Always so for a block of one element.
  static bool canRead(const layout::StorageLayout &layout, int64_t perItem,
                      int64_t rows, int64_t columns);

  /// Begins a block: (row, column) is its first element.
  void begin(mlir::Value row, mlir::Value column);

  /// min(columns, vectorLanes) neighbours in a row of the block.
  struct Lanes {
    /// A vector of the items that hold them.
    mlir::Value items;
    /// For each lane its place in the item, before `place`.
    llvm::SmallVector<int64_t> places;
    /// Added to all places; null for 0. Of index type.
    mlir::Value place;
  };
  Lanes read(int64_t row, int64_t column);

private:
  /// A vector in a register and the items that it holds.
  struct Register {
    mlir::Value value;
    std::vector<int64_t> items;
  };

  int64_t lanes() const;
  /// Offset of an element from that of the block's first one.
  int64_t relative(int64_t row, int64_t column) const;
  std::vector<int64_t> itemsOf(int64_t row, int64_t column) const;
  mlir::Value indexOf(int64_t item);
  mlir::Value gather(const std::vector<int64_t> &items);
  /// `items` out of one register; null if no register has them all.
  mlir::Value permute(const std::vector<int64_t> &items);
  void loadRegisters();
  void exchangeLanes();
  bool exchange(int64_t high, int64_t low);

  mlir::ImplicitLocOpBuilder &builder;
  const layout::StorageLayout layout;
  mlir::Value storage;
  int64_t perItem, rows, columns, first;
  mlir::Value firstItem, place;
  std::vector<Register> registers;
  std::map<std::vector<int64_t>, mlir::Value> known;
};

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_WNA16TOVECTOR_BLOCKREADER_H
