//===- Numerics.h - 16-bit floats and exact rounding ----------------------===//
//
// Conversions between fp16, bf16, fp32 and fp64 in every rounding mode, and the
// sum rounded to odd that makes a fused multiply-add of a narrow type correct:
// a value computed in double and rounded once more is not, because the exact
// sum can need more than 53 bits.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_NUMERICS_H
#define WNA16_LIB_EMULATOR_NUMERICS_H

#include <bit>
#include <cstdint>

namespace wna16::emulator {

enum class Rounding : uint8_t { Nearest, Zero, Down, Up };

/// A float of up to 7 mantissa bits less to float, exact but for infinity and
/// NaN: `magnitude` holds its exponent and mantissa in the places of a float's,
/// `rebias` is the difference of the exponent biases. Without selections,
/// around which GCC branches, and without subnormal operands, which take a
/// hundred cycles: loops vectorise and take the same time for all data.
inline uint32_t widenMagnitude(uint32_t magnitude, uint32_t rebias) {
  const uint32_t normal = magnitude + (rebias << 23);
  const uint32_t smallest = (rebias + 1) << 23;
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude + smallest) -
                              std::bit_cast<float>(smallest));
  const uint32_t isSubnormal = uint32_t(int32_t(magnitude - (1 << 23)) >> 31);
  return (normal & ~isSubnormal) | (subnormal & isSubnormal);
}

/// fp16 bits to float, exact.
inline float halfToFloat(uint32_t half) {
  const uint32_t magnitude = (half & 0x7fff) << 13;
  const uint32_t special =
      uint32_t(int32_t(0x0f7fffff - magnitude) >> 31) & 0x7f800000u;
  return std::bit_cast<float>(widenMagnitude(magnitude, 112) | special |
                              (half & 0x8000) << 16);
}

inline float bfloatToFloat(uint32_t bfloat) {
  return std::bit_cast<float>(bfloat << 16);
}

/// float to fp16, nearest even; NaN gives 0x7fff.
inline uint32_t floatToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  // Subnormal results: adding 0.5 lets the FPU round at the right bit.
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
      0x3f000000u;
  const uint32_t odd = magnitude >> 13 & 1;
  const uint32_t normal = (magnitude - (112u << 23) + 0xfff + odd) >> 13;
  uint32_t half = magnitude < (113u << 23) ? subnormal : normal;
  half = magnitude >= 0x477ff000u ? 0x7c00u : half; // rounds to >= 65520
  half = magnitude > 0x7f800000u ? 0x7fffu : half;
  return magnitude > 0x7f800000u ? half : half | sign;
}

/// float to bf16, nearest even; NaN gives 0x7fff.
inline uint32_t floatToBfloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (bits & 0x7fffffff) > 0x7f800000u ? 0x7fffu : rounded;
}

/// Rounds to a binary format with `exponentBits` and `mantissaBits` (its bit
/// pattern is returned); NaN gives all ones but the sign.
template <int exponentBits, int mantissaBits>
uint64_t roundTo(double value, Rounding rounding) {
  constexpr uint64_t infinity = ((uint64_t(1) << exponentBits) - 1)
                                << mantissaBits;
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t sign = bits >> 63 << (exponentBits + mantissaBits);
  const bool negative = bits >> 63;
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  const int exponent = int(bits >> 52 & 0x7ff);
  if (exponent == 0x7ff)
    return fraction ? infinity | ((uint64_t(1) << mantissaBits) - 1)
                    : sign | infinity;
  if (exponent == 0 && fraction == 0)
    return sign;
  if (exponent)
    fraction |= uint64_t(1) << 52;
  // value = fraction * 2^(e - 52), e the unbiased exponent.
  const int e = exponent ? exponent - 1023 : -1022;
  int drop = 52 - mantissaBits;
  int target = e + bias; // biased exponent of the result
  if (target < 1) {
    drop += 1 - target;
    target = 0;
  }
  uint64_t kept = drop > 63 ? 0 : fraction >> drop;
  const uint64_t rest =
      drop > 63 ? fraction : fraction & ((uint64_t(1) << drop) - 1);
  const uint64_t half = drop > 63 ? ~uint64_t(0) : uint64_t(1) << (drop - 1);
  bool up = false;
  switch (rounding) {
  case Rounding::Nearest:
    up = rest > half || (rest == half && (kept & 1));
    break;
  case Rounding::Zero:
    break;
  case Rounding::Down:
    up = negative && rest;
    break;
  case Rounding::Up:
    up = !negative && rest;
    break;
  }
  kept += up;
  // A kept implicit bit adds one to the exponent field by itself.
  uint64_t result =
      target ? (uint64_t(target - 1) << mantissaBits) + kept : kept;
  if (result >= infinity) {
    const bool toInfinity = rounding == Rounding::Nearest ||
                            (rounding == Rounding::Up && !negative) ||
                            (rounding == Rounding::Down && negative);
    result = toInfinity ? infinity : infinity - 1;
  }
  return sign | result;
}

inline uint32_t roundToHalf(double value, Rounding rounding) {
  return uint32_t(roundTo<5, 10>(value, rounding));
}
inline uint32_t roundToBfloat(double value, Rounding rounding) {
  return uint32_t(roundTo<8, 7>(value, rounding));
}
inline float roundToFloat(double value, Rounding rounding) {
  return std::bit_cast<float>(uint32_t(roundTo<8, 23>(value, rounding)));
}

/// An integer of 64 bits to double in any mode.
inline double integerToDouble(int64_t value, bool isSigned, Rounding rounding) {
  const bool negative = isSigned && value < 0;
  const uint64_t magnitude = negative ? 0 - uint64_t(value) : uint64_t(value);
  const int zeros = std::countl_zero(magnitude);
  const int extra = zeros < 11 ? 11 - zeros : 0;
  const uint64_t rest = magnitude & ((uint64_t(1) << extra) - 1);
  const uint64_t half = extra ? uint64_t(1) << (extra - 1) : 1;
  uint64_t kept = magnitude >> extra;
  kept += rounding == Rounding::Nearest
              ? rest > half || (rest == half && (kept & 1))
              : rest && rounding == (negative ? Rounding::Down : Rounding::Up);
  const double result = double(kept) * double(uint64_t(1) << extra);
  return negative ? -result : result;
}

/// a + b rounded to odd: exact, or the neighbour whose last bit is 1. Rounding
/// the result again to a format with at least two bits less is correct.
inline double addToOdd(double a, double b) {
  const double sum = a + b;
  const double bb = sum - a;
  const double error = (a - (sum - bb)) + (b - bb);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  const bool finite = (bits >> 52 & 0x7ff) != 0x7ff;
  if (finite && error != 0 && !(bits & 1))
    // Towards the error: away from zero if both have the same sign.
    bits += (error > 0) == (sum > 0) ? 1 : uint64_t(-1);
  return std::bit_cast<double>(bits);
}

/// Quiet NaN that the hardware's arithmetic produces.
constexpr uint32_t canonicalNan = 0x7fffffffu;

inline float canonicalize(float value) {
  return value != value ? std::bit_cast<float>(canonicalNan) : value;
}
/// f64 arithmetic hands on the last NaN among the operands as they are listed,
/// quiet, and makes the NaN of the processor if there is none. Hardware looks
/// at b before a; fma at b, then c, then a.
template <typename... Operands>
uint64_t propagateNan(uint64_t result, Operands... operands) {
  constexpr uint64_t infinity = uint64_t(0x7ff) << 52;
  constexpr uint64_t magnitude = ~uint64_t(0) >> 1;
  if ((result & magnitude) <= infinity) [[likely]]
    return result;
  for (const uint64_t operand : {uint64_t(operands)...})
    if ((operand & magnitude) > infinity)
      result = operand | uint64_t(1) << 51;
  return result;
}
/// Flushes subnormals to zero of the same sign.
inline float flush(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return bits & 0x7f800000u ? value : std::bit_cast<float>(bits & 0x80000000u);
}

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_NUMERICS_H
