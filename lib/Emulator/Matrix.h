//===- Matrix.h - the product inside mma ----------------------------------===//
//
// Fragments of 32 lanes to dense matrices and their product in double, where
// products of operands of up to 26 bits are exact.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_MATRIX_H
#define WNA16_LIB_EMULATOR_MATRIX_H

#include <cstdint>

namespace wna16::emulator {

/// Element types of the operands.
enum class MmaElement : uint8_t {
  F16,
  BF16,
  TF32,
  E4M3,
  E5M2,
  E3M2,
  E2M3,
  E2M1
};

/// Elements in 32 bits. 6- and 4-bit types have 8-bit containers (.kind::
/// f8f6f4), e2m1 in bits 2 to 5.
unsigned elementsPerRegister(MmaElement element);

struct MmaTile {
  alignas(64) double a[16][32]; ///< [row][k]
  alignas(64) double b[32][8];  ///< [k][column]
  alignas(64) double sum[16 * 8];
};

/// Unpacks the registers of A and B of an m16n8 mma of depth `k`. With e
/// elements in a register, A has k / (2 e) and B k / (4 e) of them; lane 4 g +
/// t holds e neighbours along K from t e of row g (+ 8 in odd registers of A).
void loadFragments(const uint32_t *const *a, const uint32_t *const *b,
                   unsigned k, MmaElement elementA, MmaElement elementB,
                   MmaTile &tile);

/// sum = a * b over the first `k`.
void multiply(MmaTile &tile, unsigned k);

/// Register `i` (0 to 3) of D: the sums plus C, rounded once to fp32.
void addAccumulator(const MmaTile &tile, unsigned i, const uint32_t *c,
                    uint32_t *d);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_MATRIX_H
