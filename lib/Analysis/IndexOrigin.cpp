//===- IndexOrigin.cpp - where an index comes from ------------------------===//
//
// A backward walk over scalars. Unknown ops are taken to combine their
// operands.
//
//===----------------------------------------------------------------------===//
#include "lib/Analysis/IndexOrigin.h"

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

namespace {
class OriginWalk {
public:
  void visit(Value value) {
    if (!visited.insert(value).second)
      return;
    SmallVector<Value> sources = getControlFlowSources(value);
    if (!sources.empty()) {
      for (Value source : sources)
        visit(source);
      // A carried value also varies with its loop.
      if (auto argument = dyn_cast<BlockArgument>(value))
        addLoopCounters(argument);
      return;
    }
    if (auto argument = dyn_cast<BlockArgument>(value))
      return visitArgument(argument);
    visitOp(value.getDefiningOp());
  }

  IndexOrigin origin;

private:
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
        visit(counter);
  }

  void visitArgument(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(parent);
    if (!linalgOp) {
      if (!isa_and_nonnull<FunctionOpInterface>(parent))
        origin.counters.insert({argument.getOwner(), number});
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
        visit(index);
      return;
    }
    // An op that makes a scalar of a tensor or a buffer has read it, unless it
    // only asked for the shape.
    bool readsShape =
        isa<tensor::DimOp, tensor::RankOp, memref::DimOp, memref::RankOp>(op);
    for (Value operand : op->getOperands()) {
      if (!isa<ShapedType>(operand.getType()))
        visit(operand);
      else if (!readsShape)
        origin.loaded = true;
    }
  }

  DenseSet<Value> visited;
};
} // namespace

IndexOrigin mlir::wna16::getIndexOrigin(Value index) {
  OriginWalk walk;
  walk.visit(index);
  return walk.origin;
}
