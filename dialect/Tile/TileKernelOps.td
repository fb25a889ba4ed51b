//===- TileKernelOps.td - kernel, work, arguments --------*- tablegen -*---===//
#ifndef WNA16_DIALECT_TILE_TILEKERNELOPS_TD
#define WNA16_DIALECT_TILE_TILEKERNELOPS_TD

include "dialect/Tile/TileOpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"

/// The schedule of the wna16 dialect.
def Tile_ScheduleAttr : Attr<
    CPred<"::llvm::isa<::mlir::wna16::ScheduleAttr>($_self)">,
    "#wna16.schedule attribute"> {
  let storageType = "::mlir::wna16::ScheduleAttr";
  let returnType = "::mlir::wna16::ScheduleAttr";
  let convertFromStorage = "$_self";
}

def KernelOp : Tile_Op<"kernel", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    FunctionOpInterface, IsolatedFromAbove, Symbol,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "a GPU kernel";
  let description = [{
    Arguments are matrices in global memory (`!tile.global`) and run-time sizes
    (`index`: 32-bit on the GPU). `arg_names` names them for the launch record;
    `max_m` bounds the run-time size `M`. `schedule` is how the kernel is to be
    built, `reference` what it computes. `shared_bytes` is set by
    `allocate-shared`.

    ```mlir
    tile.kernel @copy(%x: !tile.global<?x64xf16, read>, %y: !tile.global<?x64xf16, write>, %m: index)
        attributes {arg_names = ["x", "y", "M"], warps = 4 : i64} { ... }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    StrArrayAttr:$arg_names,
    ConfinedAttr<I64Attr, [IntPositive]>:$warps,
    OptionalAttr<I64Attr>:$max_m,
    OptionalAttr<Tile_ScheduleAttr>:$schedule,
    OptionalAttr<Tile_ReferenceAttr>:$reference,
    OptionalAttr<I64Attr>:$shared_bytes,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ArrayRef<Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ArrayRef<Type> getResultTypes() { return getFunctionType().getResults(); }
    Region *getCallableRegion() { return &getBody(); }
  }];
}

def ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "end of a kernel";
  let description = [{
    A kernel returns nothing: results are what it stores.

    ```mlir
    tile.kernel @empty() attributes {arg_names = [], warps = 1 : i64} {
      tile.return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def BindOp : Tile_Op<"bind", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "gives a matrix its run-time extent and row stride";
  let description = [{
    `source` is an argument of the kernel. Result: the same matrix with `rows` rows; `stride`, where given, is the
    distance of its rows in elements (else the number of columns).

    ```mlir
    %xb = tile.bind %x rows %m stride %ldx : !tile.global<?x4096xf16, read>
    ```
  }];
  let arguments = (ins Tile_Global:$source, Index:$rows,
                       Optional<Index>:$stride);
  let results = (outs Tile_Global:$result);
  let assemblyFormat = [{
    $source `rows` $rows (`stride` $stride^)? attr-dict `:` qualified(type($source))
  }];
  let hasVerifier = 1;
}

def PlaneOp : Tile_Op<"plane", [Pure]> {
  let summary = "one plane of bits of a matrix of codes";
  let description = [{
    `source` is an argument of the kernel, or from `tile.expert`. Codes of 3, 5, 6
    or 7 bits are stored as planes of 1, 2 or 4 bits, one after the other, low bits
    first. Result: plane number `index` as a matrix of its own. An offset is dealt
    out to the planes bit by bit, like the code.

    ```mlir
    %low = tile.plane %w 0 : !tile.global<128x64x!wna16.code<3, offset = 4>, read, #wna16.layout<marlin>>
         -> !tile.global<128x64x!wna16.code<2, offset = 0>, read, #wna16.layout<marlin>>
    ```
  }];
  let arguments = (ins Tile_Global:$source,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$index);
  let results = (outs Tile_Global:$result);
  let assemblyFormat = [{
    $source $index attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type of plane `index` of a matrix of this type.
    static ::mlir::tile::GlobalType planeType(::mlir::tile::GlobalType source,
                                              int64_t index);
    /// Bytes of storage in front of the plane.
    int64_t getByteOffset();
  }];
}

def ForEachWorkOp : Tile_Op<"for_each_work", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    SingleBlockImplicitTerminator<"WorkEndOp">, RecursiveMemoryEffects]> {
  let summary = "runs its body for every output tile of the block's work";
  let description = [{
    The output of `rows` x `columns` elements is cut into tiles of `tile`; the
    body gets the first row and column of one of them. One block does one tile;
    blocks are numbered along rows first. With `raster` = R, R tiles along rows
    are followed by the next columns and not by further rows, so that the blocks
    that run at a time share activations as well as weights.
    With `parts` > 1 the warps of the block form that many groups of equal size,
    each runs the body with its own `part` number, and takes the K steps that are
    congruent to it. With `blocks` > 1 that many blocks do one tile together, and
    each runs the body with its own `block` number; parts count the steps of their
    block. They form a cluster, unless a `tile.combine_by_ticket` adds their
    shares.
    With `persistent` the grid has at most that many blocks, and each computes one
    tile after another: the body runs once, and `tile.for_each_tile` in its roles
    has the coordinates.

    ```mlir
    tile.for_each_work (%im, %in, %part) tile [16, 64] of [%m, 6144] parts 8 { ... }
    tile.for_each_work (%im, %in, %part, %block) tile [16, 64] of [%m, 4096] parts 8 blocks 2 { ... }
    tile.for_each_work () tile [16, 64] of [%m, 4096] persistent 132 { ... }
    ```
  }];
  let arguments = (ins
    Optional<Index>:$rows,
    OptionalAttr<I64Attr>:$static_rows,
    ConfinedAttr<I64Attr, [IntPositive]>:$columns,
    DenseI64ArrayAttr:$tile,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$parts,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$blocks,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$raster,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$persistent);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The tile's first row and column; null where a block has many tiles.
    Value getRowCoordinate() {
      return getPersistent() ? Value() : getBody().getArgument(0);
    }
    Value getColumnCoordinate() {
      return getPersistent() ? Value() : getBody().getArgument(1);
    }
    /// The part number; null when the warps of a block do not share K.
    Value getPart() {
      return getParts() > 1 ? getBody().getArgument(2) : Value();
    }
    /// The block's number among those that share K; null when none do.
    Value getBlockNumber() {
      return getBlocks() > 1 ? getBody().getArguments().back() : Value();
    }
    /// Blocks of a cluster that share K; 1 where they take tickets.
    int64_t getClusterBlocks();
  }];
}

def ForEachTileOp : Tile_Op<"for_each_tile", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    HasParent<"RoleOp">, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"WorkEndOp">]> {
  let summary = "runs its body for every tile of a persistent block";
  let description = [{
    Block b of P computes the tiles b, b + P, b + 2P and so on, counted as
    `tile.for_each_work` counts them. The body gets the tile's first row and
    column, and the number in the block's stream of its first ring step: each tile
    takes `steps` of them, so the ring runs on from one tile to the next. Roles
    meet in rings only: one may be a tile ahead of the other.

    ```mlir
    tile.for_each_tile (%im, %in, %first) steps 32 { ... }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$steps);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    Value getRowCoordinate() { return getBody().getArgument(0); }
    Value getColumnCoordinate() { return getBody().getArgument(1); }
    Value getFirstStep() { return getBody().getArgument(2); }
  }];
}

def WorkEndOp : Tile_Op<"work_end", [
    Pure, Terminator, ParentOneOf<["ForEachWorkOp", "ForEachTileOp"]>]> {
  let summary = "end of the body of for_each_work or for_each_tile";
  let description = [{
    It is not printed, and need not be written.

    ```mlir
    tile.for_each_work (%im, %in) tile [8, 64] of [64, 64] {
      tile.work_end
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // WNA16_DIALECT_TILE_TILEKERNELOPS_TD
