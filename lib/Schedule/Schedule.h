//===- Schedule.h - (shape, target) to schedule ---------------------------===//
//
// Pure functions that choose how a gemm is computed. They build no IR and know
// GPUs only by capability and limit.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_SCHEDULE_SCHEDULE_H
#define WNA16_LIB_SCHEDULE_SCHEDULE_H

#include "lib/Target/GpuTarget.h"

#include <cstdint>
#include <optional>
#include <string>

namespace wna16 {

/// y[M, N] = x[M, K] * w[K, N] with a scale per `group` rows of K; M is at most
/// maxM.
struct GemmShape {
  int64_t maxM = 0, n = 0, k = 0, group = 0;
};

/// Where scales are multiplied in; see #wna16.schedule.
enum class ScalePlace { Weights, Accumulator };

/// What a schedule decides; see #wna16.schedule.
struct ScheduleChoice {
  int64_t tileN = 0, tileM = 0, tileK = 0;
  int64_t warpsN = 1, warpsK = 1;
  int64_t stages = 1;
  int64_t warpsM = 1, blocks = 1, multicast = 1;
  bool dependent = false;
  ScalePlace scales = ScalePlace::Accumulator;
  bool operator==(const ScheduleChoice &) const = default;
};

/// Shared memory of one block under `choice`: the ring, or the scratch of the
/// final sum where that is larger.
int64_t sharedBytes(const ScheduleChoice &choice);

/// The schedule for `shape` on `target`; nothing, with `reason`, when the shape
/// is not supported.
std::optional<ScheduleChoice> chooseSchedule(const GemmShape &shape,
                                             const GpuTarget &target,
                                             std::string &reason);

} // namespace wna16

#endif // WNA16_LIB_SCHEDULE_SCHEDULE_H
