//===- Wna16Rules.h - rules that ops of wna16 share -----------------------===//
//
// Private to the verifiers of the dialect. Every op has labels of its own.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_WNA16_WNA16RULES_H
#define WNA16_DIALECT_WNA16_WNA16RULES_H

#include "dialect/Wna16/Wna16.h"

namespace mlir::wna16 {

/// Labels of the rules about scales and zero points.
struct ScaleLabels {
  StringRef columns, group, offset, zeros;
};

/// Labels of the rules about a product.
struct ProductLabels {
  ScaleLabels scales;
  StringRef k, bias, result, maxM;
};

/// The type of an optional operand; null when it is absent.
RankedTensorType getTypeOrNull(Value optional);

/// (w, s, zeros), of one matrix each, agree: columns, whole groups, and zero
/// points where codes have no offset. `zeros` may be null.
LogicalResult verifyScales(Operation *op, RankedTensorType w,
                           RankedTensorType s, RankedTensorType zeros,
                           const ScaleLabels &labels);

/// All operands of a product with `m` rows agree, and actorder is one that has
/// no meaning at run time (ORD2).
LogicalResult verifyProduct(ProductOpInterface op, int64_t m,
                            const ProductLabels &labels);

} // namespace mlir::wna16

#endif // WNA16_DIALECT_WNA16_WNA16RULES_H
