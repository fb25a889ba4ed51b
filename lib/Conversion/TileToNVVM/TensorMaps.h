//===- TensorMaps.h - what tensor copies of a kernel need -----------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_TENSORMAPS_H
#define WNA16_LIB_CONVERSION_TILETONVVM_TENSORMAPS_H

#include "lib/Conversion/TileToNVVM/Patterns.h"
#include "lib/Launch/LaunchRecord.h"

namespace wna16 {

/// The tensor maps that the fills of a kernel use, as parameters of the launch.
struct TensorMaps {
  std::vector<LaunchArgument> parameters;
  /// Keyed by the fill; without the parameter's value.
  llvm::DenseMap<mlir::Operation *, TensorCopy> copies;
};

/// Describes the source of every fill by tensor copies. `record` has the
/// arguments of the kernel, whose shapes and strides the maps repeat. Fails,
/// with an error at the fill, where no box of the matrix is the field.
mlir::FailureOr<TensorMaps> describeTensorMaps(mlir::tile::KernelOp kernel,
                                               const LaunchRecord &record);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TILETONVVM_TENSORMAPS_H
