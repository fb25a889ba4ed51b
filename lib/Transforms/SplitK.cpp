//===- SplitK.cpp - steps of K shared among warps and blocks --------------===//
//
// Blocks of a cluster take neighbouring steps each, parts of the warps of a
// block every parts-th step of it. A block counts its steps from 0, so that the
// protocol of the ring does not know of blocks.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/TilePasses.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

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

class Splitter {
public:
  Splitter(ForEachWorkOp work, scf::ForOp loop, int64_t parts, int64_t blocks)
      : work(work), loop(loop), parts(parts), blocks(blocks), builder(loop),
        loc(loop.getLoc()) {}

  LogicalResult run() {
    // Arguments of the work in the order part, block.
    if (parts > 1) {
      work.setParts(parts);
      part = addArgument();
    }
    if (blocks > 1) {
      work.setBlocks(blocks);
      block = addArgument();
      if (failed(takeStepsOfBlock()))
        return failure();
    }
    Value rows = work.getRows() ? Value(work.getRows())
                                : constant(*work.getStaticRows());
    rowsLeft =
        arith::SubIOp::create(builder, loc, rows, work.getRowCoordinate());
    if (parts > 1)
      takeStepsOfPart();
    markShares();
    combine();
    return success();
  }

private:
  Value addArgument() {
    return work.getBody().addArgument(builder.getIndexType(), work.getLoc());
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// Of the steps 0, 1, ... each block takes as many neighbouring ones as any
  /// other, the first ones one more when they do not divide.
  LogicalResult takeStepsOfBlock() {
    std::optional<int64_t> steps = getConstantIntValue(loop.getUpperBound());
    if (getConstantIntValue(loop.getLowerBound()) != 0 ||
        getConstantIntValue(loop.getStep()) != 1 || !steps || *steps < blocks)
      return loop.emitOpError(
                 "expected a loop over K from 0 in steps of 1 to a "
                 "constant of at least ")
             << blocks << ", a step for each block [SPLIT-C2]";
    int64_t least = *steps / blocks, more = *steps % blocks;
    Value first = arith::MulIOp::create(builder, loc, block, constant(least));
    Value count = constant(least);
    if (more) {
      Value before =
          arith::MinSIOp::create(builder, loc, block, constant(more));
      first = arith::AddIOp::create(builder, loc, first, before);
      Value takesMore = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::slt, block, constant(more));
      count = arith::SelectOp::create(builder, loc, takesMore,
                                      constant(least + 1), count);
    }
    loop.setUpperBound(count);
    OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
    Value step = loop.getInductionVar();
    Value global = arith::AddIOp::create(inside, loc, first, step);
    step.replaceAllUsesExcept(global, global.getDefiningOp());
    return success();
  }

  /// Steps part, part + parts, ...
  void takeStepsOfPart() {
    Value stride = constant(parts);
    Value offset = arith::MulIOp::create(builder, loc, part, loop.getStep());
    Value first =
        arith::AddIOp::create(builder, loc, loop.getLowerBound(), offset);
    Value step = arith::MulIOp::create(builder, loc, loop.getStep(), stride);
    loop.setLowerBound(first);
    loop.setStep(step);
  }

  /// Every fp32 value of the loop is now a share of the sum.
  void markShares() {
    auto mark = [&](Value value) {
      auto type = dyn_cast<ValType>(value.getType());
      if (type && type.getElementType().isF32())
        value.setType(
            type.withPartial(parts > 1).withPartialBlocks(blocks > 1));
    };
    mark(loop.getInitArgs().front());
    mark(loop.getRegionIterArg(0));
    mark(loop.getResult(0));
    loop.getBody()->walk([&](Operation *op) {
      for (Value result : op->getResults())
        mark(result);
    });
  }

  void combine() {
    builder.setInsertionPointAfter(loop);
    Value share = loop.getResult(0);
    SmallPtrSet<Operation *, 2> sums;
    Value sum = share;
    auto add = [&](ValType type, bool overCluster) {
      sum = CombineOp::create(builder, loc, type, sum, overCluster, rowsLeft,
                              IntegerAttr(),
                              /*scratch_aliases=*/false, IntegerAttr());
      sums.insert(sum.getDefiningOp());
    };
    auto type = cast<ValType>(share.getType());
    if (parts > 1)
      add(type.withPartial(false), /*overCluster=*/false);
    if (blocks > 1)
      add(type.withPartial(false).withPartialBlocks(false),
          /*overCluster=*/true);
    share.replaceAllUsesExcept(sum, sums);
  }

  ForEachWorkOp work;
  scf::ForOp loop;
  int64_t parts, blocks;
  OpBuilder builder;
  Location loc;
  /// Numbers of part and block; rows of the output from the tile's first one.
  Value part, block, rowsLeft;
};

struct SplitKPass : ::wna16::impl::SplitKBase<SplitKPass> {
  void runOnOperation() override {
    ScheduleAttr schedule = getOperation().getScheduleAttr();
    if (!schedule)
      return;
    int64_t parts = schedule.getWarpsK();
    bool overCluster = schedule.getSplit() == mlir::wna16::SplitKind::Cluster;
    int64_t blocks = overCluster ? schedule.getBlocks() : 1;
    if (parts == 1 && blocks == 1)
      return;
    SmallVector<ForEachWorkOp> works(
        getOperation().getBody().getOps<ForEachWorkOp>());
    for (ForEachWorkOp work : works) {
      if (work.getParts() > 1 || work.getBlocks() > 1)
        continue;
      FailureOr<scf::ForOp> loop = findLoop(work);
      if (failed(loop) || failed(Splitter(work, *loop, parts, blocks).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
