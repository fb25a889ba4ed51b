//===- VerifyEncodedUse.cpp - verify-encoded-use --------------------------===//
//
// Rule ENC1: no op outside the wna16 dialect sees an encoded tensor.
//
//===----------------------------------------------------------------------===//
#include "dialect/Wna16/Wna16.h"
#include "lib/Transforms/Wna16Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::wna16 {
#define GEN_PASS_DEF_VERIFYENCODEDUSE
#include "lib/Transforms/Wna16Passes.h.inc"
} // namespace mlir::wna16

using namespace mlir;
using namespace mlir::wna16;

/// Ops that handle an encoded tensor as a whole and keep its type.
static bool mayUseEncoded(Operation *op) {
  return isa_and_nonnull<Wna16Dialect>(op->getDialect()) ||
         isa<func::FuncOp, func::CallOp, func::ReturnOp, tensor::DimOp>(op);
}

/// What to do instead, by what is encoded.
static StringRef getRemedy(Type type) {
  LayoutAttr layout = getLayout(type);
  if (layout && layout.isWeights())
    return "expand the weights with wna16.dequantize first";
  if (layout && layout.isZeros())
    return "give the zero points to wna16.dequantize first";
  return "bring the scales to a plain tensor with wna16.repack first";
}

static void report(Operation *op, Value value, const Twine &role) {
  InFlightDiagnostic diagnostic =
      op->emitOpError("has an encoded tensor as ")
      << role << ": " << value.getType()
      << "; ops outside the wna16 dialect drop the encoding silently and would "
         "read the elements in the wrong order; "
      << getRemedy(value.getType()) << " [ENC1]";
  // A result or block argument of the op itself needs no second place.
  if (value.getDefiningOp() != op &&
      value.getParentRegion()->getParentOp() != op)
    diagnostic.attachNote(value.getLoc())
        << "the encoded tensor comes from here";
}

/// Reports the first encoded value of `op`; one message per op is enough.
static LogicalResult verifyOp(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (mentionsLayout(operand.get().getType())) {
      report(op, operand.get(),
             "operand #" + Twine(operand.getOperandNumber()));
      return failure();
    }
  for (OpResult result : op->getResults())
    if (mentionsLayout(result.getType())) {
      report(op, result, "result #" + Twine(result.getResultNumber()));
      return failure();
    }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        if (mentionsLayout(argument.getType())) {
          report(op, argument,
                 "block argument #" + Twine(argument.getArgNumber()));
          return failure();
        }
  return success();
}

namespace {
struct VerifyEncodedUse
    : public mlir::wna16::impl::VerifyEncodedUseBase<VerifyEncodedUse> {
  void runOnOperation() override {
    bool failedOnce = false;
    getOperation()->walk([&](Operation *op) {
      if (!mayUseEncoded(op) && failed(verifyOp(op)))
        failedOnce = true;
    });
    markAllAnalysesPreserved();
    if (failedOnce)
      signalPassFailure();
  }
};
} // namespace
