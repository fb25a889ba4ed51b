//===- MmaCandidates.cpp - schedules for mma.sync and more than 16 rows ---===//
//
// One rule for all GPUs:
// - a warp has 64 columns, a whole 16 bytes of Marlin words per lane, and up to
//   64 rows: as many sums as its registers hold;
// - a block has the rows of the problem up to 128, and 128 columns where that
//   makes a block for every multiprocessor, else 64;
// - it has four warps, eight where there are fewer blocks than multiprocessors;
//   those that its rows and columns do not need share K;
// - steps of 64 k, and as many stages as let two blocks share a multiprocessor:
//   while one of them waits, the other computes;
// - with 32 rows the scales go to the sums, which is most accurate. More rows
//   have no registers for a second set of sums, and use a weight often enough
//   to pay for its scale.
//
//===----------------------------------------------------------------------===//

#include "lib/Schedule/MmaCandidates.h"

#include <algorithm>

using namespace wna16;

static constexpr int64_t warpColumns = 64, warpRows = 64;
static constexpr int64_t leastRows = 32, mostRows = 128;
static constexpr int64_t stepK = 64;

static int64_t blocksOf(const GemmShape &shape, int64_t tileN, int64_t tileM) {
  return shape.n / tileN * ((shape.maxM + tileM - 1) / tileM);
}

std::vector<ScheduleChoice> wna16::mmaCandidates(const GemmShape &shape,
                                                 const GpuTarget &target) {
  ScheduleChoice choice;
  choice.tileK = stepK;
  choice.tileM = leastRows;
  while (choice.tileM < std::min(shape.maxM, mostRows))
    choice.tileM *= 2;
  choice.tileN = 2 * warpColumns;
  if (shape.n % choice.tileN ||
      blocksOf(shape, choice.tileN, choice.tileM) < target.smCount)
    choice.tileN = warpColumns;
  choice.warpsN = choice.tileN / warpColumns;
  choice.warpsM = std::max<int64_t>(1, choice.tileM / warpRows);
  choice.scales =
      choice.tileM == leastRows ? ScalePlace::Accumulator : ScalePlace::Weights;

  bool fewBlocks = blocksOf(shape, choice.tileN, choice.tileM) < target.smCount;
  int64_t sharedOfTwo =
      target.sharedBytesPerSm / 2 - target.reservedSharedBytesPerBlock;
  std::vector<ScheduleChoice> result;
  choice.warpsK = (fewBlocks ? 8 : 4) / (choice.warpsN * choice.warpsM);
  for (; choice.warpsK >= 1; choice.warpsK /= 2)
    for (int64_t limit : {sharedOfTwo, target.maxSharedBytesPerBlock})
      for (choice.stages = 4; choice.stages >= 2; --choice.stages)
        if (sharedBytes(choice) <= limit)
          result.push_back(choice);
  return result;
}
