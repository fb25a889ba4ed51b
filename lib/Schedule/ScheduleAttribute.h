//===- ScheduleAttribute.h - schedules in the IR and as data --------------===//
//
// The rest of lib/Schedule knows no IR; these functions stand between it and
// the attribute and op of the wna16 dialect.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_SCHEDULE_SCHEDULEATTRIBUTE_H
#define WNA16_LIB_SCHEDULE_SCHEDULEATTRIBUTE_H

#include "dialect/Wna16/Wna16.h"
#include "lib/Schedule/Ranges.h"

namespace wna16 {

ScheduleChoice toChoice(mlir::wna16::ScheduleAttr schedule);

mlir::wna16::ScheduleAttr toAttribute(mlir::MLIRContext *context,
                                      const ScheduleChoice &choice);

/// What `gemm` computes; an error without max_m (SEL-C1).
mlir::FailureOr<GemmShape> shapeOf(mlir::wna16::ProductOpInterface gemm);

/// The ranges of M up to the product's max_m; an error if there are none
/// (SEL-C1, SEL-C2).
mlir::FailureOr<std::vector<RangeChoice>>
chooseRanges(mlir::wna16::ProductOpInterface gemm, const GpuTarget &target,
             const RangeOptions &options);

} // namespace wna16

#endif // WNA16_LIB_SCHEDULE_SCHEDULEATTRIBUTE_H
