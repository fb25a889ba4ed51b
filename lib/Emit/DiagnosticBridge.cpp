//===- DiagnosticBridge.cpp - LLVM's diagnostics as MLIR's ----------------===//
#include "lib/Emit/DiagnosticBridge.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

namespace wna16 {

void DiagnosticBridge::handle(const llvm::DiagnosticInfo *info, void *self) {
  auto *bridge = static_cast<DiagnosticBridge *>(self);
  if (info->getSeverity() != llvm::DS_Error &&
      info->getSeverity() != llvm::DS_Warning)
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
  if (info->getSeverity() == llvm::DS_Warning) {
    mlir::emitWarning(bridge->loc) << "LLVM: " << text;
    return;
  }
  bridge->failed = true;
  mlir::emitError(bridge->loc) << "LLVM: " << text;
}

} // namespace wna16
