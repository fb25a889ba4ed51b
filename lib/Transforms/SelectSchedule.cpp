//===- SelectSchedule.cpp - a schedule for every gemm ---------------------===//

#include "lib/Schedule/Schedule.h"
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
    WalkResult result = getOperation().walk([&](GemmOp gemm) {
      if (gemm.getSchedule())
        return WalkResult::advance();
      return failed(select(gemm, *gpu)) ? WalkResult::interrupt()
                                        : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  static LogicalResult select(GemmOp gemm, const ::wna16::GpuTarget &gpu) {
    if (!gemm.getMaxM())
      return gemm.emitOpError("expected max_m, the largest M that this kernel "
                              "is for [SEL-C1]");
    ::wna16::GemmShape shape;
    shape.maxM = *gemm.getMaxM();
    shape.n = gemm.getN();
    shape.k = gemm.getK();
    shape.group = gemm.getGroup();
    std::string reason;
    auto choice = ::wna16::chooseSchedule(shape, gpu, reason);
    if (!choice)
      return gemm.emitOpError("has no schedule for ")
             << gpu.name << ": " << reason << " [SEL-C2]";
    auto scales = choice->scales == ::wna16::ScalePlace::Weights
                      ? ScalePlace::Weights
                      : ScalePlace::Accumulator;
    gemm.setScheduleAttr(ScheduleAttr::get(
        gemm.getContext(), choice->tileN, choice->tileM, choice->tileK,
        choice->warpsN, choice->warpsK, choice->stages, CopyEngine::CpAsync,
        MathEngine::Mma, scales, SplitKind::None, RoleKind::Uniform,
        choice->warpsM, choice->blocks, choice->multicast, choice->dependent));
    return success();
  }
};
} // namespace
