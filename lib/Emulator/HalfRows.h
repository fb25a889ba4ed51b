//===- HalfRows.h - rows of 16-bit float arithmetic -----------------------===//
//
// Dequantisation is made of packed fp16 and bf16 arithmetic, so these loops
// over 32 lanes are written for the machine's vector unit. All results are
// correctly rounded, NaN is 0x7fff.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_HALFROWS_H
#define WNA16_LIB_EMULATOR_HALFROWS_H

#include <cstdint>

namespace wna16::emulator {

/// Min and Max: a NaN loses, -0 < +0.
enum class HalfOp : uint8_t { Add, Sub, Mul, Min, Max };

/// out = a op b in the lower halves, and in the upper ones if `packed` (they
/// are zero otherwise).
void halfRow(HalfOp op, const uint32_t *a, const uint32_t *b, bool packed,
             uint32_t *out);
void bfloatRow(HalfOp op, const uint32_t *a, const uint32_t *b, bool packed,
               uint32_t *out);
/// out = a * b + c, rounded once.
void halfFmaRow(const uint32_t *a, const uint32_t *b, const uint32_t *c,
                bool packed, uint32_t *out);
void bfloatFmaRow(const uint32_t *a, const uint32_t *b, const uint32_t *c,
                  bool packed, uint32_t *out);

/// The 64 fp16 values of 32 registers in memory order: out[2 i] is the lower
/// half of register i.
void halvesToFloats(const uint32_t *row, float *out);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_HALFROWS_H
