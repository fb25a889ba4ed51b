//===- TileSegmentOps.cpp - work that a table deals out -------------------===//

#include "dialect/Tile/Tile.h"

using namespace mlir;
using namespace mlir::tile;

Value mlir::tile::getViewSource(Operation *op) {
  if (!op || !isa<BindOp, PlaneOp, ExpertOp, RowsOp>(op))
    return {};
  return op->getOperand(0);
}

BlockArgument mlir::tile::getKernelArgument(Value global) {
  while (Value source = getViewSource(global.getDefiningOp()))
    global = source;
  return dyn_cast<BlockArgument>(global);
}

LoadSegmentOp mlir::tile::findSegment(ForEachWorkOp work) {
  auto segments = work.getBody().getOps<LoadSegmentOp>();
  return segments.empty() ? LoadSegmentOp() : *segments.begin();
}

/// Whether `global` is a bound table of i32 with `columns`.
static bool isTable(Value global, int64_t columns) {
  auto type = cast<GlobalType>(global.getType());
  return global.getDefiningOp<BindOp>() &&
         type.getElementType().isInteger(32) &&
         type.getAccess() == Access::read && type.getShape()[1] == columns;
}

LogicalResult LoadSegmentOp::verify() {
  if (!isTable(getTable(), 4))
    return emitOpError("expected a table of four columns of i32 to read, from "
                       "tile.bind, found ")
           << getTable().getType() << " [SEGMENT-C1]";
  auto work = dyn_cast<ForEachWorkOp>((*this)->getParentOp());
  if (!work || work.getTile()[0] != 1 || getRow() != work.getRowCoordinate())
    return emitOpError(
        "expected to stand in the work that it is about, one row "
        "of the table per tile [SEGMENT-C2]");
  if (llvm::count_if(work.getBody().getOps<LoadSegmentOp>(),
                     [](LoadSegmentOp) { return true; }) != 1)
    return emitOpError("expected one segment per tile of work [SEGMENT-C3]");
  return success();
}

GlobalType ExpertOp::matrixType(GlobalType stack) {
  return GlobalType::get(stack.getContext(), stack.getShape().drop_front(),
                         stack.getElementType(), stack.getAccess(),
                         stack.getLayout());
}

int64_t ExpertOp::getMatrixBytes() {
  GlobalType type = getType();
  auto shape = type.getShape();
  if (auto layout =
          dyn_cast_if_present<mlir::wna16::LayoutAttr>(type.getLayout())) {
    auto tensor = mlir::wna16::getStorageType(
        RankedTensorType::get(shape, type.getElementType(), layout));
    return tensor.getNumElements() *
           tensor.getElementType().getIntOrFloatBitWidth() / 8;
  }
  return shape[0] * shape[1] * getElementBits(type.getElementType()) / 8;
}

LogicalResult ExpertOp::verify() {
  GlobalType source = getSource().getType();
  auto argument = dyn_cast<BlockArgument>(getSource());
  if (source.getShape().size() != 3 || !argument)
    return emitOpError("expected a stack of matrices, an argument of the "
                       "kernel, found ")
           << source << " [EXPERT-C1]";
  if (getType() != matrixType(source))
    return emitOpError("expected the result type ")
           << matrixType(source) << ", found " << getType() << " [EXPERT-C2]";
  auto segment = getExpert().getDefiningOp<LoadSegmentOp>();
  if (!segment || getExpert() != segment.getExpert() ||
      static_cast<int64_t>(segment.getExperts()) > source.getShape()[0])
    return emitOpError("expected the expert of a tile.load_segment of at most ")
           << source.getShape()[0] << " experts [EXPERT-C3]";
  return success();
}

LogicalResult RowsOp::verify() {
  auto segment = getFirst().getDefiningOp<LoadSegmentOp>();
  if (!segment || getFirst() != segment.getFirst() ||
      getCount() != segment.getCount())
    return emitOpError("expected first position and count of one "
                       "tile.load_segment [ROWS-C1]");
  if (!getSource().getDefiningOp<BindOp>())
    return emitOpError("expected a matrix from tile.bind [ROWS-C2]");
  if (getMap() && !isTable(getMap(), 1))
    return emitOpError("expected a map of one column of i32 to read, from "
                       "tile.bind, found ")
           << getMap().getType() << " [ROWS-C3]";
  Value byPosition = getMap() ? Value(getMap()) : Value(getSource());
  if (byPosition.getDefiningOp<BindOp>().getRows() != segment.getPositions())
    return emitOpError("expected a ")
           << (getMap() ? "map" : "matrix")
           << " with a row for each position of the segment [ROWS-C4]";
  return success();
}
