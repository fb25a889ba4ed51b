//===- Dependency.cpp - what a kernel may touch before it waits -----------===//

#include "lib/Analysis/Dependency.h"

#include "lib/Analysis/TileTrace.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

class WaitChecker : public TileTrace {
public:
  LogicalResult check(ForEachWorkOp work) {
    for (Agent next : agentsOf(work, /*block=*/0)) {
      hasWaited = false;
      if (failed(run(work, next)))
        return failure();
    }
    return success();
  }

private:
  LogicalResult visit(Operation *op) override {
    hasWaited |= isa<DependencyWaitOp>(op);
    if (hasWaited || !touchesShared(op))
      return success();
    return op->emitOpError("touches a matrix that the kernel in front may "
                           "still use before tile.dependency_wait [DEP-V1]");
  }

  bool hasWaited = false;
};

} // namespace

namespace wna16 {

bool isShared(GlobalType matrix) { return !matrix.getLayout(); }

bool touchesShared(Operation *op) {
  auto rows = dyn_cast<RowsOp>(op);
  // Views read nothing, but for the map of rows.
  if (getViewSource(op) && !(rows && rows.getMap()))
    return false;
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    auto matrix = dyn_cast<GlobalType>(type);
    return matrix && isShared(matrix);
  });
}

DependencyWaitOp findDependencyWait(KernelOp kernel) {
  DependencyWaitOp found;
  kernel.walk([&](DependencyWaitOp wait) {
    found = wait;
    return WalkResult::interrupt();
  });
  return found;
}

LogicalResult checkDependency(ForEachWorkOp work) {
  if (!findDependencyWait(work->getParentOfType<KernelOp>()))
    return success();
  return WaitChecker().check(work);
}

} // namespace wna16
