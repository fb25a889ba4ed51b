//===- Wna16Ops.cpp - verifiers and folds of the wna16 ops ----------------===//
//
// The rules that operand constraints cannot state: agreement between operands.
//
//===----------------------------------------------------------------------===//
#include "dialect/Wna16/Wna16.h"
#include "dialect/Wna16/Wna16Rules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::wna16;

#include "dialect/Wna16/Wna16Interfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/Wna16/Wna16Ops.cpp.inc"

//===----------------------------------------------------------------------===//
// GemmOp
//===----------------------------------------------------------------------===//

LogicalResult GemmOp::verify() {
  return verifyProduct(*this, getX().getType().getDimSize(0),
                       {{"GEMM-C5", "GEMM-C6", "GEMM-C8", "GEMM-C12"},
                        "GEMM-C4",
                        "GEMM-C7",
                        "GEMM-C9",
                        "GEMM-C11"});
}

//===----------------------------------------------------------------------===//
// DequantizeOp
//===----------------------------------------------------------------------===//

CodeType DequantizeOp::getCode() {
  return cast<CodeType>(getW().getType().getElementType());
}

LogicalResult DequantizeOp::verify() {
  RankedTensorType w = getW().getType(), s = getS().getType();
  if (failed(verifyScales(*this, w, s, getTypeOrNull(getZeros()),
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
