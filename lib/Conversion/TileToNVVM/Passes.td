//===- Passes.td - tiles to threads ----------------------*- tablegen -*---===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_PASSES_TD
#define WNA16_LIB_CONVERSION_TILETONVVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTileToNVVM : Pass<"convert-tile-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Turn tile kernels into per-thread code in a gpu.module";
  let description = [{
    Every `tile.kernel` becomes a `gpu.module` with one `llvm.func`: tiles
    become 32-bit registers (f32 for fp32 tiles, packed i32 otherwise), ring
    ops become cp.async groups and barriers, products become mma.sync; index
    arithmetic and loops stay in arith and scf. Everything that depends on a
    lane is read off the layouts. The launch record, as JSON, is the attribute
    `wna16.launch` of the llvm.func. That record names the target; the module
    has no target attribute.

    *Requires*: layouts, places in shared memory, waits.

    *Guarantees*: no tile op is left.

    *Leaves alone*: everything outside of tile kernels.
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90a\"",
                        "GPU to compile for (default: sm_90a)">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // WNA16_LIB_CONVERSION_TILETONVVM_PASSES_TD
