//===- CombinePatterns.cpp - the sum over parts of K ----------------------===//
//
// Every part writes its share to scratch as rows of one output row (one m)
// each; after a barrier each thread adds, in the order of the parts, the
// elements that it will store.
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
using ::wna16::layout::StorageLayout;

namespace {

struct CombinePattern : KernelPattern<CombineOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(CombineOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getScratchOffset())
      return op.emitOpError("expected a place for scratch; run allocate-shared "
                            "first");
    if (op.getOverCluster())
      return failure();
    Location loc = op.getLoc();
    const Threads &threads = context.threadsAt(op);
    AddressBuilder address(rewriter, op, context);
    auto shape = op.getType().getShape();
    // Scratch of one part: row-major (m, n), rows padded.
    StorageLayout scratch =
        layout::rowMajor(shape[1], shape[0], op.getScratchPitch());
    auto write = addressing(op, op.getSource().getType(), scratch);
    auto read = addressing(op, op.getType(), scratch);
    if (failed(write) || failed(read))
      return failure();
    int64_t partBytes = op.getScratchBytes(1);
    Value base = address.offset(context.shared, *op.getScratchOffset());

    freeScratch(rewriter, op, op.getScratchAliases(), threads);
    Value mine = address.offset(
        base, address.add(address.mul(threads.part, address.i32(partBytes)),
                          address.threadBytes(*write, 32)));
    storeShare(op, rewriter, address, *write, mine, adaptor.getSource());
    meetAll(rewriter, loc, threads);
    Value from = address.offset(base, address.threadBytes(*read, 32));
    auto sum = [&](OpBuilder &builder) {
      return sumShares(builder, loc, address, *read, from, partBytes,
                       threads.parts);
    };
    Value exists = rowExists(op, address, *read, 0);
    rewriter.replaceOpWithMultiple(
        op, {exists ? sumIf(rewriter, loc, exists, read->elements(), sum)
                    : sum(rewriter)});
    return success();
  }

private:
  static FailureOr<TileAddressing> addressing(Operation *op, ValType type,
                                              const StorageLayout &scratch) {
    return TileAddressing::get(
        op, transposedLayout(type.getLayout().getLayout()), scratch, false);
  }

  /// Whether the row of the output that a thread begins with, `extra` further,
  /// is one that the sum is for; null when it is for all.
  static Value rowExists(CombineOp op, AddressBuilder &address,
                         const TileAddressing &tile, int64_t extra) {
    if (!op.getRows())
      return {};
    Value row = address.sumOverThread(
        tile.getLayout(), [](const Basis &basis) { return int64_t(basis[0]); });
    return address.isLess(address.add(row, address.i32(extra)),
                          address.toI32(op.getRows()));
  }

  /// Threads without a row that exists read nothing.
  template <typename Sum>
  static SmallVector<Value> sumIf(OpBuilder &builder, Location loc,
                                  Value condition, unsigned elements, Sum sum) {
    SmallVector<Type> types(elements, builder.getF32Type());
    auto branch = scf::IfOp::create(builder, loc, types, condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, sum(builder));
    builder.setInsertionPointToStart(branch.elseBlock());
    Value none = LLVM::UndefOp::create(builder, loc, builder.getF32Type());
    scf::YieldOp::create(builder, loc, SmallVector<Value>(elements, none));
    return branch.getResults();
  }

  void storeShare(CombineOp op, OpBuilder &builder, AddressBuilder &address,
                  const TileAddressing &tile, Value base,
                  ValueRange registers) const {
    Location loc = op.getLoc();
    Value first = address.isFirstHolder(tile.getLayout());
    unsigned run = tile.contiguous(4);
    Type i32 = builder.getI32Type();
    for (unsigned element = 0; element < tile.elements(); element += run) {
      SmallVector<Value> words;
      for (unsigned index = 0; index < run; ++index)
        words.push_back(LLVM::BitcastOp::create(builder, loc, i32,
                                                registers[element + index]));
      Value pointer = address.advance(base, tile.position(element), 32, {});
      ptx::storeShared(
          builder, loc, pointer, static_cast<ptx::AccessWidth>(run * 4), words,
          address.both(first, rowExists(op, address, tile,
                                        tile.coordinates(element)[0])));
    }
  }

  SmallVector<Value> sumShares(OpBuilder &builder, Location loc,
                               AddressBuilder &address,
                               const TileAddressing &tile, Value base,
                               int64_t partBytes, int64_t parts) const {
    unsigned run = tile.contiguous(4);
    SmallVector<Value> sums;
    for (unsigned element = 0; element < tile.elements(); element += run) {
      Value pointer = address.advance(base, tile.position(element), 32, {});
      llvm::append_range(
          sums, addShares(builder, loc, pointer, run, parts, partBytes));
    }
    return sums;
  }
};

} // namespace

namespace wna16 {
SmallVector<Value> addShares(OpBuilder &builder, Location loc, Value pointer,
                             unsigned run, int64_t count, int64_t distance) {
  Threads none;
  AddressBuilder address(builder, loc, none);
  Type f32 = builder.getF32Type();
  Type type = run == 1 ? f32 : Type(VectorType::get({int64_t(run)}, f32));
  Value sum;
  for (int64_t index = 0; index < count; ++index) {
    Value share = LLVM::LoadOp::create(
        builder, loc, type, address.offset(pointer, index * distance),
        /*alignment=*/run * 4);
    sum = sum ? LLVM::FAddOp::create(builder, loc, sum, share).getResult()
              : share;
  }
  if (run == 1)
    return {sum};
  SmallVector<Value> sums;
  for (unsigned index = 0; index < run; ++index)
    sums.push_back(
        LLVM::ExtractElementOp::create(builder, loc, sum, address.i32(index)));
  return sums;
}
} // namespace wna16

void ::wna16::populateCombinePatterns(RewritePatternSet &patterns,
                                      const TypeConverter &converter,
                                      const KernelContext &context) {
  patterns.add<CombinePattern>(converter, context);
}
