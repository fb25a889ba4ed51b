//===- MatrixDescriptor.h - where wgmma finds its shared operands ---------===//
//
// The 64-bit descriptor of a matrix in shared memory. Per instruction an
// operand is a matrix of rows (M of A, N of B) with 32 bytes along K. In
// shared memory it is made of 16-byte chunks: along K ("K-major") or, for
// 16-bit elements only, along the rows ("MN-major", the transposed form).
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_MATRIXDESCRIPTOR_H
#define WNA16_LIB_EMULATOR_MATRIXDESCRIPTOR_H

#include "lib/Emulator/Swizzle.h"

namespace wna16::emulator {

/// 16 bytes of an operand: elements from (row, byte `column` along K) onwards,
/// along K or, if MN-major, 8 elements of 2 bytes along the rows.
struct OperandChunk {
  uint32_t address;
  unsigned row, column;
};

struct MatrixDescriptor {
  /// Bytes along K of every operand: k8 tf32, k16 f16 and bf16, k32 of 8 bits.
  static constexpr unsigned operandBytes = 32;
  /// Start address and offsets have 18 bits, the lowest four of them zero.
  static constexpr uint32_t addressMask = 0x3fff0;

  uint32_t start = 0;
  /// K-major: between the two chunks of a row, without swizzle only. MN-major:
  /// between groups of as many chunks as the swizzle permutes; without swizzle
  /// between 8 elements along K and the next 8.
  uint32_t leadingOffset = 0;
  /// K-major: between 8 rows and the next 8. MN-major: between 8 elements along
  /// K and the next 8; without swizzle between chunks along the rows.
  uint32_t strideOffset = 0;
  /// Line of 128 bytes, modulo 8, at which the swizzle pattern starts.
  uint32_t baseOffset = 0;
  TensorMap::Swizzle swizzle = TensorMap::Swizzle::None;

  static MatrixDescriptor decode(uint64_t bits);
  uint64_t encode() const;
  /// No bit outside the five fields is set: an address that overflowed its 14
  /// bits while a kernel advanced the descriptor, for example.
  static bool wellFormed(uint64_t bits);

  /// Chunk `c` (0, 1) of row `row` of a K-major operand.
  uint32_t chunkAddressK(unsigned row, unsigned c) const;
  /// Rows 8 * c to 8 * c + 7 at index `k` of an MN-major operand.
  uint32_t chunkAddressMN(unsigned c, unsigned k) const;

  /// Calls `chunk(OperandChunk)` for rows [row, row + count), multiples of 8.
  template <typename Fn>
  void forEachChunk(bool mnMajor, unsigned row, unsigned count,
                    Fn chunk) const {
    if (!mnMajor) {
      for (unsigned r = row; r < row + count; ++r)
        for (unsigned c = 0; c < 2; ++c)
          chunk(OperandChunk{chunkAddressK(r, c), r, c * chunkBytes});
      return;
    }
    for (unsigned k = 0; k < operandBytes / 2; ++k)
      for (unsigned r = row; r < row + count; r += 8)
        chunk(OperandChunk{chunkAddressMN(r / 8, k), r, k * 2});
  }

  /// Calls `range(address, bytes)` for the same bytes, neighbours together.
  template <typename Fn>
  void forEachRange(bool mnMajor, unsigned row, unsigned count,
                    Fn range) const {
    uint32_t begin = 0, end = 0;
    forEachChunk(mnMajor, row, count, [&](const OperandChunk &chunk) {
      if (begin != end && chunk.address == end) {
        end += chunkBytes;
      } else if (begin != end && chunk.address + chunkBytes == begin) {
        begin -= chunkBytes;
      } else {
        if (begin != end)
          range(begin, end - begin);
        begin = chunk.address;
        end = begin + chunkBytes;
      }
    });
    if (begin != end)
      range(begin, end - begin);
  }
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_MATRIXDESCRIPTOR_H
