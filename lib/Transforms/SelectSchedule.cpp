//===- SelectSchedule.cpp - a schedule for every gemm ---------------------===//

#include "lib/Schedule/ScheduleAttribute.h"
#include "lib/Target/GpuTarget.h"
#include "lib/Transforms/TilePasses.h"

namespace wna16 {
#define GEN_PASS_DEF_SELECTSCHEDULE
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::wna16;

namespace {
struct SelectSchedulePass
    : ::wna16::impl::SelectScheduleBase<SelectSchedulePass> {
  using SelectScheduleBase::SelectScheduleBase;

  void runOnOperation() override {
    const ::wna16::GpuTarget *gpu = ::wna16::findTarget(target);
    if (!gpu) {
      getOperation().emitError(::wna16::unknownTargetMessage(target));
      return signalPassFailure();
    }
    WalkResult result = getOperation().walk([&](ProductOpInterface gemm) {
      if (gemm.getScheduleAttr())
        return WalkResult::advance();
      auto ranges = ::wna16::chooseRanges(gemm, *gpu, {batchInvariant});
      if (failed(ranges))
        return WalkResult::interrupt();
      // The last range is the one that max_m lies in.
      gemm.setScheduleAttr(
          ::wna16::toAttribute(gemm.getContext(), ranges->back().taken.choice));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
