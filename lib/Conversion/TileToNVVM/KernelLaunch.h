//===- KernelLaunch.h - the launch record of a tile kernel ----------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_KERNELLAUNCH_H
#define WNA16_LIB_CONVERSION_TILETONVVM_KERNELLAUNCH_H

#include "dialect/Tile/Tile.h"
#include "lib/Launch/LaunchRecord.h"

namespace wna16 {

/// What a launcher of `kernel` on `target` must know; an error is emitted when
/// the kernel has no work or no place in shared memory.
mlir::FailureOr<LaunchRecord> makeLaunchRecord(mlir::tile::KernelOp kernel,
                                               llvm::StringRef target);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TILETONVVM_KERNELLAUNCH_H
