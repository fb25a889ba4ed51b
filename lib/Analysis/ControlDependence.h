//===- ControlDependence.h - what branches decide -------------------------===//
//
// Which blocks a branch decides the way into, and which loops a value leaves:
// the two ways in which control flow between blocks chooses a value.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_ANALYSIS_CONTROLDEPENDENCE_H
#define WNA16_LIB_ANALYSIS_CONTROLDEPENDENCE_H

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <memory>

namespace wna16 {

class ControlDependence {
public:
  /// Block arguments that depend on the way by which `branch` was left: ways
  /// that part there meet for the first time in their block, and bring
  /// different values.
  static llvm::SmallVector<mlir::BlockArgument> chosenBy(mlir::Block *branch);

  /// Operands of the terminator of `block` that decide where it goes; empty
  /// when there is one way only.
  static llvm::SmallVector<mlir::Value> conditionsOf(mlir::Block *block);

  /// Conditions of branches that choose `argument`.
  llvm::SmallVector<mlir::Value> conditionsOf(mlir::BlockArgument argument);

  /// Conditions that decide in which round the loops of blocks are left that
  /// hold `definition` and not `use` (a block of the region, or inside one).
  llvm::SmallVector<mlir::Value> conditionsOfExit(mlir::Block *definition,
                                                  mlir::Block *use);

  /// The innermost loop of blocks that holds `block`, or null.
  mlir::CFGLoop *innermostLoop(mlir::Block *block);

private:
  std::map<mlir::Region *, std::unique_ptr<mlir::CFGLoopInfo>> loops;
  mlir::DominanceInfo dominance;
  /// By region: for each block argument what chooses it.
  std::map<mlir::Region *,
           llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>>>
      choices;
};

} // namespace wna16

#endif // WNA16_LIB_ANALYSIS_CONTROLDEPENDENCE_H
