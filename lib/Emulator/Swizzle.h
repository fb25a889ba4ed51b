//===- Swizzle.h - the order of 16-byte chunks in shared memory -----------===//
//
// Tensor copies write and wgmma reads shared memory through the same
// permutation: within a line of 128 bytes the index of a 16-byte chunk is xored
// with the index of the line. Both come from the absolute shared address, so
// the pattern does not move with the buffer.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_SWIZZLE_H
#define WNA16_LIB_EMULATOR_SWIZZLE_H

#include "lib/Emulator/TensorMap.h"

namespace wna16::emulator {

constexpr uint32_t chunkBytes = 16;

/// Bits of the chunk index that `swizzle` changes: 0, 1, 3 or 7.
inline uint32_t swizzleMask(TensorMap::Swizzle swizzle) {
  return (1u << unsigned(swizzle)) - 1;
}

/// Bytes after which the pattern repeats: 256, 512 or 1024; 16 without one.
inline uint32_t swizzleRepeat(TensorMap::Swizzle swizzle) {
  return swizzle == TensorMap::Swizzle::None ? chunkBytes
                                             : 128u << unsigned(swizzle);
}

/// Where the byte lies that an unswizzled layout has at `address`. `firstLine`
/// is the line (address / 128) at which the pattern starts.
inline uint32_t swizzled(uint32_t address, TensorMap::Swizzle swizzle,
                         uint32_t firstLine = 0) {
  const uint32_t line = ((address >> 7) - firstLine) & swizzleMask(swizzle);
  return address ^ line << 4;
}

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_SWIZZLE_H
