//===- SliceMma.cpp - one instruction's rows of K at a time ---------------===//

#include "lib/Layout/TileLayouts.h"
#include "lib/Transforms/TilePasses.h"

namespace wna16 {
#define GEN_PASS_DEF_SLICEMMA
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

constexpr int64_t instructionK = 16;
/// Two instructions' activations come with one load.
constexpr int64_t activationK = 32;

/// The type of a part of `type`; null when that part is not a matter of whole
/// registers.
ValType cutType(ValType type, ArrayRef<int64_t> shape) {
  if (!type.getLayout())
    return {};
  auto layout = sliceLayout(type.getLayout().getLayout(), {shape[0], shape[1]});
  unsigned perRegister = llvm::Log2_32(32 / type.getElementBits());
  if (!layout || layout->inBits("register") < perRegister)
    return {};
  return ValType::get(type.getContext(), shape, type.getElementType(),
                      LinearAttr::get(type.getContext(), *layout),
                      type.getPartial(), type.getPartialBlocks());
}

/// Names some of the registers of `value`.
Value cutRegisters(OpBuilder &builder, Value value, ArrayRef<int64_t> offsets,
                   ArrayRef<int64_t> shape) {
  ValType partType = cutType(cast<ValType>(value.getType()), shape);
  if (!partType)
    return {};
  return SliceOp::create(builder, value.getLoc(), partType, value, offsets);
}

Value cut(OpBuilder &builder, Value value, ArrayRef<int64_t> offsets,
          ArrayRef<int64_t> shape);

/// The same conversion of some rows of K, with the scales of their groups.
Value cutDequant(OpBuilder &builder, DequantOp dequant, ValType partType,
                 ArrayRef<int64_t> offsets, ArrayRef<int64_t> shape) {
  SmallVector<Value> codes;
  for (Value plane : dequant.getCodes()) {
    Value part = cut(builder, plane, offsets, shape);
    if (!part)
      return {};
    codes.push_back(part);
  }
  int64_t rows = dequant.getRowsPerGroup();
  int64_t groups = llvm::divideCeil(shape[0], rows);
  SmallVector<Value> perGroup;
  for (Value value : {dequant.getZeros(), dequant.getScales()}) {
    perGroup.push_back(value);
    if (value && cast<ValType>(value.getType()).getShape()[0] > groups) {
      perGroup.back() = cutRegisters(builder, value, {offsets[0] / rows, 0},
                                     {groups, shape[1]});
      if (!perGroup.back())
        return {};
    }
  }
  return DequantOp::create(builder, dequant.getLoc(), partType, codes,
                           perGroup[0], perGroup[1]);
}

/// Cuts `value` at `offsets` into a tile of `shape`: the reads and conversions
/// that make it are made for the part alone. Null when that cannot be done.
Value cut(OpBuilder &builder, Value value, ArrayRef<int64_t> offsets,
          ArrayRef<int64_t> shape) {
  ValType partType = cutType(cast<ValType>(value.getType()), shape);
  if (!partType)
    return {};
  if (auto read = value.getDefiningOp<ReadOp>()) {
    SmallVector<int64_t> at = {read.getOffsets()[0] + offsets[0],
                               read.getOffsets()[1] + offsets[1]};
    return ReadOp::create(builder, read.getLoc(), partType, read.getRing(),
                          read.getStep(), read.getField(), at);
  }
  if (auto dequant = value.getDefiningOp<DequantOp>())
    return cutDequant(builder, dequant, partType, offsets, shape);
  return cutRegisters(builder, value, offsets, shape);
}

struct SliceMmaPass : ::wna16::impl::SliceMmaBase<SliceMmaPass> {
  void runOnOperation() override {
    SmallVector<MmaOp> products;
    getOperation().walk([&](MmaOp op) {
      if (op.getA().getType().getShape()[0] > instructionK)
        products.push_back(op);
    });
    for (MmaOp product : products)
      slice(product);
  }

  static void slice(MmaOp product) {
    int64_t k = product.getA().getType().getShape()[0];
    int64_t n = product.getA().getType().getShape()[1];
    int64_t m = product.getB().getType().getShape()[0];
    OpBuilder builder(product);
    Value sum = product.getAcc();
    int64_t chunkK = std::min(activationK, k);
    for (int64_t chunk = 0; chunk < k; chunk += chunkK) {
      Value acts = cut(builder, product.getB(), {0, chunk}, {m, chunkK});
      if (!acts)
        return;
      for (int64_t at = 0; at < chunkK; at += instructionK) {
        Value weights =
            cut(builder, product.getA(), {chunk + at, 0}, {instructionK, n});
        Value part = cutRegisters(builder, acts, {0, at}, {m, instructionK});
        // Layouts are the same for every slice, so only the first can fail, and
        // what was built until then is dead.
        if (!weights || !part)
          return;
        sum = MmaOp::create(builder, product.getLoc(), weights, part, sum);
      }
    }
    SmallVector<Value> operands(product->getOperands().take_front(2));
    product.replaceAllUsesWith(sum);
    product.erase();
    for (Value operand : operands)
      eraseIfDead(operand);
  }

  static void eraseIfDead(Value value) {
    Operation *def = value.getDefiningOp();
    if (!def || !def->use_empty() || !isa<ReadOp, DequantOp>(def))
      return;
    SmallVector<Value> operands(def->getOperands());
    def->erase();
    for (Value operand : operands)
      if (isa<ValType>(operand.getType()))
        eraseIfDead(operand);
  }
};

} // namespace
