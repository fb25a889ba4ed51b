//===- Pipelines.h - the phases of the compiler ---------------------------===//
//
// The only list of passes. Every tool, test and Python runs these phases, one
// by one or all together.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_PIPELINES_PIPELINES_H
#define WNA16_LIB_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/ArrayRef.h"

namespace wna16 {

enum class Phase {
  Import,
  Schedule,
  Tile,
  Pipeline,
  Lower,
  Emit,
  CpuVector,
  CpuLower
};

struct PhaseInfo {
  Phase phase;
  /// Also the name of its registered pipeline, with "wna16-" in front.
  llvm::StringRef name;
  llvm::StringRef description;
};

/// All phases of a GPU kernel in order.
llvm::ArrayRef<PhaseInfo> phases();

/// The same for a product on a CPU.
llvm::ArrayRef<PhaseInfo> cpuPhases();

struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{
      *this, "target", llvm::cl::desc("target to compile for (default: sm_90a)"),
      llvm::cl::init("sm_90a")};
  Option<bool> batchInvariant{
      *this, "batch-invariant",
      llvm::cl::desc("one order of summation for every M"),
      llvm::cl::init(false)};
};

/// Adds the passes of one phase to a pass manager of modules.
void buildPhase(mlir::OpPassManager &manager, Phase phase,
                const PipelineOptions &options);

/// Registers `wna16-import`, `wna16-schedule`, `wna16-tile`, `wna16-pipeline`,
/// `wna16-lower`, `wna16-emit` and `wna16-compile`, which is all of them; and
/// `wna16-cpu-vector`, `wna16-cpu-lower` and `wna16-compile-cpu`.
void registerPipelines();

} // namespace wna16

#endif // WNA16_LIB_PIPELINES_PIPELINES_H
