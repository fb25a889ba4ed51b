//===- MeasuredChoices.h - times of compiled kernels ----------------------===//
//
// Where a compiled kernel has been measured, its time stands in for the
// prediction; where one of the same structure was, for other shapes, it corrects
// the prediction.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_SCHEDULE_MEASUREDCHOICES_H
#define WNA16_LIB_SCHEDULE_MEASUREDCHOICES_H

#include "lib/Schedule/Schedule.h"

namespace wna16 {

/// Whether kernels were measured on the target's product.
bool hasMeasuredChoices(const GpuTarget &target);

/// Microseconds of `choice` with `m` rows, if they are in the table.
std::optional<double> measuredMicroseconds(const GemmShape &shape, int64_t m,
                                           const ScheduleChoice &choice,
                                           const GpuTarget &target);

/// The typical factor, measured over predicted, for kernels of the structure of
/// `choice` with `m` rows: the geometric mean over the shapes in the table.
/// Empty if there is none.
std::optional<double> measuredOverPredicted(int64_t m,
                                            const ScheduleChoice &choice,
                                            const GpuTarget &target);

} // namespace wna16

#endif // WNA16_LIB_SCHEDULE_MEASUREDCHOICES_H
