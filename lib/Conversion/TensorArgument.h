//===- TensorArgument.h - a tensor as the argument of a launch ------------===//
#ifndef WNA16_LIB_CONVERSION_TENSORARGUMENT_H
#define WNA16_LIB_CONVERSION_TENSORARGUMENT_H

#include "lib/Launch/LaunchArgument.h"

#include "mlir/IR/BuiltinTypes.h"

namespace wna16 {

/// The buffer of a tensor that a kernel reads: packed as its encoding says, or
/// in plain rows. Its address is a multiple of an element or word.
LaunchArgument describeTensor(llvm::StringRef name,
                              mlir::RankedTensorType type);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TENSORARGUMENT_H
