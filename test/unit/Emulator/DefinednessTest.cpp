//===- DefinednessTest.cpp - which bits are undefined ---------------------===//
//
// Each case moves a defined value %r5 and an undefined one (%r50, %rs30, %f30)
// through an instruction and stores a part of the result: the defined part is
// no finding, the undefined part is.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/BitOps.h"
#include "test/unit/Emulator/Harness.h"

using namespace wna16::emulator;

namespace {

/// Runs `body` after a load of %r5, %rs5 (its lower half) and %f5.
Outcome runCase(const std::string &body) {
  return runBody("ld.global.u32 %r5, [%rd4]; ld.global.f32 %f5, [%rd4];\n"
                 "cvt.u16.u32 %rs5, %r5;\n" +
                 body);
}

std::string storeHalf(unsigned half) {
  return "mov.b32 {%rs20, %rs21}, %r10; st.global.b16 [%rd5+" +
         std::to_string(2 * half) + "], %rs2" + std::to_string(half) + ";";
}

/// `body` leaves a result in %r10 of which just one half is defined.
void expectHalf(const std::string &body, unsigned defined) {
  for (unsigned half = 0; half < 2; ++half) {
    const Outcome outcome = runCase(body + "\n" + storeHalf(half));
    EXPECT_EQ(outcome.has(Check::Uninitialized), half != defined)
        << body << " half " << half;
  }
  EXPECT_TRUE(
      runCase(body + "\nst.global.b32 [%rd5], %r10;").has(Check::Uninitialized))
      << body;
}
void expectLower(const std::string &body) { expectHalf(body, 0); }
void expectUpper(const std::string &body) { expectHalf(body, 1); }

void expectDefined(const std::string &body) {
  const Outcome outcome = runCase(body + "\nst.global.b32 [%rd5], %r10;");
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << body << ": " << report.str();
}
void expectUndefined(const std::string &body) {
  expectHalf(body, 2); // neither
}

const std::string lower = "mov.b32 %r20, {%rs5, %rs30};\n";

TEST(Definedness, PackedRegisters) {
  expectLower("mov.b32 %r10, {%rs5, %rs30};");
  expectUpper("mov.b32 %r10, {%rs30, %rs5};");
  expectLower("cvt.rn.f16x2.f32 %r10, %f30, %f5;");
  expectUpper("cvt.rn.f16x2.f32 %r10, %f5, %f30;");
  expectUpper("cvt.rn.bf16x2.f32 %r10, %f5, %f30;");
  expectUndefined("cvt.rn.f16x2.f32 %r10, %f30, %f30;");
  expectDefined("mov.b64 %rd9, {%r5, %r50}; mov.b64 {%r10, %r51}, %rd9;");
  expectUndefined("mov.b64 %rd9, {%r5, %r50}; mov.b64 {%r51, %r10}, %rd9;");
  expectDefined("mov.b64 %rd9, {%r5, %r50}; add.rn.f32x2 %rd9, %rd9, %rd9; "
                "mov.b64 {%r10, %r51}, %rd9;");
  expectUndefined("mov.b64 %rd9, {%r5, %r50}; add.rn.f32x2 %rd9, %rd9, %rd9; "
                  "mov.b64 {%r51, %r10}, %rd9;");
}

TEST(Definedness, BitsMove) {
  expectUpper(lower + "shl.b32 %r10, %r20, 16;" + "or.b32 %r10, %r10, %r50;" +
              "shl.b32 %r11, %r20, 16; and.b32 %r12, %r50, 0xffff; or.b32 "
              "%r10, %r11, %r12;");
  expectDefined(lower + "shl.b32 %r10, %r20, 16;");
  expectUndefined("mov.b32 %r20, {%rs30, %rs30}; shr.u32 %r10, %r20, 1;");
  expectDefined("mov.b32 %r20, {%rs30, %rs5}; shr.u32 %r10, %r20, 16;");
  expectDefined("mov.b32 %r20, {%rs30, %rs5}; shr.s32 %r10, %r20, 16;");
  expectLower("mov.b32 %r20, {%rs5, %rs30}; shf.l.wrap.b32 %r10, %r20, %r20, "
              "0;");
  expectUpper(lower + "prmt.b32 %r10, %r20, 0, 0x1032;");
  expectDefined(lower + "prmt.b32 %r10, %r20, 0, 0x4410;");
  expectDefined(lower + "bfe.u32 %r10, %r20, 0, 16;");
  expectUndefined(lower + "bfe.s32 %r10, %r20, 0, 32; brev.b32 %r10, %r10; "
                          "bfe.s32 %r10, %r10, 8, 4;");
  expectDefined(lower + "mov.u32 %r21, 0; bfi.b32 %r10, %r20, %r21, 0, 16;");
  expectUndefined("shl.b32 %r10, %r5, %r50;");
  expectUndefined("prmt.b32 %r10, %r5, %r5, %r50;");
  expectLower(lower + "mov.b32 %r10, %r20;");
  expectLower(lower + "setp.eq.u32 %p1, %r1, %r1; selp.b32 %r10, %r20, %r5, "
                      "%p1;");
  expectUpper(lower + "prmt.b32 %r21, %r20, 0, 0x1032; setp.eq.u32 %p1, %r1, "
                      "%r1; selp.b32 %r10, %r21, %r20, %p1;");
  expectLower(lower + "shfl.sync.bfly.b32 %r10, %r20, 1, 31, -1;");
}

TEST(Definedness, ConstantBitsDecide) {
  expectDefined(lower + "and.b32 %r10, %r20, 0xffff;");
  expectLower(lower + "and.b32 %r10, %r20, 0x10000;");
  expectDefined(lower + "or.b32 %r10, %r20, 0xffff0000;");
  expectLower(lower + "xor.b32 %r10, %r20, 0xffff0000;");
  expectLower(lower + "not.b32 %r10, %r20;");
  // (a & b) | c and a ^ b ^ c
  expectDefined(lower + "lop3.b32 %r10, %r20, 0xffff, %r5, 0xea;");
  expectLower(lower + "lop3.b32 %r10, %r20, -1, 0, 0xea;");
  expectLower(lower + "lop3.b32 %r10, %r20, %r5, %r5, 0x96;");
  EXPECT_EQ(lop3Undefined(0, 0xff, 0, 0xffff, 0, 0, 0xea), 0xffu);
  EXPECT_EQ(lop3Undefined(0, 0xff, 0xf0, 0xffff, 0, 0, 0xea), 0x0fu);
  EXPECT_EQ(lop3Undefined(1, 1, 1, ~0u, ~0u, ~0u, 0x00), 0u);
}

TEST(Definedness, Arithmetic) {
  expectLower(lower + "add.rn.f16x2 %r10, %r20, %r5;");
  expectLower(lower + "fma.rn.f16x2 %r10, %r5, %r20, %r5;");
  expectLower(lower + "neg.f16x2 %r10, %r20;");
  expectLower(lower + "max.bf16x2 %r10, %r20, %r5;");
  // One undefined bit spoils its half, and the half alone.
  expectUpper("and.b32 %r20, %r50, 1; add.rn.f16x2 %r10, %r20, %r5;");
  // Carries go upwards.
  expectLower(lower + "add.s32 %r10, %r20, 1;");
  expectUndefined("add.s32 %r10, %r50, 1;");
  expectUndefined(lower + "mul.hi.u32 %r10, %r20, 2;");
  expectDefined(lower + "cvt.u16.u32 %rs6, %r20; cvt.u32.u16 %r10, %rs6;");
  expectUndefined("cvt.s32.s16 %r10, %rs30;");
  expectLower(lower + "cvt.u64.u32 %rd9, %r20; cvt.u32.u64 %r10, %rd9;");
}

TEST(Definedness, Memory) {
  expectLower(lower + "st.shared.b32 [%r4], %r20; ld.shared.b32 %r10, [%r4];");
  expectUpper(lower + "st.shared.b32 [%r4], %r5; st.shared.b16 [%r4], %rs30; "
                      "ld.shared.b32 %r10, [%r4];");
  expectUpper(lower + "st.shared.v2.b16 [%r4], {%rs30, %rs5}; "
                      "ld.shared.b32 %r10, [%r4];");
  expectDefined(lower + "st.shared.b32 [%r4], %r20; "
                        "ld.shared.u16 %r10, [%r4];");
  expectUndefined(lower + "st.shared.b32 [%r4], %r20; "
                          "ld.shared.s16 %r10, [%r4+2];");
  expectUndefined("st.shared.b32 [%r4], %r50; st.shared.b16 [%r4], %rs5; "
                  "ld.shared.s8 %r10, [%r4+3];");
  // A store looks at the bits that it stores.
  EXPECT_FALSE(
      runCase(lower + "st.global.b16 [%rd5], %r20;").has(Check::Uninitialized));
}

TEST(Definedness, Matrices) {
  const std::string write = lower + "shl.b32 %r60, %r1, 4; add.s32 %r60, %r60, "
                                    "%r2; st.shared.v4.b32 [%r60], {%r20, "
                                    "%r20, %r20, %r20}; bar.warp.sync -1;\n";
  expectLower(write + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, "
                      "[%r60];");
  // Columns 0 and 2 are defined, 1 and 3 are not: so are rows of the transpose.
  expectLower(lower + "movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r20; "
                      "movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r10;");
  // An undefined half of A spoils its row of the product.
  expectUndefined(lower + "mov.f32 %f1, 0f00000000; "
                          "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                          "{%f6, %f7, %f8, %f9}, {%r20, %r5}, {%r5}, {%f1, "
                          "%f1, %f1, %f1}; mov.b32 %r10, %f6;");
}

TEST(Definedness, TheReportNamesTheBits) {
  const Outcome outcome = runCase(lower + "st.global.b32 [%rd5], %r20;");
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_NE(outcome.reports[0].message.find(
                "stored to global memory (undefined bits: 0xffff0000)"),
            std::string::npos)
      << outcome.reports[0].message;
}

} // namespace

TEST(Definedness, ScratchBuffersHoldUndefinedData) {
  const char *text = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 scratch, .param .u64 out)
{
.reg .b32 %r<9>;
.reg .b64 %rd<9>;
ld.param.u64 %rd1, [scratch];
ld.param.u64 %rd2, [out];
st.global.b32 [%rd1], %r1;
ld.global.b32 %r2, [%rd1];
mov.u32 %r3, 4;
st.global.b32 [%rd1+4], %r3;
ld.global.b32 %r4, [%rd1+4];
st.global.b32 [%rd2], %r4;
st.global.b32 [%rd2+4], %r2;
ret;
}
)";
  ParseResult parsed = parsePtx(text, "test.ptx");
  Device device;
  Buffer &scratch = device.addBuffer("scratch", 8, 16);
  scratch.poison();
  scratch.scratch = true;
  Buffer &out = device.addBuffer("out", 8, 16);
  out.poison();
  LaunchSpec launch;
  launch.entry = "k";
  launch.params = {paramBytes(scratch.base), paramBytes(out.base)};
  const RunResult result = run(*std::get<0>(parsed), device, launch, Options());
  ASSERT_EQ(result.reports.size(), 1u);
  EXPECT_EQ(result.reports[0].check, Check::Uninitialized);
  EXPECT_EQ(result.reports[0].line, 17u);
}
