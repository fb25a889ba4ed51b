//===- AllocateShared.cpp - places in shared memory -----------------------===//

#include "lib/Transforms/TilePasses.h"

#include "llvm/Support/MathExtras.h"

namespace wna16 {
#define GEN_PASS_DEF_ALLOCATESHARED
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;

namespace {

/// Whether every use of `ring` comes before `op` in the block that holds both.
/// What another role fills has been waited for when the last wait has passed,
/// unless it is for the next tile already.
bool isDeadAt(RingOp ring, Operation *op) {
  if (op->getParentOfType<ForEachTileOp>())
    return false;
  return llvm::all_of(ring->getUsers(), [&](Operation *user) {
    if (ring.hasBarriers() &&
        isa<AcquireOp, FillOp, FillScalesOp, CommitOp>(user))
      return true;
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && ancestor->isBeforeInBlock(op);
  });
}

struct AllocateSharedPass
    : ::wna16::impl::AllocateSharedBase<AllocateSharedPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    Builder builder(&getContext());
    int64_t end = 0;
    SmallVector<RingOp> rings;
    kernel.walk([&](RingOp ring) {
      RingType type = ring.getRing().getType();
      end = llvm::alignTo(end, std::max<int64_t>(128, type.getAlignment()));
      ring.setOffset(end);
      end += type.getStages() * type.getStageBytes();
      rings.push_back(ring);
    });
    auto place = [&](auto op, int64_t bytes) {
      bool aliases = !rings.empty() && llvm::all_of(rings, [&](RingOp ring) {
        return isDeadAt(ring, op);
      });
      int64_t begin = aliases ? 0 : llvm::alignTo(end, 128);
      op.setScratchOffset(begin);
      op.setScratchAliases(aliases);
      end = std::max(end, begin + bytes);
    };
    kernel.walk([&](CombineOp combine) {
      if (!combine.getOverCluster())
        place(combine, combine.getScratchBytes(getWarpGroup(combine).parts));
    });
    kernel.walk(
        [&](ConvertOp convert) { place(convert, convert.getScratchBytes()); });
    // Shares of other blocks arrive at any time: nothing else lies there.
    kernel.walk([&](CombineOp combine) {
      if (!combine.getOverCluster())
        return;
      int64_t begin = llvm::alignTo(end, 128);
      end = begin + combine.getScratchBytes(1);
      combine.setScratchOffset(begin);
      combine.setScratchAliases(false);
      combine.setBarrierOffset(end);
      end += CombineOp::barrierBytes;
    });
    // Last: nothing else may lie on a barrier.
    for (RingOp ring : rings) {
      ring.removeBarriersOffsetAttr();
      if (!ring.hasBarriers())
        continue;
      end = llvm::alignTo(end, 16);
      ring.setBarriersOffset(end);
      end += ring.getBarrierBytes();
    }
    kernel.setSharedBytesAttr(builder.getI64IntegerAttr(end));
  }
};

} // namespace
