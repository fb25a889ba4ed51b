//===- MbarrierTest.cpp - mbarriers and the copies they count -------------===//
//
// Arrivals, bytes, phases, cp.async.mbarrier.arrive.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Harness.h"

using namespace wna16::emulator;

namespace {

void expectClean(const Outcome &outcome) {
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
}

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// Late, early and ten times random.
std::vector<Options> completions() {
  std::vector<Options> all(12);
  all[1].completion = Completion::Early;
  for (size_t i = 2; i < all.size(); ++i) {
    all[i].completion = Completion::Random;
    all[i].seed = i;
  }
  return all;
}

/// Every way of completion reports `check` first.
void expectFirst(const std::string &body, Check check, uint32_t threads) {
  for (const Options &options : completions()) {
    Outcome outcome = runBody(body, {}, threads, options);
    ASSERT_FALSE(outcome.reports.empty());
    EXPECT_EQ(outcome.reports[0].check, check) << outcome.reports[0].str();
  }
}

/// Warp 1 copies 4 bytes per lane into bytes 0..127 and 128..255 and signals
/// the mbarriers at 1024 and 1032; warp 0 reads both after WAIT.
const char *const twoArrivals = R"(
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared.b64 [%r2+1024], 32;
@%p1 mbarrier.init.shared.b64 [%r2+1032], 32;
bar.sync 0;
and.b32 %r6, %r3, 127;
add.s32 %r7, %r2, %r6;
setp.lt.u32 %p2, %r1, 32;
@%p2 bra CONSUMER;
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
  for (const Options &options : completions()) {
    expectClean(runBody(both, {}, 64, options));
    expectClean(runBody(second, {}, 64, options));
  }
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
  for (const Options &options : completions())
    expectClean(runBody(body, {}, 64, options));
  expectFirst(replaced(body, "cp.async.wait_all;", ""), Check::Async, 64);
}
