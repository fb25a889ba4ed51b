//===- TileTypes.cpp - types of the tile dialect --------------------------===//

#include "dialect/Tile/Tile.h"
#include "lib/Layout/Instances.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
namespace layout = ::wna16::layout;

#define GET_TYPEDEF_CLASSES
#include "dialect/Tile/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Tile/TileTypes.cpp.inc"
      >();
}

unsigned mlir::tile::getElementBits(Type type) {
  if (auto code = dyn_cast<mlir::wna16::CodeType>(type))
    return code.getWidth();
  return type.getIntOrFloatBitWidth();
}

static bool isElementType(Type type) {
  return isa<mlir::wna16::CodeType, Float16Type, BFloat16Type, Float32Type>(
             type) ||
         type.isInteger(32);
}

FailureOr<layout::StorageLayout>
mlir::tile::getStorageLayout(Attribute attr, ArrayRef<int64_t> shape,
                             Type elementType,
                             function_ref<InFlightDiagnostic()> emitError) {
  if (!attr)
    return layout::rowMajor(shape[0], shape[1]);
  if (auto pitch = dyn_cast<PitchAttr>(attr)) {
    if (pitch.getElements() < shape[1]) {
      emitError() << "expected a row pitch of at least " << shape[1]
                  << " elements, found " << pitch.getElements();
      return failure();
    }
    return layout::rowMajor(shape[0], shape[1], pitch.getElements());
  }
  if (isa<SwizzleAttr>(attr)) {
    if (getElementBits(elementType) == 16 && shape[0] % 8 == 0 &&
        shape[1] % layout::swizzlePanelColumns == 0)
      return layout::swizzledPanels(shape[0], shape[1]);
    emitError() << "expected 16-bit elements, rows in multiples of 8 and "
                   "columns in multiples of "
                << layout::swizzlePanelColumns << " for " << attr << ", found "
                << shape[0] << "x" << shape[1] << " of " << elementType;
    return failure();
  }
  if (auto encoded = dyn_cast<mlir::wna16::LayoutAttr>(attr)) {
    auto tensor = RankedTensorType::get(shape, elementType, encoded);
    if (failed(encoded.verifyEncoding(shape, elementType, emitError)))
      return failure();
    layout::PackedStorage storage = encoded.getStorage(tensor);
    // Planes have the same tiles, and the same strides in elements.
    if (!storage.planes().empty())
      return storage.planes().front().layout;
    emitError() << "expected elements that are whole in words, found "
                << elementType << " in " << encoded << ", a bit stream";
    return failure();
  }
  emitError()
      << "expected a wna16 layout, #tile.pitch or #tile.swizzle as storage, "
         "found "
      << attr;
  return failure();
}

layout::StorageLayout mlir::tile::getStorageLayout(GlobalType type) {
  auto storage = getStorageLayout(
      type.getLayout(), type.getShape().take_back(2), type.getElementType(),
      [&] { return emitError(UnknownLoc::get(type.getContext())); });
  return *storage;
}

layout::StorageLayout mlir::tile::getStorageLayout(FieldAttr field) {
  auto storage =
      getStorageLayout(field.getStorage(), field.getType().getShape(),
                       field.getType().getElementType(), [&] {
                         return emitError(UnknownLoc::get(field.getContext()));
                       });
  return *storage;
}

//===----------------------------------------------------------------------===//
// GlobalType
//===----------------------------------------------------------------------===//

Type GlobalType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  StringRef access;
  Attribute layout;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/true) ||
      parser.parseType(elementType) || parser.parseComma() ||
      parser.parseKeyword(&access))
    return {};
  std::optional<Access> kind = symbolizeAccess(access);
  if (!kind) {
    parser.emitError(loc, "expected 'read', 'write' or 'workspace', found '")
        << access << "'";
    return {};
  }
  if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<GlobalType>(loc, parser.getContext(), shape,
                                       elementType, *kind, layout);
}

static void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape) {
  for (int64_t extent : shape) {
    if (ShapedType::isDynamic(extent))
      printer << "?x";
    else
      printer << extent << "x";
  }
}

void GlobalType::print(AsmPrinter &printer) const {
  printer << "<";
  printShape(printer, getShape());
  printer << getElementType() << ", " << stringifyAccess(getAccess());
  if (getLayout())
    printer << ", " << getLayout();
  printer << ">";
}

LogicalResult GlobalType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 Access access, Attribute layout) {
  if (shape.size() != 2 && shape.size() != 3)
    return emitError() << "expected a matrix of two dimensions, or a stack of "
                          "three, found "
                       << shape.size();
  bool isStack = shape.size() == 3;
  if (ShapedType::isDynamicShape(shape.drop_front()) ||
      (ShapedType::isDynamic(shape[0]) && (layout || isStack)))
    return emitError() << "only the number of rows of a row-major matrix may "
                          "be dynamic";
  if (layout && !isa<mlir::wna16::LayoutAttr>(layout))
    return emitError() << "expected a wna16 layout, found " << layout;
  for (int64_t extent : shape)
    if (!ShapedType::isDynamic(extent) && (extent <= 0 || extent > 1 << 30))
      return emitError() << "expected extents between 1 and 2^30, found "
                         << extent;
  if (!isElementType(elementType))
    return emitError() << "expected codes, f16, bf16, f32 or i32, found "
                       << elementType;
  return success(succeeded(tile::getStorageLayout(layout, shape.take_back(2),
                                                  elementType, emitError)));
}

//===----------------------------------------------------------------------===//
// ValType
//===----------------------------------------------------------------------===//

/// What follows `partial`: nothing, or `<` `parts`? `,`? `blocks` `>`.
static ParseResult parsePartial(AsmParser &parser, bool &parts, bool &blocks) {
  if (failed(parser.parseOptionalLess())) {
    parts = true;
    return success();
  }
  if (succeeded(parser.parseOptionalKeyword("parts"))) {
    parts = true;
    if (failed(parser.parseOptionalComma()))
      return parser.parseGreater();
  }
  blocks = true;
  if (parser.parseKeyword("blocks") || parser.parseGreater())
    return failure();
  return success();
}

Type ValType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  LinearAttr layout;
  bool partial = false, partialBlocks = false;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("partial"))) {
      if (failed(parsePartial(parser, partial, partialBlocks)))
        return {};
      break;
    }
    if (parser.parseAttribute(layout))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ValType>(loc, parser.getContext(), shape,
                                    elementType, layout, partial,
                                    partialBlocks);
}

void ValType::print(AsmPrinter &printer) const {
  printer << "<";
  printShape(printer, getShape());
  printer << getElementType();
  if (getLayout())
    printer << ", " << getLayout();
  if (isPartial())
    printer << ", partial";
  if (getPartialBlocks())
    printer << (getPartial() ? "<parts, blocks>" : "<blocks>");
  printer << ">";
}

LogicalResult ValType::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<int64_t> shape, Type elementType,
                              LinearAttr layout, bool partial,
                              bool partialBlocks) {
  if (shape.size() != 2)
    return emitError() << "expected a tile of two dimensions, found "
                       << shape.size();
  for (int64_t extent : shape)
    if (extent <= 0 || !llvm::isPowerOf2_64(extent) || extent > 1 << 16)
      return emitError() << "expected power-of-two extents up to 65536, found "
                         << extent;
  if (!isElementType(elementType))
    return emitError() << "expected codes, f16, bf16, f32 or i32, found "
                       << elementType;
  if ((partial || partialBlocks) && !elementType.isF32())
    return emitError() << "only fp32 sums can be partial, found "
                       << elementType;
  if (!layout)
    return success();
  const layout::LinearLayout &map = layout.getLayout();
  for (auto [out, extent] : llvm::zip(map.outs(), shape))
    if (out.size() != extent)
      return emitError() << "layout is for " << out.size() << " and not for "
                         << extent << " elements along " << out.name;
  if (!map.isSurjective())
    return emitError() << "layout leaves elements of the tile without a holder";
  if (map.inBits("lane") != 5)
    return emitError() << "expected 5 lane bits, found " << map.inBits("lane");
  unsigned perRegister =
      llvm::Log2_32(32 / ::mlir::tile::getElementBits(elementType));
  if (map.inBits("register") < perRegister)
    return emitError() << "expected whole 32-bit registers, found "
                       << (1u << map.inBits("register")) << " elements of "
                       << ::mlir::tile::getElementBits(elementType) << " bits";
  return success();
}

ValType ValType::withLayout(LinearAttr layout) const {
  return get(getContext(), getShape(), getElementType(), layout, getPartial(),
             getPartialBlocks());
}

ValType ValType::withPartial(bool partial) const {
  return get(getContext(), getShape(), getElementType(), getLayout(), partial,
             getPartialBlocks());
}

ValType ValType::withPartialBlocks(bool partial) const {
  return get(getContext(), getShape(), getElementType(), getLayout(),
             getPartial(), partial);
}

unsigned ValType::getElementBits() const {
  return tile::getElementBits(getElementType());
}

unsigned ValType::getNumRegisters() const {
  unsigned elements = 1u << getLayout().getLayout().inBits("register");
  return elements * getElementBits() / 32;
}

//===----------------------------------------------------------------------===//
// RingType
//===----------------------------------------------------------------------===//

static int64_t getFieldBytes(FieldAttr field) {
  int64_t bits =
      getStorageLayout(field).span() * field.getType().getElementBits();
  return llvm::alignTo(llvm::divideCeil(bits, 8), 16);
}

FieldAttr RingType::getField(StringRef name) const {
  for (FieldAttr field : getFields())
    if (field.getName().getValue() == name)
      return field;
  return {};
}

/// What every field of a ring begins at a multiple of, at least.
static int64_t getLeastAlignment(ArrayRef<FieldAttr> fields) {
  // Rows that are padded are copied by threads, 16 bytes at a time; others may
  // be by tensor copies, which write to multiples of 128 bytes.
  bool isPadded = llvm::any_of(fields, [](FieldAttr field) {
    return isa_and_nonnull<PitchAttr>(field.getStorage());
  });
  return isPadded ? 16 : 128;
}

/// What the field begins at a multiple of.
static int64_t getFieldAlignment(FieldAttr field, int64_t least) {
  // The pattern is a function of address bits, so it begins with the field.
  return isa_and_nonnull<SwizzleAttr>(field.getStorage())
             ? layout::swizzlePatternBytes
             : least;
}

int64_t RingType::getFieldOffset(StringRef name) const {
  int64_t offset = 0, least = getLeastAlignment(getFields());
  for (FieldAttr field : getFields()) {
    offset = llvm::alignTo(offset, getFieldAlignment(field, least));
    if (field.getName().getValue() == name)
      return offset;
    offset += getFieldBytes(field);
  }
  return offset;
}

int64_t RingType::getAlignment() const {
  int64_t least = getLeastAlignment(getFields()), alignment = least;
  for (FieldAttr field : getFields())
    alignment = std::max(alignment, getFieldAlignment(field, least));
  return alignment;
}

int64_t RingType::getStageBytes() const {
  // An empty name is after the last field.
  return llvm::alignTo(getFieldOffset(""), getAlignment());
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages, ArrayRef<FieldAttr> fields) {
  if (stages < 1)
    return emitError() << "expected at least one stage, found " << stages;
  if (fields.empty())
    return emitError() << "expected at least one field";
  llvm::SmallDenseSet<StringAttr> names;
  for (FieldAttr field : fields)
    if (!names.insert(field.getName()).second)
      return emitError() << "field '" << field.getName().getValue()
                         << "' appears twice";
  return success();
}
