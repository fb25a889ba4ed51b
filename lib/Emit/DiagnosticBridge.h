//===- DiagnosticBridge.h - LLVM's diagnostics as MLIR's ------------------===//
#ifndef WNA16_LIB_EMIT_DIAGNOSTICBRIDGE_H
#define WNA16_LIB_EMIT_DIAGNOSTICBRIDGE_H

#include "mlir/IR/Location.h"
#include "llvm/IR/LLVMContext.h"

namespace wna16 {

/// Turns LLVM's own errors and warnings into MLIR ones while it is alive.
class DiagnosticBridge {
public:
  DiagnosticBridge(llvm::LLVMContext &context, mlir::Location loc) : loc(loc) {
    context.setDiagnosticHandlerCallBack(&handle, this);
  }
  bool sawError() const { return failed; }

private:
  static void handle(const llvm::DiagnosticInfo *info, void *self);

  mlir::Location loc;
  bool failed = false;
};

} // namespace wna16

#endif // WNA16_LIB_EMIT_DIAGNOSTICBRIDGE_H
