// RUN: wna16-opt %s --verify-order --split-input-file --verify-diagnostics -o /dev/null

// A mixture of experts routes rows; K keeps its order there as well.

!x = tensor<?x128xf16>
!w = tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<3x2x64xf16>
!seg = tensor<?x4xi32>
!slots = tensor<?xi32>
!y = tensor<?x64xf16>

// Tables from memory, rows of x gathered before, and an output of experts as input.
func.func @rows(%x: tensor<32x128xf16>, %rows: tensor<?x1xindex>, %ids: tensor<?x2xi32>,
                %w: !w, %s: !s) -> !y {
  %segments, %slots = wna16.moe_route %ids {experts = 3 : i64, segment_rows = 8 : i64}
      : (tensor<?x2xi32>) -> (!seg, !slots)
  %0 = tensor.gather %x[%rows] gather_dims([0])
      : (tensor<32x128xf16>, tensor<?x1xindex>) -> !x
  %h = wna16.moe_gemm %0 by token, %w, %s segments %segments slots %slots to slot
      {segment_rows = 8 : i64, top_k = 2 : i64} : (!x, !w, !s, !seg, !slots) -> !y
  %y = wna16.moe_sum %h ids %ids {experts = 3 : i64} : (!y, tensor<?x2xi32>) -> !y
  return %y : !y
}

// Experts themselves may be chosen by data: the first dimension is no K.
func.func @experts(%x: !x, %t: tensor<9x2x64xf16>, %chosen: tensor<3x1xindex>, %w: !w,
                   %segments: !seg, %slots: !slots) -> !y {
  %s = tensor.gather %t[%chosen] gather_dims([0])
      : (tensor<9x2x64xf16>, tensor<3x1xindex>) -> !s
  %y = wna16.moe_gemm %x by token, %w, %s segments %segments slots %slots to slot
      {segment_rows = 8 : i64, top_k = 2 : i64} : (!x, !w, !s, !seg, !slots) -> !y
  return %y : !y
}

// -----

!x = tensor<?x128xf16>
!w = tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<3x2x64xf16>

func.func @ord3_activations(%x0: !x, %order: tensor<128x1xindex>, %w: !w, %s: !s,
                            %segments: tensor<?x4xi32>, %slots: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-note@+1 {{reordered along K here, by 'tensor.gather', by indices read from memory}}
  %x1 = tensor.gather %x0[%order] gather_dims([1])
      : (!x, tensor<128x1xindex>) -> tensor<128x?xf16>
  %empty = tensor.empty() : tensor<1x128xf16>
  %n = arith.constant 1 : index
  %d = tensor.dim %x1, %n : tensor<128x?xf16>
  %init = tensor.empty(%d) : !x
  %x = linalg.transpose ins(%x1 : tensor<128x?xf16>) outs(%init : !x) permutation = [1, 0]
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %segments slots %slots to slot
      {segment_rows = 8 : i64, top_k = 2 : i64}
      : (!x, !w, !s, tensor<?x4xi32>, tensor<?xi32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

!x = tensor<?x128xf16>
!w = tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<3x2x64xf16>

// Groups of scales, behind the expert.
func.func @ord3_scales(%x: !x, %w: !w, %t: tensor<2x3x64xf16>, %order: tensor<2x1xindex>,
                       %segments: tensor<?x4xi32>, %slots: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-note@+1 {{reordered along K here, by 'tensor.gather', by indices read from memory}}
  %t1 = tensor.gather %t[%order] gather_dims([0])
      : (tensor<2x3x64xf16>, tensor<2x1xindex>) -> tensor<2x3x64xf16>
  %init = tensor.empty() : !s
  %s = linalg.transpose ins(%t1 : tensor<2x3x64xf16>) outs(%init : !s) permutation = [1, 0, 2]
  // expected-error@+1 {{operand #2 was reordered along K}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %segments slots %slots to slot
      {segment_rows = 8 : i64, top_k = 2 : i64}
      : (!x, !w, !s, tensor<?x4xi32>, tensor<?xi32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}
