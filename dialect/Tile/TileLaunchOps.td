//===- TileLaunchOps.td - kernels that overlap in time ---*- tablegen -*---===//
//
// Programmatic dependent launch: a kernel may start before the one in front of
// it in the stream has ended.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_TILE_TILELAUNCHOPS_TD
#define WNA16_DIALECT_TILE_TILELAUNCHOPS_TD

include "dialect/Tile/TileOpBase.td"

def DependencyWaitOp
    : Tile_Op<"dependency_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the kernel in front has ended";
  let description = [{
    What that kernel wrote is visible afterwards. Matrices that it may read or
    write are touched after the wait only: all that have no packed layout
    [DEP-V1]. Packed weights and scales are constants of the model and may be read
    before. Launched without overlap, the wait costs nothing.

    ```mlir
    tile.dependency_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def DependencyLaunchOp
    : Tile_Op<"dependency_launch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "lets the kernel behind this one start";
  let description = [{
    A hint: that kernel still waits for this one to end before it touches what
    this one writes.

    ```mlir
    tile.dependency_launch
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // WNA16_DIALECT_TILE_TILELAUNCHOPS_TD
