//===- IntegerFormsTest.cpp - carries, pairs, dot products, masks ---------===//
//
// Expected values are worked out by hand or by C++ on wider types.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/BitOps.h"
#include "test/unit/Emulator/Harness.h"

#include <bit>
#include <random>

using namespace wna16::emulator;

namespace {

uint32_t three(const std::string &text, uint32_t a, uint32_t b = 0,
               uint32_t c = 0) {
  return lane0("ld.global.u32 %r6, [%rd1+4]; ld.global.u32 %r7, [%rd1+8];\n" +
                   text,
               {a, b, c});
}

/// `text` on %rd8 (words 0 and 1) and %rd9 (2 and 3) leaves %rd10.
uint64_t wide(const std::string &text, uint64_t a, uint64_t b) {
  const std::string load =
      "ld.global.v2.u32 {%r20, %r21}, [%rd1]; mov.b64 %rd8, {%r20, %r21};"
      "ld.global.v2.u32 {%r20, %r21}, [%rd1+8]; mov.b64 %rd9, {%r20, %r21};";
  const std::vector<uint32_t> in = {uint32_t(a), uint32_t(a >> 32), uint32_t(b),
                                    uint32_t(b >> 32)};
  const std::string split = "mov.b64 {%r22, %r23}, %rd10; mov.b32 %r10, %r2";
  return lane0(load + text + split + "2;", in) |
         uint64_t(lane0(load + text + split + "3;", in)) << 32;
}

TEST(Integer, Carries) {
  std::mt19937_64 random(31);
  for (int i = 0; i < 20; ++i) {
    const uint64_t a = random() | (i & 1 ? 0xffffffff : 0), b = random();
    // 64-bit arithmetic in two steps of 32.
    const std::string halves = "mov.b64 {%r30, %r31}, %rd8; mov.b64 {%r32, "
                               "%r33}, %rd9;";
    const std::string join = "mov.b64 %rd10, {%r34, %r35};";
    EXPECT_EQ(wide(halves +
                       "add.cc.u32 %r34, %r30, %r32; addc.u32 %r35, %r31, "
                       "%r33;" +
                       join,
                   a, b),
              a + b);
    EXPECT_EQ(wide(halves +
                       "sub.cc.u32 %r34, %r30, %r32; subc.u32 %r35, %r31, "
                       "%r33;" +
                       join,
                   a, b),
              a - b);
    // Product of the lower words + the other operand.
    const uint64_t x = uint32_t(a), y = uint32_t(b);
    EXPECT_EQ(wide(halves +
                       "mad.lo.cc.u32 %r34, %r30, %r32, %r30; "
                       "madc.hi.u32 %r35, %r30, %r32, %r31;" +
                       join,
                   a, b),
              x * y + a);
    EXPECT_EQ(wide(halves +
                       "mad.lo.cc.s32 %r34, %r30, %r32, %r30; "
                       "madc.hi.s32 %r35, %r30, %r32, %r31;" +
                       join,
                   a, b),
              uint64_t(int64_t(int32_t(x)) * int32_t(y)) + a);
    // The carry out of 64 bits, as a number.
    EXPECT_EQ(wide("add.cc.u64 %rd11, %rd8, %rd9; addc.u64 %rd10, 0, 0;", a, b),
              uint64_t(a + b < a));
    EXPECT_EQ(wide("sub.cc.s64 %rd11, %rd8, %rd9; subc.u64 %rd10, 0, 0;", a, b),
              a < b ? ~uint64_t(0) : 0);
  }
  // Either addition of one addc can overflow.
  EXPECT_EQ(three("add.cc.u32 %r8, -1, 1; addc.cc.u32 %r8, -1, 0; "
                  "addc.u32 %r10, 5, 0;",
                  0),
            6u);
  EXPECT_EQ(three("add.cc.u32 %r8, -1, 1; addc.cc.u32 %r8, -1, -1; "
                  "addc.u32 %r10, 5, 0;",
                  0),
            6u);
  EXPECT_EQ(three("add.cc.u32 %r8, 1, 1; addc.cc.u32 %r8, -1, 0; "
                  "addc.u32 %r10, 5, 0;",
                  0),
            5u);
  EXPECT_EQ(three("sub.cc.u32 %r8, 0, 1; subc.cc.u32 %r8, 5, 5; "
                  "subc.u32 %r10, 5, 0;",
                  0),
            4u);
}

TEST(Integer, AnUnwrittenCarryIsUndefined) {
  EXPECT_TRUE(runBody("addc.u32 %r10, 1, 1; st.global.u32 [%rd5], %r10;")
                  .has(Check::Uninitialized));
  EXPECT_TRUE(runBody("add.cc.u32 %r10, %r50, 1; addc.u32 %r10, 1, 1; "
                      "st.global.u32 [%rd5], %r10;")
                  .has(Check::Uninitialized));
}

TEST(Integer, ShortProducts) {
  EXPECT_EQ(three("mul24.lo.u32 %r10, %r5, %r6;", 0xff000003, 0xff000004), 12u);
  EXPECT_EQ(three("mul24.hi.u32 %r10, %r5, %r6;", 0x800000, 0x20000), 1u << 24);
  EXPECT_EQ(three("mul24.lo.s32 %r10, %r5, %r6;", 0x00ffffff, 7), uint32_t(-7));
  EXPECT_EQ(three("mul24.hi.s32 %r10, %r5, %r6;", 0x00800000, 0x010000),
            0xff800000u); // -2^23 * 2^16 >> 16
  EXPECT_EQ(three("mad24.lo.u32 %r10, %r5, %r6, %r7;", 3, 4, 5), 17u);
  EXPECT_EQ(three("mad24.hi.sat.s32 %r10, %r5, %r6, %r7;", 0x400000, 0x400000,
                  0x7fffff00),
            0x7fffffffu);
  EXPECT_EQ(three("mad.hi.sat.s32 %r10, %r5, %r6, %r7;", 0x80000000, 0x40000000,
                  0x80000000),
            0x80000000u);
  EXPECT_EQ(three("sad.s32 %r10, %r5, %r6, %r7;", uint32_t(-5), 3, 100), 108u);
  EXPECT_EQ(three("sad.u32 %r10, %r5, %r6, %r7;", 1, 0xffffffff, 0),
            0xfffffffeu);
}

TEST(Integer, DotProducts) {
  // (1, 2, 3, 255) with (1, 1, 1, 2).
  EXPECT_EQ(
      three("dp4a.u32.u32 %r10, %r5, %r6, %r7;", 0xff030201, 0x02010101, 10),
      526u);
  EXPECT_EQ(
      three("dp4a.s32.u32 %r10, %r5, %r6, %r7;", 0xff030201, 0x02010101, 10),
      14u);
  EXPECT_EQ(
      three("dp4a.s32.s32 %r10, %r5, %r6, %r7;", 0x80808080, 0x80808080, 0),
      65536u);
  EXPECT_EQ(
      three("dp2a.lo.s32.s32 %r10, %r5, %r6, %r7;", 0xffff0002, 0x7f7f0310, 1),
      30u); // 2 * 16 - 3 + 1
  EXPECT_EQ(
      three("dp2a.hi.u32.s32 %r10, %r5, %r6, %r7;", 0xffff0002, 0x03ff0000, 0),
      196603u); // 2 * -1 + 65535 * 3
}

TEST(Integer, Pairs) {
  EXPECT_EQ(three("add.u16x2 %r10, %r5, %r6;", 0xffff0001, 0x0001ffff), 0u);
  EXPECT_EQ(three("min.s16x2 %r10, %r5, %r6;", 0xffff0001, 0x00010002),
            0xffff0001u);
  EXPECT_EQ(three("max.u16x2 %r10, %r5, %r6;", 0xffff0001, 0x00010002),
            0xffff0002u);
  EXPECT_EQ(three("min.relu.s16x2 %r10, %r5, %r6;", 0xffff0001, 0x00010002),
            0x00000001u);
  EXPECT_EQ(three("max.relu.s32 %r10, %r5, %r6;", uint32_t(-3), uint32_t(-4)),
            0u);
}

TEST(Integer, DivisionAtTheEdges) {
  EXPECT_EQ(three("rem.s32 %r10, %r5, %r6;", 0x80000000, uint32_t(-1)), 0u);
  EXPECT_EQ(three("rem.u32 %r10, %r5, %r6;", 17, 0), ~0u);
  EXPECT_EQ(three("rem.s32 %r10, %r5, %r6;", uint32_t(-7), uint32_t(-4)),
            uint32_t(-3));
  EXPECT_EQ(three("div.s32 %r10, %r5, %r6;", uint32_t(-7), uint32_t(-2)), 3u);
  EXPECT_EQ(wide("div.s64 %rd10, %rd8, %rd9;", uint64_t(-9), 2), uint64_t(-4));
  EXPECT_EQ(wide("mul.hi.s64 %rd10, %rd8, %rd9;", uint64_t(-1), 5),
            ~uint64_t(0));
  EXPECT_EQ(wide("mul.hi.u64 %rd10, %rd8, %rd9;", ~uint64_t(0), ~uint64_t(0)),
            ~uint64_t(1));
}

TEST(Bits, Masks) {
  EXPECT_EQ(three("bmsk.wrap.b32 %r10, %r5, %r6;", 1, 2), 6u);
  EXPECT_EQ(three("bmsk.clamp.b32 %r10, %r5, %r6;", 28, 9), 0xf0000000u);
  EXPECT_EQ(three("bmsk.clamp.b32 %r10, %r5, %r6;", 32, 4), 0u);
  EXPECT_EQ(three("bmsk.wrap.b32 %r10, %r5, %r6;", 32, 4), 15u);
  EXPECT_EQ(three("bmsk.clamp.b32 %r10, %r5, %r6;", 4, 32), 0xfffffff0u);
  EXPECT_EQ(three("bmsk.wrap.b32 %r10, %r5, %r6;", 4, 32), 0u);
  EXPECT_EQ(three("szext.clamp.s32 %r10, %r5, %r6;", 0x18, 5), 0xfffffff8u);
  EXPECT_EQ(three("szext.clamp.u32 %r10, %r5, %r6;", 0xff, 5), 31u);
  EXPECT_EQ(three("szext.clamp.s32 %r10, %r5, %r6;", 0x80000001, 40),
            0x80000001u);
  EXPECT_EQ(three("szext.wrap.s32 %r10, %r5, %r6;", 0x1f, 33), 0xffffffffu);
  EXPECT_EQ(three("szext.wrap.u32 %r10, %r5, %r6;", 0xffffffff, 0), 0u);
  // The document's four examples, and searches that fail.
  EXPECT_EQ(findNthSet(0xaaaaaaaa, 3, 1), 3u);
  EXPECT_EQ(findNthSet(0xaaaaaaaa, 3, -1), 3u);
  EXPECT_EQ(findNthSet(0xaaaaaaaa, 2, 1), 3u);
  EXPECT_EQ(findNthSet(0xaaaaaaaa, 2, -1), 1u);
  EXPECT_EQ(three("fns.b32 %r10, %r5, %r6, %r7;", 0xaaaaaaaa, 0, 16), 31u);
  EXPECT_EQ(three("fns.b32 %r10, %r5, %r6, %r7;", 0xaaaaaaaa, 0, 17), ~0u);
  EXPECT_EQ(three("fns.b32 %r10, %r5, %r6, %r7;", 4, 2, 0), 2u);
  EXPECT_EQ(three("fns.b32 %r10, %r5, %r6, %r7;", 4, 1, 0), ~0u);
  // As hardware has it: the number that cannot be negated.
  EXPECT_EQ(three("fns.b32 %r10, %r5, %r6, %r7;", ~0u, 5, 0x80000000), 0u);
}

TEST(Bits, LogicWithAPredicate) {
  auto predicate = [](const char *logic, uint32_t a, const char *other) {
    return three(std::string("setp.eq.u32 %p2, 0, 0; lop3.") + logic +
                     ".b32 _|%p1, %r5, 0xff, 0, 0xc0, " + other +
                     "; selp.b32 %r10, 1, 0, %p1;", // a & b
                 a);
  };
  EXPECT_EQ(predicate("and", 1, "%p2"), 1u);
  EXPECT_EQ(predicate("and", 0x100, "%p2"), 0u);
  EXPECT_EQ(predicate("and", 1, "!%p2"), 0u);
  EXPECT_EQ(predicate("or", 0x100, "!%p2"), 0u);
  EXPECT_EQ(predicate("or", 0x100, "%p2"), 1u);
  EXPECT_EQ(three("setp.eq.u32 %p2, 0, 0; lop3.or.b32 %r10|%p1, %r5, 0xff, 0, "
                  "0xc0, %p2;",
                  0x1234),
            0x34u);
}

TEST(Bits, CountsAndShiftsAtTheEdges) {
  EXPECT_EQ(three("clz.b32 %r10, %r5;", 0), 32u);
  EXPECT_EQ(three("bfind.s32 %r10, %r5;", uint32_t(-1)), ~0u);
  EXPECT_EQ(three("bfind.s32 %r10, %r5;", uint32_t(-2)), 0u);
  EXPECT_EQ(three("bfind.shiftamt.u32 %r10, %r5;", 1), 31u);
  EXPECT_EQ(three("bfe.s32 %r10, %r5, 28, 8;", 0x80000000), 0xfffffff8u);
  EXPECT_EQ(three("bfe.u32 %r10, %r5, 40, 8;", ~0u), 0u);
  EXPECT_EQ(three("bfe.u32 %r10, %r5, 0x104, 0x208;", 0x12345678), 0x67u);
  EXPECT_EQ(three("bfe.s32 %r10, %r5, 40, 8;", ~0u), ~0u);
  EXPECT_EQ(three("bfi.b32 %r10, %r5, %r6, 32, 4;", ~0u, 7), 7u);
  EXPECT_EQ(three("shf.l.clamp.b32 %r10, %r5, %r6, 32;", 1, 2), 1u);
  EXPECT_EQ(three("shf.l.wrap.b32 %r10, %r5, %r6, 32;", 1, 2), 2u);
  EXPECT_EQ(three("shf.r.clamp.b32 %r10, %r5, %r6, 33;", 1, 2), 2u);
  EXPECT_EQ(three("shr.s32 %r10, %r5, 31;", 0x80000000), ~0u);
  EXPECT_EQ(three("cnot.b32 %r10, %r5;", 0), 1u);
  EXPECT_EQ(three("prmt.b32.rc16 %r10, %r5, %r6, 1;", 0x44332211, 0),
            0x44334433u);
  EXPECT_EQ(three("prmt.b32.f4e %r10, %r5, %r6, 3;", 0x44332211, 0x88776655),
            0x77665544u);
  EXPECT_EQ(three("prmt.b32.b4e %r10, %r5, %r6, 1;", 0x44332211, 0x88776655),
            0x77881122u);
  EXPECT_EQ(three("prmt.b32.ecl %r10, %r5, %r6, 2;", 0x44332211, 0),
            0x44333333u);
  EXPECT_EQ(three("prmt.b32.ecr %r10, %r5, %r6, 1;", 0x44332211, 0),
            0x22222211u);
}

TEST(Compare, ValuesInRegisters) {
  const uint32_t tiny = 0x00000001, nan = 0x7fc00000;
  EXPECT_EQ(three("setp.gt.f32 %p1, %r5, 0f00000000; selp.b32 %r10, 1, 0, %p1;",
                  tiny),
            1u);
  EXPECT_EQ(three("setp.gt.ftz.f32 %p1, %r5, 0f00000000; selp.b32 %r10, 1, 0, "
                  "%p1;",
                  tiny),
            0u);
  EXPECT_EQ(three("set.lt.u32.f32 %r10, %r5, 0f3F800000;", 0), ~0u);
  EXPECT_EQ(three("set.lt.f32.s32 %r10, %r5, 1;", 0), 0x3f800000u);
  EXPECT_EQ(three("set.gt.f16x2.f16x2 %r10, %r5, %r6;", 0x40003c00, 0x3c003c00),
            0x3c000000u);
  EXPECT_EQ(
      three("set.ge.bf16x2.bf16x2 %r10, %r5, %r6;", 0x40003f80, 0x40003f81),
      0x3f800000u);
  EXPECT_EQ(three("set.ne.u32.f16x2 %r10, %r5, %r6;", 0x7e003c00, 0x3c003c00),
            0u); // a NaN is not "ne"
  EXPECT_EQ(three("set.neu.u32.f16x2 %r10, %r5, %r6;", 0x7e003c00, 0x3c003c00),
            0xffff0000u);
  EXPECT_EQ(three("set.eq.ftz.u32.f16x2 %r10, %r5, %r6;", 0x00018001, 0), ~0u);
  EXPECT_EQ(three("setp.eq.s32 %p1, %r6, 0; set.lt.and.u32.s32 %r10, %r5, 1, "
                  "!%p1;",
                  0),
            0u);
  EXPECT_EQ(three("slct.b32.s32 %r10, %r5, %r6, %r7;", 1, 2, 0), 1u);
  EXPECT_EQ(three("slct.b32.s32 %r10, %r5, %r6, %r7;", 1, 2, 0x80000000), 2u);
  EXPECT_EQ(three("slct.u32.f32 %r10, %r5, %r6, %r7;", 1, 2, 0x80000000), 1u);
  EXPECT_EQ(three("slct.u32.f32 %r10, %r5, %r6, %r7;", 1, 2, nan), 2u);
  EXPECT_EQ(three("slct.u32.f32 %r10, %r5, %r6, %r7;", 1, 2, 0x80000001), 2u);
  EXPECT_EQ(three("slct.ftz.u32.f32 %r10, %r5, %r6, %r7;", 1, 2, 0x80000001),
            1u);
}

} // namespace
