//===- Passes.h - products on a CPU ---------------------------------------===//
//
// Creates and registers convert-wna16-to-vector.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOVECTOR_PASSES_H
#define WNA16_LIB_CONVERSION_WNA16TOVECTOR_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace wna16 {

#define GEN_PASS_DECL
#include "lib/Conversion/Wna16ToVector/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Conversion/Wna16ToVector/Passes.h.inc"

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_WNA16TOVECTOR_PASSES_H
