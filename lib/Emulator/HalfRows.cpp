//===- HalfRows.cpp - rows of 16-bit float arithmetic ---------------------===//
//
// Values go through fp32. Its 24 bits make the double rounding of sums and
// products of two 16-bit floats innocuous (11 * 2 + 2 and less). For a fused
// multiply-add the product is exact in fp32 (up to 22 bits) and the sum is
// rounded to odd, which makes the second rounding correct. That holds unless
// the product leaves the range of fp32, which bf16 can: then the row is done
// again in double.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/HalfRows.h"

#include "lib/Emulator/Numerics.h"

#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#define WNA16_F16C __attribute__((target("avx2,fma,f16c")))
#endif

namespace wna16::emulator {
namespace {

constexpr unsigned lanes = 32;
/// Both halves of a row of registers: [0] the lower ones.
struct Halves {
  alignas(64) float values[2][lanes];
};

struct HalfCodec {
  static void unpack(const uint32_t *row, Halves &out) {
    for (unsigned i = 0; i < lanes; ++i) {
      out.values[0][i] = halfToFloat(row[i] & 0xffff);
      out.values[1][i] = halfToFloat(row[i] >> 16);
    }
  }
  static void pack(const Halves &in, bool packed, uint32_t *out) {
    for (unsigned i = 0; i < lanes; ++i)
      out[i] = floatToHalf(in.values[0][i]);
    for (unsigned i = 0; packed && i < lanes; ++i)
      out[i] |= floatToHalf(in.values[1][i]) << 16;
  }
};
struct BfloatCodec {
  static void unpack(const uint32_t *row, Halves &out) {
    for (unsigned i = 0; i < lanes; ++i) {
      out.values[0][i] = bfloatToFloat(row[i] & 0xffff);
      out.values[1][i] = bfloatToFloat(row[i] >> 16);
    }
  }
  static void pack(const Halves &in, bool packed, uint32_t *out) {
    for (unsigned i = 0; i < lanes; ++i)
      out[i] = floatToBfloat(in.values[0][i]);
    for (unsigned i = 0; packed && i < lanes; ++i)
      out[i] |= floatToBfloat(in.values[1][i]) << 16;
  }
};

#ifdef WNA16_F16C
/// fp16 by the conversion instructions of the machine.
struct FastHalfCodec {
  WNA16_F16C static __m256 half(__m256i bits) {
    const __m256i field = _mm256_and_si256(bits, _mm256_set1_epi32(0xffff));
    return _mm256_cvtph_ps(_mm_packus_epi32(
        _mm256_castsi256_si128(field), _mm256_extracti128_si256(field, 1)));
  }
  WNA16_F16C static __m256i bits(__m256 value) {
    const __m256i half = _mm256_cvtepu16_epi32(
        _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
    const __m256i nan =
        _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    return _mm256_blendv_epi8(half, _mm256_set1_epi32(0x7fff), nan);
  }
  WNA16_F16C static void unpack(const uint32_t *row, Halves &out) {
    for (unsigned i = 0; i < lanes; i += 8) {
      const __m256i bits =
          _mm256_loadu_si256(reinterpret_cast<const __m256i *>(row + i));
      _mm256_store_ps(out.values[0] + i, half(bits));
      _mm256_store_ps(out.values[1] + i, half(_mm256_srli_epi32(bits, 16)));
    }
  }
  WNA16_F16C static void pack(const Halves &in, bool packed, uint32_t *out) {
    for (unsigned i = 0; i < lanes; i += 8) {
      __m256i result = bits(_mm256_load_ps(in.values[0] + i));
      if (packed)
        result = _mm256_or_si256(
            result,
            _mm256_slli_epi32(bits(_mm256_load_ps(in.values[1] + i)), 16));
      _mm256_storeu_si256(reinterpret_cast<__m256i *>(out + i), result);
    }
  }
};
/// Every processor with AVX2 has F16C, which not all compilers can ask for.
bool hasF16c() {
  static const bool has =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
}
#endif

template <typename F>
[[gnu::always_inline]] inline void combine(Halves &a, const Halves &b, F f) {
  for (unsigned h = 0; h < 2; ++h)
    for (unsigned i = 0; i < lanes; ++i)
      a.values[h][i] = f(a.values[h][i], b.values[h][i]);
}

template <bool largest>
[[gnu::always_inline]] inline float pick(float a, float b) {
  const bool keepA = (a == b ? (std::bit_cast<uint32_t>(a) >> 31) != largest
                             : (a > b) == largest);
  return a != a ? b : b != b ? a : keepA ? a : b;
}

template <typename Codec>
[[gnu::always_inline]] inline void binary(HalfOp op, const uint32_t *a,
                                          const uint32_t *b, bool packed,
                                          uint32_t *out) {
  Halves x, y;
  Codec::unpack(a, x);
  Codec::unpack(b, y);
  switch (op) {
  case HalfOp::Add:
    combine(x, y, [](float p, float q) { return p + q; });
    break;
  case HalfOp::Sub:
    combine(x, y, [](float p, float q) { return p - q; });
    break;
  case HalfOp::Mul:
    combine(x, y, [](float p, float q) { return p * q; });
    break;
  case HalfOp::Min:
    combine(x, y, [](float p, float q) { return pick<false>(p, q); });
    break;
  case HalfOp::Max:
    combine(x, y, [](float p, float q) { return pick<true>(p, q); });
    break;
  }
  Codec::pack(x, packed, out);
}

/// a * b + c to odd, for an exact product. Returns whether all products were
/// in range.
[[gnu::always_inline]] inline bool fuse(const Halves &a, const Halves &b,
                                        Halves &c) {
  int32_t outside = 0;
  for (unsigned h = 0; h < 2; ++h)
    for (unsigned i = 0; i < lanes; ++i) {
      const float x = a.values[h][i], y = b.values[h][i], z = c.values[h][i];
      const float product = x * y, sum = product + z;
      const float back = sum - product;
      const float error = (product - (sum - back)) + (z - back);
      uint32_t bits = std::bit_cast<uint32_t>(sum);
      const uint32_t magnitude = bits & 0x7fffffff;
      const bool inexact =
          (error != 0) & (magnitude < 0x7f800000u) & !(bits & 1);
      const uint32_t step = (error > 0) == (sum > 0) ? 1u : ~0u;
      bits += inexact ? step : 0;
      c.values[h][i] = std::bit_cast<float>(bits);
      // Below 2^-126 the product may have lost bits, at infinity everything.
      const uint32_t size = std::bit_cast<uint32_t>(product) & 0x7fffffff;
      const bool exact =
          (size - 0x00800000u < 0x7f000000u) | (x == 0) | (y == 0);
      outside |= !exact;
      outside |= magnitude >= 0x7f800000u;
    }
  return !outside;
}

template <typename Codec>
[[gnu::always_inline]] inline bool
multiplyAdd(const uint32_t *a, const uint32_t *b, const uint32_t *c,
            bool packed, uint32_t *out) {
  Halves x, y, z;
  Codec::unpack(a, x);
  Codec::unpack(b, y);
  Codec::unpack(c, z);
  const bool inRange = fuse(x, y, z);
  Codec::pack(z, packed, out);
  return inRange;
}

#ifdef WNA16_F16C
WNA16_F16C void fastHalfRow(HalfOp op, const uint32_t *a, const uint32_t *b,
                            bool packed, uint32_t *out) {
  binary<FastHalfCodec>(op, a, b, packed, out);
}
WNA16_F16C void fastHalfFma(const uint32_t *a, const uint32_t *b,
                            const uint32_t *c, bool packed, uint32_t *out) {
  multiplyAdd<FastHalfCodec>(a, b, c, packed, out);
}
WNA16_F16C void fastHalvesToFloats(const uint32_t *row, float *out) {
  for (unsigned i = 0; i < lanes; i += 4)
    _mm256_storeu_ps(out + 2 * i,
                     _mm256_cvtph_ps(_mm_loadu_si128(
                         reinterpret_cast<const __m128i *>(row + i))));
}
#endif

__attribute__((target_clones("arch=x86-64-v3", "default"))) bool
bfloatFmaInFloat(const uint32_t *a, const uint32_t *b, const uint32_t *c,
                 bool packed, uint32_t *out) {
  return multiplyAdd<BfloatCodec>(a, b, c, packed, out);
}

/// One bf16 fused multiply-add in any range.
uint32_t bfloatFma(uint32_t a, uint32_t b, uint32_t c) {
  return roundToBfloat(
      addToOdd(double(bfloatToFloat(a)) * double(bfloatToFloat(b)),
               bfloatToFloat(c)),
      Rounding::Nearest);
}

} // namespace

void halfRow(HalfOp op, const uint32_t *a, const uint32_t *b, bool packed,
             uint32_t *out) {
#ifdef WNA16_F16C
  if (hasF16c())
    return fastHalfRow(op, a, b, packed, out);
#endif
  binary<HalfCodec>(op, a, b, packed, out);
}

__attribute__((target_clones("arch=x86-64-v3", "default"))) void
bfloatRow(HalfOp op, const uint32_t *a, const uint32_t *b, bool packed,
          uint32_t *out) {
  binary<BfloatCodec>(op, a, b, packed, out);
}

void halfFmaRow(const uint32_t *a, const uint32_t *b, const uint32_t *c,
                bool packed, uint32_t *out) {
#ifdef WNA16_F16C
  if (hasF16c())
    return fastHalfFma(a, b, c, packed, out);
#endif
  multiplyAdd<HalfCodec>(a, b, c, packed, out);
}

void bfloatFmaRow(const uint32_t *a, const uint32_t *b, const uint32_t *c,
                  bool packed, uint32_t *out) {
  if (bfloatFmaInFloat(a, b, c, packed, out))
    return;
  for (unsigned i = 0; i < lanes; ++i) {
    out[i] = bfloatFma(a[i] & 0xffff, b[i] & 0xffff, c[i] & 0xffff);
    if (packed)
      out[i] |= bfloatFma(a[i] >> 16, b[i] >> 16, c[i] >> 16) << 16;
  }
}

void halvesToFloats(const uint32_t *row, float *out) {
#ifdef WNA16_F16C
  if (hasF16c())
    return fastHalvesToFloats(row, out);
#endif
  for (unsigned i = 0; i < lanes; ++i) {
    out[2 * i] = halfToFloat(row[i] & 0xffff);
    out[2 * i + 1] = halfToFloat(row[i] >> 16);
  }
}

} // namespace wna16::emulator
