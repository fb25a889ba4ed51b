//===- TileAttrs.td - attributes of the tile dialect -----*- tablegen -*---===//
#ifndef WNA16_DIALECT_TILE_TILEATTRS_TD
#define WNA16_DIALECT_TILE_TILEATTRS_TD

include "dialect/Tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Tile_LinearLayoutParameter
    : AttrOrTypeParameter<"::wna16::layout::LinearLayout", "linear layout"> {
  let cppAccessorType = "const ::wna16::layout::LinearLayout &";
}

def Tile_LinearAttr : Tile_Attr<"Linear", "linear"> {
  let summary = "who holds which element of a tile in registers";
  let description = [{
    A GF(2)-linear map from (register, lane, warp) to the coordinates of a tile
    of two dimensions. Every basis is the coordinate that one bit of the register
    number, the lane number or the warp number adds; `[0, 0]` means that
    neighbours hold copies of the same element. `register` counts elements: two
    16-bit elements share a 32-bit register. With `block` the tile is spread over
    the blocks of a cluster as well.

    ```mlir
    #acc = #tile.linear<register = [[0, 1], [8, 0]],
                        lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                        warp = [] : [16, 8]>
    #owned = #tile.linear<register = [[1, 0], [2, 0]],
                          lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]],
                          warp = [], block = [[0, 4]] : [16, 8]>
    ```
  }];
  let parameters = (ins Tile_LinearLayoutParameter:$layout);
  let hasCustomAssemblyFormat = 1;
}

def Tile_PitchAttr : Tile_Attr<"Pitch", "pitch"> {
  let summary = "row-major with `elements` from row to row";
  let description = [{
    Storage of a tile in shared memory whose rows are longer than its columns,
    so that eight rows lie in different banks.
  }];
  let parameters = (ins "int64_t":$elements);
  let assemblyFormat = "`<` $elements `>`";
  let genVerifyDecl = 1;
}

def Tile_SwizzleAttr : Tile_Attr<"Swizzle", "swizzle"> {
  let summary = "panels of 64 columns with permuted 16-byte chunks";
  let description = [{
    Storage of a tile of 16-bit elements in shared memory as asynchronous
    products and tensor copies want it. Panels of 64 columns (128 bytes) lie one
    after the other; in each, chunk c (16 bytes) of row r is stored at chunk
    c xor (r mod 8). `bytes` is the width of a panel; 128 is the only one.

    ```mlir
    #tile.field<"x", !tile.val<64x128xf16>, #tile.swizzle<128>>
    ```
  }];
  let parameters = (ins "int64_t":$bytes);
  let assemblyFormat = "`<` $bytes `>`";
  let genVerifyDecl = 1;
}

def Tile_FieldAttr : Tile_Attr<"Field", "field"> {
  let summary = "one field of a ring: a tile in every stage";
  let description = [{
    `storage` is a wna16 layout, `#tile.pitch` or `#tile.swizzle`; without it the
    field is row-major.
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
                        "::mlir::tile::ValType":$type,
                        OptionalParameter<"::mlir::Attribute">:$storage);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_Scope : I32EnumAttr<"Scope", "threads that a ring op must order", [
    I32EnumAttrCase<"lane", 0>, I32EnumAttrCase<"warp", 1>,
    I32EnumAttrCase<"part", 2>, I32EnumAttrCase<"block", 3>]> {
  let cppNamespace = "::mlir::tile";
  let genSpecializedAttr = 0;
}
def Tile_ScopeAttr : EnumAttr<Tile_Dialect, Tile_Scope, "scope"> {
  let assemblyFormat = "`<` $value `>`";
  let description = [{
    `lane`: each lane reads only what it copied itself, nothing to order;
    `warp`: one warp; `part`: the warps of one part of K; `block`: all.
  }];
}

def Tile_Engine : I32EnumAttr<"Engine", "what carries a tile to shared memory", [
    I32EnumAttrCase<"cp_async", 0>, I32EnumAttrCase<"bulk", 1>,
    I32EnumAttrCase<"tensor", 2>]> {
  let cppNamespace = "::mlir::tile";
  let genSpecializedAttr = 0;
}
def Tile_EngineAttr : EnumAttr<Tile_Dialect, Tile_Engine, "engine"> {
  let description = [{
    `cp_async`: every thread copies its elements, up to 16 bytes at a time;
    `bulk`: one thread starts one copy for each contiguous run; `tensor`: one
    thread starts one copy for a box of the matrix, which a tensor map in the
    launch record describes.
  }];
}

def Tile_Access : I32EnumAttr<"Access", "what a kernel does to an argument", [
    I32EnumAttrCase<"read", 0>, I32EnumAttrCase<"write", 1>,
    I32EnumAttrCase<"workspace", 2>]> {
  let cppNamespace = "::mlir::tile";
  let genSpecializedAttr = 0;
}

def Tile_ReferenceAttr : Tile_Attr<"Reference", "reference"> {
  let summary = "what the kernel computes, for checking a run of it";
  let description = [{
    y[m, n] = sum over k of x[m, k] * (w[k, n] - offset) * s[k / group, n]; the
    operands are the kernel's arguments of those names.
  }];
  let parameters = (ins "int64_t":$group);
  let assemblyFormat = "`<` `gemm` `,` `group` `=` $group `>`";
}

#endif // WNA16_DIALECT_TILE_TILEATTRS_TD
