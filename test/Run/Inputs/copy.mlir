// Copies a matrix, 64x64 elements per block; rows beyond M stay as they are.
tile.kernel @copy(%x: !tile.global<?x256xf16, read>,
                  %y: !tile.global<?x256xf16, write>, %m: index, %ldx: index)
    attributes {arg_names = ["x", "y", "M", "ldx"], warps = 4 : i64} {
  %xb = tile.bind %x rows %m stride %ldx : !tile.global<?x256xf16, read>
  %yb = tile.bind %y rows %m : !tile.global<?x256xf16, write>
  tile.for_each_work (%im, %in) tile [64, 64] of [%m, 256] {
    %v = tile.load %xb[%im, %in] : !tile.global<?x256xf16, read> -> !tile.val<64x64xf16>
    tile.store %v, %yb[%im, %in] : !tile.val<64x64xf16>, !tile.global<?x256xf16, write>
  }
}
