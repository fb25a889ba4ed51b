//===- IndexOrigin.h - where an index comes from --------------------------===//
//
// Which loop counters an index varies with, and whether it was read from memory
// on the way. Used by verify-order.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_ANALYSIS_INDEXORIGIN_H
#define WNA16_LIB_ANALYSIS_INDEXORIGIN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"

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
};

/// The origin of an index (or of an integer that becomes one).
IndexOrigin getIndexOrigin(Value index);

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
