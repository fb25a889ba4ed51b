// One function per way of storing: words of planes and of streams, padded and cut, zero points
// that become wider, scales.

!gptq = tensor<96x50x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!marlin = tensor<128x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
func.func @weights(%x: !gptq) -> !marlin {
  %y = wna16.repack %x : !gptq to !marlin
  return %y : !marlin
}

!streams = tensor<70x50x!wna16.code<7>, #wna16.layout<compressed_tensors>>
!planes = tensor<80x64x!wna16.code<7>, #wna16.layout<marlin>>
func.func @planes(%x: !streams) -> !planes {
  %y = wna16.repack %x : !streams to !planes
  return %y : !planes
}
func.func @streams(%x: !planes) -> !streams {
  %y = wna16.repack %x : !planes to !streams
  return %y : !streams
}

!narrow_zeros = tensor<5x64x!wna16.code<3>, #wna16.layout<gptq_zeros>>
!wide_zeros = tensor<6x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>
func.func @zeros(%x: !narrow_zeros) -> !wide_zeros {
  %y = wna16.repack %x : !narrow_zeros to !wide_zeros
  return %y : !wide_zeros
}

!plain_scales = tensor<5x50xbf16>
!stored_scales = tensor<6x64xbf16, #wna16.layout<marlin_scales>>
func.func @scales(%x: !plain_scales) -> !stored_scales {
  %y = wna16.repack %x : !plain_scales to !stored_scales
  return %y : !stored_scales
}
