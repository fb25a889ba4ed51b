//===- Tool.h - wna16-run as a function -----------------------------------===//
//
// From the command line to the exit code; all output through the two streams.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUN_TOOL_H
#define WNA16_LIB_RUN_TOOL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace wna16::run {

/// 0: the result is right, or nothing was to be compared, and no check
/// reported. 1: anything else, with the reason on `err`.
int runTool(llvm::ArrayRef<const char *> arguments, llvm::raw_ostream &out,
            llvm::raw_ostream &err);

} // namespace wna16::run

#endif // WNA16_LIB_RUN_TOOL_H
