//===- HalfRowsTest.cpp - rows of 16-bit float arithmetic -----------------===//
//
// Against exact integer arithmetic: every fp16 number is a multiple of 2^-24,
// every product one of 2^-48, so that a sum fits into 128 bits.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/HalfRows.h"
#include "test/unit/Emulator/Harness.h"

#include "lib/Emulator/Numerics.h"

#include <cmath>
#include <random>

using namespace wna16::emulator;

namespace {

/// `value` * 2^-scale to nearest even; `mantissa` bits after the first one,
/// `least` is the exponent of the smallest normal number.
uint32_t roundExact(__int128 value, int scale, int mantissa, int least,
                    uint32_t infinity) {
  const bool negative = value < 0;
  unsigned __int128 magnitude = negative
                                    ? static_cast<unsigned __int128>(-value)
                                    : static_cast<unsigned __int128>(value);
  const uint32_t sign = negative ? 0x8000 : 0;
  if (!magnitude)
    return 0;
  int top = 127;
  while (!(magnitude >> top & 1))
    --top;
  const int exponent = std::max(top - scale, least);
  const int drop = exponent - mantissa + scale; // bits below the last one
  unsigned __int128 kept = magnitude, rest = 0, half = 1;
  if (drop > 0) {
    kept = magnitude >> drop;
    rest = magnitude - (kept << drop);
    half = static_cast<unsigned __int128>(1) << (drop - 1);
    if (rest > half || (rest == half && (kept & 1)))
      ++kept;
  } else {
    kept <<= -drop;
  }
  const uint32_t bits =
      uint32_t(exponent - least) * (1u << mantissa) + uint32_t(kept);
  return sign | std::min(bits, infinity);
}

/// A finite fp16 number as a multiple of 2^-24.
__int128 halfUnits(uint32_t half) {
  const int exponent = int(half >> 10 & 31);
  __int128 units = half & 1023;
  if (exponent)
    units = (units + 1024) << (exponent - 1);
  return half & 0x8000 ? -units : units;
}

uint32_t roundHalf(__int128 value, int scale) {
  return roundExact(value, scale, 10, -14, 0x7c00);
}

/// Bits of numbers that like to meet ties: few mantissa bits, near exponents.
uint32_t anyHalf(std::mt19937 &random) {
  uint32_t bits = random();
  if (bits & 0x10000)
    bits &= 0xfc03; // small mantissa
  if (bits & 0x20000)
    bits = (bits & 0x83ff) | (14 + (bits >> 20 & 3)) << 10;
  bits &= 0xffff;
  return (bits & 0x7c00) == 0x7c00 ? bits & 0x83ff : bits;
}

TEST(HalfRows, AgreeWithExactArithmetic) {
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    uint32_t a[32], b[32], c[32], out[32], fused[32];
    for (unsigned i = 0; i < 32; ++i) {
      a[i] = anyHalf(random) | anyHalf(random) << 16;
      b[i] = anyHalf(random) | anyHalf(random) << 16;
      c[i] = anyHalf(random) | anyHalf(random) << 16;
    }
    const HalfOp op = HalfOp(round % 3);
    halfRow(op, a, b, true, out);
    halfFmaRow(a, b, c, true, fused);
    for (unsigned i = 0; i < 32; ++i)
      for (unsigned shift = 0; shift < 32; shift += 16) {
        const __int128 x = halfUnits(a[i] >> shift & 0xffff),
                       y = halfUnits(b[i] >> shift & 0xffff),
                       z = halfUnits(c[i] >> shift & 0xffff);
        const uint32_t expected = op == HalfOp::Add   ? roundHalf(x + y, 24)
                                  : op == HalfOp::Sub ? roundHalf(x - y, 24)
                                                      : roundHalf(x * y, 48);
        const uint32_t got = out[i] >> shift & 0xffff;
        EXPECT_TRUE(got == expected || (got & 0x7fff) + expected % 0x8000 == 0)
            << std::hex << a[i] << " " << b[i];
        const uint32_t sum = roundHalf(x * y + z * (1 << 24), 48);
        const uint32_t gotSum = fused[i] >> shift & 0xffff;
        EXPECT_TRUE(gotSum == sum || ((gotSum | sum) & 0x7fff) == 0)
            << std::hex << a[i] << " " << b[i] << " " << c[i];
      }
  }
}

TEST(HalfRows, BfloatFmaAgreesWithExactArithmetic) {
  std::mt19937 random(12);
  // Exponents from -20 to 20: products and sums are multiples of 2^-54.
  auto any = [&] {
    const uint32_t bits = random();
    return (bits & 0x8000) | (107 + bits % 41) << 7 |
           (bits & 0x10000 ? bits >> 20 & 1 : bits >> 20 & 127);
  };
  auto units = [](uint32_t bits) { // of 2^-27
    const __int128 value = __int128((bits & 127) | 128)
                           << ((bits >> 7 & 255) - 107);
    return bits & 0x8000 ? -value : value;
  };
  for (int round = 0; round < 3000; ++round) {
    uint32_t a[32], b[32], c[32], out[32];
    for (unsigned i = 0; i < 32; ++i) {
      a[i] = any() | any() << 16;
      b[i] = any() | any() << 16;
      c[i] = any() | any() << 16;
    }
    bfloatFmaRow(a, b, c, true, out);
    for (unsigned i = 0; i < 32; ++i)
      for (unsigned shift = 0; shift < 32; shift += 16) {
        const __int128 sum =
            units(a[i] >> shift & 0xffff) * units(b[i] >> shift & 0xffff) +
            units(c[i] >> shift & 0xffff) * (1 << 27);
        const uint32_t expected = roundExact(sum, 54, 7, -126, 0x7f80);
        EXPECT_EQ(out[i] >> shift & 0xffff, expected)
            << std::hex << a[i] << " " << b[i] << " " << c[i];
      }
  }
}

TEST(HalfRows, BfloatFmaOutsideOfFp32) {
  auto one = [](uint32_t a, uint32_t b, uint32_t c) {
    uint32_t rows[3][32], out[32];
    for (unsigned i = 0; i < 32; ++i) {
      rows[0][i] = a;
      rows[1][i] = b;
      rows[2][i] = c;
    }
    bfloatFmaRow(rows[0], rows[1], rows[2], false, out);
    return out[7];
  };
  // 2^100 * 2^100 - infinity, and the product alone.
  EXPECT_EQ(one(0x7180, 0x7180, 0xff80), 0xff80u);
  EXPECT_EQ(one(0x7180, 0x7180, 0xf180), 0x7f80u);
  // 2^-100 * 2^-33 is the smallest subnormal; + a tie below it rounds up.
  EXPECT_EQ(one(0x0d80, 0x2f00, 0), 0x0001u);
  EXPECT_EQ(one(0x0d80, 0x2e80, 0), 0x0000u);          // 2^-134: tie to even
  EXPECT_EQ(one(0x0d80, 0x2e81, 0), 0x0001u);          // above the tie
  EXPECT_EQ(one(0x0d80, 0x2e80, 0x0001), 0x0002u);     // tie to even again
  EXPECT_EQ(one(0x0d80, 0x0d80, 0x0001), 0x0001u);     // far below
  EXPECT_EQ(one(0x7fc0, 0x3f80, 0x3f80), 0x7fffu);     // NaN
  EXPECT_EQ(one(0x7f80, 0, 0x3f80), 0x7fffu);          // infinity * 0
  EXPECT_EQ(one(0x8000, 0x3f80, 0x8000) & 0x7fff, 0u); // zeros
}

uint32_t half(const std::string &text, uint32_t a, uint32_t b, uint32_t c = 0) {
  return lane0("ld.global.u32 %r6, [%rd1+4]; ld.global.u32 %r7, [%rd1+8];\n" +
                   text,
               {a, b, c});
}

TEST(Half, Modifiers) {
  // 3 + -4 and 3 + 4 saturated to [0, 1]; NaN gives 0.
  EXPECT_EQ(half("add.sat.f16x2 %r10, %r5, %r6;", 0x42004200, 0xc4004400),
            0x00003c00u);
  EXPECT_EQ(half("mul.sat.f16x2 %r10, %r5, %r6;", 0x7e003800, 0x3c003800),
            0x00003400u);
  // Subnormals: 2^-24 + 2^-14 and 2^-15 * 1.
  EXPECT_EQ(half("add.ftz.f16x2 %r10, %r5, %r6;", 0x00018001, 0x04000400),
            0x04000400u);
  EXPECT_EQ(half("add.f16x2 %r10, %r5, %r6;", 0x00018001, 0x04000400),
            0x040103ffu);
  EXPECT_EQ(
      half("fma.rn.ftz.f16x2 %r10, %r5, %r6, %r7;", 0x84000400, 0x38003800, 0),
      0x80000000u); // -2^-15 and 2^-15 keep their signs
  EXPECT_EQ(half("fma.rn.relu.f16x2 %r10, %r5, %r6, %r7;", 0x3c00bc00,
                 0x3c003c00, 0x3c003800),
            0x40000000u);
  EXPECT_EQ(half("fma.rn.relu.bf16x2 %r10, %r5, %r6, %r7;", 0xffff3f80,
                 0x3f80bf80, 0x3f803f00),
            0x7fff0000u); // NaN stays
  EXPECT_EQ(half("fma.rn.oob.f16x2 %r10, %r5, %r6, %r7;", 0x7ff73c00,
                 0x3c003c00, 0x3c003c00),
            0x00004000u);
  EXPECT_EQ(half("fma.rn.oob.f16x2 %r10, %r5, %r6, %r7;", 0xffff3c00,
                 0x3c003c00, 0x3c003c00),
            0x7fff4000u); // another NaN
  EXPECT_EQ(half("neg.ftz.f16x2 %r10, %r5;", 0x00013c00, 0), 0x8000bc00u);
  EXPECT_EQ(half("abs.f16x2 %r10, %r5;", 0x8001bc00, 0), 0x00013c00u);
  // NaN becomes canonical half by half.
  EXPECT_EQ(half("abs.f16x2 %r10, %r5;", 0xfe00bc00, 0), 0x7fff3c00u);
  EXPECT_EQ(half("neg.bf16x2 %r10, %r5;", 0x3f80ff81, 0), 0xbf807fffu);
  // .ftz looks at the product before rounding: 2^-14 - 2^-25.
  EXPECT_EQ(half("mul.ftz.f16x2 %r10, %r5, %r6;", 0x34803bff, 0x30008400),
            0x28808000u);
  EXPECT_EQ(half("mul.f16x2 %r10, %r5, %r6;", 0x34803bff, 0x30008400),
            0x28808400u);
}

TEST(Half, MinAndMax) {
  EXPECT_EQ(half("min.f16x2 %r10, %r5, %r6;", 0x7e000000, 0x3c008000),
            0x3c008000u); // NaN loses, -0 < +0
  EXPECT_EQ(half("max.NaN.f16x2 %r10, %r5, %r6;", 0x7e000000, 0x3c008000),
            0x7fff0000u);
  EXPECT_EQ(
      half("max.xorsign.abs.f16x2 %r10, %r5, %r6;", 0xc0003c00, 0x3c003800),
      0xc0003c00u);
  EXPECT_EQ(half("min.NaN.xorsign.abs.bf16x2 %r10, %r5, %r6;", 0xbf807fc0,
                 0x40004000),
            0xbf807fffu);
  EXPECT_EQ(half("min.ftz.f16x2 %r10, %r5, %r6;", 0x00010001, 0x3c008001),
            0x00008000u);
}

TEST(Half, Functions) {
  // The results are the exact values rounded to nearest.
  EXPECT_EQ(half("ex2.approx.f16x2 %r10, %r5;", 0x3c00bc00, 0), 0x40003800u);
  EXPECT_EQ(half("tanh.approx.f16x2 %r10, %r5;", 0x7c008000, 0), 0x3c008000u);
  EXPECT_EQ(half("ex2.approx.ftz.bf16x2 %r10, %r5;", 0x40400001, 0),
            0x41003f80u);
  EXPECT_EQ(half("tanh.approx.bf16x2 %r10, %r5;", 0xff803f80, 0),
            0xbf803f43u); // tanh(1) = 0.76159
}

} // namespace
