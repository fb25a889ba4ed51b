//===- KernelPasses.td - checks of the finished kernel ----*- tablegen -*--===//
//
// Passes over gpu.module with llvm.func and nvvm ops. They change nothing: they
// are the last to say no before code is generated.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_TRANSFORMS_KERNELPASSES_TD
#define WNA16_LIB_TRANSFORMS_KERNELPASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyKernelOrder : Pass<"verify-kernel-order"> {
  let summary = "Refuse addresses in a loop that depend on loaded data";
  let description = [{
    The order of K is static (ORD5a): what a kernel reads in its K loop is found
    from loop counters, never from data. Every value that comes from memory
    (loads, ldmatrix, atomics, inline PTX that reads, results of calls) is
    followed forward through arithmetic, casts, selects, inline PTX and block
    arguments. If it reaches an address - the pointer of a load, store, atomic,
    copy or ldmatrix, a pointer or integer handed to a call, the coordinates of a
    bulk copy - in a block that lies on a cycle of the control flow, that is an
    error, with a note on the load.

    One exception: a load outside every loop that carries the attribute
    `wna16.row_ids` yields the ids of rows or experts, which permute M, not K. On
    a load inside a loop the attribute is an error.

    A kernel whose launch record has no buffers but such ids is not looked at: it
    sorts rows, and there is no K in it.

    A branch on loaded data counts too: the arguments of the block in which its
    ways meet, and what is used behind a loop that data end, depend on the data.
    How often a loop runs is no order of what it does inside, and neither is
    whether an access takes place. A loop that was unrolled completely is no loop
    any more. Kernel parameters passed by value are not data.

    *Requires*: kernels in the LLVM dialect, without structured control flow.

    *Guarantees*: no address in a loop depends on untagged data.

    *Leaves alone*: everything; it changes no IR.
  }];
}

def CheckResources : Pass<"check-resources"> {
  let summary = "Compare what a kernel needs with what the target has";
  let description = [{
    For every kernel in the LLVM dialect: shared memory per block (dynamic bytes
    of the launch record plus static globals), threads per block, cluster size,
    and registers that `nvvm.maxnreg` or `nvvm.minctasm` promise, each against
    the limits of the target. The launch record and the attributes of the
    function must agree on the block size.

    Option `target`: name of the GPU target; default: the one that the launch
    record names.

    *Requires*: kernels in the LLVM dialect.

    *Guarantees*: the driver can launch every kernel that ptxas accepts.

    *Leaves alone*: everything; it changes no IR.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "GPU target such as sm_90a; default: as in the launch record">
  ];
}

#endif // WNA16_LIB_TRANSFORMS_KERNELPASSES_TD
