//===- WarpgroupMatrix.h - the product inside wgmma -----------------------===//
//
// One warp's part of wgmma.mma_async: 16 rows of A, all of B. Operands arrive
// as raw rows of 32 bytes along K, whatever their type and wherever they lay;
// products are exact in double, are summed in double, and the sum is rounded
// once per instruction. Hardware sums in another order and with fewer bits.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_WARPGROUPMATRIX_H
#define WNA16_LIB_EMULATOR_WARPGROUPMATRIX_H

#include "lib/Emulator/MatrixDescriptor.h"

namespace wna16::emulator {

enum class MatrixElement : uint8_t { F16, BF16, TF32, E4M3, E5M2, S8, U8 };

/// 4, 2 or 1.
inline unsigned bytesOf(MatrixElement element) {
  return element == MatrixElement::TF32   ? 4
         : element <= MatrixElement::BF16 ? 2
                                          : 1;
}

struct WarpgroupTile {
  static constexpr unsigned rows = 16, maxColumns = 256, maxK = 32;

  /// Operands as they lay: [row of A][byte along K], [column of B][byte along
  /// K].
  alignas(64) uint8_t rawA[rows][MatrixDescriptor::operandBytes];
  alignas(64) uint8_t rawB[maxColumns][MatrixDescriptor::operandBytes];
  /// By convertA, convertB and multiply.
  alignas(64) double a[maxK][rows];
  alignas(64) double b[maxColumns][maxK];
  alignas(64) double sum[maxColumns][rows];

  /// A from four registers of 32 lanes.
  void loadA(const uint32_t *const *registers);
  /// Places 16 bytes of A or B; `chunk.row` counts from the first row held.
  static void place(uint8_t (*raw)[MatrixDescriptor::operandBytes],
                    const OperandChunk &chunk, bool mnMajor,
                    const uint8_t *bytes);

  /// `scale` is 1 or -1.
  void convertA(MatrixElement element, double scale);
  void convertB(MatrixElement element, double scale, unsigned columns);

  /// sum = a * b with `k` elements along K.
  void multiply(unsigned columns, unsigned k);
};

/// Row (of the warp's 16) and column of D that register `i` of `lane` holds, or
/// its half `half` of a packed f16 accumulator.
struct AccumulatorPosition {
  unsigned row, column;
};
inline AccumulatorPosition accumulatorOf(unsigned i, unsigned lane) {
  return {lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2};
}
inline AccumulatorPosition packedAccumulatorOf(unsigned i, unsigned half,
                                               unsigned lane) {
  return accumulatorOf(i * 2 + half, lane);
}

/// The 32 lanes of accumulator register `i`: sum + c, or the sum alone if `c`
/// is null.
void accumulateF32(const WarpgroupTile &tile, unsigned i, const uint32_t *c,
                   uint32_t *out);
/// Register `i` of packed f16 accumulators.
void accumulateF16(const WarpgroupTile &tile, unsigned i, const uint32_t *c,
                   uint32_t *out);
/// Integers wrap around or, with `saturate`, stop at the limits of s32.
void accumulateS32(const WarpgroupTile &tile, unsigned i, const uint32_t *c,
                   bool saturate, uint32_t *out);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_WARPGROUPMATRIX_H
