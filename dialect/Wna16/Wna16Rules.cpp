//===- Wna16Rules.cpp - rules that ops of wna16 share ---------------------===//
//
// Agreement between the operands of a product, for one matrix and for stacks.
//
//===----------------------------------------------------------------------===//
#include "dialect/Wna16/Wna16Rules.h"

using namespace mlir;
using namespace mlir::wna16;

/// An extent as people write it.
static std::string str(int64_t extent) {
  return ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
}

RankedTensorType mlir::wna16::getTypeOrNull(Value optional) {
  return optional ? cast<RankedTensorType>(optional.getType())
                  : RankedTensorType();
}

LogicalResult mlir::wna16::verifyScales(Operation *op, RankedTensorType w,
                                        RankedTensorType s,
                                        RankedTensorType zeros,
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

LogicalResult mlir::wna16::verifyProduct(ProductOpInterface op, int64_t m,
                                         const ProductLabels &labels) {
  auto matrixOf = [](Value operand) {
    RankedTensorType type = getTypeOrNull(operand);
    return type ? getMatrixType(type) : type;
  };
  RankedTensorType w = matrixOf(op.getW()), bias = matrixOf(op.getBias());
  RankedTensorType y = op.getY().getType();
  int64_t k = op.getK(), n = op.getN();
  if (ShapedType::isDynamic(k) || k > w.getDimSize(0))
    return op->emitOpError("expected K of the activations (")
           << str(k) << ") to be K of the weights (" << w.getDimSize(0)
           << "), or less where these are padded [" << labels.k << "]";
  if (failed(verifyScales(op, w, matrixOf(op.getS()), matrixOf(op.getZeros()),
                          labels.scales)))
    return failure();
  if (bias && bias.getDimSize(1) != w.getDimSize(1))
    return op->emitOpError("expected N of the bias (")
           << bias.getDimSize(1) << ") to be N of the weights ("
           << w.getDimSize(1) << ") [" << labels.bias << "]";
  if (y.getDimSize(0) != m || ShapedType::isDynamic(n) || n < 1 ||
      n > w.getDimSize(1))
    return op->emitOpError("expected a result of ")
           << str(m) << " x " << w.getDimSize(1)
           << ", or of fewer columns where the weights are padded, got " << y
           << " [" << labels.result << "]";
  if (std::optional<int64_t> maxM = op.getMaxM())
    if (!ShapedType::isDynamic(m) && m > *maxM)
      return op->emitOpError("expected M (")
             << m << ") to be at most max_m (" << *maxM << ") [" << labels.maxM
             << "]";
  return verifyActOrder(op, op.getActorderAttr());
}
