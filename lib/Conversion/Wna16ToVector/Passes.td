//===- Passes.td - products on a CPU -----------------------*- tablegen -*-===//
//
// From wna16 to loops over vectors.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_WNA16TOVECTOR_PASSES_TD
#define WNA16_LIB_CONVERSION_WNA16TOVECTOR_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertWna16ToVector : Pass<"convert-wna16-to-vector", "::mlir::ModuleOp"> {
  let summary = "Turn products into loops over vectors, for a CPU";
  let description = [{
    A function that returns one `wna16.gemm` becomes one that writes the rows
    [m0, m1) and columns [n0, n1) of y, so that any number of threads can share
    a product. For 128 rows of x and 64 columns it expands 128 rows of weights
    into f32 once, then multiplies all rows of x with them, in f32, one `fma`
    per k in rising order; the bits of a row do not depend on M or on how the
    product is shared. y is rounded once.

    How the elements of a block are loaded follows from its layout: whole
    vectors, whole vectors whose lanes change places, or element by element.

    *Requires*: `verify-encoded-use` passes; functions return one `wna16.gemm`
    of their arguments and do nothing else (CPU-C1).

    *Guarantees*: no wna16 op is left. Arguments are x (`memref<?xK>` with a row
    stride), w, s, zeros and bias where there are any, y, and the bounds m0, m1,
    n0, n1, where n0 is a multiple of 64; packed operands are one-dimensional.
    The function has a C interface and a launch record, whose grid is that of
    the smallest parts.

    *Leaves alone*: functions without a product.
  }];
  let options = [Option<"target", "target", "std::string", "\"x86-64-v3\"",
                        "CPU whose vector registers are to be filled">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // WNA16_LIB_CONVERSION_WNA16TOVECTOR_PASSES_TD
