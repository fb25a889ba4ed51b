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

using namespace wna16;

namespace {

class Collector {
public:
  Collector(const GemmShape &shape, const GpuTarget &target)
      : shape(shape), target(target) {}

  /// Keeps `choice` if there can be a kernel for it.
  void add(const ScheduleChoice &choice) {
    if (shape.n % (choice.tileN * choice.multicast) || shape.k % choice.tileK ||
        shape.group % choice.tileK)
      return;
    // Every part needs a step of its own.
    int64_t blocks = choice.split == SplitKind::None ? 1 : choice.blocks;
    int64_t steps = shape.k / choice.tileK / blocks;
    if (steps < 1 || (choice.warpsK > 1 && choice.warpsK > steps))
      return;
    if (choice.stages > 2 && choice.stages > steps)
      return;
    if (isBuilt(choice, target))
      found.push_back(choice);
  }

  /// Without and with each kind of split of K over blocks; with dependent
  /// launch where there is such.
  void addSplits(ScheduleChoice choice, llvm::ArrayRef<SplitKind> splits) {
    // Overlap with the kernel before costs nothing.
    ScheduleChoice overlapped = choice;
    overlapped.dependent = true;
    choice.dependent = isBuilt(overlapped, target);
    add(choice);
    for (SplitKind split : splits)
      for (int64_t blocks : {2, 4}) {
        choice.split = split;
        choice.blocks = blocks;
        add(choice);
      }
  }

  std::vector<ScheduleChoice> take() { return std::move(found); }

private:
  const GemmShape &shape;
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
      collector.addSplits(choice, {SplitKind::Cluster});
    choice.scales = ScalePlace::Weights;
    collector.addSplits(choice, {SplitKind::Cluster});
  }
}

/// Each warp copies what it reads, or the block together: cp.async and mma.
static void addUniform(Collector &collector, int64_t rows) {
  for (int64_t tileM : tileRows(rows, 8, 256))
    for (int64_t tileN : {64, 128, 256})
      for (int64_t warpsM : {1, 2, 4})
        for (int64_t warpsK : {8, 4, 2, 1, 16})
          for (int64_t tileK : {128, 64}) {
            // Half a step is for tiles with many bytes of activations.
            if (tileK == 64 && tileM < 32)
              continue;
            ScheduleChoice choice{tileN, tileM, tileK, tileN / 64, warpsK, 1};
            choice.warpsM = warpsM;
            addUniformTile(collector, choice);
          }
}

/// One warp copies whole stages for all others; mma.
static void addRing(Collector &collector, int64_t rows,
                    const GpuTarget &target) {
  for (int64_t tileM : tileRows(rows, 8, 16))
    for (int64_t tileN : {64, 128, 256, 512})
      for (int64_t warpsK : {4, 2, 1})
        // Deep rings first: with one producer, depth costs memory only.
        for (int64_t stages : {4, 6, 3, 2}) {
          ScheduleChoice choice{tileN, tileM, 128, tileN / 64, warpsK, stages};
          if (choice.warps() > 16)
            continue;
          choice.roles = RoleKind::ProducerConsumer;
          choice.copy =
              target.hasTensorCopy() ? CopyEngine::Tensor : CopyEngine::Bulk;
          collector.addSplits(choice, {SplitKind::Cluster});
          choice.copy = CopyEngine::Bulk;
          collector.addSplits(choice, {SplitKind::Cluster});
        }
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
        for (int64_t warpsK : {1, 2})
          for (int64_t multicast : {1, 2})
            // 64 or 128 columns for each warpgroup.
            for (int64_t columns : {64, 128}) {
              if (tileN % columns)
                continue;
              choice.tileN = tileN;
              choice.tileM = tileM;
              choice.tileK = tileK;
              choice.warpsN = tileN / columns * 4;
              choice.warpsK = warpsK;
              choice.multicast = multicast;
              choice.scales = choice.tileM <= 32 ? ScalePlace::Accumulator
                                                 : ScalePlace::Weights;
              // As deep as is of use and fits, with room for what else is
              // there.
              choice.stages =
                  std::clamp<int64_t>(shape.k / tileK / warpsK, 2, 8 / warpsK);
              while (choice.stages > 2 &&
                     sharedBytes(choice) > target.maxSharedBytesPerBlock - 4096)
                --choice.stages;
              collector.addSplits(choice,
                                  {SplitKind::Cluster, SplitKind::Ticket});
            }
}

std::vector<ScheduleChoice> wna16::candidates(const GemmShape &shape,
                                              int64_t rows,
                                              const GpuTarget &target) {
  Collector collector(shape, target);
  addUniform(collector, rows);
  if (target.hasBulkCopy())
    addRing(collector, rows, target);
  if (target.hasWgmma())
    addWarpgroups(collector, shape, rows, target);
  return collector.take();
}
