//===- MmaTest.cpp - mma on every element type ----------------------------===//
//
// Random operands as dense matrices, distributed over registers by the tables
// of the PTX document, multiplied by plain loops.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/NarrowFloats.h"
#include "test/unit/Emulator/Harness.h"
#include "test/unit/Emulator/TensorCoreModel.h"

#include <cmath>
#include <functional>
#include <random>

using namespace wna16::emulator;

namespace {

struct Case {
  std::string opcode;
  unsigned m, k;
  unsigned bits; ///< of an element's container
  std::function<uint32_t(std::mt19937 &)> any;
  std::function<double(uint32_t)> decodeA, decodeB;
};

/// Registers of operand text "{%rFIRST, ..}".
std::string vectorOf(const char *prefix, unsigned first, unsigned count) {
  std::string out = "{";
  for (unsigned i = 0; i < count; ++i)
    out += (i ? ", " : "") + std::string(prefix) + std::to_string(first + i);
  return out + "}";
}

/// Runs `test` with C given by register; returns D's registers, 32 words each.
std::vector<uint32_t> runMma(const Case &test, std::vector<uint32_t> in,
                             unsigned numC) {
  const unsigned perRegister = 32 / test.bits,
                 numB = test.k / (4 * perRegister), numA = numB * test.m / 8,
                 total = numA + numB + numC;
  std::string body;
  for (unsigned i = 0; i < total; ++i)
    body += "ld.global.b32 %r" + std::to_string(40 + i) + ", [%rd4+" +
            std::to_string(i * 128) + "];\n";
  body += test.opcode + " " + vectorOf("%r", 60, numC) + ", " +
          vectorOf("%r", 40, numA) + ", " + vectorOf("%r", 40 + numA, numB) +
          ", " + vectorOf("%r", 40 + numA + numB, numC) + ";\n";
  for (unsigned i = 0; i < numC; ++i)
    body += "st.global.b32 [%rd5+" + std::to_string(i * 128) + "], %r" +
            std::to_string(60 + i) + ";\n";
  Outcome outcome = runBody(body, std::move(in));
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  return outcome.out;
}

/// Dense operands and the registers that hold them.
struct Operands {
  double a[16][256], b[256][8];
  std::vector<uint32_t> registers;
};
Operands makeOperands(const Case &test, std::mt19937 &random, unsigned numC) {
  const unsigned e = 32 / test.bits, numB = test.k / (4 * e),
                 numA = numB * test.m / 8;
  const uint32_t field = test.bits == 32 ? ~0u : (1u << test.bits) - 1;
  Operands out;
  out.registers.resize((numA + numB + numC) * 32);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < numA + numB; ++i)
      for (unsigned j = 0; j < e; ++j) {
        const uint32_t value = test.any(random) & field;
        out.registers[i * 32 + lane] |= value << (test.bits * j);
        const unsigned k = lane % 4 * e + j;
        if (i >= numA)
          out.b[k + (i - numA) * 4 * e][lane / 4] = test.decodeB(value);
        else if (test.m == 16)
          out.a[lane / 4 + i % 2 * 8][k + i / 2 * 4 * e] = test.decodeA(value);
        else
          out.a[lane / 4][k + i * 4 * e] = test.decodeA(value);
      }
  return out;
}

/// What a tensor core makes of every `step`-th pair along K.
long double partialSum(const Operands &operands, unsigned row, unsigned column,
                       unsigned first, unsigned end, unsigned step,
                       model::Element c, int least = -14) {
  std::vector<model::Element> a, b;
  for (unsigned k = first; k < end; k += step)
    for (unsigned j = k; j < k + (step > 1 ? 2 : 1); ++j) {
      a.push_back({operands.a[row][j], least});
      b.push_back({operands.b[j][column], least});
    }
  return model::sum(a, b, c);
}

/// fp32 result; 8-bit elements become two sums of fp16 and an addition.
float expectedSum(const Case &test, const Operands &operands, unsigned row,
                  unsigned column, float c) {
  const int least = test.bits == 32 ? -126 : -14;
  if (test.bits > 8)
    return model::toFloat(
        partialSum(operands, row, column, 0, test.k, 1, {c, -126}, least));
  const float first = model::toFloat(
      partialSum(operands, row, column, 0, test.k, 4, {0.0, -126}));
  return model::toFloat(
             partialSum(operands, row, column, 2, test.k, 4, {first, -126})) +
         c;
}

std::function<double(uint32_t)> narrow(Narrow type, unsigned shift = 0) {
  return [=](uint32_t bits) { return narrowToDouble(type, bits >> shift); };
}
/// Any byte that is a finite number of magnitude below 64.
uint32_t smallFp8(std::mt19937 &random) {
  const uint32_t bits = random();
  return (bits & 0x83) | (bits >> 8 & 7) << 3;
}

TEST(Mma, FloatElements) {
  auto tf32 = [](uint32_t bits) { return double(tf32ToFloat(bits)); };
  auto anyTf32 = [](std::mt19937 &random) {
    return std::bit_cast<uint32_t>(float(int(random() % 20001) - 10000) / 64);
  };
  auto anyByte = [](std::mt19937 &random) { return random(); };
  auto half = [](uint32_t bits) { return double(halfToFloat(bits)); };
  auto anyHalf = [](std::mt19937 &random) {
    return floatToHalf(float(int(random() % 2001) - 1000) / 256);
  };
  const std::string mma = "mma.sync.aligned.";
  const Case cases[] = {
      {mma + "m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 16, anyHalf, half, half},
      {mma + "m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4, 32, anyTf32, tf32,
       tf32},
      {mma + "m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 32, anyTf32, tf32,
       tf32},
      {mma + "m16n8k16.row.col.f32.e4m3.e4m3.f32", 16, 16, 8, smallFp8,
       narrow(Narrow::E4M3), narrow(Narrow::E4M3)},
      {mma + "m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 32, 8, smallFp8,
       narrow(Narrow::E4M3), narrow(Narrow::E5M2)},
      {mma + "m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", 16, 32, 8,
       anyByte, narrow(Narrow::E2M1, 2), narrow(Narrow::E3M2)},
      {mma + "m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e2m3.f32", 16, 32, 8,
       anyByte, narrow(Narrow::E2M3), narrow(Narrow::E2M3)}};
  std::mt19937 random(21);
  for (const Case &test : cases) {
    Operands operands = makeOperands(test, random, 4);
    const size_t firstC = operands.registers.size() - 128;
    for (unsigned i = 0; i < 128; ++i)
      operands.registers[firstC + i] =
          std::bit_cast<uint32_t>(float(random() % 1000) / 7);
    const auto out = runMma(test, operands.registers, 4);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned row = lane / 4 + i / 2 * 8,
                       column = lane % 4 * 2 + i % 2;
        const float c =
            std::bit_cast<float>(operands.registers[firstC + i * 32 + lane]);
        EXPECT_EQ(std::bit_cast<float>(out[i * 32 + lane]),
                  expectedSum(test, operands, row, column, c))
            << test.opcode;
      }
  }
}

TEST(Mma, HalfAccumulators) {
  auto half = [](uint32_t bits) { return double(halfToFloat(bits)); };
  auto anyHalf = [](std::mt19937 &random) {
    return floatToHalf(float(int(random() % 2001) - 1000) / 256);
  };
  const Case cases[] = {{"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 16,
                         8, 16, anyHalf, half, half},
                        {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
                         16, 16, 16, anyHalf, half, half},
                        {"mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16",
                         16, 32, 8, smallFp8, narrow(Narrow::E5M2),
                         narrow(Narrow::E4M3)}};
  std::mt19937 random(22);
  for (const Case &test : cases) {
    Operands operands = makeOperands(test, random, 2);
    const size_t firstC = operands.registers.size() - 64;
    for (unsigned i = 0; i < 64; ++i)
      operands.registers[firstC + i] = floatToHalf(float(random() % 100) / 8) |
                                       floatToHalf(-float(random() % 100) / 8)
                                           << 16;
    const auto out = runMma(test, operands.registers, 2);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned row = lane / 4 + i / 2 * 8,
                       column = lane % 4 * 2 + i % 2, shift = i % 2 * 16;
        const float c = float(half(
            operands.registers[firstC + i / 2 * 32 + lane] >> shift & 0xffff));
        EXPECT_EQ(out[i / 2 * 32 + lane] >> shift & 0xffff,
                  test.bits == 8
                      ? floatToHalf(expectedSum(test, operands, row, column, c))
                      : roundToHalf(double(partialSum(operands, row, column, 0,
                                                      test.k, 1, {c, -14})),
                                    Rounding::Nearest))
            << test.opcode;
      }
  }
}

TEST(Mma, IntegerElements) {
  auto any = [](std::mt19937 &random) { return random(); };
  auto plain = [](uint32_t bits) { return double(bits); };
  auto signedBits = [](unsigned width) {
    return [=](uint32_t bits) {
      return bits >> (width - 1) & 1 ? double(bits) - double(1u << width)
                                     : double(bits);
    };
  };
  const std::string mma = "mma.sync.aligned.";
  const Case cases[] = {{mma + "m8n8k16.row.col.s32.u8.s8.s32", 8, 16, 8, any,
                         plain, signedBits(8)},
                        {mma + "m16n8k16.row.col.s32.s8.s8.s32", 16, 16, 8, any,
                         signedBits(8), signedBits(8)},
                        {mma + "m16n8k32.row.col.satfinite.s32.s8.u8.s32", 16,
                         32, 8, any, signedBits(8), plain},
                        {mma + "m8n8k32.row.col.s32.s4.u4.s32", 8, 32, 4, any,
                         signedBits(4), plain},
                        {mma + "m16n8k64.row.col.s32.u4.s4.s32", 16, 64, 4, any,
                         plain, signedBits(4)},
                        {mma + "m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16,
                         128, 1, any, plain, plain},
                        {mma + "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16,
                         256, 1, any, plain, plain}};
  std::mt19937 random(23);
  for (const Case &test : cases) {
    const unsigned numC = test.m / 4;
    const bool exclusive = test.opcode.find("xor") != std::string::npos;
    const bool saturating = test.opcode.find("satfinite") != std::string::npos;
    Operands operands = makeOperands(test, random, numC);
    const size_t firstC = operands.registers.size() - 32 * numC;
    for (unsigned i = 0; i < 32 * numC; ++i) // near both ends
      operands.registers[firstC + i] =
          (random() & 1 ? 0x7fffffff : 0x80000000) + random() % 1024 - 512;
    const auto out = runMma(test, operands.registers, numC);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < numC; ++i) {
        const unsigned row = lane / 4 + i / 2 * 8,
                       column = lane % 4 * 2 + i % 2;
        int64_t sum = int32_t(operands.registers[firstC + i * 32 + lane]);
        for (unsigned k = 0; k < test.k; ++k) {
          const double x = operands.a[row][k], y = operands.b[k][column];
          sum += exclusive ? x != y : int64_t(x * y);
        }
        if (saturating)
          sum = std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX);
        EXPECT_EQ(out[i * 32 + lane], uint32_t(sum)) << test.opcode;
      }
  }
}

TEST(Mma, Doubles) {
  // A(row, k) = row + 16 k, B(k, column) = column - k, C = row * column: exact.
  struct Shape {
    unsigned m, k;
  };
  for (const Shape shape :
       {Shape{8, 4}, Shape{16, 4}, Shape{16, 8}, Shape{16, 16}}) {
    const unsigned numB = shape.k / 4, numA = numB * shape.m / 8,
                   numC = shape.m / 4;
    std::string body = ".reg .f64 %a<8>, %b<4>, %c<4>, %d<4>, %t<4>;\n"
                       "shr.u32 %r20, %r1, 2; and.b32 %r21, %r1, 3;\n"
                       "cvt.rn.f64.u32 %t0, %r20; cvt.rn.f64.u32 %t1, %r21;\n";
    auto number = [](double value) {
      char text[24];
      std::snprintf(text, sizeof(text), "0d%016llx",
                    (unsigned long long)std::bit_cast<uint64_t>(value));
      return std::string(text);
    };
    for (unsigned i = 0; i < numA; ++i) {
      const unsigned row = shape.m == 16 ? i % 2 * 8 : 0,
                     k = (shape.m == 16 ? i / 2 : i) * 4;
      body += "fma.rn.f64 %a" + std::to_string(i) + ", %t1, " + number(16) +
              ", %t0; add.f64 %a" + std::to_string(i) + ", %a" +
              std::to_string(i) + ", " + number(row + 16 * k) + ";\n";
    }
    for (unsigned i = 0; i < numB; ++i)
      body += "sub.f64 %b" + std::to_string(i) + ", %t0, %t1; sub.f64 %b" +
              std::to_string(i) + ", %b" + std::to_string(i) + ", " +
              number(4 * i) + ";\n";
    for (unsigned i = 0; i < numC; ++i)
      body += "fma.rn.f64 %t2, %t1, " + number(2) + ", " + number(i % 2) +
              "; add.f64 %t3, %t0, " + number(i / 2 * 8) + "; mul.f64 %c" +
              std::to_string(i) + ", %t2, %t3;\n";
    body += "mma.sync.aligned.m" + std::to_string(shape.m) + "n8k" +
            std::to_string(shape.k) + ".row.col.f64.f64.f64.f64 " +
            vectorOf("%d", 0, numC) + ", " + vectorOf("%a", 0, numA) + ", " +
            vectorOf("%b", 0, numB) + ", " + vectorOf("%c", 0, numC) + ";\n";
    for (unsigned i = 0; i < numC; ++i)
      body += "cvt.rn.f32.f64 %f1, %d" + std::to_string(i) +
              "; st.global.f32 [%rd5+" + std::to_string(i * 128) + "], %f1;\n";
    const Outcome outcome = runBody(body);
    for (const Report &report : outcome.reports)
      ADD_FAILURE() << report.str();
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < numC; ++i) {
        const int row = int(lane / 4 + i / 2 * 8),
                  column = int(lane % 4 * 2 + i % 2);
        int sum = row * column;
        for (int k = 0; k < int(shape.k); ++k)
          sum += (row + 16 * k) * (column - k);
        EXPECT_EQ(std::bit_cast<float>(outcome.out[i * 32 + lane]), float(sum));
      }
  }
}

TEST(Mma, ResultMayReplaceAPermutedAccumulator) {
  const auto out = lanes("mov.u32 %r40, 0; mov.u32 %r41, 1; mov.u32 %r42, 2;"
                         "mov.u32 %r43, 3; mov.u32 %r44, 4;"
                         "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 "
                         "{%r42, %r41, %r44, %r43}, {%r40, %r40}, {%r40}, "
                         "{%r41, %r42, %r43, %r44};"
                         "mad.lo.u32 %r10, %r42, 10, %r41;"
                         "mad.lo.u32 %r10, %r10, 10, %r44;"
                         "mad.lo.u32 %r10, %r10, 10, %r43;");
  EXPECT_EQ(out[0], 1234u);
}

TEST(Mma, UndefinedRowsOfEveryType) {
  // Lanes 4 to 7 hold row 1 of A: undefined there, D is undefined there alone.
  const std::string body = R"(
mov.u32 %r40, 0;
setp.ne.u32 %p1, %r1, 5;
@%p1 mov.u32 %r41, 0;
)";
  const std::string forms[] = {
      "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%r42, %r43, %r44, "
      "%r45}, {%r41, %r40}, {%r40}, {%r40, %r40, %r40, %r40};",
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r42, %r43}, {%r41, "
      "%r40}, {%r40}, {%r40, %r40};",
      "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%r42, %r43, %r44, "
      "%r45}, {%r41, %r40}, {%r40}, {%r40, %r40, %r40, %r40};"};
  for (const std::string &form : forms) {
    const std::string store = "shr.u32 %r46, %r1, 2; setp.ne.u32 %p2, %r46, 1;"
                              "@%p2 st.global.b32 [%rd5], %r42;";
    EXPECT_TRUE(runBody(body + form + store).reports.empty()) << form;
    const Outcome bad =
        runBody(body + form + store + "@!%p2 st.global.b32 [%rd5], %r42;");
    ASSERT_EQ(bad.reports.size(), 1u) << form;
    EXPECT_EQ(bad.reports[0].lane, 4) << form;
  }
}

TEST(Mma, UndefinedHalvesOfAnAccumulator) {
  const std::string body =
      "mov.u32 %r40, 0; mov.b32 {%rs1, %rs2}, %r40; mov.b32 %r41, {%rs1, %rs9};"
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r42, %r43}, {%r40, "
      "%r40}, {%r40}, {%r41, %r40};";
  EXPECT_TRUE(runBody(body + "st.global.b16 [%rd5], %r42; st.global.b32 "
                             "[%rd5+128], %r43;")
                  .reports.empty());
  EXPECT_TRUE(
      runBody(body + "st.global.b32 [%rd5], %r42;").has(Check::Uninitialized));
}

TEST(Mma, FormsThatDoNotExistAreRefused) {
  auto refusal = [](const std::string &text) {
    const Outcome outcome = runBody(text);
    return outcome.reports.size() == 1 &&
                   outcome.reports[0].check == Check::Unsupported
               ? outcome.reports[0].message
               : "accepted";
  };
  EXPECT_NE(refusal("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
                    "{%f1}, {%r1}, {%r1}, {%f1}, %r1, 0;")
                .find("sparse mma is not supported"),
            std::string::npos);
  EXPECT_NE(refusal("mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
                    "{%f1}, {%r1}, {%r1}, {%f1};")
                .find("expected .m16n8k8 or .m16n8k16"),
            std::string::npos);
  EXPECT_NE(refusal("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1}, "
                    "{%r1}, {%r1}, {%f1};")
                .find("use .m16n8k8"),
            std::string::npos);
  EXPECT_NE(refusal("mma.sync.aligned.m16n8k32.row.col.f32.e2m1.e2m1.f32 "
                    "{%f1}, {%r1}, {%r1}, {%f1};")
                .find("need .kind::f8f6f4"),
            std::string::npos);
}

} // namespace
