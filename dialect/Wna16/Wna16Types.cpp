//===- Wna16Types.cpp - the code type and questions about tensors ---------===//
//
// Verifier of !wna16.code, and the predicates that operand constraints use.
//
//===----------------------------------------------------------------------===//
#include "dialect/Wna16/Wna16.h"

using namespace mlir;
using namespace mlir::wna16;
namespace layout = ::wna16::layout;

LogicalResult CodeType::verify(function_ref<InFlightDiagnostic()> emitError,
                               unsigned width, std::optional<int64_t> offset) {
  if (width < 1 || width > 8)
    return emitError() << "expected a code width of 1 to 8 bits, got " << width
                       << " [CODE-1]";
  if (offset && (*offset < 0 || *offset >= (int64_t(1) << width)))
    return emitError() << "expected an offset in 0.."
                       << (int64_t(1) << width) - 1 << " for codes of " << width
                       << " bits, got " << *offset << " [CODE-2]";
  return success();
}

LayoutAttr mlir::wna16::getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding())
                : LayoutAttr();
}

bool mlir::wna16::mentionsLayout(Type type) {
  return type.walk([](LayoutAttr) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

layout::PackedStorage mlir::wna16::getStorage(RankedTensorType encoded) {
  return getLayout(encoded).getStorage(encoded);
}

RankedTensorType mlir::wna16::getMatrixType(RankedTensorType type) {
  return type.getRank() == 2
             ? type
             : RankedTensorType::get(type.getShape().drop_front(),
                                     type.getElementType(), type.getEncoding());
}

RankedTensorType mlir::wna16::getStorageType(RankedTensorType encoded) {
  Type element = encoded.getElementType();
  if (!isa<CodeType>(element))
    return RankedTensorType::get({encoded.getNumElements()}, element);
  int64_t matrices = encoded.getRank() == 3 ? encoded.getDimSize(0) : 1;
  return RankedTensorType::get({matrices * getStorage(encoded).words()},
                               IntegerType::get(encoded.getContext(), 32));
}

static bool isFloat16(Type type) { return type.isF16() || type.isBF16(); }

/// The layout of a matrix; null for any other type, also for a stack.
static LayoutAttr getMatrixLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 2 ? getLayout(type) : LayoutAttr();
}

bool mlir::wna16::isPlainMatrix(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 2 && !tensor.getEncoding() &&
         isFloat16(tensor.getElementType());
}

bool mlir::wna16::isWeightMatrix(Type type) {
  LayoutAttr encoding = getMatrixLayout(type);
  return encoding && encoding.isWeights();
}

bool mlir::wna16::isScaleMatrix(Type type) {
  if (LayoutAttr encoding = getMatrixLayout(type))
    return encoding.isScales();
  return isPlainMatrix(type) && cast<RankedTensorType>(type).hasStaticShape();
}

bool mlir::wna16::isZeroMatrix(Type type) {
  LayoutAttr encoding = getMatrixLayout(type);
  return encoding && encoding.isZeros() &&
         !cast<CodeType>(cast<RankedTensorType>(type).getElementType())
              .getOffset();
}

bool mlir::wna16::isBiasRow(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getRank() == 2 &&
         tensor.getDimSize(0) == 1 &&
         (isScaleMatrix(type) || isPlainResult(type));
}

bool mlir::wna16::isPlainResult(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return isPlainMatrix(type) ||
         (tensor && tensor.getRank() == 2 && !tensor.getEncoding() &&
          tensor.getElementType().isF32());
}

bool mlir::wna16::isRepackable(Type type) {
  return isWeightMatrix(type) || isZeroMatrix(type) || isScaleMatrix(type);
}

static bool isStackOf(bool (*isMatrix)(Type), Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 3 && tensor.hasStaticShape() &&
         tensor.getDimSize(0) > 0 && isMatrix(getMatrixType(tensor));
}

bool mlir::wna16::isWeightStack(Type type) {
  return isStackOf(isWeightMatrix, type);
}
bool mlir::wna16::isScaleStack(Type type) {
  return isStackOf(isScaleMatrix, type);
}
bool mlir::wna16::isZeroStack(Type type) {
  return isStackOf(isZeroMatrix, type);
}
bool mlir::wna16::isBiasStack(Type type) { return isStackOf(isBiasRow, type); }

/// A tensor of tokens by choices of the router.
static RankedTensorType getRouterTable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  bool isTable = tensor && tensor.getRank() == 2 && !tensor.getEncoding() &&
                 tensor.getDimSize(1) >= 1 && tensor.getDimSize(1) <= 16;
  return isTable ? tensor : RankedTensorType();
}

bool mlir::wna16::isRouterIds(Type type) {
  RankedTensorType table = getRouterTable(type);
  return table && table.getElementType().isSignlessInteger(32);
}
bool mlir::wna16::isRouterWeights(Type type) {
  RankedTensorType table = getRouterTable(type);
  return table && table.getElementType().isF32();
}

/// Plain i32 numbers with `rank` extents.
static RankedTensorType getNumbers(Type type, int64_t rank) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  bool isPlain = tensor && tensor.getRank() == rank && !tensor.getEncoding() &&
                 tensor.getElementType().isSignlessInteger(32);
  return isPlain ? tensor : RankedTensorType();
}

bool mlir::wna16::isExpertMap(Type type) {
  RankedTensorType numbers = getNumbers(type, 1);
  return numbers && !numbers.isDynamicDim(0) && numbers.getDimSize(0) > 0;
}
bool mlir::wna16::isSegmentTable(Type type) {
  RankedTensorType numbers = getNumbers(type, 2);
  return numbers && numbers.isDynamicDim(0) && numbers.getDimSize(1) == 4;
}
bool mlir::wna16::isSlotList(Type type) { return bool(getNumbers(type, 1)); }
bool mlir::wna16::isOpenSlotList(Type type) {
  return isSlotList(type) && cast<RankedTensorType>(type).isDynamicDim(0);
}
