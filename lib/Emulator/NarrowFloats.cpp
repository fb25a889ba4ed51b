//===- NarrowFloats.cpp - 8-, 6- and 4-bit floats and tf32 ----------------===//
//
// One table of formats; rounding works on multiples of the unit in the last
// place, which double holds exactly.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/NarrowFloats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wna16::emulator {

const NarrowFormat &narrowFormat(Narrow type) {
  static constexpr NarrowFormat formats[] = {
      {"e4m3", 8, 8, 4, 3, 7, 0x7e, 0x7f, false},
      {"e5m2", 8, 8, 5, 2, 15, 0x7b, 0x7f, true},
      {"e3m2", 6, 8, 3, 2, 3, 0x1f, 0, false},
      {"e2m3", 6, 8, 2, 3, 1, 0x1f, 0, false},
      {"e2m1", 4, 4, 2, 1, 1, 0x07, 0, false},
      {"ue8m0", 8, 8, 8, 0, 127, 0xfe, 0xff, false}};
  return formats[static_cast<unsigned>(type)];
}

std::optional<Narrow> parseNarrow(std::string_view name) {
  for (unsigned i = 0; i <= unsigned(Narrow::UE8M0); ++i)
    if (narrowFormat(Narrow(i)).name == name)
      return Narrow(i);
  return std::nullopt;
}

double narrowToDouble(Narrow type, uint32_t bits) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const NarrowFormat &f = narrowFormat(type);
  if (type == Narrow::UE8M0)
    return (bits & 0xff) == 0xff ? nan
                                 : std::ldexp(1.0, int(bits & 0xff) - 127);
  const uint32_t magnitude = bits & ((1u << (f.bits - 1)) - 1);
  const bool negative = bits >> (f.bits - 1) & 1;
  const uint32_t exponent = magnitude >> f.mantissaBits;
  const uint32_t mantissa = magnitude & ((1u << f.mantissaBits) - 1);
  if (f.nan && magnitude > f.largest) {
    if (!f.hasInfinity || mantissa)
      return nan;
    return negative ? -INFINITY : INFINITY;
  }
  const double significand =
      exponent ? double(mantissa | 1u << f.mantissaBits) : double(mantissa);
  const double value = std::ldexp(significand, int(exponent ? exponent : 1) -
                                                   f.bias - f.mantissaBits);
  return negative ? -value : value;
}

uint32_t roundToNarrow(Narrow type, double value) {
  const NarrowFormat &f = narrowFormat(type);
  if (value != value)
    return f.nan ? f.nan : f.largest;
  const uint32_t sign = uint32_t(std::signbit(value)) << (f.bits - 1);
  const double magnitude = std::fabs(value);
  if (magnitude >= narrowToDouble(type, f.largest))
    return sign | f.largest;
  // The unit in the last place; subnormals have that of the lowest exponent.
  int exponent = 1 - f.bias;
  if (magnitude > 0)
    exponent = std::max(exponent, std::ilogb(magnitude));
  const int unit = exponent - f.mantissaBits;
  // Up to 2^(mantissaBits + 1) units: exact, and ties go to even.
  const double units = std::nearbyint(std::ldexp(magnitude, -unit));
  // A carry into the next binade has the right bits by itself. Above the
  // smallest normal number the implicit bit counts as one more exponent.
  const uint32_t result =
      uint32_t(exponent + f.bias - 1) * (1u << f.mantissaBits) +
      uint32_t(units);
  return sign | std::min(result, f.largest);
}

uint32_t roundToScale(double value, Rounding rounding, bool saturate) {
  if (value != value)
    return 0xff;
  const uint32_t overflow = saturate ? 0xfe : 0xff;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return overflow;
  if (magnitude <= 0x1p-127)
    return 0;
  const int exponent = std::ilogb(magnitude);
  const bool up =
      rounding == Rounding::Up && magnitude != std::ldexp(1.0, exponent);
  const int result = exponent + 127 + int(up);
  return result > 0xfe ? overflow : uint32_t(std::max(result, 0));
}

uint32_t roundToTf32(uint32_t bits, Rounding rounding, bool away,
                     bool saturate) {
  constexpr uint32_t infinity = 0x7f800000u;
  const uint32_t sign = bits & 0x80000000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > infinity) // .rna is integer arithmetic on hardware
    return !away ? canonicalNan & ~0x1fffu
                 : (bits & ~0x1fffu) - (saturate ? 0x2000 : 0);
  if (away)
    magnitude += 0x1000;
  else if (rounding == Rounding::Nearest)
    magnitude += 0xfff + (magnitude >> 13 & 1);
  magnitude &= ~0x1fffu;
  magnitude = std::min(magnitude, infinity);
  if (saturate && magnitude == infinity)
    magnitude = infinity - 0x2000;
  return sign | magnitude;
}

} // namespace wna16::emulator
