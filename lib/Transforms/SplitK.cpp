//===- SplitK.cpp - steps of K shared among warps -------------------------===//

#include "lib/Transforms/TilePasses.h"

namespace wna16 {
#define GEN_PASS_DEF_SPLITK
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using mlir::wna16::ScheduleAttr;

namespace {

/// The loop over K: the only loop of `work` that holds a product.
FailureOr<scf::ForOp> findLoop(ForEachWorkOp work) {
  SmallVector<scf::ForOp> loops;
  for (auto loop : work.getBody().getOps<scf::ForOp>()) {
    bool hasProduct = !loop.getBody()->getOps<MmaOp>().empty();
    if (hasProduct && loop.getNumResults() == 1 &&
        isa<ValType>(loop.getResult(0).getType()))
      loops.push_back(loop);
  }
  if (loops.size() != 1)
    return work.emitOpError("expected one loop over K with one accumulator to "
                            "split, found ")
           << loops.size() << " [SPLIT-C1]";
  return loops.front();
}

/// Marks everything that holds the accumulator as a share of the sum.
void markPartial(Value value) {
  auto type = dyn_cast<ValType>(value.getType());
  if (type && type.getElementType().isF32())
    value.setType(type.withPartial(true));
}

struct SplitKPass : ::wna16::impl::SplitKBase<SplitKPass> {
  void runOnOperation() override {
    ScheduleAttr schedule = getOperation().getScheduleAttr();
    if (!schedule || schedule.getWarpsK() == 1)
      return;
    SmallVector<ForEachWorkOp> works(
        getOperation().getBody().getOps<ForEachWorkOp>());
    for (ForEachWorkOp work : works)
      if (work.getParts() == 1 && failed(split(work, schedule.getWarpsK())))
        return signalPassFailure();
  }

  static LogicalResult split(ForEachWorkOp work, int64_t parts) {
    FailureOr<scf::ForOp> found = findLoop(work);
    if (failed(found))
      return failure();
    scf::ForOp loop = *found;
    work.setParts(parts);
    Value part = work.getBody().addArgument(IndexType::get(work.getContext()),
                                            work.getLoc());

    // Steps part, part + parts, ...
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    Value stride = arith::ConstantIndexOp::create(builder, loc, parts);
    Value offset = arith::MulIOp::create(builder, loc, part, loop.getStep());
    Value first =
        arith::AddIOp::create(builder, loc, loop.getLowerBound(), offset);
    Value step = arith::MulIOp::create(builder, loc, loop.getStep(), stride);
    loop.setLowerBound(first);
    loop.setStep(step);

    // Every fp32 value of the loop is now one part's share.
    markPartial(loop.getInitArgs().front());
    markPartial(loop.getRegionIterArg(0));
    markPartial(loop.getResult(0));
    loop.getBody()->walk([&](Operation *op) {
      for (Value result : op->getResults())
        markPartial(result);
    });

    builder.setInsertionPointAfter(loop);
    Value share = loop.getResult(0);
    auto sum = CombineOp::create(
        builder, loc, cast<ValType>(share.getType()).withPartial(false), share,
        IntegerAttr(), UnitAttr());
    share.replaceAllUsesExcept(sum, sum);
    return success();
  }
};
} // namespace
