//===- Wna16ToLinalg.cpp - convert-wna16-to-linalg ------------------------===//
//
// Storage types for encoded tensors, function boundaries, and what counts as
// done. The patterns of the ops are in Patterns.cpp.
//
//===----------------------------------------------------------------------===//
#include "dialect/Wna16/Wna16.h"
#include "lib/Conversion/Wna16ToLinalg/Passes.h"
#include "lib/Conversion/Wna16ToLinalg/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::wna16 {
#define GEN_PASS_DEF_CONVERTWNA16TOLINALG
#include "lib/Conversion/Wna16ToLinalg/Passes.h.inc"
} // namespace mlir::wna16

using namespace mlir;
using namespace mlir::wna16;

/// Whether no layout is left in the types of `op`, its signature included.
static bool isPlain(Operation *op) {
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    if (mentionsLayout(function.getFunctionType()))
      return false;
  auto mentions = [](Type type) { return mentionsLayout(type); };
  if (llvm::any_of(op->getOperandTypes(), mentions) ||
      llvm::any_of(op->getResultTypes(), mentions))
    return false;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), mentions))
        return false;
  return true;
}

namespace {
struct ConvertWna16ToLinalg
    : public mlir::wna16::impl::ConvertWna16ToLinalgBase<ConvertWna16ToLinalg> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();

    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    // No materialization: a use that still wants the encoded type is an error.
    converter.addConversion([](RankedTensorType type) -> Type {
      return getLayout(type) ? getStorageType(type) : type;
    });

    RewritePatternSet patterns(context);
    populateWna16ToLinalgPatterns(converter, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateCallOpTypeConversionPattern(patterns, converter);
    populateReturnOpTypeConversionPattern(patterns, converter);

    ConversionTarget target(*context);
    target.addIllegalDialect<Wna16Dialect>();
    target.markUnknownOpDynamicallyLegal(isPlain);
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
