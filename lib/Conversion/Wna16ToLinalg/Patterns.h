//===- Patterns.h - patterns of convert-wna16-to-linalg -------------------===//
//
// One pattern per wna16 op.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOLINALG_PATTERNS_H
#define WNA16_LIB_CONVERSION_WNA16TOLINALG_PATTERNS_H

#include "mlir/Transforms/DialectConversion.h"

namespace mlir::wna16 {

/// All ops, and tensor.dim of an encoded tensor. `converter`
/// maps an encoded tensor type to its storage type.
void populateWna16ToLinalgPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);

/// moe_route, moe_gemm and moe_sum; part of the above.
void populateMoePatterns(const TypeConverter &converter,
                         RewritePatternSet &patterns);

} // namespace mlir::wna16

#endif // WNA16_LIB_CONVERSION_WNA16TOLINALG_PATTERNS_H
