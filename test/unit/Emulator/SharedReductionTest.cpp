//===- SharedReductionTest.cpp - red.async, cp.reduce into shared memory --===//
//
// Two blocks of a cluster reduce into the shared memory of the first one, which
// waits at an mbarrier.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/TensorHarness.h"

using namespace wna16::emulator;

namespace {
const std::string redAdd = "red.async.relaxed.cluster.shared::cluster.mbarrier"
                           "::complete_tx::bytes.add.u32 [%r5], %r1, [%r6];\n";
const std::string bulkAdd =
    "@%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::"
    "complete_tx::bytes.add.u32 [%r5], [%r8], 128, [%r6];\n";

/// Words of block 0 are their lanes, those from 1024 on 100 in both blocks. %r5
/// and %r6: the words and the mbarrier of block 0, %r8: the hundreds.
struct ReductionKernel : TensorKernel {
  ReductionKernel(const std::string &reductions, unsigned bytes,
                  const std::string &wait = waitBarrier)
      : TensorKernel(64, 8, 64, 8, TensorMap::Swizzle::None) {
    blocks = cluster = 2;
    body = R"(
shl.b32 %r3, %r1, 2;
add.u32 %r4, %r3, %r0;
st.shared.b32 [%r4], %r1;
mov.u32 %r9, 100;
st.shared.b32 [%r4+1024], %r9;
fence.proxy.async;
mov.u32 %r7, %cluster_ctarank;
setp.ne.u32 %p5, %r7, 0;
setp.eq.and.u32 %p6, %r7, 0, %p1;
@%p6 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], )" +
           std::to_string(bytes) + R"(;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
mapa.shared::cluster.u32 %r5, %r0, 0;
mapa.shared::cluster.u32 %r6, %r2, 0;
add.u32 %r8, %r0, 1024;
)" + reductions +
           "@%p5 bra END;\n" + wait + R"(
ld.shared.b32 %r12, [%r4];
cvt.u64.u32 %rd10, %r3;
add.u64 %rd11, %rd2, %rd10;
st.global.b32 [%rd11], %r12;
END:
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
)";
  }
};

constexpr Completion completions[] = {Completion::Late, Completion::Early,
                                      Completion::Random};
} // namespace

TEST(SharedReduction, AllLanesOfTwoBlocks) {
  for (Completion completion : completions) {
    ReductionKernel kernel(redAdd, 2 * 32 * 4);
    kernel.options.completion = completion;
    const Outcome outcome = kernel.runClean();
    for (unsigned i = 0; i < 32; ++i)
      EXPECT_EQ(outcome.out[i], i + (i ? 0 : 2 * 496u));
  }
}

TEST(SharedReduction, Bulk) {
  for (Completion completion : completions) {
    ReductionKernel kernel(bulkAdd, 2 * 128);
    kernel.options.completion = completion;
    const Outcome outcome = kernel.runClean();
    for (unsigned i = 0; i < 32; ++i)
      EXPECT_EQ(outcome.out[i], i + 200);
  }
}

TEST(SharedReduction, WideAndOtherOperations) {
  std::string wide = redAdd, maximum = redAdd, generic = redAdd;
  wide.replace(wide.find("u32"), 3, "u64");
  wide.replace(wide.find("%r1,"), 4, "%rd20,");
  ReductionKernel sum("cvt.u64.u32 %rd20, %r1;\nshl.b64 %rd20, %rd20, 31;\n" +
                          wide,
                      2 * 32 * 8);
  // Words 0 and 1: 0 and 1 as one number 2^32, plus 992 * 2^31.
  EXPECT_EQ(sum.runClean().out[1], 1 + 496u);
  maximum.replace(maximum.find("add.u32"), 7, "max.s32");
  EXPECT_EQ(ReductionKernel(maximum, 2 * 32 * 4).runClean().out[0], 31u);
  generic.replace(generic.find(".shared::cluster"), 16, "");
  generic.replace(generic.find("%r5"), 3, "%rd21");
  generic.replace(generic.find("%r6"), 3, "%rd22");
  ReductionKernel kernel("cvt.u64.u32 %rd21, %r0;\ncvta.shared.u64 %rd21, "
                         "%rd21;\ncvt.u64.u32 %rd22, %r2;\ncvta.shared.u64 "
                         "%rd22, %rd22;\n@!%p5 " +
                             generic,
                         32 * 4);
  EXPECT_EQ(kernel.runClean().out[0], 496u);
}

TEST(SharedReduction, Reports) {
  ReductionKernel(redAdd, 256, "").expect(Check::Async, "is in flight");
  ReductionKernel(bulkAdd, 256, "").expect(Check::Async, "is in flight");
  // A wait for half of the reductions.
  ReductionKernel(redAdd, 128).expect(Check::Mbarrier, "");
  // Other accesses to bytes that are being reduced.
  ReductionKernel(redAdd + "@%p6 st.shared.b32 [%r4], %r9;\n", 256)
      .expect(Check::Async, "is overwritten while the asynchronous");
  ReductionKernel(bulkAdd + redAdd, 512)
      .expect(Check::Async, "is overwritten while the asynchronous");
  ReductionKernel(bulkAdd + "@%p6 st.shared.b32 [%r8], %r9;\n", 256)
      .expect(Check::Async, "while an asynchronous operation");
  // The mbarrier of the own block, the words of the other one.
  std::string wrong = redAdd;
  wrong.replace(wrong.find("%r6"), 3, "%r2");
  ReductionKernel(wrong, 256)
      .expect(Check::Mbarrier, "the mbarrier of red.async lies in another");
  wrong = bulkAdd;
  wrong.replace(wrong.find("%r6"), 3, "%r2");
  ReductionKernel(wrong, 256)
      .expect(Check::Mbarrier, "the mbarrier of a reduction lies in another");
  // The async proxy and generic writes that are not fenced.
  ReductionKernel kernel(bulkAdd, 256);
  kernel.body.replace(kernel.body.find("fence.proxy.async;"), 18, "");
  kernel.expect(Check::Proxy, "by the async proxy");
}

TEST(SharedReduction, EachHasItsMbarrier) {
  // Two reductions into one word, of which the reader waits for the first.
  std::string second = redAdd;
  second.replace(second.find("%r6"), 3, "%r6+8");
  ReductionKernel kernel("@%p6 mbarrier.init.shared.b64 [%r2+8], 1;\n@%p6 "
                         "mbarrier.arrive.expect_tx.shared.b64 _, [%r2+8], 4;"
                         "\n@%p6 " +
                             redAdd + "@%p6 " + second,
                         4);
  kernel.expect(Check::Async, "is read while the asynchronous copy");
  std::string wait = waitBarrier;
  wait.replace(wait.find("WAIT"), 4, "AGAIN");
  wait.replace(wait.find("WAIT"), 4, "AGAIN");
  wait.replace(wait.find("%r2"), 3, "%r2+8");
  const size_t end = kernel.body.find("ld.shared.b32 %r12");
  kernel.body.insert(end, wait);
  kernel.runClean();
}

TEST(SharedReduction, UndefinedStaysUndefined) {
  ReductionKernel kernel(bulkAdd, 2 * 128);
  const std::string init = "st.shared.b32 [%r4], %r1;\n";
  kernel.body.replace(kernel.body.find(init), init.size(), "");
  kernel.expect(Check::Uninitialized, "%r12 is undefined");
}

TEST(SharedReduction, Types) {
  auto refused = [](std::string text, const char *from, const char *to) {
    text.replace(text.find(from), std::strlen(from), to);
    ReductionKernel kernel(text, 256);
    const Outcome outcome = kernel.run();
    return !outcome.reports.empty() &&
           outcome.reports[0].check == Check::Unsupported;
  };
  for (const std::string &text : {redAdd, bulkAdd}) {
    EXPECT_FALSE(refused(text, "add.u32", "and.b32"));
    EXPECT_FALSE(refused(text, "add.u32", "inc.u32"));
    for (const char *other :
         {"and.u32", "inc.s32", "add.f32", "min.u64", "add.b32", "exch.b32"})
      EXPECT_TRUE(refused(text, "add.u32", other)) << other;
  }
  EXPECT_TRUE(refused(redAdd, ".relaxed", ".release"));
}
