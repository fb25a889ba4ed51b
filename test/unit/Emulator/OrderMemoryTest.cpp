//===- OrderMemoryTest.cpp - data on its way through memory ---------------===//
//
// The order check with numbers that go through shared and global memory, and
// through every kind of copy.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/OrderHarness.h"

using namespace wna16::emulator;

namespace {

TEST(Order, ThroughSharedMemory) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
st.shared.u32 [%r4], %r8;
bar.sync 0;
ld.shared.u32 %r5, [%r4];
)") + use)),
            "ld.global.u32 of 'idx' -> st.shared.u32 -> ld.shared.u32" +
                usePath);
}

TEST(Order, ThroughAHalfOfASharedWord) {
  // Only the upper half comes from the index.
  const std::string store = R"(
ld.global.u16 %rs1, [%rd7];
mov.u16 %rs2, 1;
st.shared.v2.u16 [%r4], {%rs2, %rs1};
)";
  EXPECT_EQ(path(runLoop(store + "ld.shared.u16 %r5, [%r4];" + use)), "");
  EXPECT_EQ(path(runLoop(store + "ld.shared.u16 %r5, [%r4+2];" + use)),
            "ld.global.u16 of 'idx' -> st.shared.v2.u16 -> ld.shared.u16" +
                usePath);
}

TEST(Order, ThroughAnAsynchronousCopy) {
  EXPECT_EQ(path(runLoop(std::string(R"(
cp.async.ca.shared.global [%r4], [%rd7], 4;
cp.async.wait_all;
ld.shared.u32 %r5, [%r4];
)") + use)),
            "cp.async.ca.shared.global of 'idx' -> ld.shared.u32" + usePath);
}

TEST(Order, AddressOfAnAsynchronousCopy) {
  EXPECT_EQ(path(runLoop(R"(
ld.global.u32 %r5, [%rd7];
mul.wide.u32 %rd20, %r5, 4;
add.s64 %rd21, %rd2, %rd20;
cp.async.ca.shared.global [%r4], [%rd21], 4;
cp.async.wait_all;
)")),
            "ld.global.u32 of 'idx' -> mul.wide.u32 -> add.s64 -> "
            "cp.async.ca.shared.global");
}

const char *const barrier = R"(
setp.eq.u32 %p9, %r1, 0;
add.u32 %r80, %r3, 2048;
@%p9 mbarrier.init.shared::cta.b64 [%r80], 1;
fence.mbarrier_init.release.cluster;
bar.sync 0;
)";
/// Lane 0 copies 32 bytes from `source`; all wait.
std::string bulk(const std::string &source) {
  return R"(
bar.sync 0;
@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r80], 32;
@%p9 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [)" +
         source + R"(], 32, [%r80];
and.b32 %r81, %r2, 1;
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p8, [%r80], %r81;
@!%p8 bra WAIT;
)";
}

TEST(Order, ThroughABulkCopy) {
  EXPECT_EQ(path(runLoop(bulk("%rd1") + "ld.shared.u32 %r5, [%r3+4];" + use,
                         Buffer::Ids::None, barrier)),
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
            "of 'idx' -> ld.shared.u32" +
                usePath);
  // Beyond the bytes of the copy.
  EXPECT_EQ(path(runLoop(bulk("%rd1") +
                             "ld.shared.u32 %r5, [%r3+32];\n"
                             "and.b32 %r5, %r5, 7;" +
                             use,
                         Buffer::Ids::None, barrier)),
            "");
}

TEST(Order, AddressOfABulkCopy) {
  EXPECT_EQ(
      path(runLoop("ld.global.u32 %r5, [%rd7];\n"
                   "mad.wide.u32 %rd20, %r5, 16, %rd2;" +
                       bulk("%rd20"),
                   Buffer::Ids::None, barrier)),
      "ld.global.u32 of 'idx' -> mad.wide.u32 -> "
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes");
}

TEST(Order, CoordinateOfATensorCopy) {
  // There is no map behind the address; that is another report.
  EXPECT_EQ(path(orderOnly(runLoop(R"(
ld.global.u32 %r5, [%rd7];
shl.b32 %r6, %r5, 3;
@%p9 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd2, {%r2, %r6}], [%r80];
)",
                                   Buffer::Ids::None, barrier))),
            "ld.global.u32 of 'idx' -> shl.b32 -> cp.async.bulk.tensor.2d."
            "shared::cluster.global.mbarrier::complete_tx::bytes");
}

TEST(Order, DescriptorOfWgmma) {
  // A warp is no warpgroup; that is another report.
  EXPECT_EQ(path(orderOnly(runLoop(R"(
ld.global.u32 %r5, [%rd7];
cvt.u64.u32 %rd20, %r5;
setp.eq.u32 %p5, %r1, %r1;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd9, %rd20, %p5, 1, 1, 0, 0;
)"))),
            "ld.global.u32 of 'idx' -> cvt.u64.u32 -> "
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16");
}

TEST(Order, ThroughBulkStores) {
  // Out to global memory and back.
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r9, [%rd7];
st.shared.u32 [%r4], %r9;
fence.proxy.async.shared::cta;
bar.sync 0;
setp.eq.u32 %p9, %r1, 0;
@%p9 cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r3], 128;
@%p9 cp.async.bulk.commit_group;
@%p9 cp.async.bulk.wait_group 0;
bar.sync 0;
ld.global.u32 %r5, [%rd5];
bar.sync 0;
)") + use)),
            "ld.global.u32 of 'idx' -> st.shared.u32 -> "
            "cp.async.bulk.global.shared::cta.bulk_group -> ld.global.u32" +
                usePath);
}

TEST(Order, ThroughAsynchronousStores) {
  EXPECT_EQ(path(runLoop(std::string(R"(
bar.sync 0;
@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r80], 128;
bar.sync 0;
ld.global.u32 %r9, [%rd7];
mapa.shared::cluster.u32 %r82, %r4, 0;
mapa.shared::cluster.u32 %r83, %r80, 0;
st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r82], %r9, [%r83];
and.b32 %r81, %r2, 1;
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p8, [%r80], %r81;
@!%p8 bra WAIT;
ld.shared::cluster.u32 %r5, [%r82];
)") + use,
                         Buffer::Ids::None, barrier)),
            "ld.global.u32 of 'idx' -> "
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 -> "
            "ld.shared::cluster.u32" +
                usePath);
}

TEST(Order, ThroughMatrixRows) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
st.shared.u32 [%r4], %r8;
bar.warp.sync -1;
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r3];
and.b32 %r5, %r9, 7;
)") + use)),
            "ld.global.u32 of 'idx' -> st.shared.u32 -> "
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 -> and.b32" +
                usePath);
}

TEST(Order, TableOfConstants) {
  EXPECT_EQ(path(runLoop(std::string(R"(
shl.b32 %r8, %r2, 2;
mov.u32 %r9, table;
add.s32 %r9, %r9, %r8;
ld.const.u32 %r5, [%r9];
)") + use)),
            "ld.const.u32 of constant memory" + usePath);
}

TEST(Order, WhatTheKernelWroteItselfIsNoData) {
  const std::string writes = "st.global.u32 [%rd5], %r2;\n";
  EXPECT_EQ(path(runLoop(writes + "ld.global.u32 %r5, [%rd5];" + use)), "");
  EXPECT_EQ(path(runLoop("ld.global.u32 %r9, [%rd7];\n"
                         "st.global.u32 [%rd5], %r9;\n"
                         "ld.global.u32 %r5, [%rd5];" +
                         std::string(use))),
            "ld.global.u32 of 'idx' -> st.global.u32 -> ld.global.u32" +
                usePath);
}

TEST(Order, TicketsAreNoData) {
  EXPECT_EQ(path(runLoop("atom.global.add.u32 %r5, [%rd3], 1;\n"
                         "and.b32 %r5, %r5, 7;" +
                         std::string(use))),
            "");
  // Unless data is added.
  EXPECT_EQ(path(runLoop("ld.global.u32 %r9, [%rd7];\n"
                         "atom.global.add.u32 %r8, [%rd3], %r9;\n"
                         "and.b32 %r5, %r8, 7;" +
                         std::string(use))),
            "ld.global.u32 of 'idx' -> atom.global.add.u32 -> and.b32" +
                usePath);
}

} // namespace
