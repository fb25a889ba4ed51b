//===- Execute.h - one launch on a device ---------------------------------===//
//
// The emulator, or a GPU through the runtime. Outputs come back in the
// arguments.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUN_EXECUTE_H
#define WNA16_LIB_RUN_EXECUTE_H

#include "lib/Emulator/Emulator.h"
#include "lib/Run/Data.h"
#include "lib/Run/Input.h"

namespace wna16::run {

struct Execution {
  double seconds = 0;
  std::vector<emulator::Report> reports;
  emulator::Counters counters;
};

/// Grid, block and parameters are those of the record.
llvm::Expected<Execution> runOnEmulator(const KernelInput &input,
                                        const emulator::ast::Module &module,
                                        const SymbolValues &symbols,
                                        std::array<int64_t, 3> grid,
                                        const emulator::Options &options,
                                        std::vector<ArgumentData> &arguments);

llvm::Expected<Execution> runOnGpu(const KernelInput &input,
                                   const SymbolValues &symbols,
                                   std::array<int64_t, 3> grid,
                                   std::vector<ArgumentData> &arguments);

} // namespace wna16::run

#endif // WNA16_LIB_RUN_EXECUTE_H
