//===- TileAttrs.cpp - attributes of the tile dialect ---------------------===//

#include "dialect/Tile/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using ::wna16::layout::Basis;
using ::wna16::layout::InDim;
using ::wna16::layout::LinearLayout;
using ::wna16::layout::OutDim;

#include "dialect/Tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/Tile/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/Tile/TileAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// LinearAttr: <register = [[0, 1]], lane = [], warp = [][, block = []] : [16,
// 8]>
//===----------------------------------------------------------------------===//

/// Parses `[[a, b], ...]`.
static ParseResult parseBases(AsmParser &parser, std::vector<Basis> &bases) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        Basis basis;
        if (parser.parseCommaSeparatedList(
                AsmParser::Delimiter::Square, [&]() -> ParseResult {
                  uint32_t coordinate;
                  if (parser.parseInteger(coordinate))
                    return failure();
                  basis.push_back(coordinate);
                  return success();
                }))
          return failure();
        if (basis.size() != 2)
          return parser.emitError(parser.getCurrentLocation(),
                                  "expected two coordinates per basis, found ")
                 << basis.size();
        bases.push_back(std::move(basis));
        return success();
      });
}

Attribute LinearAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::vector<InDim> ins;
  if (parser.parseLess())
    return {};
  for (const char *name : {"register", "lane", "warp"}) {
    InDim dim{name, {}};
    if (parser.parseKeyword(name) || parser.parseEqual() ||
        parseBases(parser, dim.bases))
      return {};
    ins.push_back(std::move(dim));
    if (StringRef(name) != "warp" && parser.parseComma())
      return {};
  }
  if (succeeded(parser.parseOptionalComma())) {
    InDim dim{"block", {}};
    if (parser.parseKeyword("block") || parser.parseEqual() ||
        parseBases(parser, dim.bases))
      return {};
    if (!dim.bases.empty())
      ins.push_back(std::move(dim));
  }
  SmallVector<int64_t> shape;
  if (parser.parseColon() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&]() { return parser.parseInteger(shape.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  if (shape.size() != 2 || llvm::any_of(shape, [](int64_t extent) {
        return extent <= 0 || !llvm::isPowerOf2_64(extent) || extent > 1 << 20;
      })) {
    parser.emitError(loc, "expected two power-of-two extents after ':'");
    return {};
  }
  for (const InDim &dim : ins)
    for (const Basis &basis : dim.bases)
      for (auto [coordinate, extent] : llvm::zip(basis, shape))
        if (coordinate >= extent) {
          parser.emitError(loc, "basis [")
              << basis[0] << ", " << basis[1] << "] of '" << dim.name
              << "' lies outside of [" << shape[0] << ", " << shape[1] << "]";
          return {};
        }
  return LinearAttr::get(
      parser.getContext(),
      LinearLayout(std::move(ins), {{"dim0", llvm::Log2_64(shape[0])},
                                    {"dim1", llvm::Log2_64(shape[1])}}));
}

void LinearAttr::print(AsmPrinter &printer) const {
  const LinearLayout &layout = getLayout();
  printer << "<";
  for (const char *name : {"register", "lane", "warp", "block"}) {
    if (StringRef(name) == "block" && !layout.hasIn(name))
      continue;
    if (StringRef(name) != "register")
      printer << ", ";
    printer << name << " = [";
    if (layout.hasIn(name))
      llvm::interleaveComma(
          layout.bases(name), printer, [&](const Basis &basis) {
            printer << "[" << basis[0] << ", " << basis[1] << "]";
          });
    printer << "]";
  }
  printer << " : [" << layout.outs()[0].size() << ", "
          << layout.outs()[1].size() << "]>";
}

//===----------------------------------------------------------------------===//
// PitchAttr, SwizzleAttr, FieldAttr
//===----------------------------------------------------------------------===//

LogicalResult PitchAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t elements) {
  if (elements <= 0)
    return emitError() << "expected a positive row pitch, found " << elements;
  return success();
}

LogicalResult SwizzleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t bytes) {
  if (bytes != 128)
    return emitError() << "expected a swizzle of 128 bytes, found " << bytes;
  return success();
}

Attribute FieldAttr::parse(AsmParser &parser, Type) {
  std::string name;
  Type type;
  Attribute storage;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseString(&name) || parser.parseComma() ||
      parser.parseType(type))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(storage))
    return {};
  if (parser.parseGreater())
    return {};
  auto valType = dyn_cast<ValType>(type);
  if (!valType) {
    parser.emitError(loc, "expected a field of type !tile.val, found ") << type;
    return {};
  }
  return parser.getChecked<FieldAttr>(
      loc, parser.getContext(), StringAttr::get(parser.getContext(), name),
      valType, storage);
}

void FieldAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getName().getValue() << "\", " << getType();
  if (getStorage())
    printer << ", " << getStorage();
  printer << ">";
}

LogicalResult FieldAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringAttr name, ValType type,
                                Attribute storage) {
  if (type.getLayout() || type.isPartial())
    return emitError() << "expected field '" << name.getValue()
                       << "' to have a plain tile type, found " << type;
  return success(succeeded(getStorageLayout(storage, type.getShape(),
                                            type.getElementType(), emitError)));
}
