//===- BarrierPatterns.cpp - the ring protocol ----------------------------===//
//
// By copy groups: one commit group per step. assign-waits has recorded how many
// younger groups may be pending at a wait, and which threads must meet; acquire
// needs nothing, because release (or the wait before it) has ordered the
// readers.
//
// By barriers in shared memory: the wait for step i is for the phase i / stages
// of the full barrier of its stage, the acquire for the phase before that of
// the empty one. Phases are told apart by their parity.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TileToNVVM/Addressing.h"
#include "lib/Conversion/TileToNVVM/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

/// Named barrier number `id`, an i32, for `warps` warps.
void meetAt(OpBuilder &builder, Location loc, Value id, int64_t warps) {
  Value threads = LLVM::ConstantOp::create(
      builder, loc, builder.getI32Type(),
      builder.getI32IntegerAttr(static_cast<int32_t>(warps * 32)));
  NVVM::BarrierOp::create(builder, loc, Type(), id, threads,
                          NVVM::BarrierReductionAttr(), Value());
}

/// Makes all threads of `scope` meet; shared memory is ordered between them.
void meet(OpBuilder &builder, Location loc, const Threads &threads,
          Scope scope) {
  AddressBuilder address(builder, loc, threads);
  // A part of one warp has no barrier of its own.
  if (scope == Scope::part && threads.warps == threads.parts)
    scope = Scope::warp;
  switch (scope) {
  case Scope::lane:
    return;
  case Scope::warp:
    NVVM::SyncWarpOp::create(builder, loc, address.i32(-1));
    return;
  case Scope::part:
    return meetAt(builder, loc,
                  address.add(threads.part, address.i32(threads.barrier + 1)),
                  threads.warps / threads.parts);
  case Scope::block:
    return meetAll(builder, loc, threads);
  }
}

/// Orders what this thread did to shared memory, and what the engines that copy
/// and multiply on their own do to it later.
void fenceEngines(OpBuilder &builder, Location loc) {
  NVVM::FenceProxyOp::create(
      builder, loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(builder.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

/// Waits until the phase of `parity` (i32) of a barrier is complete.
void waitForPhase(OpBuilder &builder, Location loc, Value barrier,
                  Value parity) {
  auto loop = scf::WhileOp::create(builder, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  Value done = NVVM::MBarrierTryWaitOp::create(
      builder, loc, builder.getI1Type(), barrier, parity, /*ticks=*/Value());
  Value yes = LLVM::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value again = LLVM::XOrOp::create(builder, loc, done, yes);
  scf::ConditionOp::create(builder, loc, again, ValueRange());
  builder.createBlock(&loop.getAfter());
  scf::YieldOp::create(builder, loc);
}

/// Parity, i32, of the phase in which `step` uses its stage.
Value parityOf(OpBuilder &builder, Location loc, Value ring, Value step) {
  int64_t stages = cast<RingType>(ring.getType()).getStages();
  Value count = arith::ConstantIndexOp::create(builder, loc, stages);
  Value round = arith::DivUIOp::create(builder, loc, step, count);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  return arith::IndexCastOp::create(
      builder, loc, builder.getI32Type(),
      arith::AndIOp::create(builder, loc, round, one));
}

template <typename OpTy> struct RingPattern : KernelPattern<OpTy> {
  using KernelPattern<OpTy>::KernelPattern;
  using KernelPattern<OpTy>::context;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool byBarrier = context.barriers.contains(op.getRing());
    if (failed(byBarrier ? lowerBarrier(op, rewriter)
                         : lowerGroup(op, rewriter)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }

private:
  //===--------------------------------------------------------------------===//
  // By copy groups
  //===--------------------------------------------------------------------===//

  LogicalResult lowerGroup(AcquireOp, OpBuilder &) const { return success(); }

  LogicalResult lowerGroup(CommitOp op, OpBuilder &builder) const {
    NVVM::CpAsyncCommitGroupOp::create(builder, op.getLoc());
    return success();
  }

  LogicalResult lowerGroup(WaitOp op, OpBuilder &builder) const {
    if (!op.getPending() || !op.getScope())
      return op.emitOpError(
          "expected pending and scope; run assign-waits first");
    NVVM::CpAsyncWaitGroupOp::create(builder, op.getLoc(),
                                     static_cast<uint32_t>(*op.getPending()));
    // What a thread copied, asynchronous products see after its fence.
    if (llvm::any_of(op.getRing().getUsers(),
                     [](Operation *user) { return isa<MmaAsyncOp>(user); }))
      fenceEngines(builder, op.getLoc());
    meet(builder, op.getLoc(), context.threadsAt(op), *op.getScope());
    return success();
  }

  LogicalResult lowerGroup(ReleaseOp op, OpBuilder &builder) const {
    if (!op.getScope())
      return op.emitOpError("expected a scope; run assign-waits first");
    meet(builder, op.getLoc(), context.threadsAt(op), *op.getScope());
    return success();
  }

  //===--------------------------------------------------------------------===//
  // By barriers
  //===--------------------------------------------------------------------===//

  Value barrier(OpTy op, OpBuilder &builder, bool isEmpty) const {
    return barrierAddress(builder, op.getLoc(), context, op.getRing(),
                          op.getStep(), isEmpty);
  }

  LogicalResult lowerBarrier(AcquireOp op, OpBuilder &builder) const {
    // The phase before the first one counts as complete.
    Location loc = op.getLoc();
    Value parity = parityOf(builder, loc, op.getRing(), op.getStep());
    Value one = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                         builder.getI32IntegerAttr(1));
    waitForPhase(builder, loc, barrier(op, builder, true),
                 LLVM::XOrOp::create(builder, loc, parity, one));
    return success();
  }

  LogicalResult lowerBarrier(CommitOp op, OpBuilder &builder) const {
    // Bytes may have landed before they are announced: the phase cannot end
    // before this arrival.
    Value bytes = LLVM::ConstantOp::create(
        builder, op.getLoc(), builder.getI32Type(),
        builder.getI32IntegerAttr(context.commitBytes.lookup(op)));
    NVVM::MBarrierArriveExpectTxOp::create(
        builder, op.getLoc(), Type(), barrier(op, builder, false), bytes,
        NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
    return success();
  }

  LogicalResult lowerBarrier(WaitOp op, OpBuilder &builder) const {
    waitForPhase(builder, op.getLoc(), barrier(op, builder, false),
                 parityOf(builder, op.getLoc(), op.getRing(), op.getStep()));
    return success();
  }

  LogicalResult lowerBarrier(ReleaseOp op, OpBuilder &builder) const {
    // One arrival per warp, after the reads of all its lanes.
    Location loc = op.getLoc();
    const Threads &threads = context.threadsAt(op);
    AddressBuilder address(builder, loc, threads);
    // A load may still be on its way when the barrier is told: without the
    // fence the copy that comes next was seen to overtake it.
    if (llvm::any_of(op.getRing().getUsers(),
                     [](Operation *user) { return isa<ReadOp>(user); }))
      fenceEngines(builder, loc);
    NVVM::SyncWarpOp::create(builder, loc, address.i32(-1));
    int64_t blocks = context.barriers.lookup(op.getRing()).multicast;
    Value arrives = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult,
                                         threads.lane, address.i32(blocks));
    Value to = barrier(op, builder, true);
    // Lane i tells block i of those that fill the stage. The others ask for the
    // address of a block that exists, too: LLVM would compute it for all lanes.
    if (blocks > 1) {
      Value rank = LLVM::AndOp::create(builder, loc, threads.lane,
                                       address.i32(blocks - 1));
      to = NVVM::MapaOp::create(
          builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), 7), to,
          rank);
    }
    auto branch = scf::IfOp::create(builder, loc, arrives);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    NVVM::MBarrierArriveOp::create(builder, loc, Type(), to, Value());
    return success();
  }
};

} // namespace

namespace wna16 {
void meetAll(OpBuilder &builder, Location loc, const Threads &threads) {
  if (threads.isBlock()) {
    NVVM::BarrierOp::create(builder, loc);
    return;
  }
  AddressBuilder address(builder, loc, threads);
  meetAt(builder, loc, address.i32(threads.barrier), threads.warps);
}

void freeScratch(OpBuilder &builder, Operation *op, bool aliases,
                 const Threads &threads) {
  // Other warps may still read the ring, or copies be under way to it.
  if (aliases)
    NVVM::CpAsyncWaitGroupOp::create(builder, op->getLoc(), uint32_t(0));
  // Or what this op put there in the round before.
  if (aliases || op->getParentOfType<scf::ForOp>())
    meetAll(builder, op->getLoc(), threads);
}

Value meetAny(OpBuilder &builder, Location loc, const Threads &threads,
              Value predicate) {
  return ptx::barrierAny(builder, loc, threads.isBlock() ? 0 : threads.barrier,
                         threads.warps * 32, predicate);
}

Value barrierAddress(OpBuilder &builder, Location loc,
                     const KernelContext &context, Value ring, Value step,
                     bool isEmpty) {
  int64_t stages = cast<RingType>(ring.getType()).getStages();
  Value count = arith::ConstantIndexOp::create(builder, loc, stages);
  Value slot = arith::RemUIOp::create(builder, loc, step, count);
  AddressBuilder address(builder, loc, context.block);
  Value bytes = address.mul(address.toI32(slot), address.i32(8));
  return address.offset(address.offset(context.shared, bytes),
                        context.barriers.lookup(ring).offset +
                            (isEmpty ? stages * 8 : 0));
}
} // namespace wna16

void ::wna16::populateBarrierPatterns(RewritePatternSet &patterns,
                                      const TypeConverter &converter,
                                      const KernelContext &context) {
  patterns.add<RingPattern<AcquireOp>, RingPattern<CommitOp>,
               RingPattern<WaitOp>, RingPattern<ReleaseOp>>(converter, context);
}
