//===- IndexOrigin.h - where an index comes from --------------------------===//
//
// Which loop counters an index varies with, and whether it was read from memory
// on the way, or chosen by what was read. Used by verify-order.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_ANALYSIS_INDEXORIGIN_H
#define WNA16_LIB_ANALYSIS_INDEXORIGIN_H

#include "lib/Analysis/ControlDependence.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Value.h"

#include <optional>
#include <set>
#include <utility>

namespace mlir::wna16 {

/// A loop counter: an iterator of a linalg op (the op, the iterator's number),
/// or an argument of a loop body (its block, the argument's number).
using Counter = std::pair<void *, unsigned>;
using CounterSet = std::set<Counter>;

struct IndexOrigin {
  /// Counters with which the index varies.
  CounterSet counters;
  /// Whether it was read from a tensor or a buffer. Reading entry i of the
  /// constant 0, 1, 2, ... does not count.
  bool loaded = false;
  /// Whether what was read decides, by a branch or by how often a loop runs,
  /// which index it is.
  bool chosen = false;

  /// Whether data make it another index in another round.
  bool variesByData() const { return (loaded || chosen) && !counters.empty(); }
  void join(const IndexOrigin &other);
};

/// Origins of the indices of one module.
class IndexOrigins {
public:
  IndexOrigins(ModuleOp module, SymbolTableCollection &symbols)
      : module(module), symbols(symbols) {}

  /// The origin of an index (or of an integer that becomes one) where `user`
  /// uses it.
  IndexOrigin get(Value index, Block *user);

  /// The origin of what decides that `value`, where `user` uses it, is this one
  /// of the values that it can come from along control flow.
  IndexOrigin getChoice(Value value, Block *user);

  /// The values that are handed to or returned as `value`, an argument of a
  /// function or the result of a call; none if the module does not show all.
  SmallVector<Value> getCallSources(Value value);

private:
  friend class OriginWalk;
  ModuleOp module;
  SymbolTableCollection &symbols;
  ::wna16::ControlDependence control;
  /// Loops whose bounds are being walked.
  DenseSet<Operation *> active;
};

/// Whether `tensor` is the constant 0, 1, 2, ... in row-major order.
bool isIdentityConstant(Value tensor);

/// The values that `value`, a block argument or the result of an op with
/// regions, can come from along control flow inside a function; empty when it
/// is neither or when that is not known.
SmallVector<Value> getControlFlowSources(Value value);

/// Whether the two sets share a counter.
bool intersect(const CounterSet &a, const CounterSet &b);

} // namespace mlir::wna16

#endif // WNA16_LIB_ANALYSIS_INDEXORIGIN_H
