//===- Ranges.h - one schedule for each range of M ------------------------===//
//
// M is known at launch only. A layer gets one kernel for each of a few ranges
// of M; this chooses the ranges and their schedules.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_SCHEDULE_RANGES_H
#define WNA16_LIB_SCHEDULE_RANGES_H

#include "lib/Schedule/MeasuredChoices.h"
#include "lib/Schedule/Model.h"

#include "llvm/ADT/ArrayRef.h"

namespace wna16 {

/// How to choose.
struct RangeOptions {
  /// The bits of a row of y do not depend on M: one order of summation for all
  /// ranges.
  bool batchInvariant = false;
};

/// One schedule with what is known of its speed at the M of its range.
struct RatedChoice {
  ScheduleChoice choice;
  Prediction prediction;
  std::optional<double> measured;
};

/// The schedule of all M up to `maxM` that no smaller range has.
struct RangeChoice {
  int64_t maxM = 0;
  /// The M that predictions of this range are for.
  int64_t ratedM = 0;
  RatedChoice taken;
  /// The best others, best first.
  std::vector<RatedChoice> alternatives;
  /// Predicted time over that of the best choice for this range alone; above 1
  /// only with RangeOptions::batchInvariant.
  double invariantCost = 1;
};

/// The largest M of each range; ranges with the same schedule are merged.
llvm::ArrayRef<int64_t> rangeBounds();

/// The ranges for M up to `shape.maxM`; the last one may reach further. Empty,
/// with `reason`, when the shape is not supported.
std::vector<RangeChoice> chooseRanges(const GemmShape &shape,
                                      const GpuTarget &target,
                                      const RangeOptions &options,
                                      std::string &reason);

/// The schedule of the range that `shape.maxM` lies in; nothing, with `reason`,
/// when the shape is not supported.
std::optional<ScheduleChoice> chooseSchedule(const GemmShape &shape,
                                             const GpuTarget &target,
                                             const RangeOptions &options,
                                             std::string &reason);

/// Whether rows of y have the same bits under both: the same parts of K, added
/// in the same order, rounded at the same places.
bool sameSummation(const ScheduleChoice &a, const ScheduleChoice &b);

} // namespace wna16

#endif // WNA16_LIB_SCHEDULE_RANGES_H
