// RUN: wna16-opt %s --verify-order --split-input-file --allow-unregistered-dialect --verify-diagnostics -o /dev/null

// ORD3: what is gathered (activations, weights, scales), and the ways from the
// gather to the op: casts, calls, conditionals, loops, concatenations. Each way
// once with an order that is kept, in the first part, and once without.

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

func.func private @rows(%x: tensor<32x128xf16>, %ids: tensor<8x1xindex>) -> !x {
  %0 = tensor.gather %x[%ids] gather_dims([0])
      : (tensor<32x128xf16>, tensor<8x1xindex>) -> !x
  return %0 : !x
}

func.func @through_call(%x: tensor<32x128xf16>, %ids: tensor<8x1xindex>, %w: !w, %s: !s) -> !y {
  %0 = call @rows(%x, %ids) : (tensor<32x128xf16>, tensor<8x1xindex>) -> !x
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

func.func private @element(%x: !x, %m: index, %k: index) -> f16 {
  %e = tensor.extract %x[%m, %k] : !x
  return %e : f16
}

func.func @element_by_call(%x: !x, %w: !w, %s: !s) -> !y {
  %0 = tensor.generate {
  ^bb0(%m: index, %k: index):
    %e = func.call @element(%x, %m, %k) : (!x, index, index) -> f16
    tensor.yield %e : f16
  } : !x
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

func.func @through_if(%c: i1, %x: tensor<32x128xf16>, %ids: tensor<8x1xindex>, %other: !x, %w: !w, %s: !s) -> !y {
  %0 = scf.if %c -> !x {
    %1 = tensor.gather %x[%ids] gather_dims([0])
        : (tensor<32x128xf16>, tensor<8x1xindex>) -> !x
    scf.yield %1 : !x
  } else {
    scf.yield %other : !x
  }
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

func.func @through_loop(%x: !x, %ids: tensor<8x1xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> !x {
    %1 = tensor.gather %a[%ids] gather_dims([0]) : (!x, tensor<8x1xindex>) -> !x
    scf.yield %1 : !x
  }
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

func.func @through_concat(%x: tensor<32x128xf16>, %ids: tensor<4x1xindex>, %other: tensor<4x128xf16>, %w: !w, %s: !s) -> !y {
  %0 = tensor.gather %x[%ids] gather_dims([0])
      : (tensor<32x128xf16>, tensor<4x1xindex>) -> tensor<4x128xf16>
  %1 = tensor.concat dim(0) %0, %other : (tensor<4x128xf16>, tensor<4x128xf16>) -> !x
  %y = wna16.gemm %1, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

func.func @through_insert_slice(%x: tensor<32x128xf16>, %ids: tensor<4x1xindex>, %other: !x, %w: !w, %s: !s) -> !y {
  %0 = tensor.gather %x[%ids] gather_dims([0])
      : (tensor<32x128xf16>, tensor<4x1xindex>) -> tensor<4x128xf16>
  %1 = tensor.insert_slice %0 into %other[4, 0] [4, 128] [1, 1] : tensor<4x128xf16> into !x
  %y = wna16.gemm %1, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// Scales of other columns, in their order; groups stay where they are.
func.func @columns_of_scales(%x: !x, %t: tensor<2x256xf16>, %ids: tensor<64x1xindex>, %w: !w) -> !y {
  %0 = tensor.gather %t[%ids] gather_dims([1]) : (tensor<2x256xf16>, tensor<64x1xindex>) -> tensor<64x2xf16>
  %empty = tensor.empty() : !s
  %1 = linalg.transpose ins(%0 : tensor<64x2xf16>) outs(%empty : !s) permutation = [1, 0]
  %y = wna16.gemm %x, %w, %1 : (!x, !w, !s) -> !y
  return %y : !y
}

// The expert's weights and scales are one slice each, at a loaded number.
func.func @expert(%x: !x, %all: tensor<16x2x64xf16>, %ids: tensor<1xindex>, %w: !w) -> !y {
  %c0 = arith.constant 0 : index
  %e = tensor.extract %ids[%c0] : tensor<1xindex>
  %0 = tensor.extract_slice %all[%e, 0, 0] [1, 2, 64] [1, 1, 1] : tensor<16x2x64xf16> to !s
  %y = wna16.gemm %x, %w, %0 : (!x, !w, !s) -> !y
  return %y : !y
}

// An element-wise op over scales; a bound is no index.
func.func @scales_times_loaded_factor(%x: !x, %s: !s, %factor: tensor<1xf16>, %w: !w) -> !y {
  %init = tensor.empty() : !s
  %0 = linalg.generic {
      indexing_maps = [affine_map<(g, n) -> (g, n)>, affine_map<(g, n) -> (0)>, affine_map<(g, n) -> (g, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%s, %factor : !s, tensor<1xf16>) outs(%init : !s) {
  ^bb0(%e: f16, %f: f16, %out: f16):
    %1 = arith.mulf %e, %f : f16
    linalg.yield %1 : f16
  } -> !s
  %y = wna16.gemm %x, %w, %0 : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!s = tensor<2x64xf16>

func.func @ord3_gather_of_weights(%w: !w, %perm: tensor<128x1xindex>, %s: !s) -> tensor<128x64xf16> {
  // expected-note@+1 {{reordered along K here, by 'tensor.gather', by indices read from memory}}
  %0 = tensor.gather %w[%perm] gather_dims([0]) : (!w, tensor<128x1xindex>) -> !w
  // expected-error@+1 {{'wna16.dequantize' op operand #0 was reordered along K; the order of K is static, a scale belongs to consecutive rows of k; re-quantize with static ordering or desc_act=false [ORD3]}}
  %y = wna16.dequantize %0, %s : (!w, !s) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!s = tensor<2x64xf16>

// A constant order of weights is an order, too.
func.func @ord3_rows_of_weights_by_constants(%w: !w, %s: !s) -> tensor<128x64xf16> {
  %all = arith.constant dense<1> : tensor<128x1xindex>
  // expected-note@+1 {{reordered along K here, by 'tensor.gather'}}
  %0 = tensor.gather %w[%all] gather_dims([0]) : (!w, tensor<128x1xindex>) -> !w
  // expected-error@+1 {{'wna16.dequantize' op operand #0 was reordered along K}}
  %y = wna16.dequantize %0, %s : (!w, !s) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!s = tensor<2x64xf16>

func.func @ord3_scatter_of_scales(%w: !w, %g: tensor<2x1xindex>, %s: !s, %init: !s) -> tensor<128x64xf16> {
  %rows = tensor.expand_shape %s [[0, 1], [2]] output_shape [2, 1, 64] : !s into tensor<2x1x64xf16>
  // expected-note@+1 {{reordered along K here, by 'tensor.scatter'}}
  %0 = tensor.scatter %rows into %init[%g] scatter_dims([0]) unique
      : (tensor<2x1x64xf16>, !s, tensor<2x1xindex>) -> !s
  // expected-error@+1 {{'wna16.dequantize' op operand #1 was reordered along K}}
  %y = wna16.dequantize %w, %0 : (!w, !s) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!s = tensor<2x64xf16>

func.func @ord3_through_cast(%w: !w, %g: tensor<2x1xindex>, %s: !s) -> tensor<128x64xf16> {
  // expected-note@+1 {{reordered along K here, by 'tensor.gather'}}
  %0 = tensor.gather %s[%g] gather_dims([0]) : (!s, tensor<2x1xindex>) -> tensor<2x64xf16>
  %1 = arith.extf %0 : !s to tensor<2x64xf32>
  %2 = arith.truncf %1 : tensor<2x64xf32> to !s
  %3 = tensor.cast %2 : !s to tensor<?x64xf16>
  %4 = tensor.cast %3 : tensor<?x64xf16> to !s
  // expected-error@+1 {{'wna16.dequantize' op operand #1 was reordered along K}}
  %y = wna16.dequantize %w, %4 : (!w, !s) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!s = tensor<2x64xf16>

// In each round of a loop the scales are gathered again.
func.func @ord3_through_loop(%w: !w, %g: tensor<2x1xindex>, %s: !s) -> tensor<128x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %s) -> !s {
    // expected-note@+1 {{reordered along K here, by 'tensor.gather'}}
    %1 = tensor.gather %a[%g] gather_dims([0]) : (!s, tensor<2x1xindex>) -> !s
    scf.yield %1 : !s
  }
  // expected-error@+1 {{'wna16.dequantize' op operand #1 was reordered along K}}
  %y = wna16.dequantize %w, %0 : (!w, !s) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!s = tensor<2x64xf16>

func.func @ord3_through_concat(%w: !w, %g: tensor<1x1xindex>, %s: !s, %t: tensor<1x64xf16>) -> tensor<128x64xf16> {
  // expected-note@+1 {{reordered along K here, by 'tensor.gather'}}
  %0 = tensor.gather %s[%g] gather_dims([0]) : (!s, tensor<1x1xindex>) -> tensor<1x64xf16>
  %1 = tensor.concat dim(0) %t, %0 : (tensor<1x64xf16>, tensor<1x64xf16>) -> !s
  // expected-error@+1 {{'wna16.dequantize' op operand #1 was reordered along K}}
  %y = wna16.dequantize %w, %1 : (!w, !s) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!s = tensor<2x64xf16>

func.func @ord3_through_insert_slice(%w: !w, %g: tensor<1x1xindex>, %s: !s, %t: !s) -> tensor<128x64xf16> {
  // expected-note@+1 {{reordered along K here, by 'tensor.gather'}}
  %0 = tensor.gather %s[%g] gather_dims([0]) : (!s, tensor<1x1xindex>) -> tensor<1x64xf16>
  %1 = tensor.insert_slice %0 into %t[1, 0] [1, 64] [1, 1] : tensor<1x64xf16> into !s
  // expected-error@+1 {{'wna16.dequantize' op operand #1 was reordered along K}}
  %y = wna16.dequantize %w, %1 : (!w, !s) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!s = tensor<2x64xf16>

// The tensor that a slice is put into counts as well.
func.func @ord3_below_insert_slice(%w: !w, %g: tensor<2x1xindex>, %s: !s, %t: tensor<1x64xf16>) -> tensor<128x64xf16> {
  // expected-note@+1 {{reordered along K here, by 'tensor.gather'}}
  %0 = tensor.gather %s[%g] gather_dims([0]) : (!s, tensor<2x1xindex>) -> !s
  %1 = tensor.insert_slice %t into %0[1, 0] [1, 64] [1, 1] : tensor<1x64xf16> into !s
  // expected-error@+1 {{'wna16.dequantize' op operand #1 was reordered along K}}
  %y = wna16.dequantize %w, %1 : (!w, !s) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!s = tensor<2x64xf16>

func.func @ord3_through_generic(%w: !w, %g: tensor<2x1xindex>, %s: !s) -> tensor<128x64xf16> {
  // expected-note@+1 {{reordered along K here, by 'tensor.gather'}}
  %0 = tensor.gather %s[%g] gather_dims([0]) : (!s, tensor<2x1xindex>) -> !s
  %init = tensor.empty() : !s
  %1 = linalg.generic {
      indexing_maps = [affine_map<(g, n) -> (g, n)>, affine_map<(g, n) -> (g, n)>],
      iterator_types = ["parallel", "parallel"]} ins(%0 : !s) outs(%init : !s) {
  ^bb0(%e: f16, %out: f16):
    %2 = arith.addf %e, %e : f16
    linalg.yield %2 : f16
  } -> !s
  // expected-error@+1 {{'wna16.dequantize' op operand #1 was reordered along K}}
  %y = wna16.dequantize %w, %1 : (!w, !s) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!s = tensor<2x64xf16>

// Constant indices in a body that are not 0, 1, 2, ...
func.func @ord3_constants_in_generic(%w: !w, %s: !s) -> tensor<128x64xf16> {
  %swapped = arith.constant dense<[1, 0]> : tensor<2xindex>
  %init = tensor.empty() : !s
  // expected-note@+1 {{reordered along K here, by 'linalg.generic', by indices read from memory}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(g, n) -> (g)>, affine_map<(g, n) -> (g, n)>],
      iterator_types = ["parallel", "parallel"]} ins(%swapped : tensor<2xindex>) outs(%init : !s) {
  ^bb0(%row: index, %out: f16):
    %n = linalg.index 1 : index
    %e = tensor.extract %s[%row, %n] : !s
    linalg.yield %e : f16
  } -> !s
  // expected-error@+1 {{'wna16.dequantize' op operand #1 was reordered along K}}
  %y = wna16.dequantize %w, %0 : (!w, !s) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

func.func private @element(%x: !x, %m: index, %k: index) -> f16 {
  // expected-note@+1 {{reordered along K here, by 'tensor.extract', by indices read from memory}}
  %e = tensor.extract %x[%m, %k] : !x
  return %e : f16
}

// The index is handed to the function that reads.
func.func @ord3_index_into_call(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %0 = tensor.generate {
  ^bb0(%m: index, %k: index):
    %i = tensor.extract %perm[%k] : tensor<128xindex>
    %e = func.call @element(%x, %m, %i) : (!x, index, index) -> f16
    tensor.yield %e : f16
  } : !x
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

func.func private @column(%x: !x, %k: index) -> tensor<8x1xf16> {
  // expected-note@+1 {{reordered along K here, by 'tensor.extract_slice', slice by slice, at offsets read from memory}}
  %column = tensor.extract_slice %x[0, %k] [8, 1] [1, 1] : !x to tensor<8x1xf16>
  return %column : tensor<8x1xf16>
}

func.func @ord3_offset_into_call(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  %0 = scf.for %k = %c0 to %c128 step %c1 iter_args(%a = %init) -> !x {
    %i = tensor.extract %perm[%k] : tensor<128xindex>
    %column = func.call @column(%x, %i) : (!x, index) -> tensor<8x1xf16>
    %next = tensor.insert_slice %column into %a[0, %k] [8, 1] [1, 1] : tensor<8x1xf16> into !x
    scf.yield %next : !x
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

func.func private @place_of(%k: index) -> index {
  %perm = arith.constant dense<[1, 0]> : tensor<2xindex>
  %c2 = arith.constant 2 : index
  %at = arith.remui %k, %c2 : index
  %i = tensor.extract %perm[%at] : tensor<2xindex>
  return %i : index
}

// The index comes from a function that has its own table.
func.func @ord3_index_out_of_call(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-note@+1 {{reordered along K here, by 'tensor.generate', by indices read from memory}}
  %0 = tensor.generate {
  ^bb0(%m: index, %k: index):
    %i = func.call @place_of(%k) : (index) -> index
    %e = tensor.extract %x[%m, %i] : !x
    tensor.yield %e : f16
  } : !x
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// An unknown function that gets the tensor and the index.
func.func private @unknown(!x, index, index) -> f16

func.func @ord3_unknown_reader(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  // expected-note@+1 {{reordered along K here, by 'tensor.generate', by indices read from memory}}
  %0 = tensor.generate {
  ^bb0(%m: index, %k: index):
    %i = tensor.extract %perm[%k] : tensor<128xindex>
    %e = func.call @unknown(%x, %m, %i) : (!x, index, index) -> f16
    tensor.yield %e : f16
  } : !x
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4>, #wna16.layout<gptq>>
!z = tensor<2x64x!wna16.code<4>, #wna16.layout<gptq_zeros>>

func.func @ord3_gather_of_zeros(%w: !w, %s: tensor<2x64xf16>, %z: !z, %g: tensor<2x1xindex>) -> tensor<128x64xf16> {
  // expected-note@+1 {{reordered along K here, by 'tensor.gather'}}
  %0 = tensor.gather %z[%g] gather_dims([0]) : (!z, tensor<2x1xindex>) -> !z
  // expected-error@+1 {{'wna16.dequantize' op operand #2 was reordered along K}}
  %y = wna16.dequantize %w, %s zeros %0 : (!w, tensor<2x64xf16>, !z) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4>, #wna16.layout<gptq>>
!z = tensor<2x64x!wna16.code<4>, #wna16.layout<gptq_zeros>>
!x = tensor<?x128xf16>

// Zero points of the identity, and a bias by column: neither is about K.
func.func @ord3_zeros_in_order(%x: !x, %w: !w, %s: tensor<2x64xf16>, %z: !z, %b: tensor<1x64xf16>, %n: tensor<64x1xindex>) -> tensor<?x64xf16> {
  %identity = arith.constant dense<[[0], [1]]> : tensor<2x1xindex>
  %0 = tensor.gather %z[%identity] gather_dims([0]) : (!z, tensor<2x1xindex>) -> !z
  %1 = tensor.gather %b[%n] gather_dims([1]) : (tensor<1x64xf16>, tensor<64x1xindex>) -> tensor<64x1xf16>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<64x1xf16> into tensor<64xf16>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [1, 64] : tensor<64xf16> into tensor<1x64xf16>
  %y = wna16.gemm %x, %w, %s zeros %0 bias %3 : (!x, !w, tensor<2x64xf16>, !z, tensor<1x64xf16>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}
