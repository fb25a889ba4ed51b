//===- CountersTest.cpp - what a run did ----------------------------------===//
//
// Bytes by buffer and by hint, bank conflicts with their loops, matrix work.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Harness.h"

using namespace wna16::emulator;

namespace {

Options withDistinct() {
  Options options;
  options.distinctBytes = true;
  return options;
}

Counters count(const std::string &body, Options options = withDistinct(),
               uint32_t threads = 32, uint32_t blocks = 1) {
  Outcome outcome = runBody(body, {}, threads, options, blocks);
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  return std::move(outcome.counters);
}

const BankCount &onlyBank(const Counters &counters) {
  static const BankCount none;
  EXPECT_EQ(counters.banks.size(), 1u);
  return counters.banks.empty() ? none : counters.banks.begin()->second;
}

TEST(Counters, BytesOfABuffer) {
  const Counters counters = count(R"(
ld.global.u32 %r5, [%rd4];
ld.global.u32 %r6, [%rd1];
ld.global.v2.u32 {%r7, %r8}, [%rd1+8];
st.global.u32 [%rd5], %r5;
st.global.u32 [%rd5], %r5;
)");
  const BufferCount &in = counters.buffers.at("in");
  EXPECT_EQ(in.size, 16384u);
  EXPECT_EQ(in.read, 128u + 128 + 256); // each lane
  EXPECT_EQ(in.fetched, 128u + 4 + 8);  // each instruction
  EXPECT_EQ(in.distinctRead, 128u);     // each byte
  EXPECT_EQ(in.written, 0u);
  const BufferCount &out = counters.buffers.at("out");
  EXPECT_EQ(out.written, 256u);
  EXPECT_EQ(out.stored, 256u);
  EXPECT_EQ(out.distinctWritten, 128u);
  EXPECT_EQ(out.read, 0u);
  EXPECT_EQ(counters.globalRead, 512u);
  EXPECT_EQ(counters.globalWritten, 256u);
}

TEST(Counters, LanesInAnyOrderAreFetchedOnce) {
  // Lanes 4g to 4g + 3 share a word, the last group comes first.
  const Counters counters = count(R"(
shr.u32 %r5, %r1, 2;
sub.u32 %r5, 7, %r5;
mul.wide.u32 %rd6, %r5, 4;
add.s64 %rd7, %rd1, %rd6;
ld.global.u32 %r6, [%rd7];
)");
  EXPECT_EQ(counters.buffers.at("in").read, 128u);
  EXPECT_EQ(counters.buffers.at("in").fetched, 32u);
}

TEST(Counters, TwoBuffersInOneInstruction) {
  const Counters counters = count(R"(
st.global.u32 [%rd5], %r1;
setp.lt.u32 %p1, %r1, 8;
selp.b64 %rd6, %rd4, %rd5, %p1;
ld.global.u32 %r6, [%rd6];
)");
  EXPECT_EQ(counters.buffers.at("in").fetched, 32u);
  EXPECT_EQ(counters.buffers.at("out").fetched, 96u);
}

TEST(Counters, DistinctBytesOnlyOnRequest) {
  const Counters counters = count("ld.global.u32 %r5, [%rd4];", Options());
  EXPECT_FALSE(counters.hasDistinct);
  EXPECT_EQ(counters.buffers.at("in").distinctRead, 0u);
  EXPECT_EQ(counters.buffers.at("in").fetched, 128u);
}

TEST(Counters, OffMeansNothing) {
  Options options;
  options.counters = false;
  options.distinctBytes = true;
  const Counters counters = count("ld.global.u32 %r5, [%rd4];\n"
                                  "st.shared.u32 [%r4], %r5;",
                                  options);
  EXPECT_EQ(counters.totalWarpInstructions(), 0u);
  EXPECT_TRUE(counters.buffers.empty());
  EXPECT_TRUE(counters.banks.empty());
}

TEST(Counters, BlocksOfSeveralWorkersAdd) {
  Options options = withDistinct();
  options.threads = 2;
  const Counters counters = count("ld.global.u32 %r5, [%rd4];", options, 32, 8);
  EXPECT_EQ(counters.blocks, 8u);
  EXPECT_EQ(counters.buffers.at("in").fetched, 8 * 128u);
  EXPECT_EQ(counters.buffers.at("in").distinctRead, 128u);
  EXPECT_EQ(counters.accesses.at("ld").executions, 8u);
}

TEST(Counters, Hints) {
  const Counters counters = count(R"(
mov.b64 %rd10, 0x12f0000000000000;
ld.global.nc.L1::no_allocate.L2::128B.u32 %r5, [%rd4];
ld.global.L1::evict_last.u32 %r5, [%rd4];
ld.global.cg.u32 %r5, [%rd4];
ld.volatile.global.u32 %r5, [%rd4];
ld.global.L2::cache_hint.u32 %r6, [%rd4], 0x14f0000000000000;
ld.global.L2::cache_hint.u32 %r7, [%rd4], %rd10;
createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd11, 0.5;
ld.global.L2::cache_hint.v2.u32 {%r7, %r8}, [%rd1], %rd11;
setp.eq.u32 %p1, %r1, 0;
@%p1 cp.async.cg.shared.global.L2::256B [%r2], [%rd1], 16;
cp.async.wait_all;
st.global.cs.u32 [%rd5], %r1;
red.global.add.u32 [%rd5], 1;
)");
  auto bytes = [&](const char *kind) {
    const auto found = counters.accesses.find(kind);
    return found == counters.accesses.end()
               ? uint64_t(0)
               : found->second.read + found->second.written;
  };
  EXPECT_EQ(bytes("ld.nc.L1::no_allocate.L2::128B"), 128u);
  EXPECT_EQ(bytes("ld.L1::evict_last"), 128u);
  EXPECT_EQ(bytes("ld.cg"), 128u);
  EXPECT_EQ(bytes("ld"), 128u);
  // By a constant and by createpolicy.
  EXPECT_EQ(bytes("ld.L2::cache_hint(evict_last)"), 128u + 256);
  EXPECT_EQ(bytes("ld.L2::cache_hint(evict_first)"), 128u);
  EXPECT_EQ(bytes("cp.async.cg.L2::256B"), 16u);
  EXPECT_EQ(bytes("st.cs"), 128u);
  EXPECT_EQ(bytes("red"), 128u);
  EXPECT_EQ(counters.accesses.size(), 9u);
}

TEST(Counters, SharedAndLocalBytes) {
  const Counters counters = count(R"(
.local .align 4 .b8 spill[8];
st.local.u32 [spill], %r1;
ld.local.u32 %r5, [spill];
st.shared.v2.u32 [%r2], {%r2, %r2};
ld.shared.u16 %r6, [%r2];
)");
  EXPECT_EQ(counters.localRead, 128u);
  EXPECT_EQ(counters.localWritten, 128u);
  EXPECT_EQ(counters.sharedWritten, 256u);
  EXPECT_EQ(counters.sharedRead, 64u);
}

//===----------------------------------------------------------------------===//
// Banks
//===----------------------------------------------------------------------===//

/// Degree of a store of `type` at %r2 + lane * stride.
double storeDegree(const char *type, const char *values, int stride) {
  return onlyBank(count("mad.lo.u32 %r6, %r1, " + std::to_string(stride) +
                        ", %r2;\nst.shared." + type + " [%r6], " + values +
                        ";"))
      .degree();
}

TEST(Counters, BankConflictsOfStores) {
  EXPECT_EQ(storeDegree("u32", "%r1", 4), 1);
  EXPECT_EQ(storeDegree("u32", "%r1", 8), 2);
  EXPECT_EQ(storeDegree("u32", "%r1", 128), 32);
  EXPECT_EQ(storeDegree("u32", "%r1", 132), 1);
  EXPECT_EQ(storeDegree("u16", "%r1", 2), 1);
  EXPECT_EQ(storeDegree("v4.u32", "{%r1, %r1, %r1, %r1}", 16), 1);
  EXPECT_EQ(storeDegree("v4.u32", "{%r1, %r1, %r1, %r1}", 32), 2);
  EXPECT_EQ(storeDegree("v2.u32", "{%r1, %r1}", 8), 1);
  EXPECT_EQ(storeDegree("v2.u32", "{%r1, %r1}", 16), 2);
}

TEST(Counters, OneWordForAllIsNoConflict) {
  EXPECT_EQ(onlyBank(count("st.shared.u32 [%r2], %r2;")).degree(), 1);
}

/// Rows of 16 bytes for ldmatrix and stmatrix, or destinations of cp.async.
double rowDegree(const std::string &instruction, int stride) {
  Options options;
  options.checks[unsigned(Check::Race)] = false;
  options.checks[unsigned(Check::Uninitialized)] = false;
  return onlyBank(count("and.b32 %r5, %r1, 15;\nmad.lo.u32 %r6, %r5, " +
                            std::to_string(stride) + ", %r2;\n" + instruction,
                        options))
      .degree();
}

TEST(Counters, BankConflictsOfMatrixRows) {
  for (const char *instruction :
       {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r7, %r8}, [%r6];",
        "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r6], {%r1, %r1};"}) {
    EXPECT_EQ(rowDegree(instruction, 16), 1);
    EXPECT_EQ(rowDegree(instruction, 128), 8);
    EXPECT_EQ(rowDegree(instruction, 144), 1);
    EXPECT_EQ(rowDegree(instruction, 64), 4);
  }
}

TEST(Counters, BankConflictsOfCopies) {
  const std::string copy = R"(
setp.lt.u32 %p1, %r1, 16;
@%p1 cp.async.cg.shared.global [%r6], [%rd1], 16;
cp.async.wait_all;
)";
  EXPECT_EQ(rowDegree(copy, 16), 1);
  EXPECT_EQ(rowDegree(copy, 128), 8);
}

TEST(Counters, PatternsThatChangeFromRoundToRound) {
  // Strides of 4, 8 and 16 bytes: 1 + 2 + 4 passes.
  const Counters counters = count(R"(
mov.u32 %r5, 4;
L:
mad.lo.u32 %r6, %r1, %r5, %r2;
st.shared.u32 [%r6], %r1;
bar.warp.sync -1;
add.u32 %r5, %r5, %r5;
setp.le.u32 %p1, %r5, 16;
@%p1 bra L;
)");
  const BankCount &bank = onlyBank(counters);
  EXPECT_EQ(bank.executions, 3u);
  EXPECT_EQ(bank.ideal, 3u);
  EXPECT_EQ(bank.passes, 7u);
}

TEST(Counters, ShiftedPatternsAreTheSame) {
  // The same conflicts, 4 bytes further each round; an odd shift of halves
  // changes which word they lie in.
  const Counters counters = count(R"(
mov.u32 %r5, 0;
mad.lo.u32 %r6, %r1, 8, %r2;
L:
st.shared.u32 [%r6], %r1;
bar.warp.sync -1;
add.u32 %r6, %r6, 4;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 4;
@%p1 bra L;
)");
  EXPECT_EQ(onlyBank(counters).passes, 8u);
  const Counters halves = count(R"(
mov.u32 %r5, 0;
mad.lo.u32 %r6, %r1, 66, %r2;
L:
st.shared.u16 [%r6], %r1;
bar.warp.sync -1;
add.u32 %r6, %r6, 2;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 2;
@%p1 bra L;
)");
  // Lane i is in word 16.5 i rounded down: all banks differ. Two bytes further
  // on lane 31 meets lane 0 in bank 0.
  EXPECT_EQ(onlyBank(halves).ideal, 2u);
  EXPECT_EQ(onlyBank(halves).passes, 3u);
}

TEST(Counters, LoopOfAnAccess) {
  const Counters counters = count(R"(
st.shared.u32 [%r4], %r2;
mov.u32 %r5, 0;
OUTER:
mov.u32 %r6, 0;
INNER:
st.shared.u32 [%r4], %r2;
add.u32 %r6, %r6, 1;
setp.lt.u32 %p1, %r6, 2;
@%p1 bra INNER;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 2;
@%p1 bra OUTER;
)");
  ASSERT_EQ(counters.banks.size(), 2u);
  const auto &[firstLine, outside] = *counters.banks.begin();
  const auto &[secondLine, inside] = *counters.banks.rbegin();
  EXPECT_EQ(outside.loop.depth, 0u);
  EXPECT_EQ(inside.loop.depth, 2u);
  EXPECT_EQ(inside.loop.line, secondLine); // the label's first instruction
  EXPECT_EQ(inside.executions, 4u);
  EXPECT_EQ(counters.worstBank(true), nullptr);
}

TEST(Counters, WorstBank) {
  const Counters counters = count(R"(
mad.lo.u32 %r6, %r1, 8, %r2;
mad.lo.u32 %r7, %r1, 16, %r2;
st.shared.u32 [%r6], %r1;
bar.warp.sync -1;
st.shared.u32 [%r7], %r1;
mov.u32 %r5, 0;
L:
bar.warp.sync -1;
st.shared.u32 [%r6], %r1;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 4;
@%p1 bra L;
)");
  ASSERT_NE(counters.worstBank(false), nullptr);
  EXPECT_EQ(counters.worstBank(false)->second.degree(), 4);
  ASSERT_NE(counters.worstBank(true), nullptr);
  EXPECT_EQ(counters.worstBank(true)->second.degree(), 2);
}

//===----------------------------------------------------------------------===//
// Matrix work, lines
//===----------------------------------------------------------------------===//

TEST(Counters, MatrixWork) {
  const Counters counters = count(R"(
mov.f32 %f1, 0f00000000;
mov.u32 %r5, 0;
L:
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2,%f3,%f4,%f5},
  {%r2,%r2,%r2,%r2}, {%r2,%r2}, {%f1,%f1,%f1,%f1};
add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 3;
@%p1 bra L;
mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f2,%f3,%f4,%f5},
  {%r2,%r2}, {%r2}, {%f1,%f1,%f1,%f1};
)",
                                  withDistinct(), 64);
  ASSERT_EQ(counters.matrix.size(), 2u);
  const MatrixCount &wide = counters.matrix.at("mma.m16n8k16.f32.f16.f16.f32");
  EXPECT_EQ(wide.count, 6u);
  EXPECT_EQ(wide.flop, 6u * 2 * 16 * 8 * 16);
  EXPECT_EQ(counters.matrix.at("mma.m16n8k8.f32.bf16.bf16.f32").count, 2u);
  EXPECT_EQ(counters.matrixCount(), 8u);
  EXPECT_EQ(counters.flop(), 6u * 4096 + 2u * 2048);
}

TEST(Counters, HottestLines) {
  const Counters counters = count(R"(
mov.u32 %r5, 0;
L:
add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 10;
@%p1 bra L;
)");
  const auto lines = counters.hottest(2);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].instruction, "add.u32");
  EXPECT_EQ(lines[0].warps, 10u);
  EXPECT_EQ(lines[0].lanes, 320u);
  EXPECT_EQ(lines[0].loop.depth, 1u);
  EXPECT_EQ(lines[1].instruction, "setp.lt.u32");
}

//===----------------------------------------------------------------------===//
// The async engine
//===----------------------------------------------------------------------===//

TEST(Counters, MulticastReadsItsSourceOnce) {
  ParseResult parsed = parsePtx(kernelText(R"(
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared::cta.b64 [%r2], 1;
@%p1 fence.mbarrier_init.release.cluster;
@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
mov.u32 %r10, %cluster_ctarank;
setp.eq.and.u32 %p2, %r10, 0, %p1;
add.u32 %r11, %r2, 1024;
mov.u16 %rs1, 3;
@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r11], [%rd1], 256, [%r2], %rs1, 0x12f0000000000000;
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0;
@!%p3 bra WAIT;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
)"),
                                "test.ptx");
  ASSERT_NE(std::get_if<0>(&parsed), nullptr);
  Device device;
  Buffer &in = device.addBuffer("in", 1024, 16, true);
  LaunchSpec launch;
  launch.entry = "k";
  launch.grid = launch.cluster = {2, 1, 1};
  launch.block = {32, 1, 1};
  launch.sharedBytes = 4096;
  launch.params = {paramBytes(in.base), paramBytes(in.base)};
  const RunResult result =
      run(*std::get<0>(parsed), device, launch, withDistinct());
  for (const Report &report : result.reports)
    ADD_FAILURE() << report.str();
  const Counters &counters = result.counters;
  EXPECT_EQ(counters.buffers.at("in").fetched, 256u);
  EXPECT_EQ(counters.buffers.at("in").distinctRead, 256u);
  EXPECT_EQ(counters.sharedWritten, 512u);
  EXPECT_EQ(counters.accesses.count("cp.async.bulk.multicast::cluster."
                                    "L2::cache_hint(evict_first)"),
            1u);
}

} // namespace
