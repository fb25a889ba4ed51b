//===- GlobalOrderTest.cpp - happens-before between blocks ----------------===//
//
// One block hands data to another through global memory.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Completions.h"

using namespace wna16::emulator;

namespace {

/// Block 0 stores to the output and sets a flag; block 1 polls the flag and
/// stores the double behind it.
const char *const handOver = R"(
mov.u64 %rd6, zeros;
mov.u32 %r6, %ctaid.x;
mov.u32 %r7, 21;
mov.u32 %r8, 1;
setp.ne.u32 %p1, %r6, 0;
@%p1 bra SECOND;
st.global.b32 [%rd5+128], %r7;
bar.sync 0;
setp.eq.u32 %p2, %r1, 0;
RELEASE
bra.uni END;
SECOND:
POLL:
ACQUIRE
setp.eq.u32 %p3, %r9, 0;
@%p3 bra POLL;
bar.sync 0;
ld.global.b32 %r10, [%rd5+128];
add.s32 %r10, %r10, %r10;
st.global.b32 [%rd5], %r10;
END:
)";
std::string with(const std::string &release, const std::string &acquire) {
  return replaced(replaced(handOver, "RELEASE", release), "ACQUIRE", acquire);
}

} // namespace

TEST(GlobalOrder, ReleaseAndAcquire) {
  expectRight(with("@%p2 st.release.gpu.global.b32 [%rd6], %r8;",
                   "ld.acquire.gpu.global.b32 %r9, [%rd6];"),
              32, 42, 2);
  expectRight(with("@%p2 red.release.gpu.global.add.u32 [%rd6], %r8;",
                   "atom.acquire.gpu.global.add.u32 %r9, [%rd6], 0;"),
              32, 42, 2);
  expectRight(with("@%p2 st.release.sys.global.b32 [%rd6], %r8;",
                   "ld.acquire.gpu.global.b32 %r9, [%rd6];"),
              32, 42, 2);
}

TEST(GlobalOrder, Fences) {
  const std::string relaxed = "ld.relaxed.gpu.global.b32 %r9, [%rd6];";
  const std::string store = "@%p2 st.relaxed.gpu.global.b32 [%rd6], %r8;";
  const std::string fence = "fence.acq_rel.gpu;\n";
  const std::string loop = "setp.eq.u32 %p3, %r9, 0;\n@%p3 bra POLL;\n";
  auto fenced = [&](const std::string &text) {
    return replaced(text, loop, loop + fence);
  };
  expectRight(fenced(with(fence + store, relaxed)), 32, 42, 2);
  expectRight(fenced(with("membar.gl;\n@%p2 st.volatile.global.b32 [%rd6], "
                          "%r8;",
                          "ld.volatile.global.b32 %r9, [%rd6];")),
              32, 42, 2);
  expectFirst(with(fence + store, relaxed), Check::Race, 32, 2);
  expectFirst(fenced(with(store, relaxed)), Check::Race, 32, 2);
  // A fence after the store of the flag is too late.
  expectFirst(fenced(with(store + "\n" + fence, relaxed)), Check::Race, 32, 2);
}

TEST(GlobalOrder, ScopesMustReach) {
  const std::string acquire = "ld.acquire.gpu.global.b32 %r9, [%rd6];";
  expectFirst(with("@%p2 st.release.cta.global.b32 [%rd6], %r8;", acquire),
              Check::Race, 32, 2);
  expectFirst(with("@%p2 st.release.gpu.global.b32 [%rd6], %r8;",
                   "ld.acquire.cta.global.b32 %r9, [%rd6];"),
              Check::Race, 32, 2);
}

TEST(GlobalOrder, TheAddressMustBeTheSame) {
  expectFirst(with("@%p2 st.relaxed.gpu.global.b32 [%rd6], %r8;\n"
                   "@%p2 st.release.gpu.global.b32 [%rd6+4], %r8;",
                   "ld.acquire.gpu.global.b32 %r9, [%rd6];"),
              Check::Race, 32, 2);
}

TEST(GlobalOrder, ReadModifyWritesHandOn) {
  // Block 1 reads what a relaxed atomic of block 0 left after its release.
  expectRight(with("@%p2 st.release.gpu.global.b32 [%rd6], %r8;\n"
                   "@%p2 red.relaxed.gpu.global.add.u32 [%rd6], %r8;",
                   "ld.acquire.gpu.global.b32 %r9, [%rd6];"),
              32, 42, 2);
}

TEST(GlobalOrder, WithinABlockBarriersOrder) {
  const std::string body = R"(
xor.b32 %r6, %r3, 128;
cvt.u64.u32 %rd6, %r6;
add.s64 %rd7, %rd2, %rd6;
st.global.b32 [%rd5], 9;
bar.sync 0;
ld.global.b32 %r7, [%rd7];
)";
  expectRight(body, 64, 9);
  expectFirst(replaced(body, "bar.sync 0;", ""), Check::Race, 64);
}

TEST(GlobalOrder, TwoBlocksStoreToOneWord) {
  expectFirst("st.global.b32 [%rd5], 9;", Check::Race, 32, 2);
  expectRight("mov.u64 %rd6, zeros;\nred.global.add.u32 [%rd6], 1;", 32, 0, 2);
}

TEST(GlobalOrder, BlocksThatWaitForLaterOnesNeedThemResident) {
  // Block 0 waits for block 1.
  const char *const body = R"(
mov.u64 %rd6, zeros;
mov.u32 %r6, %ctaid.x;
mov.u32 %r8, 1;
setp.ne.u32 %p1, %r6, 0;
@%p1 bra SECOND;
POLL:
ld.acquire.gpu.global.b32 %r9, [%rd6];
setp.eq.u32 %p3, %r9, 0;
@%p3 bra POLL;
bra.uni END;
SECOND:
st.release.gpu.global.b32 [%rd6], %r8;
END:
)";
  Options options;
  options.resident = 1;
  EXPECT_TRUE(runBody(body, {}, 32, options, 2).has(Check::Deadlock));
  expectClean(runBody(body, {}, 32, options, 2, 1, /*cooperative=*/true));
  expectClean(runBody(body, {}, 32, Options(), 2));
}
