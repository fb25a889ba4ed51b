//===- EnginePatterns.cpp - fills by one thread ---------------------------===//
//
// Bulk copies of contiguous runs and tensor copies of boxes. Both count their
// bytes at the full barrier of the stage.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TileToNVVM/Addressing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::StorageLayout;

namespace {

/// Elements of a storage tile.
int64_t tileElements(const StorageLayout &storage) {
  return storage.tileShape()[0] * storage.tileShape()[1];
}

/// Elements of a tile of `columns` that follow each other in a row of storage
/// tiles.
int64_t runLength(const StorageLayout &storage, int64_t columns) {
  int64_t elements = tileElements(storage);
  return storage.strides()[1] == elements
             ? columns / storage.tileShape()[1] * elements
             : elements;
}

template <typename OpTy> struct EngineFillPattern : KernelPattern<OpTy> {
  using KernelPattern<OpTy>::KernelPattern;
  using KernelPattern<OpTy>::context;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getEngine() == Engine::cp_async)
      return failure();
    auto ring = op.getRing().template getDefiningOp<RingOp>();
    if (!ring || !ring.getOffset() || !context.barriers.contains(op.getRing()))
      return op.emitOpError("expected a ring with places in shared memory; run "
                            "allocate-shared first");
    auto [row, column] = coordinates(op, rewriter);
    LogicalResult result =
        op.getEngine() == Engine::bulk
            ? copyRuns(op, rewriter, row, column, *ring.getOffset())
            : copyBoxes(op, rewriter, row, column, *ring.getOffset());
    if (failed(result))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }

private:
  static std::pair<Value, Value> coordinates(FillOp op, OpBuilder &) {
    return {op.getRow(), op.getColumn()};
  }
  static std::pair<Value, Value> coordinates(FillScalesOp op,
                                             OpBuilder &builder) {
    return {scaleRow(builder, op.getLoc(), op.getK(), op.getGroup()),
            op.getN()};
  }

  /// Byte `bytes` of the field in its stage, in the shared memory of the
  /// cluster: !llvm.ptr<7>. The same spelling serves copies to several blocks,
  /// and older PTX knows no other.
  static Value destination(OpTy op, OpBuilder &builder, AddressBuilder &address,
                           Value stage, int64_t bytes) {
    Type shared = LLVM::LLVMPointerType::get(builder.getContext(), 3);
    Type cluster = LLVM::LLVMPointerType::get(builder.getContext(), 7);
    Value pointer =
        LLVM::IntToPtrOp::create(builder, op.getLoc(), shared, stage);
    return LLVM::AddrSpaceCastOp::create(builder, op.getLoc(), cluster,
                                         address.offset(pointer, bytes));
  }

  LogicalResult copyRuns(OpTy op, OpBuilder &builder, Value row, Value column,
                         int64_t ringOffset) const {
    Location loc = op.getLoc();
    GlobalMatrix matrix = context.globals.lookup(op.getSource());
    GlobalType type = op.getSource().getType();
    FieldAttr field = op.getFieldInfo();
    StorageLayout source = getStorageLayout(type),
                  dest = getStorageLayout(field);
    auto shape = field.getType().getShape();
    unsigned bits = field.getType().getElementBits();
    if (matrix.rows)
      return op.emitOpError("expected a matrix whose number of rows is known; "
                            "tensor copies take the others [FILL-C7]");
    if (context.pastColumns.contains(op))
      return op.emitOpError("expected all its columns to exist; tensor copies "
                            "fill the others with zeros [FILL-C7]");
    int64_t run = runLength(source, shape[1]);
    int64_t runBytes = run * bits / 8;
    if (source.tile() != dest.tile() || run != runLength(dest, shape[1]) ||
        runBytes % 16)
      return op.emitOpError("expected runs of a multiple of 16 bytes, in the "
                            "same order in global and shared memory, found ")
             << runBytes << " bytes [FILL-C7]";
    AddressBuilder address(builder, op, context);
    Value from = address.offset(
        matrix.pointer, address.tileStart(source, matrix, bits, row, column));
    Value stage =
        stageAddress(builder, loc, context, op.getRing(), op.getStep());
    int64_t fieldOffset =
        ringOffset + op.getRing().getType().getFieldOffset(op.getField());
    Value barrier = barrierAddress(builder, loc, context, op.getRing(),
                                   op.getStep(), /*isEmpty=*/false);
    int64_t perRow = shape[1] / source.tileShape()[1] * tileElements(source);
    for (int64_t r = 0; r < shape[0] / source.tileShape()[0]; ++r)
      for (int64_t c = 0; c < perRow / run; ++c) {
        auto bytesAt = [&](const StorageLayout &storage) {
          return (r * storage.strides()[0] + c * storage.strides()[1]) * bits /
                 8;
        };
        NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(
            builder, loc,
            destination(op, builder, address, stage,
                        fieldOffset + bytesAt(dest)),
            address.offset(from, bytesAt(source)), barrier,
            address.i32(runBytes), /*multicastMask=*/Value(),
            /*l2CacheHint=*/Value());
      }
    return success();
  }

  LogicalResult copyBoxes(OpTy op, OpBuilder &builder, Value row, Value column,
                          int64_t ringOffset) const {
    Location loc = op.getLoc();
    TensorCopy copy = context.tensors.lookup(op);
    AddressBuilder address(builder, op, context);
    auto inUnits = [&](Value coordinate, int64_t unit) -> Value {
      Value count = address.toI32(coordinate);
      return unit == 1
                 ? count
                 : LLVM::UDivOp::create(builder, loc, count, address.i32(unit))
                       .getResult();
    };
    GlobalMatrix matrix = context.globals.lookup(op.getSource());
    Value outer = inUnits(row, copy.rowUnit);
    if (matrix.firstRow)
      outer = address.add(outer, matrix.firstRow);
    Value inner = inUnits(column, copy.columnUnit);
    if (copy.columnWords > 1)
      inner = address.mul(inner, address.i32(copy.columnWords));
    Value stage =
        stageAddress(builder, loc, context, op.getRing(), op.getStep());
    int64_t fieldOffset =
        ringOffset + op.getRing().getType().getFieldOffset(op.getField());
    Value barrier = barrierAddress(builder, loc, context, op.getRing(),
                                   op.getStep(), /*isEmpty=*/false);
    // A multicast lands at the same place in all blocks.
    Value mask;
    Value share = address.i32(0);
    if (copy.shareRows) {
      Value block = context.multicastBlock;
      outer =
          address.add(outer, address.mul(block, address.i32(copy.shareRows)));
      share = address.mul(block, address.i32(copy.shareBytes));
      mask = LLVM::ConstantOp::create(
          builder, loc, builder.getI16Type(),
          builder.getI16IntegerAttr((1 << context.multicast) - 1));
    }
    stage = address.add(stage, share);
    for (int64_t box = 0; box < copy.boxes; ++box) {
      SmallVector<Value> at = {
          address.add(inner, address.i32(box * copy.boxColumns)), outer};
      if (copy.isStack)
        at.push_back(matrix.expert);
      NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
          builder, loc,
          destination(op, builder, address, stage,
                      fieldOffset + box * copy.boxBytes),
          copy.map, at, barrier, /*im2colOffsets=*/ValueRange(), mask,
          /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE,
          /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(),
          /*predicate=*/Value());
    }
    return success();
  }
};

} // namespace

void ::wna16::populateEnginePatterns(RewritePatternSet &patterns,
                                     const TypeConverter &converter,
                                     const KernelContext &context) {
  patterns.add<EngineFillPattern<FillOp>, EngineFillPattern<FillScalesOp>>(
      converter, context);
}
