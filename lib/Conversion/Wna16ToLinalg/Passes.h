//===- Passes.h - reference lowering of wna16 -----------------------------===//
//
// Creates and registers convert-wna16-to-linalg.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOLINALG_PASSES_H
#define WNA16_LIB_CONVERSION_WNA16TOLINALG_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::wna16 {

#define GEN_PASS_DECL
#include "lib/Conversion/Wna16ToLinalg/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Conversion/Wna16ToLinalg/Passes.h.inc"

} // namespace mlir::wna16

#endif // WNA16_LIB_CONVERSION_WNA16TOLINALG_PASSES_H
