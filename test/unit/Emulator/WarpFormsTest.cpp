//===- WarpFormsTest.cpp - votes, reductions, groups, barrier.red ---------===//
//
// Instructions by which lanes exchange values, in all forms, also when lanes of
// one warp name different groups.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Harness.h"

#include <bit>

using namespace wna16::emulator;

namespace {

uint32_t f32(float value) { return std::bit_cast<uint32_t>(value); }

std::vector<uint32_t> numbers(float first, float step) {
  std::vector<uint32_t> out;
  for (int i = 0; i < 32; ++i)
    out.push_back(f32(first + step * float(i)));
  return out;
}

TEST(Warp, Votes) {
  auto vote = [](const char *mode, const char *condition) {
    return lane0(std::string(condition) + " vote.sync." + mode +
                 ".pred %p2, %p1, -1; selp.b32 %r10, 1, 0, %p2;");
  };
  const char *all = "setp.lt.u32 %p1, %r1, 32;",
             *some = "setp.lt.u32 %p1, %r1, 3;",
             *none = "setp.gt.u32 %p1, %r1, 32;";
  EXPECT_EQ(vote("all", all), 1u);
  EXPECT_EQ(vote("all", some), 0u);
  EXPECT_EQ(vote("any", some), 1u);
  EXPECT_EQ(vote("any", none), 0u);
  EXPECT_EQ(vote("uni", none), 1u);
  EXPECT_EQ(vote("uni", some), 0u);
  EXPECT_EQ(lane0("setp.lt.u32 %p1, %r1, 3; vote.sync.ballot.b32 %r10, !%p1, "
                  "-1;"),
            ~7u);
}

TEST(Warp, FloatReductions) {
  auto in = numbers(-5, 1); // -5 to 26
  EXPECT_EQ(lanes("mov.b32 %f1, %r5; redux.sync.min.f32 %f2, %f1, -1; mov.b32 "
                  "%r10, %f2;",
                  in)[9],
            f32(-5));
  EXPECT_EQ(lane0("mov.b32 %f1, %r5; redux.sync.min.abs.f32 %f2, %f1, -1; "
                  "mov.b32 %r10, %f2;",
                  in),
            0u);
  in[3] = 0x7fc00001;
  EXPECT_EQ(lane0("mov.b32 %f1, %r5; redux.sync.max.f32 %f2, %f1, -1; mov.b32 "
                  "%r10, %f2;",
                  in),
            f32(26));
  EXPECT_EQ(lane0("mov.b32 %f1, %r5; redux.sync.max.NaN.f32 %f2, %f1, -1; "
                  "mov.b32 %r10, %f2;",
                  in),
            0x7fffffffu);
  const std::vector<uint32_t> nans(32, 0xffc00000);
  EXPECT_EQ(lane0("mov.b32 %f1, %r5; redux.sync.min.f32 %f2, %f1, -1; mov.b32 "
                  "%r10, %f2;",
                  nans),
            0x7fffffffu);
  std::vector<uint32_t> zeros(32, 0);
  zeros[7] = 0x80000000;
  EXPECT_EQ(lane0("mov.b32 %f1, %r5; redux.sync.min.f32 %f2, %f1, -1; mov.b32 "
                  "%r10, %f2;",
                  zeros),
            0x80000000u);
}

TEST(Warp, IntegerReductions) {
  std::vector<uint32_t> in(32, 0xf0);
  in[4] = 0x1f;
  EXPECT_EQ(lane0("redux.sync.and.b32 %r10, %r5, -1;", in), 0x10u);
  EXPECT_EQ(lane0("redux.sync.or.b32 %r10, %r5, -1;", in), 0xffu);
  EXPECT_EQ(lane0("redux.sync.xor.b32 %r10, %r5, -1;", in), 0xefu);
  in[4] = uint32_t(-1);
  EXPECT_EQ(lane0("redux.sync.min.s32 %r10, %r5, -1;", in), uint32_t(-1));
  EXPECT_EQ(lane0("redux.sync.max.u32 %r10, %r5, -1;", in), uint32_t(-1));
  EXPECT_EQ(lane0("redux.sync.add.u32 %r10, %r5, -1;", in), 31 * 0xf0u - 1);
}

TEST(Warp, GroupsOfMatch) {
  // Lanes with the same number modulo 3 are a group each: sums and broadcasts.
  const auto sums =
      lanes("rem.u32 %r6, %r1, 3; match.any.sync.b32 %r7, %r6, -1;"
            "redux.sync.add.u32 %r10, %r1, %r7;");
  EXPECT_EQ(sums[0], 165u); // 0 + 3 + .. + 30
  EXPECT_EQ(sums[4], 176u);
  EXPECT_EQ(sums[5], 155u);
  const auto leaders =
      lanes("rem.u32 %r6, %r1, 3; match.any.sync.b32 %r7, %r6, -1;"
            "brev.b32 %r8, %r7; clz.b32 %r8, %r8;" // its first lane
            "shfl.sync.idx.b32 %r10, %r1, %r8, 31, %r7;");
  EXPECT_EQ(leaders[7], 1u);
  EXPECT_EQ(leaders[31], 1u);
  EXPECT_EQ(leaders[30], 0u);
}

TEST(Warp, MatchAll) {
  EXPECT_EQ(lane0("match.all.sync.b32 %r6|%p1, 7, -1; selp.b32 %r10, %r6, 1, "
                  "%p1;"),
            ~0u);
  EXPECT_EQ(lane0("match.all.sync.b32 %r6|%p1, %r1, -1; selp.b32 %r10, 5, %r6, "
                  "%p1;"),
            0u);
  EXPECT_EQ(lanes("cvt.u64.u32 %rd8, %r1; shr.u64 %rd8, %rd8, 4; shl.b64 %rd8, "
                  "%rd8, 40; match.any.sync.b64 %r10, %rd8, -1;")[20],
            0xffff0000u);
}

TEST(Warp, ElectIntoASink) {
  const auto out = lanes("mov.u32 %r10, 9; setp.ge.u32 %p2, %r1, 8;"
                         "@%p2 elect.sync _|%p1, 0xffffff00;"
                         "@%p2 selp.b32 %r10, 1, 0, %p1;");
  EXPECT_EQ(out[7], 9u);
  EXPECT_EQ(out[8], 1u);
  EXPECT_EQ(out[9], 0u);
}

/// barrier.red over 64 threads of which `voters` vote yes.
uint32_t reduce(const std::string &instruction, unsigned voters,
                unsigned lane = 0) {
  const Outcome outcome =
      runBody("setp.lt.u32 %p1, %r1, " + std::to_string(voters) + ";\n" +
                  instruction + "\nst.global.u32 [%rd5], %r10;",
              {}, 64);
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  return outcome.out[lane];
}

TEST(Barrier, Reductions) {
  const std::string all = "bar.red.and.pred %p2, 0, %p1; selp.b32 %r10, 1, 0, "
                          "%p2;",
                    any = "barrier.cta.red.or.aligned.pred %p2, 1, 64, %p1; "
                          "selp.b32 %r10, 1, 0, %p2;";
  for (unsigned lane : {0u, 40u}) {
    EXPECT_EQ(reduce("bar.red.popc.u32 %r10, 0, %p1;", 37, lane), 37u);
    EXPECT_EQ(reduce("bar.red.popc.u32 %r10, 3, 64, !%p1;", 37, lane), 27u);
    EXPECT_EQ(reduce(all, 64, lane), 1u);
    EXPECT_EQ(reduce(all, 63, lane), 0u);
    EXPECT_EQ(reduce(any, 0, lane), 0u);
    EXPECT_EQ(reduce(any, 1, lane), 1u);
  }
  // The barrier starts again from nothing.
  EXPECT_EQ(reduce("bar.red.popc.u32 %r10, 0, %p1; bar.red.popc.u32 %r10, 0, "
                   "%p1;",
                   5, 50),
            5u);
}

TEST(Barrier, ReductionsOrderMemory) {
  const Outcome outcome =
      runBody("xor.b32 %r6, %r3, 128; add.s32 %r6, %r6, %r2;"
              "st.shared.b32 [%r4], %r1; setp.eq.u32 %p1, "
              "%r1, 0; bar.red.or.pred %p2, 0, %p1;"
              "ld.shared.b32 %r10, [%r6]; st.global.b32 "
              "[%rd5], %r10;",
              {}, 64);
  EXPECT_TRUE(outcome.reports.empty());
  EXPECT_EQ(outcome.out[3], 35u);
}

TEST(Barrier, AnUndefinedVoteSpoilsTheResult) {
  EXPECT_TRUE(runBody("bar.red.popc.u32 %r10, 0, %p9; st.global.u32 [%rd5], "
                      "%r10;",
                      {}, 64)
                  .has(Check::Uninitialized));
}

} // namespace
