//===- Matrix.h - the product inside mma ----------------------------------===//
//
// Fragments of 32 lanes to dense matrices and their product, as Hopper's tensor
// cores round it (TensorCore.h).
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_MATRIX_H
#define WNA16_LIB_EMULATOR_MATRIX_H

#include "lib/Emulator/TensorCore.h"

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

/// Unpacks the registers of A and B of an m16n8 mma of depth `k` and prepares
/// the tile. With e elements in a register, A has k / (2 e) and B k / (4 e) of
/// them; lane 4 g + t holds e neighbours along K from t e of row g (+ 8 in odd
/// registers of A).
void loadFragments(const uint32_t *const *a, const uint32_t *const *b,
                   unsigned k, MmaElement elementA, MmaElement elementB,
                   MmaSums &tile);

/// D = A * B + C, 16 rows of 8 columns; D in bits of fp32 or, if `half`, of
/// fp16.
void multiplyAdd(const MmaSums &tile, unsigned k, MmaElement elementA,
                 bool half, const float *c, uint32_t *d);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_MATRIX_H
