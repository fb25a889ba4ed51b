// y = x * w with 16-bit weights, row-major: no codes, no scales. Two warps share
// the columns of a block, so the ring is shared by the warps of a part.
#schedule = #wna16.schedule<tile = [64, 16, 64], warps = [2, 2], stages = 3,
  copy = cp_async, math = mma, scales = weights, split = none, roles = uniform>

tile.kernel @gemm_f16(%x: !tile.global<?x512xf16, read>,
                      %w: !tile.global<512x128xf16, read>,
                      %y: !tile.global<?x128xf16, write>, %m: index, %ldx: index)
    attributes {arg_names = ["x", "w", "y", "M", "ldx"], warps = 4 : i64,
                schedule = #schedule} {
  %xb = tile.bind %x rows %m stride %ldx : !tile.global<?x512xf16, read>
  %yb = tile.bind %y rows %m : !tile.global<?x128xf16, write>
  tile.for_each_work (%im, %in) tile [16, 64] of [%m, 128] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %steps = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !tile.val<64x16xf32>
    %acc = scf.for %i = %c0 to %steps step %c1 iter_args(%a = %zero) -> (!tile.val<64x16xf32>) {
      %k = arith.muli %i, %c64 : index
      %wt = tile.load %w[%k, %in] : !tile.global<512x128xf16, read> -> !tile.val<64x64xf16>
      %xt = tile.load %xb[%im, %k] : !tile.global<?x512xf16, read> -> !tile.val<16x64xf16>
      %r = tile.mma %wt, %xt, %a : !tile.val<64x64xf16>, !tile.val<16x64xf16>, !tile.val<64x16xf32>
      scf.yield %r : !tile.val<64x16xf32>
    }
    %h = tile.cast %acc : !tile.val<64x16xf32> -> !tile.val<64x16xf16>
    tile.store %h, %yb[%im, %in] transposed : !tile.val<64x16xf16>, !tile.global<?x128xf16, write>
  }
}
