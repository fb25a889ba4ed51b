//===- ControlFlowTest.cpp - post-dominators and reconvergence ------------===//
//
// Graphs by hand, then kernels whose text order would mislead a machine that
// runs the lowest program counter first.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/ControlFlow.h"

#include "test/unit/Emulator/Harness.h"

using namespace wna16::emulator;

TEST(ControlFlow, Diamond) {
  //   0 -> 1, 2 -> 3 -> exit
  EXPECT_EQ(immediatePostDominators({{1, 2}, {3}, {3}, {}}),
            (std::vector<uint32_t>{3, 3, 3, 4}));
}

TEST(ControlFlow, LoopWithTwoExits) {
  // 0 -> 1; 1 -> 2, 3; 2 -> 1, 3; 3 -> exit
  EXPECT_EQ(immediatePostDominators({{1}, {2, 3}, {1, 3}, {}}),
            (std::vector<uint32_t>{1, 3, 3, 4}));
}

TEST(ControlFlow, EndlessLoop) {
  // 0 -> 1 -> 2 -> 1: nothing reaches the exit; must end.
  EXPECT_EQ(immediatePostDominators({{1}, {2}, {1}}),
            (std::vector<uint32_t>{1, 2, 3}));
}

TEST(ControlFlow, NobodyWaitsForAnEndlessLoop) {
  // 0 -> 1, 3; 1 -> 2, 3; 2 -> 2; 3 -> exit: lanes meet at 3.
  EXPECT_EQ(immediatePostDominators({{1, 3}, {2, 3}, {2}, {}}),
            (std::vector<uint32_t>{3, 3, 4, 4}));
}

TEST(ControlFlow, EarlyExitOfSomeLanes) {
  Outcome outcome = runBody(R"(
setp.ge.u32 %p1, %r1, 20;
@%p1 exit;
mov.u32 %r5, 7;
activemask.b32 %r6;
st.global.u32 [%rd5], %r6;
)");
  EXPECT_TRUE(outcome.reports.empty());
  EXPECT_EQ(outcome.out[0], (1u << 20) - 1);
  EXPECT_EQ(outcome.out[19], (1u << 20) - 1);
  EXPECT_EQ(outcome.out[20], 0x7fff7fffu); // never written
}

TEST(ControlFlow, LanesLeaveALoopOneByOne) {
  // Lane i runs i + 1 rounds; afterwards all are together again.
  Outcome outcome = runBody(R"(
mov.u32 %r5, 0;
L:
add.s32 %r5, %r5, 1;
setp.le.u32 %p1, %r5, %r1;
@%p1 bra L;
activemask.b32 %r6;
redux.sync.add.s32 %r7, %r5, -1;
and.b32 %r8, %r6, %r7;
st.global.u32 [%rd5], %r8;
)");
  EXPECT_TRUE(outcome.reports.empty());
  EXPECT_EQ(outcome.out[5], 528u); // 1 + 2 + ... + 32
}

TEST(ControlFlow, NestedDivergence) {
  Outcome outcome = runBody(R"(
and.b32 %r5, %r1, 1;
and.b32 %r6, %r1, 2;
setp.eq.u32 %p1, %r5, 0;
setp.eq.u32 %p2, %r6, 0;
mov.u32 %r7, 0;
@%p1 bra A;
@%p2 bra B;
add.s32 %r7, %r7, 1;
B:
add.s32 %r7, %r7, 10;
bra.uni END;
A:
@%p2 bra C;
add.s32 %r7, %r7, 100;
C:
add.s32 %r7, %r7, 1000;
END:
activemask.b32 %r8;
setp.eq.u32 %p3, %r8, -1;
@!%p3 mov.u32 %r7, 77;
st.global.u32 [%rd5], %r7;
)");
  EXPECT_TRUE(outcome.reports.empty());
  EXPECT_EQ(outcome.out[0], 1000u);
  EXPECT_EQ(outcome.out[1], 10u);
  EXPECT_EQ(outcome.out[2], 1100u);
  EXPECT_EQ(outcome.out[3], 11u);
}

TEST(ControlFlow, JoinBlockBeforeTheBranch) {
  Outcome outcome = runBody(R"(
setp.lt.u32 %p1, %r1, 16;
bra.uni BRANCH;
JOIN:
activemask.b32 %r6;
st.global.u32 [%rd5], %r6;
bra.uni END;
BRANCH:
@%p1 bra JOIN;
mov.u32 %r9, 0;
bra.uni JOIN;
END:
)");
  EXPECT_TRUE(outcome.reports.empty());
  EXPECT_EQ(outcome.out[0], 0xffffffffu);
}

TEST(ControlFlow, BranchTable) {
  Outcome outcome = runBody(R"(
and.b32 %r5, %r1, 3;
T: .branchtargets A, B, C, C;
brx.idx %r5, T;
A:
mov.u32 %r6, 1;
bra END;
B:
mov.u32 %r6, 2;
bra END;
C:
mov.u32 %r6, 3;
END:
activemask.b32 %r7;
and.b32 %r6, %r6, %r7;
st.global.u32 [%rd5], %r6;
)");
  EXPECT_TRUE(outcome.reports.empty());
  EXPECT_EQ(outcome.out[0], 1u);
  EXPECT_EQ(outcome.out[1], 2u);
  EXPECT_EQ(outcome.out[2], 3u);
  EXPECT_EQ(outcome.out[3], 3u);
}

TEST(ControlFlow, BlockWaitsForALaterBlock) {
  // Block 0 spins until block 3 has stored; both must be in flight.
  Options options;
  options.threads = 1;
  // The flag is polled before it is written.
  options.checks[unsigned(Check::Uninitialized)] = false;
  Outcome outcome = runBody(R"(
mov.u32 %r5, %ctaid.x;
mov.u32 %r9, 0;
setp.eq.u32 %p1, %r5, 3;
@%p1 st.volatile.global.u32 [%rd2+256], 5;
setp.ne.u32 %p1, %r5, 0;
@%p1 bra END;
L:
ld.volatile.global.u32 %r6, [%rd2+256];
setp.ne.u32 %p2, %r6, 5;
@%p2 bra L;
st.global.u32 [%rd5], %r6;
END:
)",
                            {}, 32, options, 4);
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  EXPECT_EQ(outcome.out[0], 5u);
}

TEST(ControlFlow, PollingByAtomicsEndsWithAReport) {
  Options options;
  options.maxIdleSteps = 300000;
  Outcome outcome = runBody(R"(
setp.eq.u32 %p1, %r1, 0;
@%p1 st.shared.b32 [smem], 0;
bar.sync 0;
L:
atom.shared.cas.b32 %r6, [smem], 1, 2;
setp.ne.u32 %p2, %r6, 1;
@%p2 bra L;
)",
                            {}, 32, options);
  EXPECT_TRUE(outcome.has(Check::Deadlock));
}

TEST(ControlFlow, LongComputationIsNoDeadlock) {
  Options options;
  options.maxIdleSteps = 1000;
  Outcome outcome = runBody(R"(
mov.u32 %r6, 0;
L:
add.s32 %r6, %r6, 1;
setp.lt.u32 %p2, %r6, 300000;
@%p2 bra L;
st.global.b32 [%rd5], %r6;
)",
                            {}, 32, options);
  EXPECT_TRUE(outcome.reports.empty());
  EXPECT_EQ(outcome.out[0], 300000u);
}

TEST(Reports, TheLowestBlockIsKept) {
  // All blocks fail in the same way, the last one first.
  Options options;
  options.threads = 1;
  options.blockOrder = BlockOrder::Reverse;
  const Outcome outcome =
      runBody("st.global.u32 [%rd5+65536], %r1;", {}, 32, options, 4);
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_EQ(outcome.reports[0].block[0], 0u);
  EXPECT_EQ(outcome.reports[0].count, 128u);
}
