//===- Passes.td - routing and sums on a GPU ---------------*- tablegen -*-===//
//
// From wna16.moe_route and wna16.moe_sum to per-thread code.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_MOETOGPU_PASSES_TD
#define WNA16_LIB_CONVERSION_MOETOGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

class MoePass<string name> : Pass<name, "::mlir::ModuleOp"> {
  let options = [Option<"target", "target", "std::string", "\"sm_90a\"",
                        "GPU to compile for (default: sm_90a)">];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::gpu::GPUDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def ConvertMoeRouteToGPU : MoePass<"convert-moe-route-to-gpu"> {
  let summary = "Turn the routing of tokens into a sort by one block";
  let description = [{
    A function that returns both tables of one `wna16.moe_route` becomes a
    `gpu.module` with one `llvm.func`: a stable counting sort by one block of 1024
    threads, of up to 2^20 slots. Each of 32 warps, or of fewer with more than 256
    experts, has a run of slots. It counts them by expert; sums over warps and
    experts say where its slots of each expert begin; then it goes through its
    slots again and writes them, and a row of segments with every first one. What
    is left of both tables is filled. Nothing is atomic: the tables are the same
    in every run, and those of the reference meaning, bit for bit.

    *Requires*: functions return both results of one `wna16.moe_route` of their
    arguments, in their order, and do nothing else (ROUTE-C7).

    *Guarantees*: no `wna16.moe_route` is left. The kernel has the parameters ids,
    map (if the op has one), segments, slots and the number of tokens, and a
    launch record; every number of both tables is written, once. All buffers are
    ids of rows or experts. Arithmetic is in arith and scf.

    *Leaves alone*: functions without a routing, and kernels.
  }];
}

def ConvertMoeSumToGPU : MoePass<"convert-moe-sum-to-gpu"> {
  let summary = "Turn sums over the experts of a token into per-thread code";
  let description = [{
    A function that returns one `wna16.moe_sum` becomes a `gpu.module` with one
    `llvm.func`. A thread makes neighbouring columns of one token, up to 16 bytes
    of them: it finds out which slots of the token are kept, reads what lies in
    their rows, and only there, and adds up in f32 by rising slot. Reads do not
    wait for branches: in place of a dropped slot a kept one is read again. There is no
    loop. Offsets into h and y have 64 bits.

    *Requires*: functions return one `wna16.moe_sum` of their arguments, in their
    order, and do nothing else (SUM-C8).

    *Guarantees*: no `wna16.moe_sum` is left. The kernel has the parameters h,
    ids, map, weights (the last two where the op has them) and y, and a launch
    record; every element of y is written, once. Arithmetic is in arith and scf.

    *Leaves alone*: functions without a sum, and kernels.
  }];
}

#endif // WNA16_LIB_CONVERSION_MOETOGPU_PASSES_TD
