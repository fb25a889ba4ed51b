//===- wna16-compile.cpp - the compiler as a program ----------------------===//
//
//   wna16-compile IN.mlir --target sm_90a -o DIR
//
// Command line only; lib/Emit/Compile.h is the compiler.
//
//===----------------------------------------------------------------------===//
#include "lib/Emit/CompileCpu.h"
#include "lib/Emit/OutputFiles.h"
#include "lib/Target/CpuTarget.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

namespace cl = llvm::cl;

static cl::OptionCategory category("wna16-compile options");

static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("IN.mlir"), cl::cat(category));
static cl::opt<std::string>
    target("target", cl::cat(category),
           cl::desc("target: a GPU such as sm_90a, a level of CPUs such as "
                    "x86-64-v3, or cpu for this machine's"));
static cl::opt<std::string> output(
    "o", cl::value_desc("dir"), cl::cat(category),
    cl::desc(
        "folder for NAME.json and NAME.ptx, NAME.cubin of every kernel or "
        "NAME.so for a CPU; with --emit a file, or - for standard output"));
static cl::opt<std::string>
    from("from", cl::value_desc("stage"), cl::cat(category),
         cl::desc("phase whose output IN.mlir is (source, import, schedule, "
                  "tile, pipeline, lower); found from its ops by default"));
static cl::opt<std::string>
    dumpStages("dump-stages", cl::value_desc("dir"), cl::cat(category),
               cl::desc("folder for one file per phase"));

enum class Emit { Files, Ptx, Assembly, LlvmIr };
static cl::opt<Emit> emit(
    "emit", cl::cat(category), cl::init(Emit::Files),
    cl::desc("what to write (default: files)"),
    cl::values(
        clEnumValN(Emit::Files, "files", "code in files, and launch record"),
        clEnumValN(Emit::Ptx, "ptx", "only the PTX text"),
        clEnumValN(Emit::Assembly, "asm", "only the assembly of a CPU target"),
        clEnumValN(Emit::LlvmIr, "llvm", "only the optimised LLVM IR")));
static cl::opt<bool> noCubin("no-cubin", cl::desc("do not run ptxas"),
                             cl::cat(category));
static cl::opt<std::string> ptxas("ptxas", cl::value_desc("path"),
                                  cl::desc("ptxas to use"), cl::cat(category));
static cl::opt<std::string>
    linker("linker", cl::value_desc("path"), cl::cat(category),
           cl::desc("linker to use for a CPU (default: ld.lld or ld)"));
static cl::opt<bool>
    explain("explain", cl::cat(category),
            cl::desc("print which schedule each range of M gets and why, then "
                     "launch and resources of each kernel"));
static cl::opt<bool>
    plan("plan", cl::cat(category),
         cl::desc("print the ranges of M and their schedules as JSON, compile "
                  "nothing"));
static cl::opt<bool>
    batchInvariant("batch-invariant", cl::cat(category),
                   cl::desc("choose schedules under which the bits of a row of "
                            "y do not depend on M"));
static cl::opt<bool> showTimes("time", cl::desc("print the time of each phase"),
                               cl::cat(category));

/// LLVM and MLIR have errors that they cannot return from.
static void onFatalError(void *, const char *reason, bool) {
  llvm::errs() << "error: LLVM cannot go on: " << reason << "\n";
  std::exit(1);
}

static int fail(llvm::Error error) {
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
  return 1;
}

/// Writes a text to `output` or to standard output.
static int writeText(llvm::StringRef text) {
  if (output.empty() || output == "-") {
    llvm::outs() << text;
    return 0;
  }
  llvm::Error error =
      wna16::writeOutputFile(llvm::sys::path::has_parent_path(output)
                                 ? llvm::sys::path::parent_path(output)
                                 : llvm::StringRef("."),
                             llvm::sys::path::filename(output), text);
  return error ? fail(std::move(error)) : 0;
}

/// The rest of main() for a CPU, whose products have no schedules.
static int compileForCpu(const wna16::CompileOptions &options) {
  if (emit == Emit::Ptx || plan) {
    llvm::errs() << "error: "
                 << (plan
                         ? "--plan is for GPUs: on a CPU one function computes "
                           "every M"
                         : "there is no PTX for a CPU; see its code with "
                           "--emit asm")
                 << "\n";
    return 1;
  }
  auto products = wna16::compileCpuFile(input, options, llvm::errs());
  if (mlir::failed(products))
    return 1;
  if (emit != Emit::Files) {
    std::string text;
    for (const wna16::CompiledProduct &product : *products)
      text += emit == Emit::Assembly ? product.assembly : product.llvmIr;
    return writeText(text);
  }
  if (llvm::Error error = wna16::writeProducts(*products, output))
    return fail(std::move(error));
  if (showTimes)
    wna16::printTimes(*options.times, llvm::outs());
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::install_fatal_error_handler(onFatalError);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "compiles weight-only-quantized products to PTX or for a CPU\n");
  if (emit == Emit::Files && output.empty() && !plan) {
    llvm::errs() << "error: no output folder given; use -o DIR, or --emit ptx "
                    "to see the PTX\n";
    return 1;
  }

  std::vector<wna16::PhaseTime> times;
  wna16::CompileOptions options;
  options.target = target;
  options.from = from;
  options.dumpStages = dumpStages;
  options.assemble = emit == Emit::Files && !noCubin;
  options.ptxas = ptxas;
  options.requireLaunchRecord = emit == Emit::Files;
  options.keepLlvmIr = emit == Emit::LlvmIr || emit == Emit::Assembly;
  options.linker = linker;
  options.times = &times;
  options.ranges.batchInvariant = batchInvariant;
  if (wna16::isCpuTargetName(options.target))
    return compileForCpu(options);
  if (emit == Emit::Assembly) {
    llvm::errs() << "error: --emit asm is for CPU targets; see the code of a "
                    "kernel with --emit ptx\n";
    return 1;
  }
  std::vector<wna16::GemmPlan> plans;
  if (plan || explain)
    options.plans = &plans;
  if (plan) {
    if (mlir::failed(wna16::planFile(input, options, llvm::errs())))
      return 1;
    wna16::writePlans(plans, options.ranges, llvm::outs());
    return 0;
  }

  auto kernels = wna16::compileFile(input, options, llvm::errs());
  if (mlir::failed(kernels))
    return 1;
  if (emit != Emit::Files) {
    std::string text;
    for (const wna16::CompiledKernel &kernel : *kernels)
      text += emit == Emit::Ptx ? kernel.ptx : kernel.llvmIr;
    return writeText(text);
  }
  if (llvm::Error error = wna16::writeKernels(*kernels, output))
    return fail(std::move(error));

  if (explain)
    for (const wna16::GemmPlan &gemm : plans)
      wna16::explainPlan(gemm, llvm::outs());
  for (const wna16::CompiledKernel &kernel : *kernels) {
    for (const std::string &note : kernel.assembly.notes)
      llvm::errs() << "note: kernel '" << kernel.name << "': " << note << "\n";
    if (explain)
      wna16::explainKernel(kernel, llvm::outs());
  }
  if (showTimes)
    wna16::printTimes(times, llvm::outs());
  return 0;
}
