// A layer whose weights one thread copies, for tests that edit the stages of its
// compilation: eight steps of K for two parts with two stages each.
!x = tensor<?x1024xf16>
!w = tensor<1024x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<8x64xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x64xf16>
func.func @layer(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #wna16.schedule<tile = [64, 8, 128],
      warps = [1, 2], stages = 2, copy = bulk, math = mma, scales = accumulator, split = none,
      roles = producer_consumer>} : (!x, !w, !s) -> !y
  return %y : !y
}
