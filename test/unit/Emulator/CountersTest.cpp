//===- CountersTest.cpp - what a run did ----------------------------------===//
//
// Bytes by buffer and by hint, matrix work, lines.
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
