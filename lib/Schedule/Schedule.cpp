//===- Schedule.cpp - (shape, target) to schedule -------------------------===//
//
// Decode (M <= 16): one block per 64 columns; its warps share the steps of K,
// each with a ring of its own. What matters is bytes in flight per
// multiprocessor, so the block takes as many warps and stages as shared memory
// holds, up to where more did not help.
//
//===----------------------------------------------------------------------===//

#include "lib/Schedule/Schedule.h"

#include <algorithm>

using namespace wna16;

static constexpr int64_t decodeMaxM = 16;
static constexpr int64_t columns = 64;
static constexpr int64_t stepK = 128;

int64_t wna16::sharedBytes(const ScheduleChoice &choice) {
  int64_t weights = choice.tileK * choice.tileN / 2;
  // Rows of activations are padded by 16 bytes.
  int64_t activations = choice.tileM * (choice.tileK * 2 + 16);
  int64_t ring = choice.warpsK * choice.stages * (weights + activations);
  int64_t scratch =
      choice.warpsK == 1 ? 0 : choice.warpsK * choice.tileM * (choice.tileN + 4) * 4;
  return std::max(ring, scratch);
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
  if (shape.maxM < 1 || shape.maxM > decodeMaxM)
    return refuse("expected max_m between 1 and " + std::to_string(decodeMaxM) +
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

  ScheduleChoice choice;
  choice.tileN = columns;
  choice.tileM = shape.maxM <= 8 ? 8 : 16;
  choice.tileK = stepK;

  // Every block resident at once, one per multiprocessor: all of its memory may
  // go to one block. With more blocks, two share it, so that one computes while
  // the other starts and ends.
  int64_t blocks = shape.n / columns;
  bool oneWave = blocks <= target.smCount;
  int64_t budget = target.maxSharedBytesPerBlock;
  if (!oneWave)
    budget = std::min(budget, target.sharedBytesPerSm / 2 -
                                  target.reservedSharedBytesPerBlock);

  int64_t steps = shape.k / stepK;
  for (int64_t warps : {16, 8, 4, 2, 1}) {
    if (warps == 16 && (!oneWave || choice.tileM > 8))
      continue; // registers of 16 warps leave no room for a second accumulator
    if (warps > 1 && warps > steps)
      continue;
    for (int64_t stages : {3, 2}) {
      choice.warpsK = warps;
      choice.stages = stages;
      if (sharedBytes(choice) <= budget)
        return choice;
    }
  }
  return refuse("no ring fits its shared memory");
}
