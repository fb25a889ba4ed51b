//===- WarpgroupMatrix.cpp - the product inside wgmma ---------------------===//
//
// Every element is converted to fp32 once, exactly: integers, too, whose sums
// of 32 products need fewer than 24 bits.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/WarpgroupMatrix.h"

#include "lib/Emulator/Numerics.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace wna16::emulator {
namespace {

constexpr unsigned rows = WarpgroupTile::rows;
constexpr unsigned rowBytes = MatrixDescriptor::operandBytes;
constexpr unsigned maxK = 32;

/// e4m3 to float, exact: no infinity, NaN is all ones.
[[gnu::always_inline]] inline float e4m3ToFloat(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7f;
  const uint32_t nan = uint32_t(int32_t(0x7e - magnitude) >> 31) & canonicalNan;
  return std::bit_cast<float>(widenMagnitude(magnitude << 20, 120) | nan |
                              (bits & 0x80) << 24);
}

/// One row of an operand: 32 bytes of `Storage`, each through `toFloat`.
template <typename Storage, typename Fn>
[[gnu::always_inline]] inline void convertRow(const uint8_t *raw, float scale,
                                              float *out, Fn toFloat) {
  constexpr unsigned count = rowBytes / sizeof(Storage);
  Storage bits[count];
  std::memcpy(bits, raw, rowBytes);
  float values[count];
  for (unsigned k = 0; k < count; ++k)
    values[k] = toFloat(bits[k]);
  for (unsigned k = 0; k < count; ++k)
    out[k] = values[k] * scale;
}

/// Rows of 32 bytes to rows of `maxK` doubles.
[[gnu::always_inline]] inline void convert(MatrixElement element,
                                           const uint8_t (*raw)[rowBytes],
                                           unsigned count, float scale,
                                           float (*out)[maxK]) {
  switch (element) {
  case MatrixElement::F16:
    for (unsigned r = 0; r < count; ++r)
      convertRow<uint16_t>(raw[r], scale, out[r],
                           [](uint32_t x) { return halfToFloat(x); });
    return;
  case MatrixElement::BF16:
    for (unsigned r = 0; r < count; ++r)
      convertRow<uint16_t>(raw[r], scale, out[r],
                           [](uint32_t x) { return bfloatToFloat(x); });
    return;
  case MatrixElement::TF32:
    // The hardware ignores the 13 lowest bits.
    for (unsigned r = 0; r < count; ++r)
      convertRow<uint32_t>(raw[r], scale, out[r], [](uint32_t x) {
        return std::bit_cast<float>(x & ~0x1fffu);
      });
    return;
  case MatrixElement::E4M3:
    for (unsigned r = 0; r < count; ++r)
      convertRow<uint8_t>(raw[r], scale, out[r],
                          [](uint32_t x) { return e4m3ToFloat(x); });
    return;
  case MatrixElement::E5M2:
    for (unsigned r = 0; r < count; ++r)
      convertRow<uint8_t>(raw[r], scale, out[r],
                          [](uint32_t x) { return halfToFloat(x << 8); });
    return;
  case MatrixElement::S8:
    for (unsigned r = 0; r < count; ++r)
      convertRow<int8_t>(raw[r], scale, out[r],
                         [](int32_t x) { return float(x); });
    return;
  case MatrixElement::U8:
    for (unsigned r = 0; r < count; ++r)
      convertRow<uint8_t>(raw[r], scale, out[r],
                          [](uint32_t x) { return float(x); });
    return;
  case MatrixElement::B1:
    return;
  }
}

int leastExponent(MatrixElement element) {
  switch (element) {
  case MatrixElement::BF16:
  case MatrixElement::TF32:
    return leastExponentF32;
  case MatrixElement::E4M3:
    return leastExponentE4M3;
  default:
    return leastExponentF16;
  }
}

uint32_t commonBits(const uint8_t *a, const uint8_t *b) {
  uint64_t wordsA[4], wordsB[4];
  std::memcpy(wordsA, a, rowBytes);
  std::memcpy(wordsB, b, rowBytes);
  uint32_t count = 0;
  for (unsigned i = 0; i < 4; ++i)
    count += uint32_t(std::popcount(wordsA[i] & wordsB[i]));
  return count;
}

} // namespace

void WarpgroupTile::loadA(const uint32_t *const *registers) {
  // Register i holds four bytes of row g + 8 * (i % 2), where lane = 4 * g + t,
  // from byte 16 * (i / 2) + 4 * t on.
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned lane = 0; lane < 32; ++lane)
      std::memcpy(rawA[lane / 4 + i % 2 * 8] + i / 2 * 16 + lane % 4 * 4,
                  &registers[i][lane], 4);
}

void WarpgroupTile::place(uint8_t (*raw)[rowBytes], const OperandChunk &chunk,
                          bool mnMajor, const uint8_t *bytes) {
  if (!mnMajor) {
    std::memcpy(raw[chunk.row] + chunk.column, bytes, chunkBytes);
    return;
  }
  for (unsigned i = 0; i < 8; ++i)
    std::memcpy(raw[chunk.row + i] + chunk.column, bytes + 2 * i, 2);
}

void WarpgroupTile::loadC(Accumulator type, unsigned i, const uint32_t *c) {
  const bool packed = type == Accumulator::F16;
  for (unsigned half = 0; half < (packed ? 2 : 1); ++half)
    for (unsigned lane = 0; lane < 32; ++lane) {
      const AccumulatorPosition at =
          accumulatorOf(packed ? i * 2 + half : i, lane);
      const uint32_t bits = c ? c[lane] : 0;
      result[at.column][at.row] = packed ? bits >> (16 * half) & 0xffff : bits;
    }
}

void WarpgroupTile::storeD(Accumulator type, unsigned i, uint32_t *d) const {
  const bool packed = type == Accumulator::F16;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const AccumulatorPosition at = accumulatorOf(packed ? i * 2 : i, lane);
    d[lane] = result[at.column][at.row];
    if (packed)
      d[lane] |= result[at.column + 1][at.row] << 16;
  }
}

__attribute__((target_clones("arch=x86-64-v3", "default"))) void
WarpgroupTile::convertA(MatrixElement element, float scale) {
  if (element == MatrixElement::B1)
    return;
  float byRow[rows][maxK];
  convert(element, rawA, rows, scale, byRow);
  for (unsigned k = 0; k < rowBytes * 8 / bitsOf(element); ++k)
    for (unsigned r = 0; r < rows; ++r)
      operands.wide[k][r] = byRow[r][k];
}

__attribute__((target_clones("arch=x86-64-v3", "default"))) void
WarpgroupTile::convertB(MatrixElement element, float scale, unsigned columns) {
  convert(element, rawB, columns, scale, operands.narrow);
}

void WarpgroupTile::multiplyFloats(Accumulator type, MatrixElement elementA,
                                   MatrixElement elementB, unsigned columns) {
  const unsigned k = rowBytes * 8 / bitsOf(elementA);
  const bool half = type == Accumulator::F16;
  const TensorCoreRule rule{half, bitsOf(elementA) == 8};
  operands.prepare(k, columns, leastExponent(elementA),
                   leastExponent(elementB));
  for (unsigned n = 0; n < columns; n += tensorVectors) {
    float c[tensorVectors][rows];
    if (half)
      for (unsigned v = 0; v < tensorVectors; ++v)
        for (unsigned r = 0; r < rows; ++r)
          c[v][r] = halfToFloat(result[n + v][r]);
    else
      std::memcpy(c, result[n], sizeof(c));
    operands.sum(rule, 0, k, n, c[0], result[n]);
  }
}

__attribute__((target_clones("arch=x86-64-v3", "default"))) void
WarpgroupTile::multiplyIntegers(MatrixElement elementA, unsigned columns,
                                bool saturate) {
  for (unsigned n = 0; n < columns; ++n) {
    float sums[rows] = {};
    for (unsigned k = 0; k < rowBytes && elementA != MatrixElement::B1; ++k)
      for (unsigned r = 0; r < rows; ++r)
        sums[r] += operands.wide[k][r] * operands.narrow[n][k];
    for (unsigned r = 0; r < rows; ++r) {
      int64_t sum = int32_t(result[n][r]);
      sum += elementA == MatrixElement::B1
                 ? int64_t(commonBits(rawA[r], rawB[n]))
                 : int64_t(sums[r]);
      if (saturate)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      result[n][r] = uint32_t(sum);
    }
  }
}

} // namespace wna16::emulator
