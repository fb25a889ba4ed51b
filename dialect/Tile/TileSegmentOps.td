//===- TileSegmentOps.td - work that a table deals out ---*- tablegen -*---===//
//
// A mixture of experts: which rows and which matrix of a stack the tile of a
// block is about. Ids are loaded once, in front of every loop, and become views
// of matrices; no other op sees an id.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_TILE_TILESEGMENTOPS_TD
#define WNA16_DIALECT_TILE_TILESEGMENTOPS_TD

include "dialect/Tile/TileOpBase.td"

def LoadSegmentOp : Tile_Op<"load_segment"> {
  let summary = "reads which expert and positions the work is about";
  let description = [{
    Row `row` of the table is {expert, first position, positions, 0}. The results
    are safe whatever it holds: `expert` is below `experts`, and first .. first +
    count - 1 are positions below `positions`, at most `most` of them. A segment
    that says otherwise is cut, or has `count` 0. What follows in the work does not
    run when there are no positions.

    The work of a kernel has one of them at most, in front of its loops, and its
    rows are those of the table.

    ```mlir
    %e, %first, %count = tile.load_segment %table[%im] {experts = 8 : i64, most = 16 : i64} of %p
        : !tile.global<?x4xi32, read>
    ```
  }];
  let arguments = (ins Arg<Tile_Global, "", [MemRead]>:$table, Index:$row,
                       Index:$positions,
                       ConfinedAttr<I64Attr, [IntPositive]>:$experts,
                       ConfinedAttr<I64Attr, [IntPositive]>:$most);
  let results = (outs Index:$expert, Index:$first, Index:$count);
  let assemblyFormat = [{
    $table `[` $row `]` `of` $positions attr-dict `:` qualified(type($table))
  }];
  let hasVerifier = 1;
}

def ExpertOp : Tile_Op<"expert", [Pure]> {
  let summary = "one matrix of a stack";
  let description = [{
    `source`, an argument of the kernel, holds one matrix per expert, one after
    the other. Result: that of `expert`, which a `tile.load_segment` has found.

    ```mlir
    %we = tile.expert %w[%e] : !tile.global<8x128x64x!code, read, #wna16.layout<marlin>>
         -> !tile.global<128x64x!code, read, #wna16.layout<marlin>>
    ```
  }];
  let arguments = (ins Tile_Global:$source, Index:$expert);
  let results = (outs Tile_Global:$result);
  let assemblyFormat = [{
    $source `[` $expert `]` attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type of one matrix of a stack.
    static ::mlir::tile::GlobalType
    matrixType(::mlir::tile::GlobalType stack);
    /// Bytes of storage of one matrix.
    int64_t getMatrixBytes();
  }];
}

def RowsOp : Tile_Op<"rows", [AllTypesMatch<["source", "result"]>]> {
  let summary = "the rows of a matrix that belong to a segment";
  let description = [{
    `source` comes from `tile.bind`. Result: a matrix of `count` rows. Row i is row
    first + i of the source or, with `map`, row map[first + i] / `divisor`, where a
    quotient that is no row of the source means that there is no such row: it is
    neither read nor written, like those from `count` on. `first` and `count` are
    those of one `tile.load_segment`.

    The rows are found once, where this op stands: ops in a loop that use them have
    constant row coordinates. Copies by engines need rows that follow each other,
    and may read, but never store, rows behind the segment.

    ```mlir
    %xs = tile.rows %xb from %first count %count map %slots by 2
        : !tile.global<?x4096xf16, read>, !tile.global<?x1xi32, read>
    %ys = tile.rows %yb from %first count %count : !tile.global<?x6144xf16, write>
    ```
  }];
  let arguments = (ins Tile_Global:$source, Index:$first, Index:$count,
                       Arg<Optional<Tile_Global>, "", [MemRead]>:$map,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>,
                                         "1">:$divisor);
  let results = (outs Tile_Global:$result);
  let assemblyFormat = [{
    $source `from` $first `count` $count (`map` $map^ `by` $divisor)? attr-dict `:`
    qualified(type($source)) (`,` qualified(type($map))^)?
  }];
  let hasVerifier = 1;
}

#endif // WNA16_DIALECT_TILE_TILESEGMENTOPS_TD
