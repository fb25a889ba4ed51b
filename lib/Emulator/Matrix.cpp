//===- Matrix.cpp - the product inside mma --------------------------------===//
//
// Lane 4 * g + t holds, per register, two neighbouring elements along K.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Matrix.h"

#include "lib/Emulator/Numerics.h"

namespace wna16::emulator {
namespace {

/// Both halves of 32 registers as floats: out[half][lane].
[[gnu::always_inline]] inline void unpack(const uint32_t *row, bool bfloat,
                                          float out[2][32]) {
  if (bfloat) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      out[0][lane] = bfloatToFloat(row[lane] & 0xffff);
      out[1][lane] = bfloatToFloat(row[lane] >> 16);
    }
    return;
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    out[0][lane] = halfToFloat(row[lane] & 0xffff);
    out[1][lane] = halfToFloat(row[lane] >> 16);
  }
}

} // namespace

__attribute__((target_clones("arch=haswell", "default"))) void
loadFragments(const uint32_t *const *a, const uint32_t *const *b, unsigned k,
              bool bfloat, MmaTile &tile) {
  float values[2][32];
  for (unsigned i = 0; i < k / 4; ++i) {
    unpack(a[i], bfloat, values);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned half = 0; half < 2; ++half)
        tile.a[lane / 4 + i % 2 * 8][lane % 4 * 2 + half + i / 2 * 8] =
            double(values[half][lane]);
  }
  for (unsigned i = 0; i < k / 8; ++i) {
    unpack(b[i], bfloat, values);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned half = 0; half < 2; ++half)
        tile.b[lane % 4 * 2 + half + i * 8][lane / 4] =
            double(values[half][lane]);
  }
}

__attribute__((target_clones("arch=haswell", "default"))) void
multiply(MmaTile &tile, unsigned k) {
  for (unsigned row = 0; row < 16; ++row) {
    double sum[8] = {};
    for (unsigned i = 0; i < k; ++i) {
      const double factor = tile.a[row][i];
      for (unsigned column = 0; column < 8; ++column)
        sum[column] += factor * tile.b[i][column];
    }
    for (unsigned column = 0; column < 8; ++column)
      tile.sum[row][column] = sum[column];
  }
}

} // namespace wna16::emulator
