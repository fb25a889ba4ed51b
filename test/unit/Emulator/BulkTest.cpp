//===- BulkTest.cpp - bulk copies -----------------------------------------===//
//
// Bytes, waits, alignment and proxies of cp.async.bulk in both directions.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Completions.h"

using namespace wna16::emulator;

namespace {

/// Thread 0 copies 128 bytes of input to shared byte 0; all threads of two
/// warps wait and store what they read.
const char *const copyIn = R"(
setp.eq.u32 %p1, %r1, 0;
@!%p1 bra READY;
mbarrier.init.shared.b64 [%r2+1024], 1;
fence.mbarrier_init.release.cluster;
BEFORE
mbarrier.arrive.expect_tx.shared.b64 _, [%r2+1024], 128;
mov.u32 %r6, 128;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], %r6, [%r2+1024];
READY:
bar.sync 0;
W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2+1024], 0;
@!%p2 bra W;
and.b32 %r7, %r3, 127;
add.s32 %r7, %r2, %r7;
ld.shared.b32 %r8, [%r7];
st.global.b32 [%rd5], %r8;
)";
const std::string waitLine =
    "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2+1024], 0;";
std::string in(const std::string &before = "") {
  return replaced(copyIn, "BEFORE", before);
}

/// All threads store 7 to shared memory; thread 0 copies that to the output.
const char *const copyOut = R"(
mov.u32 %r5, 7;
st.shared.b32 [%r4], %r5;
fence.proxy.async.shared::cta;
bar.sync 0;
setp.eq.u32 %p1, %r1, 0;
@!%p1 bra DONE;
mov.u32 %r6, 256;
cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], %r6;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
DONE:
)";

} // namespace

TEST(Bulk, CopiesIn) { expectRight(in(), 64, 1005); }

TEST(Bulk, VariablesAreInTheClustersMemory) {
  expectRight(replaced(in(), "bytes [%r2], [%rd1], %r6, [%r2+1024]",
                       "bytes [smem], [%rd1], %r6, [smem+1024]"),
              64, 1005);
}

TEST(Bulk, NothingOfAnAbandonedBlockIsLeftInFlight) {
  // Block 0 gives up with a copy in flight; block 1, next on the same worker,
  // waits for its own.
  const std::string body = replaced(
      in(), "READY:",
      "mov.u32 %r9, %ctaid.x;\nsetp.eq.u32 %p3, %r9, 0;\n@%p3 trap;\nREADY:");
  for (Options options : completions()) {
    options.threads = 1;
    const Outcome outcome = runBody(body, {}, 64, options, 2);
    ASSERT_EQ(outcome.reports.size(), 1u);
    EXPECT_EQ(outcome.reports[0].check, Check::Trap);
  }
}

TEST(Bulk, WaitsAreNeeded) {
  expectFirst(replaced(replaced(in(), waitLine, ""), "@!%p2 bra W;", ""),
              Check::Async, 64);
  // One attempt is not enough: it may give up.
  Outcome outcome = runBody(replaced(in(), "@!%p2 bra W;", ""), {}, 64);
  EXPECT_TRUE(outcome.has(Check::Async));
  // Whoever reads waits itself, or synchronises with one who has.
  const std::string one =
      replaced(replaced(in(), "W: mbar", "@!%p1 bra AFTER;\nW: mbar"),
               "@!%p2 bra W;", "@!%p2 bra W;\nAFTER:\nSYNC");
  expectFirst(replaced(one, "SYNC", ""), Check::Async, 64);
  expectRight(replaced(one, "SYNC", "bar.sync 0;"), 64, 1005);
}

TEST(Bulk, CountsBytes) {
  expectFirst(replaced(in(), "1024], 128;", "1024], 112;"), Check::Mbarrier,
              64);
  expectFirst(replaced(in(), "1024], 128;", "1024], 144;"), Check::Mbarrier,
              64);
}

TEST(Bulk, Alignment) {
  expectFirst(replaced(in(), "%r6, 128;", "%r6, 120;"), Check::Alignment, 64);
  expectFirst(replaced(in(), "[%r2], [%rd1]", "[%r2+8], [%rd1]"),
              Check::Alignment, 64);
  expectFirst(replaced(in(), "[%r2], [%rd1]", "[%r2], [%rd1+8]"),
              Check::Alignment, 64);
}

TEST(Bulk, Bounds) {
  expectFirst(replaced(in(), "[%r2], [%rd1]", "[%r2+16320], [%rd1]"),
              Check::Bounds, 64);
  expectFirst(replaced(in(), "[%r2], [%rd1]", "[%r2], [%rd1+16288]"),
              Check::Bounds, 64);
}

TEST(Bulk, GenericWritesBeforeACopyNeedAProxyFence) {
  expectFirst(in("st.shared.b32 [%r2+64], 1;"), Check::Proxy, 64);
  expectRight(in("st.shared.b32 [%r2+64], 1;\nfence.proxy.async;"), 64, 1005);
}

TEST(Bulk, BytesInFlightBelongToTheCopy) {
  expectFirst(replaced(in(), "READY:", "st.shared.b32 [%r2+4], 1;\nREADY:"),
              Check::Async, 64);
  expectFirst(
      replaced(in(), "READY:",
               "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r2+1024], 128;\n"
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
               "bytes [%r2], [%rd1], %r6, [%r2+1024];\nREADY:"),
      Check::Async, 64);
}

TEST(Bulk, TheBlockMustNotEndBeforeItsCopies) {
  expectFirst(replaced(in(), "W: mbarrier", "exit;\nW: mbarrier"), Check::Async,
              64);
}

TEST(Bulk, CopiesOut) {
  expectRight(copyOut, 64, 7);
  expectFirst(replaced(copyOut, "fence.proxy.async.shared::cta;", ""),
              Check::Proxy, 64);
  expectFirst(replaced(copyOut, "bar.sync 0;", ""), Check::Race, 64);
  expectFirst(replaced(copyOut, "%r6, 256;", "%r6, 512;"), Check::Uninitialized,
              64);
}

TEST(Bulk, TheSourceOfAStoreIsLockedUntilItIsRead) {
  const std::string reuse =
      replaced(copyOut, "DONE:", "st.shared.b32 [%r2], 8;\nDONE:");
  expectRight(reuse, 64, 7);
  expectRight(replaced(reuse, "wait_group 0", "wait_group.read 0"), 64, 7);
  expectFirst(replaced(reuse, "wait_group 0", "wait_group.read 1"),
              Check::Async, 64);
  // Nobody waits, and the block ends.
  expectFirst(replaced(copyOut, "cp.async.bulk.wait_group 0;", ""),
              Check::Async, 64);
}

TEST(Bulk, WhoWaitsForAStoreTellsOthersAfterwards) {
  const std::string body = replaced(copyOut, "DONE:", R"(
DONE:
setp.lt.u32 %p2, %r1, 32;
@%p2 bra END;
bar.sync 1, 64;
st.shared.b32 [%r4+-128], 8;
END:
)");
  const std::string wait = "cp.async.bulk.wait_group 0;";
  const std::string tell = "setp.lt.u32 %p2, %r1, 32;\n@%p2 bra END;";
  expectRight(replaced(body, tell,
                       "setp.lt.u32 %p2, %r1, 32;\n"
                       "@%p2 bar.arrive 1, 64;\n@%p2 bra END;"),
              64, 7);
  // The other warp hears of it before the wait.
  expectFirst(replaced(replaced(body, "@!%p1 bra DONE;", R"(
setp.ge.u32 %p3, %r1, 32;
@%p3 bra DONE;
@!%p1 bra TELL;)"),
                       wait, "TELL:\nbar.arrive 1, 64;\n" + wait),
              Check::Async, 64);
}

TEST(Bulk, StoresMustNotMeetOthers) {
  // The other warp stores to the same bytes of the output.
  expectFirst(replaced(copyOut, "setp.eq.u32",
                       "setp.ge.u32 %p2, %r1, 32;\n"
                       "@%p2 st.global.b32 [%rd5], %r5;\nsetp.eq.u32"),
              Check::Race, 64);
  // The thread itself reads back before its wait.
  expectFirst(replaced(copyOut, "cp.async.bulk.wait_group 0;",
                       "ld.global.b32 %r7, [%rd2];"),
              Check::Async, 64);
}
