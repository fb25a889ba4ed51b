// RUN: wna16-opt %s --tile-gemm --split-input-file --verify-diagnostics

// Problems, schedules and functions that no kernel is built for, named after the rules
// of docs/spec.md.

!x = tensor<?x256xf16>
!w = tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = bulk,
  math = mma, scales = accumulator, split = none, roles = uniform>
func.func @tile_c1_copy(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected a schedule with either copy = cp_async and roles = uniform or another copy and roles = producer_consumer, and multicast only with the latter and without a split, the ones built so far; found #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = bulk, math = mma, scales = accumulator, split = none, roles = uniform> [TILE-C1]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = producer_consumer>
func.func @tile_c1_roles(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected a schedule with either copy = cp_async and roles = uniform or another copy and roles = producer_consumer, and multicast only with the latter and without a split, the ones built so far; found #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async, math = mma, scales = accumulator, split = none, roles = producer_consumer> [TILE-C1]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform, multicast = 2>
func.func @tile_c1_multicast(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected a schedule with either copy = cp_async and roles = uniform or another copy and roles = producer_consumer, and multicast only with the latter and without a split, the ones built so far; found #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform, multicast = 2> [TILE-C1]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = tensor,
  math = mma, scales = accumulator, split = cluster, roles = producer_consumer, blocks = 2, multicast = 2>
func.func @tile_c1_multicast_and_blocks(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected a schedule with either copy = cp_async and roles = uniform or another copy and roles = producer_consumer, and multicast only with the latter and without a split, the ones built so far; found #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = tensor, math = mma, scales = accumulator, split = cluster, roles = producer_consumer, blocks = 2, multicast = 2> [TILE-C1]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
func.func @tile_c3_layout(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected weights in the layout marlin, found 'tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>'; wna16.repack changes the layout [TILE-C3]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x128x!wna16.code<8, offset = 8>, #wna16.layout<gptq>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
func.func @tile_c3_bits(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected weights in the layout marlin, found 'tensor<256x128x!wna16.code<8, offset = 8>, #wna16.layout<gptq>>'; wna16.repack changes the layout [TILE-C3]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [256, 8, 128], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
func.func @tile_c4_columns(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected N (128) and K (256) of the weights to be multiples of the tile (256, 128), which is at least 64 along n [TILE-C4]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [32, 8, 128], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
func.func @tile_c4_narrow(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected N (128) and K (256) of the weights to be multiples of the tile (32, 128), which is at least 64 along n [TILE-C4]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x192xf16>
!w = tensor<192x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
func.func @tile_c4_rows_of_weights(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected N (128) and K (192) of the weights to be multiples of the tile (64, 128), which is at least 64 along n [TILE-C4]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x384xf16>
!w = tensor<384x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<4x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
func.func @tile_c5(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected a schedule with a step of K that divides the group (96), or with scales = weights one that the group divides; found #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform> [TILE-C5]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x64xf16>
#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [4, 1], stages = 1, copy = cp_async,
  math = wgmma, scales = weights, split = none, roles = uniform>
func.func @tile_c5_one_stage(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected a schedule with two stages or more for copy = cp_async and math = wgmma; found #wna16.schedule<tile = [64, 8, 64], warps = [4, 1], stages = 1, copy = cp_async, math = wgmma, scales = weights, split = none, roles = uniform> [TILE-C5]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x64xf16>
#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [4, 2], stages = 1, copy = tensor,
  math = wgmma, scales = weights, split = none, roles = producer_consumer>
func.func @tile_c5_one_stage_of_a_producer(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected a schedule with two stages or more for math = wgmma and several steps of K; found #wna16.schedule<tile = [64, 8, 64], warps = [4, 2], stages = 1, copy = tensor, math = wgmma, scales = weights, split = none, roles = producer_consumer> [TILE-C5]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
func.func @tile_c6(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected a schedule; run select-schedule first [TILE-C6]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
// expected-error @+1 {{'func.func' op expected a function that returns one wna16.gemm or wna16.moe_gemm of its arguments and does nothing else [TILE-C7]}}
func.func @tile_c7_two_gemms(%x: !x, %w: !w, %s: !s) -> (!y, !y) {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  %z = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y, %z : !y, !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
// expected-error @+1 {{'func.func' op expected a function that returns one wna16.gemm or wna16.moe_gemm of its arguments and does nothing else [TILE-C7]}}
func.func @tile_c7_fourth_argument(%x: !x, %w: !w, %s: !s, %n: index) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
// expected-error @+1 {{'func.func' op expected a function that returns one wna16.gemm or wna16.moe_gemm of its arguments and does nothing else [TILE-C7]}}
func.func @tile_c7_other_result(%x: !y, %w: tensor<128x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
                                %s: tensor<1x128xf16, #wna16.layout<marlin_scales>>) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule}
      : (!y, tensor<128x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<1x128xf16, #wna16.layout<marlin_scales>>) -> !y
  return %x : !y
}

// -----

!x = tensor<8x256xf16>
!w = tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<8x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
func.func @tile_c8_static(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected a dynamic M with max_m; a static M is written as max_m [TILE-C8]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x128x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x128xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x128xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
func.func @tile_c8_not_bounded(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected a dynamic M with max_m; a static M is written as max_m [TILE-C8]}}
  %y = wna16.gemm %x, %w, %s {schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x8388608xf16>
!w = tensor<8388608x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<65536x64xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x64xf16>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 2, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
func.func @tile_c9_extent(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected N (64) and K (8388608) of at most 4194240; split the layer [TILE-C9]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 2, copy = cp_async,
    math = mma, scales = accumulator, split = none, roles = uniform>
func.func @tile_c10_router_weights(
    %x: tensor<?x256xf16>, %w: tensor<3x256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>, %segments: tensor<?x4xi32>, %slots: tensor<?xi32>,
    %v: tensor<?x2xf32>) -> tensor<?x64xf16> {
  // expected-error @+1 {{expected no router weights: kernels leave them to wna16.moe_sum [TILE-C10]}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %segments slots %slots weights %v to slot
      {segment_rows = 8 : i64, top_k = 2 : i64, max_m = 48 : i64, schedule = #schedule}
      : (tensor<?x256xf16>, tensor<3x256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>, tensor<?x4xi32>, tensor<?xi32>, tensor<?x2xf32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 2, copy = cp_async,
    math = mma, scales = accumulator, split = none, roles = uniform>
func.func @tile_c5_segment(
    %x: tensor<?x256xf16>, %w: tensor<3x256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>, %segments: tensor<?x4xi32>, %slots: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error @+1 {{expected a schedule with a tile of at least the rows of a segment (16); found}}
  %y = wna16.moe_gemm %x by token, %w, %s segments %segments slots %slots to slot
      {segment_rows = 16 : i64, top_k = 2 : i64, max_m = 48 : i64, schedule = #schedule}
      : (tensor<?x256xf16>, tensor<3x256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>, tensor<?x4xi32>, tensor<?xi32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 2, copy = bulk,
    math = mma, scales = accumulator, split = none, roles = producer_consumer>
func.func @tile_c5_map(
    %x: tensor<?x256xf16>, %w: tensor<3x256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>, %segments: tensor<?x4xi32>, %slots: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error @+1 {{expected a schedule with copy = cp_async where a map names the rows of activations: other engines copy rows that follow each other; found}}
  %y = wna16.moe_gemm %x by slot, %w, %s segments %segments slots %slots to slot
      {segment_rows = 8 : i64, top_k = 2 : i64, max_m = 48 : i64, schedule = #schedule}
      : (tensor<?x256xf16>, tensor<3x256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>, tensor<?x4xi32>, tensor<?xi32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 2], stages = 2, copy = cp_async,
    math = mma, scales = accumulator, split = ticket, roles = uniform, blocks = 2>
func.func @tile_c5_segment_ticket(
    %x: tensor<?x256xf16>, %w: tensor<3x256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>, %segments: tensor<?x4xi32>, %slots: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error @+1 {{expected a schedule with neither tickets nor persistent blocks for segments: both count tiles of rows that follow each other; found}}
  %y = wna16.moe_gemm %x by position, %w, %s segments %segments slots %slots to slot
      {segment_rows = 8 : i64, top_k = 2 : i64, max_m = 48 : i64, schedule = #schedule}
      : (tensor<?x256xf16>, tensor<3x256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>, tensor<?x4xi32>, tensor<?xi32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 2], stages = 2, copy = bulk,
    math = mma, scales = accumulator, split = none, roles = producer_consumer, persistent = 4>
func.func @tile_c5_segment_persistent(
    %x: tensor<?x256xf16>, %w: tensor<3x256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<3x2x64xf16>, %segments: tensor<?x4xi32>, %slots: tensor<?xi32>) -> tensor<?x64xf16> {
  // expected-error @+1 {{expected a schedule with neither tickets nor persistent blocks for segments: both count tiles of rows that follow each other; found}}
  %y = wna16.moe_gemm %x by position, %w, %s segments %segments slots %slots to slot
      {segment_rows = 8 : i64, top_k = 2 : i64, max_m = 48 : i64, schedule = #schedule}
      : (tensor<?x256xf16>, tensor<3x256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16>, tensor<?x4xi32>, tensor<?xi32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}
