//===- Tile.h - the tile dialect ------------------------------------------===//
//
// The only header of the dialect that others include.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_TILE_TILE_H
#define WNA16_DIALECT_TILE_TILE_H

#include "dialect/Wna16/Wna16.h"
#include "dialect/Wna16/Wna16Order.h"
#include "lib/Layout/StorageLayout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace wna16::layout {
/// For attribute uniquing.
inline llvm::hash_code hash_value(const LinearLayout &layout) {
  return layout.hash();
}
} // namespace wna16::layout

namespace mlir::tile {
class FieldAttr;
class ValType;
} // namespace mlir::tile

#include "dialect/Tile/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/Tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Tile/TileTypes.h.inc"

#include "dialect/Tile/TileDialect.h.inc"

#define GET_OP_CLASSES
#include "dialect/Tile/TileOps.h.inc"

namespace mlir::tile {

/// The warps that run an op together, in `parts` groups that share K.
struct WarpGroup {
  int64_t warps = 1, parts = 1;
};
/// Those of the role that `op` stands in, else of the block.
WarpGroup getWarpGroup(Operation *op);

/// Bits of one stored element of `type`: the width of a code, else of the
/// scalar.
unsigned getElementBits(Type type);

/// Storage of a matrix or of a ring field. `layout` is a wna16 layout,
/// `#tile.pitch`, or null for row-major. A dynamic first extent is -1.
FailureOr<::wna16::layout::StorageLayout>
getStorageLayout(Attribute layout, ArrayRef<int64_t> shape, Type elementType,
                 function_ref<InFlightDiagnostic()> emitError);

/// The same for verified types; must not fail.
::wna16::layout::StorageLayout getStorageLayout(GlobalType type);
::wna16::layout::StorageLayout getStorageLayout(FieldAttr field);

/// ORD4: `coordinate` is computed from loop counters, work coordinates,
/// constants and scalar arguments by integer arithmetic. Anything else may come
/// from memory.
LogicalResult verifyStaticCoordinate(Operation *op, Value coordinate,
                                     StringRef what);

/// Rows of K per scale: positive, or -1 for one scale per column [ORD4].
LogicalResult verifyScaleGroup(Operation *op, int64_t group);

/// What is loaded has the type of what is stored, or is the f16 or bf16 number
/// that a zero point, a code without offset, stands for.
LogicalResult verifyScaleElements(Operation *op, Type stored, Type found,
                                  StringRef label);

/// A matrix with a dynamic number of rows comes from tile.bind [BIND-C2], and
/// is no stack [EXPERT-C4].
LogicalResult verifyBound(Operation *op, Value global);

/// What a view is of: the source of a bind, plane, expert or rows; null for any
/// other op, or null.
Value getViewSource(Operation *op);

/// The argument of the kernel behind `global` and its views; null if there is
/// none.
BlockArgument getKernelArgument(Value global);

/// The segment that `work` is about; null for work of consecutive rows.
LoadSegmentOp findSegment(ForEachWorkOp work);

} // namespace mlir::tile

#endif // WNA16_DIALECT_TILE_TILE_H
