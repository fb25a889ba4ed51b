//===- WarpgroupMatrix.h - the product inside wgmma -----------------------===//
//
// One warp's part of wgmma.mma_async: 16 rows of A, all of B. Operands arrive
// as raw rows of 32 bytes along K, whatever their type and wherever they lay;
// sums are rounded as Hopper's tensor cores do it (TensorCore.h).
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_WARPGROUPMATRIX_H
#define WNA16_LIB_EMULATOR_WARPGROUPMATRIX_H

#include "lib/Emulator/MatrixDescriptor.h"
#include "lib/Emulator/TensorCore.h"

namespace wna16::emulator {

enum class MatrixElement : uint8_t { F16, BF16, TF32, E4M3, E5M2, S8, U8, B1 };
enum class Accumulator : uint8_t { F32, F16, S32 };

/// 32, 16, 8 or 1.
inline unsigned bitsOf(MatrixElement element) {
  return element == MatrixElement::TF32   ? 32
         : element <= MatrixElement::BF16 ? 16
         : element <= MatrixElement::U8   ? 8
                                          : 1;
}
inline bool isInteger(MatrixElement element) {
  return element >= MatrixElement::S8;
}

struct WarpgroupTile {
  static constexpr unsigned rows = 16, maxColumns = 256;

  /// Operands as they lay: [row of A][byte along K], [column of B][byte along
  /// K].
  alignas(64) uint8_t rawA[rows][MatrixDescriptor::operandBytes];
  alignas(64) uint8_t rawB[maxColumns][MatrixDescriptor::operandBytes];
  /// C, then D: bits of fp32, fp16 or s32.
  alignas(64) uint32_t result[maxColumns][rows];
  /// Values of A (side by side) and B.
  WarpgroupSums operands;

  /// A from four registers of 32 lanes.
  void loadA(const uint32_t *const *registers);
  /// Places 16 bytes of A or B; `chunk.row` counts from the first row held.
  static void place(uint8_t (*raw)[MatrixDescriptor::operandBytes],
                    const OperandChunk &chunk, bool mnMajor,
                    const uint8_t *bytes);

  /// The 32 lanes of register `i` of C; zeros if `c` is null. fp16 registers
  /// hold two elements.
  void loadC(Accumulator type, unsigned i, const uint32_t *c);
  void storeD(Accumulator type, unsigned i, uint32_t *d) const;

  /// Fill `operands`, but not with single bits; `scale` is 1 or -1.
  void convertA(MatrixElement element, float scale);
  void convertB(MatrixElement element, float scale, unsigned columns);

  /// result = a * b + result for floats, after convertA and convertB.
  void multiplyFloats(Accumulator type, MatrixElement elementA,
                      MatrixElement elementB, unsigned columns);
  /// The same for integers, or for single bits combined by and. Sums wrap
  /// around or, with `saturate`, stop at the limits of s32.
  void multiplyIntegers(MatrixElement elementA, unsigned columns,
                        bool saturate);
};

/// Row (of the warp's 16) and column of D that register `i` of `lane` holds, or
/// its half `half` of a packed f16 accumulator.
struct AccumulatorPosition {
  unsigned row, column;
};
inline AccumulatorPosition accumulatorOf(unsigned i, unsigned lane) {
  return {lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2};
}

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_WARPGROUPMATRIX_H
