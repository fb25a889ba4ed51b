//===- OrderTest.cpp - no address in a loop depends on data ---------------===//
//
// Small kernels that find scales or activations by loaded numbers, in many
// disguises, and kernels that load much and address by counters only. The
// reports with their lines are in test/Emulator/order-*.ptx.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Emulator.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace wna16::emulator;

namespace {

/// A loop of eight rounds: %r2 is k. %rd1 to %rd3 point to the numbers (group
/// of k, 0..7), to data and to the output; %rd5 to this thread's output.
std::vector<Report> runLoop(const std::string &body,
                            Buffer::Ids ids = Buffer::Ids::None,
                            const std::string &before = "",
                            const std::string &after = "") {
  const std::string text = R"(
.version 8.0
.target sm_90
.address_size 64
.const .align 4 .b32 table[8] = {0, 1, 2, 3, 4, 5, 6, 7};
.extern .shared .align 1024 .b8 smem[];
.visible .entry k(.param .u64 idx, .param .u64 data, .param .u64 out)
{
.reg .pred %p<20>;
.reg .b16 %rs<40>;
.reg .b32 %r<100>;
.reg .f32 %f<40>;
.reg .b64 %rd<40>;
ld.param.u64 %rd1, [idx];
ld.param.u64 %rd2, [data];
ld.param.u64 %rd3, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd4, %r1, 4;
add.s64 %rd5, %rd3, %rd4;
mov.u32 %r3, smem;
shl.b32 %r90, %r1, 2;
add.s32 %r4, %r3, %r90;
mov.u32 %r2, 0;
)" + before + R"(
LOOP:
mul.wide.u32 %rd6, %r2, 4;
add.s64 %rd7, %rd1, %rd6;
add.s64 %rd8, %rd2, %rd6;
)" + body + R"(
NEXT:
add.s32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, 8;
@%p1 bra LOOP;
)" + after + "\nret;\n}\n";
  ParseResult parsed = parsePtx(text, "test.ptx");
  if (auto *diagnostic = std::get_if<Diagnostic>(&parsed)) {
    ADD_FAILURE() << diagnostic->str();
    return {};
  }
  Device device;
  std::vector<uint32_t> numbers(256);
  for (uint32_t i = 0; i < numbers.size(); ++i)
    numbers[i] = (i + 3) % 8;
  std::vector<uint8_t> bytes(numbers.size() * 4);
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  Buffer &index = device.addBuffer("idx", bytes, 16, true);
  index.ids = ids;
  Buffer &data = device.addBuffer("data", bytes, 16, true);
  Buffer &out = device.addBuffer("out", 4096, 16);
  LaunchSpec launch;
  launch.entry = "k";
  launch.block = {32, 1, 1};
  launch.sharedBytes = 4096;
  launch.params = {paramBytes(index.base), paramBytes(data.base),
                   paramBytes(out.base)};
  Options options;
  options.checkOrder = true;
  options.checks[unsigned(Check::Uninitialized)] = false;
  return run(*std::get<0>(parsed), device, launch, options).reports;
}

/// The one report, without what follows the path; empty if there is none.
std::string path(const std::vector<Report> &reports) {
  for (const Report &report : reports)
    if (report.check != Check::Order)
      ADD_FAILURE() << report.str();
  if (reports.empty())
    return "";
  const std::string &text = reports[0].message;
  const size_t begin = text.find(": ") + 2;
  std::string out = text.substr(begin, text.find("; ") - begin);
  // Line numbers off: they are tested elsewhere.
  std::string plain;
  for (size_t at = 0; at < out.size();) {
    size_t end = out.find(" -> ", at);
    end = end == std::string::npos ? out.size() : end;
    plain += (at ? " -> " : "") +
             out.substr(out.find(' ', at) + 1, end - out.find(' ', at) - 1);
    at = end == out.size() ? end : end + 4;
  }
  return plain;
}

/// Without the reports of other checks.
std::vector<Report> orderOnly(std::vector<Report> reports) {
  std::erase_if(reports,
                [](const Report &r) { return r.check != Check::Order; });
  return reports;
}

const char *const use = R"(
mul.wide.u32 %rd20, %r5, 4;
add.s64 %rd21, %rd2, %rd20;
ld.global.u32 %r6, [%rd21];
)";
const std::string usePath = " -> mul.wide.u32 -> add.s64 -> ld.global.u32";

TEST(Order, GroupIndex) {
  EXPECT_EQ(path(runLoop(std::string("ld.global.u32 %r5, [%rd7];") + use)),
            "ld.global.u32 of 'idx'" + usePath);
}

TEST(Order, LoadedOutsideTheLoop) {
  EXPECT_EQ(path(runLoop(use, Buffer::Ids::None, "ld.global.u32 %r5, [%rd1];")),
            "ld.global.u32 of 'idx'" + usePath);
}

TEST(Order, UsedOutsideTheLoop) {
  EXPECT_EQ(
      path(runLoop("ld.global.u32 %r5, [%rd7];", Buffer::Ids::None, "", use)),
      "");
}

TEST(Order, CountersAndParameters) {
  EXPECT_EQ(path(runLoop(R"(
ld.global.u32 %r5, [%rd7];
ld.global.u32 %r6, [%rd8];
mad.lo.u32 %r7, %r5, %r6, %r7;
st.shared.u32 [%r4], %r7;
ld.shared.u32 %r8, [%r4];
st.global.u32 [%rd5], %r8;
)")),
            "");
}

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

TEST(Order, ThroughBits) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.nc.u32 %r10, [%rd7];
prmt.b32 %r11, %r10, 0, 0x4440;
cvt.u16.u32 %rs1, %r11;
cvt.u32.u16 %r12, %rs1;
shfl.sync.idx.b32 %r13, %r12, 0, 31, -1;
mad.lo.u32 %r5, %r13, 1, 0;
)") + use)),
            "ld.global.nc.u32 of 'idx' -> prmt.b32 -> cvt.u16.u32 -> "
            "cvt.u32.u16 -> shfl.sync.idx.b32 -> mad.lo.u32" +
                usePath);
}

TEST(Order, ShuffleTakesOneLane) {
  // Lane 0 holds a constant, the others the index.
  const std::string mixed = R"(
setp.ne.u32 %p5, %r1, 0;
mov.u32 %r8, 2;
@%p5 ld.global.u32 %r8, [%rd7];
)";
  EXPECT_EQ(
      path(runLoop(mixed + "shfl.sync.idx.b32 %r5, %r8, 0, 31, -1;" + use)),
      "");
  EXPECT_NE(
      path(runLoop(mixed + "shfl.sync.idx.b32 %r5, %r8, 1, 31, -1;" + use)),
      "");
}

TEST(Order, CarriedOverTheLoop) {
  // Loaded in one round, used in the next.
  EXPECT_EQ(path(runLoop(std::string(use) + "ld.global.u32 %r9, [%rd7];\n"
                                            "mov.u32 %r5, %r9;",
                         Buffer::Ids::None, "mov.u32 %r5, 0;")),
            "ld.global.u32 of 'idx' -> mov.u32" + usePath);
}

TEST(Order, SumOverTheLoopHasABoundedPath) {
  EXPECT_EQ(path(runLoop(std::string("ld.global.u32 %r9, [%rd7];\n"
                                     "and.b32 %r9, %r9, 1;\n"
                                     "add.u32 %r5, %r5, %r9;") +
                             use,
                         Buffer::Ids::None, "mov.u32 %r5, 0;")),
            "ld.global.u32 of 'idx' -> and.b32 -> add.u32" + usePath);
}

TEST(Order, LongPathsAreCut) {
  std::string sum = "ld.global.u32 %r9, [%rd7];\nand.b32 %r9, %r9, 0;\n";
  for (int i = 0; i < 50; ++i)
    sum += "add.u32 %r9, %r9, 0;\n";
  const std::string found = path(runLoop(sum + "mov.u32 %r5, %r9;" + use));
  EXPECT_NE(found.find("and.b32 -> add.u32"), std::string::npos);
  EXPECT_NE(found.find(" -> 16 more -> "), std::string::npos) << found;
  EXPECT_NE(found.find("add.u32 -> mov.u32" + usePath), std::string::npos);
}

TEST(Order, SelectedByData) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
setp.gt.u32 %p5, %r8, 3;
selp.b32 %r5, 1, 0, %p5;
)") + use)),
            "ld.global.u32 of 'idx' -> setp.gt.u32 -> selp.b32" + usePath);
}

TEST(Order, GuardedMove) {
  // Lanes that keep their value because of data depend on the data too.
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
setp.gt.u32 %p5, %r8, 100;
mov.u32 %r5, 0;
@%p5 mov.u32 %r5, 1;
)") + use)),
            "ld.global.u32 of 'idx' -> setp.gt.u32 -> mov.u32" + usePath);
}

TEST(Order, BranchedByData) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
setp.gt.u32 %p5, %r8, 3;
mov.u32 %r5, 0;
@%p5 bra JOIN;
mov.u32 %r5, 1;
JOIN:
)") + use)),
            "ld.global.u32 of 'idx' -> setp.gt.u32 -> bra -> mov.u32" +
                usePath);
}

TEST(Order, WorkUnderABranch) {
  // What is made and used under the branch is the same whenever it is run.
  EXPECT_EQ(path(runLoop(R"(
ld.global.u32 %r8, [%rd7];
setp.gt.u32 %p5, %r8, 3;
@%p5 bra NEXT;
add.s64 %rd21, %rd8, 4;
ld.global.u32 %r6, [%rd21];
)")),
            "");
}

TEST(Order, StoredUnderABranch) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
setp.gt.u32 %p5, %r8, 3;
mov.u32 %r9, 0;
st.shared.u32 [%r4], %r9;
@%p5 st.shared.u32 [%r4], %r2;
ld.shared.u32 %r5, [%r4];
)") + use)),
            "ld.global.u32 of 'idx' -> setp.gt.u32 -> st.shared.u32 -> "
            "ld.shared.u32" +
                usePath);
}

TEST(Order, StoredOnOneWay) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
setp.gt.u32 %p5, %r8, 3;
@%p5 bra OTHER;
st.shared.u32 [%r4], %r2;
bra JOIN;
OTHER:
mov.u32 %r9, 0;
st.shared.u32 [%r4], %r9;
JOIN:
ld.shared.u32 %r5, [%r4];
)") + use)),
            "ld.global.u32 of 'idx' -> setp.gt.u32 -> bra -> st.shared.u32 -> "
            "ld.shared.u32" +
                usePath);
}

TEST(Order, RoundsOfAnInnerLoop) {
  // A ring goes on where the last piece of work, of any length, left it.
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
mov.u32 %r9, 0;
INNER:
add.u32 %r5, %r5, 1;
and.b32 %r5, %r5, 3;
add.u32 %r9, %r9, 1;
setp.lt.u32 %p5, %r9, %r8;
@%p5 bra INNER;
)") + use,
                         Buffer::Ids::None, "mov.u32 %r5, 0;")),
            "");
}

TEST(Order, DataThatEndsTheLoop) {
  // How often a loop runs is no order.
  EXPECT_EQ(path(runLoop(R"(
ld.global.u32 %r8, [%rd7];
ld.global.u32 %r6, [%rd8];
setp.gt.u32 %p5, %r8, 100;
@%p5 bra OUT;
)",
                         Buffer::Ids::None, "", "OUT:\n")),
            "");
}

TEST(Order, AddressOfAStore) {
  EXPECT_EQ(path(runLoop(R"(
ld.global.u32 %r5, [%rd7];
mul.wide.u32 %rd20, %r5, 4;
add.s64 %rd21, %rd3, %rd20;
st.global.u32 [%rd21], %r2;
)")),
            "ld.global.u32 of 'idx' -> mul.wide.u32 -> add.s64 -> "
            "st.global.u32");
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

//===----------------------------------------------------------------------===//
// Row and expert ids
//===----------------------------------------------------------------------===//

const char *const copy = R"(
mul.wide.u32 %rd20, %r5, 4;
add.s64 %rd21, %rd2, %rd20;
cp.async.ca.shared.global [%r4], [%rd21], 4;
cp.async.wait_all;
)";

TEST(Order, IdsLoadedBeforeTheLoop) {
  for (Buffer::Ids ids : {Buffer::Ids::Row, Buffer::Ids::Expert})
    EXPECT_EQ(path(runLoop(copy, ids, "ld.global.u32 %r5, [%rd1];")), "");
  EXPECT_NE(
      path(runLoop(copy, Buffer::Ids::None, "ld.global.u32 %r5, [%rd1];")), "");
}

TEST(Order, IdsThroughSharedMemory) {
  EXPECT_EQ(path(runLoop(std::string("ld.shared.u32 %r5, [%r4+128];") + copy,
                         Buffer::Ids::Row,
                         "ld.global.u32 %r9, [%rd1];\n"
                         "st.shared.u32 [%r4+128], %r9;")),
            "");
}

TEST(Order, IdsLoadedInEveryRound) {
  const auto reports = runLoop(std::string("ld.global.u32 %r5, [%rd7];") + copy,
                               Buffer::Ids::Row);
  EXPECT_EQ(path(reports), "ld.global.u32 of 'idx' -> mul.wide.u32 -> add.s64 "
                           "-> cp.async.ca.shared.global");
  ASSERT_FALSE(reports.empty());
  EXPECT_NE(reports[0].message.find("every round of this loop loads"),
            std::string::npos);
  EXPECT_NE(reports[0].message.find("(ORD5b)"), std::string::npos);
}

TEST(Order, IdsLoadedInAnotherLoop) {
  EXPECT_EQ(path(runLoop(R"(
ld.global.u32 %r5, [%rd7];
cp.async.ca.shared.global [%r4], [%rd8], 4;
cp.async.wait_all;
)",
                         Buffer::Ids::Row, "",
                         std::string("mov.u32 %r10, 0;\nAGAIN:") + copy + R"(
add.s32 %r10, %r10, 1;
setp.lt.u32 %p1, %r10, 8;
@%p1 bra AGAIN;
)")),
            "");
}

TEST(Order, IdsLoadedWhenTheWorkChanges) {
  // A persistent loop over (item, k): ids are loaded now and then.
  EXPECT_EQ(path(runLoop(std::string(R"(
and.b32 %r8, %r2, 3;
setp.ne.u32 %p5, %r8, 0;
@%p5 bra SAME;
ld.global.u32 %r5, [%rd7];
SAME:
)") + copy,
                         Buffer::Ids::Expert)),
            "");
  EXPECT_EQ(path(runLoop(std::string(R"(
and.b32 %r8, %r2, 3;
setp.eq.u32 %p5, %r8, 0;
@%p5 ld.global.u32 %r5, [%rd7];
)") + copy,
                         Buffer::Ids::Expert)),
            "");
}

TEST(Order, IdsInALoopThatIsNotForK) {
  // An epilogue: rows of the output, factors by row.
  EXPECT_EQ(path(runLoop(R"(
ld.global.u32 %r5, [%rd7];
mul.wide.u32 %rd20, %r5, 4;
add.s64 %rd21, %rd2, %rd20;
ld.global.u32 %r6, [%rd21];
add.s64 %rd22, %rd3, %rd20;
st.global.u32 [%rd22], %r6;
)",
                         Buffer::Ids::Row)),
            "");
}

TEST(Order, DataCountsMoreThanIds) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r9, [%rd8];
add.u32 %r5, %r8, %r9;
and.b32 %r5, %r5, 7;
)") + use,
                         Buffer::Ids::Row, "ld.global.u32 %r8, [%rd1];")),
            "ld.global.u32 of 'data' -> add.u32 -> and.b32" + usePath);
}

TEST(Order, IdsFoundThroughDataAreIds) {
  EXPECT_EQ(path(runLoop(use, Buffer::Ids::Expert, R"(
ld.global.u32 %r8, [%rd2];
mul.wide.u32 %rd10, %r8, 4;
add.s64 %rd11, %rd1, %rd10;
ld.global.u32 %r5, [%rd11];
)")),
            "");
}

TEST(Order, OffByDefault) {
  Options options;
  EXPECT_FALSE(options.checkOrder);
}

} // namespace
