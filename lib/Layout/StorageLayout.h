//===- StorageLayout.h - where an element of a matrix is stored -----------===//
//
// A storage layout is a linear layout inside a tile of power-of-two size, plus
// a strided grid of such tiles. Offsets count elements (a 4-bit code is one
// element: word = offset / 8, nibble = offset % 8).
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_STORAGELAYOUT_H
#define WNA16_LIB_LAYOUT_STORAGELAYOUT_H

#include "lib/Layout/LinearLayout.h"

#include <array>

namespace wna16::layout {

class StorageLayout {
public:
  /// `tile` maps "offset" to {"dim0", "dim1"} and is a bijection. `strides` are
  /// the distances, in elements, between neighbouring tiles along each
  /// dimension. `shape` must be a multiple of the tile in both dimensions,
  /// except that a negative extent means "dynamic" (only its stride is used).
  StorageLayout(LinearLayout tile, std::array<int64_t, 2> shape,
                std::array<int64_t, 2> strides);

  const LinearLayout &tile() const { return tileLayout; }
  /// {"dim0", "dim1"} -> "offset" inside one tile.
  const LinearLayout &tileInverse() const { return inverse; }
  std::array<int64_t, 2> tileShape() const;
  std::array<int64_t, 2> shape() const { return extents; }
  std::array<int64_t, 2> strides() const { return gridStrides; }

  /// Element offset of (i, j); for tests and CPU loops.
  int64_t offset(int64_t i, int64_t j) const;
  /// Number of elements that the storage spans (padding of a pitch included).
  int64_t span() const;

  bool operator==(const StorageLayout &) const = default;

private:
  LinearLayout tileLayout, inverse;
  std::array<int64_t, 2> extents, gridStrides;
};

} // namespace wna16::layout

#endif // WNA16_LIB_LAYOUT_STORAGELAYOUT_H
