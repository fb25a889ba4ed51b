// RUN: wna16-opt %s --verify-encoded-use --split-input-file --allow-unregistered-dialect --verify-diagnostics -o /dev/null

!codes = !wna16.code<4, offset = 8>
!w = tensor<128x64x!codes, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>

func.func private @callee(!w, !s) -> (!w, !s)

// Function boundaries, calls, returns, extents and wna16 ops may handle them.
func.func @accepted(%x: tensor<?x128xf16>, %w: !w, %s: !s)
    -> (tensor<?x64xf16>, index, !s) {
  %0:2 = call @callee(%w, %s) : (!w, !s) -> (!w, !s)
  %c1 = arith.constant 1 : index
  %n = tensor.dim %0#0, %c1 : !w
  %y = wna16.gemm %x, %0#0, %0#1 : (tensor<?x128xf16>, !w, !s) -> tensor<?x64xf16>
  return %y, %n, %0#1 : tensor<?x64xf16>, index, !s
}

// -----

!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>

// Without the check, the generic op would read permuted scales as row-major.
// expected-note@+1 {{the encoded tensor comes from here}}
func.func @enc1_scales_in_linalg_generic(%s: !s) -> tensor<2x64xf16> {
  %init = tensor.empty() : tensor<2x64xf16>
  // expected-error@+1 {{'linalg.generic' op has an encoded tensor as operand #0: 'tensor<2x64xf16, #wna16.layout<marlin_scales>>'; ops outside the wna16 dialect drop the encoding silently and would read the elements in the wrong order; bring the scales to a plain tensor with wna16.repack first [ENC1]}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%s : !s) outs(%init : tensor<2x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<2x64xf16>
  return %0 : tensor<2x64xf16>
}

// -----

!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>

// expected-note@+1 {{the encoded tensor comes from here}}
func.func @enc1_scales_in_cast(%s: !s) -> tensor<?x64xf16> {
  // expected-error@+1 {{'tensor.cast' op has an encoded tensor as operand #0}}
  %0 = tensor.cast %s : !s to tensor<?x64xf16>
  return %0 : tensor<?x64xf16>
}

// -----

!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>

// expected-note@+1 {{the encoded tensor comes from here}}
func.func @enc1_scales_in_slice(%s: !s) -> tensor<1x64xf16> {
  // expected-error@+1 {{'tensor.extract_slice' op has an encoded tensor as operand #0}}
  %0 = tensor.extract_slice %s[1, 0] [1, 64] [1, 1] : !s to tensor<1x64xf16>
  return %0 : tensor<1x64xf16>
}

// -----

!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>

// expected-note@+1 {{the encoded tensor comes from here}}
func.func @enc1_scales_in_buffer(%s: !s) -> memref<2x64xf16> {
  // expected-error@+1 {{'bufferization.to_buffer' op has an encoded tensor as operand #0}}
  %0 = bufferization.to_buffer %s : !s to memref<2x64xf16>
  return %0 : memref<2x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>

// expected-note@+1 {{the encoded tensor comes from here}}
func.func @enc1_weights_in_extract(%w: !w, %i: index) -> !wna16.code<4, offset = 8> {
  // expected-error@+1 {{'tensor.extract' op has an encoded tensor as operand #0: 'tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>'; ops outside the wna16 dialect drop the encoding silently and would read the elements in the wrong order; expand the weights with wna16.dequantize first [ENC1]}}
  %0 = tensor.extract %w[%i, %i] : !w
  return %0 : !wna16.code<4, offset = 8>
}

// -----

func.func @enc1_result() {
  // expected-error@+1 {{'tensor.empty' op has an encoded tensor as result #0}}
  %0 = tensor.empty() : tensor<2x64xf16, #wna16.layout<marlin_scales>>
  return
}

// -----

!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>

// Only the type of the function mentions the encoding.
func.func private @callee(!s)
func.func @enc1_function_constant() {
  // expected-error@+1 {{'func.constant' op has an encoded tensor as result #0}}
  %0 = constant @callee : (!s) -> ()
  return
}

// -----

!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>

func.func @enc1_block_argument() {
  // expected-error@+1 {{'test.loop' op has an encoded tensor as block argument #0}}
  "test.loop"() ({
  ^bb0(%s: !s):
    "test.end"() : () -> ()
  }) : () -> ()
  return
}
