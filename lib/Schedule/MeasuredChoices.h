//===- MeasuredChoices.h - times of compiled kernels ----------------------===//
//
// Where a compiled kernel has been measured, its time stands in for the
// prediction.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_SCHEDULE_MEASUREDCHOICES_H
#define WNA16_LIB_SCHEDULE_MEASUREDCHOICES_H

#include "lib/Schedule/Schedule.h"

namespace wna16 {

/// Microseconds of `choice` with `m` rows, if they are in the table.
std::optional<double> measuredMicroseconds(const GemmShape &shape, int64_t m,
                                           const ScheduleChoice &choice,
                                           const GpuTarget &target);

} // namespace wna16

#endif // WNA16_LIB_SCHEDULE_MEASUREDCHOICES_H
