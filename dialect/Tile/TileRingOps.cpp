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

LogicalResult FillOp::verify() {
  FailureOr<FieldAttr> field =
      findField(*this, getRing().getType(), getField());
  if (failed(field))
    return failure();
  ValType type = field->getType();
  if (type.getElementType() != getSource().getType().getElementType())
    return emitOpError("expected a matrix of ")
           << type.getElementType() << ", found "
           << getSource().getType().getElementType() << " [FILL-C1]";
  auto outs = getThreads().getLayout().outs();
  for (auto [out, extent] : llvm::zip(outs, type.getShape()))
    if (out.size() != extent)
      return emitOpError("expected a thread map of ")
             << type.getShape()[0] << "x" << type.getShape()[1]
             << " elements, found " << outs[0].size() << "x" << outs[1].size()
             << " [FILL-C2]";
  if (!getThreads().getLayout().isSurjective())
    return emitOpError("expected every element to be copied [FILL-C3]");
  if (getSource().getType().getAccess() != Access::read)
    return emitOpError(
        "expected a matrix to read, found one to write [FILL-C4]");
  if (failed(verifyBound(*this, getSource())) ||
      failed(verifyStaticCoordinate(*this, getRow(), "the row")) ||
      failed(verifyStaticCoordinate(*this, getColumn(), "the column")))
    return failure();
  if (getPredicate())
    return verifyStaticCoordinate(*this, getPredicate(), "the predicate");
  return success();
}

LogicalResult ReadOp::verify() {
  FailureOr<FieldAttr> field =
      findField(*this, getRing().getType(), getField());
  if (failed(field))
    return failure();
  ValType whole = field->getType(), result = getType();
  if (whole.getElementType() != result.getElementType())
    return emitOpError("expected elements of type ")
           << whole.getElementType() << ", found " << result.getElementType()
           << " [READ-C1]";
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
