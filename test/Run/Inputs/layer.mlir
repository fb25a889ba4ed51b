// A small layer for tests that edit the stages of its compilation, with a schedule that
// does not depend on what select-schedule would choose.
!x = tensor<?x512xf16>
!w = tensor<512x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<4x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 4], stages = 3,
  copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform>

func.func @layer(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}
