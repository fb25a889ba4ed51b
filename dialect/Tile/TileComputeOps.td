//===- TileComputeOps.td - loads, arithmetic, stores -----*- tablegen -*---===//
#ifndef WNA16_DIALECT_TILE_TILECOMPUTEOPS_TD
#define WNA16_DIALECT_TILE_TILECOMPUTEOPS_TD

include "dialect/Tile/TileOpBase.td"

def LoadOp : Tile_Op<"load"> {
  let summary = "reads a tile of a matrix";
  let description = [{
    Result[i, j] = source[row + i, column + j]. Rows and columns at or beyond those
    of the matrix read as zero; the tile begins inside. `row` and `column` are
    affine in loop counters, work coordinates and constants [ORD4].

    ```mlir
    %w = tile.load %wg[%k, %n] : !tile.global<...> -> !tile.val<128x64x!code>
    ```
  }];
  let arguments = (ins Arg<Tile_Global, "", [MemRead]>:$source, Index:$row,
                       Index:$column);
  let results = (outs Tile_Val:$result);
  let assemblyFormat = [{
    $source `[` $row `,` $column `]` attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def LoadScalesOp : Tile_Op<"load_scales"> {
  let summary = "reads the scales of the group that holds row k";
  let description = [{
    Result[i, j] = source[k / group + i, n + j]: the scales, or zero points, of as
    many consecutive groups as the result has rows. Zero points are stored as codes
    without offset and become numbers. There is no operand for a group index, and
    `k` is affine in loop counters, work coordinates and constants [ORD4]. With
    `group` = -1 there is one scale per column.

    ```mlir
    %s = tile.load_scales %sg[k = %k, n = %n] {group = 128 : i64}
       : !tile.global<...> -> !tile.val<1x64xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_Global, "", [MemRead]>:$source, Index:$k,
                       Index:$n, I64Attr:$group);
  let results = (outs Tile_Val:$result);
  let assemblyFormat = [{
    $source `[` `k` `=` $k `,` `n` `=` $n `]` attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def ZeroOp : Tile_Op<"zero", [Pure]> {
  let summary = "a tile of zeros";
  let description = [{
    Result[i, j] = 0: the accumulator before the first product.

    ```mlir
    %zero = tile.zero : !tile.val<64x8xf32>
    ```
  }];
  let results = (outs Tile_Val:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def DequantOp : Tile_Op<"dequant", [Pure, AttrSizedOperandSegments]> {
  let summary = "turns codes into 16-bit floating point";
  let description = [{
    Result[k, n] = codes[k, n] - offset, or codes[k, n] - zeros[k / rows, n] for
    codes without offset, exactly. With `scales` the difference is multiplied by
    scales[k / rows, n] and rounded to 16 bits, once. Zeros and scales have one row
    for each `rows` = K / G rows of the codes.

    Codes of a width that is no power of two come in planes, low bits first
    (`tile.plane`): the code is the sum of the planes, each shifted by the widths of
    those before it, and its offset that of theirs.

    ```mlir
    %d = tile.dequant %w : !tile.val<128x64x!code> -> !tile.val<128x64xf16>
    %e = tile.dequant %w scales %s : !tile.val<128x64x!code> scales !tile.val<1x64xf16> -> !tile.val<128x64xf16>
    %f = tile.dequant %w, %w1 zeros %z scales %s : !tile.val<128x64x!low>, !tile.val<128x64x!high> zeros !tile.val<2x64xf16> scales !tile.val<2x64xf16> -> !tile.val<128x64xf16>
    ```
  }];
  let arguments = (ins Variadic<Tile_Val>:$codes, Optional<Tile_Val>:$zeros,
                       Optional<Tile_Val>:$scales);
  let results = (outs Tile_Val:$result);
  let assemblyFormat = [{
    $codes (`zeros` $zeros^)? (`scales` $scales^)? attr-dict `:`
    qualified(type($codes)) (`zeros` qualified(type($zeros))^)?
    (`scales` qualified(type($scales))^)? `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows of K that share a row of the zeros or scales, 1 x N for all of them.
    int64_t getRowsPerGroup();
    /// Bits of the whole code.
    unsigned getCodeWidth();
    /// What is subtracted from the whole code; zero where zeros are.
    int64_t getCodeOffset();
  }];
}

def MmaOp : Tile_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "adds a product of two tiles to an accumulator";
  let description = [{
    Result[n, m] = acc[n, m] + sum over k of a[k, n] * b[m, k]: the transposed
    product, so that weights (a) are the operand of 16 rows and activations (b)
    have granularity 8. fp32 accumulation.

    ```mlir
    %r = tile.mma %a, %b, %acc : !tile.val<128x64xf16>, !tile.val<8x128xf16>, !tile.val<64x8xf32>
    ```
  }];
  let arguments = (ins Tile_Val:$a, Tile_Val:$b, Tile_Val:$acc);
  let results = (outs Tile_Val:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($acc))
  }];
  let hasVerifier = 1;
}

def ScaleAccOp : Tile_Op<"scale_acc", [Pure, AllTypesMatch<["acc", "part", "result"]>]> {
  let summary = "adds a scaled partial product to an accumulator";
  let description = [{
    Result[n, m] = acc[n, m] + scales[0, n] * part[n, m], in fp32, once per group.

    ```mlir
    %r = tile.scale_acc %acc, %part, %s : !tile.val<64x8xf32>, !tile.val<1x64xf16>
    ```
  }];
  let arguments = (ins Tile_Val:$acc, Tile_Val:$part, Tile_Val:$scales);
  let results = (outs Tile_Val:$result);
  let assemblyFormat = [{
    $acc `,` $part `,` $scales attr-dict `:` qualified(type($acc)) `,` qualified(type($scales))
  }];
  let hasVerifier = 1;
}

def AddBiasOp : Tile_Op<"add_bias", [Pure, AllTypesMatch<["sum", "result"]>]> {
  let summary = "adds a bias to a whole sum";
  let description = [{
    Result[n, m] = sum[n, m] + bias[0, n], in fp32.

    ```mlir
    %r = tile.add_bias %sum, %b : !tile.val<64x8xf32>, !tile.val<1x64xf16>
    ```
  }];
  let arguments = (ins Tile_Val:$sum, Tile_Val:$bias);
  let results = (outs Tile_Val:$result);
  let assemblyFormat = [{
    $sum `,` $bias attr-dict `:` qualified(type($sum)) `,` qualified(type($bias))
  }];
  let hasVerifier = 1;
}

def SliceOp : Tile_Op<"slice", [Pure]> {
  let summary = "a part of a tile; free";
  let description = [{
    Result[i, j] = source[i + offsets[0], j + offsets[1]]. Offsets are multiples
    of the result's extents. In registers this only names some of them, so the
    dimension that is cut must not be spread over lanes or warps.

    ```mlir
    %h = tile.slice %x [0, 16] : !tile.val<8x32xf16> -> !tile.val<8x16xf16>
    ```
  }];
  let arguments = (ins Tile_Val:$source, DenseI64ArrayAttr:$offsets);
  let results = (outs Tile_Val:$result);
  let assemblyFormat = [{
    $source $offsets attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def CastOp : Tile_Op<"cast", [Pure]> {
  let summary = "rounds fp32 to 16 bits, to nearest even, once";
  let description = [{
    Result[i, j] = source[i, j] in the element type of the result. A share of a sum
    cannot be cast: `tile.combine` comes first.

    ```mlir
    %h = tile.cast %sum : !tile.val<64x8xf32> -> !tile.val<64x8xf16>
    ```
  }];
  let arguments = (ins Tile_Val:$source);
  let results = (outs Tile_Val:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def CombineOp : Tile_Op<"combine"> {
  let summary = "sums the shares of the parts of K, in fixed order";
  let description = [{
    Result = sum over parts p = 0, 1, ... of the value that part p holds. The
    shares go through shared memory; the result is spread over all warps of the
    block. `scratch_offset` (set by `allocate-shared`) is the place of the
    shares in shared memory; `scratch_aliases` says that a ring lies there too,
    so all warps meet before the first share is written. With `rows` the sum is
    for the first that many rows of the output (columns of the value) only; what
    the result holds in the others must never reach a store.

    `over cluster` sums the shares of the blocks b = 0, 1, ... of a cluster: each
    sends every element to the block that owns it in the layout of the result.
    The shares arrive at `scratch_offset`, which nothing else uses, and are
    counted by an mbarrier at `barrier_offset`.

    ```mlir
    %sum = tile.combine %acc rows %left : !tile.val<64x8xf32, partial> -> !tile.val<64x8xf32>
    %all = tile.combine %sum over cluster rows %left : !tile.val<64x8xf32, partial<blocks>> -> !tile.val<64x8xf32>
    ```
  }];
  let arguments = (ins Tile_Val:$source, UnitAttr:$over_cluster,
                       Optional<Index>:$rows,
                       OptionalAttr<I64Attr>:$scratch_offset,
                       UnitAttr:$scratch_aliases,
                       OptionalAttr<I64Attr>:$barrier_offset);
  let results = (outs Tile_Val:$result);
  let assemblyFormat = [{
    $source (`over` `cluster` $over_cluster^)? (`rows` $rows^)? attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Elements from one column of outputs (one m) to the next in scratch.
    int64_t getScratchPitch();
    /// Bytes of scratch for `parts` shares. Over a cluster every block receives
    /// as many shares of its own part of the tile as there are such parts: one
    /// tile's worth.
    int64_t getScratchBytes(int64_t parts);
    /// Bytes of the mbarrier.
    static constexpr int64_t barrierBytes = 8;
  }];
}

def CombineByTicketOp : Tile_Op<"combine_by_ticket"> {
  let summary = "sums the shares of blocks through global memory, in fixed order";
  let description = [{
    Result = sum over blocks b = 0, 1, ... of the value that block b holds, in the
    block that comes last; `last` says whether this is the one. In the others the
    result is unspecified and must not be stored: stores of it are `if last`.

    Every block writes its share to the workspace `shares`, at (row, column) of
    its own part of the columns (those of block b are shifted by b times the
    columns of the output), and takes a ticket: one more in the
    counter of the tile in `tickets`. With the last ticket all shares are there,
    and the counter is 0 again. So no block waits for another, and every GPU can
    do it. Only the first `rows` rows of the output are written and summed; what
    the result holds in others must never reach a store.

    ```mlir
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %left
        : !tile.val<64x8xf32, partial<blocks>>, !tile.global<8x8192xf32, workspace>, !tile.global<1x64xi32, workspace> -> !tile.val<64x8xf32>
    ```
  }];
  let arguments = (ins Tile_Val:$source,
                       Arg<Tile_Global, "", [MemRead, MemWrite]>:$shares,
                       Index:$row, Index:$column,
                       Arg<Tile_Global, "", [MemRead, MemWrite]>:$tickets,
                       Index:$rows);
  let results = (outs Tile_Val:$result, I1:$last);
  let assemblyFormat = [{
    $source `,` $shares `[` $row `,` $column `]` `,` $tickets `rows` $rows attr-dict `:`
    qualified(type($source)) `,` qualified(type($shares)) `,` qualified(type($tickets)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def ConvertOp : Tile_Op<"convert"> {
  let summary = "changes who holds what, through shared memory";
  let description = [{
    Result = source, in another layout. All warps of the block meet: each writes
    what it holds to scratch as rows of one output row (one column of the tile)
    each, and reads its elements of the result. `scratch_offset` and
    `scratch_aliases` are as in `tile.combine`.

    ```mlir
    %r = tile.convert %h : !tile.val<64x16xf16, #acc> -> !tile.val<64x16xf16, #rows>
    ```
  }];
  let arguments = (ins Tile_Val:$source, OptionalAttr<I64Attr>:$scratch_offset,
                       UnitAttr:$scratch_aliases);
  let results = (outs Tile_Val:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Elements from one column of the tile to the next in scratch.
    int64_t getScratchPitch();
    int64_t getScratchBytes();
  }];
}

def StoreOp : Tile_Op<"store"> {
  let summary = "writes a tile to a matrix";
  let description = [{
    dest[row + i, column + j] = value[i, j], or value[j, i] with `transposed`
    (an accumulator is N x M, an output M x N). Rows and columns at or beyond those
    of the matrix are not written; the tile begins inside. `if` is the `last` of a
    `tile.combine_by_ticket`: other blocks write nothing.

    ```mlir
    tile.store %v, %y[%m, %n] transposed : !tile.val<64x8xf16>, !tile.global<?x6144xf16, write>
    tile.store %v, %y[%m, %n] transposed if %last : !tile.val<64x8xf16>, !tile.global<?x6144xf16, write>
    ```
  }];
  let arguments = (ins Tile_Val:$value, Arg<Tile_Global, "", [MemWrite]>:$dest,
                       Index:$row, Index:$column, UnitAttr:$transposed,
                       Optional<I1>:$predicate);
  let assemblyFormat = [{
    $value `,` $dest `[` $row `,` $column `]` (`transposed` $transposed^)? (`if` $predicate^)? attr-dict
    `:` qualified(type($value)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
}

#endif // WNA16_DIALECT_TILE_TILECOMPUTEOPS_TD
