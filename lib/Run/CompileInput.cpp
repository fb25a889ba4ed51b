//===- CompileInput.cpp - from an MLIR file to PTX and a launch record ----===//
//
// The compiler within wna16-run: a file of any stage is compiled in memory, so
// that an edited stage runs in one step and nothing is left behind.
//
//===----------------------------------------------------------------------===//
#include "lib/Emit/Compile.h"
#include "lib/Run/Input.h"
#include "lib/Runtime/wna16_runtime.h"
#include "lib/Target/GpuTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;

namespace wna16::run {
namespace {

/// Files that name no target are compiled for the GPU of this machine. Without
/// one, or for the emulator if it is none that the compiler knows, there is a
/// default.
Expected<std::string> targetOfThisMachine(DeviceKind device) {
  int count = 0;
  wna16_device_info info;
  if (wna16_device_count(&count) != WNA16_OK || count == 0 ||
      wna16_device_query(0, &info) != WNA16_OK)
    return defaultTargetName.str();
  if (const GpuTarget *target =
          findTargetOfCapability(info.compute_major, info.compute_minor))
    return target->name.str();
  if (device == DeviceKind::Emulator)
    return defaultTargetName.str();
  return createStringError(
      "the GPU of this machine has compute capability " +
      llvm::Twine(info.compute_major) + "." + llvm::Twine(info.compute_minor) +
      "; known targets: " + llvm::join(targetNames(), ", "));
}

Expected<CompiledKernel *> pickKernel(std::vector<CompiledKernel> &kernels,
                                      const Request &request) {
  if (request.kernel.empty() && kernels.size() == 1)
    return &kernels.front();
  for (CompiledKernel &kernel : kernels)
    if (kernel.name == request.kernel)
      return &kernel;
  const std::string names =
      llvm::join(llvm::map_range(kernels,
                                 [](const CompiledKernel &kernel) {
                                   return "'" + kernel.name + "'";
                                 }),
                 ", ");
  if (request.kernel.empty())
    return createStringError("'" + request.input + "' has the kernels " +
                             names + ": choose one with --kernel NAME");
  return createStringError("'" + request.input + "' has no kernel '" +
                           request.kernel + "'; it has " + names);
}

} // namespace

Expected<KernelInput> compileInput(const Request &request,
                                   llvm::raw_ostream &err) {
  if (!request.launch.empty())
    return createStringError("'" + request.input +
                             "' gets its launch record from the compiler; "
                             "--launch goes with a .ptx file");
  CompileOptions options;
  options.target = request.target;
  if (options.target.empty()) {
    Expected<std::string> target = targetOfThisMachine(request.device);
    if (!target)
      return target.takeError();
    options.defaultTarget = std::move(*target);
  }
  options.assemble = request.device == DeviceKind::Gpu;

  std::string text;
  llvm::raw_string_ostream diagnostics(text);
  mlir::FailureOr<std::vector<CompiledKernel>> kernels =
      compileFile(request.input, options, diagnostics);
  if (mlir::failed(kernels)) {
    StringRef message = StringRef(text).rtrim();
    message.consume_front("error: ");
    return createStringError(message);
  }
  err << text; // warnings

  Expected<CompiledKernel *> kernel = pickKernel(*kernels, request);
  if (!kernel)
    return kernel.takeError();
  KernelInput input;
  input.fromSource = true;
  input.ptxName = (*kernel)->name + ".ptx";
  input.ptx = std::move((*kernel)->ptx);
  input.record = std::move((*kernel)->record);
  if (auto &cubin = (*kernel)->assembly.cubin)
    input.cubin.assign(cubin->begin(), cubin->end());
  return input;
}

} // namespace wna16::run
