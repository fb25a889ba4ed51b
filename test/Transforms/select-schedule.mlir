// RUN: wna16-opt %s --select-schedule --split-input-file | FileCheck %s
// RUN: wna16-opt %s --select-schedule=target=sm_86 --split-input-file | FileCheck %s --check-prefix=SM86
// RUN: wna16-opt %s --select-schedule=batch-invariant=true --split-input-file | FileCheck %s --check-prefix=INVARIANT

// Up to 8 rows the tile has 8. sm_86 has neither clusters nor bulk copies; with
// few columns its blocks share K by ticket.
// CHECK-LABEL: func.func @decode
// CHECK: wna16.gemm {{.*}} {max_m = 8 : i64, schedule = #wna16.schedule<tile = [{{[0-9]+}}, 8, 128], warps = [
// SM86-LABEL: func.func @decode
// SM86: tile = [{{[0-9]+}}, 8, 128], {{.*}} copy = cp_async, math = mma, scales = accumulator, split = ticket, roles = uniform, blocks = 4>
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
!w = tensor<4096x16384x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<32x16384xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x16384xf16>

// A bound inside of a range gets the schedule of the range.
// CHECK-LABEL: func.func @one_row
// CHECK: schedule = [[$EIGHT:#wna16.schedule<[^>]*>]]
// INVARIANT-LABEL: func.func @one_row
// INVARIANT: tile = [{{[0-9]+}}, {{[0-9]+}}, [[$STEP:[0-9]+]]], warps = [{{[0-9]+}}, [[$PARTS:[0-9]+]]], {{.*}} math = [[$MATH:[a-z]+]], scales = [[$SCALES:[a-z]+]], split = [[$SPLIT:[a-z]+]]
func.func @one_row(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 1 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// CHECK-LABEL: func.func @eight_rows
// CHECK: max_m = 8 : i64, schedule = [[$EIGHT]]
func.func @eight_rows(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// With many columns no more tiles are needed to fill the GPU: more rows, a
// taller tile, which reads the weights once.
// CHECK-LABEL: func.func @nine_rows
// CHECK: tile = [{{[0-9]+}}, 16, 128]
func.func @nine_rows(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 9 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// Parts of K, the step, the instruction and the place of the scales decide in
// which order the products of a row are added: with batch-invariant they are
// those of one row.
// CHECK-LABEL: func.func @thousand_rows
// CHECK: tile = [{{128|256}}, {{64|128|256}}, {{64|128}}]
// INVARIANT-LABEL: func.func @thousand_rows
// INVARIANT: tile = [{{[0-9]+}}, {{[0-9]+}}, [[$STEP]]], warps = [{{[0-9]+}}, [[$PARTS]]], {{.*}} math = [[$MATH]], scales = [[$SCALES]], split = [[$SPLIT]]
func.func @thousand_rows(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 1000 : i64} : (!x, !w, !s) -> !y
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
// CHECK: max_m = 8 : i64, schedule = [[$EIGHT]]
func.func @beside_it(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x384xf16>
!w = tensor<384x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<1x64xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x64xf16>

// No more parts than steps of K; the tile divides N.
// CHECK-LABEL: func.func @three_steps
// CHECK: tile = [64, {{8|16}}, {{64|128}}], warps = [{{[14]}}, {{1|2}}],
func.func @three_steps(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}
