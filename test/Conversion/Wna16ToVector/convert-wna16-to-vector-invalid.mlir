// RUN: wna16-opt %s --convert-wna16-to-vector -verify-diagnostics

!x = tensor<?x128xf16>
!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<1x64xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x64xf16>

// expected-error @+1 {{expected a function that returns one wna16.gemm of its arguments and does nothing else [CPU-C1]}}
func.func @cpu_c1_more_than_a_product(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 16 : i64} : (!x, !w, !s) -> !y
  %z = wna16.gemm %x, %w, %s {max_m = 16 : i64} : (!x, !w, !s) -> !y
  return %z : !y
}
