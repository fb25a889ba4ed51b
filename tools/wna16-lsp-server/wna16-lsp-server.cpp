//===- wna16-lsp-server.cpp - language server for .mlir files -------------===//
//
// MLIR's language server with the dialects of this project, for editors.
//
//===----------------------------------------------------------------------===//
#include "lib/Register/Register.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  wna16::registerAll(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
