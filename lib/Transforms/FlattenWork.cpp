//===- FlattenWork.cpp - blocks that go on to the next tile ---------------===//
//
// The tiles of a block and the steps of K in each become one stream of ring
// steps. The roles keep their loops over K; around each comes the loop over
// tiles, and every ring op counts from the tile's first step on.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/TileTrace.h"
#include "lib/Transforms/TilePasses.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

namespace wna16 {
#define GEN_PASS_DEF_FLATTENWORK
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using mlir::wna16::ScheduleAttr;

namespace {

/// Counts the steps of a tile.
class StepCounter : public TileTrace {
public:
  int64_t steps = 0;

private:
  LogicalResult visit(Operation *op) override {
    steps += isa<CommitOp>(op);
    return success();
  }
};

/// The step that a ring op is about; null for all other ops.
OpOperand *stepOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, OpOperand *>(op)
      .Case<AcquireOp, FillOp, FillScalesOp, CommitOp, WaitOp, ReadOp,
            MmaAsyncOp, ReleaseOp>(
          [](auto ringOp) { return &ringOp.getStepMutable(); })
      .Default([](Operation *) { return nullptr; });
}

class WorkFlattener {
public:
  WorkFlattener(ForEachWorkOp work, int64_t blocks)
      : work(work), blocks(blocks), builder(work), loc(work.getLoc()) {}

  LogicalResult run() {
    Block &body = work.getBody().front();
    SmallVector<RolesOp> all(body.getOps<RolesOp>());
    if (all.size() != 1 || llvm::range_size(body.getOps<RingOp>()) != 1)
      return work.emitOpError("expected roles and one ring between them, found ")
             << all.size() << " and " << llvm::range_size(body.getOps<RingOp>())
             << "; run specialize-roles first [FLATTEN-C1]";
    StepCounter counter;
    for (Agent agent : agentsOf(work, /*block=*/0))
      if (failed(counter.run(work, agent)))
        return failure();
    for (auto role : all.front().getBody().getOps<RoleOp>())
      if (counter.steps % static_cast<int64_t>(role.getParts()) != 0)
        return role.emitOpError("expected parts of K that share the ")
               << counter.steps << " steps of a tile evenly, found "
               << role.getParts() << " [FLATTEN-C2]";
    for (auto role : all.front().getBody().getOps<RoleOp>())
      wrap(role, counter.steps);
    // What the roles shared has been copied into each of them.
    SmallVector<Operation *> shared;
    for (Operation &op : body.without_terminator())
      if (!isa<RingOp, RolesOp>(op))
        shared.push_back(&op);
    for (Operation *op : llvm::reverse(shared))
      op->erase();
    body.eraseArguments(0, body.getNumArguments());
    work.setPersistent(blocks);
    return success();
  }

private:
  void wrap(RoleOp role, int64_t steps) {
    Block &inner = role.getBody().front();
    builder.setInsertionPointToStart(&inner);
    auto tiles = ForEachTileOp::create(builder, loc, uint64_t(steps));
    Type index = builder.getIndexType();
    Block *body = builder.createBlock(&tiles.getBody(), {},
                                      {index, index, index}, {loc, loc, loc});
    WorkEndOp::create(builder, loc);
    body->getOperations().splice(
        std::prev(body->end()), inner.getOperations(),
        std::next(tiles->getIterator()), std::prev(inner.end()));

    IRMapping mapping;
    mapping.map(work.getRowCoordinate(), tiles.getRowCoordinate());
    mapping.map(work.getColumnCoordinate(), tiles.getColumnCoordinate());
    builder.setInsertionPointToStart(body);
    for (Operation &op : work.getBody().front().without_terminator())
      if (!isa<RingOp, RolesOp>(op))
        builder.clone(op, mapping);
    for (auto [from, to] : mapping.getValueMap())
      from.replaceUsesWithIf(to, [&](OpOperand &use) {
        return tiles->isProperAncestor(use.getOwner());
      });
    tiles.walk([&](Operation *op) {
      OpOperand *step = stepOf(op);
      if (!step)
        return;
      builder.setInsertionPoint(op);
      step->set(arith::AddIOp::create(builder, loc, tiles.getFirstStep(),
                                      step->get()));
    });
  }

  ForEachWorkOp work;
  int64_t blocks;
  OpBuilder builder;
  Location loc;
};

struct FlattenWorkPass : ::wna16::impl::FlattenWorkBase<FlattenWorkPass> {
  void runOnOperation() override {
    ScheduleAttr schedule = getOperation().getScheduleAttr();
    if (!schedule || !schedule.getPersistent())
      return;
    SmallVector<ForEachWorkOp> works(
        getOperation().getBody().getOps<ForEachWorkOp>());
    for (ForEachWorkOp work : works)
      if (!work.getPersistent() &&
          failed(WorkFlattener(work, schedule.getPersistent()).run()))
        return signalPassFailure();
  }
};

} // namespace
