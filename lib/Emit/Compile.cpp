//===- Compile.cpp - from an MLIR file to kernels -------------------------===//
//
// read -> find the stage -> remaining phases -> emit -> assemble. Nothing here
// knows what a phase does; lib/Pipelines has the only list of passes.
//
//===----------------------------------------------------------------------===//
#include "lib/Emit/Compile.h"

#include "lib/Emit/EmitPtx.h"
#include "lib/Emit/OutputFiles.h"
#include "lib/Emit/Stage.h"
#include "lib/Emit/StepTimer.h"
#include "lib/Pipelines/Pipelines.h"
#include "lib/Register/Register.h"
#include "lib/Target/GpuTarget.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace wna16 {

namespace {

/// One run of `compileFile`.
class Compilation {
public:
  Compilation(StringRef path, const CompileOptions &options,
              raw_ostream &diagnostics)
      : path(path), options(options), diagnostics(diagnostics),
        context(makeRegistry(), MLIRContext::Threading::DISABLED),
        handler(sources, &context, diagnostics) {
    // Source lines say more than a kernel of a thousand ops.
    context.printOpOnDiagnostic(false);
  }

  FailureOr<std::vector<CompiledKernel>> run();
  LogicalResult plan();

private:
  static const DialectRegistry &makeRegistry();

  /// An error that has no place in the file.
  LogicalResult fail(const Twine &message) {
    diagnostics << path << ": error: " << message << "\n";
    return failure();
  }
  LogicalResult fail(llvm::Error error) {
    return fail(llvm::toString(std::move(error)));
  }

  LogicalResult read();
  LogicalResult findStage();
  LogicalResult chooseTarget();
  LogicalResult runPhases();
  FailureOr<CompiledKernel> emitKernel(gpu::GPUModuleOp gpuModule);
  LogicalResult readRecord(LLVM::LLVMFuncOp function, CompiledKernel &kernel);
  LogicalResult assemble(CompiledKernel &kernel);
  LogicalResult dump(const Twine &name, StringRef contents);

  StringRef path;
  const CompileOptions &options;
  raw_ostream &diagnostics;
  llvm::SourceMgr sources;
  MLIRContext context;
  SourceMgrDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  const GpuTarget *target = nullptr;
  /// Index of the first phase to run.
  size_t firstPhase = 0;
  /// gpu.modules after the last phase.
  size_t kernelCount = 0;
};

} // namespace

const DialectRegistry &Compilation::makeRegistry() {
  static const DialectRegistry *registry = [] {
    auto *result = new DialectRegistry;
    registerAll(*result);
    registerEmitTranslations(*result);
    return result;
  }();
  return *registry;
}

LogicalResult Compilation::read() {
  StepTimer timer(options.times, "read");
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file) {
    diagnostics << "error: " << message << "\n";
    return failure();
  }
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  module = parseSourceFile<ModuleOp>(sources, &context);
  return success(static_cast<bool>(module));
}

LogicalResult Compilation::findStage() {
  if (!options.from.empty()) {
    std::optional<size_t> next = phaseAfter(options.from);
    if (!next)
      return fail("unknown stage '" + options.from +
                  "'; known stages: " + stageNames());
    firstPhase = *next;
    return success();
  }
  std::optional<size_t> next = firstPhaseFor(*module);
  if (!next)
    return fail("there is no kernel in this file: expected a function with a "
                "wna16.gemm or another op that is a kernel, a tile.kernel or a gpu.module");
  firstPhase = *next;
  return success();
}

/// The target in the first launch record of a lowered module; empty without
/// one. Records that cannot be read are reported later, with their place.
static std::string targetOfRecord(ModuleOp module) {
  std::string target;
  module->walk([&](LLVM::LLVMFuncOp function) {
    auto text = function->getAttrOfType<StringAttr>(launchAttributeName);
    if (!text)
      return WalkResult::advance();
    if (llvm::Expected<LaunchRecord> record = LaunchRecord::fromJSON(text))
      target = record->target;
    else
      llvm::consumeError(record.takeError());
    return WalkResult::interrupt();
  });
  return target;
}

LogicalResult Compilation::chooseTarget() {
  std::string recordedTarget;
  // A lowered module says what it was lowered for.
  StringRef lowered;
  module->walk([&](gpu::GPUModuleOp gpuModule) {
    if (ArrayAttr targets = gpuModule.getTargetsAttr())
      for (Attribute attribute : targets)
        if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(attribute))
          lowered = nvvm.getChip();
  });
  StringRef name = options.target;
  if (name.empty())
    name = lowered;
  if (name.empty())
    name = recordedTarget = targetOfRecord(*module);
  if (name.empty())
    name = options.defaultTarget;
  target = findTarget(name);
  if (!target)
    return fail(unknownTargetMessage(name));
  if (!lowered.empty() && lowered != name)
    return fail("the kernel was lowered for " + lowered + ", not for " + name +
                "; start from an earlier stage to change the target");
  return success();
}

LogicalResult Compilation::dump(const Twine &name, StringRef contents) {
  if (options.dumpStages.empty())
    return success();
  if (llvm::Error error =
          writeOutputFile(options.dumpStages, name.str(), contents))
    return fail(std::move(error));
  return success();
}

LogicalResult Compilation::runPhases() {
  PipelineOptions pipelineOptions;
  pipelineOptions.target = target->name.str();
  pipelineOptions.batchInvariant = options.ranges.batchInvariant;
  for (size_t index = firstPhase; index < phases().size(); ++index) {
    const PhaseInfo &phase = phases()[index];
    {
      StepTimer timer(options.times, phase.name);
      PassManager manager(&context);
      buildPhase(manager, phase.phase, pipelineOptions);
      if (failed(manager.run(*module)))
        return failure();
    }
    // What is emitted is dumped as PTX.
    if (options.dumpStages.empty() || phase.phase == Phase::Emit)
      continue;
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    stream << "\n";
    if (failed(dump(stageFileName(index), text)))
      return failure();
  }
  return success();
}

/// The kernel of a gpu.module, with an error unless there is exactly one.
static LLVM::LLVMFuncOp findKernel(gpu::GPUModuleOp gpuModule) {
  LLVM::LLVMFuncOp kernel;
  for (auto function : gpuModule.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      continue;
    if (kernel) {
      InFlightDiagnostic diagnostic = gpuModule.emitError(
          "expected one kernel per gpu.module, found a second one");
      diagnostic.attachNote(function.getLoc()) << "the second kernel";
      return {};
    }
    kernel = function;
  }
  if (!kernel)
    gpuModule.emitError("no llvm.func with the attribute nvvm.kernel in it");
  return kernel;
}

LogicalResult Compilation::readRecord(LLVM::LLVMFuncOp function,
                                      CompiledKernel &kernel) {
  auto text = function->getAttrOfType<StringAttr>(launchAttributeName);
  if (!text) {
    if (options.requireLaunchRecord)
      return function.emitError("no launch record: expected the string "
                                "attribute '")
             << launchAttributeName << "'";
    kernel.record.kernel = kernel.name;
    kernel.record.target = target->name.str();
    return success();
  }
  llvm::Expected<LaunchRecord> record = LaunchRecord::fromJSON(text);
  if (!record)
    return function.emitError() << llvm::toString(record.takeError());
  if (record->kernel != kernel.name)
    return function.emitError("its launch record is that of kernel '")
           << record->kernel << "'";
  if (record->target != target->name)
    return function.emitError("its launch record is for target ")
           << record->target << ", it is compiled for " << target->name;
  kernel.record = std::move(*record);
  return success();
}

LogicalResult Compilation::assemble(CompiledKernel &kernel) {
  StepTimer timer(options.times, "ptxas");
  llvm::Expected<Assembly> assembly =
      assemblePtx(kernel.ptx, *target, options.ptxas);
  if (!assembly)
    return fail("kernel '" + kernel.name +
                "': " + llvm::toString(assembly.takeError()));
  kernel.assembly = std::move(*assembly);
  auto resources = kernel.assembly.resources.find(kernel.name);
  if (resources != kernel.assembly.resources.end())
    kernel.record.resources = resources->second.forLaunch();
  return success();
}

FailureOr<CompiledKernel> Compilation::emitKernel(gpu::GPUModuleOp gpuModule) {
  LLVM::LLVMFuncOp function = findKernel(gpuModule);
  if (!function)
    return failure();
  CompiledKernel kernel;
  kernel.name = function.getName().str();
  if (failed(readRecord(function, kernel)))
    return failure();
  {
    StepTimer timer(options.times, "codegen");
    FailureOr<EmittedPtx> emitted =
        emitPtx(gpuModule, *target, {options.keepLlvmIr});
    if (failed(emitted))
      return failure();
    kernel.ptx = std::move(emitted->ptx);
    kernel.llvmIr = std::move(emitted->llvmIr);
  }
  // The names are fixed while there is nothing to tell apart.
  bool alone = kernelCount == 1;
  if (failed(
          dump("60-" + (alone ? "kernel" : kernel.name) + ".ptx", kernel.ptx)))
    return failure();
  if (options.assemble && failed(assemble(kernel)))
    return failure();
  kernel.record.ptx = kernel.name + ".ptx";
  if (kernel.assembly.cubin)
    kernel.record.cubin = kernel.name + ".cubin";
  if (failed(dump("70-" + (alone ? "launch" : kernel.name) + ".json",
                  kernel.record.toJSON())))
    return failure();
  return kernel;
}

LogicalResult Compilation::plan() {
  if (failed(read()) || failed(findStage()) || failed(chooseTarget()))
    return failure();
  if (!options.plans)
    return success();
  auto plans = planGemms(*module, *target, options.ranges);
  if (failed(plans))
    return failure();
  *options.plans = std::move(*plans);
  return success();
}

FailureOr<std::vector<CompiledKernel>> Compilation::run() {
  if (failed(plan()) || failed(runPhases()))
    return failure();
  module->walk([&](gpu::GPUModuleOp) { ++kernelCount; });
  std::vector<CompiledKernel> kernels;
  llvm::StringSet<> names;
  WalkResult result = module->walk([&](gpu::GPUModuleOp gpuModule) {
    FailureOr<CompiledKernel> kernel = emitKernel(gpuModule);
    if (failed(kernel))
      return WalkResult::interrupt();
    if (!names.insert(kernel->name).second) {
      gpuModule.emitError("a second kernel is named '") << kernel->name << "'";
      return WalkResult::interrupt();
    }
    kernels.push_back(std::move(*kernel));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (kernels.empty())
    return fail("no gpu.module is left after the last phase");
  return kernels;
}

/// An unknown name is reported before the file is read.
static LogicalResult checkTarget(StringRef name, raw_ostream &diagnostics) {
  if (name.empty() || findTarget(name))
    return success();
  diagnostics << "error: " << unknownTargetMessage(name) << "\n";
  return failure();
}

FailureOr<std::vector<CompiledKernel>>
compileFile(StringRef path, const CompileOptions &options,
            raw_ostream &diagnostics) {
  if (failed(checkTarget(options.target, diagnostics)))
    return failure();
  return Compilation(path, options, diagnostics).run();
}

LogicalResult planFile(StringRef path, const CompileOptions &options,
                       raw_ostream &diagnostics) {
  if (failed(checkTarget(options.target, diagnostics)))
    return failure();
  return Compilation(path, options, diagnostics).plan();
}

llvm::Error writeKernels(ArrayRef<CompiledKernel> kernels,
                         StringRef directory) {
  OutputFiles files(directory);
  if (llvm::Error error = files.prepare())
    return error;
  for (const CompiledKernel &kernel : kernels) {
    if (llvm::Error error = files.add(kernel.name + ".ptx", kernel.ptx))
      return error;
    if (kernel.assembly.cubin)
      if (llvm::Error error =
              files.add(kernel.name + ".cubin", *kernel.assembly.cubin))
        return error;
    // The record last: whoever finds it finds the files that it names.
    if (llvm::Error error =
            files.add(kernel.name + ".json", kernel.record.toJSON()))
      return error;
  }
  return files.commit();
}

} // namespace wna16
