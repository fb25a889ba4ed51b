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

#include <optional>

#include "dialect/Wna16/Wna16Dialect.h.inc"
#include "dialect/Wna16/Wna16Enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Wna16/Wna16Types.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/Wna16/Wna16Attrs.h.inc"

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
// `custom<RolesAndOptions>` of #wna16.schedule: the last key that must be there
// and those that may be left out.
ParseResult parseRolesAndOptions(AsmParser &parser, RoleKind &roles,
                                 int64_t &warpsM, int64_t &blocks,
                                 int64_t &multicast, int64_t &persistent,
                                 bool &dependent);
void printRolesAndOptions(AsmPrinter &printer, RoleKind roles, int64_t warpsM,
                          int64_t blocks, int64_t multicast, int64_t persistent,
                          bool dependent);

/// An i64 attribute above zero.
bool isPositiveI64(Attribute attribute);

} // namespace mlir::wna16

#define GET_OP_CLASSES
#include "dialect/Wna16/Wna16Ops.h.inc"

#endif // WNA16_DIALECT_WNA16_WNA16_H
