//===- EmitObject.h - from the LLVM dialect to machine code ---------------===//
#ifndef WNA16_LIB_EMIT_EMITOBJECT_H
#define WNA16_LIB_EMIT_EMITOBJECT_H

#include "lib/Target/CpuTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace wna16 {

/// What LLVM made of a module for a CPU.
struct EmittedObject {
  /// A relocatable object file, position independent.
  std::string object;
  /// Texts, on request.
  std::string assembly, llvmIr;
};

/// Translates, optimises and assembles a module of the LLVM dialect. With
/// `texts`, also fills them. Errors are diagnostics at the module.
mlir::FailureOr<EmittedObject>
emitObject(mlir::ModuleOp module, const CpuTarget &target, bool texts = false);

} // namespace wna16

#endif // WNA16_LIB_EMIT_EMITOBJECT_H
