//===- KernelPasses.h - checks of the finished kernel ---------------------===//
//
// Creates and registers verify-kernel-order and check-resources.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_TRANSFORMS_KERNELPASSES_H
#define WNA16_LIB_TRANSFORMS_KERNELPASSES_H

#include "mlir/Pass/Pass.h"

namespace wna16 {

/// Marks a load, outside every loop, of row or expert ids: its result may be
/// part of addresses in loops. See verify-kernel-order.
inline constexpr llvm::StringLiteral rowIdsAttributeName = "wna16.row_ids";

#define GEN_PASS_DECL
#include "lib/Transforms/KernelPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/KernelPasses.h.inc"

} // namespace wna16

#endif // WNA16_LIB_TRANSFORMS_KERNELPASSES_H
