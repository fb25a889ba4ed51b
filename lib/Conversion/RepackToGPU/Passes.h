//===- Passes.h - repacking on a GPU --------------------------------------===//
//
// Creates and registers convert-repack-to-gpu.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_REPACKTOGPU_PASSES_H
#define WNA16_LIB_CONVERSION_REPACKTOGPU_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace wna16 {

#define GEN_PASS_DECL
#include "lib/Conversion/RepackToGPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Conversion/RepackToGPU/Passes.h.inc"

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_REPACKTOGPU_PASSES_H
