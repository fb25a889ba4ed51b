//===- Passes.h - what goes around the products of experts, on a GPU ------===//
//
// Creates and registers the passes of this folder.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_MOETOGPU_PASSES_H
#define WNA16_LIB_CONVERSION_MOETOGPU_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace wna16 {

#define GEN_PASS_DECL
#include "lib/Conversion/MoeToGPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Conversion/MoeToGPU/Passes.h.inc"

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_MOETOGPU_PASSES_H
