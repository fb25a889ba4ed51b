//===- TileAsyncOps.td - products that run on their own --*- tablegen -*---===//
//
// Asynchronous products read activations from a ring and end later. Until a
// wait the accumulator and the weights' registers are theirs.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_TILE_TILEASYNCOPS_TD
#define WNA16_DIALECT_TILE_TILEASYNCOPS_TD

include "dialect/Tile/TileOpBase.td"

def MmaAsyncOp : Tile_Op<"mma_async", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "starts a product with activations of a ring";
  let description = [{
    Result[n, m] = acc[n, m] + sum over k of a[k, n] * field[m + offsets[0],
    k + offsets[1]] of step `step`: the product of `tile.mma`, whose activations
    stay in shared memory. It ends later: its result is in flight, and only
    another `tile.mma_async` (as its accumulator) or `tile.mma_wait` uses it. The
    step is released after a wait that covers the product.

    ```mlir
    %p = tile.mma_async %a, "x" of %r[%i] [0, 0], %acc : !tile.val<128x64xf16>, !tile.ring<...>, !tile.val<64x16xf32>
    ```
  }];
  let arguments = (ins Tile_Val:$a, Arg<Tile_Ring, "", [MemRead]>:$ring,
                       Index:$step, StrAttr:$field, DenseI64ArrayAttr:$offsets,
                       Tile_Val:$acc);
  let results = (outs Tile_Val:$result);
  let assemblyFormat = [{
    $a `,` $field `of` $ring `[` $step `]` $offsets `,` $acc attr-dict `:`
    qualified(type($a)) `,` qualified(type($ring)) `,` qualified(type($acc))
  }];
  let hasVerifier = 1;
}

def MmaWaitOp : Tile_Op<"mma_wait", [
    MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["acc", "result"]>]> {
  let summary = "waits for asynchronous products";
  let description = [{
    All products but the last `pending` have ended. With none of its own pending,
    the result may be used by every op; it is `acc` otherwise.

    ```mlir
    %sum = tile.mma_wait %p {pending = 0 : i64} : !tile.val<64x16xf32>
    ```
  }];
  let arguments = (ins Tile_Val:$acc,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let results = (outs Tile_Val:$result);
  let assemblyFormat = "$acc attr-dict `:` qualified(type($acc))";
}

#endif // WNA16_DIALECT_TILE_TILEASYNCOPS_TD
