//===- RingAddress.cpp - where the fields of a stage lie ------------------===//

#include "lib/Conversion/TileToNVVM/RingAddress.h"

#include "lib/Conversion/TileToNVVM/Addressing.h"

using namespace mlir;
using namespace mlir::tile;

namespace wna16 {

LogicalResult expectPlace(Operation *op, Value ring) {
  auto alloc = ring.getDefiningOp<RingOp>();
  if (!alloc || !alloc.getOffset())
    return op->emitOpError("expected a ring with a place in shared memory; run "
                           "allocate-shared first");
  return success();
}

Value fieldAddress(OpBuilder &builder, Operation *op,
                   const KernelContext &context, Value ring, Value step,
                   StringRef field, Value threadBytes) {
  Location loc = op->getLoc();
  AddressBuilder address(builder, op, context);
  Value stage = stageAddress(builder, loc, context, ring, step);
  Value pointer = LLVM::IntToPtrOp::create(
      builder, loc, context.shared.getType(), address.add(stage, threadBytes));
  auto type = cast<RingType>(ring.getType());
  return address.offset(pointer, *ring.getDefiningOp<RingOp>().getOffset() +
                                     type.getFieldOffset(field));
}

} // namespace wna16
