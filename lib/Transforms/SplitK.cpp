//===- SplitK.cpp - steps of K shared among warps and blocks --------------===//
//
// Blocks take neighbouring steps each, parts of the warps of a block every
// parts-th step of it. A block counts its steps from 0, so that the protocol of
// the ring does not know of blocks. Their shares meet in a cluster, or in a
// workspace, which becomes an argument of the kernel.
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

/// Of shares that blocks write; offsets in a tile of them fit 32 bits.
constexpr int64_t mostWorkspaceBytes = int64_t(1) << 30;

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
  Splitter(ForEachWorkOp work, scf::ForOp loop, int64_t parts, int64_t blocks,
           bool byTicket)
      : work(work), loop(loop), parts(parts), blocks(blocks),
        byTicket(byTicket), builder(loop), loc(loop.getLoc()) {}

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
    rowsLeft = countRows();
    if (parts > 1)
      takeStepsOfPart();
    markShares();
    return combine();
  }

private:
  Value addArgument() {
    return work.getBody().addArgument(builder.getIndexType(), work.getLoc());
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// Rows of the output from the first one of the tile on.
  Value countRows() {
    if (LoadSegmentOp segment = findSegment(work))
      return segment.getCount();
    Value rows = work.getRows() ? Value(work.getRows())
                                : constant(*work.getStaticRows());
    return arith::SubIOp::create(builder, loc, rows, work.getRowCoordinate());
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

  LogicalResult combine() {
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
    if (blocks > 1 && byTicket) {
      FailureOr<CombineByTicketOp> last = takeTickets(sum);
      if (failed(last))
        return failure();
      sums.insert(*last);
      sum = last->getResult();
      for (auto store : work.getBody().getOps<StoreOp>())
        store.getPredicateMutable().assign(last->getLast());
    } else if (blocks > 1) {
      add(type.withPartial(false).withPartialBlocks(false),
          /*overCluster=*/true);
    }
    share.replaceAllUsesExcept(sum, sums);
    return success();
  }

  /// The sum over blocks in the last of them; the workspace has a row for each
  /// row of the output and columns for each block.
  FailureOr<CombineByTicketOp> takeTickets(Value share) {
    auto kernel = work->getParentOfType<KernelOp>();
    int64_t rows =
        work.getRows() ? kernel.getMaxM().value_or(0) : *work.getStaticRows();
    int64_t columns = work.getColumns();
    if (rows == 0 || rows * 4 > mostWorkspaceBytes / (blocks * columns))
      return kernel.emitOpError("expected max_m, and at most ")
             << mostWorkspaceBytes << " bytes of shares: of " << blocks
             << " blocks for " << columns << " columns in each of max_m rows "
             << "[SPLIT-C3]";
    Value shares =
        addWorkspace("shares", {rows, blocks * columns}, builder.getF32Type());
    Value tickets = addWorkspace(
        "tickets",
        {static_cast<int64_t>(llvm::divideCeil(rows, work.getTile()[0])),
         columns / work.getTile()[1]},
        builder.getI32Type());
    Type type = cast<ValType>(share.getType()).withPartialBlocks(false);
    return CombineByTicketOp::create(
        builder, loc, type, builder.getI1Type(), share, shares,
        work.getRowCoordinate(), work.getColumnCoordinate(), tickets, rowsLeft);
  }

  /// One more argument of the kernel.
  Value addWorkspace(StringRef name, ArrayRef<int64_t> shape, Type element) {
    auto kernel = work->getParentOfType<KernelOp>();
    auto type = GlobalType::get(kernel.getContext(), shape, element,
                                Access::workspace, Attribute());
    SmallVector<Type> types(kernel.getArgumentTypes());
    types.push_back(type);
    kernel.setFunctionType(builder.getFunctionType(types, {}));
    SmallVector<Attribute> names(kernel.getArgNames().getValue());
    names.push_back(builder.getStringAttr(name));
    kernel.setArgNamesAttr(builder.getArrayAttr(names));
    return kernel.getBody().addArgument(type, loc);
  }

  ForEachWorkOp work;
  scf::ForOp loop;
  int64_t parts, blocks;
  bool byTicket;
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
    int64_t blocks = schedule.getBlocks();
    bool byTicket = schedule.getSplit() == mlir::wna16::SplitKind::Ticket;
    if (parts == 1 && blocks == 1)
      return;
    SmallVector<ForEachWorkOp> works(
        getOperation().getBody().getOps<ForEachWorkOp>());
    for (ForEachWorkOp work : works) {
      if (work.getParts() > 1 || work.getBlocks() > 1)
        continue;
      FailureOr<scf::ForOp> loop = findLoop(work);
      if (failed(loop) ||
          failed(Splitter(work, *loop, parts, blocks, byTicket).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
