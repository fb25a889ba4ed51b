// Expands Marlin weights to a row-major matrix, 128x64 elements per block.
!codes = !tile.global<256x128x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!scales = !tile.global<2x128xf16, read, #wna16.layout<marlin_scales>>
!out = !tile.global<256x128xf16, write>

tile.kernel @dequantize(%w: !codes, %s: !scales, %y: !out)
    attributes {arg_names = ["w", "s", "y"], warps = 4 : i64} {
  tile.for_each_work (%ik, %in) tile [128, 64] of [256, 128] {
    %wt = tile.load %w[%ik, %in] : !codes -> !tile.val<128x64x!wna16.code<4, offset = 8>>
    %st = tile.load_scales %s[k = %ik, n = %in] {group = 128 : i64} : !scales -> !tile.val<1x64xf16>
    %d = tile.dequant %wt scales %st : !tile.val<128x64x!wna16.code<4, offset = 8>> scales !tile.val<1x64xf16> -> !tile.val<128x64xf16>
    tile.store %d, %y[%ik, %in] : !tile.val<128x64xf16>, !out
  }
}
