//===- ConvertTest.cpp - cvt, narrow floats, cvt.pack ---------------------===//
//
// Narrow formats: every value against its definition, every midpoint between
// neighbours against round-to-nearest-even. Single values of the other forms.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/NarrowFloats.h"
#include "test/unit/Emulator/Harness.h"

#include <bit>
#include <cmath>

using namespace wna16::emulator;

namespace {

uint32_t f32(float value) { return std::bit_cast<uint32_t>(value); }

/// `text` on %r5 to %r7 (and %f5 to %f7) leaves %r10.
uint32_t convert(const std::string &text, uint32_t a, uint32_t b = 0,
                 uint32_t c = 0) {
  return lane0("ld.global.u32 %r6, [%rd1+4]; ld.global.u32 %r7, [%rd1+8];"
               "mov.b32 %f5, %r5; mov.b32 %f6, %r6; mov.b32 %f7, %r7;"
               "cvt.u16.u32 %rs5, %r5;\n" +
                   text,
               {a, b, c});
}

/// The value of a finite number by the definition of its fields.
double define(uint32_t bits, int exponentBits, int mantissaBits, int bias) {
  const uint32_t mantissa = bits & ((1u << mantissaBits) - 1);
  const int exponent = int(bits >> mantissaBits & ((1u << exponentBits) - 1));
  const double sign = bits >> (exponentBits + mantissaBits) & 1 ? -1 : 1;
  return exponent ? sign * std::pow(2, exponent - bias) *
                        (1 + mantissa / std::pow(2, mantissaBits))
                  : sign * std::pow(2, 1 - bias) * mantissa /
                        std::pow(2, mantissaBits);
}

struct Format {
  Narrow type;
  int exponentBits, mantissaBits, bias;
  uint32_t largest;
};
const Format formats[] = {{Narrow::E4M3, 4, 3, 7, 0x7e},
                          {Narrow::E5M2, 5, 2, 15, 0x7b},
                          {Narrow::E3M2, 3, 2, 3, 0x1f},
                          {Narrow::E2M3, 2, 3, 1, 0x1f},
                          {Narrow::E2M1, 2, 1, 1, 0x07}};

TEST(NarrowFloats, ValuesAndMidpoints) {
  for (const Format &f : formats) {
    const uint32_t sign = 1u << (f.exponentBits + f.mantissaBits);
    for (uint32_t bits = 0; bits <= f.largest; ++bits) {
      const double value = define(bits, f.exponentBits, f.mantissaBits, f.bias);
      EXPECT_EQ(narrowToDouble(f.type, bits), value) << bits;
      EXPECT_EQ(narrowToDouble(f.type, bits | sign), -value) << bits;
      EXPECT_EQ(roundToNarrow(f.type, value), bits);
      EXPECT_EQ(roundToNarrow(f.type, -value), bits | sign);
      if (bits == f.largest)
        break;
      const double next =
          define(bits + 1, f.exponentBits, f.mantissaBits, f.bias);
      const double middle = (value + next) / 2;
      EXPECT_EQ(roundToNarrow(f.type, middle), bits + (bits & 1)) << bits;
      EXPECT_EQ(roundToNarrow(f.type, std::nextafter(middle, 0)), bits);
      EXPECT_EQ(roundToNarrow(f.type, std::nextafter(middle, 1e9)), bits + 1);
    }
    EXPECT_EQ(roundToNarrow(f.type, 1e30), f.largest);
    EXPECT_EQ(roundToNarrow(f.type, -INFINITY), f.largest | sign);
  }
  EXPECT_EQ(roundToNarrow(Narrow::E4M3, NAN), 0x7fu);
  EXPECT_EQ(roundToNarrow(Narrow::E5M2, NAN), 0x7fu);
  EXPECT_EQ(roundToNarrow(Narrow::E2M1, NAN), 0x7u); // there is no NaN
  EXPECT_TRUE(std::isnan(narrowToDouble(Narrow::E4M3, 0xff)));
  EXPECT_TRUE(std::isnan(narrowToDouble(Narrow::E5M2, 0x7d)));
  EXPECT_EQ(narrowToDouble(Narrow::E5M2, 0xfc), -INFINITY);
}

TEST(NarrowFloats, Scales) {
  EXPECT_EQ(roundToScale(1.0, Rounding::Zero, true), 127u);
  EXPECT_EQ(roundToScale(-1.5, Rounding::Zero, true), 127u);
  EXPECT_EQ(roundToScale(1.5, Rounding::Up, true), 128u);
  EXPECT_EQ(roundToScale(2.0, Rounding::Up, true), 128u);
  EXPECT_EQ(roundToScale(0, Rounding::Up, true), 0u);
  EXPECT_EQ(roundToScale(0x1.8p-127, Rounding::Up, true), 1u);
  EXPECT_EQ(roundToScale(0x1.8p-127, Rounding::Zero, true), 0u);
  EXPECT_EQ(roundToScale(0x1.8p127, Rounding::Up, true), 0xfeu);
  EXPECT_EQ(roundToScale(0x1.8p127, Rounding::Up, false), 0xffu);
  EXPECT_EQ(roundToScale(INFINITY, Rounding::Zero, true), 0xfeu);
  EXPECT_EQ(roundToScale(NAN, Rounding::Zero, true), 0xffu);
  EXPECT_EQ(narrowToDouble(Narrow::UE8M0, 0), 0x1p-127);
  EXPECT_EQ(narrowToDouble(Narrow::UE8M0, 0xfe), 0x1p127);
}

TEST(Convert, NarrowFloats) {
  const std::string wide = "cvt.u32.u16 %r10, %rs6;";
  EXPECT_EQ(convert("cvt.rn.satfinite.e4m3x2.f32 %rs6, %f5, %f6;" + wide,
                    f32(1), f32(-1000)),
            0x38feu);
  EXPECT_EQ(convert("cvt.rn.satfinite.relu.e5m2x2.f32 %rs6, %f5, %f6;" + wide,
                    f32(1.125f), f32(-1)),
            0x3c00u); // the tie goes to even
  EXPECT_EQ(
      convert("cvt.rn.satfinite.e4m3x2.f16x2 %rs6, %r5;" + wide, 0x3c007e00),
      0x387fu);
  EXPECT_EQ(convert("cvt.rn.f16x2.e4m3x2 %r10, %rs5;", 0x3801), 0x3c001800u);
  EXPECT_EQ(convert("cvt.rn.relu.f16x2.e5m2x2 %r10, %rs5;", 0xbc7c),
            0x00007c00u);
  EXPECT_EQ(convert("cvt.rn.satfinite.e2m3x2.f32 %rs6, %f5, %f6;" + wide,
                    f32(1), f32(7.5f)),
            0x081fu);
  EXPECT_EQ(convert("cvt.rn.f16x2.e3m2x2 %r10, %rs5;", 0x1f20), 0x4f008000u);
  EXPECT_EQ(convert(".reg .b8 %b1; cvt.rn.satfinite.e2m1x2.f32 %b1, %f5, %f6; "
                    "cvt.rn.f16x2.e2m1x2 %r10, %b1;",
                    f32(-5.1f), f32(0.2f)),
            0xc6000000u); // -6 and 0
  EXPECT_EQ(convert("cvt.rp.satfinite.ue8m0x2.f32 %rs6, %f5, %f6;" + wide,
                    f32(3), f32(0.5f)),
            0x817eu);
  EXPECT_EQ(convert("cvt.rz.ue8m0x2.bf16x2 %rs6, %r5;" + wide, 0x7f804040),
            0xff80u);
  EXPECT_EQ(convert("cvt.rn.bf16x2.ue8m0x2 %r10, %rs5;", 0x00ff), 0x00407fffu);
}

TEST(Convert, Tf32) {
  auto tf32 = [](const char *mode, uint32_t bits) {
    return convert(std::string("cvt.") + mode + ".tf32.f32 %r10, %f5;", bits);
  };
  EXPECT_EQ(tf32("rna", 0x3f801000), 0x3f802000u); // ties away from zero
  EXPECT_EQ(tf32("rna", 0xbf800fff), 0xbf800000u);
  EXPECT_EQ(tf32("rn", 0x3f801000), 0x3f800000u); // ties to even
  EXPECT_EQ(tf32("rn", 0x3f803000), 0x3f804000u);
  EXPECT_EQ(tf32("rn", 0x3f801001), 0x3f802000u);
  EXPECT_EQ(tf32("rz", 0x3f801fff), 0x3f800000u);
  EXPECT_EQ(tf32("rn.relu", 0xbf800000), 0u);
  EXPECT_EQ(tf32("rna", 0x7f7fffff), 0x7f800000u);
  EXPECT_EQ(tf32("rna.satfinite", 0x7f7fffff), 0x7f7fe000u);
  EXPECT_EQ(tf32("rn.satfinite", 0xff800000), 0xff7fe000u);
  EXPECT_EQ(tf32("rn", 0x7f800001), 0x7fffe000u);
  EXPECT_EQ(tf32("rna", 0x00001000), 0x00002000u); // subnormals too
}

TEST(Convert, PacksIntegers) {
  EXPECT_EQ(
      convert("cvt.pack.sat.s16.s32 %r10, %r5, %r6;", 40000, uint32_t(-40000)),
      0x7fff8000u);
  EXPECT_EQ(
      convert("cvt.pack.sat.u16.s32 %r10, %r5, %r6;", 70000, uint32_t(-1)),
      0xffff0000u);
  EXPECT_EQ(convert("cvt.pack.sat.u8.s32.b32 %r10, %r5, %r6, %r7;", 300, 5,
                    0x12345678),
            0x5678ff05u);
  EXPECT_EQ(convert("cvt.pack.sat.s4.s32.b32 %r10, %r5, %r6, %r7;",
                    uint32_t(-9), 3, 0xabcdef),
            0xabcdef83u);
  EXPECT_EQ(
      convert("cvt.pack.sat.u2.s32.b32 %r10, %r5, %r6, %r7;", 2, 9, 0xffffffff),
      0xfffffffbu);
}

TEST(Convert, SaturationAndRounding) {
  const std::string wide = " cvt.u32.u16 %r10, %rs6;";
  EXPECT_EQ(convert("cvt.rn.satfinite.f16.f32 %rs6, %f5;" + wide, f32(1e6f)),
            0x7bffu);
  EXPECT_EQ(convert("cvt.rn.relu.f16.f32 %rs6, %f5;" + wide, f32(-1)), 0u);
  EXPECT_EQ(convert("cvt.rn.relu.bf16.f32 %rs6, %f5;" + wide, 0x7fc00000),
            0x7fffu);
  EXPECT_EQ(
      convert("cvt.rz.f16x2.f32 %r10, %f5, %f6;", f32(1.9999f), f32(-1.9999f)),
      0x3fffbfffu);
  EXPECT_EQ(convert("cvt.rn.relu.satfinite.bf16x2.f32 %r10, %f5, %f6;",
                    0x7f7fffff, f32(-2)),
            0x7f7f0000u);
  EXPECT_EQ(convert("cvt.rpi.f32.f32 %f1, %f5; mov.b32 %r10, %f1;", f32(1.1f)),
            f32(2));
  EXPECT_EQ(convert("cvt.sat.f32.f32 %f1, %f5; mov.b32 %r10, %f1;", 0x7fc00000),
            0u);
  EXPECT_EQ(convert("cvt.ftz.f32.f32 %f1, %f5; mov.b32 %r10, %f1;", 0x80000001),
            0x80000000u);
  // NaN to integer: zero, unless one side has 64 bits.
  const std::string f64 = "cvt.f64.f32 %fd1, %f5; ";
  EXPECT_EQ(convert("cvt.rzi.u32.f32 %r10, %f5;", 0x7fc00000), 0u);
  EXPECT_EQ(convert(f64 + "cvt.rzi.u32.f64 %r10, %fd1;", 0x7fc00000),
            0x80000000u);
  EXPECT_EQ(convert("cvt.rzi.s64.f32 %rd8, %f5; shr.u64 %rd8, %rd8, 63; "
                    "cvt.u32.u64 %r10, %rd8;",
                    0x7fc00000),
            1u);
  EXPECT_EQ(convert("cvt.rzi.s32.f32 %r10, %f5;", f32(3e9f)), 0x7fffffffu);
  EXPECT_EQ(convert("cvt.rni.s8.f32 %r10, %f5;", f32(-1000)), 0xffffff80u);
  EXPECT_EQ(convert("cvt.sat.u8.s32 %r10, %r5;", uint32_t(-5)), 0u);
  EXPECT_EQ(convert("cvt.sat.s8.s32 %r10, %r5;", 200), 127u);
  // 2^53 + 1 in every mode.
  auto high = [&](const char *mode, const char *value) {
    return convert(std::string("mov.u64 %rd8, ") + value + "; cvt." + mode +
                       ".f64.s64 %fd1, %rd8; mov.b64 %rd9, %fd1;"
                       "cvt.u32.u64 %r10, %rd9;",
                   0);
  };
  EXPECT_EQ(high("rn", "0x20000000000001"), 0u);
  EXPECT_EQ(high("rp", "0x20000000000001"), 1u);
  EXPECT_EQ(high("rz", "0x20000000000003"), 1u);
  EXPECT_EQ(high("rn", "0x20000000000003"), 2u);
  EXPECT_EQ(high("rm", "0xffdfffffffffffff"), 1u); // -(2^53 + 1)
  EXPECT_EQ(high("rp", "0xffdfffffffffffff"), 0u);
}

TEST(Convert, UndefinedElementsStayApart) {
  auto reports = [](const std::string &body) {
    return runBody("ld.global.f32 %f5, [%rd4];\n" + body).reports.size();
  };
  const std::string pack = "cvt.rn.satfinite.e4m3x2.f32 %rs6, %f30, %f5;"
                           "cvt.u32.u16 %r6, %rs6;";
  EXPECT_EQ(reports(pack + "st.global.b8 [%rd5], %r6;"), 0u);
  EXPECT_EQ(reports(pack + "st.global.b16 [%rd5], %r6;"), 1u);
  const std::string unpack = pack + "cvt.rn.f16x2.e4m3x2 %r7, %rs6;";
  EXPECT_EQ(reports(unpack + "st.global.b16 [%rd5], %r7;"), 0u);
  EXPECT_EQ(reports(unpack + "st.global.b32 [%rd5], %r7;"), 1u);
}

TEST(Convert, FormsThatDoNotExistAreRefused) {
  auto refused = [](const std::string &text) {
    return runBody(text).has(Check::Unsupported);
  };
  EXPECT_TRUE(refused("cvt.rn.e4m3x2.f32 %rs1, %f1, %f2;"));
  EXPECT_TRUE(refused("cvt.rn.satfinite.e4m3x2.bf16x2 %rs1, %r1;"));
  EXPECT_TRUE(refused("cvt.rs.f16x2.f32 %r10, %f1, %f2, %r3;"));
  EXPECT_TRUE(refused("cvt.rn.satfinite.f64.f32 %fd1, %f2;"));
  EXPECT_TRUE(refused("cvt.rna.relu.tf32.f32 %r1, %f2;"));
  EXPECT_TRUE(refused("cvt.b32.u32 %r1, %r2;"));
}

} // namespace
