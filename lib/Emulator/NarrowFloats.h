//===- NarrowFloats.h - 8-, 6- and 4-bit floats and tf32 ------------------===//
//
// The formats of quantised kernels: e4m3, e5m2, e3m2, e2m3, e2m1, the scale
// ue8m0 and tf32. Every value of them is exact in double; conversions to them
// round once and saturate to the largest finite number, as their .satfinite
// does.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_NARROWFLOATS_H
#define WNA16_LIB_EMULATOR_NARROWFLOATS_H

#include "lib/Emulator/Numerics.h"

#include <optional>
#include <string_view>

namespace wna16::emulator {

enum class Narrow : uint8_t { E4M3, E5M2, E3M2, E2M3, E2M1, UE8M0 };

struct NarrowFormat {
  std::string_view name;
  uint8_t bits;    ///< of the value
  uint8_t storage; ///< of its container in a packed register
  uint8_t exponentBits, mantissaBits;
  int bias;
  uint32_t largest; ///< bits of the largest finite number
  uint32_t nan;     ///< canonical; 0: the format has none
  bool hasInfinity; ///< all numbers of the highest exponent are special
};

const NarrowFormat &narrowFormat(Narrow type);
/// The format called `name` ("e4m3"), if it is one.
std::optional<Narrow> parseNarrow(std::string_view name);

/// The value of the low bits of `bits`, exactly.
double narrowToDouble(Narrow type, uint32_t bits);

/// Nearest even, saturating. NaN becomes NaN, or the largest number where the
/// format has none. Not for ue8m0.
uint32_t roundToNarrow(Narrow type, double value);

/// ue8m0 keeps the exponent of |value|, rounded to Zero or Up. Without
/// `saturate` overflow and infinity become NaN.
uint32_t roundToScale(double value, Rounding rounding, bool saturate);

/// fp32 bits to tf32, whose 13 lowest bits are zero. `away`: to nearest, ties
/// away from zero (.rna) instead of `rounding`.
uint32_t roundToTf32(uint32_t bits, Rounding rounding, bool away,
                     bool saturate);

/// What mma reads of a tf32 operand: the 13 lowest bits do not matter.
inline float tf32ToFloat(uint32_t bits) {
  return std::bit_cast<float>(bits & 0xffffe000u);
}

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_NARROWFLOATS_H
