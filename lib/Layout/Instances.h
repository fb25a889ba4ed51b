//===- Instances.h - the layouts that formats and instructions define -----===//
//
// Logical coordinates are (dim0, dim1) = (k, n) for weights, (k / group, n) for
// scales and zero points, (m, k) for activations, (m, n) for outputs and (row,
// column) for instruction operands.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_INSTANCES_H
#define WNA16_LIB_LAYOUT_INSTANCES_H

#include "lib/Layout/StorageLayout.h"

namespace wna16::layout {

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

/// Row-major, `pitch` elements from row to row (0: the number of columns).
StorageLayout rowMajor(int64_t rows, int64_t columns, int64_t pitch = 0);

/// compressed-tensors pack-quantized words, int32 [N][K * bits / 32]: codes
/// along K, low bits first. `bits` must divide 32, K * bits be a multiple
/// of 32.
StorageLayout compressedTensorsWeights(int64_t k, int64_t n, unsigned bits);

/// GPTQ words, int32 [K * bits / 32][N]: codes along K, low bits first. The
/// same condition.
StorageLayout gptqWeights(int64_t k, int64_t n, unsigned bits);

/// AWQ words, int32 [K][N / 8]: 4-bit codes along N, those of a word in the
/// order 0, 2, 4, 6, 1, 3, 5, 7.
StorageLayout awqWeights(int64_t k, int64_t n, unsigned bits);

/// The widths of the planes that codes of 1 to 8 bits are stored in for
/// kernels, low bits first: powers of two that add up to `bits`.
std::vector<unsigned> planesOf(unsigned bits);

/// Marlin weights for 16-bit activations, int32 [K/16][N * 16 * bits / 32],
/// tiles of 16 x 64 in lane order. bits = 1, 2, 4, 8; K % 16 == 0,
/// N % 64 == 0. Other widths are stored in planes of these.
StorageLayout marlinWeights(int64_t k, int64_t n, unsigned bits);

/// GPTQ zero points, int32 [G][N * bits / 32]: codes along N, low bits first.
StorageLayout gptqZeros(int64_t groups, int64_t n, unsigned bits);

/// AWQ zero points, int32 [G][N / 8], in the order of AWQ weights.
StorageLayout awqZeros(int64_t groups, int64_t n, unsigned bits);

/// compressed-tensors zero points, int32 [N * bits / 32][G]: codes along N,
/// low bits first.
StorageLayout compressedTensorsZeros(int64_t groups, int64_t n, unsigned bits);

/// Marlin's zero points, int32 [G][N * bits / 32]: the order of its grouped
/// scales, codes interleaved as in weights. bits = 4, 8.
StorageLayout marlinZeros(int64_t groups, int64_t n, unsigned bits);

/// Marlin's order of grouped scales: an 8x8 transpose in every 64 columns.
StorageLayout marlinGroupedScales(int64_t groups, int64_t n);

/// Marlin's order of one scale per column and of a bias: in every 32 columns,
/// pairs in the order of the accumulators of a lane.
StorageLayout marlinChannelScales(int64_t groups, int64_t n);

/// [N][G] scales of compressed-tensors, seen as (g, n).
StorageLayout compressedTensorsScales(int64_t groups, int64_t n);

//===----------------------------------------------------------------------===//
// Instruction operands: {register, lane} -> {dim0, dim1}
// "register" counts elements, so two 16-bit elements share one 32-bit register.
//===----------------------------------------------------------------------===//

/// A of mma.m16n8k16, 16-bit: (row, k), 8 elements per lane.
LinearLayout mmaA16x16();
/// B of mma.m16n8k16, 16-bit: (k, column), 4 elements per lane.
LinearLayout mmaB16x8();
/// C/D of mma.m16n8k16, fp32: (row, column), 4 elements per lane.
LinearLayout mmaC16x8();
/// Result of ldmatrix.m8n8.x4.b16 on one 8 x 32 block whose four matrices lie
/// side by side: {register, lane} -> (row, column).
LinearLayout ldmatrixX4();

/// Shared-memory swizzle of a row-major [rows][columns] block of 16-bit
/// elements: 16-byte chunk c of row r is stored at chunk c ^ (r % span).
/// Powers of two; maps "offset" to {dim0 = rows, dim1 = columns}.
LinearLayout xorSwizzle(uint32_t rows, uint32_t columns, uint32_t span);

/// Columns of 16-bit elements in a panel of a 128-byte swizzle, and the bytes
/// after which its pattern repeats.
inline constexpr int64_t swizzlePanelColumns = 64;
inline constexpr int64_t swizzlePatternBytes = 1024;

/// 16-bit elements in panels of 64 columns, one after the other; in each, chunk
/// c of row r is stored at chunk c ^ (r % 8). What asynchronous products and
/// tensor copies call a swizzle of 128 bytes.
StorageLayout swizzledPanels(int64_t rows, int64_t columns);

} // namespace wna16::layout

#endif // WNA16_LIB_LAYOUT_INSTANCES_H
