// RUN: wna16-opt %s --split-input-file --verify-diagnostics

// One function per rule of docs/spec.md, named after the rule.

// expected-error@+1 {{expected a code width of 1 to 8 bits, got 9 [CODE-1]}}
func.func private @code_1_too_wide(!wna16.code<9>)

// -----

// expected-error@+1 {{expected a code width of 1 to 8 bits, got 0 [CODE-1]}}
func.func private @code_1_zero(!wna16.code<0>)

// -----

// expected-error@+1 {{expected an offset in 0..15 for codes of 4 bits, got 16 [CODE-2]}}
func.func private @code_2_too_large(!wna16.code<4, offset = 16>)

// -----

// expected-error@+1 {{expected an offset in 0..15 for codes of 4 bits, got -1 [CODE-2]}}
func.func private @code_2_negative(!wna16.code<4, offset = -1>)

// -----

// expected-error@+1 {{layout 'marlin' expects a tensor of rank 2, or 3 for a stack of matrices, got rank 1 [LAY1]}}
func.func private @lay1_rank(tensor<128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>)

// -----

// expected-error@+1 {{layout 'marlin_scales' expects a static shape [LAY2]}}
func.func private @lay2_dynamic(tensor<?x64xf16, #wna16.layout<marlin_scales>>)

// -----

// expected-error@+1 {{layout 'gptq' expects extents of at least 1, got 0x64 [LAY2]}}
func.func private @lay2_empty(tensor<0x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>)

// -----

// expected-error@+1 {{layout 'gptq' stores weights and expects elements of type !wna16.code, got 'i32' [LAY3]}}
func.func private @lay3_weights(tensor<128x64xi32, #wna16.layout<gptq>>)

// -----

// expected-error@+1 {{layout 'marlin_zeros' stores zero points and expects elements of type !wna16.code, got 'f16' [LAY3]}}
func.func private @lay3_zeros(tensor<2x64xf16, #wna16.layout<marlin_zeros>>)

// -----

// expected-error@+1 {{layout 'marlin_scales' stores scales and expects elements of type f16 or bf16, got 'i32' [LAY3]}}
func.func private @lay3_scales(tensor<2x64xi32, #wna16.layout<marlin_scales>>)

// -----

// expected-error@+1 {{layout 'marlin' expects K (24) to be a multiple of 16 [LAY4]}}
func.func private @lay4_marlin_k(tensor<24x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>)

// -----

// expected-error@+1 {{layout 'marlin' expects N (96) to be a multiple of 64 [LAY4]}}
func.func private @lay4_marlin_n(tensor<128x96x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>)

// -----

// expected-error@+1 {{layout 'gptq' expects K (20) to be a multiple of 8 [LAY4]}}
func.func private @lay4_gptq(tensor<20x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>)

// -----

// expected-error@+1 {{layout 'gptq' expects K (48) to be a multiple of 32 [LAY4]}}
func.func private @lay4_gptq_stream(tensor<48x64x!wna16.code<3, offset = 4>, #wna16.layout<gptq>>)

// -----

// expected-error@+1 {{layout 'awq' expects N (12) to be a multiple of 8 [LAY4]}}
func.func private @lay4_awq(tensor<16x12x!wna16.code<4>, #wna16.layout<awq>>)

// -----

// expected-error@+1 {{layout 'gptq_zeros' expects N (12) to be a multiple of 8 [LAY4]}}
func.func private @lay4_gptq_zeros(tensor<2x12x!wna16.code<4>, #wna16.layout<gptq_zeros>>)

// -----

// expected-error@+1 {{layout 'awq_zeros' expects N (12) to be a multiple of 8 [LAY4]}}
func.func private @lay4_awq_zeros(tensor<2x12x!wna16.code<4>, #wna16.layout<awq_zeros>>)

// -----

// expected-error@+1 {{layout 'marlin_zeros' expects N (32) to be a multiple of 64 [LAY4]}}
func.func private @lay4_marlin_zeros(tensor<2x32x!wna16.code<4>, #wna16.layout<marlin_zeros>>)

// -----

// expected-error@+1 {{layout 'marlin_channel_scales' expects N (48) to be a multiple of 32 [LAY4]}}
func.func private @lay4_marlin_channel_scales(tensor<1x48xf16, #wna16.layout<marlin_channel_scales>>)

// -----

// expected-error@+1 {{layout 'marlin_scales' expects N (32) to be a multiple of 64 [LAY4]}}
func.func private @lay4_marlin_scales(tensor<2x32xf16, #wna16.layout<marlin_scales>>)

// -----

// expected-error@+1 {{layout 'awq' is not implemented for codes of 8 bits; implemented: 4 [LAY5]}}
func.func private @lay5_awq(tensor<128x64x!wna16.code<8>, #wna16.layout<awq>>)

// -----

// expected-error@+1 {{layout 'marlin_zeros' is not implemented for codes of 3 bits; implemented: 4, 8 [LAY5]}}
func.func private @lay5_marlin_zeros(tensor<2x64x!wna16.code<3>, #wna16.layout<marlin_zeros>>)

// -----

func.func private @sched_1_n() attributes {
  // expected-error@+1 {{expected the tile along n to be a power of two from 16 on, got 40 [SCHED-1]}}
  test.schedule = #wna16.schedule<tile = [40, 16, 256], warps = [1, 8], stages = 4,
    copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform>}

// -----

func.func private @sched_1_m() attributes {
  // expected-error@+1 {{expected the tile along m to be a power of two from 8 on, got 0 [SCHED-1]}}
  test.schedule = #wna16.schedule<tile = [64, 0, 256], warps = [1, 8], stages = 4,
    copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform>}

// -----

func.func private @sched_1_k() attributes {
  // expected-error@+1 {{expected the tile along k to be a power of two from 16 on, got 8 [SCHED-1]}}
  test.schedule = #wna16.schedule<tile = [64, 16, 8], warps = [1, 8], stages = 4,
    copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform>}

// -----

func.func private @sched_2_n() attributes {
  // expected-error@+1 {{expected the warps along n to be a power of two, got 3 [SCHED-2]}}
  test.schedule = #wna16.schedule<tile = [64, 16, 256], warps = [3, 8], stages = 4,
    copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform>}

// -----

func.func private @sched_2_k() attributes {
  // expected-error@+1 {{expected the warps along k to be a power of two, got 0 [SCHED-2]}}
  test.schedule = #wna16.schedule<tile = [64, 16, 256], warps = [1, 0], stages = 4,
    copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform>}

// -----

func.func private @sched_3() attributes {
  // expected-error@+1 {{expected 1 to 64 stages, got 0 [SCHED-3]}}
  test.schedule = #wna16.schedule<tile = [64, 16, 256], warps = [1, 8], stages = 0,
    copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform>}

// -----

func.func private @sched_2_warps_m() attributes {
  // expected-error@+1 {{expected the warps along m to be a power of two, got 3 [SCHED-2]}}
  test.schedule = #wna16.schedule<tile = [64, 16, 256], warps = [1, 8], stages = 2,
    copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform, warps_m = 3>}

// -----

func.func private @sched_4() attributes {
  // expected-error@+1 {{expected blocks to be a power of two, and 1 without a split across blocks, got 2 [SCHED-4]}}
  test.schedule = #wna16.schedule<tile = [64, 16, 256], warps = [1, 8], stages = 2,
    copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform, blocks = 2>}

// -----

func.func private @sched_5() attributes {
  // expected-error@+1 {{expected multicast to 1, 2, 4 or 8 blocks, got 16 [SCHED-5]}}
  test.schedule = #wna16.schedule<tile = [64, 16, 256], warps = [1, 8], stages = 2,
    copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform, multicast = 16>}

// -----

func.func private @sched_6() attributes {
  // expected-error@+1 {{expected a positive number of persistent blocks, got -1 [SCHED-6]}}
  test.schedule = #wna16.schedule<tile = [64, 16, 256], warps = [1, 8], stages = 2,
    copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform, persistent = -1>}

// -----

func.func private @sched_option() attributes {
  // expected-error@+2 {{expected warps_m, blocks, multicast, persistent or dependent, once each and in this order, got 'blocks'}}
  test.schedule = #wna16.schedule<tile = [64, 16, 256], warps = [1, 8], stages = 2,
    copy = cp_async, math = mma, scales = accumulator, split = cluster, roles = uniform, dependent, blocks = 2>}

// -----

func.func @gemm_c1_f32(
    %x: tensor<?x128xf32>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op operand #0 must be 2-d f16 or bf16 tensor without encoding [GEMM-C1], but got 'tensor<?x128xf32>'}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf32>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c1_rank(
    %x: tensor<128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op operand #0 must be 2-d f16 or bf16 tensor without encoding [GEMM-C1], but got 'tensor<128xf16>'}}
  %y = wna16.gemm %x, %w, %s : (tensor<128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c1_encoded(
    %x: tensor<64x128xf16, #wna16.layout<marlin_scales>>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op operand #0 must be 2-d f16 or bf16 tensor without encoding [GEMM-C1]}}
  %y = wna16.gemm %x, %w, %s : (tensor<64x128xf16, #wna16.layout<marlin_scales>>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c2_no_layout(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op operand #1 must be 2-d tensor of !wna16.code with a weight layout as encoding [GEMM-C2], but got 'tensor<128x64x!wna16.code<4, offset = 8>>'}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c2_words(
    %x: tensor<?x128xf16>, %w: tensor<16x64xi32>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op operand #1 must be 2-d tensor of !wna16.code with a weight layout as encoding [GEMM-C2], but got 'tensor<16x64xi32>'}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<16x64xi32>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c2_scales(
    %x: tensor<?x128xf16>, %w: tensor<2x64xf16, #wna16.layout<marlin_scales>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op operand #1 must be 2-d tensor of !wna16.code with a weight layout as encoding [GEMM-C2]}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<2x64xf16, #wna16.layout<marlin_scales>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c3_group_index(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<128xi32>) {
  // expected-error@+1 {{'wna16.gemm' op operand #2 must be 2-d f16 or bf16 tensor of static shape, plain or with a scale layout as encoding [GEMM-C3], but got 'tensor<128xi32>'}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<128xi32>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c3_integers(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xi32>) {
  // expected-error@+1 {{'wna16.gemm' op operand #2 must be 2-d f16 or bf16 tensor of static shape, plain or with a scale layout as encoding [GEMM-C3], but got 'tensor<2x64xi32>'}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xi32>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c3_dynamic(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<?x64xf16>) {
  // expected-error@+1 {{'wna16.gemm' op operand #2 must be 2-d f16 or bf16 tensor of static shape, plain or with a scale layout as encoding [GEMM-C3], but got 'tensor<?x64xf16>'}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<?x64xf16>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c3_weights(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>) {
  // expected-error@+1 {{'wna16.gemm' op operand #2 must be 2-d f16 or bf16 tensor of static shape, plain or with a scale layout as encoding [GEMM-C3], but got 'tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>'}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c4_k(
    %x: tensor<?x256xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op expected K of the activations (256) to be K of the weights (128), or less where these are padded [GEMM-C4]}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x256xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c4_dynamic_k(
    %x: tensor<?x?xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op expected K of the activations (?) to be K of the weights (128), or less where these are padded [GEMM-C4]}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x?xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c5_n(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x128xf16>) {
  // expected-error@+1 {{'wna16.gemm' op expected N of the scales (128) to be N of the weights (64) [GEMM-C5]}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x128xf16>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c6_groups(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x64xf16>) {
  // expected-error@+1 {{'wna16.gemm' op expected the rows of the scales (3) to divide K (128) into equal groups of consecutive rows [GEMM-C6]}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<3x64xf16>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c6_no_rows(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<0x64xf16>) {
  // expected-error@+1 {{'wna16.gemm' op expected the rows of the scales (0) to divide K (128) into equal groups of consecutive rows [GEMM-C6]}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<0x64xf16>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c7_bias_columns(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>, %b: tensor<1x32xf16>) {
  // expected-error@+1 {{'wna16.gemm' op expected N of the bias (32) to be N of the weights (64) [GEMM-C7]}}
  %y = wna16.gemm %x, %w, %s bias %b : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>, tensor<1x32xf16>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c7_bias_rank(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>, %b: tensor<64xf16>) {
  // expected-error@+1 {{'wna16.gemm' op operand #3 must be tensor of one row of f16, bf16 or f32, plain or with a scale layout as encoding [GEMM-C7], but got 'tensor<64xf16>'}}
  %y = wna16.gemm %x, %w, %s bias %b : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>, tensor<64xf16>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c8_no_offset(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op expected codes with an offset, such as !wna16.code<4, offset = 8>, or zero points, got '!wna16.code<4>' without [GEMM-C8]}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c9_type(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op result #0 must be 2-d f16, bf16 or f32 tensor without encoding [GEMM-C9], but got 'tensor<?x64xf64>'}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf64>
  return
}

// -----

func.func @gemm_c9_m(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op expected a result of ? x 64, or of fewer columns where the weights are padded, got 'tensor<8x64xf16>' [GEMM-C9]}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<8x64xf16>
  return
}

// -----

func.func @gemm_c9_n(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op expected a result of ? x 64, or of fewer columns where the weights are padded, got 'tensor<?x128xf16>' [GEMM-C9]}}
  %y = wna16.gemm %x, %w, %s : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x128xf16>
  return
}

// -----

func.func @gemm_c10_zero(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op attribute 'max_m' failed to satisfy constraint: positive i64 [GEMM-C10]}}
  %y = wna16.gemm %x, %w, %s {max_m = 0 : i64} : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c10_type(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{attribute 'max_m' failed to satisfy constraint: positive i64 [GEMM-C10]}}
  %y = wna16.gemm %x, %w, %s {max_m = 16 : i32} : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c11_m_above_max_m(
    %x: tensor<17x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.gemm' op expected M (17) to be at most max_m (16) [GEMM-C11]}}
  %y = wna16.gemm %x, %w, %s {max_m = 16 : i64} : (tensor<17x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<17x64xf16>
  return
}

// -----

func.func @gemm_schedule_type(
    %x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{attribute 'schedule' failed to satisfy constraint: #wna16.schedule attribute}}
  %y = wna16.gemm %x, %w, %s {schedule = "fast"} : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @deq_c1_no_layout(
    %w: tensor<128x64x!wna16.code<4, offset = 8>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.dequantize' op operand #0 must be 2-d tensor of !wna16.code with a weight layout as encoding [DEQ-C1], but got 'tensor<128x64x!wna16.code<4, offset = 8>>'}}
  %y = wna16.dequantize %w, %s : (tensor<128x64x!wna16.code<4, offset = 8>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<128x64xf16>
  return
}

// -----

func.func @deq_c2_group_index(
    %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<128xi32>) {
  // expected-error@+1 {{'wna16.dequantize' op operand #1 must be 2-d f16 or bf16 tensor of static shape, plain or with a scale layout as encoding [DEQ-C2], but got 'tensor<128xi32>'}}
  %y = wna16.dequantize %w, %s : (tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<128xi32>) -> tensor<128x64xf16>
  return
}

// -----

func.func @deq_c3_n(
    %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x128xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op expected N of the scales (128) to be N of the weights (64) [DEQ-C3]}}
  %y = wna16.dequantize %w, %s : (tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x128xf16>) -> tensor<128x64xf16>
  return
}

// -----

func.func @deq_c4_groups(
    %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op expected the rows of the scales (3) to divide K (128) into equal groups of consecutive rows [DEQ-C4]}}
  %y = wna16.dequantize %w, %s : (tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<3x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

func.func @deq_c5_no_offset(
    %w: tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.dequantize' op expected codes with an offset, such as !wna16.code<4, offset = 8>, or zero points, got '!wna16.code<4>' without [DEQ-C5]}}
  %y = wna16.dequantize %w, %s : (tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<128x64xf16>
  return
}

// -----

func.func @deq_c6_shape(
    %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.dequantize' op expected the result type 'tensor<128x64xf16>', got 'tensor<64x128xf16>' [DEQ-C6]}}
  %y = wna16.dequantize %w, %s : (tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<64x128xf16>
  return
}

// -----

func.func @deq_c6_type(
    %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  // expected-error@+1 {{'wna16.dequantize' op result #0 must be 2-d f16 or bf16 tensor without encoding [DEQ-C6], but got 'tensor<128x64xf32>'}}
  %y = wna16.dequantize %w, %s : (tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<128x64xf32>
  return
}

// -----

func.func @repack_c1_source(%w: tensor<16x64xi32>) {
  // expected-error@+1 {{'wna16.repack' op operand #0 must be 2-d tensor of !wna16.code with a layout of weights or zero points, or of f16 or bf16 of static shape, plain or with a scale layout [REPACK-C1], but got 'tensor<16x64xi32>'}}
  %0 = wna16.repack %w : tensor<16x64xi32> to tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
  return
}

// -----

func.func @repack_c2_result(%w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>) {
  // expected-error@+1 {{'wna16.repack' op result #0 must be 2-d tensor of !wna16.code with a layout of weights or zero points, or of f16 or bf16 of static shape, plain or with a scale layout [REPACK-C2], but got 'tensor<16x64xi32>'}}
  %0 = wna16.repack %w : tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>> to tensor<16x64xi32>
  return
}

// -----

func.func @repack_c3_narrower(%z: tensor<2x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>) {
  // expected-error@+1 {{'wna16.repack' op expected operand and result of the same element type, or codes without offset that become wider, got 'tensor<2x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>' and 'tensor<2x64x!wna16.code<3>, #wna16.layout<gptq_zeros>>' [REPACK-C3]}}
  %0 = wna16.repack %z : tensor<2x64x!wna16.code<4>, #wna16.layout<marlin_zeros>> to tensor<2x64x!wna16.code<3>, #wna16.layout<gptq_zeros>>
  return
}

// -----

func.func @repack_c3_code(%w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>) {
  // expected-error@+1 {{'wna16.repack' op expected operand and result of the same element type, or codes without offset that become wider, got 'tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>' and 'tensor<128x64x!wna16.code<4, offset = 7>, #wna16.layout<gptq>>' [REPACK-C3]}}
  %0 = wna16.repack %w : tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>> to tensor<128x64x!wna16.code<4, offset = 7>, #wna16.layout<gptq>>
  return
}

// -----

// Weights mean another number with another width of code.
func.func @repack_c3_wider_weights(%w: tensor<128x64x!wna16.code<3, offset = 4>, #wna16.layout<gptq>>) {
  // expected-error@+1 {{'wna16.repack' op expected operand and result of the same element type}}
  %0 = wna16.repack %w : tensor<128x64x!wna16.code<3, offset = 4>, #wna16.layout<gptq>> to tensor<128x64x!wna16.code<4, offset = 4>, #wna16.layout<gptq>>
  return
}

// -----

func.func @repack_c3_weights_to_scales(%w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>) {
  // expected-error@+1 {{'wna16.repack' op expected operand and result of the same element type}}
  %0 = wna16.repack %w : tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>> to tensor<128x64xf16>
  return
}

// -----

// A code that does not parse must not reach the layout's verifier.
// expected-error@+1 {{expected a code width of 1 to 8 bits, got 9 [CODE-1]}}
func.func private @layout_of_no_code(%w: tensor<512x128x!wna16.code<9, offset = 8>, #wna16.layout<marlin>>)

// -----

func.func @deq_c7_groups(%w: tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>, %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>, %z: tensor<4x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>) {
  // expected-error@+1 {{'wna16.dequantize' op expected zero points of 4 bits, 2 x 64 like the scales, got 'tensor<4x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>' [DEQ-C7]}}
  %y = wna16.dequantize %w, %s zeros %z : (tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>, tensor<4x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>) -> tensor<128x64xf16>
  return
}

// -----

func.func @gemm_c12_width(%x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>, %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>, %z: tensor<2x64x!wna16.code<8>, #wna16.layout<marlin_zeros>>) {
  // expected-error@+1 {{'wna16.gemm' op expected zero points of 4 bits, 2 x 64 like the scales, got 'tensor<2x64x!wna16.code<8>, #wna16.layout<marlin_zeros>>' [GEMM-C12]}}
  %y = wna16.gemm %x, %w, %s zeros %z : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>, tensor<2x64x!wna16.code<8>, #wna16.layout<marlin_zeros>>) -> tensor<?x64xf16>
  return
}

// -----

func.func @gemm_c8_offset_and_zeros(%x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>, %z: tensor<2x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>) {
  // expected-error@+1 {{'wna16.gemm' op expected codes without an offset beside zero points, got '!wna16.code<4, offset = 8>' [GEMM-C8]}}
  %y = wna16.gemm %x, %w, %s zeros %z : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>, tensor<2x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>) -> tensor<?x64xf16>
  return
}
