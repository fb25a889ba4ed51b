//===- TensorCoreTest.cpp - sums of products as tensor cores form them ----===//
//
// Against the model term by term, with operands near each other and so far
// apart that the fast way does not serve; and the rules one by one. The rules
// themselves are checked against hardware in test/unit/Hardware.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/TensorCore.h"
#include "test/unit/Emulator/TensorCoreModel.h"

#include <gtest/gtest.h>
#include <memory>
#include <random>

using namespace wna16::emulator;

namespace {

struct Random {
  std::mt19937 engine{5};

  /// `bits` of mantissa, exponents from `low` to `high`; sometimes zero.
  float number(unsigned bits, int low, int high) {
    if (engine() % 16 == 0)
      return engine() % 2 ? 0.0f : -0.0f;
    const uint32_t mantissa = engine() >> (32 - bits);
    const int exponent = low + int(engine() % unsigned(high - low + 1));
    const float value =
        std::ldexp(1 + std::ldexp(float(mantissa), -int(bits)), exponent);
    return engine() % 2 ? -value : value;
  }
};

uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

/// Compares every result of a random product.
template <typename Tile, unsigned width, unsigned vectors>
void compare(Random &random, unsigned k, unsigned bits, int low, int high,
             int least, const TensorCoreRule &rule) {
  auto tile = std::make_unique<Tile>();
  std::vector<std::vector<model::Element>> a(width), b(vectors);
  for (unsigned i = 0; i < width; ++i)
    for (unsigned j = 0; j < k; ++j) {
      tile->wide[j][i] = random.number(bits, low, high);
      a[i].push_back({tile->wide[j][i], least});
    }
  for (unsigned n = 0; n < vectors; ++n)
    for (unsigned j = 0; j < k; ++j) {
      tile->narrow[n][j] = random.number(bits, low, high);
      b[n].push_back({tile->narrow[n][j], least});
    }
  tile->prepare(k, vectors, least, least);
  for (unsigned n = 0; n < vectors; n += tensorVectors) {
    float c[tensorVectors * width];
    uint32_t out[tensorVectors * width];
    for (float &value : c)
      value = rule.half ? random.number(10, -14, 10)
                        : random.number(23, 2 * low - 4, 2 * high + 4);
    tile->sum(rule, 0, k, n, c, out);
    for (unsigned v = 0; v < tensorVectors; ++v)
      for (unsigned i = 0; i < width; ++i) {
        const float before = c[v * width + i];
        const long double sum =
            model::sum(a[i], b[n + v], {before, rule.half ? -14 : -126},
                       rule.coarse ? 13 : 25);
        const uint32_t expected =
            rule.half     ? roundToHalf(double(sum), Rounding::Nearest)
            : rule.coarse ? bitsOf(model::toFloat(sum + 0.0L)) & 0xfffffc00u
                          : bitsOf(model::toFloat(sum + 0.0L));
        ASSERT_EQ(out[v * width + i], expected)
            << "k " << k << ", exponents " << low << " to " << high << ", sum "
            << double(sum);
      }
  }
}

TEST(TensorCore, RandomSums) {
  Random random;
  for (unsigned repeat = 0; repeat < 4; ++repeat) {
    for (unsigned k : {4u, 8u, 16u}) {
      compare<MmaSums, 8, 16>(random, k, 10, -24, 14, -14, {});
      compare<MmaSums, 8, 16>(random, k, 10, -6, 4, -14, {true, false});
      compare<MmaSums, 8, 16>(random, k, 7, -20, 20, -126, {});
      compare<MmaSums, 8, 16>(random, k, 7, 50, 60, -126, {});
      compare<MmaSums, 8, 16>(random, k, 7, -60, -40, -126, {});
      // Too far apart for fp32.
      compare<MmaSums, 8, 16>(random, k, 7, -60, 60, -126, {});
    }
    compare<WarpgroupSums, 16, 256>(random, 16, 10, -14, 14, -14, {});
    compare<WarpgroupSums, 16, 8>(random, 8, 10, -30, 30, -126, {});
    compare<WarpgroupSums, 16, 24>(random, 32, 3, -9, 8, -6, {false, true});
    compare<WarpgroupSums, 16, 24>(random, 32, 2, -16, 0, -14, {true, true});
  }
}

/// The first result of 1 * `a` + `a2` * `b2` + c.
uint32_t one(float a, float a2, float b2, float c,
             const TensorCoreRule &rule = {}, int least = -126) {
  auto tile = std::make_unique<MmaSums>();
  for (auto &row : tile->wide)
    std::fill(std::begin(row), std::end(row), 0.0f);
  for (auto &row : tile->narrow)
    std::fill(std::begin(row), std::end(row), 0.0f);
  tile->wide[0][0] = 1;
  tile->narrow[0][0] = a;
  tile->wide[1][0] = a2;
  tile->narrow[0][1] = b2;
  tile->prepare(8, 16, least, least);
  float before[32] = {c};
  uint32_t out[32];
  tile->sum(rule, 0, 8, 0, before, out);
  return out[0];
}

TEST(TensorCore, CutsTermsBelowTheLargest) {
  EXPECT_EQ(one(1, 0x1p-13f, 0x1p-12f, -1), bitsOf(0x1p-25f));
  EXPECT_EQ(one(1, 0x1p-13f, 0x1p-13f, -1), bitsOf(0));
  EXPECT_EQ(one(1, -0x1p-13f, 0x1.8p-12f, -1), bitsOf(-0x1p-25f));
  // 1.5 * 1.5 has the exponent of 1 * 1.
  EXPECT_EQ(one(-0x1.fffffp0f, 1.5f, 1.5f, 0x1p-25f),
            bitsOf(0.25f + 0x1p-20f + 0x1p-25f));
  // Below the smallest normal number the exponent stays.
  EXPECT_EQ(one(0x1p-20f, 0, 0, 0x1p-40f, {}, -14), bitsOf(0x1p-20f));
  EXPECT_EQ(one(0x1p-20f, 0, 0, 0x1p-39f, {}, -14),
            bitsOf(0x1p-20f + 0x1p-39f));
}

TEST(TensorCore, RoundsTowardsZero) {
  EXPECT_EQ(one(1, 0x1.8p-12f, 0x1p-12f, 0), bitsOf(1));
  EXPECT_EQ(one(1, 0x1.8p-12f, 0x1p-11f, 0), bitsOf(1 + 0x1p-23f));
  EXPECT_EQ(one(-1, -0x1.8p-12f, 0x1p-11f, 0), bitsOf(-1 - 0x1p-23f));
  EXPECT_EQ(one(1, 0x1p-12f, 0x1p-11f, 0, {true, false}), 0x3c00u);
  // To fp16 it is the nearest.
  EXPECT_EQ(one(1, 0x1p-6f, 0x1.8p-5f, 0, {true, false}), 0x3c01u);
}

TEST(TensorCore, ZeroOverflowAndNan) {
  const float inf = INFINITY;
  EXPECT_EQ(one(-0.0f, 0, 0, -0.0f), 0u);
  EXPECT_EQ(one(-1, 1, 1, -0.0f), 0u);
  EXPECT_EQ(one(0x1p127f, 1, 0x1p127f, 0), 0x7f800000u);
  EXPECT_EQ(one(0x1p127f, 1, 0x1.fffffep126f, 0), 0x7f7fffffu);
  EXPECT_EQ(one(-inf, 0, 0, 1), 0xff800000u);
  EXPECT_EQ(one(inf, 1, 1, -inf), 0x7fffffffu);
  EXPECT_EQ(one(1, inf, 0, 1), 0x7fffffffu);
  EXPECT_EQ(one(1, 0, 0, NAN), 0x7fffffffu);
  EXPECT_EQ(one(1, 0, 0, NAN, {true, false}), 0x7fffu);
  EXPECT_EQ(one(1, 0, 0, inf), 0x7f800000u);
  EXPECT_EQ(one(60000, 1, 60000, 0, {true, false}), 0x7c00u);
}

} // namespace
