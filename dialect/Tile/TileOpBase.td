//===- TileOpBase.td - shared definitions of tile ops ----*- tablegen -*---===//
#ifndef WNA16_DIALECT_TILE_TILEOPBASE_TD
#define WNA16_DIALECT_TILE_TILEOPBASE_TD

include "dialect/Tile/TileAttrs.td"
include "dialect/Tile/TileDialect.td"
include "dialect/Tile/TileTypes.td"
include "dialect/Wna16/Wna16Order.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, !listconcat([OrderFree], traits)>;

#endif // WNA16_DIALECT_TILE_TILEOPBASE_TD
