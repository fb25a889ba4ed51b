//===- Register.cpp - one registration for all tools ----------------------===//

#include "lib/Register/Register.h"

#include "dialect/Tile/Tile.h"
#include "dialect/Wna16/Wna16.h"
#include "lib/Conversion/MoeToGPU/Passes.h"
#include "lib/Conversion/RepackToGPU/Passes.h"
#include "lib/Conversion/TileToNVVM/TileToNVVM.h"
#include "lib/Conversion/Wna16ToLinalg/Passes.h"
#include "lib/Conversion/Wna16ToVector/Passes.h"
#include "lib/Emit/EmitPtx.h"
#include "lib/Pipelines/Pipelines.h"
#include "lib/Transforms/KernelPasses.h"
#include "lib/Transforms/TilePasses.h"
#include "lib/Transforms/Wna16Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

void wna16::registerAll(mlir::DialectRegistry &registry) {
  registry.insert<mlir::wna16::Wna16Dialect, mlir::tile::TileDialect,
                  mlir::arith::ArithDialect, mlir::scf::SCFDialect,
                  mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::tensor::TensorDialect, mlir::linalg::LinalgDialect,
                  mlir::bufferization::BufferizationDialect,
                  mlir::memref::MemRefDialect, mlir::vector::VectorDialect>();
  // LLVM, NVVM and gpu come with their translations.
  registerEmitTranslations(registry);
}

void wna16::registerAllPasses() {
  mlir::wna16::registerWna16Passes();
  mlir::wna16::registerWna16ToLinalgPasses();
  registerWna16ToVectorPasses();
  registerTilePasses();
  registerTileToNVVMPasses();
  registerMoeToGPUPasses();
  registerRepackToGPUPasses();
  registerKernelPasses();
  registerPipelines();
  // The upstream passes of the lower phase, for --run-reproducer.
  mlir::registerSCFToControlFlowPass();
  mlir::registerArithToLLVMConversionPass();
  mlir::registerConvertControlFlowToLLVMPass();
  mlir::registerConvertNVVMToLLVMPass();
  mlir::registerReconcileUnrealizedCastsPass();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
}
