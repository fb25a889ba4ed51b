//===- AtomicTest.cpp - atom and red, also on vectors and 128 bits --------===//
//
// Values by hand. Every lane works on its own bytes unless said otherwise.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/AtomicOps.h"
#include "test/unit/Emulator/Harness.h"

#include <bit>

using namespace wna16::emulator;

namespace {

uint32_t f32(float value) { return std::bit_cast<uint32_t>(value); }

/// 32-bit result of an operation.
uint32_t apply(AtomicOp op, Type type, uint32_t old, uint32_t b,
               bool flushes = false) {
  uint32_t out = 0, c = 0;
  auto bytes = [](const uint32_t &value) {
    return reinterpret_cast<const uint8_t *>(&value);
  };
  applyAtomic(op, type, flushes, bytes(old), bytes(b), bytes(c),
              reinterpret_cast<uint8_t *>(&out));
  return out;
}

TEST(Atomic, Values) {
  EXPECT_EQ(apply(AtomicOp::Inc, Type::U32, 5, 5), 0u);
  EXPECT_EQ(apply(AtomicOp::Inc, Type::U32, 4, 5), 5u);
  EXPECT_EQ(apply(AtomicOp::Dec, Type::U32, 0, 5), 5u);
  EXPECT_EQ(apply(AtomicOp::Dec, Type::U32, 6, 5), 5u);
  EXPECT_EQ(apply(AtomicOp::Dec, Type::U32, 5, 5), 4u);
  EXPECT_EQ(apply(AtomicOp::Min, Type::S32, uint32_t(-1), 1), uint32_t(-1));
  EXPECT_EQ(apply(AtomicOp::Min, Type::U32, uint32_t(-1), 1), 1u);
  EXPECT_EQ(apply(AtomicOp::Add, Type::F16x2, 0x3c003c00, 0x7c004000),
            0x7c004200u);
  EXPECT_EQ(apply(AtomicOp::Add, Type::BF16x2, 0x3f803f80, 0x3b803f80),
            0x3f804000u); // 1 + 2^-8 is a tie
  EXPECT_EQ(apply(AtomicOp::Min, Type::F16x2, 0x7e000000, 0x3c008000),
            0x3c008000u); // a NaN loses, -0 < +0
  EXPECT_EQ(apply(AtomicOp::Max, Type::BF16x2, 0xff803f80, 0x7fc04000),
            0xff804000u);
  // Global memory flushes subnormal fp32.
  EXPECT_EQ(apply(AtomicOp::Add, Type::F32, 1, 1), 2u);
  EXPECT_EQ(apply(AtomicOp::Add, Type::F32, 1, 0x80000001, true), 0u);
  EXPECT_EQ(apply(AtomicOp::Add, Type::F32, 0x80000001, 0x80000001, true),
            0x80000000u);
}

/// Runs `text` where %rd8 points to 16 bytes {1.5, 2.5, 3.5, 4.5} per lane of
/// the output; returns lane 1's bytes and %r10 to %r13 behind them.
std::vector<uint32_t> onVector(const std::string &text) {
  const Outcome outcome = runBody(
      R"(
mul.wide.u32 %rd8, %r1, 16; add.s64 %rd8, %rd2, %rd8;
mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;
st.global.v4.b32 [%rd8], {0x3FC00000, 0x40200000, 0x40600000, 0x40900000};
)" + text +
      "st.global.v4.b32 [%rd8+512], {%r10, %r11, %r12, %r13};");
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  std::vector<uint32_t> out(outcome.out.begin() + 4, outcome.out.begin() + 8);
  out.insert(out.end(), outcome.out.begin() + 132, outcome.out.begin() + 136);
  return out;
}

TEST(Atomic, Vectors) {
  const uint32_t a = f32(1.5f), b = f32(2.5f), c = f32(3.5f), d = f32(4.5f);
  using Words = std::vector<uint32_t>;
  EXPECT_EQ(onVector("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0fC0000000;"
                     "red.relaxed.gpu.global.add.v4.f32 [%rd8], {%f1, %f2, "
                     "%f1, %f2};"),
            (Words{f32(2.5f), f32(0.5f), f32(4.5f), f32(2.5f), 0, 0, 0, 0}));
  EXPECT_EQ(onVector("mov.f32 %f1, 0f3F800000; "
                     "atom.global.add.v2.f32 {%f3, %f4}, [%rd8+8], {%f1, %f1};"
                     "mov.b32 %r10, %f3; mov.b32 %r11, %f4;"),
            (Words{a, b, f32(4.5f), f32(5.5f), c, d, 0, 0}));
  // Packed: the upper halves of 1.5 and 2.5 are bf16 1.5 and 2.5.
  EXPECT_EQ(onVector("mov.b32 %r20, 0x3f800000; red.global.add.noftz.v2.bf16x2 "
                     "[%rd8], {%r20, %r20};"),
            (Words{f32(2.5f), f32(3.5f), c, d, 0, 0, 0, 0}));
  EXPECT_EQ(
      onVector("mov.b32 %r20, 0x40000001; atom.global.max.noftz.v4.bf16x2 "
               "{%r10, %r11, %r12, %r13}, [%rd8], {%r20, %r20, %r20, "
               "%r20};"),
      (Words{0x40000001, 0x40200001, 0x40600001, 0x40900001, a, b, c, d}));
  EXPECT_EQ(
      onVector("mov.b16 %rs1, 0x3c00; red.global.add.noftz.v4.f16 [%rd8], "
               "{%rs1, %rs1, %rs1, %rs1};"),
      (Words{0x41e03c00, 0x42203c00, c, d, 0, 0, 0, 0}));
}

TEST(Atomic, QuadWords) {
  using Words = std::vector<uint32_t>;
  const uint32_t a = f32(1.5f), b = f32(2.5f), c = f32(3.5f), d = f32(4.5f);
  const std::string begin = ".reg .b128 %q<4>; mov.b64 %rd10, {1, 2}; mov.b64 "
                            "%rd11, {3, 4}; mov.b128 %q1, {%rd10, %rd11};";
  const std::string end = "mov.b128 {%rd12, %rd13}, %q2; mov.b64 {%r10, %r11}, "
                          "%rd12; mov.b64 {%r12, %r13}, %rd13;";
  EXPECT_EQ(onVector(begin + "atom.global.exch.b128 %q2, [%rd8], %q1;" + end),
            (Words{1, 2, 3, 4, a, b, c, d}));
  EXPECT_EQ(onVector(begin +
                     "ld.global.b128 %q3, [%rd8]; "
                     "atom.global.cas.b128 %q2, [%rd8], %q3, %q1;" +
                     end),
            (Words{1, 2, 3, 4, a, b, c, d}));
  EXPECT_EQ(
      onVector(begin + "atom.global.cas.b128 %q2, [%rd8], %q1, %q1;" + end),
      (Words{a, b, c, d, a, b, c, d}));
  EXPECT_EQ(
      onVector(begin + "st.global.b128 [%rd8], %q1; mov.b128 %q2, %q1;" + end),
      (Words{1, 2, 3, 4, 1, 2, 3, 4}));
}

TEST(Atomic, QuadWordsKeepUndefinedBitsApart) {
  const std::string body = ".reg .b128 %q<4>; mov.b64 %rd10, {%r1, %r50}; "
                           "mov.b128 %q1, {%rd30, %rd10}; mov.b128 {%rd11, "
                           "%rd12}, %q1; mov.b64 {%r10, %r11}, %rd12;";
  EXPECT_TRUE(runBody(body + "st.global.b32 [%rd5], %r10;").reports.empty());
  EXPECT_TRUE(
      runBody(body + "st.global.b32 [%rd5], %r11;").has(Check::Uninitialized));
  EXPECT_TRUE(
      runBody(body + "st.global.b128 [%rd2], %q1;").has(Check::Uninitialized));
}

TEST(Atomic, WideVectorsInMemory) {
  std::vector<uint32_t> in(256);
  for (uint32_t i = 0; i < 256; ++i)
    in[i] = i;
  const std::string body =
      "shl.b32 %r20, %r1, 5; cvt.u64.u32 %rd8, %r20; add.s64 %rd9, %rd1, %rd8;"
      "add.s64 %rd10, %rd2, %rd8; ld.global.v8.b32 {%r30, %r31, %r32, %r33, "
      "%r34, %r35, %r36, %r37}, [%rd9]; add.u32 %r37, %r37, 1000;"
      "mov.b64 %rd11, {%r30, %r31}; mov.b64 %rd12, {%r32, %r33};"
      "mov.b64 %rd13, {%r34, %r35}; mov.b64 %rd14, {%r36, %r37};"
      "st.global.v4.b64 [%rd10], {%rd11, %rd12, %rd13, %rd14};";
  // Buffers are aligned to 16 bytes only, as the launch promises.
  EXPECT_TRUE(runBody(body, in).has(Check::Alignment));
  Options lenient;
  lenient.checks[unsigned(Check::Alignment)] = false;
  const Outcome good = runBody(body, in, 32, lenient);
  EXPECT_TRUE(good.reports.empty());
  EXPECT_EQ(good.out[16], 16u);
  EXPECT_EQ(good.out[23], 1023u);
}

TEST(Atomic, FormsThatDoNotExistAreRefused) {
  for (const char *text :
       {"red.global.exch.b32 [%rd5], %r1;",
        "atom.global.min.f32 %f1, [%rd5], "
        "%f1;",
        "red.global.add.v4.u32 [%rd5], {%r1, %r1, %r1, %r1};",
        "red.shared.add.v2.f32 [%r4], {%f1, %f1};",
        "atom.global.inc.s32 %r1, [%rd5], %r1;",
        "atom.global.add.b128 %r1, [%rd5], %r1;"})
    EXPECT_TRUE(runBody(text).has(Check::Unsupported)) << text;
}

} // namespace
