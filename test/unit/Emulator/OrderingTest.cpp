//===- OrderingTest.cpp - happens-before ----------------------------------===//
//
// Barriers of all and of some warps, arrivals, lanes of one warp, readers.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Harness.h"

using namespace wna16::emulator;

TEST(Ordering, ProducerAndConsumerByNamedBarriers) {
  // Warp 1 fills, warp 0 reads, twice: full barrier 1, empty barrier 2.
  const std::string body = R"(
setp.lt.u32 %p1, %r1, 32;
and.b32 %r6, %r3, 127;
add.s32 %r7, %r2, %r6;
@%p1 bra CONSUMER;
st.shared.b32 [%r7], 1;
bar.arrive 1, 64;
bar.sync 2, 64;
st.shared.b32 [%r7], 2;
bar.arrive 1, 64;
bra.uni END;
CONSUMER:
bar.sync 1, 64;
ld.shared.b32 %r8, [%r7];
EMPTY
bar.sync 1, 64;
ld.shared.b32 %r9, [%r7];
add.s32 %r8, %r8, %r9;
st.global.b32 [%rd5], %r8;
END:
)";
  std::string good = body, bad = body;
  good.replace(good.find("EMPTY"), 5, "bar.arrive 2, 64;");
  Outcome outcome = runBody(good, {}, 64);
  expectClean(outcome);
  EXPECT_EQ(outcome.out[0], 3u);
  // Without the arrival the producer waits for ever.
  bad.replace(bad.find("EMPTY"), 5, "");
  EXPECT_TRUE(runBody(bad, {}, 64).has(Check::Deadlock));
}

TEST(Ordering, ArrivingOrdersNothingForTheArriver) {
  // The arriver reads what the other warp wrote: it never waited.
  Outcome outcome = runBody(R"(
setp.lt.u32 %p1, %r1, 32;
and.b32 %r6, %r3, 127;
add.s32 %r7, %r2, %r6;
@%p1 bra A;
bar.arrive 1, 64;
ld.shared.b32 %r8, [%r7];
bra.uni END;
A:
st.shared.b32 [%r7], 1;
bar.sync 1, 64;
END:
)",
                            {}, 64);
  EXPECT_TRUE(outcome.has(Check::Race));
}

TEST(Ordering, PartialWarpBarrier) {
  // Lanes 0..15 synchronise and exchange; lane 16 is not ordered with them.
  const std::string body = R"(
st.shared.b32 [%r4], %r1;
setp.lt.u32 %p1, %r1, 16;
@%p1 bar.warp.sync 0xffff;
xor.b32 %r6, %r3, DISTANCE;
add.s32 %r7, %r2, %r6;
@%p1 ld.shared.b32 %r8, [%r7];
)";
  auto with = [&](const char *distance) {
    std::string text = body;
    return runBody(text.replace(text.find("DISTANCE"), 8, distance));
  };
  expectClean(with("4"));
  EXPECT_TRUE(with("64").has(Check::Race));
}

TEST(Ordering, ManyReadersThenAWriter) {
  // All warps read, then one writes: ordered by the barrier only.
  const std::string body = R"(
setp.eq.u32 %p1, %r1, 0;
@%p1 st.shared.b32 [smem], 5;
bar.sync 0;
ld.shared.b32 %r6, [smem];
BARRIER
setp.eq.u32 %p2, %r1, 64;
@%p2 st.shared.b32 [smem], 6;
)";
  std::string good = body, bad = body;
  expectClean(
      runBody(good.replace(good.find("BARRIER"), 7, "bar.sync 0;"), {}, 128));
  EXPECT_TRUE(runBody(bad.replace(bad.find("BARRIER"), 7, ""), {}, 128)
                  .has(Check::Race));
}

TEST(Ordering, ExitedWarpsDoNotHoldABarrier) {
  Outcome outcome = runBody(R"(
setp.ge.u32 %p1, %r1, 64;
@%p1 exit;
bar.sync 0;
st.global.b32 [%rd5], %r1;
)",
                            {}, 128);
  expectClean(outcome);
  EXPECT_EQ(outcome.out[40], 40u);
}

TEST(Ordering, SameValueFromManyLanesIsHarmless) {
  expectClean(runBody("st.shared.b32 [smem], 5; ld.shared.b32 %r5, [smem];"));
  // The last lane alone writes something else.
  EXPECT_TRUE(runBody("shr.u32 %r5, %r1, 4; shr.u32 %r5, %r5, 1; "
                      "setp.eq.u32 %p1, %r1, 31; @%p1 mov.u32 %r5, 9; "
                      "st.shared.b32 [smem], %r5;")
                  .has(Check::Race));
  EXPECT_TRUE(runBody("st.shared.b32 [smem], %r1;").has(Check::Race));
}

TEST(Ordering, NeighbouringBytesDoNotRace) {
  Outcome outcome = runBody(R"(
add.s32 %r6, %r2, %r1;
st.shared.b8 [%r6], %r1;
bar.sync 0;
ld.shared.u8 %r7, [%r6];
st.global.b32 [%rd5], %r7;
)",
                            {}, 64);
  expectClean(outcome);
  EXPECT_EQ(outcome.out[33], 33u);
}

TEST(Ordering, UndefinedDataIsListedAfterTheRaceThatCausesIt) {
  // Warp 0 reads, and stores, what warp 1 writes later.
  Outcome outcome = runBody(R"(
and.b32 %r6, %r3, 127;
add.s32 %r7, %r2, %r6;
setp.ge.u32 %p1, %r1, 32;
@%p1 bra W;
ld.shared.b32 %r8, [%r7];
st.global.b32 [%rd5], %r8;
bra.uni END;
W:
st.shared.b32 [%r7], 1;
END:
)",
                            {}, 64);
  ASSERT_EQ(outcome.reports.size(), 2u);
  EXPECT_EQ(outcome.reports[0].check, Check::Race);
  EXPECT_EQ(outcome.reports[1].check, Check::Uninitialized);
}

TEST(Ordering, AnExitIsNoArrivalAtACountedBarrier) {
  // Warp 0 arrives, stores and exits; warp 1 reads behind the barrier.
  const std::string body = R"(
setp.lt.u32 %p1, %r1, 32;
and.b32 %r6, %r3, 127;
add.s32 %r7, %r2, %r6;
@!%p1 bra R;
st.shared.b32 [%r7], 5;
bar.arrive 1, 64;
LATER
bra.uni END;
R:
bar.sync 1, 64;
ld.shared.b32 %r8, [%r7];
END:
)";
  auto with = [&](const char *later, uint64_t seed) {
    std::string text = body;
    Options options;
    options.seed = seed;
    return runBody(text.replace(text.find("LATER"), 5, later), {}, 64, options);
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    expectClean(with("", seed));
    EXPECT_TRUE(with("st.shared.b32 [%r7], 6;", seed).has(Check::Race)) << seed;
  }
}

TEST(Ordering, OneOfSeveralReadersSpeaksForItselfAlone) {
  // Lane 0 of warp 0 reads while its other lanes are elsewhere, as does lane 0
  // of warp 2, and each arrives for itself; warp 1 writes behind both.
  const std::string body = R"(
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared.b64 [%r2+1024], 2;
st.shared.b32 [%r4], 5;
bar.sync 0;
and.b32 %r6, %r1, 31;
shr.u32 %r7, %r1, 5;
setp.eq.u32 %p2, %r7, 1;
@%p2 bra WRITE;
setp.ne.u32 %p3, %r6, READER;
@%p3 bra AFTER;
ld.shared.b32 %r8, [%r2];
AFTER2
mbarrier.arrive.shared.b64 %rd6, [%r2+1024];
AFTER:
bra.uni END;
WRITE:
W: mbarrier.try_wait.parity.shared.b64 %p4, [%r2+1024], 0;
@!%p4 bra W;
setp.eq.u32 %p5, %r6, 0;
@%p5 st.shared.b32 [%r2], 6;
END:
)";
  auto with = [&](const char *after) {
    std::string text = body;
    text.replace(text.find("READER"), 6, "0");
    return runBody(text.replace(text.find("AFTER2"), 6, after), {}, 96);
  };
  expectClean(with(""));
  // A read behind the arrival is nobody's knowledge.
  Outcome late = with("mbarrier.arrive.shared.b64 %rd6, [%r2+1024];\n"
                      "ld.shared.b32 %r8, [%r2];\nbra.uni AFTER;");
  EXPECT_TRUE(late.has(Check::Race));
}
