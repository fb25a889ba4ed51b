//===- InstructionTest.cpp - instruction families -------------------------===//
//
// One value or more per family; expected values are literals or computed by
// C++ on its own types.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Harness.h"

#include <bit>
#include <cmath>

using namespace wna16::emulator;

static uint32_t f32(float value) { return std::bit_cast<uint32_t>(value); }

TEST(Integer, Arithmetic) {
  EXPECT_EQ(lane0("add.s32 %r10, %r5, -3;", {1}), uint32_t(-2));
  EXPECT_EQ(lane0("sub.u32 %r10, 1, %r5;", {5}), uint32_t(-4));
  EXPECT_EQ(lane0("mul.lo.s32 %r10, %r5, -7;", {6}), uint32_t(-42));
  EXPECT_EQ(lane0("mul.hi.u32 %r10, %r5, %r5;", {0x80000001}), 0x40000001u);
  EXPECT_EQ(lane0("mul.hi.s32 %r10, %r5, 4;", {0x80000000}), 0xfffffffeu);
  EXPECT_EQ(lane0("mul.wide.s32 %rd9, %r5, %r5; shr.u64 %rd9, %rd9, 32; "
                  "cvt.u32.u64 %r10, %rd9;",
                  {0xffff0000}),
            1u);
  EXPECT_EQ(lane0("mad.lo.s32 %r10, %r5, 3, 4;", {5}), 19u);
  EXPECT_EQ(lane0("mad.wide.u32 %rd9, %r5, 8, %rd1; sub.s64 %rd9, %rd9, %rd1; "
                  "cvt.u32.u64 %r10, %rd9;",
                  {5}),
            40u);
  EXPECT_EQ(lane0("div.s32 %r10, %r5, 2;", {uint32_t(-7)}), uint32_t(-3));
  EXPECT_EQ(lane0("rem.s32 %r10, %r5, 4;", {uint32_t(-7)}), uint32_t(-3));
  EXPECT_EQ(lane0("div.u32 %r10, %r5, 0;", {7}), 0xffffffffu);
  EXPECT_EQ(lane0("div.s32 %r10, %r5, -1;", {0x80000000}), 0x80000000u);
  EXPECT_EQ(lane0("min.s32 %r10, %r5, 3;", {uint32_t(-7)}), uint32_t(-7));
  EXPECT_EQ(lane0("max.u32 %r10, %r5, 3;", {uint32_t(-7)}), uint32_t(-7));
  EXPECT_EQ(lane0("abs.s32 %r10, %r5;", {uint32_t(-7)}), 7u);
  EXPECT_EQ(lane0("neg.s32 %r10, %r5;", {7}), uint32_t(-7));
  EXPECT_EQ(lane0("add.sat.s32 %r10, %r5, 1;", {0x7fffffff}), 0x7fffffffu);
  EXPECT_EQ(lane0("cvt.u16.u32 %rs1, %r5; add.s16 %rs2, %rs1, 1; "
                  "cvt.u32.u16 %r10, %rs2;",
                  {0xffff}),
            0u);
  EXPECT_EQ(
      lane0("cvt.u16.u32 %rs1, %r5; mul.wide.s16 %r10, %rs1, 2;", {0xffff}),
      uint32_t(-2));
}

TEST(Bits, LogicAndShifts) {
  EXPECT_EQ(lane0("and.b32 %r10, %r5, 0xff0;", {0x1234}), 0x230u);
  EXPECT_EQ(lane0("or.b32 %r10, %r5, 1;", {0x1234}), 0x1235u);
  EXPECT_EQ(lane0("xor.b32 %r10, %r5, -1;", {0x1234}), 0xffffedcbu);
  EXPECT_EQ(lane0("not.b32 %r10, %r5;", {0}), 0xffffffffu);
  EXPECT_EQ(lane0("shl.b32 %r10, %r5, 40;", {1}), 0u);
  EXPECT_EQ(lane0("shr.s32 %r10, %r5, 40;", {0x80000000}), 0xffffffffu);
  EXPECT_EQ(lane0("shr.u32 %r10, %r5, 4;", {0x80000000}), 0x08000000u);
  EXPECT_EQ(lane0("shf.l.wrap.b32 %r10, %r5, 0x1, 4;", {0x90000000}), 0x19u);
  EXPECT_EQ(lane0("shf.r.clamp.b32 %r10, %r5, 0x1, 40;", {5}), 1u);
  EXPECT_EQ(lane0("popc.b32 %r10, %r5;", {0xf0f0}), 8u);
  EXPECT_EQ(lane0("clz.b32 %r10, %r5;", {0x10}), 27u);
  EXPECT_EQ(lane0("brev.b32 %r10, %r5;", {1}), 0x80000000u);
  EXPECT_EQ(lane0("bfe.u32 %r10, %r5, 4, 8;", {0xabcd}), 0xbcu);
  EXPECT_EQ(lane0("bfi.b32 %r10, %r5, 0x1000, 4, 8;", {0xff}), 0x1ff0u);
  EXPECT_EQ(lane0("prmt.b32 %r10, %r5, 0x64646464, 0x5250;", {0x00cc00aa}),
            0x64cc64aau);
  EXPECT_EQ(
      lane0("lop3.b32 %r10, %r5, 0x000f000f, 0x64006400, 0xEA;", {0x12345678}),
      0x64046408u);
  EXPECT_EQ(lane0("bfind.u32 %r10, %r5;", {0x100}), 8u);
}

TEST(Move, PackAndUnpack) {
  EXPECT_EQ(lane0("mov.b32 {%rs1, %rs2}, %r5; mov.b32 %r10, {%rs2, %rs1};",
                  {0x12345678}),
            0x56781234u);
  EXPECT_EQ(lane0("mov.b64 %rd9, {%r5, 7}; mov.b64 {_, %r10}, %rd9;", {1}), 7u);
  EXPECT_EQ(lane0("mov.b64 {%rs1, %rs2, %rs3, %rs4}, 0x4444333322221111; "
                  "cvt.u32.u16 %r10, %rs3;"),
            0x3333u);
  EXPECT_EQ(lane0("mov.u32 %r10, %ntid.x;"), 32u);
  EXPECT_EQ(lanes("mov.u32 %r10, %laneid;")[13], 13u);
  EXPECT_EQ(lanes("mov.u32 %r10, %lanemask_lt;")[3], 7u);
}

TEST(Convert, Values) {
  EXPECT_EQ(
      lane0("cvt.rn.f32.s32 %f1, %r5; mov.b32 %r10, %f1;", {uint32_t(-3)}),
      f32(-3));
  EXPECT_EQ(lane0("cvt.rn.f32.u32 %f1, %r5; mov.b32 %r10, %f1;", {16777217}),
            f32(16777216));
  EXPECT_EQ(lane0("mov.b32 %f1, %r5; cvt.rzi.s32.f32 %r10, %f1;", {f32(-2.7f)}),
            uint32_t(-2));
  EXPECT_EQ(lane0("mov.b32 %f1, %r5; cvt.rni.s32.f32 %r10, %f1;", {f32(2.5f)}),
            2u);
  EXPECT_EQ(lane0("mov.b32 %f1, %r5; cvt.rzi.u32.f32 %r10, %f1;", {f32(-5)}),
            0u);
  EXPECT_EQ(lane0("mov.b32 %f1, %r5; cvt.rn.f16.f32 %rs1, %f1; "
                  "cvt.u32.u16 %r10, %rs1;",
                  {f32(1.0f)}),
            0x3c00u);
  EXPECT_EQ(lane0("mov.b32 %f1, %r5; cvt.rn.f16x2.f32 %r10, %f1, 0f40000000;",
                  {f32(1.0f)}),
            0x3c004000u);
  EXPECT_EQ(lane0("mov.b32 %f1, %r5; cvt.rn.bf16x2.f32 %r10, %f1, 0f40000000;",
                  {f32(1.0f)}),
            0x3f804000u);
  EXPECT_EQ(lane0("mov.b32 {%rs1, %rs2}, %r5; cvt.f32.f16 %f1, %rs2; "
                  "mov.b32 %r10, %f1;",
                  {0xc0003c00}),
            f32(-2));
  EXPECT_EQ(lane0("cvt.s64.s32 %rd9, %r5; shr.s64 %rd9, %rd9, 32; "
                  "cvt.u32.u64 %r10, %rd9;",
                  {0x80000000}),
            0xffffffffu);
  EXPECT_EQ(lane0("cvt.s32.s8 %r10, %r5;", {0x80}), 0xffffff80u);
  EXPECT_EQ(lane0("cvt.rn.f32.u64 %f1, 0x8000008000000001; mov.b32 %r10, %f1;"),
            f32(9223373136366403584.0f)); // just above a tie
}

TEST(Float, Arithmetic) {
  auto op = [](const std::string &text, float a) {
    return lane0("mov.b32 %f1, %r5;\n" + text + "\nmov.b32 %r10, %f2;",
                 {f32(a)});
  };
  EXPECT_EQ(op("add.f32 %f2, %f1, 0f3F800000;", 2), f32(3));
  EXPECT_EQ(op("sub.f32 %f2, %f1, 0f3F800000;", 2), f32(1));
  EXPECT_EQ(op("mul.rn.f32 %f2, %f1, %f1;", 1.1f), f32(1.1f * 1.1f));
  EXPECT_EQ(op("fma.rn.f32 %f2, %f1, %f1, 0fBF800000;", 1.1f),
            f32(std::fma(1.1f, 1.1f, -1.0f)));
  EXPECT_EQ(op("div.rn.f32 %f2, %f1, 0f40400000;", 1), f32(1 / 3.0f));
  EXPECT_EQ(op("add.rz.f32 %f2, %f1, 0f33000000;", 1), f32(1)); // + 2^-25
  EXPECT_EQ(op("add.rp.f32 %f2, %f1, 0f33000000;", 1),
            f32(std::nextafterf(1, 2)));
  EXPECT_EQ(op("sqrt.rn.f32 %f2, %f1;", 2), f32(std::sqrt(2.0f)));
  EXPECT_EQ(op("rcp.rn.f32 %f2, %f1;", 3), f32(1 / 3.0f));
  EXPECT_EQ(op("ex2.approx.ftz.f32 %f2, %f1;", 3), f32(8));
  EXPECT_EQ(op("neg.f32 %f2, %f1;", 2), f32(-2));
  EXPECT_EQ(op("abs.f32 %f2, %f1;", -2), f32(2));
  EXPECT_EQ(op("max.f32 %f2, %f1, 0f7FC00000;", 2), f32(2)); // NaN loses
  EXPECT_EQ(op("min.NaN.f32 %f2, %f1, 0f7FC00000;", 2), 0x7fffffffu);
  EXPECT_EQ(op("mul.ftz.f32 %f2, %f1, 0f3F000000;", 0x1p-126f), 0u);
  EXPECT_EQ(op("mul.f32 %f2, %f1, 0f3F000000;", 0x1p-126f), f32(0x1p-127f));
  EXPECT_EQ(op("add.sat.f32 %f2, %f1, 0f3F800000;", 2), f32(1));
  EXPECT_EQ(op("sub.f32 %f2, %f1, %f1;", INFINITY), 0x7fffffffu);
  EXPECT_EQ(op("cvt.f64.f32 %fd1, %f1; fma.rn.f64 %fd2, %fd1, %fd1, %fd1; "
               "cvt.rn.f32.f64 %f2, %fd2;",
               3),
            f32(12));
}

TEST(Half, PackedArithmetic) {
  // (1024 + 5, 64 + 3) - (1032, 72): the core of the dequantisation.
  EXPECT_EQ(lane0("sub.f16x2 %r10, %r5, 0x54806408;", {0x54306405}),
            0xc500c200u); // (-5, -3)
  EXPECT_EQ(lane0("add.rn.f16x2 %r10, %r5, 0x3c003c00;", {0x40003c00}),
            0x42004000u);
  EXPECT_EQ(lane0("mul.f16x2 %r10, %r5, %r5;", {0x42003e00}), 0x48804080u);
  EXPECT_EQ(lane0("fma.rn.f16x2 %r10, %r5, %r5, 0xbc00bc00;", {0x42003e00}),
            0x48003d00u);
  EXPECT_EQ(lane0("neg.f16x2 %r10, %r5;", {0x42003e00}), 0xc200be00u);
  EXPECT_EQ(lane0("max.f16x2 %r10, %r5, 0x40004000;", {0x42003e00}),
            0x42004000u);
  EXPECT_EQ(lane0("sub.rn.bf16x2 %r10, %r5, 0x43084308;", {0x43034309}),
            0xc0a03f80u); // (131 - 136, 137 - 136)
  EXPECT_EQ(
      lane0("fma.rn.bf16x2 %r10, %r5, 0x3f803f80, 0xc308c308;", {0x43034309}),
      0xc0a03f80u);
  EXPECT_EQ(lane0("mov.b32 {%rs1, %rs2}, %r5; add.f16 %rs3, %rs1, %rs2; "
                  "cvt.u32.u16 %r10, %rs3;",
                  {0x42003c00}),
            0x4400u);
}

TEST(Compare, Predicates) {
  auto set = [](const std::string &text, uint32_t a) {
    return lane0(text + " selp.b32 %r10, 1, 0, %p1;", {a});
  };
  EXPECT_EQ(set("setp.lt.s32 %p1, %r5, 0;", uint32_t(-1)), 1u);
  EXPECT_EQ(set("setp.lt.u32 %p1, %r5, 5;", uint32_t(-1)), 0u);
  EXPECT_EQ(set("setp.hi.u32 %p1, %r5, 5;", uint32_t(-1)), 1u);
  EXPECT_EQ(set("setp.eq.s32 %p2, 1, 1; setp.ne.and.s32 %p1, %r5, 3, %p2;", 4),
            1u);
  EXPECT_EQ(set("setp.eq.s32 %p2, 1, 1; setp.ne.and.s32 %p1, %r5, 3, !%p2;", 4),
            0u);
  EXPECT_EQ(set("setp.eq.s32 %p2|%p1, %r5, 3;", 4), 1u);
  const uint32_t nan = 0x7fc00000;
  EXPECT_EQ(set("mov.b32 %f1, %r5; setp.ne.f32 %p1, %f1, %f1;", nan), 0u);
  EXPECT_EQ(set("mov.b32 %f1, %r5; setp.neu.f32 %p1, %f1, %f1;", nan), 1u);
  EXPECT_EQ(set("mov.b32 %f1, %r5; setp.geu.f32 %p1, %f1, 0f00000000;", nan),
            1u);
  EXPECT_EQ(set("mov.b32 %f1, %r5; setp.nan.f32 %p1, %f1, %f1;", nan), 1u);
  EXPECT_EQ(set("mov.b32 {%rs1, %rs2}, %r5; setp.gt.f16 %p1, %rs2, %rs1;",
                0x40003c00),
            1u);
  EXPECT_EQ(set("setp.eq.s32 %p2, 1, 1; setp.eq.s32 %p3, %r5, 4; "
                "and.pred %p1, %p2, %p3;",
                4),
            1u);
}

TEST(Warp, Exchange) {
  std::vector<uint32_t> in(32);
  for (uint32_t i = 0; i < 32; ++i)
    in[i] = i * 10;
  EXPECT_EQ(lanes("shfl.sync.bfly.b32 %r10, %r5, 3, 31, -1;", in)[5], 60u);
  EXPECT_EQ(lanes("shfl.sync.idx.b32 %r10, %r5, 9, 31, -1;", in)[31], 90u);
  EXPECT_EQ(lanes("shfl.sync.up.b32 %r10, %r5, 2, 0, -1;", in)[1], 10u);
  EXPECT_EQ(lanes("shfl.sync.up.b32 %r10, %r5, 2, 0, -1;", in)[9], 70u);
  EXPECT_EQ(lanes("shfl.sync.down.b32 %r10|%p1, %r5, 2, 31, -1; "
                  "@!%p1 mov.u32 %r10, 1;",
                  in)[30],
            1u);
  // Segments of 8 lanes.
  EXPECT_EQ(lanes("shfl.sync.idx.b32 %r10, %r5, 0, 0x181f, -1;", in)[13], 80u);
  EXPECT_EQ(lane0("setp.ge.u32 %p1, %r5, 300; "
                  "vote.sync.ballot.b32 %r10, %p1, -1;",
                  in),
            0xc0000000u);
  EXPECT_EQ(lane0("redux.sync.max.u32 %r10, %r5, -1;", in), 310u);
  EXPECT_EQ(lanes("and.b32 %r6, %r1, 3; match.any.sync.b32 %r10, %r6, -1;")[1],
            0x22222222u);
  auto elected = lanes("elect.sync %r9|%p1, -1; selp.b32 %r10, 1, 0, %p1;");
  EXPECT_EQ(elected[0], 1u);
  EXPECT_EQ(elected[1], 0u);
}

TEST(Memory, VectorsAndNarrowTypes) {
  const std::vector<uint32_t> in = {0x04030201, 0x80000000, 3, 4};
  EXPECT_EQ(lane0("ld.global.v2.b16 {%rs1, %rs2}, [%rd1]; "
                  "cvt.u32.u16 %r10, %rs2;",
                  in),
            0x0403u);
  EXPECT_EQ(lane0("ld.global.nc.L1::no_allocate.v4.u32 {_, %r6, %r7, %r8}, "
                  "[%rd1]; add.s32 %r10, %r7, %r8;",
                  in),
            7u);
  EXPECT_EQ(lane0("ld.global.s8 %r10, [%rd1+7];", in), 0xffffff80u);
  EXPECT_EQ(lane0("ld.global.u8 %r10, [%rd1+7];", in), 0x80u);
  EXPECT_EQ(lane0("st.shared.v2.b32 [smem+8], {8, 9}; "
                  "ld.shared.b32 %r10, [smem+12];",
                  in),
            9u);
  EXPECT_EQ(lane0("cvt.u64.u32 %rd8, %r4; cvta.shared.u64 %rd9, %rd8; "
                  "st.b32 [%rd9], %r5; ld.shared.b32 %r10, [%r4];",
                  in),
            0x04030201u);
}

TEST(Memory, HintsChangeNothing) {
  EXPECT_EQ(lane0("createpolicy.fractional.L2::evict_first.b64 %rd8, 1.0;"
                  "ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.b32 "
                  "%r10, [%rd1], %rd8;",
                  {5}),
            5u);
  EXPECT_EQ(
      lane0("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 "
            "%rd8, [%rd1], 16, 16; createpolicy.cvt.L2.b64 %rd8, %rd8;"
            "ld.mmio.relaxed.sys.global.b32 %r10, [%rd1];",
            {6}),
      6u);
}

TEST(Memory, LocalDepotIsPerLane) {
  Outcome outcome = runBody(R"(
.local .align 4 .b8 depot[16];
.reg .b64 %SP;
mov.b64 %SP, depot;
cvta.local.u64 %rd10, %SP;
st.local.b32 [%SP+4], %r1;
ld.b32 %r6, [%rd10+4];
st.global.b32 [%rd5], %r6;
)");
  EXPECT_TRUE(outcome.reports.empty());
  EXPECT_EQ(outcome.out[7], 7u);
}

TEST(Memory, Atomics) {
  Outcome outcome = runBody(R"(
setp.eq.u32 %p1, %r1, 0;
@%p1 st.shared.b32 [smem], 100;
bar.sync 0;
atom.shared.add.u32 %r6, [smem], 1;
red.shared.max.s32 [smem+0], 5;
bar.sync 0;
ld.shared.b32 %r7, [smem];
st.global.b32 [%rd5], %r7;
)",
                            {}, 64);
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  EXPECT_EQ(outcome.out[0], 164u);
}

TEST(Float, PairsInOneRegister) {
  // (1.5, 2^-24) and (2, 1): both halves, each rounded to nearest even.
  auto halves = [](const std::string &instruction, unsigned half) {
    return lane0("mov.f32 %f1, 0f3FC00000; mov.f32 %f2, 0f33800000;"
                 "mov.f32 %f3, 0f40000000; mov.f32 %f4, 0f3F800000;"
                 "mov.b64 %rd8, {%f1, %f2}; mov.b64 %rd9, {%f3, %f4};" +
                     instruction +
                     "mov.b64 {%r11, %r12}, %rd10; mov.b32 %r10, %r1" +
                     std::to_string(half + 1) + ";",
                 {0});
  };
  EXPECT_EQ(halves("add.rn.f32x2 %rd10, %rd8, %rd9;", 0), f32(3.5f));
  EXPECT_EQ(halves("add.rn.f32x2 %rd10, %rd8, %rd9;", 1), f32(1.0f));
  EXPECT_EQ(halves("mul.rn.f32x2 %rd10, %rd8, %rd9;", 0), f32(3.0f));
  EXPECT_EQ(halves("mul.rn.f32x2 %rd10, %rd8, %rd9;", 1), f32(0x1p-24f));
  EXPECT_EQ(halves("fma.rn.f32x2 %rd10, %rd8, %rd9, %rd8;", 0), f32(4.5f));
  EXPECT_EQ(halves("fma.rn.f32x2 %rd10, %rd8, %rd9, %rd8;", 1), f32(0x1p-23f));
}
