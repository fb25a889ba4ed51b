//===- MmaCandidates.h - schedules for mma.sync and more than 16 rows -----===//
//
// What a GPU with asynchronous copies and matrix products of a warp can do for
// any number of rows, without what only newer ones have.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_SCHEDULE_MMACANDIDATES_H
#define WNA16_LIB_SCHEDULE_MMACANDIDATES_H

#include "lib/Schedule/Schedule.h"

#include <vector>

namespace wna16 {

/// What to try for more than 16 rows, best first; all of it fits the shared
/// memory. N is a multiple of 64, K and group are of 128.
std::vector<ScheduleChoice> mmaCandidates(const GemmShape &shape,
                                          const GpuTarget &target);

} // namespace wna16

#endif // WNA16_LIB_SCHEDULE_MMACANDIDATES_H
