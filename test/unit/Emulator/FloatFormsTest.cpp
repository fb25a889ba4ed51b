//===- FloatFormsTest.cpp - f32 and f64 in every mode ---------------------===//
//
// Corner cases by hand; directed rounding of random operands against the
// definition: the result is exact or one of two neighbours on the right side,
// judged by exact remainders in long double.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Harness.h"

#include <bit>
#include <cmath>
#include <random>

using namespace wna16::emulator;

namespace {

uint32_t f32(float value) { return std::bit_cast<uint32_t>(value); }
constexpr uint32_t nan32 = 0x7fc00000, infinity32 = 0x7f800000;

/// `text` on %f5, %f6, %f7 leaves %f1.
std::vector<uint32_t> floats(const std::string &text,
                             const std::vector<uint32_t> &a,
                             const std::vector<uint32_t> &b = {},
                             const std::vector<uint32_t> &c = {}) {
  std::vector<uint32_t> in(96);
  std::copy(a.begin(), a.end(), in.begin());
  std::copy(b.begin(), b.end(), in.begin() + 32);
  std::copy(c.begin(), c.end(), in.begin() + 64);
  return lanes("ld.global.f32 %f5, [%rd4]; ld.global.f32 %f6, [%rd4+128];"
               "ld.global.f32 %f7, [%rd4+256];\n" +
                   text + "\nmov.b32 %r10, %f1;",
               in);
}
uint32_t one(const std::string &text, uint32_t a, uint32_t b = 0,
             uint32_t c = 0) {
  return floats(text, {a}, {b}, {c})[0];
}
/// `text` on doubles %fd5 and %fd6 leaves %fd1.
uint64_t doubles(const std::string &text, double a, double b = 0) {
  auto number = [](double value) {
    char out[24];
    std::snprintf(out, sizeof(out), "0d%016llx",
                  (unsigned long long)std::bit_cast<uint64_t>(value));
    return std::string(out);
  };
  const std::string body = "mov.f64 %fd5, " + number(a) + "; mov.f64 %fd6, " +
                           number(b) + ";\n" + text +
                           "\nmov.b64 {%r20, %r21}, %fd1; mov.b32 %r10, %r2";
  return lane0(body + "0;") | uint64_t(lane0(body + "1;")) << 32;
}

const char *const modes[] = {"rn", "rz", "rm", "rp"};

/// Whether `result` is `exact` rounded in a mode; `exact` has more bits.
bool isRounded(long double exact, float result, unsigned mode) {
  if ((long double)result == exact)
    return true;
  const float down = (long double)result < exact
                         ? result
                         : std::nextafterf(result, -INFINITY),
              up = std::nextafterf(down, INFINITY);
  if (!((long double)down < exact && exact < (long double)up))
    return false;
  const long double below = exact - down, above = up - exact;
  switch (mode) {
  case 0:
    return below == above ? !(f32(result) & 1)
                          : result == (below < above ? down : up);
  case 1:
    return std::fabs(result) < std::fabs(exact);
  case 2:
    return result == down;
  default:
    return result == up;
  }
}

TEST(Float, EveryModeOfRandomOperands) {
  std::mt19937 random(41);
  auto any = [&] {
    return (random() & 0x807fffff) | (random() % 30 + 112) << 23;
  };
  std::vector<uint32_t> a(32), b(32), c(32);
  for (int round = 0; round < 4; ++round) {
    for (unsigned i = 0; i < 32; ++i) {
      a[i] = any();
      b[i] = any();
      c[i] = any();
    }
    auto value = [](uint32_t bits) {
      return (long double)std::bit_cast<float>(bits);
    };
    for (unsigned mode = 0; mode < 4; ++mode) {
      const std::string m = modes[mode];
      const auto sums = floats("add." + m + ".f32 %f1, %f5, %f6;", a, b),
                 differences = floats("sub." + m + ".f32 %f1, %f5, %f6;", a, b),
                 products = floats("mul." + m + ".f32 %f1, %f5, %f6;", a, b);
      for (unsigned i = 0; i < 32; ++i) {
        const long double x = value(a[i]), y = value(b[i]);
        auto check = [&](uint32_t got, long double exact, const char *what) {
          EXPECT_TRUE(isRounded(exact, std::bit_cast<float>(got), mode))
              << what << "." << m << " " << (double)x << " " << (double)y;
        };
        check(sums[i], x + y, "add");
        check(differences[i], x - y, "sub");
        check(products[i], x * y, "mul");
      }
      // Quotients and roots: 64 bits are enough to decide.
      const auto quotients = floats("div." + m + ".f32 %f1, %f5, %f6;", a, b),
                 inverses = floats("rcp." + m + ".f32 %f1, %f6;", a, b),
                 roots = floats(
                     "abs.f32 %f5, %f5; sqrt." + m + ".f32 %f1, %f5;", a, b);
      for (unsigned i = 0; i < 32; ++i) {
        const long double x = value(a[i]), y = value(b[i]);
        EXPECT_TRUE(isRounded(x / y, std::bit_cast<float>(quotients[i]), mode));
        EXPECT_TRUE(isRounded(1 / y, std::bit_cast<float>(inverses[i]), mode));
        EXPECT_TRUE(isRounded(std::sqrt(std::fabs(x)),
                              std::bit_cast<float>(roots[i]), mode));
      }
      // The halves of a pair are two f32.
      const auto pairs = floats(
          "mov.b64 %rd8, {%f5, %f6}; mov.b64 %rd9, {%f6, %f7}; fma." + m +
              ".f32x2 %rd10, %rd8, %rd9, %rd8; mov.b64 {%f1, %f2}, %rd10;",
          a, b, c);
      const auto singles =
          floats("fma." + m + ".f32 %f1, %f5, %f6, %f5;", a, b, c);
      EXPECT_EQ(pairs, singles);
    }
  }
}

TEST(Float, DirectedFusedMultiplyAdd) {
  // (1 + 2^-12)^2 - 1 has bits down to 2^-24 and 2^-48 below a unit of c.
  const uint32_t x = 0x3f800800, tiny = f32(0x1p-60f);
  EXPECT_EQ(one("fma.rp.f32 %f1, %f5, %f6, %f7;", f32(1), f32(1), tiny),
            0x3f800001u);
  EXPECT_EQ(one("fma.rm.f32 %f1, %f5, %f6, %f7;", f32(1), f32(1), tiny),
            0x3f800000u);
  EXPECT_EQ(one("fma.rz.f32 %f1, %f5, %f6, %f7;", f32(-1), f32(1), tiny),
            0xbf7fffffu);
  EXPECT_EQ(one("fma.rn.f32 %f1, %f5, %f6, %f7;", x, x, f32(-1)),
            f32(0x1p-11f + 0x1p-24f));
  // Exact zeros: negative when rounding down, unless both terms are +0.
  EXPECT_EQ(one("fma.rm.f32 %f1, %f5, %f6, %f7;", f32(1), f32(1), f32(-1)),
            0x80000000u);
  EXPECT_EQ(one("add.rm.f32 %f1, %f5, %f6;", f32(3), f32(-3)), 0x80000000u);
  EXPECT_EQ(one("add.rp.f32 %f1, %f5, %f6;", f32(3), f32(-3)), 0u);
  EXPECT_EQ(one("sub.rm.f32 %f1, %f5, %f6;", 0, 0x80000000), 0u);
  EXPECT_EQ(one("fma.rn.sat.f32 %f1, %f5, %f6, %f7;", f32(2), f32(3), 0),
            f32(1));
  EXPECT_EQ(one("fma.rn.sat.f32 %f1, %f5, %f6, %f7;", nan32, f32(3), 0), 0u);
  EXPECT_EQ(one("fma.rn.ftz.f32 %f1, %f5, %f6, %f7;", 1, f32(2), 0x80000001),
            0u); // 0 * 2 + -0
  EXPECT_EQ(one("mul.rn.f32 %f1, %f5, %f6;", infinity32, 0), 0x7fffffffu);
}

TEST(Float, Doubles) {
  const double third = 1.0 / 3;
  auto bits = [](double value) { return std::bit_cast<uint64_t>(value); };
  EXPECT_EQ(doubles("div.rn.f64 %fd1, %fd5, %fd6;", 1, 3), bits(third));
  EXPECT_EQ(doubles("div.rp.f64 %fd1, %fd5, %fd6;", 1, 3),
            bits(std::nextafter(third, 1)));
  EXPECT_EQ(doubles("div.rm.f64 %fd1, %fd5, %fd6;", -1, 3),
            bits(-std::nextafter(third, 1)));
  EXPECT_EQ(doubles("add.rp.f64 %fd1, %fd5, %fd6;", 1, 0x1p-80),
            bits(std::nextafter(1.0, 2)));
  EXPECT_EQ(doubles("add.rz.f64 %fd1, %fd5, %fd6;", 1, -0x1p-80),
            bits(std::nextafter(1.0, 0)));
  EXPECT_EQ(doubles("fma.rp.f64 %fd1, %fd5, %fd6, %fd6;", 0x1p-80, 1),
            bits(std::nextafter(1.0, 2)));
  EXPECT_EQ(doubles("sqrt.rz.f64 %fd1, %fd5;", 2),
            bits(std::nextafter(std::sqrt(2.0), 0)));
  EXPECT_EQ(doubles("rcp.rn.f64 %fd1, %fd5;", 3), bits(third));
  EXPECT_EQ(doubles("rcp.approx.ftz.f64 %fd1, %fd5;", 3),
            bits(third) & 0xffffffff00000000);
  EXPECT_EQ(doubles("min.f64 %fd1, %fd5, %fd6;", NAN, 3), bits(3));
  EXPECT_EQ(doubles("copysign.f64 %fd1, %fd5, %fd6;", -1, 3), bits(-3));
}

TEST(Float, MinAndMax) {
  const uint32_t two = f32(2), minus3 = f32(-3);
  EXPECT_EQ(one("min.f32 %f1, %f5, %f6;", 0, 0x80000000), 0x80000000u);
  EXPECT_EQ(one("max.f32 %f1, %f5, %f6;", 0x80000000, 0), 0u);
  EXPECT_EQ(one("max.f32 %f1, %f5, %f6;", nan32, nan32), 0x7fffffffu);
  EXPECT_EQ(one("max.xorsign.abs.f32 %f1, %f5, %f6;", two, minus3), minus3);
  EXPECT_EQ(one("min.xorsign.abs.f32 %f1, %f5, %f6;", f32(-2), minus3), two);
  EXPECT_EQ(one("min.xorsign.abs.f32 %f1, %f5, %f6;", nan32, minus3), minus3);
  EXPECT_EQ(one("max.ftz.NaN.xorsign.abs.f32 %f1, %f5, %f6;", nan32, minus3),
            0x7fffffffu);
  EXPECT_EQ(one("max.f32 %f1, %f5, %f6, %f7;", two, minus3, f32(7)), f32(7));
  EXPECT_EQ(one("min.f32 %f1, %f5, %f6, %f7;", nan32, minus3, f32(7)), minus3);
  EXPECT_EQ(one("min.NaN.f32 %f1, %f5, %f6, %f7;", two, minus3, nan32),
            0x7fffffffu);
  EXPECT_EQ(one("max.abs.f32 %f1, %f5, %f6, %f7;", two, minus3, f32(-1)),
            f32(3));
  EXPECT_EQ(one("max.ftz.f32 %f1, %f5, %f6;", 1, 0x80000002), 0u);
}

TEST(Float, SignsAndClasses) {
  EXPECT_EQ(one("neg.ftz.f32 %f1, %f5;", 1), 0x80000000u);
  EXPECT_EQ(one("abs.ftz.f32 %f1, %f5;", 0x80000001), 0u);
  EXPECT_EQ(one("neg.f32 %f1, %f5;", 1), 0x80000001u);
  EXPECT_EQ(one("copysign.f32 %f1, %f5, %f6;", f32(-1), f32(3)), f32(-3));
  auto test = [](const char *property, uint32_t bits) {
    return one(std::string("testp.") + property +
                   ".f32 %p1, %f5; selp.f32 %f1, 0f3F800000, 0f00000000, %p1;",
               bits) != 0;
  };
  EXPECT_TRUE(test("normal", 0));
  EXPECT_TRUE(test("normal", f32(1)));
  EXPECT_FALSE(test("normal", 1));
  EXPECT_TRUE(test("subnormal", 1));
  EXPECT_FALSE(test("subnormal", 0));
  EXPECT_TRUE(test("finite", 1));
  EXPECT_FALSE(test("finite", infinity32));
  EXPECT_FALSE(test("finite", nan32));
  EXPECT_TRUE(test("infinite", 0xff800000));
  EXPECT_TRUE(test("number", infinity32));
  EXPECT_TRUE(test("notanumber", nan32));
}

TEST(Float, ApproximateDivision) {
  const uint32_t huge = f32(0x1p127f);
  EXPECT_EQ(one("div.approx.f32 %f1, %f5, %f6;", f32(1), f32(4)), f32(0.25f));
  EXPECT_EQ(one("div.approx.f32 %f1, %f5, %f6;", f32(-1), huge), 0x80000000u);
  EXPECT_EQ(one("div.approx.f32 %f1, %f5, %f6;", infinity32, huge),
            0x7fffffffu);
  EXPECT_EQ(one("div.full.f32 %f1, %f5, %f6;", huge, huge), f32(1));
  EXPECT_EQ(one("div.approx.f32 %f1, %f5, %f6;", f32(1), 0), infinity32);
  EXPECT_EQ(one("div.full.ftz.f32 %f1, %f5, %f6;", 1, f32(1)), 0u);
}

TEST(Float, InfinitiesAndNanOfHardware) {
  EXPECT_EQ(one("div.rz.f32 %f1, %f5, %f6;", f32(-1), infinity32), 0x80000000u);
  EXPECT_EQ(one("div.rp.f32 %f1, %f5, %f6;", f32(1), infinity32), 0u);
  EXPECT_EQ(one("neg.f32 %f1, %f5;", 0xff800001), 0x7fffffffu);
  EXPECT_EQ(one("abs.f32 %f1, %f5;", 0x7fc00005), 0x7fffffffu);
}

TEST(Float, Functions) {
  EXPECT_EQ(one("rsqrt.approx.f32 %f1, %f5;", f32(4)), f32(0.5f));
  EXPECT_EQ(one("rsqrt.approx.f32 %f1, %f5;", 0x80000000), 0xff800000u);
  EXPECT_EQ(one("lg2.approx.f32 %f1, %f5;", f32(8)), f32(3));
  EXPECT_EQ(one("lg2.approx.f32 %f1, %f5;", f32(-1)), 0x7fffffffu);
  EXPECT_EQ(one("lg2.approx.ftz.f32 %f1, %f5;", 1), 0xff800000u);
  EXPECT_EQ(one("ex2.approx.f32 %f1, %f5;", f32(-140)), f32(0x1p-140f));
  EXPECT_EQ(one("ex2.approx.ftz.f32 %f1, %f5;", f32(-140)), 0u);
  EXPECT_EQ(one("ex2.approx.f32 %f1, %f5;", 0xff800000), 0u);
  EXPECT_EQ(one("sin.approx.f32 %f1, %f5;", 0x80000000), 0x80000000u);
  EXPECT_EQ(one("cos.approx.f32 %f1, %f5;", infinity32), 0x7fffffffu);
  EXPECT_EQ(one("tanh.approx.f32 %f1, %f5;", 0xff800000), f32(-1));
  EXPECT_EQ(one("rcp.rn.f32 %f1, %f5;", f32(0x1p127f)), f32(0x1p-127f));
  EXPECT_EQ(one("rcp.rn.ftz.f32 %f1, %f5;", f32(0x1p127f)), 0u);
  EXPECT_EQ(one("rcp.approx.f32 %f1, %f5;", 0x80000000), 0xff800000u);
  EXPECT_EQ(one("sqrt.rn.f32 %f1, %f5;", 0x80000000), 0x80000000u);
  EXPECT_EQ(one("sqrt.rn.f32 %f1, %f5;", f32(-1)), 0x7fffffffu);
  EXPECT_EQ(one("sqrt.rp.f32 %f1, %f5;", f32(2)), 0x3fb504f4u);
  EXPECT_EQ(one("sqrt.rz.f32 %f1, %f5;", f32(2)), 0x3fb504f3u);
}

TEST(Float, NarrowOperands) {
  const std::string split = "mov.b32 %r20, %f5; mov.b32 {%rs1, %rs2}, %r20; ";
  EXPECT_EQ(one(split + "add.f32.f16 %f1, %rs1, %f6;", 0x3c00, f32(0.5f)),
            f32(1.5f));
  EXPECT_EQ(
      one(split + "sub.rz.f32.bf16 %f1, %rs1, %f6;", 0x3f80, f32(0x1p-30f)),
      0x3f7fffffu);
  EXPECT_EQ(one(split + "fma.rn.sat.f32.f16 %f1, %rs1, %rs2, %f6;", 0x40004000,
                f32(-3.5f)),
            f32(0.5f));
  EXPECT_EQ(one(split + "fma.rp.f32.bf16 %f1, %rs1, %rs2, %f6;", 0x3f803f80,
                f32(0x1p-40f)),
            0x3f800001u);
}

TEST(Float, FormsThatDoNotExistAreRefused) {
  for (const char *text :
       {"fma.f32 %f1, %f2, %f3, %f4;", "add.sat.f64 %fd1, %fd2, %fd3;",
        "sin.f32 %f1, %f2;", "sqrt.f32 %f1, %f2;",
        "tanh.approx.f64 %fd1, %fd2;", "ex2.approx.bf16 %rs1, %rs2;",
        "add.rz.f16 %rs1, %rs2, %rs3;", "add.sat.bf16 %rs1, %rs2, %rs3;",
        "mul.relu.f16 %rs1, %rs2, %rs3;", "min.abs.f32 %f1, %f2, %f3;",
        "max.f64 %fd1, %fd2, %fd3, %fd4;", "mul.f32.f16 %f1, %rs1, %f2;",
        "div.full.f64 %fd1, %fd2, %fd3;"})
    EXPECT_TRUE(runBody(text).has(Check::Unsupported)) << text;
}

} // namespace
