//===- KOrder.cpp - find a reordering along K -----------------------------===//
//
// A worklist of (value, which of its dimensions are K, which loop counters run
// along K). The counters matter where a loop moves single elements or slices:
// there K is a dimension of no tensor, only a place that is written.
//
//===----------------------------------------------------------------------===//
#include "lib/Analysis/KOrder.h"

#include "dialect/Wna16/Wna16.h"
#include "lib/Analysis/IndexOrigin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <tuple>

using namespace mlir;
using namespace mlir::wna16;

namespace {

/// Bit d: dimension d runs along K.
using DimMask = uint64_t;

bool has(DimMask dims, unsigned dim) { return dims >> dim & 1; }
DimMask bit(unsigned dim) { return DimMask(1) << dim; }

class Tracer {
public:
  Tracer(ModuleOp module, SymbolTableCollection &symbols)
      : module(module), symbols(symbols) {}

  std::optional<Reordering> run(Value value, unsigned dim) {
    push(value, bit(dim), {});
    while (!found && !worklist.empty()) {
      Item item = worklist.back();
      worklist.pop_back();
      step(item);
    }
    return found;
  }

private:
  struct Item {
    Value value;
    DimMask dims;
    CounterSet counters;
  };

  void push(Value value, DimMask dims, const CounterSet &counters) {
    if (!isa<RankedTensorType>(value.getType()) ||
        (dims == 0 && counters.empty()))
      return;
    if (visited.insert({value.getAsOpaquePointer(), dims, counters}).second)
      worklist.push_back({value, dims, counters});
  }

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
  /// A scalar that becomes an element at a place that `counters` name.
  void stepScalar(Value scalar, Operation *scope, const CounterSet &counters,
                  const Item &item);

  ModuleOp module;
  SymbolTableCollection &symbols;
  SmallVector<Item> worklist;
  std::set<std::tuple<void *, DimMask, CounterSet>> visited;
  std::optional<Reordering> found;
};

constexpr StringLiteral byLoadedIndex = "by indices read from memory";
constexpr StringLiteral byLoadedOffset = "slice by slice, at offsets read from "
                                         "memory";

} // namespace

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void Tracer::stepArgument(BlockArgument argument, const Item &item) {
  for (Value source : getControlFlowSources(argument))
    push(source, item.dims, item.counters);
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto forall = dyn_cast<scf::ForallOp>(parent)) {
    if (OpOperand *init = forall.getTiedOpOperand(argument))
      push(init->get(), item.dims, item.counters);
    return;
  }
  auto function = dyn_cast<func::FuncOp>(parent);
  if (!function || !argument.getOwner()->isEntryBlock())
    return;
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(function, module);
  if (!uses)
    return;
  for (SymbolTable::SymbolUse use : *uses)
    if (auto call = dyn_cast<func::CallOp>(use.getUser()))
      push(call.getOperand(argument.getArgNumber()), item.dims, item.counters);
}

void Tracer::stepCall(func::CallOp op, const Item &item) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (!callee)
    return;
  unsigned number = cast<OpResult>(item.value).getResultNumber();
  callee.walk([&](func::ReturnOp ret) {
    push(ret.getOperand(number), item.dims, item.counters);
  });
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

void Tracer::stepGather(tensor::GatherOp op, const Item &item) {
  // The result has the dimensions of the indices but the last, then those of
  // the source, with the gathered ones of extent 1 or left out.
  unsigned batch = op.getIndicesType().getRank() - 1;
  unsigned sourceRank = op.getSourceType().getRank();
  ArrayRef<int64_t> gathered = op.getGatherDims();
  bool reduced = op.getResultType().getRank() != batch + sourceRank;

  DimMask dims = 0;
  unsigned resultDim = batch;
  for (unsigned d = 0; d < sourceRank; ++d) {
    bool isGathered = llvm::is_contained(gathered, int64_t(d));
    if (isGathered && reduced)
      continue;
    if (has(item.dims, resultDim++) && !isGathered)
      dims |= bit(d);
  }
  if (item.dims & (bit(batch) - 1)) {
    if (gathered.size() != 1 || !isIdentityConstant(op.getIndices()))
      return report(op, byLoadedIndex);
    dims |= bit(gathered[0]);
  }
  push(op.getSource(), dims, item.counters);
}

void Tracer::stepScatter(tensor::ScatterOp op, const Item &item) {
  for (int64_t d : op.getScatterDims())
    if (has(item.dims, d) && !isIdentityConstant(op.getIndices()))
      return report(op, byLoadedIndex);
  push(op.getDest(), item.dims, item.counters);
}

//===----------------------------------------------------------------------===//
// Slices and elements moved in loops
//===----------------------------------------------------------------------===//

void Tracer::stepExtractSlice(tensor::ExtractSliceOp op, const Item &item) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  DimMask dims = 0;
  unsigned resultDim = 0;
  for (unsigned d = 0; d < offsets.size(); ++d) {
    bool isK = !dropped.test(d) && has(item.dims, resultDim);
    resultDim += !dropped.test(d);
    if (isK)
      dims |= bit(d);
    auto offset = dyn_cast<Value>(offsets[d]);
    if (!offset)
      continue;
    IndexOrigin origin = getIndexOrigin(offset);
    bool alongK = isK ? !origin.counters.empty()
                      : intersect(origin.counters, item.counters);
    if (alongK && origin.loaded)
      return report(op, byLoadedOffset);
  }
  push(op.getSource(), dims, item.counters);
}

template <typename InsertSlice>
void Tracer::stepInsertSlice(InsertSlice op, Value dest, const Item &item) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  CounterSet counters = item.counters;
  DimMask dims = 0;
  unsigned sourceDim = 0;
  for (unsigned d = 0; d < offsets.size(); ++d) {
    bool isK = has(item.dims, d);
    if (isK && !dropped.test(d))
      dims |= bit(sourceDim);
    sourceDim += !dropped.test(d);
    auto offset = dyn_cast<Value>(offsets[d]);
    if (!isK || !offset)
      continue;
    IndexOrigin origin = getIndexOrigin(offset);
    if (origin.loaded && !origin.counters.empty())
      return report(op, byLoadedOffset);
    counters.insert(origin.counters.begin(), origin.counters.end());
  }
  push(op.getSource(), dims, counters);
  push(dest, item.dims, item.counters);
}

void Tracer::stepForall(scf::ForallOp op, const Item &item) {
  OpOperand *init = op.getTiedOpOperand(cast<OpResult>(item.value));
  BlockArgument output = op.getTiedBlockArgument(init);
  push(init->get(), item.dims, item.counters);
  for (Operation *user : output.getUsers())
    if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(user))
      stepInsertSlice(insert, init->get(), item);
}

void Tracer::stepInsert(tensor::InsertOp op, const Item &item) {
  CounterSet counters = item.counters;
  for (auto [d, index] : llvm::enumerate(op.getIndices())) {
    if (!has(item.dims, d))
      continue;
    IndexOrigin origin = getIndexOrigin(index);
    if (origin.loaded && !origin.counters.empty())
      return report(op, byLoadedIndex);
    counters.insert(origin.counters.begin(), origin.counters.end());
  }
  stepScalar(op.getScalar(), nullptr, counters, item);
  push(op.getDest(), item.dims, item.counters);
}

//===----------------------------------------------------------------------===//
// Bodies that compute elements
//===----------------------------------------------------------------------===//

void Tracer::stepScalar(Value scalar, Operation *scope,
                        const CounterSet &counters, const Item &item) {
  SmallVector<Value> scalars{scalar};
  DenseSet<Value> seen;
  while (!scalars.empty() && !found) {
    Value value = scalars.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(scope);
      if (linalgOp && argument.getOwner()->getParentOp() == scope) {
        OpOperand &operand = scope->getOpOperand(argument.getArgNumber());
        AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
        DimMask dims = 0;
        for (auto [d, expr] : llvm::enumerate(map.getResults()))
          for (const Counter &counter : counters)
            if (counter.first == scope && expr.isFunctionOfDim(counter.second))
              dims |= bit(d);
        push(operand.get(), dims, item.counters);
      }
      llvm::append_range(scalars, getControlFlowSources(value));
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      DimMask dims = 0;
      for (auto [d, index] : llvm::enumerate(extract.getIndices())) {
        IndexOrigin origin = getIndexOrigin(index);
        if (!intersect(origin.counters, counters))
          continue;
        if (origin.loaded)
          return report(scope ? scope : op, byLoadedIndex);
        dims |= bit(d);
      }
      push(extract.getTensor(), dims, counters);
      continue;
    }
    SmallVector<Value> sources = getControlFlowSources(value);
    if (sources.empty())
      llvm::append_range(scalars, op->getOperands());
    else
      llvm::append_range(scalars, sources);
  }
}

void Tracer::stepLinalg(linalg::LinalgOp op, const Item &item) {
  unsigned number = cast<OpResult>(item.value).getResultNumber();
  OpOperand *init = op.getDpsInitOperand(number);
  AffineMap map = op.getMatchingIndexingMap(init);
  CounterSet counters = item.counters;
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    if (has(item.dims, d))
      for (unsigned i = 0; i < map.getNumDims(); ++i)
        if (expr.isFunctionOfDim(i))
          counters.insert({op.getOperation(), i});
  Operation *yield = op.getBlock()->getTerminator();
  stepScalar(yield->getOperand(number), op, counters, item);
}

void Tracer::stepGenerate(tensor::GenerateOp op, const Item &item) {
  Block &body = op.getBody().front();
  CounterSet counters = item.counters;
  for (unsigned d = 0; d < body.getNumArguments(); ++d)
    if (has(item.dims, d))
      counters.insert({&body, d});
  stepScalar(body.getTerminator()->getOperand(0), op, counters, item);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

void Tracer::stepReshape(Value source, ArrayRef<ReassociationIndices> groups,
                         bool expands, const Item &item) {
  DimMask dims = 0;
  for (auto [one, many] : llvm::enumerate(groups))
    for (int64_t d : many)
      if (has(item.dims, expands ? d : one))
        dims |= bit(expands ? one : d);
  push(source, dims, item.counters);
}

void Tracer::step(const Item &item) {
  if (auto argument = dyn_cast<BlockArgument>(item.value))
    return stepArgument(argument, item);
  Operation *definition = item.value.getDefiningOp();
  llvm::TypeSwitch<Operation *>(definition)
      .Case([&](func::CallOp op) { stepCall(op, item); })
      .Case([&](tensor::GatherOp op) { stepGather(op, item); })
      .Case([&](tensor::ScatterOp op) { stepScatter(op, item); })
      .Case([&](tensor::ExtractSliceOp op) { stepExtractSlice(op, item); })
      .Case([&](tensor::InsertSliceOp op) {
        stepInsertSlice(op, op.getDest(), item);
      })
      .Case([&](tensor::InsertOp op) { stepInsert(op, item); })
      .Case([&](tensor::GenerateOp op) { stepGenerate(op, item); })
      .Case([&](scf::ForallOp op) { stepForall(op, item); })
      .Case([&](tensor::ExpandShapeOp op) {
        stepReshape(op.getSrc(), op.getReassociationIndices(), true, item);
      })
      .Case([&](tensor::CollapseShapeOp op) {
        stepReshape(op.getSrc(), op.getReassociationIndices(), false, item);
      })
      .Case([&](tensor::ReshapeOp op) {
        // Which dimensions K went to is not known: any may be.
        auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
        auto result = cast<RankedTensorType>(item.value.getType());
        if (!source)
          return;
        DimMask dims = item.dims;
        if (source.getShape() != result.getShape())
          dims = bit(source.getRank()) - 1;
        push(op.getSource(), dims, item.counters);
      })
      .Case<tensor::CastOp, tensor::BitcastOp, tensor::PadOp, tensor::ConcatOp,
            RepackOp>([&](Operation *op) {
        for (Value operand : op->getOperands())
          push(operand, item.dims, item.counters);
      })
      .Case([&](linalg::LinalgOp op) { stepLinalg(op, item); })
      .Default([&](Operation *op) {
        for (Value source : getControlFlowSources(item.value))
          push(source, item.dims, item.counters);
        if (op->hasTrait<OpTrait::Elementwise>())
          for (Value operand : op->getOperands())
            push(operand, item.dims, item.counters);
      });
}

std::optional<Reordering>
mlir::wna16::findReordering(ModuleOp module, SymbolTableCollection &symbols,
                            Value value, unsigned dim) {
  return Tracer(module, symbols).run(value, dim);
}
