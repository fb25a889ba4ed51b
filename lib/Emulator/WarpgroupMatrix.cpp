//===- WarpgroupMatrix.cpp - the product inside wgmma ---------------------===//
//
// Every element type is converted to double once per operand. The product runs
// over the 16 rows in vectors and keeps two columns of sums in registers.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/WarpgroupMatrix.h"

#include "lib/Emulator/Numerics.h"

#include <cstring>

namespace wna16::emulator {
namespace {

constexpr unsigned rows = WarpgroupTile::rows;
constexpr unsigned rowBytes = MatrixDescriptor::operandBytes;
constexpr unsigned maxK = WarpgroupTile::maxK;

/// Four rows of one column. The loop over rows must stay in registers, which
/// GCC does not find out for plain arrays.
using Rows = double __attribute__((vector_size(32)));
constexpr unsigned rowVectors = rows * sizeof(double) / sizeof(Rows);

/// e4m3 to float, exact: no infinity, NaN is all ones.
[[gnu::always_inline]] inline float e4m3ToFloat(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7f;
  const uint32_t nan = uint32_t(int32_t(0x7e - magnitude) >> 31) & canonicalNan;
  return std::bit_cast<float>(widenMagnitude(magnitude << 20, 120) | nan |
                              (bits & 0x80) << 24);
}

/// One row of an operand: 32 bytes of `Storage`, each through `toFloat`.
template <typename Storage, typename Fn>
[[gnu::always_inline]] inline void convertRow(const uint8_t *raw, double scale,
                                              double *out, Fn toFloat) {
  constexpr unsigned count = rowBytes / sizeof(Storage);
  Storage bits[count];
  std::memcpy(bits, raw, rowBytes);
  float values[count];
  for (unsigned k = 0; k < count; ++k)
    values[k] = toFloat(bits[k]);
  for (unsigned k = 0; k < count; ++k)
    out[k] = double(values[k]) * scale;
}

/// Rows of 32 bytes to rows of `maxK` doubles.
[[gnu::always_inline]] inline void convert(MatrixElement element,
                                           const uint8_t (*raw)[rowBytes],
                                           unsigned count, double scale,
                                           double (*out)[maxK]) {
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
  }
}

double sumAt(const WarpgroupTile &tile, unsigned i, unsigned lane) {
  const AccumulatorPosition at = accumulatorOf(i, lane);
  return tile.sum[at.column][at.row];
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

__attribute__((target_clones("avx2", "default"))) void
WarpgroupTile::convertA(MatrixElement element, double scale) {
  double byRow[rows][maxK];
  convert(element, rawA, rows, scale, byRow);
  for (unsigned k = 0; k < rowBytes / bytesOf(element); ++k)
    for (unsigned r = 0; r < rows; ++r)
      a[k][r] = byRow[r][k];
}

__attribute__((target_clones("avx2", "default"))) void
WarpgroupTile::convertB(MatrixElement element, double scale, unsigned columns) {
  convert(element, rawB, columns, scale, b);
}

__attribute__((target_clones("avx2", "default"))) void
WarpgroupTile::multiply(unsigned columns, unsigned k) {
  for (unsigned n = 0; n < columns; n += 2) {
    Rows even[rowVectors] = {}, odd[rowVectors] = {};
    for (unsigned i = 0; i < k; ++i) {
      const double factorEven = b[n][i], factorOdd = b[n + 1][i];
      for (unsigned v = 0; v < rowVectors; ++v) {
        Rows factor;
        std::memcpy(&factor, &a[i][v * 4], sizeof(Rows));
        even[v] += factor * factorEven;
        odd[v] += factor * factorOdd;
      }
    }
    std::memcpy(sum[n], even, sizeof(even));
    std::memcpy(sum[n + 1], odd, sizeof(odd));
  }
}

void accumulateF32(const WarpgroupTile &tile, unsigned i, const uint32_t *c,
                   uint32_t *out) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    double sum = sumAt(tile, i, lane);
    if (c)
      sum += double(std::bit_cast<float>(c[lane]));
    out[lane] = std::bit_cast<uint32_t>(canonicalize(float(sum)));
  }
}

void accumulateF16(const WarpgroupTile &tile, unsigned i, const uint32_t *c,
                   uint32_t *out) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    out[lane] = 0;
    for (unsigned half = 0; half < 2; ++half) {
      double sum = sumAt(tile, i * 2 + half, lane);
      if (c)
        sum += double(halfToFloat(c[lane] >> (16 * half) & 0xffff));
      out[lane] |= roundToHalf(sum, Rounding::Nearest) << (16 * half);
    }
  }
}

void accumulateS32(const WarpgroupTile &tile, unsigned i, const uint32_t *c,
                   bool saturate, uint32_t *out) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    int64_t sum = int64_t(sumAt(tile, i, lane));
    if (c)
      sum += int32_t(c[lane]);
    if (saturate)
      sum = std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX);
    out[lane] = uint32_t(sum);
  }
}

} // namespace wna16::emulator
