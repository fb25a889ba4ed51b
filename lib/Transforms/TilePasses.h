//===- TilePasses.h - passes that make and change tile kernels ------------===//
#ifndef WNA16_LIB_TRANSFORMS_TILEPASSES_H
#define WNA16_LIB_TRANSFORMS_TILEPASSES_H

#include "dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace wna16 {

#define GEN_PASS_DECL
#include "lib/Transforms/TilePasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/TilePasses.h.inc"

} // namespace wna16

#endif // WNA16_LIB_TRANSFORMS_TILEPASSES_H
