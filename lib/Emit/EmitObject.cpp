//===- EmitObject.cpp - from the LLVM dialect to machine code -------------===//
//
// translate -> allow full vectors -> optimise -> object file.
//
//===----------------------------------------------------------------------===//
#include "lib/Emit/EmitObject.h"

#include "lib/Emit/DiagnosticBridge.h"
#include "lib/Emit/Optimise.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

using namespace mlir;

namespace wna16 {

/// LLVM's registry of targets is global and its initialisation not safe to run
/// twice at the same time.
static const llvm::Target *findCodeGenerator(const llvm::Triple &triple,
                                             std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  return llvm::TargetRegistry::lookupTarget(triple, error);
}

/// LLVM prefers half of the widest vectors on many CPUs, where others compute
/// beside it; here nothing does.
static void allowVectors(llvm::Module &module, unsigned bits) {
  std::string text = std::to_string(bits);
  for (llvm::Function &function : module) {
    function.addFnAttr("prefer-vector-width", text);
    function.addFnAttr("min-legal-vector-width", text);
  }
}

/// Machine code or its text. Code generation changes the module, so it gets one
/// of its own.
static LogicalResult generate(const llvm::Module &module,
                              llvm::TargetMachine &machine,
                              llvm::CodeGenFileType type, std::string &result) {
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, stream, /*DwoOut=*/nullptr, type))
    return failure();
  codegen.run(*copy);
  result.assign(bytes.begin(), bytes.end());
  return success();
}

FailureOr<EmittedObject> emitObject(ModuleOp module, const CpuTarget &target,
                                    bool texts) {
  llvm::Triple triple(target.triple);
  std::string error;
  const llvm::Target *generator = findCodeGenerator(triple, error);
  if (!generator)
    return module.emitError("this LLVM has no code generator for ")
           << target.name << ": " << error;

  llvm::LLVMContext context;
  DiagnosticBridge bridge(context, module.getLoc());
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "wna16");
  if (!llvmModule)
    return failure();
  std::unique_ptr<llvm::TargetMachine> machine(generator->createTargetMachine(
      triple, target.name, /*Features=*/"", llvm::TargetOptions(),
      llvm::Reloc::PIC_, /*CM=*/std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return module.emitError("LLVM has no code generator for ") << target.name;
  llvmModule->setTargetTriple(triple);
  llvmModule->setDataLayout(machine->createDataLayout());
  allowVectors(*llvmModule, target.vectorBits);
  optimise(*llvmModule, *machine);

  EmittedObject result;
  if (texts) {
    llvm::raw_string_ostream stream(result.llvmIr);
    llvmModule->print(stream, /*AAW=*/nullptr);
    if (failed(generate(*llvmModule, *machine,
                        llvm::CodeGenFileType::AssemblyFile, result.assembly)))
      return module.emitError("LLVM cannot print assembly for ") << target.name;
  }
  if (failed(generate(*llvmModule, *machine, llvm::CodeGenFileType::ObjectFile,
                      result.object)))
    return module.emitError("LLVM cannot write objects for ") << target.name;
  if (bridge.sawError())
    return failure();
  return result;
}

} // namespace wna16
