//===- AssignWaits.cpp - how long ring ops wait, and for whom -------------===//

#include "lib/Transforms/TilePasses.h"
#include "lib/Transforms/TileTrace.h"

#include "llvm/ADT/MapVector.h"

namespace wna16 {
#define GEN_PASS_DEF_ASSIGNWAITS
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::Basis;
using ::wna16::layout::LinearLayout;

namespace {

/// Counts, at every wait, the commits that came after the one waited for.
class CommitCounter : public TileTrace {
public:
  llvm::MapVector<Operation *, int64_t> pending;

  LogicalResult countAll(ForEachWorkOp work) {
    for (int64_t part = 0; part < work.getParts(); ++part) {
      commits = 0;
      committed.clear();
      if (failed(run(work, part)))
        return failure();
    }
    return success();
  }

private:
  LogicalResult visit(Operation *op) override {
    if (auto commit = dyn_cast<CommitOp>(op)) {
      committed[{commit.getRing(), number(commit.getStep())}] = commits++;
    } else if (auto wait = dyn_cast<WaitOp>(op)) {
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

  int64_t commits = 0;
  llvm::DenseMap<std::pair<Value, int64_t>, int64_t> committed;
};

/// The threads that must meet between the copies of `fill` and `read`.
Scope scopeBetween(FillOp fill, ReadOp read, Scope widest) {
  const LinearLayout &copy = fill.getThreads().getLayout();
  auto readType = cast<ValType>(read.getResult().getType());
  const LinearLayout &use = readType.getLayout().getLayout();
  // Who copied the element that bit `index` of a reader's number leads to?
  LinearLayout holder = copy.rightInverse();
  unsigned regBits = copy.inBits("register");
  unsigned laneBits = copy.inBits("lane");
  unsigned rowBits = holder.ins()[0].bases.size();
  auto holderOf = [&](const Basis &at) {
    uint64_t flat = holder.applyFlat(at[0] | (uint64_t(at[1]) << rowBits));
    return std::pair<uint64_t, uint64_t>((flat >> regBits) &
                                             ((1u << laneBits) - 1),
                                         flat >> (regBits + laneBits));
  };
  Scope scope = Scope::lane;
  auto compare = [&](const std::vector<Basis> &bases, uint64_t lane,
                     uint64_t warp) {
    for (const Basis &basis : bases) {
      auto [copyLane, copyWarp] = holderOf(basis);
      if (copyWarp != warp)
        scope = widest;
      else if (copyLane != lane)
        scope = std::max(scope, Scope::warp);
      lane <<= 1;
      warp <<= 1;
    }
  };
  compare(use.bases("register"), 0, 0);
  compare(use.bases("lane"), 1, 0);
  compare(use.bases("warp"), 0, 1);
  // The rest of the field, of which a sliced read names a part.
  compare({{static_cast<uint32_t>(read.getOffsets()[0]),
            static_cast<uint32_t>(read.getOffsets()[1])}},
          0, 0);
  // Threads that hold copies of an element read what another one copied.
  if (copy.freeMask("lane") != 0)
    scope = std::max(scope, Scope::warp);
  if (copy.freeMask("warp") != 0)
    scope = widest;
  return scope;
}

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
      assignScope(work, ring);
    return success();
  }

  void assignScope(ForEachWorkOp work, RingOp ring) {
    int64_t warps = getOperation().getWarps() / work.getParts();
    Scope widest = warps == 1 ? Scope::warp
                   : work.getParts() > 1 ? Scope::part
                                         : Scope::block;
    Scope scope = Scope::lane;
    for (Operation *user : ring->getUsers())
      for (Operation *other : ring->getUsers()) {
        auto fill = dyn_cast<FillOp>(user);
        auto read = dyn_cast<ReadOp>(other);
        if (fill && read && fill.getField() == read.getField() &&
            cast<ValType>(read.getResult().getType()).getLayout())
          scope = std::max(scope, scopeBetween(fill, read, widest));
      }
    auto attr = ScopeAttr::get(&getContext(), scope);
    for (Operation *user : ring->getUsers()) {
      if (auto wait = dyn_cast<WaitOp>(user))
        wait.setScopeAttr(attr);
      else if (auto release = dyn_cast<ReleaseOp>(user))
        release.setScopeAttr(attr);
    }
  }
};

} // namespace
