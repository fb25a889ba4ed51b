//===- BarrierPatterns.cpp - the ring protocol by cp.async groups ---------===//
//
// One commit group per step. assign-waits has recorded how many younger groups
// may be pending at a wait, and which threads must meet; acquire needs nothing,
// because release (or the wait before it) has ordered the readers.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TileToNVVM/Addressing.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

/// Makes all threads of `scope` meet; shared memory is ordered between them.
void meet(OpBuilder &builder, Location loc, const Threads &threads,
          Scope scope) {
  AddressBuilder address(builder, loc, threads);
  switch (scope) {
  case Scope::lane:
    return;
  case Scope::warp:
    NVVM::SyncWarpOp::create(builder, loc, address.i32(-1));
    return;
  case Scope::part: {
    // Barrier 0 is the block's.
    Value id = address.add(threads.part, address.i32(1));
    Value count = address.i32(threads.warps / threads.parts * 32);
    NVVM::BarrierOp::create(builder, loc, Type(), id, count,
                            NVVM::BarrierReductionAttr(), Value());
    return;
  }
  case Scope::block:
    NVVM::BarrierOp::create(builder, loc);
    return;
  }
}

template <typename OpTy> struct RingPattern : KernelPattern<OpTy> {
  using KernelPattern<OpTy>::KernelPattern;
  using KernelPattern<OpTy>::context;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(lower(op, rewriter)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }

private:
  LogicalResult lower(AcquireOp, OpBuilder &) const { return success(); }

  LogicalResult lower(CommitOp op, OpBuilder &builder) const {
    NVVM::CpAsyncCommitGroupOp::create(builder, op.getLoc());
    return success();
  }

  LogicalResult lower(WaitOp op, OpBuilder &builder) const {
    if (!op.getPending() || !op.getScope())
      return op.emitOpError(
          "expected pending and scope; run assign-waits first");
    NVVM::CpAsyncWaitGroupOp::create(builder, op.getLoc(),
                                     static_cast<uint32_t>(*op.getPending()));
    meet(builder, op.getLoc(), context.threadsAt(op), *op.getScope());
    return success();
  }

  LogicalResult lower(ReleaseOp op, OpBuilder &builder) const {
    if (!op.getScope())
      return op.emitOpError("expected a scope; run assign-waits first");
    meet(builder, op.getLoc(), context.threadsAt(op), *op.getScope());
    return success();
  }
};

} // namespace

void ::wna16::populateBarrierPatterns(RewritePatternSet &patterns,
                                      const TypeConverter &converter,
                                      const KernelContext &context) {
  patterns.add<RingPattern<AcquireOp>, RingPattern<CommitOp>,
               RingPattern<WaitOp>, RingPattern<ReleaseOp>>(converter, context);
}
