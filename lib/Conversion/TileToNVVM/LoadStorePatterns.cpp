//===- LoadStorePatterns.cpp - tiles from and to global memory ------------===//

#include "lib/Analysis/Dependency.h"
#include "lib/Conversion/TileToNVVM/GlobalAccess.h"
#include "lib/Conversion/TileToNVVM/InlinePtx.h"
#include "lib/Conversion/TileToNVVM/PartialWords.h"
#include "lib/Layout/TileLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::LinearLayout;

namespace {

ptx::AccessWidth widthOf(unsigned bytes) {
  return static_cast<ptx::AccessWidth>(bytes);
}

/// Elements that one access may cover. Where rows of `type` end inside of the
/// tile, so that each access lies before the end or behind it.
unsigned runLimit(GlobalType type, unsigned bits, bool pastColumns) {
  unsigned limit = 128 / bits;
  int64_t columns = type.getShape()[1];
  return pastColumns ? std::min<int64_t>(limit, columns & -columns) : limit;
}

/// Loads the registers of `type` from the tile of `matrix` at (row, column).
FailureOr<SmallVector<Value>> loadTile(Operation *op,
                                       ConversionPatternRewriter &rewriter,
                                       const KernelContext &context,
                                       Value source, ValType type, Value row,
                                       Value column) {
  GlobalMatrix matrix = context.globals.lookup(source);
  auto sourceType = cast<GlobalType>(source.getType());
  unsigned bits = type.getElementBits();
  auto tile =
      TileAddressing::get(op, type.getLayout().getLayout(),
                          getStorageLayout(sourceType), bool(matrix.stride));
  if (failed(tile))
    return failure();
  Location loc = op->getLoc();
  AddressBuilder address(rewriter, op, context);
  // Inputs of a kernel do not change while it runs, but for those that the
  // kernel in front of it still writes.
  auto path = context.overlaps && isShared(sourceType)
                  ? ptx::LoadPath::Plain
                  : ptx::LoadPath::ReadOnly;
  if (auto code = zeroPointsOf(sourceType.getElementType(), type)) {
    unsigned width = code.getWidth();
    Value bytes = address.add(
        address.tileStart(tile->getStorage(), matrix, width, row, column),
        address.extend(threadWordBytes(address, *tile, width)));
    Value base = address.offset(matrix.pointer, bytes);
    return zeroNumbers(rewriter, loc, address, *tile, type, width, {0, 0},
                       [&](int64_t at) {
                         return ptx::loadGlobal(rewriter, loc,
                                                address.offset(base, at),
                                                widthOf(4), path)
                             .front();
                       });
  }
  bool pastColumns = context.pastColumns.contains(op);
  unsigned run = tile->contiguous(
      runLimit(sourceType, bits, pastColumns),
      pastColumns || AddressBuilder::hasBound(*tile, sourceType, matrix));
  unsigned bytes = run * bits / 8;
  if (bytes < 2)
    return op->emitOpError("expected whole words per lane; ")
           << type << " has runs of " << run << " elements of " << bits
           << " bits in this storage";
  GlobalAccess access(rewriter, op, context, *tile, source, bits, row, column);
  if (failed(access.prepare()))
    return failure();
  Type element = getRegisterType(type);
  Value left =
      pastColumns ? address.columnsLeft(*tile, sourceType, column) : Value();
  SmallVector<Value> registers, halves;
  for (unsigned first = 0; first < tile->elements(); first += run) {
    Value exists = access.rowExists(first);
    if (pastColumns)
      exists = address.both(
          exists, address.isGreater(left, tile->coordinates(first)[1]));
    SmallVector<Value> loaded = ptx::loadGlobal(
        rewriter, loc, access.pointer(first), widthOf(bytes), path, exists);
    for (Value value : loaded) {
      if (value.getType().isInteger(16)) {
        halves.push_back(value);
        continue;
      }
      registers.push_back(
          element == value.getType()
              ? value
              : LLVM::BitcastOp::create(rewriter, loc, element, value)
                    .getResult());
    }
  }
  // 16-bit loads: two of them make a register.
  for (size_t index = 0; index < halves.size(); index += 2) {
    Value low = LLVM::ZExtOp::create(rewriter, loc, rewriter.getI32Type(),
                                     halves[index]);
    Value high = LLVM::ZExtOp::create(rewriter, loc, rewriter.getI32Type(),
                                      halves[index + 1]);
    high = LLVM::ShlOp::create(rewriter, loc, high, address.i32(16));
    registers.push_back(LLVM::OrOp::create(rewriter, loc, low, high));
  }
  return registers;
}

struct LoadPattern : KernelPattern<LoadOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(LoadOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto registers = loadTile(op, rewriter, context, op.getSource(),
                              op.getType(), op.getRow(), op.getColumn());
    if (failed(registers))
      return failure();
    rewriter.replaceOpWithMultiple(op, {*registers});
    return success();
  }
};

struct LoadScalesPattern : KernelPattern<LoadScalesOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(LoadScalesOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value row = scaleRow(rewriter, op.getLoc(), op.getK(), op.getGroup());
    auto registers = loadTile(op, rewriter, context, op.getSource(),
                              op.getType(), row, op.getN());
    if (failed(registers))
      return failure();
    rewriter.replaceOpWithMultiple(op, {*registers});
    return success();
  }
};

struct StorePattern : KernelPattern<StoreOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<ValType>(op.getValue().getType());
    unsigned bits = type.getElementBits();
    GlobalMatrix matrix = context.globals.lookup(op.getDest());
    GlobalType destType = op.getDest().getType();
    LinearLayout layout = type.getLayout().getLayout();
    if (op.getTransposed())
      layout = transposedLayout(layout);
    auto tile = TileAddressing::get(op, layout, getStorageLayout(destType),
                                    bool(matrix.stride));
    if (failed(tile))
      return failure();
    bool pastColumns = context.pastColumns.contains(op);
    unsigned run = tile->contiguous(
        runLimit(destType, bits, pastColumns),
        pastColumns || AddressBuilder::hasBound(*tile, destType, matrix));
    unsigned bytes = run * bits / 8;
    if (bytes < 2)
      return op.emitOpError("cannot store elements of ") << bits << " bits";
    Location loc = op.getLoc();
    AddressBuilder address(rewriter, op, context);
    GlobalAccess access(rewriter, op, context, *tile, op.getDest(), bits,
                        op.getRow(), op.getColumn());
    if (failed(access.prepare()))
      return failure();
    Value enabled =
        address.both(address.isFirstHolder(layout), predicateOf(adaptor));
    Value left = pastColumns
                     ? address.columnsLeft(*tile, destType, op.getColumn())
                     : Value();
    for (unsigned first = 0; first < tile->elements(); first += run) {
      Value exists = access.rowExists(first);
      if (pastColumns)
        exists = address.both(
            exists, address.isGreater(left, tile->coordinates(first)[1]));
      ptx::storeGlobal(
          rewriter, loc, access.pointer(first), widthOf(bytes),
          pick(rewriter, address, adaptor.getValue(), first, run, bits),
          address.both(enabled, exists));
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value predicateOf(OneToNOpAdaptor adaptor) {
    ValueRange predicate = adaptor.getPredicate();
    return predicate.empty() ? Value() : predicate.front();
  }

  /// Elements first .. first + run - 1 as registers of one access.
  static SmallVector<Value> pick(OpBuilder &builder, AddressBuilder &address,
                                 ValueRange registers, unsigned first,
                                 unsigned run, unsigned bits) {
    SmallVector<Value> picked;
    Location loc = registers.front().getLoc();
    if (run * bits >= 32) {
      for (unsigned at = first * bits / 32; at < (first + run) * bits / 32;
           ++at) {
        Value value = registers[at];
        if (!value.getType().isInteger(32))
          value = LLVM::BitcastOp::create(builder, loc, builder.getI32Type(),
                                          value);
        picked.push_back(value);
      }
      return picked;
    }
    Value word = registers[first / 2];
    if (first % 2)
      word = LLVM::LShrOp::create(builder, loc, word, address.i32(16));
    picked.push_back(
        LLVM::TruncOp::create(builder, loc, builder.getI16Type(), word));
    return picked;
  }
};

} // namespace

namespace wna16 {
Value scaleRow(OpBuilder &builder, Location loc, Value k, int64_t group) {
  if (group == -1)
    return arith::ConstantIndexOp::create(builder, loc, 0);
  return arith::DivUIOp::create(
      builder, loc, k, arith::ConstantIndexOp::create(builder, loc, group));
}
} // namespace wna16

void ::wna16::populateLoadStorePatterns(RewritePatternSet &patterns,
                                        const TypeConverter &converter,
                                        const KernelContext &context) {
  patterns.add<LoadPattern, LoadScalesPattern, StorePattern>(converter,
                                                             context);
}
