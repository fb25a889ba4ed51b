//===- Matrix.h - the product inside mma ----------------------------------===//
//
// Fragments of 32 lanes to dense matrices and their product in double, where
// products of 16-bit floats are exact.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_MATRIX_H
#define WNA16_LIB_EMULATOR_MATRIX_H

#include <cstdint>

namespace wna16::emulator {

struct MmaTile {
  alignas(64) double a[16][16]; ///< [row][k]
  alignas(64) double b[16][8];  ///< [k][column]
  alignas(64) double sum[16][8];
};

/// Unpacks the registers of A (k / 4 rows of 32 lanes) and B (k / 8) of
/// mma.m16n8k8 or m16n8k16, fp16 or bf16.
void loadFragments(const uint32_t *const *a, const uint32_t *const *b,
                   unsigned k, bool bfloat, MmaTile &tile);

/// sum = a * b over the first `k`.
void multiply(MmaTile &tile, unsigned k);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_MATRIX_H
