//===- TileOps.td - all ops of the tile dialect ----------*- tablegen -*---===//
#ifndef WNA16_DIALECT_TILE_TILEOPS_TD
#define WNA16_DIALECT_TILE_TILEOPS_TD

include "dialect/Tile/TileAsyncOps.td"
include "dialect/Tile/TileComputeOps.td"
include "dialect/Tile/TileKernelOps.td"
include "dialect/Tile/TileLaunchOps.td"
include "dialect/Tile/TileRingOps.td"
include "dialect/Tile/TileRoleOps.td"
include "dialect/Tile/TileSegmentOps.td"

#endif // WNA16_DIALECT_TILE_TILEOPS_TD
