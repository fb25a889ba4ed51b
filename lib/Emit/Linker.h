//===- Linker.h - running the linker --------------------------------------===//
//
// Turns an object file into a shared library, as a subprocess without a shell.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMIT_LINKER_H
#define WNA16_LIB_EMIT_LINKER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace wna16 {

/// The bytes of a shared library of one object. `linker` is a program that
/// takes the arguments of ld; empty: the first of ld.lld and ld on PATH.
llvm::Expected<std::string> linkObject(llvm::StringRef object,
                                       llvm::StringRef linker = {});

} // namespace wna16

#endif // WNA16_LIB_EMIT_LINKER_H
