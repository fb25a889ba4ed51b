//===- MbarrierTest.cpp - mbarriers and the copies they count -------------===//
//
// Arrivals, bytes, phases, cp.async.mbarrier.arrive.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Completions.h"

using namespace wna16::emulator;

namespace {

/// Warp 1 copies 4 bytes per lane into bytes 0..127 and 128..255 and signals
/// the mbarriers at 1024 and 1032; warp 0 reads both after WAIT.
const std::string twoArrivals = twoWarps(32, 32) + R"(
cp.async.ca.shared.global [%r7], [%rd4], 4;
cp.async.mbarrier.arrive.noinc.shared.b64 [%r2+1024];
cp.async.ca.shared.global [%r7+128], [%rd4], 4;
cp.async.mbarrier.arrive.noinc.shared.b64 [%r2+1032];
cp.async.wait_all;
bra.uni END;
CONSUMER:
WAIT
ld.shared.b32 %r8, [%r7];
ld.shared.b32 %r9, [%r7+128];
END:
)";
const char *const waitFirst = R"(
W1: mbarrier.try_wait.parity.shared.b64 %p3, [%r2+1024], 0;
@!%p3 bra W1;
)";
const char *const waitSecond = R"(
W2: mbarrier.try_wait.parity.shared.b64 %p3, [%r2+1032], 0;
@!%p3 bra W2;
)";

} // namespace

TEST(Mbarrier, CopiesBelongToTheirMbarrierWhoeverWaitsFirst) {
  const std::string both =
      replaced(twoArrivals, "WAIT", std::string(waitFirst) + waitSecond);
  // The second arrival comes after the copies of the first one as well.
  const std::string second = replaced(twoArrivals, "WAIT", waitSecond);
  expectRight(both, 64);
  expectRight(second, 64);
}

TEST(Mbarrier, TheFirstArrivalDoesNotCoverLaterCopies) {
  expectFirst(replaced(twoArrivals, "WAIT", waitFirst), Check::Async, 64);
}

TEST(Mbarrier, ALaneThatWaitedForItsCopyMayReadIt) {
  // wait_all makes the bytes known to the lane, before the mbarriers do.
  const std::string waits = std::string(waitFirst) + waitSecond;
  const std::string body =
      replaced(replaced(twoArrivals, "bra.uni END;",
                        "ld.shared.b32 %r8, [%r7+128];" + waits),
               "WAIT", "bra.uni END;");
  expectRight(body, 64);
  expectFirst(replaced(body, "cp.async.wait_all;", ""), Check::Async, 64);
}

TEST(Mbarrier, AnArrivalOfACopySaysNothingOfOtherLanes) {
  // The second copy is read by nobody.
  const std::string first =
      replaced(replaced(twoArrivals, "WAIT", waitFirst),
               "ld.shared.b32 %r9, [%r7+128];", waitSecond);
  expectRight(first, 64);
  // The phase ends with the 31st arrival: the copy of one lane may be missing.
  expectFirst(replaced(first, "1024], 32", "1024], 31"), Check::Async, 64);
}

namespace {
/// Warp 1 stores, arrives, waits for "empty" and stores again; warp 0 reads
/// both. "full" is at 1024, "empty" at 1032.
const std::string handOver = twoWarps(32, 32) + R"(
st.shared.b32 [%r7], 1;
mbarrier.arrive.shared.b64 %rd6, [%r2+1024];
E: mbarrier.try_wait.parity.shared.b64 %p3, [%r2+1032], 0;
@!%p3 bra E;
st.shared.b32 [%r7], 2;
mbarrier.arrive.shared.b64 %rd6, [%r2+1024];
bra.uni END;
CONSUMER:
F: mbarrier.try_wait.parity.shared.b64 %p3, [%r2+1024], 0;
@!%p3 bra F;
ld.shared.b32 %r8, [%r7];
mbarrier.arrive.shared.b64 %rd6, [%r2+1032];
G: mbarrier.try_wait.parity.shared.b64 %p3, [%r2+1024], 1;
@!%p3 bra G;
ld.shared.b32 %r9, [%r7];
add.s32 %r8, %r8, %r9;
st.global.b32 [%rd5], %r8;
END:
)";
} // namespace

TEST(Mbarrier, PhasesOrderWhatArriversDid) {
  expectRight(handOver, 64, 3);
  // A relaxed arrival publishes nothing, a relaxed wait learns nothing.
  expectFirst(replaced(handOver, "arrive.shared", "arrive.relaxed.cta.shared"),
              Check::Race, 64);
  expectFirst(replaced(handOver, "F: mbarrier.try_wait.parity",
                       "F: mbarrier.try_wait.parity.relaxed.cta"),
              Check::Race, 64);
}

TEST(Mbarrier, CountsArrivals) {
  // One lane too few arrives: both warps wait for ever.
  expectFirst(replaced(handOver, "1024], 32", "1024], 33"), Check::Deadlock,
              64);
  // More arrivals than a phase expects.
  expectFirst(replaced(handOver, "mbarrier.arrive.shared.b64 %rd6, [%r2+1032]",
                       "mbarrier.arrive.shared.b64 %rd6, [%r2+1032], 33"),
              Check::Mbarrier, 64);
}

TEST(Mbarrier, IsOpaque) {
  const std::string start = R"(
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared.b64 [%r2+1024], 32;
bar.sync 0;
)";
  expectFirst(start + "ld.shared.b32 %r8, [%r2+1028];", Check::Mbarrier, 32);
  expectFirst(start + "@%p1 st.shared.b8 [%r2+1024], 0;", Check::Mbarrier, 32);
  expectFirst(start + "@%p1 mbarrier.init.shared.b64 [%r2+1024], 1;",
              Check::Mbarrier, 32);
  expectFirst(start + "mbarrier.arrive.shared.b64 %rd6, [%r2+1032];",
              Check::Mbarrier, 32);
  expectFirst(start + "@%p1 mbarrier.inval.shared.b64 [%r2+1024];\n"
                      "bar.sync 0;\n"
                      "mbarrier.arrive.shared.b64 %rd6, [%r2+1024];",
              Check::Mbarrier, 32);
  expectRight(start + "@%p1 mbarrier.inval.shared.b64 [%r2+1024];\n"
                      "bar.sync 0;\n@%p1 st.shared.b64 [%r2+1024], %rd1;",
              32);
}

TEST(Mbarrier, InitialisationMustBeVisible) {
  expectFirst(replaced(handOver, "bar.sync 0;", ""), Check::Mbarrier, 64);
}
