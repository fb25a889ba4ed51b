//===- TicketPatterns.cpp - the sum over blocks that take tickets ---------===//
//
// Every block writes its share to global memory, its threads meet, and one of
// them takes a ticket. Its atomic releases what the block has written, and with
// the last ticket acquires what all others have; the meeting after it passes
// both on to the block. The last block adds all shares, its own included, in
// the order of the blocks, so that the sum does not depend on who comes last.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TileToNVVM/Addressing.h"
#include "lib/Conversion/TileToNVVM/InlinePtx.h"
#include "lib/Layout/TileLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::Basis;

namespace {

constexpr unsigned shareBits = 32;
/// Elements of one access, 16 bytes.
constexpr unsigned longestRun = 4;

struct TicketPattern : KernelPattern<CombineByTicketOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(CombineByTicketOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const Threads &threads = context.threadsAt(op);
    GlobalType type = op.getShares().getType();
    auto tile = TileAddressing::get(
        op, transposedLayout(op.getSource().getType().getLayout().getLayout()),
        getStorageLayout(type), /*dynamicStride=*/false);
    if (failed(tile))
      return failure();
    AddressBuilder address(rewriter, op, context);
    Value first =
        address.globalAddress(*tile, context.globals.lookup(op.getShares()),
                              shareBits, op.getRow(), op.getColumn());
    // From the share of a block to that of the next one.
    int64_t distance = type.getShape()[1] / context.blocks * shareBits / 8;
    Value mine = address.offset(
        first, address.mul(threads.block, address.i32(distance)));
    storeShare(op, rewriter, address, *tile, mine, adaptor.getSource());
    meetAll(rewriter, loc, threads);
    Value last = meetAny(rewriter, loc, threads, takeLast(op, rewriter));
    auto branch = scf::IfOp::create(
        rewriter, loc,
        SmallVector<Type>(tile->elements(), rewriter.getF32Type()), last,
        /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(
          rewriter, loc,
          addShares(op, rewriter, address, *tile, first, distance));
      rewriter.setInsertionPointToStart(branch.elseBlock());
      Value none = LLVM::UndefOp::create(rewriter, loc, rewriter.getF32Type());
      scf::YieldOp::create(rewriter, loc,
                           SmallVector<Value>(tile->elements(), none));
    }
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>(branch.getResults()),
                                        SmallVector<Value>{last}});
    return success();
  }

private:
  static unsigned runOf(const TileAddressing &tile) {
    return tile.contiguous(longestRun, /*withinRow=*/true);
  }

  /// Whether the row of element `index` of a thread exists.
  static Value exists(CombineByTicketOp op, AddressBuilder &address,
                      const TileAddressing &tile, unsigned index) {
    Value row = address.sumOverThread(
        tile.getLayout(), [](const Basis &basis) { return int64_t(basis[0]); });
    return address.isLess(
        address.add(row, address.i32(tile.coordinates(index)[0])),
        address.toI32(op.getRows()));
  }

  static void storeShare(CombineByTicketOp op, OpBuilder &builder,
                         AddressBuilder &address, const TileAddressing &tile,
                         Value base, ValueRange registers) {
    Location loc = op.getLoc();
    Value firstHolder = address.isFirstHolder(tile.getLayout());
    unsigned run = runOf(tile);
    for (unsigned element = 0; element < tile.elements(); element += run) {
      SmallVector<Value> words;
      for (unsigned index = 0; index < run; ++index)
        words.push_back(LLVM::BitcastOp::create(
            builder, loc, builder.getI32Type(), registers[element + index]));
      ptx::storeGlobal(
          builder, loc,
          address.advance(base, tile.position(element), shareBits, {}),
          static_cast<ptx::AccessWidth>(run * 4), words,
          address.both(firstHolder, exists(op, address, tile, element)));
    }
  }

  /// Whether this thread, one of the block, got the last ticket of the tile.
  Value takeLast(CombineByTicketOp op, OpBuilder &builder) const {
    Location loc = op.getLoc();
    const Threads &threads = context.threadsAt(op);
    AddressBuilder address(builder, op, context);
    auto tileOf = [&](Value coordinate, int64_t extent) -> Value {
      return LLVM::UDivOp::create(builder, loc, address.toI32(coordinate),
                                  address.i32(extent));
    };
    Value number = address.add(address.mul(tileOf(op.getRow(), context.tile[0]),
                                           address.i32(context.tileColumns)),
                               tileOf(op.getColumn(), context.tile[1]));
    Value counter =
        address.offset(context.globals.lookup(op.getTickets()).pointer,
                       address.mul(address.extend(number), address.i64(4)));
    auto isZero = [&](Value value) -> Value {
      return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, value,
                                  address.i32(0));
    };
    Value takes = address.both(isZero(threads.warp), isZero(threads.lane));
    Value ticket =
        ptx::takeTicketGlobal(builder, loc, counter, context.blocks, takes);
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, ticket,
                                address.i32(context.blocks - 1));
  }

  SmallVector<Value> addShares(CombineByTicketOp op, OpBuilder &builder,
                               AddressBuilder &address,
                               const TileAddressing &tile, Value base,
                               int64_t distance) const {
    Location loc = op.getLoc();
    unsigned run = runOf(tile);
    SmallVector<Value> sums;
    for (unsigned element = 0; element < tile.elements(); element += run) {
      Value pointer =
          address.advance(base, tile.position(element), shareBits, {});
      Value there = exists(op, address, tile, element);
      SmallVector<SmallVector<Value>> shares;
      for (int64_t block = 0; block < context.blocks; ++block)
        shares.push_back(ptx::loadGlobal(
            builder, loc, address.offset(pointer, block * distance),
            static_cast<ptx::AccessWidth>(run * 4), ptx::LoadPath::Plain,
            there));
      for (unsigned index = 0; index < run; ++index) {
        Value sum;
        for (const SmallVector<Value> &share : shares) {
          Value value = LLVM::BitcastOp::create(
              builder, loc, builder.getF32Type(), share[index]);
          sum = sum ? LLVM::FAddOp::create(builder, loc, sum, value).getResult()
                    : value;
        }
        sums.push_back(sum);
      }
    }
    return sums;
  }
};

} // namespace

void ::wna16::populateTicketPatterns(RewritePatternSet &patterns,
                                     const TypeConverter &converter,
                                     const KernelContext &context) {
  patterns.add<TicketPattern>(converter, context);
}
