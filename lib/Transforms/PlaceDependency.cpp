//===- PlaceDependency.cpp - wait for the kernel in front, late -----------===//
//
// The wait comes before the first op that touches a matrix which the kernel in
// front may still use; what the model keeps constant is fetched before it, but
// for the first step only: activations that queue behind all prologue loads of
// weights would come late.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Dependency.h"
#include "lib/Transforms/TilePasses.h"

#include "mlir/IR/IRMapping.h"

namespace wna16 {
#define GEN_PASS_DEF_PLACEDEPENDENCY
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

bool holdsShared(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return touchesShared(inner) ? WalkResult::interrupt()
                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

class WaitPlacer {
public:
  /// Places a wait in `block`, where anything needs it.
  void place(Block &block) {
    for (Operation &op : block) {
      if (!holdsShared(&op))
        continue;
      if (auto roles = dyn_cast<RolesOp>(op)) {
        for (auto role : roles.getBody().getOps<RoleOp>())
          place(role.getBody().front());
        return;
      }
      Operation *first = &op;
      if (auto loop = dyn_cast<scf::ForOp>(op))
        first = peelFirstStep(loop);
      if (isa<FillOp>(first))
        first = fillConstantsBefore(first);
      hoistConstantLoads(first);
      OpBuilder builder(first);
      DependencyWaitOp::create(builder, first->getLoc());
      // Where only results are stored there is nothing left to overlap with.
      if (!isa<StoreOp>(first))
        DependencyLaunchOp::create(builder, first->getLoc());
      return;
    }
  }

private:
  /// A loop that only fills: its first step, which exists, moves in front of
  /// it. The op that the wait is for.
  Operation *peelFirstStep(scf::ForOp loop) {
    bool onlyFills =
        llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) {
          return isa<AcquireOp, FillOp, FillScalesOp, CommitOp>(op) ||
                 isa<arith::ArithDialect>(op.getDialect());
        });
    if (!onlyFills || loop.getNumResults() != 0)
      return loop;
    OpBuilder builder(loop);
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), loop.getLowerBound());
    Operation *first = nullptr;
    for (Operation &op : loop.getBody()->without_terminator()) {
      Operation *copy = builder.clone(op, mapping);
      if (!first && touchesShared(copy))
        first = copy;
    }
    loop.setLowerBound(arith::AddIOp::create(
        builder, loop.getLoc(), loop.getLowerBound(), loop.getStep()));
    return first;
  }

  /// Moves the fills of shared matrices behind the others of their step; the
  /// first of them.
  static Operation *fillConstantsBefore(Operation *first) {
    SmallVector<Operation *> late;
    Operation *end = first;
    for (; !isa<CommitOp>(end); end = end->getNextNode())
      if (isa<FillOp>(end) && touchesShared(end))
        late.push_back(end);
    for (Operation *fill : late)
      fill->moveBefore(end);
    return late.front();
  }

  /// Loads of constants between `first` and the loop after it move before it,
  /// with the arithmetic that they need.
  void hoistConstantLoads(Operation *first) {
    SmallVector<Operation *> loads;
    for (Operation *op = first; op && op->getNumRegions() == 0;
         op = op->getNextNode())
      if (isa<LoadOp, LoadScalesOp>(op) && !touchesShared(op))
        loads.push_back(op);
    for (Operation *load : loads)
      if (!needsShared(load, first))
        moveBefore(load, first);
  }

  /// Whether what `op` reads is found by means of something shared, from
  /// `place` on: the expert of a segment.
  static bool needsShared(Operation *op, Operation *place) {
    if (touchesShared(op))
      return true;
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return def && def->getBlock() == place->getBlock() &&
             !def->isBeforeInBlock(place) && needsShared(def, place);
    });
  }

  void moveBefore(Operation *op, Operation *place) {
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (def && def->getBlock() == place->getBlock() &&
          !def->isBeforeInBlock(place))
        moveBefore(def, place);
    }
    op->moveBefore(place);
  }
};

struct PlaceDependencyPass
    : ::wna16::impl::PlaceDependencyBase<PlaceDependencyPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel.getScheduleAttr() || !kernel.getScheduleAttr().getDependent() ||
        findDependencyWait(kernel))
      return;
    kernel.walk(
        [](ForEachWorkOp work) { WaitPlacer().place(work.getBody().front()); });
  }
};

} // namespace
