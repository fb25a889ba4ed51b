//===- ClusterPatterns.cpp - the sum over the blocks of a cluster ---------===//
//
// Every block owns some rows of the output, receives one share of them from
// each block, its own included, and adds them in the order of the blocks. One
// mbarrier counts the bytes. It is initialised before the loop over K, where
// blocks also announce that they run (relaxed: nothing waits for loads under
// way); they wait for that announcement just before they send. A block leaves
// when all its shares have come, so nobody writes to a block that has ended.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TileToNVVM/Addressing.h"
#include "lib/Conversion/TileToNVVM/InlinePtx.h"
#include "lib/Layout/Instances.h"
#include "lib/Layout/TileLayouts.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::Basis;
using ::wna16::layout::InDim;
using ::wna16::layout::LinearLayout;
using ::wna16::layout::StorageLayout;

namespace {

/// `layout` (rows, columns) without its block bits, rows counted from the first
/// one of their owner, which owns `rows` of them.
LinearLayout withinOwner(const LinearLayout &layout, uint32_t rows) {
  std::vector<InDim> ins;
  for (InDim in : layout.ins()) {
    if (in.name == "block")
      continue;
    for (Basis &basis : in.bases)
      basis[0] &= rows - 1;
    ins.push_back(std::move(in));
  }
  std::vector<layout::OutDim> outs = layout.outs();
  outs[0].bits = llvm::Log2_32(rows);
  return LinearLayout(std::move(ins), std::move(outs));
}

struct ClusterSumPattern : KernelPattern<CombineOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(CombineOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getOverCluster())
      return failure();
    Location loc = op.getLoc();
    auto shape = op.getType().getShape();
    uint32_t rows = shape[1] / context.blocks;
    StorageLayout slice =
        layout::rowMajor(rows, shape[0], op.getScratchPitch());
    LinearLayout from =
        transposedLayout(op.getSource().getType().getLayout().getLayout());
    LinearLayout to = transposedLayout(op.getType().getLayout().getLayout());
    auto write = TileAddressing::get(op, withinOwner(from, rows), slice, false);
    auto read = TileAddressing::get(op, withinOwner(to, rows), slice, false);
    if (failed(write) || failed(read))
      return failure();
    AddressBuilder address(rewriter, op, context);
    Value base = address.offset(context.shared, *op.getScratchOffset());
    Value barrier = address.offset(context.shared, *op.getBarrierOffset());

    // Lanes may come from a branch; the barrier is for whole warps.
    NVVM::SyncWarpOp::create(rewriter, loc, address.i32(-1));
    NVVM::ClusterWaitOp::create(rewriter, loc, rewriter.getUnitAttr());
    int64_t shareBytes = op.getScratchBytes(1) / context.blocks;
    Value mine = address.offset(
        base, address.add(address.mul(context.threadsAt(op).block,
                                      address.i32(shareBytes)),
                          address.threadBytes(*write, 32)));
    send(op, rewriter, address, from, *write, mine, barrier,
         adaptor.getSource());
    waitForShares(rewriter, loc, address, barrier);
    Value first = address.offset(base, address.threadBytes(*read, 32));
    rewriter.replaceOpWithMultiple(
        op, {sum(rewriter, loc, address, *read, first, shareBytes)});
    return success();
  }

private:
  /// The row that the register number alone gives.
  static int64_t rowOf(const LinearLayout &layout, unsigned element) {
    int64_t row = 0;
    const std::vector<Basis> &bases = layout.bases("register");
    for (size_t bit = 0; bit < bases.size(); ++bit)
      if (element >> bit & 1)
        row ^= bases[bit][0];
    return row;
  }

  /// Every run of elements goes to the block that owns its row.
  void send(CombineOp op, OpBuilder &builder, AddressBuilder &address,
            const LinearLayout &layout, const TileAddressing &tile, Value base,
            Value barrier, ValueRange registers) const {
    Location loc = op.getLoc();
    int64_t rows = layout.outs()[0].size() / context.blocks;
    Value threadRow = address.sumOverThread(
        layout, [](const Basis &basis) { return int64_t(basis[0]); });
    Value first = address.isFirstHolder(layout);
    Value threadOwner = address.sumOverThread(
        layout, [&](const Basis &basis) { return basis[0] / rows; });
    Type remote = LLVM::LLVMPointerType::get(builder.getContext(), 7);
    auto ownedBy = [&](Value pointer, Value owner) -> Value {
      return NVVM::MapaOp::create(builder, loc, remote, pointer, owner);
    };
    auto exists = [&](Value threadRow, int64_t row) -> Value {
      if (!op.getRows())
        return {};
      Value left = LLVM::SubOp::create(builder, loc,
                                       address.toI32(op.getRows()), threadRow);
      return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::sgt, left,
                                  address.i32(row));
    };
    unsigned run = tile.contiguous(4);
    for (unsigned element = 0; element < tile.elements(); element += run) {
      SmallVector<Value> words;
      for (unsigned index = 0; index < run; ++index)
        words.push_back(LLVM::BitcastOp::create(
            builder, loc, builder.getI32Type(), registers[element + index]));
      int64_t row = rowOf(layout, element), extra = row / rows;
      Value owner =
          extra ? address.add(threadOwner, address.i32(extra)) : threadOwner;
      Value pointer = address.advance(base, tile.position(element), 32, {});
      Value to = ownedBy(pointer, owner), counter = ownedBy(barrier, owner);
      ptx::storeAsyncCluster(builder, loc, to, counter,
                             static_cast<ptx::AccessWidth>(run * 4), words,
                             address.both(first, exists(threadRow, row)));
    }
  }

  void waitForShares(OpBuilder &builder, Location loc, AddressBuilder &address,
                     Value barrier) const {
    // Used once: the first phase.
    Value zero = address.i32(0);
    scf::WhileOp::create(
        builder, loc, TypeRange(), ValueRange(),
        [&](OpBuilder &inside, Location, ValueRange) {
          Value done = NVVM::MBarrierTryWaitOp::create(
              inside, loc, inside.getI1Type(), barrier, zero,
              /*ticks=*/Value(), NVVM::MemScopeKind::CTA, /*relaxed=*/false);
          Value no = LLVM::ConstantOp::create(inside, loc, inside.getI1Type(),
                                              inside.getBoolAttr(true));
          scf::ConditionOp::create(inside, loc,
                                   LLVM::XOrOp::create(inside, loc, done, no),
                                   ValueRange());
        },
        [&](OpBuilder &inside, Location, ValueRange) {
          scf::YieldOp::create(inside, loc);
        });
  }

  SmallVector<Value> sum(OpBuilder &builder, Location loc,
                         AddressBuilder &address, const TileAddressing &tile,
                         Value base, int64_t shareBytes) const {
    SmallVector<Value> sums;
    unsigned run = tile.contiguous(4);
    for (unsigned element = 0; element < tile.elements(); element += run) {
      Value pointer = address.advance(base, tile.position(element), 32, {});
      llvm::append_range(sums, addShares(builder, loc, pointer, run,
                                         context.blocks, shareBytes));
    }
    return sums;
  }
};

/// Bytes that this block receives: of every block a share of the rows that this
/// one owns.
Value bytesToReceive(OpBuilder &builder, CombineOp combine,
                     AddressBuilder &address, const KernelContext &context) {
  Location loc = combine.getLoc();
  auto shape = combine.getType().getShape();
  int64_t rows = shape[1] / context.blocks;
  int64_t rowBytes = shape[0] * 4 * context.blocks;
  if (!combine.getRows())
    return address.i32(rows * rowBytes);
  Value before = address.mul(context.block.block, address.i32(rows));
  Value left = LLVM::SubOp::create(builder, loc,
                                   address.toI32(combine.getRows()), before);
  left = LLVM::SMaxOp::create(builder, loc, left, address.i32(0));
  left = LLVM::SMinOp::create(builder, loc, left, address.i32(rows));
  return address.mul(left, address.i32(rowBytes));
}

/// Where the work begins to wait for data: its first op with a region.
Operation *firstLoop(ForEachWorkOp work) {
  for (Operation &op : work.getBody().front())
    if (op.getNumRegions() != 0 || isa<CombineOp>(op))
      return &op;
  return work.getBody().front().getTerminator();
}

} // namespace

namespace wna16 {
LogicalResult prepareClusterSums(OpBuilder &builder, ForEachWorkOp work,
                                 const KernelContext &context) {
  SmallVector<CombineOp> sums;
  work.walk([&](CombineOp combine) {
    if (combine.getOverCluster())
      sums.push_back(combine);
  });
  if (sums.empty())
    return success();
  Operation *loop = firstLoop(work);
  for (CombineOp combine : sums) {
    Operation *rows =
        combine.getRows() ? combine.getRows().getDefiningOp() : nullptr;
    bool sameBlock = rows && rows->getBlock() == loop->getBlock();
    if (rows && (sameBlock ? !rows->isBeforeInBlock(loop)
                           : work->isProperAncestor(rows)))
      return combine.emitOpError("expected its rows to be known before the "
                                 "first loop of the work");
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop);
  Location loc = work.getLoc();
  AddressBuilder address(builder, loc, context.block);
  Value thread = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
  Value isFirst = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                       thread, address.i32(0));
  auto branch = scf::IfOp::create(builder, loc, isFirst, /*withElse=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> barriers;
  for (CombineOp combine : sums) {
    if (!combine.getScratchOffset() || !combine.getBarrierOffset())
      return combine.emitOpError("expected a place for the shares of other "
                                 "blocks; run allocate-shared first");
    barriers.push_back(
        address.offset(context.shared, *combine.getBarrierOffset()));
    NVVM::MBarrierInitOp::create(builder, loc, barriers.back(), address.i32(1),
                                 Value());
  }
  NVVM::FenceMbarrierInitOp::create(builder, loc);
  for (auto [combine, barrier] : llvm::zip(sums, barriers))
    NVVM::MBarrierArriveExpectTxOp::create(
        builder, loc, Type(), barrier,
        bytesToReceive(builder, combine, address, context),
        NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
  builder.setInsertionPointAfter(branch);
  NVVM::SyncWarpOp::create(builder, loc, address.i32(-1));
  NVVM::ClusterArriveRelaxedOp::create(builder, loc, builder.getUnitAttr());
  return success();
}

void populateClusterPatterns(RewritePatternSet &patterns,
                             const TypeConverter &converter,
                             const KernelContext &context) {
  patterns.add<ClusterSumPattern>(converter, context);
}
} // namespace wna16
