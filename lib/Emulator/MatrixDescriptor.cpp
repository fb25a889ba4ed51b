//===- MatrixDescriptor.cpp - where wgmma finds its shared operands -------===//
//
// The canonical layouts of the PTX document, in chunks of 16 bytes (W chunks in
// the span of the swizzle, 1 without one):
//
//   K-major   none      ((8, m), 2)      : ((1, SBO), LBO)
//             swizzled  ((8, m), 2)      : ((W, SBO), 1)
//   MN-major  none      (m, (8, k))      : (SBO, (1, LBO))
//             swizzled  ((W, m), (8, k)) : ((1, LBO), (W, SBO))
//
// first the shape (rows, K), then the strides; then the swizzle of the address.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/MatrixDescriptor.h"

namespace wna16::emulator {
namespace {

using Swizzle = TensorMap::Swizzle;

// Encoded as 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes.
constexpr Swizzle swizzles[4] = {Swizzle::None, Swizzle::Bytes128,
                                 Swizzle::Bytes64, Swizzle::Bytes32};
constexpr unsigned leadingShift = 16, strideShift = 32, baseShift = 49,
                   swizzleShift = 62;
constexpr uint64_t fieldMask = 0x3fff;

uint32_t field(uint64_t bits, unsigned shift) {
  return uint32_t(bits >> shift & fieldMask) << 4;
}

} // namespace

MatrixDescriptor MatrixDescriptor::decode(uint64_t bits) {
  MatrixDescriptor result;
  result.start = field(bits, 0);
  result.leadingOffset = field(bits, leadingShift);
  result.strideOffset = field(bits, strideShift);
  result.baseOffset = uint32_t(bits >> baseShift & 7);
  result.swizzle = swizzles[bits >> swizzleShift];
  return result;
}

uint64_t MatrixDescriptor::encode() const {
  uint64_t mode = 0;
  while (swizzles[mode] != swizzle)
    ++mode;
  const auto place = [](uint32_t bytes, unsigned shift) {
    return uint64_t((bytes & addressMask) >> 4) << shift;
  };
  return place(start, 0) | place(leadingOffset, leadingShift) |
         place(strideOffset, strideShift) | uint64_t(baseOffset) << baseShift |
         mode << swizzleShift;
}

bool MatrixDescriptor::wellFormed(uint64_t bits) {
  return decode(bits).encode() == bits;
}

uint32_t MatrixDescriptor::chunkAddressK(unsigned row, unsigned c) const {
  const uint32_t span = chunkBytes << unsigned(swizzle);
  const uint32_t step = swizzle == Swizzle::None ? leadingOffset : chunkBytes;
  return swizzled(start + row % 8 * span + row / 8 * strideOffset + c * step,
                  swizzle, baseOffset);
}

uint32_t MatrixDescriptor::chunkAddressMN(unsigned c, unsigned k) const {
  if (swizzle == Swizzle::None)
    return start + c * strideOffset + k % 8 * chunkBytes +
           k / 8 * leadingOffset;
  const uint32_t chunks = 1u << unsigned(swizzle);
  return swizzled(start + c % chunks * chunkBytes + c / chunks * leadingOffset +
                      k % 8 * chunks * chunkBytes + k / 8 * strideOffset,
                  swizzle, baseOffset);
}

} // namespace wna16::emulator
