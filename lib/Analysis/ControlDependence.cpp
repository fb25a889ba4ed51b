//===- ControlDependence.cpp - what branches decide -----------------------===//
//
// Every way out of a branch gets a label. Labels spread along the control
// flow; a block that two labels reach is a join, and its own label goes on from
// there. So what lies behind a join does not depend on the branch any more.
//
//===----------------------------------------------------------------------===//
#include "lib/Analysis/ControlDependence.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <utility>

using namespace mlir;

namespace wna16 {

/// The value that the way over `edge` brings for argument `number`; null when
/// that is not known.
static Value valueOver(Block::pred_iterator edge, unsigned number) {
  auto branch = dyn_cast<BranchOpInterface>((*edge)->getTerminator());
  return branch ? branch.getSuccessorOperands(edge.getSuccessorIndex())[number]
                : Value();
}

SmallVector<BlockArgument> ControlDependence::chosenBy(Block *branch) {
  // A label is the way by which the branch was left, or a join.
  llvm::DenseMap<Block *, void *> labels;
  auto labelOver = [&](Block::pred_iterator edge) -> void * {
    // What comes back to the branch is of another round: it has no label.
    if (*edge == branch)
      return &branch->getTerminator()
                  ->getBlockOperands()[edge.getSuccessorIndex()];
    void *label = labels.lookup(*edge);
    // What comes back to a join went out of it.
    return label == (*edge)->getSuccessor(edge.getSuccessorIndex()) ? nullptr
                                                                    : label;
  };
  auto incomingOf = [&](Block *block) {
    llvm::SmallPtrSet<void *, 4> incoming;
    for (auto edge = block->pred_begin(); edge != block->pred_end(); ++edge)
      if (void *label = labelOver(edge))
        incoming.insert(label);
    return incoming;
  };

  Region *region = branch->getParent();
  llvm::ReversePostOrderTraversal<Block *> order(&region->front());
  // Labels settle from one pass over the blocks to the next: at first nothing
  // is known of what comes back by loops.
  bool changed = true;
  for (size_t left = region->getBlocks().size() + 2; changed && left; --left) {
    changed = false;
    for (Block *block : order) {
      llvm::SmallPtrSet<void *, 4> incoming = incomingOf(block);
      if (incoming.empty() || block == branch)
        continue;
      void *label = incoming.size() == 1 ? *incoming.begin() : block;
      changed |= std::exchange(labels[block], label) != label;
    }
  }

  SmallVector<BlockArgument> chosen;
  for (Block &block : *region) {
    if (block.getNumArguments() == 0 || incomingOf(&block).size() < 2)
      continue;
    for (BlockArgument argument : block.getArguments()) {
      std::optional<Value> common;
      bool differ = false;
      for (auto edge = block.pred_begin(); edge != block.pred_end(); ++edge) {
        if (!labelOver(edge))
          continue;
        Value value = valueOver(edge, argument.getArgNumber());
        differ |= !value || (common && *common != value);
        common = value;
      }
      if (differ)
        chosen.push_back(argument);
    }
  }
  return chosen;
}

SmallVector<Value> ControlDependence::conditionsOf(Block *block) {
  SmallVector<Value> conditions;
  if (block->getNumSuccessors() < 2)
    return conditions;
  Operation *terminator = block->getTerminator();
  auto branch = dyn_cast<BranchOpInterface>(terminator);
  for (OpOperand &operand : terminator->getOpOperands())
    if (!branch ||
        !branch.getSuccessorBlockArgument(operand.getOperandNumber()))
      conditions.push_back(operand.get());
  return conditions;
}

SmallVector<Value> ControlDependence::conditionsOf(BlockArgument argument) {
  Region *region = argument.getOwner()->getParent();
  auto [known, isNew] = choices.try_emplace(region);
  if (isNew)
    for (Block &branch : *region) {
      SmallVector<Value> conditions = conditionsOf(&branch);
      if (conditions.empty())
        continue;
      for (BlockArgument chosen : chosenBy(&branch))
        llvm::append_range(known->second[chosen], conditions);
    }
  return known->second.lookup(argument);
}

CFGLoop *ControlDependence::innermostLoop(Block *block) {
  Region *region = block->getParent();
  if (region->hasOneBlock())
    return nullptr;
  std::unique_ptr<CFGLoopInfo> &info = loops[region];
  if (!info)
    info = std::make_unique<CFGLoopInfo>(dominance.getDomTree(region));
  return info->getLoopFor(block);
}

SmallVector<Value> ControlDependence::conditionsOfExit(Block *definition,
                                                       Block *use) {
  SmallVector<Value> conditions;
  use = definition->getParent()->findAncestorBlockInRegion(*use);
  if (!use || use == definition)
    return conditions;
  for (CFGLoop *loop = innermostLoop(definition); loop && !loop->contains(use);
       loop = loop->getParentLoop()) {
    SmallVector<Block *> exiting;
    loop->getExitingBlocks(exiting);
    for (Block *block : exiting)
      llvm::append_range(conditions, conditionsOf(block));
  }
  return conditions;
}

} // namespace wna16
