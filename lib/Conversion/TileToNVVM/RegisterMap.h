//===- RegisterMap.h - which register holds a coordinate ------------------===//
//
// The registers of one thread, for lane 0 and warp 0: coordinates here are what
// the register number adds, which is the same for all threads.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_REGISTERMAP_H
#define WNA16_LIB_CONVERSION_TILETONVVM_REGISTERMAP_H

#include "lib/Conversion/TileToNVVM/Patterns.h"

#include <map>

namespace wna16 {

class RegisterMap {
public:
  explicit RegisterMap(mlir::tile::ValType type);

  /// Elements per thread.
  unsigned elements() const { return byElement.size(); }
  std::array<int64_t, 2> coordinates(unsigned element) const {
    return byElement[element];
  }
  /// The element at (row, column); nothing when another thread holds it.
  std::optional<unsigned> find(int64_t row, int64_t column) const;

  /// Multiples of `step` along `dim` at which this thread holds elements.
  std::vector<int64_t> starts(unsigned dim, int64_t step) const;

  /// Whether lane and warp mean the same coordinate along dimension `dim` of
  /// this tile and dimension `otherDim` of `other`.
  bool sameThreadsAlong(unsigned dim, const RegisterMap &other,
                        unsigned otherDim) const;

private:
  layout::LinearLayout layout;
  std::vector<std::array<int64_t, 2>> byElement;
  std::map<std::array<int64_t, 2>, unsigned> byCoordinate;
};

/// Whether lanes and warps of both types mean the same coordinates.
bool sameThreads(mlir::tile::ValType a, mlir::tile::ValType b);

/// Element `element` of packed 16-bit registers, as `type` (f16 or bf16).
mlir::Value extractHalf(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Type type, mlir::ValueRange registers,
                        unsigned element);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TILETONVVM_REGISTERMAP_H
