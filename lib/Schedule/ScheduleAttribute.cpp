//===- ScheduleAttribute.cpp - schedules in the IR and as data ------------===//

#include "lib/Schedule/ScheduleAttribute.h"

using namespace mlir;
using mlir::wna16::ProductOpInterface;
using mlir::wna16::ScheduleAttr;

namespace wna16 {

// The cases of these enumerations have the same numbers.
template <typename To, typename From> static To convert(From value) {
  return static_cast<To>(value);
}

static_assert(static_cast<int>(CopyEngine::Tensor) ==
                  static_cast<int>(mlir::wna16::CopyEngine::Tensor) &&
              static_cast<int>(MathEngine::Wgmma) ==
                  static_cast<int>(mlir::wna16::MathEngine::Wgmma) &&
              static_cast<int>(ScalePlace::Accumulator) ==
                  static_cast<int>(mlir::wna16::ScalePlace::Accumulator) &&
              static_cast<int>(SplitKind::Cluster) ==
                  static_cast<int>(mlir::wna16::SplitKind::Cluster) &&
              static_cast<int>(SplitKind::Ticket) ==
                  static_cast<int>(mlir::wna16::SplitKind::Ticket) &&
              static_cast<int>(RoleKind::ProducerConsumer) ==
                  static_cast<int>(mlir::wna16::RoleKind::ProducerConsumer));

ScheduleChoice toChoice(ScheduleAttr schedule) {
  ScheduleChoice choice;
  choice.tileN = schedule.getTileN();
  choice.tileM = schedule.getTileM();
  choice.tileK = schedule.getTileK();
  choice.warpsN = schedule.getWarpsN();
  choice.warpsK = schedule.getWarpsK();
  choice.stages = schedule.getStages();
  choice.warpsM = schedule.getWarpsM();
  choice.blocks = schedule.getBlocks();
  choice.multicast = schedule.getMulticast();
  choice.persistent = schedule.getPersistent();
  choice.dependent = schedule.getDependent();
  choice.copy = convert<CopyEngine>(schedule.getCopy());
  choice.math = convert<MathEngine>(schedule.getMath());
  choice.scales = convert<ScalePlace>(schedule.getScales());
  choice.split = convert<SplitKind>(schedule.getSplit());
  choice.roles = convert<RoleKind>(schedule.getRoles());
  return choice;
}

ScheduleAttr toAttribute(MLIRContext *context, const ScheduleChoice &choice) {
  return ScheduleAttr::get(context, choice.tileN, choice.tileM, choice.tileK,
                           choice.warpsN, choice.warpsK, choice.stages,
                           convert<mlir::wna16::CopyEngine>(choice.copy),
                           convert<mlir::wna16::MathEngine>(choice.math),
                           convert<mlir::wna16::ScalePlace>(choice.scales),
                           convert<mlir::wna16::SplitKind>(choice.split),
                           convert<mlir::wna16::RoleKind>(choice.roles),
                           choice.warpsM, choice.blocks, choice.multicast,
                           choice.persistent, choice.dependent);
}

FailureOr<GemmShape> shapeOf(ProductOpInterface gemm) {
  if (!gemm.getMaxM())
    return gemm->emitOpError("expected max_m, the largest M that this kernel "
                             "is for [SEL-C1]");
  GemmShape shape;
  shape.maxM = *gemm.getMaxM();
  shape.n = gemm.getStoredN();
  shape.k = gemm.getStoredK();
  shape.usedK = gemm.getK();
  shape.group = gemm.getGroup();
  shape.bits = gemm.getCode().getWidth();
  shape.hasZeros = bool(gemm.getZeros());
  Type activations = gemm.getX().getType().getElementType();
  if (activations.isBF16())
    shape.activations = Activations::BF16;
  shape.hasOwnScales = gemm.getS().getType().getElementType() != activations;
  if (auto moe = dyn_cast<mlir::wna16::MoeGemmOp>(gemm.getOperation())) {
    shape.segmentRows = moe.getSegmentRows();
    shape.experts = moe.getExperts();
    shape.topK = moe.getTopK();
    shape.mapsRows = moe.getXRows() != mlir::wna16::RowOrder::Position;
  }
  return shape;
}

FailureOr<std::vector<RangeChoice>> chooseRanges(ProductOpInterface gemm,
                                                 const GpuTarget &target,
                                                 const RangeOptions &options) {
  FailureOr<GemmShape> shape = shapeOf(gemm);
  if (failed(shape))
    return failure();
  std::string reason;
  std::vector<RangeChoice> ranges =
      chooseRanges(*shape, target, options, reason);
  if (ranges.empty())
    return gemm->emitOpError("has no schedule for ")
           << target.name << ": " << reason << " [SEL-C2]";
  return ranges;
}

} // namespace wna16
