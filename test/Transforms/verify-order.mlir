// RUN: wna16-opt %s --verify-order --split-input-file --allow-unregistered-dialect --verify-diagnostics -o /dev/null

// Each function of the first part is accepted, each of the second refused.

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// Where an argument comes from is not known.
func.func @arguments(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// Rows of M may be routed: this is what a mixture of experts does.
func.func @gather_of_rows(%x: tensor<32x128xf16>, %rows: tensor<8x1xindex>, %w: !w, %s: !s) -> !y {
  %0 = tensor.gather %x[%rows] gather_dims([0])
      : (tensor<32x128xf16>, tensor<8x1xindex>) -> !x
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

func.func @gather_of_rows_in_generic(%x: tensor<32x128xf16>, %rows: tensor<8xindex>, %w: !w, %s: !s) -> !y {
  %init = tensor.empty() : !x
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (m)>, affine_map<(m, k) -> (m, k)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<8xindex>) outs(%init : !x) {
  ^bb0(%row: index, %out: f16):
    %k = linalg.index 1 : index
    %e = tensor.extract %x[%row, %k] : tensor<32x128xf16>
    linalg.yield %e : f16
  } -> !x
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

func.func @rows_moved_in_loop(%x: tensor<32x128xf16>, %rows: tensor<8xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %init = tensor.empty() : !x
  %0 = scf.for %m = %c0 to %c8 step %c1 iter_args(%a = %init) -> !x {
    %row = tensor.extract %rows[%m] : tensor<8xindex>
    %slice = tensor.extract_slice %x[%row, 0] [1, 128] [1, 1] : tensor<32x128xf16> to tensor<1x128xf16>
    %next = tensor.insert_slice %slice into %a[%m, 0] [1, 128] [1, 1] : tensor<1x128xf16> into !x
    scf.yield %next : !x
  }
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// Constant indices that are the identity move nothing.
func.func @identity_gather(%x: tensor<128x8xf16>, %w: !w, %s: tensor<2x64xf16>, %t: tensor<2x64xf16>) -> !y {
  %same = arith.constant dense<[[0], [1]]> : tensor<2x1xindex>
  %0 = tensor.gather %t[%same] gather_dims([0])
      : (tensor<2x64xf16>, tensor<2x1xindex>) -> tensor<2x64xf16>
  %empty = tensor.empty() : !x
  %1 = linalg.transpose ins(%x : tensor<128x8xf16>) outs(%empty : !x) permutation = [1, 0]
  %y = wna16.gemm %1, %w, %0 : (!x, !w, tensor<2x64xf16>) -> !y
  return %y : !y
}

func.func @identity_in_generic(%t: tensor<2x64xf16>, %x: !x, %w: !w) -> !y {
  %same = arith.constant dense<[0, 1]> : tensor<2xindex>
  %init = tensor.empty() : tensor<2x64xf16>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(g, n) -> (g)>, affine_map<(g, n) -> (g, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%same : tensor<2xindex>) outs(%init : tensor<2x64xf16>) {
  ^bb0(%row: index, %out: f16):
    %n = linalg.index 1 : index
    %e = tensor.extract %t[%row, %n] : tensor<2x64xf16>
    linalg.yield %e : f16
  } -> tensor<2x64xf16>
  %y = wna16.gemm %x, %w, %0 : (!x, !w, tensor<2x64xf16>) -> !y
  return %y : !y
}

// Tiles of K in order, and a start that is read once.
func.func @tiles_in_order(%x: tensor<8x4096xf16>, %start: tensor<1xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %first = tensor.extract %start[%c0] : tensor<1xindex>
  %0 = tensor.extract_slice %x[0, %first] [8, 128] [1, 1] : tensor<8x4096xf16> to !x
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// A reduction makes a new value: the order of its own sum is its own matter.
func.func @product_before(%a: tensor<8x32xf16>, %b: tensor<32x128xf16>, %i: tensor<32x1xindex>, %w: !w, %s: !s) -> !y {
  %0 = tensor.gather %b[%i] gather_dims([0])
      : (tensor<32x128xf16>, tensor<32x1xindex>) -> tensor<32x128xf16>
  %init = tensor.empty() : !x
  %1 = linalg.matmul ins(%a, %0 : tensor<8x32xf16>, tensor<32x128xf16>) outs(%init : !x) -> !x
  %y = wna16.gemm %1, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

func.func @ord3_gather_of_activations(%x: tensor<128x8xf16>, %perm: tensor<128x1xindex>, %w: !w, %s: !s) -> !y {
  // expected-note@+1 {{reordered along K here, by 'tensor.gather', by indices read from memory}}
  %0 = tensor.gather %x[%perm] gather_dims([0])
      : (tensor<128x8xf16>, tensor<128x1xindex>) -> tensor<128x8xf16>
  %empty = tensor.empty() : !x
  %1 = linalg.transpose ins(%0 : tensor<128x8xf16>) outs(%empty : !x) permutation = [1, 0]
  // expected-error@+1 {{'wna16.gemm' op operand #0 was reordered along K; the order of K is static, a scale belongs to consecutive rows of k; re-quantize with static ordering or desc_act=false [ORD3]}}
  %y = wna16.gemm %1, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord3_gather_of_scales(%s: tensor<2x64xf16>, %g: tensor<2x1xi32>, %w: !w) -> tensor<128x64xf16> {
  // expected-note@+1 {{reordered along K here, by 'tensor.gather'}}
  %0 = tensor.gather %s[%g] gather_dims([0])
      : (tensor<2x64xf16>, tensor<2x1xi32>) -> tensor<2x64xf16>
  // expected-error@+1 {{'wna16.dequantize' op operand #1 was reordered along K}}
  %y = wna16.dequantize %w, %0 : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord3_constant_indices(%s: tensor<2x64xf16>, %w: !w) -> tensor<128x64xf16> {
  %swapped = arith.constant dense<[[1], [0]]> : tensor<2x1xindex>
  // expected-note@+1 {{reordered along K here, by 'tensor.gather'}}
  %0 = tensor.gather %s[%swapped] gather_dims([0])
      : (tensor<2x64xf16>, tensor<2x1xindex>) -> tensor<2x64xf16>
  // expected-error@+1 {{'wna16.dequantize' op operand #1 was reordered along K}}
  %y = wna16.dequantize %w, %0 : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// Reordered scales do not get past a repack either.
func.func @ord3_through_repack(%s: tensor<2x64xf16>, %g: tensor<2x1xi32>, %w: !w) -> tensor<128x64xf16> {
  // expected-note@+1 {{reordered along K here, by 'tensor.gather'}}
  %0 = tensor.gather %s[%g] gather_dims([0])
      : (tensor<2x64xf16>, tensor<2x1xi32>) -> tensor<2x64xf16>
  // expected-error@+1 {{'wna16.repack' op operand #0 was reordered along K}}
  %1 = wna16.repack %0 : tensor<2x64xf16> to tensor<2x64xf16, #wna16.layout<marlin_scales>>
  // expected-error@+1 {{'wna16.dequantize' op operand #1 was reordered along K}}
  %y = wna16.dequantize %w, %1 : (!w, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// Through a cast, a reshape and an element-wise op.
func.func @ord3_generic_with_index_tensor(%x: !x, %perm: tensor<128xi32>, %w: !w, %s: !s) -> !y {
  %init = tensor.empty() : !x
  // expected-note@+1 {{reordered along K here, by 'linalg.generic', by indices read from memory}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m, k)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%perm : tensor<128xi32>) outs(%init : !x) {
  ^bb0(%p: i32, %out: f16):
    %m = linalg.index 0 : index
    %i = arith.index_cast %p : i32 to index
    %e = tensor.extract %x[%m, %i] : !x
    linalg.yield %e : f16
  } -> !x
  %1 = tensor.cast %0 : !x to tensor<?x128xf16>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<?x128xf16> into tensor<?xf16>
  %c8 = arith.constant 8 : index
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [%c8, 128] : tensor<?xf16> into tensor<?x128xf16>
  %4 = tensor.cast %3 : tensor<?x128xf16> to !x
  %5 = math.absf %4 : !x
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %5, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// The index is read inside the body, with another one added.
func.func @ord3_index_loaded_in_body(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %c3 = arith.constant 3 : index
  // expected-note@+1 {{reordered along K here, by 'tensor.generate'}}
  %0 = tensor.generate {
  ^bb0(%m: index, %k: index):
    %p = tensor.extract %perm[%k] : tensor<128xindex>
    %i = arith.xori %p, %c3 : index
    %e = tensor.extract %x[%m, %i] : !x
    tensor.yield %e : f16
  } : !x
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

func.func private @permute(%x: !x, %perm: tensor<128xindex>) -> !x {
  %init = tensor.empty() : !x
  // expected-note@+1 {{reordered along K here, by 'linalg.generic'}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (m, k)>],
      iterator_types = ["parallel", "parallel"]} outs(%init : !x) {
  ^bb0(%out: f16):
    %m = linalg.index 0 : index
    %k = linalg.index 1 : index
    %i = tensor.extract %perm[%k] : tensor<128xindex>
    %e = tensor.extract %x[%m, %i] : !x
    linalg.yield %e : f16
  } -> !x
  return %0 : !x
}

func.func @ord3_through_call(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %0 = call @permute(%x, %perm) : (!x, tensor<128xindex>) -> !x
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

func.func private @layer(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %x, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// The caller reorders what the callee multiplies.
func.func @ord3_in_caller(%x: tensor<8x1x128xf16>, %perm: tensor<128x1xindex>, %w: !w, %s: !s) -> !y {
  // expected-note@+1 {{reordered along K here, by 'tensor.gather'}}
  %0 = tensor.gather %x[%perm] gather_dims([2])
      : (tensor<8x1x128xf16>, tensor<128x1xindex>) -> tensor<128x8x1xf16>
  %1 = tensor.collapse_shape %0 [[0], [1, 2]] : tensor<128x8x1xf16> into tensor<128x8xf16>
  %empty = tensor.empty() : !x
  %2 = linalg.transpose ins(%1 : tensor<128x8xf16>) outs(%empty : !x) permutation = [1, 0]
  %y = call @layer(%2, %w, %s) : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// Columns moved one by one in a loop.
func.func @ord3_columns_moved_in_loop(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  %0 = scf.for %k = %c0 to %c128 step %c1 iter_args(%a = %init) -> !x {
    %i = tensor.extract %perm[%k] : tensor<128xindex>
    // expected-note@+1 {{reordered along K here, by 'tensor.extract_slice', slice by slice, at offsets read from memory}}
    %column = tensor.extract_slice %x[0, %i] [8, 1] [1, 1] : !x to tensor<8xf16>
    %next = tensor.insert_slice %column into %a[0, %k] [8, 1] [1, 1] : tensor<8xf16> into !x
    scf.yield %next : !x
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// The other way round: read in order, written at loaded places.
func.func @ord3_elements_scattered_in_loop(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  %0 = scf.for %m = %c0 to %c8 step %c1 iter_args(%a = %init) -> !x {
    %1 = scf.for %k = %c0 to %c128 step %c1 iter_args(%b = %a) -> !x {
      %e = tensor.extract %x[%m, %k] : !x
      %i = tensor.extract %perm[%k] : tensor<128xindex>
      // expected-note@+1 {{reordered along K here, by 'tensor.insert'}}
      %next = tensor.insert %e into %b[%m, %i] : !x
      scf.yield %next : !x
    }
    scf.yield %1 : !x
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

func.func @ord3_elements_gathered_in_loop(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  %0 = scf.for %m = %c0 to %c8 step %c1 iter_args(%a = %init) -> !x {
    %1 = scf.for %k = %c0 to %c128 step %c1 iter_args(%b = %a) -> !x {
      %i = tensor.extract %perm[%k] : tensor<128xindex>
      // expected-note@+1 {{reordered along K here, by 'tensor.extract'}}
      %e = tensor.extract %x[%m, %i] : !x
      %next = tensor.insert %e into %b[%m, %k] : !x
      scf.yield %next : !x
    }
    scf.yield %1 : !x
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

func.func @ord3_in_forall(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %init = tensor.empty() : !x
  %0 = scf.forall (%k) in (128) shared_outs(%a = %init) -> !x {
    %i = tensor.extract %perm[%k] : tensor<128xindex>
    // expected-note@+1 {{reordered along K here, by 'tensor.extract_slice'}}
    %column = tensor.extract_slice %x[0, %i] [8, 1] [1, 1] : !x to tensor<8x1xf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %column into %a[0, %k] [8, 1] [1, 1] : tensor<8x1xf16> into !x
    }
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// One of two ways there reorders.
func.func @ord3_in_one_branch(%c: i1, %x: !x, %perm: tensor<128x1xindex>, %w: !w, %s: !s) -> !y {
  %0 = scf.if %c -> !x {
    scf.yield %x : !x
  } else {
    // expected-note@+1 {{reordered along K here, by 'tensor.gather'}}
    %1 = tensor.gather %x[%perm] gather_dims([1])
        : (!x, tensor<128x1xindex>) -> tensor<128x8xf16>
    %empty = tensor.empty() : !x
    %2 = linalg.transpose ins(%1 : tensor<128x8xf16>) outs(%empty : !x) permutation = [1, 0]
    scf.yield %2 : !x
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

func.func @ord3_in_blocks(%c: i1, %x: !x, %perm: tensor<128xi32>, %w: !w, %s: !s) -> !y {
  %init = tensor.empty() : !x
  // expected-note@+1 {{reordered along K here, by 'linalg.generic'}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m, k)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%perm : tensor<128xi32>) outs(%init : !x) {
  ^bb0(%p: i32, %out: f16):
    %m = linalg.index 0 : index
    %i = arith.index_cast %p : i32 to index
    %e = tensor.extract %x[%m, %i] : !x
    linalg.yield %e : f16
  } -> !x
  cf.cond_br %c, ^done(%x : !x), ^done(%0 : !x)
^done(%1: !x):
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %1, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// ORD1 around the ops: on the function ...
// expected-error@+1 {{'func.func' op has the attribute 'quantization.desc_act': the order of K is static, no attribute may carry an activation order; re-quantize with static ordering or desc_act=false [ORD1]}}
func.func @ord1_on_function(%w: !w, %s: tensor<2x64xf16>) -> tensor<128x64xf16>
    attributes {quantization = {bits = 4, desc_act = true}} {
  %y = wna16.dequantize %w, %s : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// ... on an argument ...
// expected-error@+1 {{argument 0 of 'func.func' op has the attribute 'gptq.g_idx'}}
func.func @ord1_on_argument(%w: !w {gptq.g_idx = 0 : i32}, %s: tensor<2x64xf16>) -> tensor<128x64xf16> {
  %y = wna16.dequantize %w, %s : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// ... and on the module.
// expected-error@+1 {{'builtin.module' op has the attribute 'gptq.is_k_full'}}
module attributes {gptq.is_k_full = true} {
  func.func @ord1_on_module(%w: !w, %s: tensor<2x64xf16>) -> tensor<128x64xf16> {
    %y = wna16.dequantize %w, %s : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
    return %y : tensor<128x64xf16>
  }
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x64xf16>

// A loop whose counter is a carried value.
func.func @ord3_while_loop(%x: !x, %w: !w, %s: !s, %p: tensor<256xi32>, %e: !x) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 256 : index
  %gathered, %last = scf.while (%a = %e, %k = %c0) : (!x, index) -> (!x, index) {
    %more = arith.cmpi slt, %k, %end : index
    scf.condition(%more) %a, %k : !x, index
  } do {
  ^bb0(%a: !x, %k: index):
    %q = tensor.extract %p[%k] : tensor<256xi32>
    %from = arith.index_cast %q : i32 to index
    // expected-note@+1 {{reordered along K here, by 'tensor.extract', by indices read from memory}}
    %v = tensor.extract %x[%c0, %from] : !x
    %u = tensor.insert %v into %a[%c0, %k] : !x
    %next = arith.addi %k, %c1 : index
    scf.yield %u, %next : !x, index
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %gathered, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x64xf16>

// The same by branches.
func.func @ord3_branch_loop(%x: !x, %w: !w, %s: !s, %p: tensor<256xi32>, %e: !x) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 256 : index
  cf.br ^loop(%e, %c0 : !x, index)
^loop(%a: !x, %k: index):
  %q = tensor.extract %p[%k] : tensor<256xi32>
  %from = arith.index_cast %q : i32 to index
  // expected-note@+1 {{reordered along K here, by 'tensor.extract', by indices read from memory}}
  %v = tensor.extract %x[%c0, %from] : !x
  %u = tensor.insert %v into %a[%c0, %k] : !x
  %next = arith.addi %k, %c1 : index
  %more = arith.cmpi slt, %next, %end : index
  cf.cond_br %more, ^loop(%u, %next : !x, index), ^done(%u : !x)
^done(%gathered: !x):
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %gathered, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// A tensor by name: as a string of the module ...
// expected-error@+1 {{'builtin.module' op has the attribute 'gptq.quant.tensors = model.layers.0.weight_G_IDX': the order of K is static, no attribute may carry an activation order; re-quantize with static ordering or desc_act=false [ORD1]}}
module attributes {gptq.quant = {tensors = ["scales", "model.layers.0.weight_G_IDX"]}} {
  func.func @ord1_string_on_module(%w: !w, %s: tensor<2x64xf16>) -> tensor<128x64xf16> {
    %y = wna16.dequantize %w, %s : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
    return %y : tensor<128x64xf16>
  }
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// ... of an argument ...
// expected-error@+1 {{argument 1 of 'func.func' op has the attribute 'gptq.name = perm': the order of K is static}}
func.func @ord1_string_on_argument(%w: !w, %s: tensor<2x64xf16> {gptq.name = "perm"}) -> tensor<128x64xf16> {
  %y = wna16.dequantize %w, %s : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// ... as a symbol, or in a type ...
// expected-error@+1 {{'func.func' op has the attribute 'reads = g_idx': the order of K is static}}
func.func @ord1_symbol_on_function(%w: !w, %s: tensor<2x64xf16>) -> tensor<128x64xf16> attributes {reads = [@scales, @g_idx]} {
  %y = wna16.dequantize %w, %s : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// expected-error@+1 {{'func.func' op has the attribute 'input = actOrder': the order of K is static}}
func.func @ord1_type_on_function(%w: !w, %s: tensor<2x64xf16>) -> tensor<128x64xf16> attributes {input = tensor<128xi32, "actOrder">} {
  %y = wna16.dequantize %w, %s : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// ... as a constant of the module.
// expected-error@+1 {{'llvm.mlir.global' op is named 'layer_G_IDX': the order of K is static, no tensor may carry an activation order; re-quantize with static ordering or desc_act=false [ORD1]}}
llvm.mlir.global internal constant @layer_G_IDX(dense<0> : tensor<128xi32>) : !llvm.array<128 x i32>
func.func @ord1_named_constant(%w: !w, %s: tensor<2x64xf16>) -> tensor<128x64xf16> {
  %y = wna16.dequantize %w, %s : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// Only what surrounds wna16 ops is looked at: per module, and per function.
module {
  module attributes {gptq.desc_act = true} {
    llvm.mlir.global internal constant @g_idx(dense<0> : tensor<128xi32>) : !llvm.array<128 x i32>
    func.func @permute() attributes {reorder} {
      return
    }
  }
  // Text, and the names of functions, are no names of tensors.
  func.func @other() attributes {reorder} {
    return
  }
  func.func @ord1_elsewhere(%w: !w, %s: tensor<2x64xf16>) -> tensor<128x64xf16>
      attributes {doc = "no perm, no g_idx", order = "row_major", tensors = ["w", "s"]} {
    %y = wna16.dequantize %w, %s : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
    return %y : tensor<128x64xf16>
  }
}
