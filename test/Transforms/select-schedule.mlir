// RUN: wna16-opt %s --select-schedule --split-input-file | FileCheck %s
// RUN: wna16-opt %s --select-schedule=target=sm_86 --split-input-file | FileCheck %s --check-prefix=SM86

// No more blocks of 64 columns than multiprocessors: eight warps share the 32 steps of K.
// CHECK-LABEL: func.func @decode
// CHECK: wna16.gemm {{.*}} {max_m = 8 : i64, schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 8], stages = 2, copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform>}
// SM86-LABEL: func.func @decode
// SM86: schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 8], stages = 2,
func.func @decode(
    %x: tensor<?x4096xf16>,
    %w: tensor<4096x1024x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<32x1024xf16, #wna16.layout<marlin_scales>>) -> tensor<?x1024xf16> {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64}
      : (tensor<?x4096xf16>, tensor<4096x1024x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<32x1024xf16, #wna16.layout<marlin_scales>>) -> tensor<?x1024xf16>
  return %y : tensor<?x1024xf16>
}

// -----

!x = tensor<?x4096xf16>
!w = tensor<4096x1024x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<32x1024xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x1024xf16>

// Up to 8 rows the tile has 8, beyond that 16, which need more shared memory than sm_86
// has for eight warps.
// CHECK-LABEL: func.func @one_row
// CHECK: tile = [64, 8, 128], warps = [1, 8], stages = 2,
func.func @one_row(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 1 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// CHECK-LABEL: func.func @nine_rows
// CHECK: tile = [64, 16, 128], warps = [1, 8], stages = 2,
// SM86-LABEL: func.func @nine_rows
// SM86: tile = [64, 16, 128], warps = [1, 4], stages = 2,
func.func @nine_rows(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 9 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// CHECK-LABEL: func.func @sixteen_rows
// CHECK: tile = [64, 16, 128], warps = [1, 8], stages = 2,
func.func @sixteen_rows(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 16 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// Of two gemms, the one whose schedule was written by hand keeps it.
// CHECK-LABEL: func.func @by_hand
// CHECK: schedule = #wna16.schedule<tile = [128, 8, 64], warps = [2, 2], stages = 5, copy = cp_async, math = mma, scales = weights,
func.func @by_hand(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #wna16.schedule<tile = [128, 8, 64],
      warps = [2, 2], stages = 5, copy = cp_async, math = mma, scales = weights, split = none,
      roles = uniform>} : (!x, !w, !s) -> !y
  return %y : !y
}

// CHECK-LABEL: func.func @beside_it
// CHECK: tile = [64, 8, 128], warps = [1, 8], stages = 2,
func.func @beside_it(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x4096xf16>
!w = tensor<4096x16384x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<32x16384xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x16384xf16>

// More columns: wider blocks, which read the activations less often.
// CHECK-LABEL: func.func @many_columns
// CHECK: tile = [128, 8, 128], warps = [2, 4], stages = 2,
// SM86-LABEL: func.func @many_columns
// SM86: tile = [128, 8, 128], warps = [2, 4], stages = 2,
func.func @many_columns(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// CHECK-LABEL: func.func @many_columns_sixteen_rows
// CHECK: tile = [256, 16, 128], warps = [4, 2], stages = 3,
// SM86-LABEL: func.func @many_columns_sixteen_rows
// SM86: tile = [128, 16, 128], warps = [2, 4], stages = 2,
func.func @many_columns_sixteen_rows(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 16 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x4096xf16>
!w = tensor<4096x8512x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<32x8512xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x8512xf16>

// Many columns, but no multiple of 128.
// CHECK-LABEL: func.func @odd_number_of_blocks
// CHECK: tile = [64, 8, 128], warps = [1, 8], stages = 2,
func.func @odd_number_of_blocks(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x4096xf16>
!w = tensor<4096x8448x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<32x8448xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x8448xf16>

// One block on each of the 132 multiprocessors of sm_90a; sm_86 has fewer.
// CHECK-LABEL: func.func @one_block_each
// CHECK: tile = [64, 8, 128], warps = [1, 8], stages = 2,
// SM86-LABEL: func.func @one_block_each
// SM86: tile = [128, 8, 128], warps = [2, 4], stages = 2,
func.func @one_block_each(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x384xf16>
!w = tensor<384x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<1x64xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x64xf16>

// No more parts than steps of K.
// CHECK-LABEL: func.func @three_steps
// CHECK: tile = [64, 8, 128], warps = [1, 2], stages = 2,
func.func @three_steps(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x4096xf16>
!w = tensor<4096x16384x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<32x16384xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x16384xf16>

// More than 16 rows: a block has as many, up to 128, in warps of 64 by 64. 128 blocks of
// 128 columns are too few for sm_90a and enough for sm_86. Only 32 rows leave registers
// for sums of their own. A warp beyond rows and columns shares K.
// CHECK-LABEL: func.func @seventeen_rows
// CHECK: tile = [64, 32, 64], warps = [1, 4], stages = 4, copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform>
// SM86-LABEL: func.func @seventeen_rows
// SM86: tile = [128, 32, 64], warps = [2, 2], stages = 2, copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform>
func.func @seventeen_rows(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 17 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// CHECK-LABEL: func.func @sixty_rows
// CHECK: tile = [64, 64, 64], warps = [1, 4], stages = 2, {{.*}} scales = weights,
// SM86-LABEL: func.func @sixty_rows
// SM86: tile = [128, 64, 64], warps = [2, 2], stages = 3, {{.*}} scales = weights,
func.func @sixty_rows(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 60 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// CHECK-LABEL: func.func @any_rows
// CHECK: tile = [128, 128, 64], warps = [2, 1], stages = 4, {{.*}} scales = weights, split = none, roles = uniform, warps_m = 2>
// SM86-LABEL: func.func @any_rows
// SM86: tile = [128, 128, 64], warps = [2, 1], stages = 2, {{.*}} scales = weights, split = none, roles = uniform, warps_m = 2>
func.func @any_rows(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 1073741824 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x128xf16>
!w = tensor<128x192x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<1x192xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x192xf16>

// Two steps of K, and no multiple of 128 columns.
// CHECK-LABEL: func.func @smallest
// CHECK: tile = [64, 128, 64], warps = [1, 2], stages = 2, {{.*}}, warps_m = 2>
func.func @smallest(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 100000 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}
