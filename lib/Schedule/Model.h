//===- Model.h - the time that a kernel will take -------------------------===//
//
// An analytic model: what a launch moves and computes, divided by the rates of
// the target, plus what cannot overlap. docs/performance.md has the formulas,
// and how far they are from measurements.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_SCHEDULE_MODEL_H
#define WNA16_LIB_SCHEDULE_MODEL_H

#include "lib/Schedule/Schedule.h"

namespace wna16 {

/// A predicted time and what it is made of, in microseconds.
struct Prediction {
  /// What overlaps: the main part is a little more than the largest of these.
  double memory = 0, cache = 0, shared = 0, issue = 0, tensor = 0;
  /// What does not: launch, first copies, final sums, further waves.
  double latency = 0;
  double total = 0;
  /// Blocks on a multiprocessor at the same time; 0: it cannot run.
  int64_t residentBlocks = 0;
  /// Tiles of outputs that the busiest multiprocessor computes.
  double tilesPerSm = 0;

  /// The name of the largest part.
  const char *limit() const;
};

/// What `choice` takes for `m` rows of `shape`. With no resident block the
/// total is infinite.
Prediction predict(const GemmShape &shape, int64_t m,
                   const ScheduleChoice &choice, const GpuTarget &target);

/// The total of `predict` at the bound of M.
double predictMicroseconds(const GemmShape &shape, const ScheduleChoice &choice,
                           const GpuTarget &target);

/// An estimate of what ptxas will need, for occupancy.
int64_t registersPerThread(const ScheduleChoice &choice,
                           const GemmShape &shape);

} // namespace wna16

#endif // WNA16_LIB_SCHEDULE_MODEL_H
