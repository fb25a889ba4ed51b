//===- TileAsyncOps.cpp - verifiers of asynchronous products --------------===//

#include "dialect/Tile/Tile.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult MmaAsyncOp::verify() {
  FieldAttr field = getRing().getType().getField(getField());
  if (!field)
    return emitOpError("expected a field of the ring, found '")
           << getField() << "' [RING-C1]";
  ValType a = getA().getType(), b = field.getType(), acc = getType();
  Type element = a.getElementType();
  if ((!element.isF16() && !element.isBF16()) || b.getElementType() != element)
    return emitOpError("expected operands of f16 or bf16, found ")
           << element << " and " << b.getElementType() << " [MMAASYNC-C1]";
  if (!acc.getElementType().isF32())
    return emitOpError("expected an accumulator of f32, found ")
           << acc.getElementType() << " [MMAASYNC-C2]";
  int64_t k = a.getShape()[0], n = a.getShape()[1], m = acc.getShape()[1];
  if (acc.getShape()[0] != n || k % 16 || n % 64 || m % 8 || m > 256)
    return emitOpError("expected a KxN and an accumulator NxM with K in "
                       "multiples of 16, N of 64, and M of 8 up to 256, found ")
           << k << "x" << n << " and " << acc.getShape()[0] << "x" << m
           << " [MMAASYNC-C3]";
  if (getOffsets().size() != 2 || getOffsets()[0] % 8 || getOffsets()[1] % 16 ||
      llvm::any_of(getOffsets(), [](int64_t at) { return at < 0; }) ||
      getOffsets()[0] + m > b.getShape()[0] ||
      getOffsets()[1] + k > b.getShape()[1])
    return emitOpError("expected two offsets, multiples of 8 and 16, of a part "
                       "of ")
           << m << "x" << k << " inside of the field's " << b.getShape()[0]
           << "x" << b.getShape()[1] << " [MMAASYNC-C4]";
  if (!isa_and_nonnull<SwizzleAttr>(field.getStorage()))
    return emitOpError("expected field '")
           << getField() << "' to have #tile.swizzle as storage [MMAASYNC-C5]";
  return success();
}
