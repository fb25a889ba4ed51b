//===- ClusterTest.cpp - blocks that run together -------------------------===//
//
// Distributed shared memory, the barrier of the cluster, st.async, multicast.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Completions.h"

using namespace wna16::emulator;

namespace {

/// Every block stores 40 + its rank and reads what the next one stored.
const char *const exchange = R"(
mov.u32 %r6, %cluster_ctarank;
add.s32 %r7, %r6, 40;
st.shared.b32 [%r4], %r7;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
xor.b32 %r8, %r6, 1;
mapa.shared::cluster.u32 %r9, %r4, %r8;
ld.shared::cluster.b32 %r10, [%r9];
setp.eq.u32 %p1, %r6, 0;
@%p1 st.global.b32 [%rd5], %r10;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
)";
const std::string arrival = "barrier.cluster.arrive.release.aligned;";
const std::string waiting = "barrier.cluster.wait.acquire.aligned;";

/// Each lane of rank 1 sends 77 to rank 0, which waits for 128 bytes.
const char *const send = R"(
setp.eq.u32 %p1, %r1, 0;
@!%p1 bra READY;
mbarrier.init.shared.b64 [%r2+1024], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared.b64 _, [%r2+1024], 128;
READY:
bar.warp.sync -1;
barrier.cluster.arrive.relaxed.aligned;
barrier.cluster.wait.acquire.aligned;
mov.u32 %r6, %cluster_ctarank;
setp.eq.u32 %p2, %r6, 0;
@%p2 bra RECEIVE;
mov.u32 %r7, 77;
mov.u32 %r8, 0;
add.s32 %r5, %r2, 1024;
mapa.shared::cluster.u32 %r9, %r4, %r8;
mapa.shared::cluster.u32 %r10, %r5, %r8;
st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r9], %r7, [%r10];
bra.uni END;
RECEIVE:
W: mbarrier.try_wait.parity.shared.b64 %p3, [%r2+1024], 0;
@!%p3 bra W;
ld.shared.b32 %r11, [%r4];
st.global.b32 [%rd5], %r11;
END:
)";

} // namespace

TEST(Cluster, SharedMemoryOfAnotherBlock) {
  expectRight(exchange, 64, 41, 2, 2);
  expectFirst(replaced(replaced(exchange, arrival, ""), waiting, ""),
              Check::Race, 64, 2, 2);
  expectFirst(replaced(exchange, "arrive.release", "arrive.relaxed"),
              Check::Race, 64, 2, 2);
}

TEST(Cluster, BlocksStayWhileOthersReadThem) {
  std::string body = exchange;
  body.resize(body.rfind(arrival));
  expectFirst(body, Check::Cluster, 64, 2, 2);
}

TEST(Cluster, RanksExist) {
  expectFirst(replaced(exchange, "%r4, %r8", "%r4, 2"), Check::Cluster, 64, 2,
              2);
}

TEST(Cluster, ArrivalsAndWaitsAlternate) {
  expectFirst(replaced(exchange, arrival, arrival + "\n" + arrival),
              Check::Cluster, 64, 2, 2);
  expectFirst(replaced(exchange, arrival, ""), Check::Cluster, 64, 2, 2);
  // One warp of the cluster does not arrive.
  expectFirst(
      replaced(exchange, arrival, "setp.ne.u32 %p2, %r6, 1;\n@%p2 " + arrival) +
          "",
      Check::Cluster, 32, 2, 2);
}

TEST(Cluster, AsyncStores) {
  expectRight(send, 32, 77, 2, 2);
  // Nobody waits: the bytes are in flight, or arrive when the block has ended.
  const std::string hasty = replaced(
      replaced(send, "@!%p3 bra W;", ""),
      "W: mbarrier.try_wait.parity.shared.b64 %p3, [%r2+1024], 0;", "");
  inEveryWay(hasty, 32, 2, 2, [](const Outcome &outcome) {
    EXPECT_TRUE(outcome.has(Check::Async) || outcome.has(Check::Cluster));
  });
  expectFirst(replaced(send, "1024], 128", "1024], 132"), Check::Mbarrier, 32,
              2, 2);
}

TEST(Cluster, OthersMbarriersMustBePublished) {
  expectFirst(replaced(send, "fence.mbarrier_init.release.cluster;", ""),
              Check::Mbarrier, 32, 2, 2);
  expectRight(
      replaced(replaced(send, "fence.mbarrier_init.release.cluster;", ""),
               "arrive.relaxed", "arrive.release"),
      32, 77, 2, 2);
}

TEST(Cluster, TheMbarrierLiesWithItsBytes) {
  expectFirst(replaced(send, "%r10, %r5, %r8", "%r10, %r5, 1"), Check::Mbarrier,
              32, 2, 2);
}

TEST(Cluster, OnlyItsOwnBlockWaitsOnAnMbarrier) {
  const std::string remote = replaced(send, "bra.uni END;", R"(
mbarrier.test_wait.parity.acquire.cluster.shared::cluster.b64 %p3, [%r10], 0;
bra.uni END;)");
  Outcome outcome = runBody(remote, {}, 32, Options(), 2, 2);
  EXPECT_FALSE(outcome.reports.empty());
}

TEST(Cluster, Multicast) {
  // Rank 0 copies into both blocks; each waits on its own mbarrier.
  const std::string body =
      replaced(replaced(send, "@%p2 bra RECEIVE;", R"(
@!%p2 bra RECEIVE;
@!%p1 bra RECEIVE;
mov.u16 %rs1, MASK;
mov.u32 %r7, 128;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%rd1], %r7, [%r2+1024], %rs1;
bra.uni RECEIVE;)"),
               "st.global.b32 [%rd5], %r11;",
               "setp.eq.u32 %p2, %r6, 1;\n@%p2 st.global.b32 [%rd5], %r11;");
  expectRight(replaced(body, "MASK", "3"), 32, 1005, 2, 2);
  expectFirst(replaced(body, "MASK", "1"), Check::Mbarrier, 32, 2, 2);
  expectFirst(replaced(body, "MASK", "7"), Check::Cluster, 32, 2, 2);
}
