//===- VerifyOrder.cpp - verify-order -------------------------------------===//
//
// Rule ORD3, and ORD1 on the functions and modules around wna16 ops.
//
//===----------------------------------------------------------------------===//
#include "dialect/Wna16/Wna16.h"
#include "lib/Analysis/KOrder.h"
#include "lib/Transforms/Wna16Passes.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::wna16 {
#define GEN_PASS_DEF_VERIFYORDER
#include "lib/Transforms/Wna16Passes.h.inc"
} // namespace mlir::wna16

using namespace mlir;
using namespace mlir::wna16;

/// The dimension of an operand along which K, or the groups of K, run: the
/// second of activations, the first of weights, scales and zero points, behind
/// the expert in a stack. A bias and the tables of a router have none.
static std::optional<unsigned> getKDim(OpOperand &operand) {
  if (isa<MoeRouteOp, MoeSumOp>(operand.getOwner()))
    return std::nullopt;
  auto product = dyn_cast<ProductOpInterface>(operand.getOwner());
  if (!product)
    return 0;
  Value value = operand.get();
  if (operand.getOperandNumber() == 0)
    return 1;
  if (value != product.getW() && value != product.getS() &&
      value != product.getZeros())
    return std::nullopt;
  // Behind the expert, in a stack.
  return cast<RankedTensorType>(value.getType()).getRank() - 2;
}

static LogicalResult verifyOperand(ModuleOp module,
                                   SymbolTableCollection &symbols,
                                   OpOperand &operand) {
  std::optional<unsigned> dim = getKDim(operand);
  if (!dim)
    return success();
  std::optional<Reordering> reordering =
      findReordering(module, symbols, operand, *dim);
  if (!reordering)
    return success();
  InFlightDiagnostic diagnostic =
      operand.getOwner()->emitOpError("operand #")
      << operand.getOperandNumber()
      << " was reordered along K; the order of K is static, a scale belongs to "
         "consecutive rows of k; "
      << getOrderRemedy() << " [ORD3]";
  diagnostic.attachNote(reordering->op->getLoc())
      << "reordered along K here, by '" << reordering->op->getName() << "', "
      << reordering->how;
  return failure();
}

/// ORD1 for an op that encloses wna16 ops: its attributes and, for a function,
/// those of its arguments and results.
static LogicalResult verifyEnclosingOp(Operation *op) {
  auto emitError = [&] { return op->emitError(); };
  auto verifyAll = [&](ArrayRef<NamedAttribute> attributes,
                       const std::string &where) {
    return success(llvm::all_of(attributes, [&](NamedAttribute attribute) {
      return succeeded(verifyNoOrderName(attribute, where, emitError));
    }));
  };
  std::string self = llvm::formatv("'{0}' op", op->getName());
  SmallVector<NamedAttribute> own(op->getDiscardableAttrs());
  if (failed(verifyAll(own, self)))
    return failure();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (failed(verifyAll(function.getArgAttrs(i),
                         llvm::formatv("argument {0} of {1}", i, self))))
      return failure();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (failed(verifyAll(function.getResultAttrs(i),
                         llvm::formatv("result {0} of {1}", i, self))))
      return failure();
  return success();
}

/// ORD1 for the constants and buffers that a module with wna16 ops names.
static LogicalResult verifySymbolNames(ModuleOp module) {
  LogicalResult result = success();
  for (Operation &op : *module.getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol || isa<FunctionOpInterface, ModuleOp>(op) ||
        !isOrderName(symbol.getName()))
      continue;
    result =
        op.emitError()
        << "'" << op.getName() << "' op is named '" << symbol.getName()
        << "': the order of K is static, no tensor may carry an activation "
           "order; "
        << getOrderRemedy() << " [ORD1]";
  }
  return result;
}

namespace {
struct VerifyOrder : public mlir::wna16::impl::VerifyOrderBase<VerifyOrder> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTableCollection symbols;
    llvm::SetVector<Operation *> enclosing;
    bool failedOnce = false;
    module.walk([&](Operation *op) {
      if (!isa_and_nonnull<Wna16Dialect>(op->getDialect()))
        return;
      for (OpOperand &operand : op->getOpOperands())
        failedOnce |= failed(verifyOperand(module, symbols, operand));
      for (Operation *parent = op->getParentOp(); parent;
           parent = parent->getParentOp())
        enclosing.insert(parent);
    });
    for (Operation *op : enclosing) {
      failedOnce |= failed(verifyEnclosingOp(op));
      if (auto around = dyn_cast<ModuleOp>(op))
        failedOnce |= failed(verifySymbolNames(around));
    }
    markAllAnalysesPreserved();
    if (failedOnce)
      signalPassFailure();
  }
};
} // namespace
