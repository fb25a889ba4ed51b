//===- Wna16Passes.h - checks at the problem level ------------------------===//
//
// Creates and registers verify-encoded-use and verify-order.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_TRANSFORMS_WNA16PASSES_H
#define WNA16_LIB_TRANSFORMS_WNA16PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::wna16 {

#define GEN_PASS_DECL
#include "lib/Transforms/Wna16Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Wna16Passes.h.inc"

} // namespace mlir::wna16

#endif // WNA16_LIB_TRANSFORMS_WNA16PASSES_H
