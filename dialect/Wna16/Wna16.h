//===- Wna16.h - the wna16 dialect ----------------------------------------===//
//
// Everything of the dialect that others may include: types, attributes, ops and
// a few questions about tensor types.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_WNA16_WNA16_H
#define WNA16_DIALECT_WNA16_WNA16_H

#include "dialect/Wna16/Wna16Order.h"
#include "lib/Layout/PackedStorage.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>
#include <optional>

#include "dialect/Wna16/Wna16Dialect.h.inc"
#include "dialect/Wna16/Wna16Enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Wna16/Wna16Types.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/Wna16/Wna16Attrs.h.inc"

#include "dialect/Wna16/Wna16Interfaces.h.inc"

namespace mlir::wna16 {

/// The layout of an encoded tensor type; null for any other type.
LayoutAttr getLayout(Type type);

/// Whether `type` mentions a layout anywhere (a tensor type, or a function type
/// with such a tensor, ...).
bool mentionsLayout(Type type);

/// The plain tensor that holds the elements of an encoded one: i32 words for
/// codes, the element type itself for scales; one dimension.
RankedTensorType getStorageType(RankedTensorType encoded);

/// Where the elements of an encoded tensor are.
::wna16::layout::PackedStorage getStorage(RankedTensorType encoded);

/// The type of one expert's matrix in a stack; a matrix type is returned as is.
RankedTensorType getMatrixType(RankedTensorType type);

/// Width of the zero points that go with weights of this width.
inline unsigned getZeroWidth(CodeType code) {
  return code.getWidth() <= 4 ? 4 : 8;
}

// Predicates of the operand constraints.
/// 2-d, f16 or bf16, no encoding.
bool isPlainMatrix(Type type);
/// 2-d codes with a weight layout.
bool isWeightMatrix(Type type);
/// 2-d f16 or bf16 of static shape, plain or with a scale layout.
bool isScaleMatrix(Type type);
/// 2-d codes without offset, with a layout of zero points.
bool isZeroMatrix(Type type);
/// One row of f16, bf16 or f32 of static shape, plain or with a scale layout.
bool isBiasRow(Type type);
/// 2-d, f16, bf16 or f32, no encoding.
bool isPlainResult(Type type);
/// A matrix of weights, zero points or scales.
bool isRepackable(Type type);
// The same of 3-d tensors: a stack of one such matrix per expert.
bool isWeightStack(Type type);
bool isScaleStack(Type type);
bool isZeroStack(Type type);
bool isBiasStack(Type type);
// Tables of a mixture of experts: ? x top_k (i32 or f32), i32 [E], i32 [?][4],
// i32 [P], of any and of dynamic extent.
bool isRouterIds(Type type);
bool isRouterWeights(Type type);
bool isExpertMap(Type type);
bool isSegmentTable(Type type);
bool isSlotList(Type type);
bool isOpenSlotList(Type type);

// `custom<RolesAndOptions>` of #wna16.schedule: the last key that must be there
// and those that may be left out.
ParseResult parseRolesAndOptions(AsmParser &parser, RoleKind &roles,
                                 int64_t &warpsM, int64_t &blocks,
                                 int64_t &multicast, int64_t &persistent,
                                 bool &dependent);
void printRolesAndOptions(AsmPrinter &printer, RoleKind roles, int64_t warpsM,
                          int64_t blocks, int64_t multicast, int64_t persistent,
                          bool dependent);

/// An i64 attribute above zero, and of at most `most`.
bool isPositiveI64(Attribute attribute, int64_t most = INT64_MAX);

/// Rows of the segment table that any routing of `slots` slots to `experts`
/// experts fits in.
inline int64_t segmentBound(int64_t slots, int64_t experts, int64_t rows) {
  int64_t busy = std::min(slots, experts);
  return busy + (slots - busy) / rows;
}

} // namespace mlir::wna16

#define GET_OP_CLASSES
#include "dialect/Wna16/Wna16Ops.h.inc"

#endif // WNA16_DIALECT_WNA16_WNA16_H
