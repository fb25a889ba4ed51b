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
#include <map>
#include <vector>

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

  /// Numbers first: most rows differ in one of them.
  bool isOf(const ScheduleChoice &other, const GpuTarget &target) const {
    return tileN == other.tileN && tileM == other.tileM &&
           tileK == other.tileK && warpsK == other.warpsK &&
           stages == other.stages && blocks == other.blocks &&
           choice(target) == other;
  }
};

} // namespace

static constexpr Row h200[] = {
#include "lib/Schedule/MeasuredH200.inc"
};

/// The rows of the table for this M: it is asked for every candidate.
static const std::vector<Row> &rowsFor(int64_t m) {
  static const std::map<int64_t, std::vector<Row>> byM = [] {
    std::map<int64_t, std::vector<Row>> result;
    for (const Row &row : h200)
      result[row.m].push_back(row);
    return result;
  }();
  static const std::vector<Row> none;
  auto found = byM.find(m);
  return found == byM.end() ? none : found->second;
}

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
  for (const Row &row : rowsFor(m))
    if (row.n == shape.n && row.k == shape.k &&
        row.isOf(alone(choice), target))
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
  for (const Row &row : rowsFor(m)) {
    if (!row.isOf(alone(choice), target))
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
