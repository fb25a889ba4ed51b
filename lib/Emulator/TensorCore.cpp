//===- TensorCore.cpp - sums of products as tensor cores form them --------===//
//
// The sum of one result is computed in units of 2^(e - f), its last bit. Fast:
// products in fp32, where they are exact, and sums in 32-bit integers. Slow,
// with numbers far apart, infinities or NaN: in double.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/TensorCore.h"

#include "lib/Emulator/Numerics.h"

#include <algorithm>
#include <cmath>

namespace wna16::emulator {
namespace {

/// Exponent of zero: below every other, and of every sum with it, too.
constexpr int32_t zeroExponent = -4096;
/// e is at least this; only sums of zeros have less.
constexpr int32_t leastSumExponent = -400;

/// That of the leading bit, or `least` if it is smaller.
[[gnu::always_inline]] inline int32_t exponentOf(float value, int32_t least) {
  const int32_t field =
      int32_t(std::bit_cast<uint32_t>(value) >> 23 & 0xff) - 127;
  return value == 0 ? zeroExponent : field > least ? field : least;
}

/// 2^exponent for normal results.
[[gnu::always_inline]] inline double powerOfTwo(int64_t exponent) {
  return std::bit_cast<double>(uint64_t(exponent + 1023) << 52);
}

/// Towards zero, or to infinity from 2^128 on; `mantissaMask` drops the last
/// bits.
[[gnu::always_inline]] inline uint32_t roundToZero(double value,
                                                   uint32_t mantissaMask) {
  const float nearest = float(value);
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  const bool tooLarge = std::fabs(double(nearest)) > std::fabs(value);
  bits -= tooLarge && std::fabs(value) < 0x1p128 ? 1 : 0;
  return bits & mantissaMask;
}

[[gnu::always_inline]] inline uint32_t
mantissaMask(const TensorCoreRule &rule) {
  return rule.coarse ? 0xfffffc00u : 0xffffffffu;
}

/// `sum` in units of 2^unit to the bits of a result; +0 if it is zero.
[[gnu::always_inline]] inline uint32_t roundSum(const TensorCoreRule &rule,
                                                double sum, int64_t unit) {
  const double value = sum * powerOfTwo(unit) + 0.0;
  if (rule.half)
    return roundToHalf(value, Rounding::Nearest);
  return roundToZero(value, mantissaMask(rule));
}

[[gnu::always_inline]] inline int fractionBits(const TensorCoreRule &rule) {
  return rule.coarse ? 13 : 25;
}
[[gnu::always_inline]] inline int leastExponentOfC(const TensorCoreRule &rule) {
  return rule.half ? leastExponentF16 : leastExponentF32;
}

/// Operands along K: rows of `width` values, and for each of `vectors` results
/// below each other one factor per row, `factorStride` apart.
struct Terms {
  unsigned k;
  const float *values;
  const int32_t *exponents;
  const float *factors;
  const int32_t *factorExponents;
  unsigned factorStride;
  int32_t shift;
};

// Eight results side by side. Loops over them must stay in registers, which GCC
// does not find out for plain arrays.
typedef float Floats __attribute__((vector_size(32), may_alias, aligned(4)));
typedef int32_t Words __attribute__((vector_size(32), may_alias, aligned(4)));
typedef float FourFloats
    __attribute__((vector_size(16), may_alias, aligned(4)));
typedef int32_t FourWords
    __attribute__((vector_size(16), may_alias, aligned(4)));
typedef double Doubles __attribute__((vector_size(32)));
typedef int64_t Wides __attribute__((vector_size(32)));

[[gnu::always_inline]] inline void raise(Words &a, const Words &b) {
  a = b > a ? b : a;
}

/// Four values in units of 2^unit, `inUnits` and C, to bits of fp32.
[[gnu::always_inline]] inline void finish(uint32_t mantissaMask,
                                          const int32_t *inUnits,
                                          const int32_t *unit, const float *c,
                                          uint32_t *out) {
  const Wides exponents = __builtin_convertvector(
      *reinterpret_cast<const FourWords *>(unit), Wides);
  const Doubles scale = Doubles((1023 + exponents) << 52),
                inverse = Doubles((1023 - exponents) << 52);
  // C may be far below a unit, but not above 2^26 of them.
  const Doubles before = __builtin_convertvector(
      *reinterpret_cast<const FourFloats *>(c), Doubles);
  const FourWords whole = __builtin_convertvector(before * inverse, FourWords);
  const FourWords products = *reinterpret_cast<const FourWords *>(inUnits);
  const Doubles sum = (__builtin_convertvector(products, Doubles) +
                       __builtin_convertvector(whole, Doubles)) *
                          scale +
                      0.0;
  // As roundToZero.
  const FourFloats nearest = __builtin_convertvector(sum, FourFloats);
  const Doubles magnitude = Doubles(Wides(sum) & INT64_MAX);
  const Doubles back =
      Doubles(Wides(__builtin_convertvector(nearest, Doubles)) & INT64_MAX);
  const Wides down = (back > magnitude) & (magnitude < 0x1p128);
  *reinterpret_cast<FourWords *>(out) =
      (FourWords(nearest) + __builtin_convertvector(down, FourWords)) &
      int32_t(mantissaMask);
}

/// Exponents of numbers that are not zero.
struct Range {
  Words least = Words{} + 4096, most = Words{} + zeroExponent;

  int32_t lowest() const {
    int32_t result = least[0];
    for (unsigned i = 1; i < 8; ++i)
      result = std::min<int32_t>(result, least[i]);
    return result;
  }
  int32_t highest() const {
    int32_t result = most[0];
    for (unsigned i = 1; i < 8; ++i)
      result = std::max<int32_t>(result, most[i]);
    return result;
  }
};

/// Exponents of `count` values, a multiple of 8; infinities and NaN have 128.
[[gnu::always_inline]] inline void exponentRow(const float *values,
                                               unsigned count, int32_t limit,
                                               int32_t *out, Range &range) {
  for (unsigned i = 0; i < count; i += 8) {
    const Floats row = *reinterpret_cast<const Floats *>(values + i);
    Words exponent = (Words(row) >> 23 & 0xff) - 127;
    raise(exponent, Words{} + limit);
    const Words low = row == 0 ? Words{} + 4096 : exponent;
    const Words high = row == 0 ? Words{} + zeroExponent : exponent;
    range.least = low < range.least ? low : range.least;
    raise(range.most, high);
    *reinterpret_cast<Words *>(out + i) = high;
  }
}

/// `rows` rows of `count` values, `stride` apart.
__attribute__((target_clones("arch=x86-64-v3", "default"))) void
exponentsOf(const float *values, unsigned rows, unsigned count, unsigned stride,
            int32_t limit, int32_t *out, Range &range) {
  Range all;
  for (unsigned row = 0; row < rows; ++row)
    exponentRow(values + row * stride, count, limit, out + row * stride, all);
  range = all;
}

void scale(float *values, unsigned count, float factor) {
  for (unsigned i = 0; i < count; ++i)
    values[i] *= factor;
}

/// Results at the columns `at` to `at` + 7 of `width` and four vectors. Returns
/// false for infinities and NaN in C.
template <unsigned width>
[[gnu::always_inline]] inline bool sumFast(const TensorCoreRule &rule,
                                           const Terms &terms, unsigned at,
                                           const float *c, uint32_t *out) {
  constexpr unsigned vectors = tensorVectors;
  const int f = fractionBits(rule);
  const Words leastC = Words{} + leastExponentOfC(rule);
  const Words none = Words{} + zeroExponent;
  Words most[vectors], special = {};
  for (unsigned v = 0; v < vectors; ++v) {
    const Floats row = *reinterpret_cast<const Floats *>(c + v * width + at);
    Words exponent = (Words(row) >> 23 & 0xff) - 127;
    raise(exponent, leastC);
    most[v] = row == 0 ? none : exponent;
    special |= most[v] == 128;
  }
  for (unsigned i = 0; i < 8; ++i)
    if (special[i])
      return false;
  for (unsigned j = 0; j < terms.k; ++j) {
    const Words exponents =
        *reinterpret_cast<const Words *>(terms.exponents + j * width + at);
    for (unsigned v = 0; v < vectors; ++v)
      raise(most[v],
            exponents + terms.factorExponents[v * terms.factorStride + j]);
  }
  Floats units[vectors];
  for (unsigned v = 0; v < vectors; ++v) {
    raise(most[v], Words{} + leastSumExponent);
    // Beyond these limits all products are less than a unit, or zero.
    Words power = f + terms.shift + 127 - most[v];
    raise(power, Words{} + 1);
    power = power < 254 ? power : Words{} + 254;
    units[v] = Floats(power << 23);
  }
  // At most 16 * 4 * 2^25 * (1 - 2^-11)^2: no overflow.
  Words total[vectors];
  for (unsigned v = 0; v < vectors; ++v)
    total[v] = Words{};
  for (unsigned j = 0; j < terms.k; ++j) {
    const Floats values =
        *reinterpret_cast<const Floats *>(terms.values + j * width + at);
    for (unsigned v = 0; v < vectors; ++v)
      total[v] += __builtin_convertvector(
          values * terms.factors[v * terms.factorStride + j] * units[v], Words);
  }
  for (unsigned v = 0; v < vectors; ++v) {
    alignas(32) int32_t totals[8], unit[8];
    *reinterpret_cast<Words *>(totals) = total[v];
    *reinterpret_cast<Words *>(unit) = most[v] - f;
    const float *before = c + v * width + at;
    uint32_t *after = out + v * width + at;
    if (!rule.half)
      for (unsigned i = 0; i < 8; i += 4)
        finish(mantissaMask(rule), totals + i, unit + i, before + i, after + i);
    for (unsigned i = 0; rule.half && i < 8; ++i)
      after[i] = roundSum(
          rule,
          double(totals[i]) +
              double(int32_t(double(before[i]) * powerOfTwo(-unit[i]))),
          unit[i]);
  }
  return true;
}

__attribute__((target_clones("arch=x86-64-v3", "default"))) bool
sum8(const TensorCoreRule &rule, const Terms &terms, const float *c,
     uint32_t *out) {
  return sumFast<8>(rule, terms, 0, c, out);
}
__attribute__((target_clones("arch=x86-64-v3", "default"))) bool
sum16(const TensorCoreRule &rule, const Terms &terms, const float *c,
      uint32_t *out) {
  return sumFast<16>(rule, terms, 0, c, out) &&
         sumFast<16>(rule, terms, 8, c, out);
}

/// The same for one result.
uint32_t sumSlowly(const TensorCoreRule &rule, const Terms &terms,
                   unsigned width, unsigned column, unsigned vector, float c) {
  const auto product = [&](unsigned j) {
    return double(terms.values[j * width + column]) *
           terms.factors[vector * terms.factorStride + j];
  };
  double plain = c;
  int32_t most =
      std::max(exponentOf(c, leastExponentOfC(rule)), leastSumExponent);
  for (unsigned j = 0; j < terms.k; ++j) {
    plain += product(j);
    most = std::max(most,
                    terms.exponents[j * width + column] +
                        terms.factorExponents[vector * terms.factorStride + j]);
  }
  if (!std::isfinite(plain)) // double itself does not overflow here
    return rule.half ? roundToHalf(plain, Rounding::Nearest)
                     : std::bit_cast<uint32_t>(canonicalize(float(plain)));
  const int unit = most - fractionBits(rule);
  double total = std::trunc(std::ldexp(double(c), -unit));
  for (unsigned j = 0; j < terms.k; ++j)
    total += std::trunc(std::ldexp(product(j), terms.shift - unit));
  return roundSum(rule, total, unit);
}

} // namespace

template <unsigned width, unsigned count, unsigned maxK>
void TensorTile<width, count, maxK>::prepare(unsigned k, unsigned vectors,
                                             int leastWide, int leastNarrow) {
  for (unsigned n = 0; n < vectors; ++n) // to multiples of 8
    for (unsigned j = k; j % 8; ++j)
      narrow[n][j] = 0;
  Range a, b;
  exponentsOf(wide[0], k, width, width, leastWide, wideExponents[0], a);
  exponentsOf(narrow[0], vectors, (k + 7) / 8 * 8, maxK, leastNarrow,
              narrowExponents[0], b);
  const int32_t mostA = a.highest(), mostB = b.highest();
  const int32_t spread =
      std::max(mostA - a.lowest(), 0) + std::max(mostB - b.lowest(), 0);
  // 22 bits of a product and 25 of its distance to a larger one stay within
  // the exponents of fp32.
  fast = mostA < 128 && mostB < 128 && spread <= 80;
  shift = 0;
  // Products of types with a short exponent are in range as they are.
  if (!fast || (leastWide > -60 && leastNarrow > -60))
    return;
  // A power of two may be out of range where its inverse is not.
  const int32_t downA = std::clamp(mostA, -126, 126),
                downB = std::clamp(mostB, -126, 126);
  shift = downA + downB;
  if (downA)
    scale(wide[0], k * width, float(powerOfTwo(-downA)));
  for (unsigned n = 0; downB && n < vectors; ++n)
    scale(narrow[n], k, float(powerOfTwo(-downB)));
}

template <unsigned width, unsigned count, unsigned maxK>
void TensorTile<width, count, maxK>::sum(const TensorCoreRule &rule,
                                         unsigned first, unsigned k,
                                         unsigned vector, const float *c,
                                         uint32_t *out) const {
  const Terms terms{k,
                    wide[first],
                    wideExponents[first],
                    narrow[vector] + first,
                    narrowExponents[vector] + first,
                    maxK,
                    shift};
  if (fast && (width == 8 ? sum8 : sum16)(rule, terms, c, out))
    return;
  for (unsigned v = 0; v < tensorVectors; ++v)
    for (unsigned i = 0; i < width; ++i)
      out[v * width + i] =
          sumSlowly(rule, terms, width, i, v, c[v * width + i]);
}

template class TensorTile<8, 16, 32>;
template class TensorTile<16, 256, 32>;

} // namespace wna16::emulator
