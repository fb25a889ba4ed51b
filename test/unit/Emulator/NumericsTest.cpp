//===- NumericsTest.cpp - 16-bit floats and rounding ----------------------===//
//
// The reference is the definition of the formats, written with ldexp, and the
// FPU's own arithmetic.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Numerics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace wna16::emulator;

/// Value of an fp16 or bf16 pattern by the definition of the format.
static double define(uint32_t bits, int mantissaBits, int exponentBits) {
  const double sign = bits >> 15 ? -1 : 1;
  const int exponent = int(bits >> mantissaBits & ((1u << exponentBits) - 1));
  const int fraction = int(bits & ((1u << mantissaBits) - 1));
  const int bias = (1 << (exponentBits - 1)) - 1;
  if (exponent == (1 << exponentBits) - 1)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(fraction, 1 - bias - mantissaBits);
  return sign * std::ldexp(fraction + (1 << mantissaBits),
                           exponent - bias - mantissaBits);
}

TEST(Numerics, EveryHalf) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const double value = define(bits, 10, 5);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(halfToFloat(bits)));
      EXPECT_EQ(floatToHalf(halfToFloat(bits)), 0x7fffu);
      continue;
    }
    EXPECT_EQ(double(halfToFloat(bits)), value) << bits;
    EXPECT_EQ(std::signbit(halfToFloat(bits)), bits >> 15 != 0);
    EXPECT_EQ(floatToHalf(float(value)), bits);
    EXPECT_EQ(roundToHalf(value, Rounding::Nearest), bits);
  }
}

TEST(Numerics, EveryBfloat) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const double value = define(bits, 7, 8);
    if (std::isnan(value))
      continue;
    EXPECT_EQ(double(bfloatToFloat(bits)), value);
    EXPECT_EQ(floatToBfloat(float(value)), bits);
    EXPECT_EQ(roundToBfloat(value, Rounding::Nearest), bits);
  }
}

TEST(Numerics, HalfRoundsToNearestEven) {
  // Around every boundary between two neighbouring halves.
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = define(bits, 10, 5), high = define(bits + 1, 10, 5);
    const float middle = float((low + high) / 2); // exact
    const uint32_t even = bits & 1 ? bits + 1 : bits;
    EXPECT_EQ(floatToHalf(middle), even);
    EXPECT_EQ(floatToHalf(std::nextafterf(middle, 0)), bits);
    EXPECT_EQ(floatToHalf(std::nextafterf(middle, 1e9f)), bits + 1);
    EXPECT_EQ(roundToHalf(-middle, Rounding::Nearest), even | 0x8000);
    EXPECT_EQ(roundToHalf(middle, Rounding::Zero), bits);
    EXPECT_EQ(roundToHalf(middle, Rounding::Up), bits + 1);
    EXPECT_EQ(roundToHalf(-middle, Rounding::Down), (bits + 1) | 0x8000);
    EXPECT_EQ(roundToHalf(-middle, Rounding::Up), bits | 0x8000);
  }
  EXPECT_EQ(floatToHalf(65519.996f), 0x7bffu);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00u);
  EXPECT_EQ(roundToHalf(1e30, Rounding::Zero), 0x7bffu);
  EXPECT_EQ(roundToHalf(1e30, Rounding::Up), 0x7c00u);
}

TEST(Numerics, FloatRoundingAgreesWithTheFpu) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const double value =
        std::bit_cast<double>((random() & 0x800fffffffffffffull) |
                              (uint64_t(random() % 300 + 870) << 52));
    EXPECT_EQ(std::bit_cast<uint32_t>(roundToFloat(value, Rounding::Nearest)),
              std::bit_cast<uint32_t>(float(value)));
  }
}

TEST(Numerics, SumToOddMakesFusedHalfCorrect) {
  // a * b + c needs 55 bits here: double alone lands on the tie between two
  // halves and goes to even, the exact value lies above the tie.
  const double product = std::ldexp(2049, -11); // 1 + 2^-11: a tie of fp16
  const double tiny = std::ldexp(1, -60);
  EXPECT_EQ(roundToHalf(product + tiny, Rounding::Nearest), 0x3c00u);
  EXPECT_EQ(roundToHalf(addToOdd(product, tiny), Rounding::Nearest), 0x3c01u);
  EXPECT_EQ(roundToHalf(addToOdd(product, -tiny), Rounding::Nearest), 0x3c00u);
  EXPECT_EQ(addToOdd(1.0, 2.0), 3.0); // exact sums stay
}

TEST(Numerics, OddSumAgreesWithTheFpusFusedMultiplyAdd) {
  std::mt19937_64 random(2);
  auto any = [&] {
    return std::bit_cast<float>(
        uint32_t((random() & 0x807fffff) | (random() % 60 + 97) << 23));
  };
  for (int i = 0; i < 200000; ++i) {
    const float a = any(), b = any(), c = any();
    EXPECT_EQ(roundToFloat(addToOdd(double(a) * b, c), Rounding::Nearest),
              std::fma(a, b, c));
  }
}
