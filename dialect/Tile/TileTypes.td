//===- TileTypes.td - types of the tile dialect ----------*- tablegen -*---===//
#ifndef WNA16_DIALECT_TILE_TILETYPES_TD
#define WNA16_DIALECT_TILE_TILETYPES_TD

include "dialect/Tile/TileAttrs.td"
include "dialect/Tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Tile_Global : Tile_Type<"Global", "global"> {
  let summary = "a matrix in global memory, an argument of the kernel";
  let description = [{
    Logical shape, element and storage. The first extent may be `?`, given by
    `tile.bind`. Without a layout the matrix is row-major. With three extents it is
    a stack of matrices, one per expert, one after the other: `tile.expert` takes
    one of them. `workspace` is memory that the launcher provides: of f32, with any
    contents; of i32, zeros, which the kernel leaves behind as zeros.

    ```mlir
    !tile.global<?x4096xf16, read>
    !tile.global<4096x6144x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
    !tile.global<16x12288xf32, workspace>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        "::mlir::tile::Access":$access,
                        OptionalParameter<"::mlir::Attribute">:$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_Val : Tile_Type<"Val", "val"> {
  let summary = "a tile as a value";
  let description = [{
    Two power-of-two extents and an element type. `assign-layouts` adds the
    layout. `partial` marks a sum of which every part of K holds its own share,
    `partial<blocks>` one of which every block that shares K does, and
    `partial<parts, blocks>` both: only `tile.combine` and
    `tile.combine_by_ticket` remove a mark, and neither a cast nor a store takes
    it.

    ```mlir
    !tile.val<64x8xf32>
    !tile.val<64x8xf32, #acc, partial>
    !tile.val<64x8xf32, #rows, partial<blocks>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        OptionalParameter<"::mlir::tile::LinearAttr">:$layout,
                        DefaultValuedParameter<"bool", "false">:$partial,
                        DefaultValuedParameter<"bool", "false">:$partialBlocks);
  let builders = [
    /// A value that is no share of the blocks'.
    TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape,
                     "::mlir::Type":$elementType,
                     "::mlir::tile::LinearAttr":$layout, "bool":$partial), [{
      return $_get($_ctxt, shape, elementType, layout, partial, false);
    }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ValType withLayout(LinearAttr layout) const;
    ValType withPartial(bool partial) const;
    ValType withPartialBlocks(bool partial) const;
    /// A share of a sum, of whatever kind.
    bool isPartial() const { return getPartial() || getPartialBlocks(); }
    /// Bits of one element as stored: 4 for !wna16.code<4>, 16 for f16, ...
    unsigned getElementBits() const;
    /// 32-bit registers per lane; the layout must be there.
    unsigned getNumRegisters() const;
  }];
}

def Tile_Ring : Tile_Type<"Ring", "ring"> {
  let summary = "stages of shared memory with named fields";
  let description = [{
    A stage holds one K step: one tile per field. The K step with sequence number
    `i` lives in stage `i mod stages` from `acquire` to `release`. With K split
    over P parts, part p takes the steps i = p (mod P), so `stages` is a multiple
    of P and a stage always belongs to one part.

    ```mlir
    !tile.ring<24, [#tile.field<"w", !tile.val<128x64x!code>, #wna16.layout<marlin>>,
                    #tile.field<"x", !tile.val<8x128xf16>, #tile.pitch<136>>]>
    ```
  }];
  let parameters = (ins "int64_t":$stages,
                        ArrayRefParameter<"::mlir::tile::FieldAttr">:$fields);
  let assemblyFormat = "`<` $stages `,` `[` $fields `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    FieldAttr getField(::llvm::StringRef name) const;
    /// Byte offset of a field inside a stage, and the bytes of a stage; fields
    /// are aligned to 16 bytes, swizzled ones to their pattern.
    int64_t getFieldOffset(::llvm::StringRef name) const;
    int64_t getStageBytes() const;
    /// What stages begin at multiples of.
    int64_t getAlignment() const;
  }];
}

#endif // WNA16_DIALECT_TILE_TILETYPES_TD
