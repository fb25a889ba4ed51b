//===- KernelPasses.h - checks of the finished kernel ---------------------===//
//
// Creates and registers verify-kernel-order and check-resources.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_TRANSFORMS_KERNELPASSES_H
#define WNA16_LIB_TRANSFORMS_KERNELPASSES_H

#include "mlir/Pass/Pass.h"

namespace wna16 {

#define GEN_PASS_DECL
#include "lib/Transforms/KernelPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/KernelPasses.h.inc"

} // namespace wna16

#endif // WNA16_LIB_TRANSFORMS_KERNELPASSES_H
