//===- KOrder.h - find a reordering along K -------------------------------===//
//
// Follows a tensor backwards to an op that gathered or permuted it along given
// dimensions. The engine of verify-order.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_ANALYSIS_KORDER_H
#define WNA16_LIB_ANALYSIS_KORDER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Value.h"

#include <optional>
#include <string>

namespace mlir::wna16 {

/// Where a tensor was reordered, and a phrase that says how.
struct Reordering {
  Operation *op;
  std::string how;
};

/// The nearest op behind `operand` that reorders it along dimension `dim`; none
/// when everything that is known keeps the order. Calls are followed inside
/// `module`.
std::optional<Reordering> findReordering(ModuleOp module,
                                         SymbolTableCollection &symbols,
                                         OpOperand &operand, unsigned dim);

} // namespace mlir::wna16

#endif // WNA16_LIB_ANALYSIS_KORDER_H
