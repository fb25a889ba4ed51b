//===- Passes.td - repacking on a GPU ----------------------*- tablegen -*-===//
//
// From wna16.repack to per-thread code.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_REPACKTOGPU_PASSES_TD
#define WNA16_LIB_CONVERSION_REPACKTOGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertRepackToGPU : Pass<"convert-repack-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Turn repacks into per-thread code in a gpu.module";
  let description = [{
    A function that returns one `wna16.repack` becomes a `gpu.module` with one
    `llvm.func`. A thread makes one word of the result, or one element of
    scales: it finds out which elements are there, reads each where the operand
    has it, and puts their bits together. Elements that the operand does not
    have are 0. What is where is read off the layouts, in 32 bits where that is
    enough. There is no loop, and no address depends on data.

    *Requires*: `verify-encoded-use` passes; functions return one `wna16.repack`
    of their argument and do nothing else (REPACK-C4).

    *Guarantees*: no `wna16.repack` is left. The kernel has the parameters x and
    y and a launch record; every word of y is written, once. Index arithmetic is
    in arith and scf.

    *Leaves alone*: functions without a repack, and kernels.
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90a\"",
                        "GPU to compile for (default: sm_90a)">];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::gpu::GPUDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // WNA16_LIB_CONVERSION_REPACKTOGPU_PASSES_TD
