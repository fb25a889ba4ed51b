//===- Input.h - from a file name to PTX and a launch record --------------===//
//
// wna16-run accepts several kinds of files; this is the one place that knows
// them.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUN_INPUT_H
#define WNA16_LIB_RUN_INPUT_H

#include "lib/Run/Request.h"

#include "llvm/Support/raw_ostream.h"

namespace wna16::run {

struct KernelInput {
  std::string ptx;     ///< text
  std::string ptxName; ///< for messages
  LaunchRecord record;
  /// Path of the cubin beside the record; empty if there is none.
  std::string cubinPath;
  /// Contents of the cubin of a kernel that was compiled for this run.
  std::string cubin;
  /// `ptx` is in no file.
  bool fromSource = false;
};

/// The kernel of `request.input`. For FILE.ptx the record is `request.launch`
/// or, if that is empty, FILE.json. Warnings of the compiler go to `err`.
llvm::Expected<KernelInput> resolveInput(const Request &request,
                                         llvm::raw_ostream &err);

/// Compiles FILE.mlir, in memory, and picks the kernel to run.
llvm::Expected<KernelInput> compileInput(const Request &request,
                                         llvm::raw_ostream &err);

/// The whole of a file; the error names it.
llvm::Expected<std::string> readFile(llvm::StringRef path);

} // namespace wna16::run

#endif // WNA16_LIB_RUN_INPUT_H
