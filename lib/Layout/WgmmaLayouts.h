//===- WgmmaLayouts.h - fragments of warpgroups ---------------------------===//
//
// The register layouts of products that a warpgroup (four warps) computes with
// weights in registers. The instruction has 64 rows; which column of the
// weights a row stands for is free, and chosen so that reading words in
// Marlin's order from shared memory has no bank conflicts:
//
//   - a lane takes as many neighbouring words of a 16x64 tile as its warpgroup
//     has blocks of 64 columns (1, 2 or 4), in one load;
//   - with fewer than four, rows of different parity of g / 2 (g = lane / 4)
//     take different words: word = warp xor (g / 2).
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_WGMMALAYOUTS_H
#define WNA16_LIB_LAYOUT_WGMMALAYOUTS_H

#include "lib/Layout/LinearLayout.h"

#include <cstdint>

namespace wna16 {

/// Columns that a warpgroup multiplies at once, and its warps.
inline constexpr int64_t warpgroupColumns = 64;
inline constexpr int64_t warpgroupWarps = 4;

/// Whether `warps` warps can share `n` columns: whole warpgroups, each with 64
/// columns or more.
bool fitsWarpgroups(int64_t n, int64_t warps);

/// Accumulator (n, m); warpgroups lie along n.
layout::LinearLayout warpgroupAccumulatorLayout(int64_t n, int64_t m,
                                                int64_t warps);

/// Weights (k, n): the operand in registers of the same product.
layout::LinearLayout warpgroupWeightsLayout(int64_t k, int64_t n,
                                            int64_t warps);

} // namespace wna16

#endif // WNA16_LIB_LAYOUT_WGMMALAYOUTS_H
