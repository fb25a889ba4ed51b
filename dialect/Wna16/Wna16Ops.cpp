//===- Wna16Ops.cpp - verifiers and folds of the wna16 ops ----------------===//
//
// The rules that operand constraints cannot state: agreement between operands.
//
//===----------------------------------------------------------------------===//
#include "dialect/Wna16/Wna16.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::wna16;

#define GET_OP_CLASSES
#include "dialect/Wna16/Wna16Ops.cpp.inc"

/// An extent as people write it.
static std::string str(int64_t extent) {
  return ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
}

//===----------------------------------------------------------------------===//
// Rules that gemm and dequantize share
//===----------------------------------------------------------------------===//

/// Labels of the rules about scales and zero points.
struct ScaleLabels {
  StringRef columns, group, offset, zeros;
};

/// (w, s, zeros) agree: columns, whole groups, and zero points where codes have
/// no offset. `zeros` may be null.
static LogicalResult verifyScales(Operation *op, RankedTensorType w,
                                  RankedTensorType s, RankedTensorType zeros,
                                  const ScaleLabels &labels) {
  if (s.getDimSize(1) != w.getDimSize(1))
    return op->emitOpError("expected N of the scales (")
           << s.getDimSize(1) << ") to be N of the weights (" << w.getDimSize(1)
           << ") [" << labels.columns << "]";
  int64_t k = w.getDimSize(0), groups = s.getDimSize(0);
  if (groups < 1 || k % groups != 0)
    return op->emitOpError("expected the rows of the scales (")
           << groups << ") to divide K (" << k
           << ") into equal groups of consecutive rows [" << labels.group
           << "]";
  auto code = cast<CodeType>(w.getElementType());
  if (!code.getOffset() && !zeros)
    return op->emitOpError(
               "expected codes with an offset, such as !wna16.code<")
           << code.getWidth()
           << ", offset = " << (int64_t(1) << (code.getWidth() - 1))
           << ">, or zero points, got " << code << " without [" << labels.offset
           << "]";
  if (code.getOffset() && zeros)
    return op->emitOpError("expected codes without an offset beside zero "
                           "points, got ")
           << code << " [" << labels.offset << "]";
  if (!zeros)
    return success();
  unsigned width = getZeroWidth(code);
  if (zeros.getShape() != s.getShape() ||
      cast<CodeType>(zeros.getElementType()).getWidth() != width)
    return op->emitOpError("expected zero points of ")
           << width << " bits, " << groups << " x " << s.getDimSize(1)
           << " like the scales, got " << zeros << " [" << labels.zeros << "]";
  return success();
}

/// The type of an optional operand; null when it is absent.
static RankedTensorType typeOf(Value optional) {
  return optional ? cast<RankedTensorType>(optional.getType())
                  : RankedTensorType();
}

//===----------------------------------------------------------------------===//
// GemmOp
//===----------------------------------------------------------------------===//

CodeType GemmOp::getCode() {
  return cast<CodeType>(getW().getType().getElementType());
}

/// ORD2. The generic form can put any attribute here.
static LogicalResult verifyActOrder(Operation *op, Attribute value) {
  if (!value || isa<ActOrderAttr>(value))
    return success();
  std::string spelling;
  if (auto string = dyn_cast<StringAttr>(value))
    spelling = string.str();
  else if (auto flag = dyn_cast<BoolAttr>(value))
    spelling = flag.getValue() ? "true" : "false";
  if (isRuntimeActOrder(spelling))
    return op->emitOpError("actorder '")
           << spelling
           << "' needs an activation order at run time, which is not "
              "supported; "
           << getOrderRemedy() << " [ORD2]";
  return op->emitOpError("expected actorder to be #wna16.actorder<none>, "
                         "<static> or <weight>, got ")
         << value << " [ORD2]";
}

LogicalResult GemmOp::verify() {
  RankedTensorType x = getX().getType(), w = getW().getType(),
                   s = getS().getType(), y = getY().getType();
  int64_t k = x.getDimSize(1), n = y.getDimSize(1);
  if (ShapedType::isDynamic(k) || k > w.getDimSize(0))
    return emitOpError("expected K of the activations (")
           << str(k) << ") to be K of the weights (" << w.getDimSize(0)
           << "), or less where these are padded [GEMM-C4]";
  if (failed(verifyScales(*this, w, s, typeOf(getZeros()),
                          {"GEMM-C5", "GEMM-C6", "GEMM-C8", "GEMM-C12"})))
    return failure();
  if (getBias() && typeOf(getBias()).getDimSize(1) != w.getDimSize(1))
    return emitOpError("expected N of the bias (")
           << typeOf(getBias()).getDimSize(1) << ") to be N of the weights ("
           << w.getDimSize(1) << ") [GEMM-C7]";
  if (y.getDimSize(0) != x.getDimSize(0) || ShapedType::isDynamic(n) || n < 1 ||
      n > w.getDimSize(1))
    return emitOpError("expected a result of ")
           << str(x.getDimSize(0)) << " x " << w.getDimSize(1)
           << ", or of fewer columns where the weights are padded, got " << y
           << " [GEMM-C9]";
  if (std::optional<int64_t> maxM = getMaxM())
    if (!ShapedType::isDynamic(getM()) && getM() > *maxM)
      return emitOpError("expected M (")
             << getM() << ") to be at most max_m (" << *maxM << ") [GEMM-C11]";
  return verifyActOrder(*this, getActorderAttr());
}

//===----------------------------------------------------------------------===//
// DequantizeOp
//===----------------------------------------------------------------------===//

CodeType DequantizeOp::getCode() {
  return cast<CodeType>(getW().getType().getElementType());
}

LogicalResult DequantizeOp::verify() {
  RankedTensorType w = getW().getType(), s = getS().getType();
  if (failed(verifyScales(*this, w, s, typeOf(getZeros()),
                          {"DEQ-C3", "DEQ-C4", "DEQ-C5", "DEQ-C7"})))
    return failure();
  auto expected = RankedTensorType::get(w.getShape(), s.getElementType());
  if (getY().getType() != expected)
    return emitOpError("expected the result type ")
           << expected << ", got " << getY().getType() << " [DEQ-C6]";
  return success();
}

//===----------------------------------------------------------------------===//
// RepackOp
//===----------------------------------------------------------------------===//

LogicalResult RepackOp::verify() {
  RankedTensorType from = getSource().getType(), to = getResult().getType();
  if (from.getElementType() == to.getElementType())
    return success();
  auto narrow = dyn_cast<CodeType>(from.getElementType());
  auto wide = dyn_cast<CodeType>(to.getElementType());
  if (narrow && wide && !narrow.getOffset() && !wide.getOffset() &&
      narrow.getWidth() < wide.getWidth())
    return success();
  return emitOpError("expected operand and result of the same element type, or "
                     "codes without offset that become wider, got ")
         << from << " and " << to << " [REPACK-C3]";
}

OpFoldResult RepackOp::fold(FoldAdaptor) {
  return getSource().getType() == getResult().getType() ? getSource() : Value();
}

LogicalResult RepackOp::canonicalize(RepackOp op, PatternRewriter &rewriter) {
  auto producer = op.getSource().getDefiningOp<RepackOp>();
  if (!producer)
    return rewriter.notifyMatchFailure(op, "source is not a repack");
  for (auto [before, after] :
       llvm::zip_equal(producer.getSource().getType().getShape(),
                       producer.getResult().getType().getShape()))
    if (after < before)
      return rewriter.notifyMatchFailure(op, "the first repack drops elements");
  rewriter.modifyOpInPlace(
      op, [&] { op.getSourceMutable().assign(producer.getSource()); });
  return success();
}
