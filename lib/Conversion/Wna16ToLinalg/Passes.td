//===- Passes.td - reference lowering of wna16 -------------*- tablegen -*-===//
//
// The executable meaning of the wna16 ops.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOLINALG_PASSES_TD
#define WNA16_LIB_CONVERSION_WNA16TOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertWna16ToLinalg : Pass<"convert-wna16-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower wna16 ops to linalg and plain storage";
  let description = [{
    The reference meaning of the dialect, to be run on a CPU and compared with;
    it is written to be right, not fast.

    *Requires*: `verify-encoded-use` passes.

    *Guarantees*: no wna16 op and no encoded tensor is left, function
    boundaries included. Encoded weights are `tensor<words x i32>`, encoded
    scales `tensor<elements x f16>`, both of one dimension. A product
    accumulates in f32 and rounds once. What cannot be converted is an error: an
    encoding is never dropped.

    *Leaves alone*: ops and function arguments without an encoding.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // WNA16_LIB_CONVERSION_WNA16TOLINALG_PASSES_TD
