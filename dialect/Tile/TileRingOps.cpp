//===- TileRingOps.cpp - verifiers of the ring ops ------------------------===//

#include "dialect/Tile/Tile.h"

using namespace mlir;
using namespace mlir::tile;

static FailureOr<FieldAttr> findField(Operation *op, RingType ring,
                                      StringRef name) {
  if (FieldAttr field = ring.getField(name))
    return field;
  InFlightDiagnostic diag = op->emitOpError("expected a field of the ring (");
  llvm::interleaveComma(ring.getFields(), diag, [&](FieldAttr field) {
    diag << "'" << field.getName().getValue() << "'";
  });
  diag << "), found '" << name << "' [RING-C1]";
  return failure();
}

bool RingOp::hasBarriers() {
  RoleOp reader, writer;
  for (Operation *user : getRing().getUsers()) {
    if (auto fill = dyn_cast<FillOp>(user)) {
      if (fill.getEngine() != Engine::cp_async)
        return true;
      writer = fill->getParentOfType<RoleOp>();
    } else if (auto fill = dyn_cast<FillScalesOp>(user)) {
      if (fill.getEngine() != Engine::cp_async)
        return true;
      writer = fill->getParentOfType<RoleOp>();
    } else if (isa<WaitOp>(user)) {
      reader = user->getParentOfType<RoleOp>();
    }
  }
  return reader != writer;
}

int64_t RingOp::getMulticast() {
  int64_t blocks = 1;
  for (Operation *user : getRing().getUsers())
    if (auto fill = dyn_cast<FillOp>(user))
      blocks = std::max(blocks, static_cast<int64_t>(fill.getMulticast()));
  return blocks;
}

/// Checks that both fills share: the field, its element type, the thread map,
/// the engine.
template <typename OpTy> static LogicalResult verifyFill(OpTy op) {
  FailureOr<FieldAttr> field =
      findField(op, op.getRing().getType(), op.getField());
  if (failed(field))
    return failure();
  ValType type = field->getType();
  if (type.getElementType() != op.getSource().getType().getElementType())
    return op.emitOpError("expected a matrix of ")
           << type.getElementType() << ", found "
           << op.getSource().getType().getElementType() << " [FILL-C1]";
  bool byThreads = op.getEngine() == Engine::cp_async;
  if (byThreads != op.getThreads().has_value())
    return op.emitOpError("expected a thread map for copies by threads, and "
                          "none for the other engines [FILL-C5]");
  if (byThreads) {
    const auto &threads = op.getThreads()->getLayout();
    auto outs = threads.outs();
    for (auto [out, extent] : llvm::zip(outs, type.getShape()))
      if (out.size() != extent)
        return op.emitOpError("expected a thread map of ")
               << type.getShape()[0] << "x" << type.getShape()[1]
               << " elements, found " << outs[0].size() << "x" << outs[1].size()
               << " [FILL-C2]";
    if (!threads.isSurjective())
      return op.emitOpError("expected every element to be copied [FILL-C3]");
  }
  if (op.getSource().getType().getAccess() != Access::read)
    return op.emitOpError(
        "expected a matrix to read, found one to write [FILL-C4]");
  if (failed(verifyBound(op, op.getSource())))
    return failure();
  if (op.getPredicate())
    return verifyStaticCoordinate(op, op.getPredicate(), "the predicate");
  return success();
}

static int64_t bytesOf(FieldAttr field) {
  ValType type = field.getType();
  return type.getShape()[0] * type.getShape()[1] * type.getElementBits() / 8;
}

LogicalResult FillOp::verify() {
  if (failed(verifyFill(*this)) ||
      failed(verifyStaticCoordinate(*this, getRow(), "the row")))
    return failure();
  int64_t blocks = getMulticast();
  if (blocks == 1)
    return verifyStaticCoordinate(*this, getColumn(), "the column");
  // A share of a swizzled field is made of whole groups of eight rows.
  if (getEngine() != Engine::tensor || blocks > 8 ||
      !llvm::isPowerOf2_64(blocks) ||
      getFieldInfo().getType().getShape()[0] % (8 * blocks))
    return emitOpError(
               "expected a tensor copy to 2, 4 or 8 blocks, each with a "
               "share of the rows that is a multiple of 8, found ")
           << blocks << " blocks for " << getFieldInfo().getType()
           << " [FILL-C9]";
  return verifyStaticCoordinate(*this, getColumn(), "the column");
}

int64_t FillOp::getBytes() { return bytesOf(getFieldInfo()); }

LogicalResult FillScalesOp::verify() {
  if (failed(verifyFill(*this)) ||
      failed(verifyScaleGroup(*this, getGroup())) ||
      failed(verifyStaticCoordinate(*this, getK(), "k")))
    return failure();
  int64_t rows = getFieldInfo().getType().getShape()[0];
  if (rows > 1 && int64_t(getGroup()) == -1)
    return emitOpError("expected a field of one row for one scale per column, "
                       "found ")
           << rows << " [FILL-C6]";
  return verifyStaticCoordinate(*this, getN(), "n");
}

int64_t FillScalesOp::getBytes() { return bytesOf(getFieldInfo()); }

LogicalResult ReadOp::verify() {
  FailureOr<FieldAttr> field =
      findField(*this, getRing().getType(), getField());
  if (failed(field))
    return failure();
  ValType whole = field->getType(), result = getType();
  if (whole.getElementType() != result.getElementType() &&
      failed(verifyScaleElements(*this, whole.getElementType(),
                                 result.getElementType(), "READ-C1")))
    return failure();
  if (getOffsets().size() != 2)
    return emitOpError("expected two offsets [READ-C2]");
  for (auto [offset, extent, all] :
       llvm::zip(getOffsets(), result.getShape(), whole.getShape()))
    if (offset < 0 || offset % extent || offset + extent > all)
      return emitOpError("expected offsets that are multiples of the result's "
                         "extents and inside of the field, found ")
             << offset << " for " << extent << " of " << all << " [READ-C2]";
  return success();
}
