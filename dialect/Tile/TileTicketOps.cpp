//===- TileTicketOps.cpp - the sum over blocks that take tickets ----------===//

#include "dialect/Tile/Tile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

/// The workspace has a place for the share of every block, and a counter for
/// every tile.
static LogicalResult verifyWorkspace(CombineByTicketOp op, ForEachWorkOp work) {
  GlobalType shares = op.getShares().getType();
  GlobalType tickets = op.getTickets().getType();
  auto isWorkspace = [](GlobalType type) {
    return type.getAccess() == Access::workspace && !type.getLayout() &&
           !ShapedType::isDynamic(type.getShape()[0]);
  };
  int64_t columns = work.getColumns() * static_cast<int64_t>(work.getBlocks());
  if (!isWorkspace(shares) || !shares.getElementType().isF32() ||
      shares.getShape()[1] != columns)
    return op.emitOpError("expected a workspace of f32 with ")
           << columns << " columns (" << work.getColumns() << " for each of "
           << work.getBlocks() << " blocks), found " << shares
           << " [TICKET-C3]";
  int64_t tileRows = llvm::divideCeil(shares.getShape()[0], work.getTile()[0]);
  int64_t tileColumns = work.getColumns() / work.getTile()[1];
  if (!isWorkspace(tickets) || !tickets.getElementType().isInteger(32) ||
      tickets.getShape()[0] != tileRows || tickets.getShape()[1] != tileColumns)
    return op.emitOpError("expected a workspace of ")
           << tileRows << "x" << tileColumns
           << " i32, a ticket for every tile, found " << tickets
           << " [TICKET-C4]";
  return success();
}

LogicalResult CombineByTicketOp::verify() {
  ValType source = getSource().getType(), result = getResult().getType();
  if (source.getPartial() || !source.getPartialBlocks() ||
      result != source.withPartialBlocks(false))
    return emitOpError(
               "expected a share of the blocks' as operand, whose parts "
               "are summed, and the whole sum in the same layout as "
               "result, found ")
           << source << " and " << result << " [TICKET-C1]";
  auto work = (*this)->getParentOfType<ForEachWorkOp>();
  if (!work || work.getBlocks() == 1)
    return emitOpError(
        "expected work that blocks share (blocks above 1) around "
        "a sum by ticket [TICKET-C2]");
  auto overCluster = work.getBody().walk([](CombineOp combine) {
    return combine.getOverCluster() ? WalkResult::interrupt()
                                    : WalkResult::advance();
  });
  if (overCluster.wasInterrupted())
    return emitOpError("expected blocks that take tickets to be no cluster, "
                       "found a sum over it in the same work [TICKET-C2]");
  if (getRow() != work.getRowCoordinate() ||
      getColumn() != work.getColumnCoordinate())
    return emitOpError("expected the coordinates of the work [TICKET-C5]");
  for (Value matrix : {getShares(), getTickets()})
    if (!isa<BlockArgument>(matrix) || !matrix.hasOneUse())
      return emitOpError("expected each workspace to be an argument of the "
                         "kernel that nothing else uses [TICKET-C6]");
  int64_t sums = 0;
  work.getBody().walk([&](CombineByTicketOp) { ++sums; });
  if (sums != 1)
    return emitOpError("expected one sum by ticket in a work, found ")
           << sums << ": each could have another last block [TICKET-C7]";
  return verifyWorkspace(*this, work);
}
