//===- VerifyTile.cpp - checks of a pipelined kernel ----------------------===//
//
// What can be read off the ops is checked here: layouts, scopes, places in
// shared memory. What needs the counters is checked by running them
// (lib/Analysis/TileChecker). Labels are those of docs/spec.md.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Dependency.h"
#include "lib/Analysis/RingScope.h"
#include "lib/Analysis/TileChecker.h"
#include "lib/Transforms/TilePasses.h"

namespace wna16 {
#define GEN_PASS_DEF_VERIFYTILE
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

static int64_t bytesOf(RingOp ring) {
  RingType type = ring.getRing().getType();
  return type.getStages() * type.getStageBytes();
}

/// Before allocate-shared there is nothing to check.
static LogicalResult checkPlace(Operation *op, std::optional<int64_t> offset,
                                int64_t bytes, int64_t alignment = 16) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (!offset || !kernel.getSharedBytes())
    return success();
  if (*offset % alignment != 0)
    return op->emitOpError("expected a place at a multiple of ")
           << alignment << " bytes, found " << *offset << " [MEM-V3]";
  if (*offset < 0 ||
      *offset + bytes > static_cast<int64_t>(*kernel.getSharedBytes()))
    return op->emitOpError("needs bytes ")
           << *offset << " to " << *offset + bytes - 1
           << " of shared memory, but the kernel has "
           << *kernel.getSharedBytes() << " [MEM-V1]";
  return success();
}

static int64_t scratchBytes(CombineOp combine) {
  return combine.getScratchBytes(
      combine.getOverCluster() ? 1 : getWarpGroup(combine).parts);
}

/// Whether `bytes` from `begin` on lie on barriers of `ring`.
static bool meetsBarriers(RingOp ring, int64_t begin, int64_t bytes) {
  std::optional<int64_t> offset = ring.getBarriersOffset();
  return offset && begin < *offset + ring.getBarrierBytes() &&
         *offset < begin + bytes;
}

/// Other blocks write there at any time, so no scratch may share the place.
static LogicalResult checkCluster(ForEachWorkOp work, CombineOp combine,
                                  int64_t bytes) {
  if (failed(checkPlace(combine, combine.getScratchOffset(), bytes)))
    return failure();
  if (!combine.getScratchOffset())
    return success();
  if (combine.getScratchAliases())
    return combine.emitOpError("expected a place of its own for what other "
                               "blocks send, found scratch_aliases [MEM-V4]");
  int64_t begin = *combine.getScratchOffset();
  int64_t barrier = combine.getBarrierOffset().value_or(begin + bytes);
  if (failed(checkPlace(combine, barrier, CombineOp::barrierBytes)))
    return failure();
  auto meets = [&](int64_t otherBegin, int64_t otherEnd) {
    return (begin < otherEnd && otherBegin < begin + bytes) ||
           (barrier < otherEnd &&
            otherBegin < barrier + CombineOp::barrierBytes);
  };
  bool meetsScratch = false;
  work.walk([&](CombineOp other) {
    if (other == combine || !other.getScratchOffset())
      return;
    int64_t otherBegin = *other.getScratchOffset();
    meetsScratch |= meets(otherBegin, otherBegin + scratchBytes(other));
  });
  if (meetsScratch)
    return combine.emitOpError("receives what other blocks send where scratch "
                               "of another sum lies [MEM-V4]");
  for (auto ring : work.getBody().getOps<RingOp>()) {
    int64_t ringBegin = ring.getOffset().value_or(0);
    if (meets(ringBegin, ringBegin + bytesOf(ring)))
      return combine.emitOpError("receives what other blocks send where a ring "
                                 "lies [MEM-V4]");
  }
  return success();
}

template <typename OpTy>
static LogicalResult checkScratch(ForEachWorkOp work, OpTy op, int64_t bytes) {
  if (failed(checkPlace(op, op.getScratchOffset(), bytes)))
    return failure();
  if (!op.getScratchOffset())
    return success();
  int64_t begin = *op.getScratchOffset();
  for (auto ring : work.getBody().getOps<RingOp>())
    if (meetsBarriers(ring, begin, bytes))
      return op.emitOpError("has its scratch where barriers of a ring lie "
                            "[MEM-V2]");
  if (op.getScratchAliases() && op->template getParentOfType<ForEachTileOp>())
    return op.emitOpError("expected a place of its own in a persistent block, "
                          "whose rings are filled for the next tile, found "
                          "scratch_aliases [MEM-V5]");
  if (op.getScratchAliases())
    return success();
  for (auto ring : work.getBody().getOps<RingOp>()) {
    int64_t ringBegin = ring.getOffset().value_or(0);
    if (begin < ringBegin + bytesOf(ring) && ringBegin < begin + bytes)
      return op.emitOpError("has its scratch where a ring lies; mark it "
                            "scratch_aliases [MEM-V2]");
  }
  return success();
}

static LogicalResult checkScope(ForEachWorkOp work, RingOp ring) {
  Scope required = requiredScope(work, ring);
  auto enough = [&](auto op) -> LogicalResult {
    if (!op.getScope() || *op.getScope() >= required)
      return success();
    return op.emitOpError("orders the threads of a ")
           << stringifyScope(*op.getScope()) << ", but a "
           << stringifyScope(required)
           << " copies and reads this ring [RING-V8]";
  };
  for (Operation *user : ring->getUsers()) {
    if (auto wait = dyn_cast<WaitOp>(user)) {
      if (failed(enough(wait)))
        return failure();
    } else if (auto release = dyn_cast<ReleaseOp>(user)) {
      if (failed(enough(release)))
        return failure();
    }
  }
  return success();
}

/// What is counted at the barriers of a ring: copies that one thread of a role
/// starts, all bytes of them, and the warps of the one role that reads.
static LogicalResult checkCounted(Operation *user, RoleOp &reader) {
  auto role = user->getParentOfType<RoleOp>();
  if (!isa<AcquireOp, FillOp, FillScalesOp, CommitOp>(user)) {
    if (!role || role.getSingleThread() || (reader && reader != role))
      return user->emitOpError("expected one role of all its threads to read a "
                               "ring that has barriers [RING-V9]");
    reader = role;
    return success();
  }
  if (!role || !role.getSingleThread())
    return user->emitOpError("expected a role of a single thread to fill a "
                             "ring that has barriers [RING-V9]");
  auto isCounted = [](auto fill) {
    return !fill ||
           (fill.getEngine() != Engine::cp_async && !fill.getPredicate());
  };
  if (!isCounted(dyn_cast<FillOp>(user)) ||
      !isCounted(dyn_cast<FillScalesOp>(user)))
    return user->emitOpError("expected a bulk or tensor copy without predicate "
                             "in a ring that has barriers, which count its "
                             "bytes [RING-V9]");
  return success();
}

static LogicalResult checkBarriers(ForEachWorkOp work, RingOp ring) {
  RoleOp reader;
  WalkResult result = work.walk([&](Operation *user) {
    if (!llvm::is_contained(user->getOperands(), ring.getRing()))
      return WalkResult::advance();
    return failed(checkCounted(user, reader)) ? WalkResult::interrupt()
                                              : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return checkPlace(ring, ring.getBarriersOffset(), ring.getBarrierBytes());
}

/// Rings do not overlap, scratch lies where it may.
static LogicalResult checkPlaces(ForEachWorkOp work) {
  SmallVector<RingOp> rings(work.getBody().getOps<RingOp>());
  for (RingOp ring : rings) {
    if (failed(ring.hasBarriers() ? checkBarriers(work, ring)
                                  : checkScope(work, ring)) ||
        failed(checkPlace(ring, ring.getOffset(), bytesOf(ring),
                          ring.getRing().getType().getAlignment())))
      return failure();
    for (RingOp other : rings) {
      if (other == ring || !ring.getOffset() || !other.getOffset())
        continue;
      int64_t begin = *ring.getOffset(), otherBegin = *other.getOffset();
      if (begin <= otherBegin && otherBegin < begin + bytesOf(ring))
        return other.emitOpError("lies where another ring does [MEM-V2]");
    }
    for (RingOp other : rings)
      if (meetsBarriers(other, ring.getOffset().value_or(0), bytesOf(ring)) ||
          (other != ring && ring.getBarriersOffset() &&
           meetsBarriers(other, *ring.getBarriersOffset(),
                         ring.getBarrierBytes())))
        return ring.emitOpError("lies where barriers of a ring do [MEM-V2]");
  }
  WalkResult result = work.walk([&](Operation *op) {
    LogicalResult checked = success();
    if (auto combine = dyn_cast<CombineOp>(op)) {
      int64_t bytes = scratchBytes(combine);
      if (combine.getOverCluster())
        checked = checkCluster(work, combine, bytes);
      if (succeeded(checked))
        checked = checkScratch(work, combine, bytes);
    } else if (auto convert = dyn_cast<ConvertOp>(op))
      checked = checkScratch(work, convert, convert.getScratchBytes());
    return failed(checked) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Every tile has a layout, for the warps of the block or of a part.
static LogicalResult checkLayout(Operation *op, ValType type, int64_t warps,
                                 int64_t parts, int64_t blocks) {
  if (!type.getLayout())
    return op->emitOpError("expected a layout on ")
           << type << "; run assign-layouts first [VAL-V1]";
  int64_t found = int64_t(1) << type.getLayout().getLayout().inBits("warp");
  if (found != warps && found != warps / parts)
    return op->emitOpError("expected a layout of ")
           << warps << " warps, or of " << warps / parts << " in a part, found "
           << found << " [VAL-V2]";
  const auto &layout = type.getLayout().getLayout();
  if (layout.hasIn("block") && int64_t(1) << layout.inBits("block") != blocks)
    return op->emitOpError("expected a layout of ")
           << blocks << " blocks, or one without blocks, found "
           << (int64_t(1) << layout.inBits("block")) << " [VAL-V3]";
  return success();
}

/// Blocks that share a tile do not store the same elements: each has its own,
/// or the last one stores all.
static LogicalResult checkStore(StoreOp store, int64_t blocks) {
  if (store.getPredicate())
    return success();
  const auto &layout = store.getValue().getType().getLayout().getLayout();
  if (layout.hasIn("block") && layout.freeMask("block") == 0)
    return success();
  return store.emitOpError("expected a layout in which each of ")
         << blocks << " blocks owns other elements; tile.combine over cluster "
         << "makes one, and after tile.combine_by_ticket the last block stores "
         << "[STORE-V4]";
}

namespace {
struct VerifyTilePass : ::wna16::impl::VerifyTileBase<VerifyTilePass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](ForEachWorkOp work) {
      bool bad = failed(checkLayouts(work)) || failed(checkPlaces(work)) ||
                 failed(checkDependency(work)) || failed(checkByRunning(work));
      return bad ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult checkLayouts(ForEachWorkOp work) {
    int64_t blocks = work.getBlocks();
    WalkResult result = work.walk([&](Operation *op) {
      auto [warps, parts] = getWarpGroup(op);
      for (Type type : op->getResultTypes()) {
        auto value = dyn_cast<ValType>(type);
        if (value && failed(checkLayout(op, value, warps, parts, blocks)))
          return WalkResult::interrupt();
      }
      auto store = dyn_cast<StoreOp>(op);
      if (store && blocks > 1 && failed(checkStore(store, blocks)))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};
} // namespace
