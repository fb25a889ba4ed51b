//===- CompileCpu.cpp - from an MLIR file to products on a CPU ------------===//
//
// read -> find the stage -> remaining phases -> machine code -> shared library.
//
//===----------------------------------------------------------------------===//
#include "lib/Emit/CompileCpu.h"

#include "lib/Emit/EmitObject.h"
#include "lib/Emit/Linker.h"
#include "lib/Emit/OutputFiles.h"
#include "lib/Emit/StepTimer.h"
#include "lib/Pipelines/Pipelines.h"
#include "lib/Register/Register.h"
#include "lib/Target/CpuTarget.h"

#include "dialect/Wna16/Wna16.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace wna16 {

namespace {

/// One run of `compileCpuFile`.
class CpuCompilation {
public:
  CpuCompilation(StringRef path, const CompileOptions &options,
                 const CpuTarget &target, raw_ostream &diagnostics)
      : path(path), options(options), target(target), diagnostics(diagnostics),
        context(makeRegistry(), MLIRContext::Threading::DISABLED),
        handler(sources, &context, diagnostics) {
    // Source lines say more than a function of a thousand ops.
    context.printOpOnDiagnostic(false);
  }

  FailureOr<std::vector<CompiledProduct>> run();

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAll(registry);
    return registry;
  }

  /// An error that has no place in the file.
  LogicalResult fail(const Twine &message) {
    diagnostics << path << ": error: " << message << "\n";
    return failure();
  }

  LogicalResult read();
  LogicalResult findStage();
  LogicalResult runPhases();
  LogicalResult dump(StringRef name, Operation *op);
  FailureOr<CompiledProduct> emit(LLVM::LLVMFuncOp function);

  StringRef path;
  const CompileOptions &options;
  const CpuTarget &target;
  raw_ostream &diagnostics;
  llvm::SourceMgr sources;
  MLIRContext context;
  SourceMgrDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  /// Index of the first phase to run.
  size_t firstPhase = 0;
};

} // namespace

LogicalResult CpuCompilation::read() {
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

/// Launch records travel on functions from cpu-vector on.
LogicalResult CpuCompilation::findStage() {
  std::string names = "source";
  for (auto [index, phase] : llvm::enumerate(cpuPhases())) {
    names += ", " + phase.name.str();
    if (options.from == phase.name) {
      firstPhase = index + 1;
      return success();
    }
  }
  if (!options.from.empty() && options.from != "source")
    return fail("unknown stage '" + options.from +
                "'; known stages for a CPU: " + names);
  bool product = false;
  module->walk([&](Operation *op) {
    if (isa<mlir::wna16::GemmOp>(op))
      product = true;
    if (!op->hasAttr(launchAttributeName))
      return;
    product = true;
    if (options.from.empty())
      firstPhase = cpuPhases().size() - (isa<LLVM::LLVMFuncOp>(op) ? 0 : 1);
  });
  if (!product)
    return fail("there is no product in this file: expected a function with a "
                "wna16.gemm, or one with the attribute '" +
                launchAttributeName + "'");
  return success();
}

LogicalResult CpuCompilation::dump(StringRef name, Operation *op) {
  if (options.dumpStages.empty())
    return success();
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  stream << "\n";
  if (llvm::Error error = writeOutputFile(options.dumpStages, name, text))
    return fail(llvm::toString(std::move(error)));
  return success();
}

LogicalResult CpuCompilation::runPhases() {
  PipelineOptions pipelineOptions;
  pipelineOptions.target = target.name.str();
  for (size_t index = firstPhase; index < cpuPhases().size(); ++index) {
    const PhaseInfo &phase = cpuPhases()[index];
    {
      StepTimer timer(options.times, phase.name);
      PassManager manager(&context);
      buildPhase(manager, phase.phase, pipelineOptions);
      if (failed(manager.run(*module)))
        return failure();
    }
    std::string name =
        std::to_string(10 * (index + 1)) + "-" + phase.name.str() + ".mlir";
    if (failed(dump(name, *module)))
      return failure();
  }
  return success();
}

/// What MLIR puts before the name of a function's C interface.
static constexpr llvm::StringLiteral interfacePrefix = "_mlir_ciface_";

/// A module of `function` and of its C interface alone.
static OwningOpRef<ModuleOp> moduleOf(LLVM::LLVMFuncOp function) {
  OwningOpRef<ModuleOp> result(ModuleOp::create(function.getLoc()));
  std::string wrapper = (interfacePrefix + function.getName()).str();
  for (auto each :
       function->getParentOfType<ModuleOp>().getOps<LLVM::LLVMFuncOp>())
    if (each == function || each.getName() == wrapper)
      result->push_back(each->clone());
  return result;
}

FailureOr<CompiledProduct> CpuCompilation::emit(LLVM::LLVMFuncOp function) {
  CompiledProduct product;
  product.name = function.getName().str();
  auto text = function->getAttrOfType<StringAttr>(launchAttributeName);
  llvm::Expected<LaunchRecord> record =
      LaunchRecord::fromJSON(text ? text.getValue() : "");
  if (!record)
    return function.emitError() << llvm::toString(record.takeError());
  product.record = std::move(*record);
  if (product.record.target != target.name)
    return function.emitError("its launch record is for target ")
           << product.record.target << ", it is compiled for " << target.name;
  product.record.library = product.name + ".so";

  EmittedObject object;
  {
    StepTimer timer(options.times, "codegen");
    FailureOr<EmittedObject> emitted =
        emitObject(*moduleOf(function), target, options.keepLlvmIr);
    if (failed(emitted))
      return failure();
    object = std::move(*emitted);
  }
  product.assembly = std::move(object.assembly);
  product.llvmIr = std::move(object.llvmIr);
  if (!options.assemble)
    return product;
  StepTimer timer(options.times, "link");
  llvm::Expected<std::string> library =
      linkObject(object.object, options.linker);
  if (!library)
    return fail("product '" + product.name +
                "': " + llvm::toString(library.takeError()));
  product.library = std::move(*library);
  return product;
}

FailureOr<std::vector<CompiledProduct>> CpuCompilation::run() {
  if (failed(read()) || failed(findStage()) || failed(runPhases()))
    return failure();
  std::vector<CompiledProduct> products;
  for (auto function : module->getOps<LLVM::LLVMFuncOp>()) {
    // C interfaces have copies of the attributes.
    if (!function->hasAttr(launchAttributeName) ||
        function.getName().starts_with(interfacePrefix))
      continue;
    FailureOr<CompiledProduct> product = emit(function);
    if (failed(product))
      return failure();
    products.push_back(std::move(*product));
  }
  if (products.empty())
    return fail("no function with a launch record is left after the last "
                "phase");
  return products;
}

FailureOr<std::vector<CompiledProduct>>
compileCpuFile(StringRef path, const CompileOptions &options,
               raw_ostream &diagnostics) {
  const CpuTarget *target = findCpuTarget(options.target);
  if (!target) {
    diagnostics << "error: " << unknownCpuTargetMessage(options.target) << "\n";
    return failure();
  }
  return CpuCompilation(path, options, *target, diagnostics).run();
}

llvm::Error writeProducts(ArrayRef<CompiledProduct> products,
                          StringRef directory) {
  OutputFiles files(directory);
  if (llvm::Error error = files.prepare())
    return error;
  for (const CompiledProduct &product : products) {
    if (llvm::Error error = files.add(product.name + ".so", product.library))
      return error;
    // The record last: whoever finds it finds the file that it names.
    if (llvm::Error error =
            files.add(product.name + ".json", product.record.toJSON()))
      return error;
  }
  return files.commit();
}

} // namespace wna16
