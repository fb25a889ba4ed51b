//===- Wna16Attrs.cpp - layout, activation order and schedule -------------===//
//
// The checks of an encoding against its tensor type, the map that lib/Layout
// has for it, the spelling of activation orders, and the checks of a schedule.
//
//===----------------------------------------------------------------------===//
#include "dialect/Wna16/Wna16.h"

#include "lib/Layout/StorageNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::wna16;
namespace layout = ::wna16::layout;

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

namespace {
enum class Role { Weights, Scales, Zeros };

/// What a layout asks of the tensor type that it encodes.
struct LayoutRule {
  Role role;
  /// Multiples that the extents must be of, for a code width (0 for scales).
  int64_t (*rows)(unsigned width);
  int64_t (*columns)(unsigned width);
  /// Bit w is set when codes of w bits are implemented.
  unsigned widths;
};
} // namespace

static LayoutRule getRule(LayoutKind kind) {
  constexpr unsigned all = 0x1fe, four = 1 << 4, eight = 1 << 8;
  auto one = [](unsigned) -> int64_t { return 1; };
  auto n8 = [](unsigned) -> int64_t { return 8; };
  auto n16 = [](unsigned) -> int64_t { return 16; };
  auto n32 = [](unsigned) -> int64_t { return 32; };
  auto n64 = [](unsigned) -> int64_t { return 64; };
  // So many codes fill whole words.
  auto words = [](unsigned width) -> int64_t {
    return 32 / std::gcd(32u, width);
  };
  switch (kind) {
  case LayoutKind::Marlin:
    return {Role::Weights, n16, n64, all};
  case LayoutKind::GPTQ:
    return {Role::Weights, words, one, all};
  case LayoutKind::CompressedTensors:
    return {Role::Weights, one, one, all};
  case LayoutKind::AWQ:
    return {Role::Weights, one, n8, four};
  case LayoutKind::MarlinScales:
    return {Role::Scales, one, n64, 0};
  case LayoutKind::MarlinChannelScales:
    return {Role::Scales, one, n32, 0};
  case LayoutKind::CompressedTensorsScales:
    return {Role::Scales, one, one, 0};
  case LayoutKind::MarlinZeros:
    return {Role::Zeros, one, n64, four | eight};
  case LayoutKind::GPTQZeros:
    return {Role::Zeros, one, words, all};
  case LayoutKind::CompressedTensorsZeros:
    return {Role::Zeros, one, one, all};
  case LayoutKind::AWQZeros:
    return {Role::Zeros, one, n8, four};
  }
  llvm_unreachable("all layouts are listed");
}

bool LayoutAttr::isWeights() const {
  return getRule(getKind()).role == Role::Weights;
}
bool LayoutAttr::isScales() const {
  return getRule(getKind()).role == Role::Scales;
}
bool LayoutAttr::isZeros() const {
  return getRule(getKind()).role == Role::Zeros;
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  StringRef name = stringifyLayoutKind(getKind());
  LayoutRule rule = getRule(getKind());
  auto error = [&] { return emitError() << "layout '" << name << "' "; };

  // The element type may have failed to parse; that error has been given.
  if (!elementType)
    return failure();
  if (shape.size() != 2 && shape.size() != 3)
    return error() << "expects a tensor of rank 2, or 3 for a stack of "
                      "matrices, got rank "
                   << shape.size() << " [LAY1]";
  if (ShapedType::isDynamicShape(shape))
    return error() << "expects a static shape [LAY2]";
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 1; })) {
    InFlightDiagnostic diagnostic = error()
                                    << "expects extents of at least 1, got ";
    llvm::interleave(shape, diagnostic, "x");
    return diagnostic << " [LAY2]";
  }
  // The rules are those of each matrix.
  shape = shape.take_back(2);

  unsigned width = 0;
  if (rule.role != Role::Scales) {
    auto code = dyn_cast<CodeType>(elementType);
    if (!code)
      return error() << "stores "
                     << (rule.role == Role::Weights ? "weights" : "zero points")
                     << " and expects elements of type !wna16.code, got "
                     << elementType << " [LAY3]";
    width = code.getWidth();
    if (!(rule.widths >> width & 1)) {
      InFlightDiagnostic diagnostic = error()
                                      << "is not implemented for codes of "
                                      << width << " bits; implemented: ";
      const char *separator = "";
      for (unsigned w = 1; w <= 8; ++w)
        if (rule.widths >> w & 1) {
          diagnostic << separator << w;
          separator = ", ";
        }
      return diagnostic << " [LAY5]";
    }
  } else if (!elementType.isF16() && !elementType.isBF16()) {
    return error() << "stores scales and expects elements of type f16 or bf16, "
                      "got "
                   << elementType << " [LAY3]";
  }

  int64_t rows = rule.rows(width), columns = rule.columns(width);
  if (shape[0] % rows != 0)
    return error() << "expects K (" << shape[0] << ") to be a multiple of "
                   << rows << " [LAY4]";
  if (shape[1] % columns != 0)
    return error() << "expects N (" << shape[1] << ") to be a multiple of "
                   << columns << " [LAY4]";
  return success();
}

layout::PackedStorage LayoutAttr::getStorage(RankedTensorType type) const {
  auto code = dyn_cast<CodeType>(type.getElementType());
  ArrayRef<int64_t> matrix = type.getShape().take_back(2);
  return *layout::storageByName(stringifyLayoutKind(getKind()).str(), matrix[0],
                                matrix[1], code ? code.getWidth() : 16);
}

//===----------------------------------------------------------------------===//
// ActOrderAttr
//===----------------------------------------------------------------------===//

Attribute ActOrderAttr::parse(AsmParser &parser, Type) {
  std::string spelling;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&spelling))
    return {};
  if (isRuntimeActOrder(spelling)) {
    parser.emitError(loc) << "actorder '" << spelling
                          << "' needs an activation order at run time, which "
                             "is not supported; "
                          << getOrderRemedy() << " [ORD2]";
    return {};
  }
  std::optional<ActOrder> value = symbolizeActOrder(spelling);
  if (!value) {
    parser.emitError(loc) << "expected actorder none, static or weight, got '"
                          << spelling << "' [ORD2]";
    return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), *value);
}

void ActOrderAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyActOrder(getValue()) << '>';
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t tileN, int64_t tileM, int64_t tileK,
                                   int64_t warpsN, int64_t warpsK,
                                   int64_t stages, CopyEngine copy,
                                   MathEngine math, ScalePlace scales,
                                   SplitKind split, RoleKind roles,
                                   int64_t warpsM, int64_t blocks,
                                   int64_t multicast, int64_t persistent,
                                   bool dependent) {
  auto checkTile = [&](StringRef name, int64_t extent,
                       int64_t multiple) -> LogicalResult {
    if (extent >= multiple && llvm::isPowerOf2_64(extent))
      return success();
    return emitError() << "expected the tile along " << name
                       << " to be a power of two from " << multiple
                       << " on, got " << extent << " [SCHED-1]";
  };
  auto checkWarps = [&](StringRef name, int64_t warps) -> LogicalResult {
    if (warps > 0 && llvm::isPowerOf2_64(warps))
      return success();
    return emitError() << "expected the warps along " << name
                       << " to be a power of two, got " << warps
                       << " [SCHED-2]";
  };
  if (failed(checkTile("n", tileN, 16)) || failed(checkTile("m", tileM, 8)) ||
      failed(checkTile("k", tileK, 16)) || failed(checkWarps("n", warpsN)) ||
      failed(checkWarps("k", warpsK)) || failed(checkWarps("m", warpsM)))
    return failure();
  if (stages < 1 || stages > 64)
    return emitError() << "expected 1 to 64 stages, got " << stages
                       << " [SCHED-3]";
  bool isPower = blocks > 0 && llvm::isPowerOf2_64(blocks);
  if (!isPower || (split == SplitKind::None && blocks > 1))
    return emitError() << "expected blocks to be a power of two, and 1 without "
                          "a split across blocks, got "
                       << blocks << " [SCHED-4]";
  if (multicast < 1 || multicast > 8 || !llvm::isPowerOf2_64(multicast))
    return emitError() << "expected multicast to 1, 2, 4 or 8 blocks, got "
                       << multicast << " [SCHED-5]";
  if (persistent < 0)
    return emitError() << "expected a positive number of persistent blocks, got "
                       << persistent << " [SCHED-6]";
  return success();
}

bool mlir::wna16::isPositiveI64(Attribute attribute, int64_t most) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getType().isSignlessInteger(64) &&
         integer.getInt() > 0 && integer.getInt() <= most;
}

/// The keys that may be left out: `, name = number` or `, name`, in the order
/// in which they are printed.
ParseResult mlir::wna16::parseRolesAndOptions(AsmParser &parser,
                                              RoleKind &roles, int64_t &warpsM,
                                              int64_t &blocks,
                                              int64_t &multicast,
                                              int64_t &persistent,
                                              bool &dependent) {
  FailureOr<RoleKind> parsed = FieldParser<RoleKind>::parse(parser);
  if (failed(parsed))
    return failure();
  roles = *parsed;
  warpsM = blocks = multicast = 1;
  persistent = 0;
  dependent = false;
  std::pair<StringRef, int64_t *> numbers[] = {
      {"warps_m", &warpsM},
      {"blocks", &blocks},
      {"multicast", &multicast},
      {"persistent", &persistent}};
  auto *next = std::begin(numbers);
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key))
      return failure();
    if (key == "dependent" && !dependent) {
      next = std::end(numbers);
      dependent = true;
      continue;
    }
    while (next != std::end(numbers) && next->first != key)
      ++next;
    if (next == std::end(numbers))
      return parser.emitError(loc)
             << "expected warps_m, blocks, multicast, persistent or dependent, "
                "once each and in this order, got '"
             << key << "'";
    if (parser.parseEqual() || parser.parseInteger(*next->second))
      return failure();
    ++next;
  }
  return success();
}

void mlir::wna16::printRolesAndOptions(AsmPrinter &printer, RoleKind roles,
                                       int64_t warpsM, int64_t blocks,
                                       int64_t multicast, int64_t persistent,
                                       bool dependent) {
  printer << stringifyRoleKind(roles);
  if (warpsM != 1)
    printer << ", warps_m = " << warpsM;
  if (blocks != 1)
    printer << ", blocks = " << blocks;
  if (multicast != 1)
    printer << ", multicast = " << multicast;
  if (persistent != 0)
    printer << ", persistent = " << persistent;
  if (dependent)
    printer << ", dependent";
}
