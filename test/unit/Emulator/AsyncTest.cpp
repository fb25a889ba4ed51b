//===- AsyncTest.cpp - cp.async -------------------------------------------===//
//
// When bytes arrive, zero fill, groups, and that the check does not depend on
// the arrival.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Harness.h"

using namespace wna16::emulator;

static std::vector<uint32_t> numbers() {
  std::vector<uint32_t> in(512);
  for (uint32_t i = 0; i < in.size(); ++i)
    in[i] = i + 1;
  return in;
}

/// Copies, reads before the wait into out[lane], after it into out[lane + 32].
static const char *earlyRead = R"(
st.shared.b32 [%r4], 1000;
cp.async.ca.shared.global [%r4], [%rd4], 4;
cp.async.commit_group;
ld.shared.b32 %r6, [%r4];
st.global.b32 [%rd5], %r6;
cp.async.wait_group 0;
ld.shared.b32 %r7, [%r4];
st.global.b32 [%rd5+128], %r7;
)";

TEST(Async, LateAndEarlyArrival) {
  for (bool early : {false, true}) {
    Options options;
    options.completion = early ? Completion::Early : Completion::Late;
    Outcome outcome = runBody(earlyRead, numbers(), 32, options);
    EXPECT_TRUE(outcome.has(Check::Async));
    EXPECT_EQ(outcome.out[3], early ? 4u : 1000u);
    EXPECT_EQ(outcome.out[32 + 3], 4u);
  }
}

TEST(Async, GroupsCompleteInOrder) {
  Outcome outcome = runBody(R"(
cp.async.ca.shared.global [%r4], [%rd4], 4;
cp.async.commit_group;
cp.async.ca.shared.global [%r4+128], [%rd4+128], 4;
cp.async.commit_group;
cp.async.wait_group 1;
ld.shared.b32 %r6, [%r4];
st.global.b32 [%rd5], %r6;
cp.async.wait_all;
ld.shared.b32 %r7, [%r4+128];
st.global.b32 [%rd5+128], %r7;
)",
                            numbers());
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  EXPECT_EQ(outcome.out[3], 4u);
  EXPECT_EQ(outcome.out[35], 36u);
}

TEST(Async, UncommittedCopiesAreNotWaitedForByGroup) {
  Outcome outcome = runBody(R"(
cp.async.ca.shared.global [%r4], [%rd4], 4;
cp.async.wait_group 0;
ld.shared.b32 %r6, [%r4];
)",
                            numbers());
  EXPECT_TRUE(outcome.has(Check::Async));
}

TEST(Async, ZeroFill) {
  Outcome outcome = runBody(R"(
and.b32 %r6, %r1, 1;
shl.b32 %r7, %r6, 2;
cp.async.ca.shared.global [%r4], [%rd4], 4, %r7;
cp.async.wait_all;
ld.shared.b32 %r8, [%r4];
st.global.b32 [%rd5], %r8;
)",
                            numbers());
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  EXPECT_EQ(outcome.out[2], 0u);
  EXPECT_EQ(outcome.out[3], 4u);
}

TEST(Async, GuardedLanesCopyNothing) {
  Outcome outcome = runBody(R"(
setp.lt.u32 %p1, %r1, 4;
st.shared.b32 [%r4], 9;
@%p1 cp.async.ca.shared.global [%r4], [%rd4], 4;
cp.async.wait_all;
ld.shared.b32 %r8, [%r4];
st.global.b32 [%rd5], %r8;
)",
                            numbers());
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  EXPECT_EQ(outcome.out[3], 4u);
  EXPECT_EQ(outcome.out[4], 9u);
}

TEST(Async, BarrierMakesBytesVisibleToOtherWarps) {
  const std::string copy = R"(
cp.async.ca.shared.global [%r4], [%rd4], 4;
cp.async.wait_all;
)";
  const std::string read = R"(
xor.b32 %r6, %r3, 128;
add.s32 %r7, %r2, %r6;
ld.shared.b32 %r8, [%r7];
st.global.b32 [%rd5], %r8;
)";
  Outcome good = runBody(copy + "bar.sync 0;" + read, numbers(), 64);
  EXPECT_TRUE(good.reports.empty());
  EXPECT_EQ(good.out[0], 33u);
  EXPECT_TRUE(runBody(copy + read, numbers(), 64).has(Check::Race));
  EXPECT_TRUE(runBody(copy + "bar.warp.sync -1;" + read, numbers(), 64)
                  .has(Check::Race));
}

TEST(Async, LdmatrixDoesNotReplaceTheWarpBarrier) {
  const std::string copy = R"(
shl.b32 %r6, %r1, 4;
add.s32 %r7, %r2, %r6;
mul.wide.u32 %rd8, %r1, 16;
add.s64 %rd9, %rd1, %rd8;
cp.async.cg.shared.global [%r7], [%rd9], 16;
cp.async.wait_all;
)";
  // Lane i reads the row that lane i ^ 1 copied.
  const std::string read = R"(
xor.b32 %r8, %r6, 16;
add.s32 %r9, %r2, %r8;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r9];
st.global.b32 [%rd5], %r10;
)";
  EXPECT_TRUE(runBody(copy + read, numbers()).has(Check::Race));
  EXPECT_TRUE(
      runBody(copy + "bar.warp.sync -1;" + read, numbers()).reports.empty());
}

TEST(Async, SchedulesGiveTheSameResult) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    Options options;
    options.seed = seed;
    options.completion = Completion::Random;
    Outcome outcome = runBody(R"(
cp.async.ca.shared.global [%r4], [%rd4], 4;
cp.async.wait_all;
bar.sync 0;
xor.b32 %r6, %r3, 384;
add.s32 %r7, %r2, %r6;
ld.shared.b32 %r8, [%r7];
st.global.b32 [%rd5], %r8;
)",
                              numbers(), 128, options);
    EXPECT_TRUE(outcome.reports.empty());
    EXPECT_EQ(outcome.out[0], 97u);
  }
}
