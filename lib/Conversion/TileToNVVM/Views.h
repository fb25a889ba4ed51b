//===- Views.h - what ops on matrices work on -----------------------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_VIEWS_H
#define WNA16_LIB_CONVERSION_TILETONVVM_VIEWS_H

#include "lib/Conversion/TileToNVVM/Patterns.h"

namespace wna16 {

/// Enters the views of `function` into the globals of `context`, loads the ids of
/// its segment, and finds the rows that maps name. What follows the load of a
/// segment runs only if there are positions.
mlir::LogicalResult makeViews(mlir::LLVM::LLVMFuncOp function,
                              KernelContext &context);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TILETONVVM_VIEWS_H
