//===- OpenLoadsTest.cpp - copies that may overtake loads -----------------===//
//
// A stage that is loaded, given back by an arrival and filled again by a bulk
// copy: what has to come between the load and the arrival.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Completions.h"

using namespace wna16::emulator;

namespace {

const std::string load = "ld.shared.b32 %r8, [%r7];";
const std::string use = "add.s32 %r13, %r13, %r8;";
const std::string fence = "fence.proxy.async.shared::cta;";

/// A lane of warp 1 fills bytes 0..127 twice ("full" at 1024, "empty" at 1032);
/// warp 0 adds both. `before` and `after`: the arrival.
std::string stage(const std::string &before, const std::string &after) {
  const std::string body = twoWarps(1, 32) + R"(
mov.u32 %r10, 0;
setp.ne.u32 %p3, %r1, 32;
@%p3 bra END;
mov.u32 %r12, 128;
FILL: xor.b32 %r11, %r10, 1;
E: mbarrier.try_wait.parity.shared.b64 %p4, [%r2+1032], %r11;
@!%p4 bra E;
mbarrier.arrive.expect_tx.shared.b64 _, [%r2+1024], 128;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], %r12, [%r2+1024];
add.s32 %r10, %r10, 1;
setp.lt.u32 %p4, %r10, 2;
@%p4 bra FILL;
bra.uni END;
CONSUMER:
mov.u32 %r10, 0;
mov.u32 %r13, 0;
F: mbarrier.try_wait.parity.shared.b64 %p4, [%r2+1024], %r10;
@!%p4 bra F;
BEFORE
mbarrier.arrive.shared.b64 %rd6, [%r2+1032];
AFTER
add.s32 %r10, %r10, 1;
setp.lt.u32 %p4, %r10, 2;
@%p4 bra F;
st.global.b32 [%rd5], %r13;
END:
)";
  return replaced(replaced(body, "BEFORE", before), "AFTER", after);
}

} // namespace

TEST(OpenLoads, AnArrivalDoesNotWaitForWhatIsUsedLater) {
  expectFirst(stage(load, use), Check::Proxy, 64);
  expectRight(stage(load + use, ""), 64, 2010);
  // Lanes that meet wait for each other, not for memory.
  expectFirst(stage(load + "bar.warp.sync 0xffffffff;", use), Check::Proxy, 64);
}

TEST(OpenLoads, FencesOfTheLoadingLanesEndThem) {
  expectRight(stage(load + fence, use), 64, 2010);
  expectFirst(stage(fence + load, use), Check::Proxy, 64);
  expectFirst(stage(load + "@%p1 " + fence, use), Check::Proxy, 64);
  expectFirst(stage(load, fence + use), Check::Proxy, 64);
}

TEST(OpenLoads, CopiesOfARegisterAreNoUse) {
  const std::string copy = "mov.b32 %r9, %r8;";
  const std::string useCopy = replaced(use, "%r8", "%r9");
  expectFirst(stage(load + copy, useCopy), Check::Proxy, 64);
  expectRight(stage(load + copy + useCopy, ""), 64, 2010);
  expectFirst(stage(load + "mov.b32 {%rs1, %rs2}, %r8;",
                    "cvt.u32.u16 %r9, %rs1;" + useCopy),
              Check::Proxy, 64);
}

TEST(OpenLoads, OneRegisterOfALoadIsEnough) {
  const std::string pair = "and.b32 %r6, %r3, 63;\nadd.s32 %r7, %r2, %r6;\n"
                           "and.b32 %r7, %r7, -8;\n"
                           "ld.shared.v2.b32 {%r8, %r9}, [%r7];";
  expectFirst(stage(pair, use), Check::Proxy, 64);
  expectRight(stage(pair + "add.s32 %r13, %r13, %r9;", use), 64);
}

TEST(OpenLoads, OfMatrices) {
  const std::string rows =
      "and.b32 %r6, %r3, 28;\nshl.b32 %r6, %r6, 2;\nadd.s32 %r7, %r2, %r6;\n"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r8}, [%r7];";
  expectFirst(stage(rows, use), Check::Proxy, 64);
  expectRight(stage(rows + fence, use), 64);
}

TEST(OpenLoads, EndForWhoLearnsOfTheirUse) {
  // The producer waits for a second arrival, which comes after the use.
  const std::string twice = replaced(
      stage(load, use + "mbarrier.arrive.shared.b64 %rd6, [%r2+1032];"),
      "1032], 32", "1032], 64");
  expectRight(twice, 64, 2010);
  expectRight(stage(load + "bar.sync 1, 32;", use), 64, 2010);
}

TEST(OpenLoads, OfOtherBytesDoNoHarm) {
  const std::string other = "st.shared.b32 [%r7+512], 0;\n"
                            "ld.shared.b32 %r9, [%r7+512];";
  expectRight(stage(load + use + other, "add.s32 %r13, %r13, %r9;"), 64, 2010);
}
