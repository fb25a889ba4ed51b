//===- FloatOps.h - f32 arithmetic on single values -----------------------===//
//
// The operations behind the float families, in every rounding mode.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_FLOATOPS_H
#define WNA16_LIB_EMULATOR_FLOATOPS_H

#include "lib/Emulator/Numerics.h"

#include <cmath>
#include <limits>

namespace wna16::emulator {

template <bool ftz> float in(uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  return ftz ? flush(value) : value;
}
template <bool ftz> uint32_t out(float value) {
  value = canonicalize(value);
  return std::bit_cast<uint32_t>(ftz ? flush(value) : value);
}
/// Hardware decides after rounding to 24 bits of any exponent whether a result
/// is subnormal: one that only fewer bits round up to the smallest normal
/// number is flushed too. `exact()` is the result before rounding, or rounded
/// to odd.
template <bool ftz, typename F>
float flushTiny(float rounded, Rounding rounding, F exact) {
  constexpr float smallest = std::numeric_limits<float>::min();
  constexpr float scale = 0x1p64f; // moves it away from the subnormal numbers
  if (ftz && std::fabs(rounded) == smallest &&
      std::fabs(roundToFloat(exact() * scale, rounding)) < smallest * scale)
      [[unlikely]]
    return std::copysign(0.0f, rounded);
  return rounded;
}
inline float saturate(float value) {
  return value > 0 ? (value < 1 ? value : 1.0f) : 0.0f; // NaN gives 0
}

/// A sum for one more rounding. An exact zero of two different signs is
/// negative when rounding down.
inline double addDirected(double a, double b, Rounding rounding) {
  const double sum = addToOdd(a, b);
  return sum == 0 && rounding == Rounding::Down &&
                 std::signbit(a) != std::signbit(b)
             ? -0.0
             : sum;
}

// nearest: fp32 as the processor does it; odd: a double that rounds once more
// to fp32 in any mode; apply: fp64.
struct Add {
  static float nearest(float a, float b) { return a + b; }
  static double odd(double a, double b, Rounding rounding) {
    return addDirected(a, b, rounding);
  }
  static double apply(double a, double b) { return a + b; }
};
struct Sub {
  static float nearest(float a, float b) { return a - b; }
  static double odd(double a, double b, Rounding rounding) {
    return addDirected(a, -b, rounding);
  }
  static double apply(double a, double b) { return a - b; }
};
struct Mul {
  static float nearest(float a, float b) { return a * b; }
  /// Exact in double.
  static double odd(double a, double b, Rounding) { return a * b; }
  static double apply(double a, double b) { return a * b; }
};
struct Div {
  static float nearest(float a, float b) { return a / b; }
  // 53 bits are enough to round a quotient of two 24-bit numbers once more
  // except at exact ties, which cannot occur; directed modes use the remainder.
  static double odd(double a, double b, Rounding) {
    const double q = a / b;
    const double rest = std::isfinite(b) ? std::fma(-q, b, a) : 0;
    uint64_t bits = std::bit_cast<uint64_t>(q);
    if (std::isfinite(q) && rest != 0 && !(bits & 1))
      bits += ((rest > 0) == (b > 0)) == (q > 0) ? 1 : uint64_t(-1);
    return std::bit_cast<double>(bits);
  }
  static double apply(double a, double b) { return a / b; }
};

/// One lane, in any mode.
template <typename Op, bool ftz>
uint32_t binaryF32(uint32_t a, uint32_t b, Rounding rounding) {
  const float x = in<ftz>(a), y = in<ftz>(b);
  auto exact = [&] { return Op::odd(x, y, rounding); };
  return out<ftz>(flushTiny<ftz>(rounding == Rounding::Nearest
                                     ? Op::nearest(x, y)
                                     : roundToFloat(exact(), rounding),
                                 rounding, exact));
}
template <bool ftz>
uint32_t fmaF32(uint32_t a, uint32_t b, uint32_t c, Rounding rounding) {
  const float x = in<ftz>(a), y = in<ftz>(b), z = in<ftz>(c);
  auto exact = [&] { return addDirected(double(x) * y, z, rounding); };
  return out<ftz>(flushTiny<ftz>(rounding == Rounding::Nearest
                                     ? std::fma(x, y, z)
                                     : roundToFloat(exact(), rounding),
                                 rounding, exact));
}

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_FLOATOPS_H
