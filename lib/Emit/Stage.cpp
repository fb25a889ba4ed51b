//===- Stage.cpp - which phase comes next for a file ----------------------===//
#include "lib/Emit/Stage.h"

#include "dialect/Tile/Tile.h"
#include "dialect/Wna16/Wna16.h"
#include "lib/Pipelines/Pipelines.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <algorithm>

using namespace mlir;

namespace wna16 {

std::optional<size_t> phaseAfter(StringRef name) {
  if (name == "source")
    return 0;
  for (size_t index = 0; index < phases().size(); ++index)
    if (phases()[index].name == name)
      return index + 1;
  return std::nullopt;
}

std::string stageNames() {
  std::string names = "source";
  for (const PhaseInfo &phase : phases())
    names += ", " + phase.name.str();
  return names;
}

std::string stageFileName(size_t index) {
  return std::to_string(10 * (index + 1)) + "-" + phases()[index].name.str() +
         ".mlir";
}

/// Whether assign-layouts has been here.
static bool hasLayouts(tile::KernelOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto value = dyn_cast<tile::ValType>(type);
      if (value && !value.getLayout())
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

std::optional<size_t> firstPhaseFor(ModuleOp module) {
  std::optional<size_t> first;
  bool unscheduled = false;
  auto see = [&](StringRef stage) {
    size_t next = *phaseAfter(stage);
    first = first ? std::min(*first, next) : next;
  };
  module.walk([&](Operation *op) {
    if (auto kernel = dyn_cast<tile::KernelOp>(op)) {
      // allocate-shared is the last pass of its phase that leaves a trace,
      // assign-layouts of the one before.
      see(kernel.getSharedBytes() ? "pipeline"
          : hasLayouts(kernel)    ? "tile"
                                  : "schedule");
      return WalkResult::skip();
    }
    if (isa<gpu::GPUModuleOp>(op)) {
      see("lower");
      return WalkResult::skip();
    }
    if (isa<mlir::wna16::RepackOp, mlir::wna16::MoeRouteOp,
            mlir::wna16::MoeSumOp>(op)) {
      unscheduled = true;
      return WalkResult::advance();
    }
    // The first two phases keep a schedule that is there, and check it.
    if (op->getName().getDialectNamespace() == "wna16")
      see("source");
    return WalkResult::advance();
  });
  // These stay as they are until they are lowered, beside kernels of any stage.
  if (unscheduled)
    see(first ? "pipeline" : "source");
  return first;
}

} // namespace wna16
