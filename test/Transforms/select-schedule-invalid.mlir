// RUN: wna16-opt %s --select-schedule --split-input-file --verify-diagnostics
// RUN: not wna16-opt %S/select-schedule.mlir --select-schedule=target=sm_70 --split-input-file 2>&1 | FileCheck %s

// What has no schedule; and a target which does not exist
// is refused, also where every gemm has a schedule.
// CHECK-COUNT-3: error: unknown target 'sm_70'; known targets: sm_80,
// CHECK-NOT: error:

!x = tensor<?x256xf16>
!w = tensor<256x16x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!s = tensor<2x16xf16>
!y = tensor<?x16xf16>
func.func @sel_c2_columns(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op has no schedule for sm_90a: expected N to be a multiple of 64, found 16 [SEL-C2]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x96x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!s = tensor<1x96xf16>
!y = tensor<?x96xf16>
func.func @sel_c2_columns_of_weights(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op has no schedule for sm_90a: expected N to be a multiple of 64, found 96 [SEL-C2]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<32x64xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x64xf16>
func.func @sel_c2_group(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op has no schedule for sm_90a: expected a group that is a multiple of 16 and divides K (256), found 8 [SEL-C2]}}
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x64xf16>
func.func @sel_c2_rows(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op has no schedule for sm_90a: expected max_m between 1 and 1048576, found 1048577 [SEL-C2]}}
  %y = wna16.gemm %x, %w, %s {max_m = 1048577 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!x = tensor<?x256xf16>
!w = tensor<256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x64xf16>
func.func @sel_c1_rows_not_bounded(%x: !x, %w: !w, %s: !s) -> !y {
  // expected-error @+1 {{'wna16.gemm' op expected max_m, the largest M that this kernel is for [SEL-C1]}}
  %y = wna16.gemm %x, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}
