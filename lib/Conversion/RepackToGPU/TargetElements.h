//===- TargetElements.h - what one thread of a repack makes ---------------===//
//
// The words of a result, or its elements where they have 16 bits, by number.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_REPACKTOGPU_TARGETELEMENTS_H
#define WNA16_LIB_CONVERSION_REPACKTOGPU_TARGETELEMENTS_H

#include "lib/Layout/PackedStorage.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace wna16 {

class TargetElements {
public:
  /// Reads item number `item` of the source.
  using Load = llvm::function_ref<mlir::Value(mlir::Value item)>;

  TargetElements(mlir::ImplicitLocOpBuilder &builder,
                 const layout::PackedStorage &from,
                 const layout::PackedStorage &to);

  /// Items of the target: words (i32), or elements of 16 bits (i16).
  int64_t count() const;
  /// In which items are counted and coordinates computed: i32 if that is enough
  /// for both storages, else i64.
  mlir::IntegerType indexType() const { return type; }

  /// Item number `item` of the target; it exists.
  mlir::Value make(mlir::Value item, Load load);

private:
  mlir::Value constant(mlir::Type type, int64_t value);
  /// The element at (row, column) of the source, or 0: an i32 code, or an i16.
  mlir::Value readElement(mlir::Value row, mlir::Value column, Load load);
  mlir::Value makeElement(mlir::Value item, Load load);
  mlir::Value makePlaneWord(const layout::Plane &plane, mlir::Value word,
                            Load load);
  mlir::Value makeStreamWord(mlir::Value word, Load load);

  mlir::ImplicitLocOpBuilder &builder;
  const layout::PackedStorage &from, &to;
  mlir::IntegerType type;
  /// The matrix that both hold; what is beyond it may be asked for along the
  /// dimensions that are `open`.
  std::array<int64_t, 2> common;
  std::array<bool, 2> open;
};

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_REPACKTOGPU_TARGETELEMENTS_H
