//===- ProductRecord.h - the launch record of a product on a CPU ----------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOVECTOR_PRODUCTRECORD_H
#define WNA16_LIB_CONVERSION_WNA16TOVECTOR_PRODUCTRECORD_H

#include "dialect/Wna16/Wna16.h"
#include "lib/Launch/LaunchRecord.h"

namespace wna16 {

/// What a launcher must know about the function `name` made of `gemm`. One
/// block of the grid is the smallest part of y that is worth a call.
LaunchRecord makeProductRecord(mlir::wna16::GemmOp gemm, llvm::StringRef name,
                               llvm::StringRef target);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_WNA16TOVECTOR_PRODUCTRECORD_H
