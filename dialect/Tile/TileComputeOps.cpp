//===- TileComputeOps.cpp - verifiers of loads, arithmetic, stores --------===//

#include "dialect/Tile/Tile.h"
#include "lib/Layout/Padding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult mlir::tile::verifyStaticCoordinate(Operation *op,
                                                 Value coordinate,
                                                 StringRef what) {
  auto refuse = [&](Location origin) -> LogicalResult {
    InFlightDiagnostic diag =
        op->emitOpError("expected ")
        << what
        << " to be computed from loop counters, work coordinates and constants "
           "only; run-time activation ordering is not supported: re-quantize "
           "with static ordering or desc_act=false [ORD4]";
    diag.attachNote(origin) << "it depends on this value";
    return diag;
  };
  llvm::SetVector<Value> slice;
  slice.insert(coordinate);
  for (size_t next = 0; next < slice.size(); ++next) {
    Value value = slice[next];
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      // Work coordinates and sizes given at launch.
      if (isa<KernelOp, ForEachWorkOp, ForEachTileOp>(
              argument.getOwner()->getParentOp()))
        continue;
      if (!loop)
        return refuse(argument.getLoc());
      if (argument == loop.getInductionVar()) {
        slice.insert(loop.getLowerBound());
        slice.insert(loop.getStep());
      } else {
        slice.insert(loop.getTiedLoopInit(argument)->get());
        slice.insert(loop.getTiedLoopYieldedValue(argument)->get());
      }
      continue;
    }
    Operation *def = value.getDefiningOp();
    if (isa<arith::ArithDialect>(def->getDialect())) {
      slice.insert(def->operand_begin(), def->operand_end());
      continue;
    }
    return refuse(def->getLoc());
  }
  return success();
}

LogicalResult mlir::tile::verifyBound(Operation *op, Value global) {
  auto type = cast<GlobalType>(global.getType());
  if (type.getShape().size() != 2)
    return op->emitOpError(
        "expected a matrix, found a stack; tile.expert takes "
        "one of its matrices [EXPERT-C4]");
  if (ShapedType::isDynamic(type.getShape()[0]) &&
      !isa_and_nonnull<BindOp, RowsOp>(global.getDefiningOp()))
    return op->emitOpError("expected a matrix with a dynamic number of rows to "
                           "come from tile.bind [BIND-C2]");
  return success();
}

static bool isFloat16(Type type) { return type.isF16() || type.isBF16(); }

static LogicalResult verifySameElements(Operation *op, Type expected,
                                        Type found, StringRef label) {
  if (expected != found)
    return op->emitOpError("expected elements of type ")
           << expected << ", found " << found << " [" << label << "]";
  return success();
}

LogicalResult LoadOp::verify() {
  if (failed(verifyBound(*this, getSource())) ||
      failed(verifySameElements(*this, getSource().getType().getElementType(),
                                getType().getElementType(), "LOAD-C1")))
    return failure();
  if (getSource().getType().getAccess() != Access::read)
    return emitOpError(
        "expected a matrix to read, found one to write [LOAD-C2]");
  if (failed(verifyStaticCoordinate(*this, getRow(), "the row")))
    return failure();
  return verifyStaticCoordinate(*this, getColumn(), "the column");
}

LogicalResult mlir::tile::verifyScaleGroup(Operation *op, int64_t group) {
  if (group == 0)
    return op->emitOpError(
        "group = 0 asks for run-time activation ordering, which is not "
        "supported: re-quantize with static ordering or desc_act=false [ORD4]");
  if (group < -1)
    return op->emitOpError("expected a positive group or -1 for one scale per "
                           "column, found ")
           << group << " [SCALES-C1]";
  return success();
}

LogicalResult mlir::tile::verifyScaleElements(Operation *op, Type stored,
                                              Type found, StringRef label) {
  auto code = dyn_cast<mlir::wna16::CodeType>(stored);
  if (!code)
    return verifySameElements(op, stored, found, label);
  if (code.getOffset() || !isFloat16(found))
    return op->emitOpError("expected zero points, codes without offset, that "
                           "become f16 or bf16, found ")
           << stored << " and " << found << " [" << label << "]";
  return success();
}

LogicalResult LoadScalesOp::verify() {
  if (failed(verifyScaleGroup(*this, getGroup())))
    return failure();
  int64_t rows = getType().getShape()[0];
  if (rows > 1 && int64_t(getGroup()) == -1)
    return emitOpError("expected a tile of one row for one scale per column, "
                       "found ")
           << rows << " [SCALES-C2]";
  if (getSource().getType().getAccess() != Access::read)
    return emitOpError(
        "expected a matrix to read, found one to write [SCALES-C4]");
  if (failed(verifyBound(*this, getSource())) ||
      failed(verifyScaleElements(*this, getSource().getType().getElementType(),
                                 getType().getElementType(), "SCALES-C3")))
    return failure();
  if (failed(verifyStaticCoordinate(*this, getK(), "k")))
    return failure();
  return verifyStaticCoordinate(*this, getN(), "n");
}

static mlir::wna16::CodeType codeOf(Value plane) {
  return dyn_cast<mlir::wna16::CodeType>(
      cast<ValType>(plane.getType()).getElementType());
}

unsigned DequantOp::getCodeWidth() {
  unsigned width = 0;
  for (Value plane : getCodes())
    width += codeOf(plane).getWidth();
  return width;
}

int64_t DequantOp::getCodeOffset() {
  int64_t offset = 0;
  unsigned shift = 0;
  for (Value plane : getCodes()) {
    offset += codeOf(plane).getOffset().value_or(0) << shift;
    shift += codeOf(plane).getWidth();
  }
  return offset;
}

int64_t DequantOp::getRowsPerGroup() {
  Value rows = getScales() ? getScales() : getZeros();
  int64_t k = getType().getShape()[0];
  return rows ? k / cast<ValType>(rows.getType()).getShape()[0] : k;
}

/// Zeros or scales of a dequantisation: a row for each group of its rows.
static bool fitsGroups(ValType rows, ValType result) {
  return rows.getShape()[1] == result.getShape()[1] &&
         result.getShape()[0] % rows.getShape()[0] == 0;
}

LogicalResult DequantOp::verify() {
  for (Value plane : getCodes()) {
    auto code = codeOf(plane);
    if (!code || code.getOffset().has_value() == bool(getZeros()))
      return emitOpError("expected codes ")
             << (getZeros() ? "without an offset beside zeros"
                            : "with an offset")
             << ", found " << cast<ValType>(plane.getType()).getElementType()
             << " [DEQUANT-C1]";
    if (cast<ValType>(plane.getType()).getShape() != getType().getShape())
      return emitOpError(
          "expected codes and result of the same shape [DEQUANT-C3]");
  }
  if (getCodes().empty() || getCodeWidth() > 8)
    return emitOpError("expected codes of 1 to 8 bits, found ")
           << getCodeWidth() << " [DEQUANT-C1]";
  if (!isFloat16(getType().getElementType()))
    return emitOpError("expected a result of f16 or bf16, found ")
           << getType().getElementType() << " [DEQUANT-C2]";
  if (getScales()) {
    auto scales = cast<ValType>(getScales().getType());
    if (!fitsGroups(scales, getType()) || !isFloat16(scales.getElementType()))
      return emitOpError("expected Gx")
             << getType().getShape()[1]
             << " scales of f16 or bf16, where G divides "
             << getType().getShape()[0] << ", found " << scales
             << " [DEQUANT-C4]";
  }
  if (!getZeros())
    return success();
  auto zeros = cast<ValType>(getZeros().getType());
  if (!fitsGroups(zeros, getType()) ||
      zeros.getElementType() != getType().getElementType() ||
      (getScales() &&
       zeros.getShape() != cast<ValType>(getScales().getType()).getShape()))
    return emitOpError("expected as many zeros as scales, of ")
           << getType().getElementType() << ", found " << zeros
           << " [DEQUANT-C5]";
  return success();
}

LogicalResult MmaOp::verify() {
  ValType a = getA().getType(), b = getB().getType(), acc = getType();
  if (!isFloat16(a.getElementType()) ||
      a.getElementType() != b.getElementType())
    return emitOpError("expected operands of f16 or of bf16, found ")
           << a.getElementType() << " and " << b.getElementType()
           << " [MMA-C1]";
  if (!acc.getElementType().isF32())
    return emitOpError("expected an accumulator of f32, found ")
           << acc.getElementType() << " [MMA-C2]";
  int64_t k = a.getShape()[0], n = a.getShape()[1], m = b.getShape()[0];
  if (b.getShape()[1] != k || acc.getShape()[0] != n || acc.getShape()[1] != m)
    return emitOpError("expected a KxN, b MxK and acc NxM, found ")
           << k << "x" << n << ", " << m << "x" << b.getShape()[1] << " and "
           << acc.getShape()[0] << "x" << acc.getShape()[1] << " [MMA-C3]";
  if (k % 16 || n % 16 || m % 8)
    return emitOpError("expected K and N to be multiples of 16 and M of 8, "
                       "found K = ")
           << k << ", N = " << n << ", M = " << m << " [MMA-C4]";
  return success();
}

LogicalResult ScaleAccOp::verify() {
  ValType acc = getType(), scales = getScales().getType();
  if (!acc.getElementType().isF32())
    return emitOpError("expected an accumulator of f32, found ")
           << acc.getElementType() << " [SCALEACC-C1]";
  if (!isFloat16(scales.getElementType()) || scales.getShape()[0] != 1 ||
      scales.getShape()[1] != acc.getShape()[0])
    return emitOpError("expected scales 1x")
           << acc.getShape()[0] << " of f16 or bf16, found " << scales
           << " [SCALEACC-C2]";
  return success();
}

LogicalResult AddBiasOp::verify() {
  ValType sum = getType(), bias = getBias().getType();
  if (!sum.getElementType().isF32() || sum.isPartial())
    return emitOpError("expected a whole sum of f32, found ")
           << sum << " [BIAS-C1]";
  if (bias.getShape()[0] != 1 || bias.getShape()[1] != sum.getShape()[0] ||
      !(isFloat16(bias.getElementType()) || bias.getElementType().isF32()))
    return emitOpError("expected a bias 1x")
           << sum.getShape()[0] << " of f16, bf16 or f32, found " << bias
           << " [BIAS-C2]";
  return success();
}

LogicalResult SliceOp::verify() {
  ValType source = getSource().getType(), result = getType();
  if (getOffsets().size() != 2)
    return emitOpError("expected two offsets [SLICE-C1]");
  for (auto [offset, extent, whole] :
       llvm::zip(getOffsets(), result.getShape(), source.getShape()))
    if (offset < 0 || offset % extent || offset + extent > whole)
      return emitOpError("expected offsets that are multiples of the result's "
                         "extents and inside of the source, found ")
             << offset << " for " << extent << " of " << whole << " [SLICE-C2]";
  return verifySameElements(*this, source.getElementType(),
                            result.getElementType(), "SLICE-C3");
}

LogicalResult CastOp::verify() {
  ValType source = getSource().getType(), result = getType();
  if (source.isPartial())
    return emitOpError("expected a whole sum; tile.combine makes one of a "
                       "partial sum [CAST-C1]");
  if (source.getShape() != result.getShape() ||
      !source.getElementType().isF32() || !isFloat16(result.getElementType()))
    return emitOpError("expected f32 to f16 or bf16 of the same shape, found ")
           << source << " to " << result << " [CAST-C2]";
  return success();
}

/// Every block owns some rows of the output: the top bits of the second
/// dimension are the block's.
static LogicalResult verifyOwners(CombineOp op) {
  auto work = op->getParentOfType<ForEachWorkOp>();
  int64_t blocks = work ? work.getBlocks() : 1;
  if (blocks == 1)
    return op.emitOpError("expected work that blocks share (blocks above 1) "
                          "around a sum over the cluster [COMBINE-C4]");
  int64_t columns = op.getType().getShape()[1];
  if (columns < blocks)
    return op.emitOpError("expected a column for each of ")
           << blocks << " blocks, found " << columns << " [COMBINE-C4]";
  if (!op.getType().getLayout())
    return success();
  std::vector<::wna16::layout::Basis> owners;
  for (int64_t step = columns / blocks; step < columns; step *= 2)
    owners.push_back({0, static_cast<uint32_t>(step)});
  const auto &layout = op.getType().getLayout().getLayout();
  if (layout.hasIn("block") && layout.bases("block") == owners)
    return success();
  return op.emitOpError("expected a layout in which each of ")
         << blocks << " blocks owns " << columns << " / " << blocks
         << " neighbouring columns, found " << op.getType().getLayout()
         << " [COMBINE-C4]";
}

LogicalResult CombineOp::verify() {
  ValType source = getSource().getType(), result = getType();
  if (getOverCluster()) {
    if (source.getPartial() || !source.getPartialBlocks() || result.isPartial())
      return emitOpError(
          "expected a share of the blocks' as operand and a whole "
          "sum as result; the shares of the parts are summed "
          "before [COMBINE-C3]");
  } else if (!source.getPartial() || result.getPartial() ||
             source.getPartialBlocks() != result.getPartialBlocks()) {
    return emitOpError("expected a partial sum as operand and a whole one as "
                       "result [COMBINE-C1]");
  }
  if (source.getShape() != result.getShape())
    return emitOpError(
        "expected operand and result of the same shape [COMBINE-C2]");
  if (getOverCluster())
    return verifyOwners(*this);
  return success();
}

int64_t CombineOp::getScratchPitch() {
  return getType().getShape()[0] + ::wna16::layout::sharePadding;
}

int64_t CombineOp::getScratchBytes(int64_t parts) {
  return parts * getType().getShape()[1] * getScratchPitch() * 4;
}

LogicalResult ConvertOp::verify() {
  ValType source = getSource().getType(), result = getType();
  if (source.getShape() != result.getShape() ||
      source.getElementType() != result.getElementType())
    return emitOpError("expected another layout of the same tile, found ")
           << source << " to " << result << " [CONVERT-C1]";
  if (source.getPartial() || result.getPartial())
    return emitOpError("expected a whole sum; tile.combine makes one of a "
                       "partial sum [CONVERT-C2]");
  return success();
}

int64_t ConvertOp::getScratchPitch() {
  return getType().getShape()[0] +
         ::wna16::layout::rowPaddingBytes * 8 / getType().getElementBits();
}

int64_t ConvertOp::getScratchBytes() {
  return getType().getShape()[1] * getScratchPitch() *
         getType().getElementBits() / 8;
}

LogicalResult StoreOp::verify() {
  ValType value = getValue().getType();
  if (value.isPartial())
    return emitOpError("expected a whole sum; tile.combine makes one of a "
                       "partial sum [STORE-C1]");
  if (getDest().getType().getAccess() != Access::write)
    return emitOpError(
        "expected a matrix to write, found one to read [STORE-C2]");
  if (getPredicate() && !getPredicate().getDefiningOp<CombineByTicketOp>())
    return emitOpError("expected `if` to be what tile.combine_by_ticket says "
                       "[STORE-C4]");
  if (failed(verifyBound(*this, getDest())) ||
      failed(verifySameElements(*this, getDest().getType().getElementType(),
                                value.getElementType(), "STORE-C3")))
    return failure();
  if (failed(verifyStaticCoordinate(*this, getRow(), "the row")))
    return failure();
  return verifyStaticCoordinate(*this, getColumn(), "the column");
}
