//===- TileKernelOps.cpp - kernel, work, arguments ------------------------===//

#include "dialect/Tile/Tile.h"
#include "lib/Layout/Instances.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildFuncType =
      [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
         function_interface_impl::VariadicFlag,
         std::string &) { return builder.getFunctionType(inputs, results); };
  if (function_interface_impl::parseFunctionOp(
          parser, result, /*allowVariadic=*/false,
          getFunctionTypeAttrName(result.name), buildFuncType,
          getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name)))
    return failure();
  if (!result.regions.front()->empty())
    ensureTerminator(*result.regions.front(), parser.getBuilder(),
                     result.location);
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult KernelOp::verify() {
  // Layouts are spread over a power of two of warps; with roles, over those of
  // a role.
  bool hasRoles = getBody()
                      .walk([](RolesOp) { return WalkResult::interrupt(); })
                      .wasInterrupted();
  if ((!hasRoles && !llvm::isPowerOf2_64(getWarps())) || getWarps() > 32)
    return emitOpError("expected a power of two of at most 32 warps, found ")
           << getWarps() << " [KERNEL-C4]";
  if (!getResultTypes().empty())
    return emitOpError("expected no results [KERNEL-C1]");
  if (getArgNames().size() != getArgumentTypes().size())
    return emitOpError("expected one name per argument, found ")
           << getArgNames().size() << " names and " << getArgumentTypes().size()
           << " arguments [KERNEL-C2]";
  if (getArgAttrs() && llvm::any_of(*getArgAttrs(), [](Attribute attrs) {
        return !cast<DictionaryAttr>(attrs).empty();
      }))
    return emitOpError("expected arguments without attributes [ORD1]");
  llvm::SmallDenseSet<Attribute> names;
  for (Attribute name : getArgNames()) {
    if (!names.insert(name).second)
      return emitOpError("argument name ")
             << name << " appears twice [KERNEL-C2]";
    if (wna16::isOrderName(cast<StringAttr>(name).getValue()))
      return emitOpError("argument name ")
             << name << " is that of an activation order; the order of K is "
             << "static, no kernel takes one; " << wna16::getOrderRemedy()
             << " [ORD1]";
  }
  for (auto [index, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<GlobalType, IndexType>(type))
      return emitOpError("expected argument ")
             << index << " to be !tile.global or index, found " << type
             << " [KERNEL-C3]";
  return success();
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  // Called on unverified ops too.
  for (auto [argument, name] : llvm::zip(region.getArguments(), getArgNames()))
    if (auto text = dyn_cast<StringAttr>(name))
      setName(argument, text.getValue().lower());
}

//===----------------------------------------------------------------------===//
// BindOp
//===----------------------------------------------------------------------===//

LogicalResult BindOp::verify() {
  if (!ShapedType::isDynamic(getSource().getType().getShape()[0]))
    return emitOpError(
               "expected a matrix with a dynamic number of rows, found ")
           << getSource().getType() << " [BIND-C1]";
  if (!isa<BlockArgument>(getSource()))
    return emitOpError("expected an argument of the kernel [BIND-C3]");
  return success();
}

//===----------------------------------------------------------------------===//
// PlaneOp
//===----------------------------------------------------------------------===//

GlobalType PlaneOp::planeType(GlobalType source, int64_t index) {
  using mlir::wna16::CodeType;
  auto code = cast<CodeType>(source.getElementType());
  std::vector<unsigned> widths =
      ::wna16::layout::planesOf(code.getWidth());
  unsigned shift =
      std::accumulate(widths.begin(), widths.begin() + index, 0u);
  std::optional<int64_t> offset = code.getOffset();
  if (offset)
    offset = *offset >> shift & ((int64_t(1) << widths[index]) - 1);
  return GlobalType::get(
      source.getContext(), source.getShape(),
      CodeType::get(source.getContext(), widths[index], offset),
      source.getAccess(), source.getLayout());
}

int64_t PlaneOp::getByteOffset() {
  GlobalType source = getSource().getType();
  auto code = cast<mlir::wna16::CodeType>(source.getElementType());
  std::vector<unsigned> widths =
      ::wna16::layout::planesOf(code.getWidth());
  int64_t bits =
      std::accumulate(widths.begin(), widths.begin() + getIndex(), int64_t(0));
  return source.getShape()[0] * source.getShape()[1] * bits / 8;
}

LogicalResult PlaneOp::verify() {
  auto source = getSource().getType();
  auto layout =
      dyn_cast_if_present<mlir::wna16::LayoutAttr>(source.getLayout());
  if (source.getShape().size() != 2 || !layout ||
      layout.getKind() != mlir::wna16::LayoutKind::Marlin)
    return emitOpError("expected codes in the layout marlin, found ")
           << source << " [PLANE-C1]";
  if (!isa<BlockArgument>(getSource()) &&
      !getSource().getDefiningOp<ExpertOp>())
    return emitOpError("expected an argument of the kernel, or one expert's "
                       "matrix of it [PLANE-C2]");
  auto code = cast<mlir::wna16::CodeType>(source.getElementType());
  size_t planes = ::wna16::layout::planesOf(code.getWidth()).size();
  if (getIndex() >= planes)
    return emitOpError("expected one of the ")
           << planes << " planes of " << code << ", found number " << getIndex()
           << " [PLANE-C3]";
  if (getType() != planeType(source, getIndex()))
    return emitOpError("expected the result type ")
           << planeType(source, getIndex()) << ", found " << getType()
           << " [PLANE-C4]";
  return success();
}

//===----------------------------------------------------------------------===//
// ForEachWorkOp
//===----------------------------------------------------------------------===//

/// Every GPU with clusters has clusters of that many blocks; more shares are
/// not worth their sum.
static constexpr uint64_t maxSharingBlocks = 8;

/// (%im, %in[, %part][, %block]) tile [16, 64] of [%m, 6144] [parts 8] [blocks
/// 2] [persistent 132] attr-dict region
ParseResult ForEachWorkOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<int64_t> tile;
  OpAsmParser::UnresolvedOperand rows;
  int64_t staticRows = 0, columns = 0, parts = 1, blocks = 1;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("tile") ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&]() { return parser.parseInteger(tile.emplace_back()); }) ||
      parser.parseKeyword("of") || parser.parseLSquare())
    return failure();
  OptionalParseResult isInteger = parser.parseOptionalInteger(staticRows);
  if (isInteger.has_value()) {
    if (failed(*isInteger))
      return failure();
    result.addAttribute("static_rows", builder.getI64IntegerAttr(staticRows));
  } else if (parser.parseOperand(rows) ||
             parser.resolveOperand(rows, builder.getIndexType(),
                                   result.operands)) {
    return failure();
  }
  if (parser.parseComma() || parser.parseInteger(columns) ||
      parser.parseRSquare())
    return failure();
  if (succeeded(parser.parseOptionalKeyword("parts")) &&
      parser.parseInteger(parts))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("blocks")) &&
      parser.parseInteger(blocks))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("persistent"))) {
    int64_t persistent = 0;
    if (parser.parseInteger(persistent))
      return failure();
    result.addAttribute("persistent", builder.getI64IntegerAttr(persistent));
  }
  result.addAttribute("columns", builder.getI64IntegerAttr(columns));
  result.addAttribute("tile", builder.getDenseI64ArrayAttr(tile));
  result.addAttribute("parts", builder.getI64IntegerAttr(parts));
  result.addAttribute("blocks", builder.getI64IntegerAttr(blocks));
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = builder.getIndexType();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

int64_t ForEachWorkOp::getClusterBlocks() {
  bool byTicket =
      getBody()
          .walk([](CombineByTicketOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  return byTicket ? 1 : static_cast<int64_t>(getBlocks());
}

void ForEachWorkOp::print(OpAsmPrinter &printer) {
  printer << " (" << getBody().getArguments() << ") tile [";
  llvm::interleaveComma(getTile(), printer);
  printer << "] of [";
  if (getRows())
    printer << getRows();
  else
    printer << *getStaticRows();
  printer << ", " << getColumns() << "]";
  if (getParts() != 1)
    printer << " parts " << getParts();
  if (getBlocks() != 1)
    printer << " blocks " << getBlocks();
  if (getPersistent())
    printer << " persistent " << *getPersistent();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"static_rows", "columns", "tile", "parts", "blocks", "persistent"});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

void ForEachWorkOp::getAsmBlockArgumentNames(Region &region,
                                             OpAsmSetValueNameFn setName) {
  SmallVector<StringRef> names = {"im", "in"};
  if (getParts() > 1)
    names.push_back("part");
  names.push_back("block");
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    setName(argument, name);
}

LogicalResult ForEachWorkOp::verify() {
  if (bool(getRows()) == getStaticRows().has_value())
    return emitOpError(
        "expected either a number of rows or a value for it [WORK-C1]");
  if (getTile().size() != 2 ||
      llvm::any_of(getTile(), [](int64_t extent) { return extent < 1; }) ||
      getStaticRows().value_or(1) < 1)
    return emitOpError(
        "expected positive rows and two positive tile extents [WORK-C2]");
  if (getColumns() % getTile()[1] != 0)
    return emitOpError("expected the columns (")
           << getColumns() << ") to be a multiple of the tile (" << getTile()[1]
           << ") [WORK-C3]";
  if (!llvm::isPowerOf2_64(getBlocks()) || getBlocks() > maxSharingBlocks)
    return emitOpError("expected a power of two of at most ")
           << maxSharingBlocks << " blocks, found " << getBlocks()
           << " [WORK-C7]";
  if (getPersistent() && getParts() * getBlocks() != 1)
    return emitOpError("expected neither parts nor blocks that share K in work "
                       "of persistent blocks [WORK-C9]");
  unsigned expected =
      getPersistent() ? 0 : 2 + (getParts() > 1) + (getBlocks() > 1);
  if (getBody().getNumArguments() != expected)
    return emitOpError("expected ")
           << expected << " region arguments, found "
           << getBody().getNumArguments() << " [WORK-C4]";
  if (llvm::any_of(getBody().getArgumentTypes(),
                   [](Type type) { return !type.isIndex(); }))
    return emitOpError("expected region arguments of type index [WORK-C4]");
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (kernel && kernel.getWarps() % getParts() != 0)
    return emitOpError("expected the parts (")
           << getParts() << ") to divide the warps of the kernel ("
           << kernel.getWarps() << ") [WORK-C5]";
  // A part of several warps meets at a barrier of its own; there are 16, one of
  // which is the block's.
  if (kernel && kernel.getWarps() != getParts() && getParts() > 15)
    return emitOpError(
               "expected at most 15 parts of more than one warp, found ")
           << getParts() << " [WORK-C6]";
  return success();
}

//===----------------------------------------------------------------------===//
// ForEachTileOp
//===----------------------------------------------------------------------===//

/// (%im, %in, %first) steps 32 attr-dict region
ParseResult ForEachTileOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> arguments;
  int64_t steps = 0;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("steps") || parser.parseInteger(steps) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addAttribute("steps", builder.getI64IntegerAttr(steps));
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = builder.getIndexType();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void ForEachTileOp::print(OpAsmPrinter &printer) {
  printer << " (" << getBody().getArguments() << ") steps " << getSteps();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"steps"});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

void ForEachTileOp::getAsmBlockArgumentNames(Region &region,
                                             OpAsmSetValueNameFn setName) {
  StringRef names[] = {"im", "in", "first"};
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    setName(argument, name);
}

LogicalResult ForEachTileOp::verify() {
  if (getBody().getNumArguments() != 3 ||
      llvm::any_of(getBody().getArgumentTypes(),
                   [](Type type) { return !type.isIndex(); }))
    return emitOpError("expected 3 region arguments of type index, found ")
           << getBody().getNumArguments() << " arguments [TILES-C1]";
  auto work = (*this)->getParentOfType<ForEachWorkOp>();
  if (work && !work.getPersistent())
    return emitOpError("expected a tile.for_each_work with persistent blocks "
                       "around it; others have one tile [TILES-C2]");
  return success();
}
