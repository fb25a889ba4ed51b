//===- Roles.h - roles and barriers of a kernel ---------------------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_ROLES_H
#define WNA16_LIB_CONVERSION_TILETONVVM_ROLES_H

#include "lib/Conversion/TileToNVVM/Patterns.h"

namespace wna16 {

/// Turns the roles of `function` into branches on the number of the warp, and
/// records in `context` which threads run which branch.
void branchToRoles(mlir::LLVM::LLVMFuncOp function, KernelContext &context);

/// Initialises the barriers of the function's rings where the rings are, and
/// records them, and the bytes of each commit, in `context`. After
/// branchToRoles. Fails, with an error, when a ring has no place.
mlir::LogicalResult createBarriers(mlir::LLVM::LLVMFuncOp function,
                                   KernelContext &context);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TILETONVVM_ROLES_H
