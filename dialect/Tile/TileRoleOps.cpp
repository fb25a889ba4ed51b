//===- TileRoleOps.cpp - warps with different tasks -----------------------===//

#include "dialect/Tile/Tile.h"

using namespace mlir;
using namespace mlir::tile;

/// Barriers at which the threads of all roles, or of their parts, meet; there
/// are 16, one of which is the block's.
static constexpr int64_t maxBarriers = 15;

LogicalResult RolesOp::verify() {
  int64_t warps = 0, barriers = 0;
  for (Operation &op : getBody().front().without_terminator()) {
    auto role = dyn_cast<RoleOp>(op);
    if (!role)
      return op.emitOpError("expected nothing but tile.role in tile.roles "
                            "[ROLE-C1]");
    warps += role.getWarps();
    barriers += role.getBarriers();
  }
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (kernel && warps != static_cast<int64_t>(kernel.getWarps()))
    return emitOpError("expected the roles to have all ")
           << kernel.getWarps() << " warps of the kernel, found " << warps
           << " [ROLE-C2]";
  if (barriers > maxBarriers)
    return emitOpError("expected at most ")
           << maxBarriers
           << " barriers, one for each role and one for each of its parts of "
              "more than one warp, found "
           << barriers << " [ROLE-C8]";
  auto work = cast<ForEachWorkOp>((*this)->getParentOp());
  if (work.getParts() != 1)
    return emitOpError("expected the parts of K on a role, found them on its "
                       "tile.for_each_work [ROLE-C3]");
  return success();
}

/// "name" warps 8 [parts 2 (%part)] [single_thread] [registers 40] region
ParseResult RoleOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  std::string name;
  int64_t warps = 0, parts = 1, registers = 0;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseString(&name) || parser.parseKeyword("warps") ||
      parser.parseInteger(warps))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("parts")) &&
      (parser.parseInteger(parts) ||
       parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren)))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("single_thread")))
    result.addAttribute("single_thread", builder.getUnitAttr());
  if (succeeded(parser.parseOptionalKeyword("registers"))) {
    if (parser.parseInteger(registers))
      return failure();
    result.addAttribute("registers", builder.getI64IntegerAttr(registers));
  }
  result.addAttribute("name", builder.getStringAttr(name));
  result.addAttribute("warps", builder.getI64IntegerAttr(warps));
  result.addAttribute("parts", builder.getI64IntegerAttr(parts));
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = builder.getIndexType();
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void RoleOp::print(OpAsmPrinter &printer) {
  printer << " " << getNameAttr() << " warps " << getWarps();
  if (getParts() != 1)
    printer << " parts " << getParts() << " (" << getBody().getArguments()
            << ")";
  if (getSingleThread())
    printer << " single_thread";
  if (getRegisters())
    printer << " registers " << *getRegisters();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"name", "warps", "parts", "single_thread", "registers"});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

void RoleOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "part");
}

LogicalResult RoleOp::verify() {
  unsigned expected = getParts() == 1 ? 0 : 1;
  if (getBody().getNumArguments() != expected ||
      llvm::any_of(getBody().getArgumentTypes(),
                   [](Type type) { return !type.isIndex(); }))
    return emitOpError("expected ")
           << expected
           << " region arguments of type index, one when there are parts "
              "[ROLE-C4]";
  if (getWarps() % getParts() != 0)
    return emitOpError("expected the parts (")
           << getParts() << ") to divide the warps of the role (" << getWarps()
           << ") [ROLE-C5]";
  if (!getSingleThread() && !llvm::isPowerOf2_64(getWarps()))
    return emitOpError("expected a power of two of warps, found ")
           << getWarps() << " [ROLE-C5]";
  if (getRegisters() &&
      (getWarps() % 4 || getFirstWarp() % 4 || *getRegisters() % 8 ||
       *getRegisters() < 24 || *getRegisters() > 256))
    return emitOpError("expected registers, 24 to 256 in steps of 8, on whole "
                       "groups of four warps, found ")
           << *getRegisters() << " on warps " << getFirstWarp() << " to "
           << getFirstWarp() + static_cast<int64_t>(getWarps()) - 1
           << " [ROLE-C6]";
  WalkResult result = getBody().walk([&](Operation *op) {
    return failed(verifyInside(op)) ? WalkResult::interrupt()
                                    : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Tiles stay inside of their role, which has the threads that they need.
LogicalResult RoleOp::verifyInside(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<ValType>(operand.getType()) &&
        !getBody().isAncestor(operand.getParentRegion()))
      return op->emitOpError("uses a tile of another role [ROLE-C7]");
  if (getSingleThread() && llvm::any_of(op->getResultTypes(), [](Type type) {
        return isa<ValType>(type);
      }))
    return op->emitOpError("expected no tiles in a role of a single thread "
                           "[ROLE-C7]");
  if (isa<MmaAsyncOp>(op) && getFirstWarp() % 4)
    return op->emitOpError("expected a role that begins with a group of four "
                           "warps, found warp ")
           << getFirstWarp() << " [ROLE-C6]";
  return success();
}

int64_t RoleOp::getBarriers() {
  if (getSingleThread())
    return 0;
  return getParts() == 1 || getParts() == getWarps() ? 1
                                                     : int64_t(getParts()) + 1;
}

int64_t RoleOp::getFirstWarp() {
  int64_t first = 0;
  for (Operation &op : *(*this)->getBlock()) {
    if (&op == getOperation())
      break;
    if (auto role = dyn_cast<RoleOp>(op))
      first += role.getWarps();
  }
  return first;
}

WarpGroup mlir::tile::getWarpGroup(Operation *op) {
  if (auto role = op->getParentOfType<RoleOp>())
    return {int64_t(role.getWarps()), int64_t(role.getParts())};
  auto kernel = op->getParentOfType<KernelOp>();
  auto work = isa<ForEachWorkOp>(op) ? cast<ForEachWorkOp>(op)
                                     : op->getParentOfType<ForEachWorkOp>();
  return {kernel ? int64_t(kernel.getWarps()) : 1,
          work ? int64_t(work.getParts()) : 1};
}
