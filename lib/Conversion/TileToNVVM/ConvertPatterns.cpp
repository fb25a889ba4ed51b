//===- ConvertPatterns.cpp - another layout through shared memory ---------===//
//
// Scratch holds the tile as rows of one output row (one column of the tile)
// each. Fragments of an accumulator have pairs of output rows in a register;
// transposed within the warp they have pairs of columns, which are neighbours
// in scratch.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TileToNVVM/Addressing.h"
#include "lib/Conversion/TileToNVVM/InlinePtx.h"
#include "lib/Layout/Instances.h"
#include "lib/Layout/TileLayouts.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::Basis;
using ::wna16::layout::LinearLayout;
using ::wna16::layout::StorageLayout;

namespace {

/// `layout` after every 8x8 block of 16-bit elements (pairs in a register, the
/// other pairs on lanes 0 and 1) has been transposed within the warp.
LinearLayout afterTranspose(const LinearLayout &layout) {
  std::vector<Basis> registers = layout.bases("register");
  std::vector<Basis> lanes = layout.bases("lane");
  std::vector<Basis> blocks = {registers[0], lanes[0], lanes[1]};
  registers[0] = lanes[2];
  lanes = {lanes[3], lanes[4], blocks[0], blocks[1], blocks[2]};
  return LinearLayout({{"register", registers},
                       {"lane", lanes},
                       {"warp", layout.bases("warp")}},
                      layout.outs());
}

struct ConvertPattern : KernelPattern<ConvertOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ConvertOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getScratchOffset())
      return op.emitOpError("expected a place for scratch; run allocate-shared "
                            "first");
    Location loc = op.getLoc();
    AddressBuilder address(rewriter, op, context);
    ValType type = op.getType();
    unsigned bits = type.getElementBits();
    StorageLayout scratch = layout::rowMajor(
        type.getShape()[1], type.getShape()[0], op.getScratchPitch());
    LinearLayout held = op.getSource().getType().getLayout().getLayout();
    SmallVector<Value> registers(adaptor.getSource());
    if (bits == 16 && gainsFromTranspose(held)) {
      held = afterTranspose(held);
      for (Value &value : registers)
        value = ptx::transposeMatrix(rewriter, loc, value);
    }
    auto write =
        TileAddressing::get(op, transposedLayout(held), scratch, false);
    auto read = TileAddressing::get(
        op, transposedLayout(type.getLayout().getLayout()), scratch, false);
    if (failed(write) || failed(read))
      return failure();
    Value base = address.offset(context.shared, *op.getScratchOffset());
    freeScratch(rewriter, op, op.getScratchAliases(), context.threadsAt(op));
    if (failed(writeAll(op, rewriter, address, *write, base, registers, bits)))
      return failure();
    meetAll(rewriter, loc, context.threadsAt(op));
    FailureOr<SmallVector<Value>> results =
        readAll(op, rewriter, address, *read, base, bits);
    if (failed(results))
      return failure();
    rewriter.replaceOpWithMultiple(op, {*results});
    return success();
  }

private:
  /// Registers with pairs of output rows, whose lanes hold neighbours in n.
  static bool gainsFromTranspose(const LinearLayout &layout) {
    const std::vector<Basis> &lanes = layout.bases("lane");
    return layout.bases("register")[0] == Basis{0, 1} &&
           lanes[0] == Basis{0, 2} && lanes[1] == Basis{0, 4} &&
           lanes[2] == Basis{1, 0};
  }

  static LogicalResult writeAll(ConvertOp op, OpBuilder &builder,
                                AddressBuilder &address,
                                const TileAddressing &tile, Value base,
                                ValueRange registers, unsigned bits) {
    Location loc = op.getLoc();
    unsigned run = tile.contiguous(128 / bits);
    if (run * bits < 32)
      return op.emitOpError("expected every lane to hold neighbours along the "
                            "rows of the output");
    Value mine = address.offset(base, address.threadBytes(tile, bits));
    Value first = address.isFirstHolder(tile.getLayout());
    unsigned words = run * bits / 32;
    for (unsigned element = 0; element < tile.elements(); element += run) {
      SmallVector<Value> values;
      for (unsigned index = 0; index < words; ++index)
        values.push_back(
            LLVM::BitcastOp::create(builder, loc, builder.getI32Type(),
                                    registers[element * bits / 32 + index]));
      ptx::storeShared(builder, loc,
                       address.advance(mine, tile.position(element), bits, {}),
                       static_cast<ptx::AccessWidth>(words * 4), values, first);
    }
    return success();
  }

  static FailureOr<SmallVector<Value>> readAll(ConvertOp op, OpBuilder &builder,
                                               AddressBuilder &address,
                                               const TileAddressing &tile,
                                               Value base, unsigned bits) {
    Location loc = op.getLoc();
    unsigned run = tile.contiguous(128 / bits), words = run * bits / 32;
    if (words == 0)
      return op.emitOpError("expected every lane of the result to hold "
                            "neighbours along the rows of the output");
    Value from = address.offset(base, address.threadBytes(tile, bits));
    Type element = getRegisterType(op.getType());
    Type loadType =
        words == 1 ? element : Type(VectorType::get({int64_t(words)}, element));
    SmallVector<Value> results;
    for (unsigned at = 0; at < tile.elements(); at += run) {
      Value loaded = LLVM::LoadOp::create(
          builder, loc, loadType,
          address.advance(from, tile.position(at), bits, {}),
          /*alignment=*/words * 4);
      if (words == 1) {
        results.push_back(loaded);
        continue;
      }
      for (unsigned index = 0; index < words; ++index)
        results.push_back(LLVM::ExtractElementOp::create(builder, loc, loaded,
                                                         address.i32(index)));
    }
    return results;
  }
};

} // namespace

void ::wna16::populateConvertPatterns(RewritePatternSet &patterns,
                                      const TypeConverter &converter,
                                      const KernelContext &context) {
  patterns.add<ConvertPattern>(converter, context);
}
