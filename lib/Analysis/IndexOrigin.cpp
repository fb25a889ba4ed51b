//===- IndexOrigin.cpp - where an index comes from ------------------------===//
//
// A backward walk over scalars. Unknown ops are taken to combine their
// operands. Conditions and bounds on the way are walked like operands, but what
// they read chooses the index and is no part of it.
//
//===----------------------------------------------------------------------===//
#include "lib/Analysis/IndexOrigin.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::wna16;

bool mlir::wna16::intersect(const CounterSet &a, const CounterSet &b) {
  return llvm::any_of(a, [&](const Counter &c) { return b.count(c) != 0; });
}

bool mlir::wna16::isIdentityConstant(Value tensor) {
  while (auto cast = tensor.getDefiningOp<tensor::CastOp>())
    tensor = cast.getSource();
  DenseIntElementsAttr values;
  if (!matchPattern(tensor, m_Constant(&values)))
    return false;
  uint64_t expected = 0;
  return llvm::all_of(values.getValues<APInt>(),
                      [&](const APInt &value) { return value == expected++; });
}

/// Appends what input number `number` of `successor` can be. Ops that forward
/// fewer values than they have inputs (scf.forall, scf.parallel) are not known.
static void appendPredecessorValues(RegionBranchOpInterface branch,
                                    RegionSuccessor successor, unsigned number,
                                    SmallVector<Value> &values) {
  SmallVector<RegionBranchPoint> points;
  branch.getPredecessors(successor, points);
  for (RegionBranchPoint point : points) {
    OperandRange forwarded = point.isParent()
                                 ? branch.getEntrySuccessorOperands(successor)
                                 : cast<RegionBranchTerminatorOpInterface>(
                                       point.getTerminatorPredecessorOrNull())
                                       .getSuccessorOperands(successor);
    if (number < forwarded.size())
      values.push_back(forwarded[number]);
  }
}

/// Sources of an argument of a block that other blocks branch to.
static void appendBranchOperands(BlockArgument argument,
                                 SmallVector<Value> &values) {
  Block *block = argument.getOwner();
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it)
    if (auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator())) {
      SuccessorOperands operands =
          branch.getSuccessorOperands(it.getSuccessorIndex());
      if (Value operand = operands[argument.getArgNumber()])
        values.push_back(operand);
    }
}

SmallVector<Value> mlir::wna16::getControlFlowSources(Value value) {
  SmallVector<Value> sources;
  if (auto result = dyn_cast<OpResult>(value)) {
    Operation *op = result.getOwner();
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
      appendPredecessorValues(branch, RegionSuccessor(op, op->getResults()),
                              result.getResultNumber(), sources);
    return sources;
  }

  auto argument = cast<BlockArgument>(value);
  Block *block = argument.getOwner();
  if (!block->isEntryBlock()) {
    appendBranchOperands(argument, sources);
    return sources;
  }
  auto branch = dyn_cast_or_null<RegionBranchOpInterface>(block->getParentOp());
  if (!branch)
    return sources;
  // Arguments that control flow does not forward, such as the counter of a
  // loop, are not among the inputs of the region.
  SmallVector<RegionSuccessor> successors;
  for (RegionBranchPoint point : branch.getAllRegionBranchPoints())
    branch.getSuccessorRegions(point, successors);
  for (RegionSuccessor successor : successors) {
    if (successor.getSuccessor() != block->getParent())
      continue;
    ValueRange inputs = successor.getSuccessorInputs();
    auto input = llvm::find(inputs, value);
    if (input == inputs.end())
      continue;
    appendPredecessorValues(branch, successor, input - inputs.begin(), sources);
    break;
  }
  return sources;
}

/// Operands of an op with regions, and of the ends of its regions, that are not
/// handed on: conditions, bounds, selectors.
static SmallVector<Value> getDecidingOperands(RegionBranchOpInterface branch) {
  SmallVector<Value> deciding;
  for (RegionBranchPoint point : branch.getAllRegionBranchPoints()) {
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(point, successors);
    Operation *end = branch;
    if (!point.isParent())
      end = point.getTerminatorPredecessorOrNull();
    llvm::SmallDenseSet<unsigned> handedOn;
    for (RegionSuccessor successor : successors) {
      OperandRange forwarded =
          point.isParent() ? branch.getEntrySuccessorOperands(successor)
                           : cast<RegionBranchTerminatorOpInterface>(end)
                                 .getSuccessorOperands(successor);
      for (unsigned i = 0; i < forwarded.size(); ++i)
        handedOn.insert(forwarded.getBeginOperandIndex() + i);
    }
    for (OpOperand &operand : end->getOpOperands())
      if (!handedOn.contains(operand.getOperandNumber()) &&
          operand.get().getType().isIntOrIndex())
        deciding.push_back(operand.get());
  }
  return deciding;
}

void IndexOrigin::join(const IndexOrigin &other) {
  counters.insert(other.counters.begin(), other.counters.end());
  loaded |= other.loaded;
  chosen |= other.chosen;
}

SmallVector<Value> IndexOrigins::getCallSources(Value value) {
  SmallVector<Value> sources;
  if (auto result = dyn_cast<OpResult>(value)) {
    auto call = dyn_cast<func::CallOp>(result.getOwner());
    if (!call)
      return sources;
    if (auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
            call, call.getCalleeAttr()))
      callee.walk([&](func::ReturnOp end) {
        sources.push_back(end.getOperand(result.getResultNumber()));
      });
    return sources;
  }
  auto argument = cast<BlockArgument>(value);
  auto function =
      dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return sources;
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(function, module);
  if (!uses)
    return sources;
  for (SymbolTable::SymbolUse use : *uses)
    if (auto call = dyn_cast<func::CallOp>(use.getUser()))
      sources.push_back(call.getOperand(argument.getArgNumber()));
  return sources;
}

namespace mlir::wna16 {
class OriginWalk {
public:
  explicit OriginWalk(IndexOrigins &origins) : origins(origins) {}

  /// `user`: the block in which the value is used.
  void visit(Value value, Block *user) {
    choose(origins.control.conditionsOfExit(value.getParentBlock(), user),
           value);
    if (!visited.insert(value).second)
      return;
    Block *here = value.getParentBlock();
    SmallVector<Value> sources = getControlFlowSources(value);
    if (!sources.empty()) {
      if (auto result = dyn_cast<OpResult>(value))
        return visitRegions(result.getOwner(), sources);
      auto argument = cast<BlockArgument>(value);
      for (Value source : sources)
        visit(source, here);
      choose(origins.control.conditionsOf(argument), value);
      // A carried value also varies with its loop.
      addLoopCounters(argument);
      return;
    }
    SmallVector<Value> called = origins.getCallSources(value);
    if (!called.empty()) {
      for (Value source : called)
        visit(source, source.getParentBlock());
      return;
    }
    if (auto argument = dyn_cast<BlockArgument>(value))
      return visitArgument(argument);
    visitOp(value.getDefiningOp());
  }

  /// Adds what decides that it is this value; `conditions` are used with it.
  void choose(ArrayRef<Value> conditions, Value value) {
    for (Value condition : conditions) {
      if (!condition.getType().isIntOrIndex())
        continue;
      OriginWalk walk(origins);
      walk.visited = visited;
      walk.visited.insert(value);
      walk.visit(condition, condition.getParentBlock());
      addChoice(walk.origin);
    }
  }

  IndexOrigin origin;

private:
  /// Bounds and conditions that no data are in say nothing new.
  void addChoice(IndexOrigin choice) {
    if (!choice.loaded && !choice.chosen)
      return;
    choice.loaded = false;
    choice.chosen = true;
    origin.join(choice);
  }

  /// The result of a conditional or a loop: it does not vary with the counters
  /// inside any more.
  void visitRegions(Operation *op, ArrayRef<Value> sources) {
    OriginWalk walk(origins);
    walk.visited = visited;
    for (Value source : sources)
      walk.visit(source, source.getParentBlock());
    SmallVector<Value> deciding =
        getDecidingOperands(cast<RegionBranchOpInterface>(op));
    for (Value operand : deciding) {
      OriginWalk inner(origins);
      inner.visited = visited;
      inner.visit(operand, operand.getParentBlock());
      walk.addChoice(inner.origin);
    }
    llvm::SmallPtrSet<void *, 8> inside;
    op->walk([&](Operation *nested) {
      inside.insert(nested);
      for (Region &region : nested->getRegions())
        for (Block &block : region)
          inside.insert(&block);
    });
    std::erase_if(walk.origin.counters, [&](const Counter &counter) {
      return inside.contains(counter.first);
    });
    origin.join(walk.origin);
    visited.insert(walk.visited.begin(), walk.visited.end());
  }

  void addLoopCounters(BlockArgument argument) {
    auto loop =
        dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    std::optional<SmallVector<Value>> counters;
    if (loop)
      counters = loop.getLoopInductionVars();
    // Loops that count in a carried value (scf.while, branches): the value is
    // the counter.
    if (!counters || counters->empty())
      origin.counters.insert({argument.getOwner(), argument.getArgNumber()});
    else
      for (Value counter : *counters)
        visit(counter, argument.getOwner());
  }

  /// A counter starts where its lower bound says. One that is read once makes
  /// the loop go over another piece of K, in order; one that is read anew in
  /// each round of the loops around finds the place. How far the loop goes is
  /// no matter of a place.
  void visitBounds(LoopLikeOpInterface loop, BlockArgument counter) {
    std::optional<SmallVector<Value>> counters = loop.getLoopInductionVars();
    std::optional<SmallVector<OpFoldResult>> from = loop.getLoopLowerBounds(),
                                             step = loop.getLoopSteps();
    if (!counters || !origins.active.insert(loop).second)
      return;
    for (auto [i, known] : llvm::enumerate(*counters)) {
      if (known != counter)
        continue;
      if (auto value = step ? dyn_cast<Value>((*step)[i]) : Value())
        visit(value, loop->getBlock());
      if (auto value = from ? dyn_cast<Value>((*from)[i]) : Value()) {
        OriginWalk walk(origins);
        walk.visit(value, loop->getBlock());
        if (walk.origin.variesByData())
          origin.join(walk.origin);
      }
    }
    origins.active.erase(loop);
  }

  void visitArgument(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(parent);
    if (!linalgOp) {
      if (!isa_and_nonnull<FunctionOpInterface>(parent))
        origin.counters.insert({argument.getOwner(), number});
      if (auto loop = dyn_cast_or_null<LoopLikeOpInterface>(parent))
        visitBounds(loop, argument);
      return;
    }
    // An element of a tensor, at the place that the indexing map names.
    OpOperand &operand = linalgOp->getOpOperand(number);
    AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
    for (unsigned d = 0; d < map.getNumDims(); ++d)
      if (map.isFunctionOfDim(d))
        origin.counters.insert({parent, d});
    bool inOrder = map.getNumResults() == 1 &&
                   isa<AffineDimExpr>(map.getResult(0)) &&
                   isIdentityConstant(operand.get());
    origin.loaded |= !inOrder && isa<ShapedType>(operand.get().getType());
  }

  void visitOp(Operation *op) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      origin.counters.insert({op->getParentOp(), unsigned(index.getDim())});
      return;
    }
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      origin.loaded |= extract.getIndices().size() != 1 ||
                       !isIdentityConstant(extract.getTensor());
      for (Value index : extract.getIndices())
        visit(index, op->getBlock());
      return;
    }
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      visit(select.getTrueValue(), op->getBlock());
      visit(select.getFalseValue(), op->getBlock());
      choose(select.getCondition(), select);
      return;
    }
    // An op that makes a scalar of a tensor or a buffer has read it, unless it
    // only asked for the shape.
    bool readsShape =
        isa<tensor::DimOp, tensor::RankOp, memref::DimOp, memref::RankOp>(op);
    for (Value operand : op->getOperands()) {
      if (!isa<ShapedType>(operand.getType()))
        visit(operand, op->getBlock());
      else if (!readsShape)
        origin.loaded = true;
    }
  }

  IndexOrigins &origins;
  DenseSet<Value> visited;
};
} // namespace mlir::wna16

IndexOrigin IndexOrigins::get(Value index, Block *user) {
  OriginWalk walk(*this);
  walk.visit(index, user);
  return walk.origin;
}

IndexOrigin IndexOrigins::getChoice(Value value, Block *user) {
  OriginWalk walk(*this);
  Block *here = value.getParentBlock();
  walk.choose(control.conditionsOfExit(here, user), value);
  if (auto result = dyn_cast<OpResult>(value)) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(result.getOwner())) {
      walk.choose(getDecidingOperands(branch), value);
      // Bounds choose which round of a loop is the last one.
      if (walk.origin.variesByData() &&
          isa<LoopLikeOpInterface>(branch.getOperation()))
        for (Region &region : branch->getRegions())
          for (BlockArgument argument : region.getArguments())
            walk.origin.counters.insert(
                {argument.getOwner(), argument.getArgNumber()});
    } else if (auto select = dyn_cast<arith::SelectOp>(result.getOwner()))
      walk.choose(select.getCondition(), value);
  } else {
    walk.choose(control.conditionsOf(cast<BlockArgument>(value)), value);
  }
  return walk.origin;
}
