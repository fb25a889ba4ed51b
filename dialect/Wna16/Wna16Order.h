//===- Wna16Order.h - no op carries an activation order -------------------===//
//
// Rules ORD1 and ORD2: the vocabulary of activation ordering, the check that an
// op has no attribute that speaks of it, and the same check as an op trait that
// other dialects can use (see Wna16Order.td).
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_WNA16_WNA16ORDER_H
#define WNA16_DIALECT_WNA16_WNA16ORDER_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::wna16 {

/// Whether `name` (an attribute name or a key) belongs to the vocabulary of
/// activation ordering: g_idx, perm, desc_act, ... Case, dialect prefix and
/// separators do not matter.
bool isOrderName(llvm::StringRef name);

/// The first order name among `name` and the keys, strings and symbols nested in
/// `value`, written as a path ("quant.desc_act", "tensors = g_idx"); empty when
/// there is none. Only strings without blanks are names.
std::string findOrderName(llvm::StringRef name, Attribute value);

/// Whether `value` spells an ordering that needs an index at run time: group,
/// dynamic (any case), true, as attribute or as string.
bool isRuntimeActOrder(llvm::StringRef value);

/// What to do about a checkpoint with run-time ordering; ends every ORD
/// message.
llvm::StringRef getOrderRemedy();

/// ORD1 for one attribute, on behalf of `where` ("'wna16.gemm' op", "function
/// argument 0"): refuses it when it, or a name nested in it, is an order name.
LogicalResult
verifyNoOrderName(NamedAttribute attribute, llvm::StringRef where,
                  llvm::function_ref<InFlightDiagnostic()> emitError);

/// ORD1 for an op: every discardable attribute is on the allow-list and none
/// speaks of an order.
LogicalResult verifyNoOrderAttributes(Operation *op);

/// ORD1 as a trait.
template <typename ConcreteType>
class OrderFree : public OpTrait::TraitBase<ConcreteType, OrderFree> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return verifyNoOrderAttributes(op);
  }
};

} // namespace mlir::wna16

#endif // WNA16_DIALECT_WNA16_WNA16ORDER_H
