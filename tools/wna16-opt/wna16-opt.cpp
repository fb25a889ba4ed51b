//===- wna16-opt.cpp - runs passes and pipelines --------------------------===//

#include "lib/Register/Register.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  wna16::registerAll(registry);
  wna16::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "wna16 pass driver\n", registry));
}
