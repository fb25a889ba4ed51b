//===- TileDialect.td - the tile dialect -----------------*- tablegen -*---===//
//
// How a kernel works, per thread block: whole tiles, explicit memory spaces, an
// asynchronous ring, no thread ids.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_TILE_TILEDIALECT_TD
#define WNA16_DIALECT_TILE_TILEDIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::mlir::tile";
  let summary = "GPU kernels on tiles: loads, rings, dequantisation, mma, stores";
  let description = [{
    One program per thread block. Values are whole tiles (`!tile.val`); before
    `assign-layouts` they are only shapes, afterwards a layout says which lane
    of which warp holds which element. Data reach registers directly from global
    memory (`tile.load`) or through a ring of shared-memory stages
    (`tile.ring`). Nothing here names a thread, an instruction or a GPU: these
    are chosen by `convert-tile-to-nvvm` from the layouts.

    The order of K is static: no op takes a group index, and coordinates of
    scales never depend on loaded values (ORD4).
  }];
  let dependentDialects = ["::mlir::wna16::Wna16Dialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // WNA16_DIALECT_TILE_TILEDIALECT_TD
