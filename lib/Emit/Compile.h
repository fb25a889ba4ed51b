//===- Compile.h - from an MLIR file to kernels ---------------------------===//
//
// The whole compiler as one function: reads a file of any stage, runs the
// remaining phases, emits PTX and assembles it. wna16-compile and wna16-run
// are thin callers.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMIT_COMPILE_H
#define WNA16_LIB_EMIT_COMPILE_H

#include "lib/Emit/Plan.h"
#include "lib/Emit/Ptxas.h"
#include "lib/Launch/LaunchRecord.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace wna16 {

/// Duration of one step.
struct PhaseTime {
  std::string name;
  double milliseconds = 0;
};

/// How to compile a file.
struct CompileOptions {
  /// Name of a GpuTarget. May be empty for files that are lowered already:
  /// their modules name their chip.
  std::string target;
  /// The target of files that name none, if `target` is empty.
  std::string defaultTarget;
  /// The phase whose output the file is ("import" ... "lower", or "source");
  /// empty: found from the ops in it.
  std::string from;
  /// Where to write one file per phase; empty: nowhere.
  std::string dumpStages;
  /// How schedules are chosen for gemms that have none.
  RangeOptions ranges;
  /// Run ptxas if there is one; for a CPU, link.
  bool assemble = true;
  /// Path of ptxas; empty: searched for.
  std::string ptxas;
  /// Path of the linker for CPU targets; empty: searched for.
  std::string linker;
  /// A kernel without a launch record is an error.
  bool requireLaunchRecord = true;
  /// Also keep the optimised LLVM IR.
  bool keepLlvmIr = false;
  /// Gets one entry per step, if not null.
  std::vector<PhaseTime> *times = nullptr;
  /// Gets the plans of all gemms without a schedule, if not null.
  std::vector<GemmPlan> *plans = nullptr;
};

/// One kernel, ready to be written or launched.
struct CompiledKernel {
  std::string name;
  std::string ptx;
  std::string llvmIr;
  /// `record.ptx`, `.cubin` and `.resources` are filled in.
  LaunchRecord record;
  Assembly assembly;
};

/// Compiles all kernels of `path`. Errors and warnings go to `diagnostics`,
/// with source lines.
mlir::FailureOr<std::vector<CompiledKernel>>
compileFile(llvm::StringRef path, const CompileOptions &options,
            llvm::raw_ostream &diagnostics);

/// Only fills `options.plans`: chooses what `compileFile` would, and compiles
/// nothing.
mlir::LogicalResult planFile(llvm::StringRef path,
                             const CompileOptions &options,
                             llvm::raw_ostream &diagnostics);

/// Writes NAME.ptx, NAME.cubin (if assembled) and NAME.json of every kernel
/// into `directory`: all of them or, on an error, none.
llvm::Error writeKernels(llvm::ArrayRef<CompiledKernel> kernels,
                         llvm::StringRef directory);

/// Prints schedule, launch and resources of a kernel, for people.
void explainKernel(const CompiledKernel &kernel, llvm::raw_ostream &out);

/// Prints the steps as a table with their sum.
void printTimes(llvm::ArrayRef<PhaseTime> times, llvm::raw_ostream &out);

} // namespace wna16

#endif // WNA16_LIB_EMIT_COMPILE_H
