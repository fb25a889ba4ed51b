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

/// (w, s) agree: columns, whole groups, and codes that need no zero points.
static LogicalResult verifyScales(Operation *op, RankedTensorType w,
                                  RankedTensorType s, StringRef columnsLabel,
                                  StringRef groupLabel, StringRef offsetLabel) {
  if (s.getDimSize(1) != w.getDimSize(1))
    return op->emitOpError("expected N of the scales (")
           << s.getDimSize(1) << ") to be N of the weights (" << w.getDimSize(1)
           << ") [" << columnsLabel << "]";
  int64_t k = w.getDimSize(0), groups = s.getDimSize(0);
  if (groups < 1 || k % groups != 0)
    return op->emitOpError("expected the rows of the scales (")
           << groups << ") to divide K (" << k
           << ") into equal groups of consecutive rows [" << groupLabel << "]";
  auto code = cast<CodeType>(w.getElementType());
  if (!code.getOffset())
    return op->emitOpError(
               "expected codes with an offset, such as !wna16.code<")
           << code.getWidth()
           << ", offset = " << (int64_t(1) << (code.getWidth() - 1))
           << ">, got " << code << ": zero points as data are not supported ["
           << offsetLabel << "]";
  return success();
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
  if (x.getDimSize(1) != w.getDimSize(0))
    return emitOpError("expected K of the activations (")
           << str(x.getDimSize(1)) << ") to be K of the weights ("
           << w.getDimSize(0) << ") [GEMM-C4]";
  if (failed(verifyScales(*this, w, s, "GEMM-C5", "GEMM-C6", "GEMM-C8")))
    return failure();
  if (s.getElementType() != x.getElementType())
    return emitOpError("expected scales with the element type of the "
                       "activations (")
           << x.getElementType() << "), got " << s.getElementType()
           << " [GEMM-C7]";
  auto expected = RankedTensorType::get({x.getDimSize(0), w.getDimSize(1)},
                                        x.getElementType());
  if (y != expected)
    return emitOpError("expected the result type ")
           << expected << ", got " << y << " [GEMM-C9]";
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
  if (failed(verifyScales(*this, w, s, "DEQ-C3", "DEQ-C4", "DEQ-C5")))
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
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError("expected operand and result to differ in layout only, "
                       "got ")
           << from << " and " << to << " [REPACK-C3]";
  return success();
}

OpFoldResult RepackOp::fold(FoldAdaptor) {
  return getSource().getType() == getResult().getType() ? getSource() : Value();
}

LogicalResult RepackOp::canonicalize(RepackOp op, PatternRewriter &rewriter) {
  auto producer = op.getSource().getDefiningOp<RepackOp>();
  if (!producer)
    return rewriter.notifyMatchFailure(op, "source is not a repack");
  rewriter.modifyOpInPlace(
      op, [&] { op.getSourceMutable().assign(producer.getSource()); });
  return success();
}
