// RUN: wna16-opt %s --convert-repack-to-gpu --split-input-file --verify-diagnostics

!a = tensor<128x64x!wna16.code<4>, #wna16.layout<gptq>>
!b = tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>

// expected-error @+1 {{expected a function that returns one wna16.repack of its argument and does nothing else [REPACK-C4]}}
func.func @repack_c4_two(%x: !a) -> (!b, !b) {
  %0 = wna16.repack %x : !a to !b
  %1 = wna16.repack %x : !a to !b
  return %0, %1 : !b, !b
}

// -----

!a = tensor<128x64x!wna16.code<4>, #wna16.layout<gptq>>
!b = tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>

// A permutation has no place: an argument that nothing reads is refused, too.
// expected-error @+1 {{expected a function that returns one wna16.repack of its argument and does nothing else [REPACK-C4]}}
func.func @repack_c4_another_argument(%x: !a, %rows: tensor<128xi32>) -> !b {
  %0 = wna16.repack %x : !a to !b
  return %0 : !b
}

// -----

!s = tensor<2x64xf16>
!t = tensor<2x64xf16, #wna16.layout<marlin_scales>>

// expected-error @+1 {{expected a function that returns one wna16.repack of its argument and does nothing else [REPACK-C4]}}
func.func @repack_c4_gathered(%s: !s, %g: tensor<2x1xi32>) -> !t {
  %0 = tensor.gather %s[%g] gather_dims([0]) : (!s, tensor<2x1xi32>) -> !s
  %1 = wna16.repack %0 : !s to !t
  return %1 : !t
}
