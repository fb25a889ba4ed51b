//===- TileLayouts.h - which thread holds what ----------------------------===//
//
// The register layouts that assign-layouts and pipeline-loads choose, as
// functions of shapes, storage and number of warps. All are linear layouts from
// (register, lane, warp) to (dim0, dim1).
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_TILELAYOUTS_H
#define WNA16_LIB_LAYOUT_TILELAYOUTS_H

#include "lib/Layout/StorageLayout.h"

#include <array>
#include <optional>

namespace wna16 {

using Shape2 = std::array<int64_t, 2>;

/// The warps that share a product: `n` of them side by side along n, in `m`
/// rows of that many; warp numbers count along n first.
struct WarpGrid {
  int64_t n = 1, m = 1;
};

/// Accumulator (n, m) of mma.m16n8k16 tiles. A warp has at least 16 by 8 of
/// them; warps beyond that hold copies.
layout::LinearLayout accumulatorLayout(int64_t n, int64_t m, WarpGrid warps);

/// Weights (k, n): the A operand of the same product. Warps along m hold the
/// same weights.
layout::LinearLayout weightsLayout(int64_t k, int64_t n, WarpGrid warps);

/// Activations (m, k): the B operand. Warps along n hold the same activations.
layout::LinearLayout activationsLayout(int64_t m, int64_t k, WarpGrid warps);

/// The lanes and warps of `values`, the registers in the order of `storage`, so
/// that neighbouring registers come from neighbouring addresses.
layout::LinearLayout inStorageOrder(const layout::LinearLayout &values,
                                    const layout::StorageLayout &storage);

/// The same for codes in words of `codesPerWord`: where lanes or warps choose
/// between codes of a word, a register has room for those of all.
layout::LinearLayout codesLayout(const layout::LinearLayout &values,
                                 const layout::StorageLayout &storage,
                                 unsigned codesPerWord);

/// Codes unpacked to 16 bits by shifts and masks: the two halves of a register
/// are the codes that lie 16 bits apart in a word of `codesPerWord`.
layout::LinearLayout unpackedLayout(const layout::LinearLayout &codes,
                                    unsigned codesPerWord);

/// The rows of scales (groups, n) that go with `values`, whose coordinate along
/// dimension `dim` is n; registers in the order of `storage`. A row is for
/// `rowsPerGroup` coordinates along the other dimension; 0: for all of them.
layout::LinearLayout scalesLayout(const layout::LinearLayout &values,
                                  unsigned dim,
                                  const layout::StorageLayout &storage,
                                  int64_t rowsPerGroup = 0);

/// A tile spread over all threads along addresses: each thread takes runs of up
/// to `vector` elements that are contiguous in `storage`, neighbouring lanes
/// neighbouring runs. Threads beyond the tile hold copies. Each of `blocks`
/// owns a piece of neighbouring addresses.
layout::LinearLayout blockedLayout(const layout::StorageLayout &storage,
                                   Shape2 shape, int64_t vector, int64_t warps,
                                   int64_t blocks = 1);

/// The same with rows and columns of the result exchanged.
layout::LinearLayout transposedLayout(const layout::LinearLayout &layout);

/// The layout of a part of a tile, or nothing when the part is not a matter of
/// registers alone.
std::optional<layout::LinearLayout>
sliceLayout(const layout::LinearLayout &layout, Shape2 shape);

} // namespace wna16

#endif // WNA16_LIB_LAYOUT_TILELAYOUTS_H
