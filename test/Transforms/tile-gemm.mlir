// RUN: wna16-opt %s --tile-gemm --split-input-file | FileCheck %s

// One block per tile of outputs, a loop over steps of K, scales on the weights.
// CHECK-LABEL: tile.kernel @gemm
// CHECK-SAME: (%[[X:.*]]: !tile.global<?x256xf16, read>, %[[W:.*]]: !tile.global<256x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>, %[[S:.*]]: !tile.global<2x64xf16, read, #wna16.layout<marlin_scales>>, %[[Y:.*]]: !tile.global<?x64xf16, write>, %[[M:.*]]: index, %[[LDX:.*]]: index)
// CHECK-SAME: arg_names = ["x", "w", "s", "y", "M", "ldx"], max_m = 8 : i64, reference = #tile.reference<gemm, group = 128>, schedule = #wna16.schedule<tile = [64, 8, 64], {{.*}}>, warps = 2 : i64}
// CHECK-DAG: %[[XB:.*]] = tile.bind %[[X]] rows %[[M]] stride %[[LDX]] :
// CHECK-DAG: %[[YB:.*]] = tile.bind %[[Y]] rows %[[M]] :
// CHECK: tile.for_each_work (%[[IM:.*]], %[[IN:.*]]) tile [8, 64] of [%[[M]], 64] {
// CHECK-DAG: %[[ZERO:.*]] = tile.zero : !tile.val<64x8xf32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[K:.*]] = arith.muli %[[I]], %[[C64]]
// CHECK: %[[CODES:.*]] = tile.load %[[W]][%[[K]], %[[IN]]] : {{.*}} -> !tile.val<64x64x!wna16.code<4, offset = 8>>
// CHECK: %[[ACTS:.*]] = tile.load %[[XB]][%[[IM]], %[[K]]] : {{.*}} -> !tile.val<8x64xf16>
// CHECK: %[[SCALES:.*]] = tile.load_scales %[[S]][k = %[[K]], n = %[[IN]]] {group = 128 : i64} : {{.*}} -> !tile.val<1x64xf16>
// CHECK: %[[WEIGHTS:.*]] = tile.dequant %[[CODES]] scales %[[SCALES]]
// CHECK: %[[NEXT:.*]] = tile.mma %[[WEIGHTS]], %[[ACTS]], %[[ACC]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: %[[H:.*]] = tile.cast %[[SUM]] : !tile.val<64x8xf32> -> !tile.val<64x8xf16>
// CHECK: tile.store %[[H]], %[[YB]][%[[IM]], %[[IN]]] transposed
// CHECK: tile.return
func.func @gemm(%x: tensor<?x256xf16>,
                %w: tensor<256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
                %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16> {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #wna16.schedule<tile = [64, 8, 64],
      warps = [1, 2], stages = 3, copy = cp_async, math = mma, scales = accumulator,
      split = none, roles = uniform>}
      : (tensor<?x256xf16>, tensor<256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<2x64xf16, #wna16.layout<marlin_scales>>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

// Several tiles of columns and of rows; one kernel per gemm; functions without a gemm
// stay, also declarations.
!x = tensor<?x256xf16>
!w = tensor<256x256x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<1x256xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x256xf16>
#schedule = #wna16.schedule<tile = [128, 16, 128], warps = [2, 4], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = none, roles = uniform>

// CHECK-LABEL: func.func private @declared
func.func private @declared(!x) -> !x
// CHECK: func.func @identity
func.func @identity(%x: !x) -> !x {
  return %x : !x
}
// CHECK: tile.kernel @first
// CHECK-SAME: max_m = 32 : i64, reference = #tile.reference<gemm, group = 256>
// CHECK-SAME: warps = 8 : i64
// CHECK: tile [16, 128] of [%{{.*}}, 256] {
// CHECK: tile.load_scales {{.*}} {group = 256 : i64}
// CHECK: tile.kernel @second
// CHECK-NOT: wna16.gemm
func.func @first(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 32 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}
func.func @second(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 16 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

// More than 16 tiles along M are walked in groups of rows, but not where the blocks of a
// cluster are neighbours, or too many to count.
!x = tensor<?x256xbf16>
!w = tensor<256x256x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<1x256xbf16, #wna16.layout<marlin_scales>>
!y = tensor<?x256xbf16>
#schedule = #wna16.schedule<tile = [128, 16, 128], warps = [2, 4], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = none, roles = uniform>
#narrow = #wna16.schedule<tile = [64, 8, 128], warps = [1, 4], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = none, roles = uniform>

// CHECK: tile.kernel @tall
// CHECK: tile [16, 128] of [%{{.*}}, 256] attributes {raster = 16 : i64} {
// CHECK: tile.mma {{.*}} : !tile.val<128x128xbf16>, !tile.val<16x128xbf16>, !tile.val<128x16xf32>
func.func @tall(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 257 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}
// CHECK: tile.kernel @not_tall
// CHECK: tile [16, 128] of [%{{.*}}, 256] {
func.func @not_tall(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 256 : i64, schedule = #schedule} : (!x, !w, !s) -> !y
  return %y : !y
}
// CHECK: tile.kernel @too_tall
// CHECK: tile [8, 64] of [%{{.*}}, 256] {
func.func @too_tall(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 8589934592 : i64, schedule = #narrow} : (!x, !w, !s) -> !y
  return %y : !y
}
