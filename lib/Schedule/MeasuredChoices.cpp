//===- MeasuredChoices.cpp - times of compiled kernels --------------------===//
//
// Medians of graph replays with cold weights, by tools/bench, on the product
// that the target names: f16, groups of 128. bf16 differs by less than two
// schedules do. A row that a later compiler makes untrue is to be measured
// again or removed.
//
//===----------------------------------------------------------------------===//

#include "lib/Schedule/MeasuredChoices.h"

#include "lib/Schedule/Model.h"

#include <cmath>

using namespace wna16;

namespace {

/// Structures that were measured; each leaves a few numbers open.
enum Structure {
  /// Warps copy for themselves: cp.async and mma, a warp per 64 columns.
  Warps,
  /// A producer with tensor copies, or bulk copies of weights; mma.
  Ring,
  Bulk,
  /// A producer with tensor copies; wgmma, a warpgroup per 64 columns.
  Groups,
  /// The same in persistent blocks, one for each multiprocessor.
  Persistent
};

constexpr int64_t measuredGroup = 128;

struct Row {
  int64_t n, k, m;
  Structure structure;
  int64_t tileN, tileM, tileK, warpsK, stages, blocks;
  double microseconds;

  ScheduleChoice choice(const GpuTarget &target) const {
    ScheduleChoice result{tileN, tileM, tileK, tileN / 64, warpsK, stages};
    result.blocks = blocks;
    if (blocks > 1)
      result.split = SplitKind::Cluster;
    if (structure == Warps)
      return result;
    result.roles = RoleKind::ProducerConsumer;
    result.copy = structure == Bulk ? CopyEngine::Bulk : CopyEngine::Tensor;
    if (structure < Groups)
      return result;
    if (structure == Persistent)
      result.persistent = target.smCount;
    result.math = MathEngine::Wgmma;
    result.warpsN = tileN / 16;
    if (tileM > 32)
      result.scales = ScalePlace::Weights;
    return result;
  }
};

} // namespace

static constexpr Row h200[] = {
#include "lib/Schedule/MeasuredH200.inc"
};

bool wna16::hasMeasuredChoices(const GpuTarget &target) {
  return target.product == "H200";
}

/// Measured without overlap with the kernel in front.
static ScheduleChoice alone(ScheduleChoice choice) {
  choice.dependent = false;
  return choice;
}

std::optional<double> wna16::measuredMicroseconds(const GemmShape &shape,
                                                  int64_t m,
                                                  const ScheduleChoice &choice,
                                                  const GpuTarget &target) {
  bool isMeasuredFormat = shape.group == measuredGroup && shape.bits == 4 &&
                          !shape.hasZeros && !shape.hasOwnScales &&
                          !shape.segmentRows;
  if (!hasMeasuredChoices(target) || !isMeasuredFormat)
    return std::nullopt;
  for (const Row &row : h200)
    if (row.n == shape.n && row.k == shape.k && row.m == m &&
        row.choice(target) == alone(choice))
      return row.microseconds;
  return std::nullopt;
}

std::optional<double>
wna16::measuredOverPredicted(int64_t m, const ScheduleChoice &choice,
                             const GpuTarget &target) {
  if (!hasMeasuredChoices(target))
    return std::nullopt;
  double sum = 0;
  int64_t count = 0;
  for (const Row &row : h200) {
    if (row.m != m || !(row.choice(target) == alone(choice)))
      continue;
    GemmShape shape{m, row.n, row.k, measuredGroup};
    sum += std::log(row.microseconds /
                    predict(shape, m, alone(choice), target).total);
    ++count;
  }
  if (count == 0)
    return std::nullopt;
  return std::exp(sum / count);
}
