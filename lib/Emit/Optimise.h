//===- Optimise.h - LLVM's optimiser for one target -----------------------===//
#ifndef WNA16_LIB_EMIT_OPTIMISE_H
#define WNA16_LIB_EMIT_OPTIMISE_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace wna16 {

/// Runs LLVM's O3 pipeline. It must know the target machine: without it a
/// kernel is treated as CPU code, and a loop with a barrier in it is unswitched
/// on a lane-dependent condition.
void optimise(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace wna16

#endif // WNA16_LIB_EMIT_OPTIMISE_H
