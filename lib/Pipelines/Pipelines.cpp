//===- Pipelines.cpp - the phases of the compiler -------------------------===//

#include "lib/Pipelines/Pipelines.h"

#include "lib/Conversion/MoeToGPU/Passes.h"
#include "lib/Conversion/RepackToGPU/Passes.h"
#include "lib/Conversion/TileToNVVM/TileToNVVM.h"
#include "lib/Conversion/Wna16ToVector/Passes.h"
#include "lib/Transforms/KernelPasses.h"
#include "lib/Transforms/TilePasses.h"
#include "lib/Transforms/Wna16Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace ::wna16;

/// On every tile.kernel.
static OpPassManager &kernels(OpPassManager &manager) {
  return manager.nest<tile::KernelOp>();
}

static void buildImport(OpPassManager &manager) {
  // First of all: every later pass may assume that a layout was not dropped.
  manager.addPass(mlir::wna16::createVerifyEncodedUse());
  // Before anything is lowered, so that the error names the user's op.
  manager.addPass(mlir::wna16::createVerifyOrder());
}

static void buildSchedule(OpPassManager &manager,
                          const PipelineOptions &options) {
  manager.addPass(
      createSelectSchedule({options.target, options.batchInvariant}));
}

static void buildTile(OpPassManager &manager) {
  manager.addPass(createTileGemm());
  // Before split-k: it looks for products whose scales are known.
  kernels(manager).addPass(createPlaceScales());
  // Before assign-layouts: a layout is about the warps of one part.
  kernels(manager).addPass(createSplitK());
  kernels(manager).addPass(createAssignLayouts());
}

static void buildPipeline(OpPassManager &manager,
                          const PipelineOptions &options) {
  kernels(manager).addPass(createPipelineLoads());
  // Takes the fills out of the loop that they were put into.
  kernels(manager).addPass(createSpecializeRoles());
  kernels(manager).addPass(createShareRegisters({options.target}));
  // Looks for the first fill, wherever it is now.
  kernels(manager).addPass(createPlaceDependency());
  // Needs reads to cut, which pipeline-loads makes.
  kernels(manager).addPass(createSliceMma());
  // Needs the reads and asynchronous products that pipeline-loads makes.
  kernels(manager).addPass(createCarryFragments());
  // Before allocate-shared, which finds room for what it adds.
  kernels(manager).addPass(createStageStores());
  // After everything that looks for the loop over K in a role.
  kernels(manager).addPass(createFlattenWork());
  // After everything that adds or moves ring ops.
  kernels(manager).addPass(createAssignWaits());
  kernels(manager).addPass(createAllocateShared());
  // Merges constants and coordinates that were computed twice.
  kernels(manager).addPass(mlir::createCSEPass());
  // The contract of this phase.
  kernels(manager).addPass(createVerifyTile());
}

static void buildLower(OpPassManager &manager, const PipelineOptions &options) {
  // A file that starts here may have been edited by hand.
  kernels(manager).addPass(createVerifyTile());
  manager.addPass(createConvertTileToNVVM({options.target}));
  // These need no schedule and no tiles: the ops are what they were at import.
  manager.addPass(createConvertRepackToGPU({options.target}));
  manager.addPass(createConvertMoeRouteToGPU({options.target}));
  manager.addPass(createConvertMoeSumToGPU({options.target}));
  OpPassManager &module = manager.nest<gpu::GPUModuleOp>();
  module.addPass(createSCFToControlFlowPass());
  // Coordinates, counters and sizes fit 32 bits; addresses are computed in 64
  // by convert-tile-to-nvvm, and the passes of one op each use no index.
  ArithToLLVMConversionPassOptions arith;
  arith.indexBitwidth = 32;
  module.addPass(createArithToLLVMConversionPass(arith));
  ConvertControlFlowToLLVMPassOptions controlFlow;
  controlFlow.indexBitwidth = 32;
  // This one runs on modules only.
  manager.addPass(createConvertControlFlowToLLVMPass(controlFlow));
  OpPassManager &lowered = manager.nest<gpu::GPUModuleOp>();
  lowered.addPass(createConvertNVVMToLLVMPass());
  lowered.addPass(createReconcileUnrealizedCastsPass());
  lowered.addPass(mlir::createCSEPass());
}

/// Also for kernels that come from a file: nothing is emitted unchecked.
static void buildEmit(OpPassManager &manager, const PipelineOptions &options) {
  OpPassManager &module = manager.nest<gpu::GPUModuleOp>();
  module.addPass(createVerifyKernelOrder());
  module.addPass(createCheckResources({options.target}));
}

static void buildCpuVector(OpPassManager &manager,
                           const PipelineOptions &options) {
  manager.addPass(createConvertWna16ToVector({options.target}));
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
}

static void buildCpuLower(OpPassManager &manager) {
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createSCFToControlFlowPass());
  // No library that is called at run time: bfloat16 is computed in integers.
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  manager.addPass(arith::createArithExpandOpsPass(expand));
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(mlir::createCSEPass());
}

namespace wna16 {
ArrayRef<PhaseInfo> cpuPhases() {
  static const PhaseInfo all[] = {
      {Phase::Import, "import", "Check a module that comes from outside"},
      {Phase::CpuVector, "cpu-vector", "Turn gemms into loops over vectors"},
      {Phase::CpuLower, "cpu-lower", "Turn loops over vectors into LLVM"},
  };
  return all;
}

ArrayRef<PhaseInfo> phases() {
  static const PhaseInfo all[] = {
      {Phase::Import, "import", "Check a module that comes from outside"},
      {Phase::Schedule, "schedule", "Choose how each gemm is computed"},
      {Phase::Tile, "tile", "Turn gemms into kernels on tiles"},
      {Phase::Pipeline, "pipeline", "Make loads asynchronous, place buffers"},
      {Phase::Lower, "lower",
       "Turn tiles and ops of one kernel each into per-thread LLVM and NVVM"},
      {Phase::Emit, "emit", "Check finished kernels before they are emitted"},
  };
  return all;
}
} // namespace wna16

void ::wna16::buildPhase(OpPassManager &manager, Phase phase,
                         const PipelineOptions &options) {
  switch (phase) {
  case Phase::Import:
    return buildImport(manager);
  case Phase::Schedule:
    return buildSchedule(manager, options);
  case Phase::Tile:
    return buildTile(manager);
  case Phase::Pipeline:
    return buildPipeline(manager, options);
  case Phase::Lower:
    return buildLower(manager, options);
  case Phase::Emit:
    return buildEmit(manager, options);
  case Phase::CpuVector:
    return buildCpuVector(manager, options);
  case Phase::CpuLower:
    return buildCpuLower(manager);
  }
}

void ::wna16::registerPipelines() {
  // Registration keeps the strings for the life of the process.
  using Registration = PassPipelineRegistration<PipelineOptions>;
  static std::vector<std::unique_ptr<Registration>> registrations;
  static std::vector<std::string> names;
  SmallVector<PhaseInfo> single(phases());
  llvm::append_range(single, cpuPhases().drop_front()); // both import
  names.reserve(single.size());
  for (const PhaseInfo &info : single) {
    Phase phase = info.phase;
    names.push_back("wna16-" + info.name.str());
    registrations.push_back(std::make_unique<Registration>(
        names.back(), info.description,
        [phase](OpPassManager &manager, const PipelineOptions &options) {
          buildPhase(manager, phase, options);
        }));
  }
  static PassPipelineRegistration<PipelineOptions> all(
      "wna16-compile", "All phases: from wna16 ops to the LLVM dialect",
      [](OpPassManager &manager, const PipelineOptions &options) {
        for (const PhaseInfo &info : phases())
          buildPhase(manager, info.phase, options);
      });
  static PassPipelineRegistration<PipelineOptions> cpu(
      "wna16-compile-cpu", "From wna16 ops to the LLVM dialect for a CPU",
      [](OpPassManager &manager, const PipelineOptions &options) {
        for (const PhaseInfo &info : cpuPhases())
          buildPhase(manager, info.phase, options);
      });
}
