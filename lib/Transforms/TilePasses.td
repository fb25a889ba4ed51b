//===- TilePasses.td - wna16 to tile, tile to tile -------*- tablegen -*---===//
//
// One entry per pass; each pass lives in the file of its name and has the lit
// test test/Transforms/<pass>.mlir, from which the reference shows before and
// after.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_TRANSFORMS_TILEPASSES_TD
#define WNA16_LIB_TRANSFORMS_TILEPASSES_TD

include "mlir/Pass/PassBase.td"

class TilePass<string argument, string base = "">
    : Pass<argument, base> {
  let dependentDialects = ["::mlir::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def SelectSchedule : TilePass<"select-schedule", "::mlir::ModuleOp"> {
  let summary = "Choose a schedule for every gemm that has none";
  let description = [{
    Asks lib/Schedule for the schedule of (shape, bound of M, target) and records
    it on the `wna16.gemm`. lib/Schedule divides M into ranges, each with one
    schedule; the gemm gets that of the range its `max_m` lies in. With
    `batch-invariant` the schedules of all ranges add the products of a row in the
    same order, so that the bits of a row of y do not depend on M.

    *Requires*: `max_m` on every `wna16.gemm` without a schedule.

    *Guarantees*: every gemm has a `schedule`; that none fits is an error.

    *Leaves alone*: schedules written by hand.
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90a\"",
                        "GPU to choose for (default: sm_90a)">,
                 Option<"batchInvariant", "batch-invariant", "bool", "false",
                        "one order of summation for every M (default: false)">];
}

def TileGemm : TilePass<"tile-gemm", "::mlir::ModuleOp"> {
  let summary = "Turn every function that is one product into a kernel on tiles";
  let description = [{
    A function that returns the gemm, or moe_gemm, of its arguments becomes a `tile.kernel` of
    the same name: matrices in global memory, one block per output tile, a loop
    over steps of K. Scales are multiplied into the weights; `place-scales` may
    change that. A function boundary is storage, so the layouts of encoded
    tensors become layouts of `!tile.global`.

    A moe_gemm has one block per segment and columns: `tile.load_segment` says what
    it is about, and views of rows and experts take the place of the matrices; the
    rest is the same.

    *Requires*: a function with a product returns it and does nothing else; the
    product has a `schedule`, `max_m` and a dynamic M.

    *Guarantees*: no `wna16.gemm` or `wna16.moe_gemm` is left; every kernel has the
    name of its function, the schedule of its product and a `reference`.

    *Leaves alone*: functions without a product.
  }];
}

def PlaceScales : TilePass<"place-scales", "::mlir::tile::KernelOp"> {
  let summary = "Apply scales to fp32 sums of a group instead of to weights";
  let description = [{
    With `scales = accumulator` in the schedule, `mma(dequant(w, s), x, acc)`
    becomes `scale_acc(acc, mma(dequant(w), x, zero), s)`: products of exact
    integers, one multiplication per group and output. As accurate as rounding
    the result once, and cheaper for small M.

    *Requires*: nothing.

    *Guarantees*: in such a kernel no weights are scaled before a product whose
    step of K lies inside one group.

    *Leaves alone*: a step that spans groups, whose weights stay scaled; kernels
    whose schedule says `scales = weights`, or that have none.
  }];
}

def SplitK : TilePass<"split-k", "::mlir::tile::KernelOp"> {
  let summary = "Share the steps of K among groups of warps";
  let description = [{
    With `warps = [n, k]`, k > 1, part p of the warps takes the steps that are
    congruent to p; the accumulator becomes a partial sum and `tile.combine` adds
    the parts before the result is used. With `blocks = b` each of b blocks takes
    neighbouring steps. With `split = cluster` another `tile.combine` adds their
    shares, with `split = ticket` a `tile.combine_by_ticket`: its workspace becomes
    two more arguments of the kernel, and the last block stores.

    *Requires*: one loop over K with one accumulator in each work; for tickets
    `max_m`.

    *Guarantees*: every step belongs to exactly one part of one block; only these
    ops use the partial sum of the loop.

    *Leaves alone*: work that has parts or blocks already; kernels whose schedule
    has one warp along K and one block, or that have none.
  }];
}

def AssignLayouts : TilePass<"assign-layouts", "::mlir::tile::KernelOp"> {
  let summary = "Decide which lane of which warp holds which element";
  let description = [{
    Operands and accumulators of `tile.mma` get the fragments of the matrix
    instruction, with `math = wgmma` those of warpgroups (where activations need
    none); codes get the order in which their storage has the lanes' words;
    scales follow the columns of what they scale; results of `tile.combine` and
    tiles that no mma touches lie along addresses.

    *Requires*: codes and scales that come from a load; extents that the
    instruction's fragments and the warps of a part divide.

    *Guarantees*: every `!tile.val` has a layout; a value that would need two is
    an error.

    *Leaves alone*: layouts written by hand, and all ops: only types change.
  }];
}

def PipelineLoads : TilePass<"pipeline-loads", "::mlir::tile::KernelOp"> {
  let summary = "Feed loops over K through a ring of shared-memory stages";
  let description = [{
    The tiles that a loop loads for `tile.mma` become fields of a `tile.ring`:
    `stages - 1` steps are filled ahead, and step i + stages - 1 while step i is
    computed. With `copy = cp_async` threads copy them, and scales are loaded one
    step ahead into registers. With `bulk` or `tensor` scales are a field as well;
    `bulk` takes matrices whose number of rows is known, and tensor copies the
    others.
    With `math = wgmma` activations stay in the ring: `mma` becomes `mma_async` and
    `mma_wait`.

    *Requires*: layouts; a loop step that equals the parts of K; loads of kernel
    arguments, at coordinates that depend on the loop counter and on no carried
    value.

    *Guarantees*: such a loop reads the operands of its products from the ring,
    in the order of the protocol.

    *Leaves alone*: loads that feed no product, loops without mma, kernels
    without a schedule.
  }];
}

def SpecializeRoles : TilePass<"specialize-roles", "::mlir::tile::KernelOp"> {
  let summary = "Let one thread of another warp fill the ring";
  let description = [{
    With `roles = producer_consumer` in the schedule, the loop that fills a ring
    ahead and reads it becomes two roles: `consumer`, the warps of the block with
    the loop and all that follows, and `producer`, one thread of an additional
    warp that fills step after step. The parts of K become parts of the consumer.
    Fills in front of the loop and their predicates go: barriers hold the
    producer back, and it fills no step that does not exist.

    *Requires*: one loop that fills a ring, which begins with the acquire.

    *Guarantees*: the producer fills the steps of all parts in order; `warps` of
    the kernel counts it.

    *Leaves alone*: work that has roles already or no ring; kernels whose
    schedule has uniform warps, or that have none.
  }];
}

def FlattenWork : TilePass<"flatten-work", "::mlir::tile::KernelOp"> {
  let summary = "Let each block compute one tile after another";
  let description = [{
    With `persistent = P` in the schedule the grid has at most P blocks, and the
    body of each role becomes a `tile.for_each_tile`. The ring's steps are counted
    on from tile to tile: the producer fills the stages of the next tile while the
    consumers store this one, and nothing is waited for at a tile's beginning.

    *Requires*: roles, and one ring between them (FLATTEN-C1); as many steps in
    each tile as the parts of K can share (FLATTEN-C2).

    *Guarantees*: every step of the ring has a number of its own in the block's
    stream.

    *Leaves alone*: kernels whose schedule has a block for each tile, or that have
    none; work that is persistent already.
  }];
}

def ShareRegisters : TilePass<"share-registers", "::mlir::tile::KernelOp"> {
  let summary = "Give the registers of a producer to the consumers";
  let description = [{
    Every thread of a kernel begins with the same number of registers. Where the
    warps of a single-thread role and of the others are whole warpgroups, and the
    target can move registers between them, the first gives back all but 32 for
    each of its threads and the others take what that leaves: `registers` of
    `tile.role`.

    Optional: without it the kernel is right, but ptxas must make do with what a
    kernel of that many threads begins with.

    *Requires*: a known target.

    *Guarantees*: the registers of all roles together are no more than those that
    the kernel begins with.

    *Leaves alone*: roles that are no whole warpgroups, registers written by
    hand, targets that cannot move registers.
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90a\"",
                        "GPU to compile for (default: sm_90a)">];
}

def PlaceDependency : TilePass<"place-dependency", "::mlir::tile::KernelOp"> {
  let summary = "Wait for the kernel in front as late as possible";
  let description = [{
    With `dependent` in the schedule the kernel may start before the one in front
    of it in the stream has ended. A `tile.dependency_wait` comes before the first
    op that touches a matrix without a packed layout, which that kernel may still
    write or read, and a `tile.dependency_launch` behind it. Weights and scales of
    the first step are fetched before; the first step of a loop that only fills
    is taken out of it for that.

    *Requires*: loops that only fill have at least one step.

    *Guarantees*: in such a kernel every part and every role waits before it
    touches such a matrix.

    *Leaves alone*: kernels that wait already, and those whose schedule is not
    `dependent` or that have none.
  }];
}

def SliceMma : TilePass<"slice-mma", "::mlir::tile::KernelOp"> {
  let summary = "Cut products into steps of one instruction along K";
  let description = [{
    `mma` of a whole stage becomes a chain of `mma` of 16 rows of K, each with its
    own reads and its own dequantisation, so that only one slice of weights is in
    registers at a time. Activations are read 32 rows at a time where that saves
    half of the loads.

    Optional: without it the kernel is right but needs more registers.

    *Requires*: nothing.

    *Guarantees*: the same rows of K are summed.

    *Leaves alone*: products of 16 rows of K, and those whose operands have no
    layout or cannot be cut into whole registers.
  }];
}

def CarryFragments : TilePass<"carry-fragments", "::mlir::tile::KernelOp"> {
  let summary = "Convert the weights of the next step beside a product";
  let description = [{
    A loop whose asynchronous product needs weights that it has just converted
    leaves the matrix units idle meanwhile. Here the fragment of step i + 1 is
    made while the product of step i runs, and carried to the next iteration:
    the wait, the reads and the conversion move one step ahead, the last product
    behind the loop.

    With one buffer of weights in registers, words are read beside the product
    and converted when it has ended. With two, the loop takes two steps at a time
    and a wait is one product late, so that conversion and products overlap
    within a warpgroup, too. Two are used when a tile has 128 rows of activations
    or more (its products are long enough), sums and both buffers fit the
    registers, the number of steps is even, and scales are in the weights.

    Optional: without it the kernel is right, and its matrix units wait.

    *Requires*: nothing.

    *Guarantees*: the same products, in the same order.

    *Leaves alone*: loops without an asynchronous product or with several, and
    those whose parts may have different numbers of steps.
  }];
}

def StageStores : TilePass<"stage-stores", "::mlir::tile::KernelOp"> {
  let summary = "Write rows of outputs in runs of 16 bytes";
  let description = [{
    A sum in the fragments of a product has its columns on different lanes: a
    store of it would write two bytes at a time. `tile.convert` lays such a tile
    along the rows of the output first.

    Optional: without it the kernel is right, and its stores are slow.

    *Requires*: nothing.

    *Guarantees*: what is stored.

    *Leaves alone*: tiles whose lanes hold 8 bytes or more of a row, 32-bit tiles,
    and those without a layout.
  }];
}

def AssignWaits : TilePass<"assign-waits", "::mlir::tile::KernelOp"> {
  let summary = "Find how long ring ops wait, and for whom";
  let description = [{
    Runs the counters of the ring protocol to find how many younger commits may
    be under way at each `tile.wait` (`pending`), and derives from the thread maps
    of fills and the layouts of reads the narrowest set of threads that must meet
    (`scope`): none if every lane reads what it copied itself, else a warp, the
    warps of one part, or the block.

    *Requires*: layouts; loop counters that can be executed; every step that is
    waited for was committed.

    *Guarantees*: waits of a ring without barriers have `pending`, 0 where they are
    never executed; its waits and releases have its `scope`. Values that were there
    are replaced.

    *Leaves alone*: everything but these attributes.
  }];
}

def AllocateShared : TilePass<"allocate-shared", "::mlir::tile::KernelOp"> {
  let summary = "Give rings and scratch their place in shared memory";
  let description = [{
    Rings lie one after the other, aligned to 128 bytes. Scratch of
    `tile.combine` that runs after the last use of the rings shares their place.

    *Requires*: nothing.

    *Guarantees*: every ring has an `offset`, every combine a `scratch_offset`,
    the kernel its `shared_bytes`. Values that were there are replaced.

    *Leaves alone*: everything but these attributes.
  }];
}

def VerifyTile : TilePass<"verify-tile", "::mlir::tile::KernelOp"> {
  let summary = "Check a kernel by running its counters and ring protocol";
  let description = [{
    Executes loop counters, ring ops and coordinates (no data) for every part of
    K and reports: a value without layout, a stage filled before it was released,
    a fill outside of acquire and commit, a read of a step that was not waited
    for or not filled, a `pending` that lets a wait pass too early, scales of
    another group than the weights they meet, a step of K that is never summed or
    summed twice. A check of the executed steps, not a proof.

    *Requires*: loop counters that can be executed.

    *Guarantees*: none of these faults is in the steps that were run.

    *Leaves alone*: everything; it changes no IR.
  }];
}

#endif // WNA16_LIB_TRANSFORMS_TILEPASSES_TD
