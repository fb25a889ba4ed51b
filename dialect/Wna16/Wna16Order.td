//===- Wna16Order.td - trait of ops that carry no order ----*- tablegen -*-===//
//
// Rule ORD1 as an op trait. It depends on no dialect, so that any dialect can
// put it on its ops; their C++ must include dialect/Wna16/Wna16Order.h.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_WNA16_WNA16ORDER_TD
#define WNA16_DIALECT_WNA16_WNA16ORDER_TD

include "mlir/IR/OpBase.td"

/// ORD1: the op has no discardable attribute outside a short allow-list, and
/// none whose name, or a name nested in it, speaks of an activation order.
def OrderFree : NativeOpTrait<"OrderFree"> {
  let cppNamespace = "::mlir::wna16";
}

#endif // WNA16_DIALECT_WNA16_WNA16ORDER_TD
