//===- WgmmaRulesTest.cpp - the asynchrony of wgmma -----------------------===//
//
// Each rule broken once in a kernel that is right otherwise, and what the
// decoder refuses.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/WgmmaHarness.h"

using namespace wna16::emulator;
using Element = MatrixElement;
using Swizzle = TensorMap::Swizzle;
using Kernel = WgmmaKernel;

namespace {

const char *mma =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, "
    "%f2, %f3}, %rd10, %rd11, 1, 1, 1, 0, 0;\n";
const char *mmaRegisters =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, "
    "{%r20, %r21, %r22, %r23}, %rd11, 1, 1, 1, 0;\n";
const char *fence = "wgmma.fence.sync.aligned;\n";
const char *commit = "wgmma.commit_group.sync.aligned;\n";
const char *waitAll = "wgmma.wait_group.sync.aligned 0;\n";

/// Operands in shared memory, zero accumulators and registers of A.
Kernel ready() {
  Kernel kernel;
  const std::vector<std::vector<int>> ones(64, std::vector<int>(16, 4));
  kernel.body = descriptor(10, place(kernel.image, Element::F16, 64, false,
                                     Swizzle::Bytes128, ones));
  kernel.body += descriptor(
      11, place(kernel.image, Element::F16, 8, false, Swizzle::Bytes128, ones));
  for (int i = 0; i < 8; ++i)
    kernel.body += "mov.f32 %f" + std::to_string(i) + ", 0f00000000;\n";
  for (int i = 20; i < 24; ++i)
    kernel.body += "mov.b32 %r" + std::to_string(i) + ", 0x3c003c00;\n";
  return kernel;
}

Kernel with(const std::string &body) {
  Kernel kernel = ready();
  kernel.body += body;
  return kernel;
}

} // namespace

TEST(WgmmaRules, RightOnesAreSilent) {
  const std::string store = "st.global.f32 [%rd5], %f0;\n";
  with(std::string(fence) + mma + commit + waitAll + store).expectNothing();
  // A chain of the same shape, and a second group in flight.
  with(std::string(fence) + mma + mma + commit + mma + commit + waitAll + store)
      .expectNothing();
  // A register is written again once its group is over.
  with(std::string(fence) + mmaRegisters + commit + waitAll +
       "mov.b32 %r20, 0;\n" + fence + mmaRegisters + commit + waitAll + store)
      .expectNothing();
  for (Completion completion : {Completion::Early, Completion::Random}) {
    Kernel kernel =
        with(std::string(fence) + mma + mma + commit + waitAll + store);
    kernel.options.completion = completion;
    const Outcome outcome = kernel.run();
    EXPECT_TRUE(outcome.reports.empty());
    EXPECT_EQ(outcome.out[0], std::bit_cast<uint32_t>(32.0f));
  }
}

TEST(WgmmaRules, AccumulatorsBeforeTheWait) {
  with(std::string(fence) + mma + commit + "st.global.f32 [%rd5], %f2;\n" +
       waitAll)
      .expect(Check::Wgmma, "st.global.f32 [%rd5], %f2",
              "register %f2, an accumulator of the wgmma of line");
  with(std::string(fence) + mma + commit + "mov.f32 %f3, 0f00000000;\n" +
       waitAll)
      .expect(Check::Wgmma, "mov.f32 %f3, 0f00000000;\nwgmma.wait",
              "is written while that is in flight");
  // The wait leaves one group in flight, or the wgmma is in no group at all.
  with(std::string(fence) + mma + commit +
       "wgmma.wait_group.sync.aligned 1;\nst.global.f32 [%rd5], %f0;\n" +
       waitAll)
      .expect(Check::Wgmma, "st.global.f32", "is read while");
  with(std::string(fence) + mma + waitAll + "st.global.f32 [%rd5], %f0;\n" +
       commit + waitAll)
      .expect(Check::Wgmma, "st.global.f32", "is read while");
}

TEST(WgmmaRules, RegistersOfABeforeTheWait) {
  with(std::string(fence) + mmaRegisters + commit + "mov.b32 %r22, 0;\n" +
       waitAll)
      .expect(Check::Wgmma, "mov.b32 %r22, 0;",
              "register %r22, a register of A of the wgmma of line");
  with(std::string(fence) + mmaRegisters + commit + waitAll +
       "mov.b32 %r22, 0;\n" + fence + mmaRegisters +
       "st.global.b32 [%rd5], %r23;\n" + commit + waitAll)
      .expect(Check::Wgmma, "st.global.b32", "is read while");
}

TEST(WgmmaRules, AccumulatorsAsA) {
  // Accumulators of one wgmma are the registers of A of the next.
  const std::string packed =
      "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r20, %r21}, %rd10, "
      "%rd11, 0, 1, 1, 0, 0;\n";
  with(std::string(fence) + packed + mmaRegisters + commit + waitAll)
      .expect(Check::Wgmma, mmaRegisters,
              "register %r20 is a register of A here and an accumulator of the "
              "wgmma of line");
  with(std::string(fence) + packed + commit + waitAll + fence + mmaRegisters +
       commit + waitAll)
      .expectNothing();
}

TEST(WgmmaRules, Fences) {
  with(std::string(mma) + commit + waitAll)
      .expect(Check::Wgmma, "wgmma.mma_async", "no wgmma.fence comes before");
  with(std::string(fence) + "mov.f32 %f1, 0f3f800000;\n" + mma + commit +
       waitAll)
      .expect(Check::Wgmma, "wgmma.mma_async",
              "register %f1, an accumulator of this wgmma, was read or written "
              "at line");
  with(std::string(fence) + mmaRegisters + commit + waitAll +
       "mov.b32 %r21, 0;\n// second\n" + mmaRegisters + commit + waitAll)
      .expect(Check::Wgmma,
              std::string(mmaRegisters) + commit + waitAll + "\nret",
              "register %r21, a register of A of this wgmma");
  // Another shape on the same accumulators.
  with(std::string(fence) + mma +
       "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f0, %f1, %f2, "
       "%f3, %f4, %f5, %f6, %f7}, %rd10, %rd11, 1, 1, 1, 0, 0;\n" +
       commit + waitAll)
      .expect(Check::Wgmma, "wgmma.mma_async.sync.aligned.m64n16",
              "which has another shape");
}

TEST(WgmmaRules, SharedOperands) {
  // Row 0 of B, which all warps read.
  const std::string write = "st.shared.b32 [%r0+16384], %r20;\n";
  const std::string lane0 = "setp.eq.u32 %p2, %r1, 0;\n@%p2 ";
  with(std::string(fence) + mma + commit + lane0 + write + waitAll)
      .expect(Check::Wgmma, "@%p2 st.shared",
              "is overwritten while the wgmma of line");
  // Another warp reads it still.
  with(std::string(fence) + mma + commit + waitAll + lane0 + write)
      .expect(Check::Race, "@%p2 st.shared", "not synchronised with the read");
  with(std::string(fence) + mma + commit + waitAll + "bar.sync 0;\n" + lane0 +
       write)
      .expectNothing();
  Kernel unfenced = with(std::string(fence) + mma + commit + waitAll);
  unfenced.publish = "bar.sync 0;\n";
  unfenced.expect(Check::Proxy, "wgmma.mma_async",
                  "nothing makes the generic write of line");
  Kernel unsynchronised = with(std::string(fence) + mma + commit + waitAll);
  unsynchronised.publish = "fence.proxy.async;\n";
  unsynchronised.expect(Check::Race, "wgmma.mma_async",
                        "not synchronised with the write");
}

TEST(WgmmaRules, Warpgroup) {
  const std::string warp1 = "shr.u32 %r5, %r1, 5;\nsetp.eq.u32 %p2, %r5, 1;\n";
  with(warp1 + fence + "@%p2 bra skip;\n" + mma + "skip:\n" + commit + waitAll)
      .expect(Check::Divergence, "wgmma.commit_group",
              "all four warps must execute the same wgmma instructions");
  with(warp1 + fence + "@%p2 bra skip;\n" + mma + commit + waitAll + "skip:\n")
      .expect(Check::Wgmma, "wgmma.mma_async", "without executing this");
  with(warp1 + "@%p2 add.u64 %rd11, %rd11, 2;\n" + fence + mma + commit +
       waitAll)
      .expect(Check::Wgmma, "wgmma.mma_async",
              "the descriptor of B differs between warp");
  with("and.b32 %r5, %r1, 1;\ncvt.u64.u32 %rd12, %r5;\n"
       "add.u64 %rd11, %rd11, %rd12;\n" +
       std::string(fence) + mma + commit + waitAll)
      .expect(Check::Wgmma, "wgmma.mma_async", "differs between lanes");
  Kernel small = with(std::string(fence) + mma + commit + waitAll);
  small.threads = 64;
  small.prologue = "// IMAGE\n";
  small.expect(Check::Wgmma, "wgmma.fence", "a warpgroup is four warps");
  with("setp.lt.u32 %p2, %r1, 5;\n@%p2 bra skip;\n" + std::string(fence) +
       "skip:\n")
      .expect(Check::Divergence, "wgmma.fence", "are missing");
}

TEST(WgmmaRules, DescriptorsAndEnd) {
  with("or.b64 %rd11, %rd11, 0x4000;\n" + std::string(fence) + mma + commit +
       waitAll)
      .expect(Check::Wgmma, "wgmma.mma_async", "has bits outside its fields");
  with("or.b64 %rd11, %rd11, 0x3fff;\n" + std::string(fence) + mma + commit +
       waitAll)
      .expect(Check::Bounds, "wgmma.mma_async",
              "outside the 65536 bytes of shared memory");
  with(std::string(fence) + mma + commit)
      .expect(Check::Wgmma, "wgmma.mma_async", "this warp exits while");
}

TEST(WgmmaRules, UndefinedRowsTaintTheirResults) {
  // Row 5 of B is never written: column 5, in lanes with t = 2, half 1.
  const std::string body = std::string(fence) + mma + commit + waitAll;
  auto kernel = [&](const std::string &store) {
    Kernel result = with(body + store);
    // B lies behind A; its rows are 128 bytes.
    result.prologue =
        "mov.u32 %r10, 0x3c003c00;\nLOOP:\n"
        "setp.ge.u32 %p0, %r2, IMAGE;\n@%p0 bra DONE;\n"
        "shr.u32 %r3, %r2, 7;\nsetp.eq.u32 %p1, %r3, ROW;\n"
        "add.u32 %r3, %r0, %r2;\n"
        "@!%p1 st.shared.v4.b32 [%r3], {%r10, %r10, %r10, %r10};\n"
        "add.u32 %r2, %r2, 2048;\nbra LOOP;\nDONE:\n";
    const size_t row = result.prologue.find("ROW");
    result.prologue.replace(row, 3, std::to_string(16384 / 128 + 5));
    return result;
  };
  kernel("st.global.f32 [%rd5], %f0;\n").expectNothing();
  const Outcome outcome = kernel("st.global.f32 [%rd5], %f1;\n").run();
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_EQ(outcome.reports[0].check, Check::Uninitialized);
  EXPECT_EQ(outcome.reports[0].lane, 2);
}

TEST(WgmmaRules, UndefinedElementsOfMNMajorOperands) {
  // The same with B transposed: row 5 is the sixth element of every 16 bytes.
  auto kernel = [&](const std::string &store) {
    WgmmaKernel result;
    result.prologue = "// IMAGE\nmov.b16 %rs1, 0x3c00;\nshl.b32 %r2, %r1, 1;\n"
                      "and.b32 %r3, %r2, 15;\nsetp.eq.u32 %p1, %r3, 10;\n"
                      "add.u32 %r3, %r0, %r2;\n"
                      "@!%p1 st.shared.b16 [%r3], %rs1;\n";
    MatrixDescriptor b;
    b.leadingOffset = b.strideOffset = 128;
    result.body = descriptor(11, b) + "mov.b32 %r20, 0x3c003c00;\n" + fence +
                  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, "
                  "%f1, %f2, %f3}, {%r20, %r20, %r20, %r20}, %rd11, 0, 1, 1, "
                  "1;\n" +
                  commit + waitAll + store;
    return result;
  };
  kernel("st.global.f32 [%rd5], %f0;\n").expectNothing();
  const Outcome outcome = kernel("st.global.f32 [%rd5], %f1;\n").run();
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_EQ(outcome.reports[0].check, Check::Uninitialized);
  EXPECT_EQ(outcome.reports[0].lane, 2);
}

TEST(WgmmaRules, Refused) {
  auto refuses = [](const std::string &line, const std::string &words) {
    Kernel kernel = ready();
    kernel.body += line;
    const Outcome outcome = kernel.run();
    ASSERT_FALSE(outcome.reports.empty()) << line;
    EXPECT_NE(outcome.reports[0].str().find(words), std::string::npos)
        << outcome.reports[0].str();
  };
  const std::string op = "wgmma.mma_async.sync.aligned.";
  refuses("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, "
          "%f2, %f3}, %rd10, %rd11, %r5, 0, 1, 1, 1, 0, 0;\n",
          "sparse wgmma is not supported");
  refuses(op + "m64n12k16.f32.f16.f16 {%f0}, %rd10, %rd11, 1, 1, 1, 0, 0;\n",
          "expected a shape");
  refuses(op + "m64n8k16.f32.tf32.tf32 {%f0, %f1, %f2, %f3}, %rd10, %rd11, 1, "
               "1, 1;\n",
          "does not go with elements of 32 bits");
  refuses(op + "m64n8k16.f32.f16.bf16 {%f0, %f1, %f2, %f3}, %rd10, %rd11, 1, "
               "1, 1, 0, 0;\n",
          "do not go together");
  refuses(op + "m64n40k32.s32.s8.s8 " + list("%d", 20) + ", %rd10, %rd11, 1;\n",
          "integer wgmma needs an N");
  refuses(op + "m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd10, %rd11, 1, 2, "
               "1, 0, 0;\n",
          "expected a scale of 1 or -1");
}
