// RUN: wna16-opt %s --split-input-file --verify-diagnostics

// One function per rule of docs/spec.md, named after the rule.

func.func @moe_c1_encoding(
    %x: tensor<?x128xf32>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{operand #0 must be 2-d f16 or bf16 tensor without encoding [MOE-C1]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf32>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c2_matrix(
    %x: tensor<?x128xf16>,
    %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{operand #1 must be 3-d tensor of !wna16.code with a weight layout as encoding [MOE-C2]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c3_matrix(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{operand #2 must be 3-d f16 or bf16 tensor of static shape, plain or with a scale layout as encoding [MOE-C3]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c4_k(
    %x: tensor<?x256xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{expected K of the activations (256) to be K of the weights (128), or less where these are padded [MOE-C4]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x256xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c5_columns(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x128xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{expected N of the scales (128) to be N of the weights (64) [MOE-C5]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x128xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c6_groups(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x3x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{expected the rows of the scales (3) to divide K (128) into equal groups of consecutive rows [MOE-C6]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x3x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c7_columns(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>,
    %b: tensor<3x1x128xf16>) -> tensor<?x64xf16> {
  // expected-error@+1 {{expected N of the bias (128) to be N of the weights (64) [MOE-C7]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl bias %b to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>,
         tensor<3x1x128xf16>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c7_row(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>,
    %b: tensor<3x64xf16>) -> tensor<?x64xf16> {
  // expected-error@+1 {{must be tensor of one row per expert of f16, bf16 or f32, plain or with a scale layout as encoding [MOE-C7]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl bias %b to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>,
         tensor<3x64xf16>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c8_no_zeros(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{or zero points, got '!wna16.code<4>' without [MOE-C8]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c9_columns(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x128xf16> {
  // expected-error@+1 {{expected a result of ? x 64, or of fewer columns where the weights are padded, got 'tensor<?x128xf16>' [MOE-C9]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x128xf16>
  return %y : tensor<?x128xf16>
}

// -----

func.func @moe_c9_rows(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<4x64xf16> {
  // expected-error@+1 {{expected a result of ? x 64, or of fewer columns where the weights are padded, got 'tensor<4x64xf16>' [MOE-C9]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<4x64xf16>
  return %y : tensor<4x64xf16>
}

// -----

func.func @moe_c10_max_m(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+2 {{attribute 'max_m' failed to satisfy constraint: positive i64 [MOE-C10]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64, max_m = 0 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c12_rows(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>,
    %z: tensor<3x1x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>) -> tensor<?x64xf16> {
  // expected-error@+1 {{expected zero points of 4 bits, 2 x 64 like the scales, got 'tensor<1x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>' [MOE-C12]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl zeros %z to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>,
         tensor<3x1x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c13_scales(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<4x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{expected the experts of the scales (4) to be those of the weights (3) [MOE-C13]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<4x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c13_bias(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>,
    %b: tensor<1x1x64xf16>) -> tensor<?x64xf16> {
  // expected-error@+1 {{expected the experts of the bias (1) to be those of the weights (3) [MOE-C13]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl bias %b to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>,
         tensor<1x1x64xf16>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c13_many(
    %x: tensor<?x128xf16>,
    %w: tensor<1025x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<1025x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{expected at most 1024 experts, got 1025; a stack has them along its first dimension [MOE-C13]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<1025x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<1025x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c14_columns(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x3xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{operand #3 must be ? x 4 tensor of i32 [MOE-C14]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x3xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c15_type(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi64>) -> tensor<?x64xf16> {
  // expected-error@+1 {{operand #4 must be tensor of i32 with one extent [MOE-C15]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi64>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c16_choices(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>,
    %v: tensor<?x4xf32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{expected router weights of as many tokens and choices as the ids, 2 per token, got 'tensor<?x4xf32>' [MOE-C16]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl weights %v to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>,
         tensor<?x4xf32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c16_type(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>,
    %v: tensor<?x2xf16>) -> tensor<?x64xf16> {
  // expected-error@+1 {{must be ? x top_k tensor of f32 with top_k from 1 to 16 [MOE-C16]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl weights %v to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>,
         tensor<?x2xf16>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c17_top_k(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+2 {{attribute 'top_k' failed to satisfy constraint: i64 from 1 to 16 [MOE-C17]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 17 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c18_rows(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+2 {{attribute 'segment_rows' failed to satisfy constraint: i64 from 1 to 1048576 [MOE-C18]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 0 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @moe_c19_token(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{expected rows of the result by slot or by position: several experts compute for a token, moe_sum adds them up [MOE-C19]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to token
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>)
      -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @route_c1_choices(%ids: tensor<?x17xi32>) {
  // expected-error@+1 {{operand #0 must be ? x top_k tensor of i32 with top_k from 1 to 16 [ROUTE-C1]}}
  %segments, %slots = wna16.moe_route %ids {experts = 3 : i64, segment_rows = 8 : i64}
      : (tensor<?x17xi32>) -> (tensor<?x4xi32>, tensor<?xi32>)
  return
}

// -----

func.func @route_c1_type(%ids: tensor<?x2xi64>) {
  // expected-error@+1 {{operand #0 must be ? x top_k tensor of i32 with top_k from 1 to 16 [ROUTE-C1]}}
  %segments, %slots = wna16.moe_route %ids {experts = 3 : i64, segment_rows = 8 : i64}
      : (tensor<?x2xi64>) -> (tensor<?x4xi32>, tensor<?xi32>)
  return
}

// -----

func.func @route_c2_dynamic(%ids: tensor<?x2xi32>, %map: tensor<?xi32>) {
  // expected-error@+1 {{operand #1 must be tensor of i32 with one static, positive extent [ROUTE-C2]}}
  %segments, %slots = wna16.moe_route %ids map %map {experts = 3 : i64, segment_rows = 8 : i64}
      : (tensor<?x2xi32>, tensor<?xi32>) -> (tensor<?x4xi32>, tensor<?xi32>)
  return
}

// -----

func.func @route_c3_none(%ids: tensor<?x2xi32>) {
  // expected-error@+1 {{attribute 'experts' failed to satisfy constraint: i64 from 1 to 1024 [ROUTE-C3]}}
  %segments, %slots = wna16.moe_route %ids {experts = 0 : i64, segment_rows = 8 : i64}
      : (tensor<?x2xi32>) -> (tensor<?x4xi32>, tensor<?xi32>)
  return
}

// -----

func.func @route_c3_many(%ids: tensor<?x2xi32>) {
  // expected-error@+1 {{attribute 'experts' failed to satisfy constraint: i64 from 1 to 1024 [ROUTE-C3]}}
  %segments, %slots = wna16.moe_route %ids {experts = 1025 : i64, segment_rows = 8 : i64}
      : (tensor<?x2xi32>) -> (tensor<?x4xi32>, tensor<?xi32>)
  return
}

// -----

func.func @route_c4_rows(%ids: tensor<?x2xi32>) {
  // expected-error@+1 {{attribute 'segment_rows' failed to satisfy constraint: i64 from 1 to 1048576 [ROUTE-C4]}}
  %segments, %slots = wna16.moe_route %ids {experts = 3 : i64, segment_rows = -8 : i64}
      : (tensor<?x2xi32>) -> (tensor<?x4xi32>, tensor<?xi32>)
  return
}

// -----

func.func @route_c5_table(%ids: tensor<?x2xi32>) {
  // expected-error@+1 {{result #0 must be ? x 4 tensor of i32 [ROUTE-C5]}}
  %segments, %slots = wna16.moe_route %ids {experts = 3 : i64, segment_rows = 8 : i64}
      : (tensor<?x2xi32>) -> (tensor<?x3xi32>, tensor<?xi32>)
  return
}

// -----

func.func @route_c6_slots(%ids: tensor<?x2xi32>) {
  // expected-error@+1 {{result #1 must be tensor of i32 with one dynamic extent [ROUTE-C6]}}
  %segments, %slots = wna16.moe_route %ids {experts = 3 : i64, segment_rows = 8 : i64}
      : (tensor<?x2xi32>) -> (tensor<?x4xi32>, tensor<7xi32>)
  return
}

// -----

func.func @sum_c1_type(%h: tensor<?x64xi32>, %ids: tensor<?x2xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{operand #0 must be 2-d f16, bf16 or f32 tensor without encoding [SUM-C1]}}
  %y = wna16.moe_sum %h ids %ids {experts = 3 : i64}
      : (tensor<?x64xi32>, tensor<?x2xi32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @sum_c2_type(%h: tensor<?x64xf16>, %ids: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{operand #1 must be ? x top_k tensor of i32 with top_k from 1 to 16 [SUM-C2]}}
  %y = wna16.moe_sum %h ids %ids {experts = 3 : i64}
      : (tensor<?x64xf16>, tensor<?xi32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @sum_c3_type(%h: tensor<?x64xf16>, %ids: tensor<?x2xi32>, %map: tensor<0xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{operand #2 must be tensor of i32 with one static, positive extent [SUM-C3]}}
  %y = wna16.moe_sum %h ids %ids map %map {experts = 3 : i64}
      : (tensor<?x64xf16>, tensor<?x2xi32>, tensor<0xi32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @sum_c4_choices(%h: tensor<?x64xf16>, %ids: tensor<?x2xi32>, %v: tensor<?x3xf32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{expected router weights of as many tokens and choices as the ids, 2 per token, got 'tensor<?x3xf32>' [SUM-C4]}}
  %y = wna16.moe_sum %h ids %ids weights %v {experts = 3 : i64}
      : (tensor<?x64xf16>, tensor<?x2xi32>, tensor<?x3xf32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @sum_c5_experts(%h: tensor<?x64xf16>, %ids: tensor<?x2xi32>) -> tensor<?x64xf16> {
  // expected-error@+1 {{attribute 'experts' failed to satisfy constraint: i64 from 1 to 1024 [SUM-C5]}}
  %y = wna16.moe_sum %h ids %ids {experts = 2000 : i64}
      : (tensor<?x64xf16>, tensor<?x2xi32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @sum_c6_columns(%h: tensor<?x64xf16>, %ids: tensor<?x2xi32>) -> tensor<?x128xf16> {
  // expected-error@+1 {{expected a result with a row per token of the ids and the columns of 'tensor<?x64xf16>', got 'tensor<?x128xf16>' [SUM-C6]}}
  %y = wna16.moe_sum %h ids %ids {experts = 3 : i64}
      : (tensor<?x64xf16>, tensor<?x2xi32>) -> tensor<?x128xf16>
  return %y : tensor<?x128xf16>
}

// -----

func.func @sum_c7_twice(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>,
    %seg: tensor<?x4xi32>,
    %sl: tensor<?xi32>,
    %v: tensor<?x2xf32>, %ids: tensor<?x2xi32>) -> tensor<?x64xf16> {
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl weights %v to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>,
         tensor<?x4xi32>,
         tensor<?xi32>,
         tensor<?x2xf32>)
      -> tensor<?x64xf16>
  // expected-error@+1 {{expected router weights in one place: here or in the wna16.moe_gemm; in both they are squared [SUM-C7]}}
  %t = wna16.moe_sum %y ids %ids weights %v {experts = 3 : i64}
      : (tensor<?x64xf16>, tensor<?x2xi32>, tensor<?x2xf32>) -> tensor<?x64xf16>
  return %t : tensor<?x64xf16>
}

// -----

func.func @moe_c11_max_m(
    %x: tensor<?x128xf16>,
    %w: tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>, %seg: tensor<?x4xi32>, %sl: tensor<32xi32>) -> tensor<32x64xf16> {
  // expected-error@+1 {{expected M (32) to be at most max_m (16) [MOE-C11]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %seg slots %sl to slot
      {segment_rows = 16 : i64, top_k = 2 : i64, max_m = 16 : i64}
      : (tensor<?x128xf16>,
         tensor<3x128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>, tensor<?x4xi32>, tensor<32xi32>) -> tensor<32x64xf16>
  return %y : tensor<32x64xf16>
}

// -----

// expected-error@+1 {{layout 'marlin' expects K (24) to be a multiple of 16 [LAY4]}}
func.func private @lay4_stack(tensor<3x24x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>)

// -----

// expected-error@+1 {{layout 'marlin' expects extents of at least 1, got 0x16x64 [LAY2]}}
func.func private @lay2_stack(tensor<0x16x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>)
