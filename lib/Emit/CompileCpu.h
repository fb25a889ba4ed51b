//===- CompileCpu.h - from an MLIR file to products on a CPU --------------===//
//
// What Compile.h is for kernels. A product becomes a shared library with one C
// function, so that whoever calls it needs neither LLVM nor a compiler.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMIT_COMPILECPU_H
#define WNA16_LIB_EMIT_COMPILECPU_H

#include "lib/Emit/Compile.h"

namespace wna16 {

/// One product, ready to be written or called.
struct CompiledProduct {
  std::string name;
  /// Bytes of the shared library; empty unless `options.assemble`.
  std::string library;
  /// Texts; empty unless `options.keepLlvmIr`.
  std::string assembly, llvmIr;
  LaunchRecord record;
};

/// Compiles all products of `path` for the CPU target `options.target`.
mlir::FailureOr<std::vector<CompiledProduct>>
compileCpuFile(llvm::StringRef path, const CompileOptions &options,
               llvm::raw_ostream &diagnostics);

/// Writes NAME.so and NAME.json of every product into `directory`: all of them
/// or, on an error, none.
llvm::Error writeProducts(llvm::ArrayRef<CompiledProduct> products,
                          llvm::StringRef directory);

} // namespace wna16

#endif // WNA16_LIB_EMIT_COMPILECPU_H
