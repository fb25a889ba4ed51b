//===- KTracer.h - the walk of verify-order -------------------------------===//
//
// A worklist of (value, which of its dimensions are K, which loop counters run
// along K). The counters matter where a loop moves single elements or slices:
// there K is a dimension of no tensor, only a place that is written.
//
// Where loaded data choose between values, by a branch, a select or a bound,
// the choice goes along until an element or slice is read that may be chosen.
// It must be the one at the place that is written: then the choice is a mask.
//
// Private to KOrder.cpp (tensors as a whole) and KElements.cpp (elements and
// slices of them).
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_ANALYSIS_KTRACER_H
#define WNA16_LIB_ANALYSIS_KTRACER_H

#include "lib/Analysis/IndexOrigin.h"
#include "lib/Analysis/KOrder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <tuple>

namespace mlir::wna16 {

/// Bit d: dimension d runs along K.
using DimMask = uint64_t;

inline bool has(DimMask dims, unsigned dim) { return dims >> dim & 1; }
inline DimMask bit(unsigned dim) { return DimMask(1) << dim; }

/// What the loops around a written place decide about it.
struct Place {
  /// Loop counters that run along K.
  CounterSet counters;
  /// The indices of the place, see Tracer::nameOf; none when it is a whole
  /// tensor.
  CounterSet indices;
  /// The counters with which choices by loaded data vary, for what is chosen.
  CounterSet choices;

  auto operator<=>(const Place &) const = default;
};

class Tracer {
public:
  Tracer(ModuleOp module, SymbolTableCollection &symbols)
      : origins(module, symbols) {}

  std::optional<Reordering> run(OpOperand &operand, unsigned dim) {
    user = operand.getOwner()->getBlock();
    push(operand.get(), bit(dim), {});
    while (!found && !worklist.empty()) {
      Item item = worklist.back();
      worklist.pop_back();
      user = item.value.getParentBlock();
      step(item);
    }
    return found;
  }

private:
  struct Item {
    Value value;
    DimMask dims;
    Place place;
  };

  /// Goes on with `value`, which is used in the block `user`.
  void push(Value value, DimMask dims, Place place) {
    if (!isa<RankedTensorType>(value.getType()) ||
        (dims == 0 && place.counters.empty()))
      return;
    addChoice(value, user, place);
    if (visited.insert({value.getAsOpaquePointer(), dims, place}).second)
      worklist.push_back({value, dims, place});
  }

  /// Adds what chooses `value`, if loaded data do, anew in each round of a
  /// loop.
  void addChoice(Value value, Block *usedIn, Place &place) {
    IndexOrigin choice = origins.getChoice(value, usedIn);
    if (choice.variesByData())
      place.choices.insert(choice.counters.begin(), choice.counters.end());
  }

  /// The origin of an index of `op`.
  IndexOrigin originOf(Value index, Operation *op) {
    return origins.get(index, op->getBlock());
  }

  /// Names an index so that equal ones have equal names: a counter, a constant
  /// (null and its value), or the value.
  static Counter nameOf(OpFoldResult index);
  template <typename Indices>
  static CounterSet namesOf(const Indices &indices) {
    CounterSet names;
    for (auto index : indices)
      names.insert(nameOf(OpFoldResult(index)));
    return names;
  }

  /// Whether data choose, along K, what is read at `index` of a dimension of
  /// `extent`, `size` elements at a time.
  bool isChosen(OpFoldResult index, int64_t extent, int64_t size, Operation *op,
                const Place &place);

  void report(Operation *op, StringRef how) {
    if (!found)
      found = Reordering{op, how.str()};
  }

  void step(const Item &item);
  void stepArgument(BlockArgument argument, const Item &item);
  void stepCall(func::CallOp op, const Item &item);
  void stepGather(tensor::GatherOp op, const Item &item);
  void stepScatter(tensor::ScatterOp op, const Item &item);
  void stepExtractSlice(tensor::ExtractSliceOp op, const Item &item);
  void stepForall(scf::ForallOp op, const Item &item);
  void stepInsert(tensor::InsertOp op, const Item &item);
  void stepLinalg(linalg::LinalgOp op, const Item &item);
  void stepGenerate(tensor::GenerateOp op, const Item &item);
  void stepReshape(Value source, ArrayRef<ReassociationIndices> groups,
                   bool expands, const Item &item);
  template <typename InsertSlice>
  void stepInsertSlice(InsertSlice op, Value dest, const Item &item);
  /// A scalar that becomes an element at `place`, in the body of `scope` if
  /// that is an op.
  void stepScalar(Value scalar, Operation *scope, const Place &place,
                  const Item &item);
  /// Tensors that `op`, of which only operands are known, reads elements of.
  void stepReader(Operation *op, ValueRange indices, Operation *scope,
                  const Place &place);

  IndexOrigins origins;
  Block *user = nullptr;
  SmallVector<Item> worklist;
  std::set<std::tuple<void *, DimMask, Place>> visited;
  std::optional<Reordering> found;
};

inline constexpr llvm::StringLiteral byLoadedIndex =
    "by indices read from memory";
inline constexpr llvm::StringLiteral byLoadedOffset =
    "slice by slice, at offsets read from memory";
inline constexpr llvm::StringLiteral byChosenIndex =
    "by indices that a branch or a bound on loaded data decides";
inline constexpr llvm::StringLiteral byChoice =
    "by a choice that loaded data make between elements of K";

/// How an index reorders.
inline StringRef describe(const IndexOrigin &origin, StringRef loaded) {
  return origin.loaded ? loaded : StringRef(byChosenIndex);
}

} // namespace mlir::wna16

#endif // WNA16_LIB_ANALYSIS_KTRACER_H
