//===- AssignWaits.cpp - how long ring ops wait, and for whom -------------===//

#include "lib/Analysis/RingScope.h"
#include "lib/Analysis/TileTrace.h"
#include "lib/Transforms/TilePasses.h"

#include "llvm/ADT/MapVector.h"

namespace wna16 {
#define GEN_PASS_DEF_ASSIGNWAITS
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

/// Counts, at every wait, the commits that came after the one waited for.
class CommitCounter : public TileTrace {
public:
  llvm::MapVector<Operation *, int64_t> pending;

  LogicalResult countAll(ForEachWorkOp work) {
    for (int64_t block = 0; block < static_cast<int64_t>(work.getBlocks());
         ++block)
      for (Agent agent : agentsOf(work, block)) {
        commits = 0;
        committed.clear();
        if (failed(run(work, agent)))
          return failure();
      }
    return success();
  }

private:
  LogicalResult visit(Operation *op) override {
    if (auto commit = dyn_cast<CommitOp>(op)) {
      if (!hasBarriers(commit.getRing()))
        committed[{commit.getRing(), number(commit.getStep())}] = commits++;
    } else if (auto wait = dyn_cast<WaitOp>(op)) {
      // A barrier knows its step.
      if (hasBarriers(wait.getRing()))
        return success();
      auto found = committed.find({wait.getRing(), number(wait.getStep())});
      if (found == committed.end())
        return wait.emitOpError("waits for step ")
               << number(wait.getStep()) << " that was never committed";
      int64_t later = commits - found->second - 1;
      auto [slot, isNew] = pending.insert({op, later});
      if (!isNew)
        slot->second = std::min(slot->second, later);
    }
    return success();
  }

  static bool hasBarriers(Value ring) {
    return ring.getDefiningOp<RingOp>().hasBarriers();
  }

  int64_t commits = 0;
  llvm::DenseMap<std::pair<Value, int64_t>, int64_t> committed;
};

struct AssignWaitsPass : ::wna16::impl::AssignWaitsBase<AssignWaitsPass> {
  void runOnOperation() override {
    SmallVector<ForEachWorkOp> works;
    getOperation().walk([&](ForEachWorkOp work) { works.push_back(work); });
    for (ForEachWorkOp work : works)
      if (failed(assign(work)))
        return signalPassFailure();
  }

  LogicalResult assign(ForEachWorkOp work) {
    CommitCounter counter;
    if (failed(counter.countAll(work)))
      return failure();
    Builder builder(&getContext());
    for (auto [op, pending] : counter.pending)
      cast<WaitOp>(op).setPendingAttr(builder.getI64IntegerAttr(pending));
    SmallVector<RingOp> rings(work.getBody().getOps<RingOp>());
    for (RingOp ring : rings)
      if (!ring.hasBarriers())
        assignScope(work, ring, counter.pending);
    return success();
  }

  /// `counted`: the waits that are executed.
  void assignScope(ForEachWorkOp work, RingOp ring,
                   const llvm::MapVector<Operation *, int64_t> &counted) {
    Scope scope = requiredScope(work, ring);
    auto attr = ScopeAttr::get(&getContext(), scope);
    for (Operation *user : ring->getUsers()) {
      if (auto wait = dyn_cast<WaitOp>(user)) {
        wait.setScopeAttr(attr);
        // In a loop that never runs, any number is right.
        if (!counted.contains(user))
          wait.setPendingAttr(IntegerAttr::get(
              IntegerType::get(&getContext(), 64), int64_t(0)));
      } else if (auto release = dyn_cast<ReleaseOp>(user))
        release.setScopeAttr(attr);
    }
  }
};

} // namespace
