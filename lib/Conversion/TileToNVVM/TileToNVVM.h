//===- TileToNVVM.h - tiles to threads ------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_TILETONVVM_H
#define WNA16_LIB_CONVERSION_TILETONVVM_TILETONVVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace wna16 {

#define GEN_PASS_DECL
#include "lib/Conversion/TileToNVVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Conversion/TileToNVVM/Passes.h.inc"

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TILETONVVM_TILETONVVM_H
