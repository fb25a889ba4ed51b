//===- EmitPtx.cpp - from the LLVM dialect to PTX text --------------------===//
//
// translate -> mark convergent -> optimise with the NVPTX target machine ->
// print PTX. Each step that is not the obvious one says why.
//
//===----------------------------------------------------------------------===//
#include "lib/Emit/EmitPtx.h"

#include "lib/Emit/DiagnosticBridge.h"
#include "lib/Emit/Optimise.h"

#include "mlir/Pass/Pass.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

#include <mutex>

using namespace mlir;

namespace wna16 {

void registerEmitTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  // For #nvvm.target on a gpu.module.
  NVVM::registerNVVMTargetInterfaceExternalModels(registry);
}

/// LLVM's registry of targets is global and its initialisation not safe to run
/// twice at the same time.
static const llvm::Target *nvptxTarget(std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  return llvm::TargetRegistry::lookupTarget(llvm::Triple("nvptx64-nvidia-cuda"),
                                            error);
}

/// Inline assembly cannot be marked convergent in the LLVM dialect, and LLVM
/// declares the mma intrinsics without the mark. Unmarked, a warp-wide
/// instruction may be copied into both sides of a branch on a lane id.
static void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    // A call of this function is convergent unless LLVM finds that it need
    // not be.
    function.setConvergent();
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call)
        continue;
      if (auto *assembly =
              llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand())) {
        if (assembly->hasSideEffects())
          call->setConvergent();
        continue;
      }
      llvm::Function *callee = call->getCalledFunction();
      if (callee && (callee->getName().starts_with("llvm.nvvm.mma.") ||
                     callee->getName().starts_with("llvm.nvvm.ldmatrix.") ||
                     callee->getName().starts_with("llvm.nvvm.stmatrix.")))
        call->setConvergent();
    }
  }
}

/// A device function that nobody defines would reach ptxas as an unresolved
/// symbol (`math.exp` becomes a call into a library that is not linked).
static LogicalResult checkNoUndefinedCalls(const llvm::Module &module,
                                           gpu::GPUModuleOp op) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty())
      return op.emitError("calls '")
             << function.getName()
             << "', which is defined nowhere; kernels are not linked with a "
                "device library";
  return success();
}

/// Some nvvm ops translate only after they became inline PTX. The conversion
/// runs on a copy, so that the caller's module stays printable as it was.
static OwningOpRef<gpu::GPUModuleOp> legalizedCopy(gpu::GPUModuleOp module) {
  OwningOpRef<gpu::GPUModuleOp> copy(cast<gpu::GPUModuleOp>(module->clone()));
  PassManager manager(module.getContext(),
                      gpu::GPUModuleOp::getOperationName());
  manager.addPass(createConvertNVVMToLLVMPass());
  if (failed(manager.run(copy.get())))
    return {};
  return copy;
}

FailureOr<EmittedPtx> emitPtx(gpu::GPUModuleOp module, const GpuTarget &target,
                              const EmitOptions &options) {
  if (failed(checkEmittable(module, target)))
    return failure();

  std::string error;
  const llvm::Target *nvptx = nvptxTarget(error);
  if (!nvptx)
    return module.emitError("this LLVM was built without NVPTX: ") << error;

  DialectRegistry registry;
  registerEmitTranslations(registry);
  module.getContext()->appendDialectRegistry(registry);
  OwningOpRef<gpu::GPUModuleOp> copy = legalizedCopy(module);
  if (!copy)
    return failure();

  llvm::LLVMContext context;
  DiagnosticBridge bridge(context, module.getLoc());
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(copy.get(), context, module.getName());
  if (!llvmModule)
    return failure();

  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::unique_ptr<llvm::TargetMachine> machine(nvptx->createTargetMachine(
      triple, target.llvmCpu, target.ptxFeature, llvm::TargetOptions(),
      /*RM=*/std::nullopt, /*CM=*/std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return module.emitError("LLVM has no code generator for ") << target.name;
  llvmModule->setTargetTriple(triple);
  llvmModule->setDataLayout(machine->createDataLayout());

  markConvergent(*llvmModule);
  optimise(*llvmModule, *machine);
  if (failed(checkNoUndefinedCalls(*llvmModule, module)))
    return failure();

  EmittedPtx result;
  if (options.keepLlvmIr) {
    llvm::raw_string_ostream stream(result.llvmIr);
    llvmModule->print(stream, /*AAW=*/nullptr);
  }

  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, /*DwoOut=*/nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return module.emitError("LLVM cannot print assembly for ") << target.name;
  codegen.run(*llvmModule);
  if (bridge.sawError())
    return failure();
  result.ptx = text.str().str();
  return result;
}

} // namespace wna16
