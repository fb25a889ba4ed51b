//===- GpuTargetTest.cpp - the table of targets ---------------------------===//
#include "lib/Target/GpuTarget.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace wna16;

namespace {

TEST(GpuTarget, RowsAreConsistent) {
  for (const GpuTarget &target : allTargets()) {
    SCOPED_TRACE(target.name.str());
    EXPECT_EQ(findTarget(target.name), &target);
    EXPECT_EQ(target.ptxFeature, "+ptx" + std::to_string(target.ptxVersion));
    EXPECT_GE(target.ptxVersion, target.lowestPtxVersion);
    EXPECT_LE(target.maxSharedBytesPerBlock +
                  target.reservedSharedBytesPerBlock,
              target.sharedBytesPerSm);
    // Later features need the earlier ones.
    EXPECT_TRUE(!target.hasTensorCopy() || target.hasBulkCopy());
    EXPECT_TRUE(!target.hasBulkCopy() || target.hasMbarrier());
    EXPECT_EQ(target.hasClusters(), target.maxClusterBlocks > 1);
  }
}

/// What the schedule model divides by, and what must agree with each other.
TEST(GpuTarget, RatesAreConsistent) {
  for (const GpuTarget &target : allTargets()) {
    SCOPED_TRACE(target.name.str());
    EXPECT_GT(target.l2GigabytesPerSecond, target.memoryGigabytesPerSecond);
    EXPECT_GT(target.clockMegahertz, 1000);
    EXPECT_GT(target.mmaFlopsPerClock, 0);
    EXPECT_EQ(target.wgmmaFlopsPerClock > 0, target.hasWgmma());
    EXPECT_GT(target.memoryLatencyNanoseconds, 0);
    EXPECT_GT(target.launchNanoseconds, 0);
    EXPECT_EQ(target.largeClusterSmCount > 0, target.hasClusters());
    EXPECT_LE(target.largeClusterSmCount, target.smCount);
    int64_t flops =
        std::max(target.mmaFlopsPerClock, target.wgmmaFlopsPerClock);
    EXPECT_LE(target.sustainedTeraflops,
              flops * target.smCount * target.clockMegahertz / 1000000);
  }
}

TEST(GpuTarget, SharedMemoryLimits) {
  auto kib = [](llvm::StringRef name) {
    return findTarget(name)->maxSharedBytesPerBlock / 1024;
  };
  EXPECT_EQ(kib("sm_80"), 163);
  EXPECT_EQ(kib("sm_86"), 99);
  EXPECT_EQ(kib("sm_89"), 99);
  EXPECT_EQ(kib("sm_90a"), 227);
  EXPECT_EQ(kib("sm_100a"), 227);
  EXPECT_EQ(kib("sm_120a"), 99);
}

TEST(GpuTarget, OfCapability) {
  EXPECT_EQ(findTargetOfCapability(8, 6), findTarget("sm_86"));
  EXPECT_EQ(findTargetOfCapability(9, 0), findTarget("sm_90a"));
  EXPECT_EQ(findTargetOfCapability(12, 0), findTarget("sm_120a"));
  EXPECT_EQ(findTargetOfCapability(7, 5), nullptr);
  EXPECT_NE(findTarget(defaultTargetName), nullptr);
}

TEST(GpuTarget, UnknownNames) {
  EXPECT_EQ(findTarget("sm_90"), nullptr);
  EXPECT_EQ(unknownTargetMessage("sm_90"),
            "unknown target 'sm_90'; known targets: sm_80, sm_86, sm_89, "
            "sm_90a, sm_100a, sm_120a; did you mean 'sm_80'?");
  EXPECT_EQ(unknownTargetMessage("gfx1100"),
            "unknown target 'gfx1100'; known targets: sm_80, sm_86, sm_89, "
            "sm_90a, sm_100a, sm_120a");
}

TEST(GpuTarget, ResidentBlocks) {
  const GpuTarget &target = *findTarget("sm_90a");
  // By warps, by registers, by shared memory, by the number of blocks.
  EXPECT_EQ(target.residentBlocks(1024, 32, 0), 2);
  EXPECT_EQ(target.residentBlocks(256, 82, 0), 2);
  EXPECT_EQ(target.residentBlocks(256, 32, 113 * 1024), 2);
  EXPECT_EQ(target.residentBlocks(32, 16, 0), 32);
  // Nine warps put three on one quarter, whose registers are then the limit.
  EXPECT_EQ(target.residentBlocks(9 * 32, 168, 0), 1);
  EXPECT_EQ(target.residentBlocks(9 * 32, 176, 0), 0);
  EXPECT_EQ(target.residentBlocks(8 * 32, 255, 0), 1);
  EXPECT_EQ(target.residentBlocks(256, 32, 228 * 1024), 0);
  EXPECT_EQ(target.residentBlocks(2048, 32, 0), 0);
}

} // namespace
