//===- TileRingOps.td - the asynchronous ring ------------*- tablegen -*---===//
#ifndef WNA16_DIALECT_TILE_TILERINGOPS_TD
#define WNA16_DIALECT_TILE_TILERINGOPS_TD

include "dialect/Tile/TileOpBase.td"

class Tile_RingUse<list<MemoryEffect> effects> : Arg<Tile_Ring, "", effects>;

def RingOp : Tile_Op<"ring"> {
  let summary = "allocates a ring of shared-memory stages";
  let description = [{
    The protocol, for every sequence number i (the index of a K step in the
    block's stream):

        acquire i, fill each field of i, commit i, wait i, read i, release i

    Fills lie between acquire and commit, reads between wait and release, and
    acquire(i + stages) comes after release(i). `verify-tile` checks this by
    running the counters. `offset` (set by `allocate-shared`) is the first byte
    in shared memory.

    Copies by threads arrive at the wait of those threads. A ring that is filled
    by another engine, or by another role than the one that reads it, has two
    barriers for each stage instead: *full* counts bytes and committing threads,
    *empty* counts the warps that release. `barriers_offset` (set by
    `allocate-shared`) is the place of the full barriers, which the empty ones
    follow, 8 bytes each.

    ```mlir
    %r = tile.ring {offset = 0 : i64} : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset,
                       OptionalAttr<I64Attr>:$barriers_offset);
  let results = (outs Res<Tile_Ring, "", [MemAlloc]>:$ring);
  let assemblyFormat = "attr-dict `:` qualified(type($ring))";
  let extraClassDeclaration = [{
    /// Whether copies are awaited at barriers in shared memory.
    bool hasBarriers();
    /// Blocks of the cluster that fill its stages together.
    int64_t getMulticast();
    /// Bytes of those barriers; 0 without.
    int64_t getBarrierBytes() {
      return hasBarriers() ? getRing().getType().getStages() * 16 : 0;
    }
  }];
}

def AcquireOp : Tile_Op<"acquire"> {
  let summary = "waits until the stage of step i may be overwritten";
  let description = [{
    Fills of step `step` come after it, up to its commit.

    ```mlir
    tile.acquire %r[%j] : !tile.ring<...>
    ```
  }];
  let arguments = (ins Tile_RingUse<[MemRead, MemWrite]>:$ring, Index:$step);
  let assemblyFormat = "$ring `[` $step `]` attr-dict `:` qualified(type($ring))";
}

/// What both kinds of fill have in common.
class Tile_FillOp<string mnemonic> : Tile_Op<mnemonic> {
  let hasVerifier = 1;
  code fillDeclaration = [{
    FieldAttr getFieldInfo() { return getRing().getType().getField(getField()); }
    /// Bytes that reach one block.
    int64_t getBytes();
  }];
}

def FillOp : Tile_FillOp<"fill"> {
  let summary = "starts the copy of one field of a stage";
  let description = [{
    field[i, j] of step `step` = source[row + i, column + j], asynchronously. Rows
    at or beyond the bound of the matrix are not copied (a tensor copy writes
    zeros there); what the field holds there must never reach a store. Columns at
    or beyond those of the matrix are filled with zeros. With `predicate` false
    nothing is copied.

    `threads`, for copies by threads, says which lane of which warp copies which
    elements. The other engines are used by one thread, in a role of one thread.

    `multicast` blocks that lie side by side along the columns of the output form
    a cluster. They fill the field together: each copies its share of the rows,
    to the stage of every one of them. A stage is then free when the readers of
    all these blocks have released it.

    ```mlir
    tile.fill "w" of %r[%j] = %wg[%k, %n] threads(#copy) if %p : !tile.ring<...>, !tile.global<...>
    tile.fill "x" of %r[%j] = %xg[%m, %k] engine tensor : !tile.ring<...>, !tile.global<...>
    ```
  }];
  let arguments = (ins Tile_RingUse<[MemRead, MemWrite]>:$ring, Index:$step,
                       StrAttr:$field,
                       Arg<Tile_Global, "", [MemRead]>:$source, Index:$row,
                       Index:$column, Optional<I1>:$predicate,
                       OptionalAttr<Tile_LinearAttr>:$threads,
                       DefaultValuedAttr<Tile_EngineAttr, "Engine::cp_async">:$engine,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$multicast);
  let assemblyFormat = [{
    $field `of` $ring `[` $step `]` `=` $source `[` $row `,` $column `]`
    (`threads` `(` qualified($threads)^ `)`)? (`engine` `` $engine^)?
    (`multicast` $multicast^)? (`if` $predicate^)? attr-dict `:`
    qualified(type($ring)) `,`
    qualified(type($source))
  }];
  let extraClassDeclaration = fillDeclaration;
}

def FillScalesOp : Tile_FillOp<"fill_scales"> {
  let summary = "starts the copy of the scales of the group that holds row k";
  let description = [{
    field[i, j] of step `step` = source[k / group + i, n + j], asynchronously; `k`
    and `group` as in `tile.load_scales`, `threads`, `engine` and `predicate` as
    in `tile.fill`. There is no operand for a group index [ORD4].

    ```mlir
    tile.fill_scales "s" of %r[%j] = %sg[k = %k, n = %n] engine bulk {group = 128 : i64}
       : !tile.ring<...>, !tile.global<...>
    ```
  }];
  let arguments = (ins Tile_RingUse<[MemRead, MemWrite]>:$ring, Index:$step,
                       StrAttr:$field,
                       Arg<Tile_Global, "", [MemRead]>:$source, Index:$k,
                       Index:$n, I64Attr:$group, Optional<I1>:$predicate,
                       OptionalAttr<Tile_LinearAttr>:$threads,
                       DefaultValuedAttr<Tile_EngineAttr, "Engine::cp_async">:$engine);
  let assemblyFormat = [{
    $field `of` $ring `[` $step `]` `=` $source `[` `k` `=` $k `,` `n` `=` $n `]`
    (`threads` `(` qualified($threads)^ `)`)? (`engine` `` $engine^)?
    (`if` $predicate^)? attr-dict `:` qualified(type($ring)) `,`
    qualified(type($source))
  }];
  let extraClassDeclaration = fillDeclaration;
}

def CommitOp : Tile_Op<"commit"> {
  let summary = "closes the copies of step i";
  let description = [{
    All fills since the acquire of the step arrive together, for its wait. A step
    without copies (predicates that are false) is committed as well.

    ```mlir
    tile.commit %r[%j] : !tile.ring<...>
    ```
  }];
  let arguments = (ins Tile_RingUse<[MemRead, MemWrite]>:$ring, Index:$step);
  let assemblyFormat = "$ring `[` $step `]` attr-dict `:` qualified(type($ring))";
}

def WaitOp : Tile_Op<"wait"> {
  let summary = "waits until the fields of step i have arrived";
  let description = [{
    `pending` (set by `assign-waits`) is how many later commits may still be
    under way; `scope` which threads must see the data.

    ```mlir
    tile.wait %r[%i] {pending = 1 : i64, scope = #tile.scope<warp>} : !tile.ring<...>
    ```
  }];
  let arguments = (ins Tile_RingUse<[MemRead, MemWrite]>:$ring, Index:$step,
                       OptionalAttr<I64Attr>:$pending,
                       OptionalAttr<Tile_ScopeAttr>:$scope);
  let assemblyFormat = "$ring `[` $step `]` attr-dict `:` qualified(type($ring))";
}

def ReadOp : Tile_Op<"read"> {
  let summary = "reads a field of a stage, or a part of it, into registers";
  let description = [{
    Result[i, j] = field[i + offsets[0], j + offsets[1]] of step `step`. Zero points,
    codes without offset, become numbers if the result is of f16 or bf16.

    ```mlir
    %w = tile.read "w" of %r[%i] [16, 0] : !tile.ring<...> -> !tile.val<16x64x!code>
    ```
  }];
  let arguments = (ins Tile_RingUse<[MemRead]>:$ring, Index:$step,
                       StrAttr:$field, DenseI64ArrayAttr:$offsets);
  let results = (outs Tile_Val:$result);
  let assemblyFormat = [{
    $field `of` $ring `[` $step `]` $offsets attr-dict `:` qualified(type($ring)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def ReleaseOp : Tile_Op<"release"> {
  let summary = "gives the stage of step i back";
  let description = [{
    `scope` (set by `assign-waits`): the threads that must have finished reading
    before any of them goes on to the next acquire.

    ```mlir
    tile.release %r[%i] {scope = #tile.scope<warp>} : !tile.ring<...>
    ```
  }];
  let arguments = (ins Tile_RingUse<[MemRead, MemWrite]>:$ring, Index:$step,
                       OptionalAttr<Tile_ScopeAttr>:$scope);
  let assemblyFormat = "$ring `[` $step `]` attr-dict `:` qualified(type($ring))";
}

#endif // WNA16_DIALECT_TILE_TILERINGOPS_TD
