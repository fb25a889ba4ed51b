//===- wna16-run.cpp - run a kernel, whatever compiled it -----------------===//
//
// main() only; see lib/Run.
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Tool.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"

#include <cstdlib>

/// LLVM and MLIR have errors that they cannot return from.
static void onFatalError(void *, const char *reason, bool) {
  llvm::errs() << "error: LLVM cannot go on: " << reason << "\n";
  std::exit(1);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::install_fatal_error_handler(onFatalError);
  return wna16::run::runTool(llvm::ArrayRef<const char *>(argv + 1, argc - 1),
                             llvm::outs(), llvm::errs());
}
