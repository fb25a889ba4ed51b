//===- Wna16Dialect.td - the wna16 dialect -----------------*- tablegen -*-===//
//
// The problem level: what a weight-only-quantized matrix product computes, on
// which storage. Nothing here says how it is computed.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_WNA16_WNA16DIALECT_TD
#define WNA16_DIALECT_WNA16_WNA16DIALECT_TD

include "mlir/IR/OpBase.td"

def Wna16_Dialect : Dialect {
  let name = "wna16";
  let cppNamespace = "::mlir::wna16";
  let summary = "weight-only-quantized matrix products";
  let description = [{
    Matrix products with N-bit integer weights, 16-bit activations and one scale
    per group of K. The order of K is static: the scale of element (k, n) is
    `s[k / group, n]` and nothing else, so no operand and no attribute of this
    dialect carries an order (rules ORD1 and ORD2 of docs/spec.md).

    Shapes are logical: weights are (K, N) and scales (K / group, N), whatever
    their storage. The storage order is the encoding of the tensor type
    (`#wna16.layout<...>`). Such a tensor means nothing to other dialects, which
    would drop the encoding silently; `verify-encoded-use` refuses that.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

#endif // WNA16_DIALECT_WNA16_WNA16DIALECT_TD
