//===- Candidates.cpp - the schedules that are worth a prediction ---------===//
//
// Three families, by capability: warps that copy for themselves (every GPU), a
// producer that copies for warps, and a producer that copies for warpgroups.
// A family is a few loops over tiles; what is not built or does not fit drops
// out at the end.
//
//===----------------------------------------------------------------------===//

#include "lib/Schedule/Schedule.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <array>

using namespace wna16;

namespace {

class Collector {
public:
  Collector(const GemmShape &shape, int64_t rows, const GpuTarget &target)
      : shape(shape), rows(rows), target(target) {}

  /// Keeps `choice` if there can be a kernel for it.
  void add(const ScheduleChoice &choice) {
    if (shape.n % (choice.tileN * choice.multicast) || shape.k % choice.tileK)
      return;
    // Every part needs a step of its own.
    int64_t blocks = choice.split == SplitKind::None ? 1 : choice.blocks;
    int64_t steps = shape.steps(choice.tileK) / blocks;
    if (steps < 1 || (choice.warpsK > 1 && choice.warpsK > steps))
      return;
    if (choice.stages > 2 && choice.stages > steps)
      return;
    if (isBuilt(choice, shape, target))
      found.push_back(choice);
  }

  /// Without and with a split of K over the blocks of a cluster, or by ticket
  /// where there are none; with dependent launch where there is such.
  void addSplits(ScheduleChoice choice) {
    addOverlapped(choice);
    choice.split =
        target.hasClusters() ? SplitKind::Cluster : SplitKind::Ticket;
    for (int64_t blocks : {2, 4}) {
      choice.blocks = blocks;
      if (choice.split == SplitKind::Cluster || leavesRoom(choice))
        addOverlapped(choice);
    }
  }

  /// Overlap with the kernel in front costs nothing.
  void addOverlapped(ScheduleChoice choice) {
    choice.dependent = target.hasDependentLaunch();
    add(choice);
  }

  std::vector<ScheduleChoice> take() { return std::move(found); }

private:
  /// At most two blocks for each multiprocessor: with more the split only
  /// costs, and with many rows the workspace is large.
  bool leavesRoom(const ScheduleChoice &choice) const {
    int64_t tiles =
        (rows + choice.tileM - 1) / choice.tileM * (shape.n / choice.tileN);
    return tiles * choice.blocks <= 2 * target.smCount;
  }

  const GemmShape &shape;
  int64_t rows;
  const GpuTarget &target;
  std::vector<ScheduleChoice> found;
};

} // namespace

/// Rows of the tile to try: the smallest that holds `rows`, and smaller ones.
static std::vector<int64_t> tileRows(int64_t rows, int64_t from, int64_t to) {
  std::vector<int64_t> result;
  for (int64_t tile = to; tile >= from; tile /= 2)
    if (tile < 2 * rows || tile == from)
      result.push_back(tile);
  return result;
}

/// One tile with all its stages and places of scales.
static void addUniformTile(Collector &collector, ScheduleChoice choice) {
  int64_t rowsOfWarp = choice.tileM / choice.warpsM;
  // A warp holds 64 columns of sums for as many rows. Warps along M dequantise
  // the same weights, so they are for tall tiles only.
  if (rowsOfWarp > 64 || (choice.warpsM > 1 && rowsOfWarp < 32) ||
      choice.warps() > 16)
    return;
  for (int64_t stages : {2, 3, 4}) {
    choice.stages = stages;
    // Two sets of sums do not fit the registers of a tall warp. Scaling weights
    // is slower with few rows, but an order of summation for every M.
    choice.scales = ScalePlace::Accumulator;
    if (rowsOfWarp <= 32)
      collector.addSplits(choice);
    choice.scales = ScalePlace::Weights;
    collector.addSplits(choice);
  }
}

/// The two longest steps of K that are made of whole groups, or groups of whole
/// steps.
static llvm::SmallVector<int64_t> stepsFor(const GemmShape &shape) {
  llvm::SmallVector<int64_t> steps;
  for (int64_t step : {128, 64, 32, 16})
    if (steps.size() < 2 && shape.k % step == 0 &&
        (shape.group % step == 0 || step % shape.group == 0))
      steps.push_back(step);
  return steps;
}

/// Each warp copies what it reads, or the block together: cp.async and mma.
static void addUniform(Collector &collector, const GemmShape &shape,
                       int64_t rows) {
  llvm::SmallVector<int64_t> steps = stepsFor(shape);
  for (int64_t tileM : tileRows(rows, 8, 256))
    for (int64_t tileN : {64, 128, 256})
      for (int64_t warpsM : {1, 2, 4})
        for (int64_t warpsK : {8, 4, 2, 1, 16})
          for (int64_t tileK : steps) {
            // Half a step is for tiles with many bytes of activations.
            if (tileK < steps.front() && tileM < 32)
              continue;
            ScheduleChoice choice{tileN, tileM, tileK, tileN / 64, warpsK, 1};
            choice.warpsM = warpsM;
            addUniformTile(collector, choice);
          }
}

/// One warp copies whole stages for all others; mma.
static void addRing(Collector &collector, const GemmShape &shape, int64_t rows,
                    const GpuTarget &target) {
  llvm::SmallVector<int64_t> steps = stepsFor(shape);
  for (int64_t tileM : tileRows(rows, 8, 16))
    for (int64_t tileN : {64, 128, 256, 512})
      for (int64_t warpsK : {4, 2, 1, 8})
        // Deep rings first: with one producer, depth costs memory only.
        for (int64_t stages : {4, 6, 3, 2}) {
          ScheduleChoice choice{
              tileN, tileM, steps.front(), tileN / 64, warpsK, stages};
          if (choice.warps() > 16)
            continue;
          // Scales of several groups of a step go to the weights.
          if (shape.group % choice.tileK)
            choice.scales = ScalePlace::Weights;
          choice.roles = RoleKind::ProducerConsumer;
          choice.copy =
              target.hasTensorCopy() ? CopyEngine::Tensor : CopyEngine::Bulk;
          collector.addSplits(choice);
          choice.copy = CopyEngine::Bulk;
          collector.addSplits(choice);
        }
}

/// One tile of warpgroups, 64 columns for each, with its stages and splits.
/// Several blocks that fetch activations together were never faster.
static void addWarpgroupTile(Collector &collector, const GemmShape &shape,
                             ScheduleChoice choice, const GpuTarget &target) {
  choice.warpsN = choice.tileN / 64 * 4;
  bool wholeGroups = shape.group % choice.tileK == 0;
  choice.scales = choice.tileM <= 32 && wholeGroups ? ScalePlace::Accumulator
                                                    : ScalePlace::Weights;
  // Wide codes make rows that a tensor copy cannot take.
  choice.stages = 2;
  if (!whyNotBuilt(choice, shape).empty())
    choice.copy = CopyEngine::Bulk;
  int64_t steps = shape.steps(choice.tileK) / choice.warpsK;
  for (int64_t blocks : {1, 2, 4}) {
    choice.blocks = blocks;
    choice.split = blocks > 1 ? SplitKind::Cluster : SplitKind::None;
    // As deep as fits, and half of that: more is not always better.
    for (int64_t depth : {8 / choice.warpsK, 4 / choice.warpsK}) {
      choice.stages = std::max<int64_t>(2, std::min(depth, steps));
      while (choice.stages > 2 &&
             sharedBytes(choice, shape) > target.maxSharedBytesPerBlock - 64)
        --choice.stages;
      collector.addOverlapped(choice);
    }
  }
}

/// Tiles of warpgroups that a block of each multiprocessor computes one after
/// the other. The ring runs on while a tile is stored, for which there must be
/// room.
static void addPersistentTile(Collector &collector, const GemmShape &shape,
                              ScheduleChoice choice, const GpuTarget &target) {
  choice.warpsN = choice.tileN / 64 * 4;
  choice.scales = choice.tileM <= 32 && shape.group % choice.tileK == 0
                      ? ScalePlace::Accumulator
                      : ScalePlace::Weights;
  choice.persistent = target.smCount;
  for (choice.stages = 5; choice.stages >= 4; --choice.stages)
    collector.addOverlapped(choice);
}

/// A warp copies for warpgroups that multiply; wgmma.
static void addWarpgroups(Collector &collector, const GemmShape &shape,
                          int64_t rows, const GpuTarget &target) {
  ScheduleChoice choice;
  choice.copy = CopyEngine::Tensor;
  choice.math = MathEngine::Wgmma;
  choice.roles = RoleKind::ProducerConsumer;
  for (int64_t tileM : tileRows(rows, 16, 256))
    for (int64_t tileN : {64, 128, 256})
      for (int64_t tileK : {128, 64})
        for (int64_t warpsK : {1, 2, 4}) {
          choice.tileN = tileN;
          choice.tileM = tileM;
          choice.tileK = tileK;
          choice.warpsK = warpsK;
          // Four warpgroups have too few registers for so many sums each.
          if (tileN * warpsK < 256 || tileM <= 64 ||
              (warpsK == 2 && tileN == 128))
            addWarpgroupTile(collector, shape, choice, target);
        }
  // As large as registers allow: few tiles are one wave after the other.
  choice.warpsK = 1;
  for (auto [tileN, tileM, tileK] :
       {std::array<int64_t, 3>{128, 256, 64}, {256, 128, 64}, {256, 64, 128},
        {256, 32, 128}}) {
    if (tileM >= 2 * rows)
      continue;
    choice.tileN = tileN;
    choice.tileM = tileM;
    choice.tileK = tileK;
    addPersistentTile(collector, shape, choice, target);
  }
}

std::vector<ScheduleChoice> wna16::candidates(const GemmShape &shape,
                                              int64_t rows,
                                              const GpuTarget &target) {
  Collector collector(shape, rows, target);
  addUniform(collector, shape, rows);
  if (target.hasBulkCopy())
    addRing(collector, shape, rows, target);
  if (target.hasWgmma())
    addWarpgroups(collector, shape, rows, target);
  return collector.take();
}
