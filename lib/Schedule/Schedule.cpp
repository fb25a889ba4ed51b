//===- Schedule.cpp - (shape, target) to schedule -------------------------===//
//
// More than 16 rows: MmaCandidates.cpp. Decode (M <= 16), by what was measured
// on one GPU (docs/performance.md): with blocks of 64 and 128 columns two
// stages are enough, since two blocks then share a multiprocessor and one
// computes while the other waits; eight warps share K while there is less than
// one block of 64 columns per multiprocessor; with more columns than that,
// wider blocks read the activations less often.
//
//===----------------------------------------------------------------------===//

#include "lib/Schedule/Schedule.h"

#include "lib/Layout/Padding.h"
#include "lib/Schedule/MmaCandidates.h"

#include <algorithm>
#include <vector>

using namespace wna16;

static constexpr int64_t decodeMaxM = 16;
/// Coordinates are 32 bits on the GPU.
static constexpr int64_t largestM = 1 << 30;
static constexpr int64_t columns = 64;
static constexpr int64_t stepK = 128;

int64_t wna16::sharedBytes(const ScheduleChoice &choice) {
  int64_t weights = choice.tileK * choice.tileN / 2;
  // Every row is padded but the last.
  int64_t row = choice.tileK * 2 + layout::rowPaddingBytes;
  int64_t activations = choice.tileM * row - layout::rowPaddingBytes;
  int64_t ring = choice.warpsK * choice.stages * (weights + activations);
  int64_t scratch =
      choice.warpsK * choice.tileM * (choice.tileN + layout::sharePadding) * 4;
  return std::max(ring, choice.warpsK == 1 ? 0 : scratch);
}

/// What to try for `shape`, best first.
static std::vector<ScheduleChoice> candidates(const GemmShape &shape,
                                              const GpuTarget &target) {
  if (shape.maxM > decodeMaxM)
    return mmaCandidates(shape, target);
  int64_t tileM = shape.maxM <= 8 ? 8 : 16;
  std::vector<ScheduleChoice> result;
  auto add = [&](int64_t tileN, int64_t warpsN, int64_t warpsK,
                 int64_t stages) {
    if (shape.n % tileN == 0)
      result.push_back({tileN, tileM, stepK, warpsN, warpsK, stages});
  };
  if (shape.n / columns > target.smCount) {
    if (tileM == 16)
      add(256, 4, 2, 3);
    add(128, 2, 4, 2);
  }
  for (int64_t warpsK : {8, 4, 2, 1})
    add(columns, 1, warpsK, 2);
  return result;
}

std::optional<ScheduleChoice> wna16::chooseSchedule(const GemmShape &shape,
                                                    const GpuTarget &target,
                                                    std::string &reason) {
  auto refuse = [&](std::string text) -> std::optional<ScheduleChoice> {
    reason = std::move(text);
    return std::nullopt;
  };
  if (!target.hasCpAsync())
    return refuse("it has no asynchronous copies to shared memory");
  if (shape.maxM < 1 || shape.maxM > largestM)
    return refuse("expected max_m between 1 and " + std::to_string(largestM) +
                  ", found " + std::to_string(shape.maxM));
  if (shape.n % columns)
    return refuse("expected N to be a multiple of " + std::to_string(columns) +
                  ", found " + std::to_string(shape.n));
  if (shape.k % stepK)
    return refuse("expected K to be a multiple of " + std::to_string(stepK) +
                  ", found " + std::to_string(shape.k));
  if (shape.group % stepK)
    return refuse("expected a group that is a multiple of " +
                  std::to_string(stepK) + ", found " +
                  std::to_string(shape.group));

  for (const ScheduleChoice &choice : candidates(shape, target)) {
    int64_t steps = shape.k / choice.tileK;
    bool idleWarps = choice.warpsK > 1 && choice.warpsK > steps;
    if (!idleWarps && sharedBytes(choice) <= target.maxSharedBytesPerBlock)
      return choice;
  }
  return refuse("no ring fits its shared memory");
}
