// RUN: wna16-opt %s --tile-gemm --split-input-file | FileCheck %s

// Planes, zero points, several groups in a step, a bias and a result in f32; y has fewer
// columns than the weights, and x fewer than they have rows.
#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 1], stages = 2, copy = cp_async,
                            math = mma, scales = weights, split = none, roles = uniform>
// CHECK-LABEL: tile.kernel @all(
// CHECK-SAME: %[[X:.*]]: !tile.global<?x40xbf16, read>, %[[W:.*]]: !tile.global<128x64x!wna16.code<7>, read, #wna16.layout<marlin>>,
// CHECK-SAME: %[[S:.*]]: !tile.global<8x64xf16, read, #wna16.layout<marlin_scales>>, %[[Z:.*]]: !tile.global<8x64x!wna16.code<8>, read, #wna16.layout<marlin_zeros>>,
// CHECK-SAME: %[[B:.*]]: !tile.global<1x64xf16, read>, %[[Y:.*]]: !tile.global<?x33xf32, write>, %[[M:.*]]: index, %[[LDX:.*]]: index)
// CHECK-SAME: arg_names = ["x", "w", "s", "z", "b", "y", "M", "ldx"]
// CHECK: %[[W0:.*]] = tile.plane %[[W]] 0 : {{.*}} -> !tile.global<128x64x!wna16.code<4>,
// CHECK: %[[W1:.*]] = tile.plane %[[W]] 1 : {{.*}} -> !tile.global<128x64x!wna16.code<2>,
// CHECK: %[[W2:.*]] = tile.plane %[[W]] 2 : {{.*}} -> !tile.global<128x64x!wna16.code<1>,
// CHECK: tile.for_each_work (%{{.*}}, %[[IN:.*]]) tile [8, 64] of [%[[M]], 64]
// CHECK: scf.for
// CHECK: %[[C0:.*]] = tile.load %[[W0]][%[[K:.*]], %[[IN]]]
// CHECK: %[[C1:.*]] = tile.load %[[W1]][%[[K]], %[[IN]]]
// CHECK: %[[C2:.*]] = tile.load %[[W2]][%[[K]], %[[IN]]]
// CHECK: %[[SCALES:.*]] = tile.load_scales %[[S]][k = %[[K]], n = %[[IN]]] {group = 16 : i64} : {{.*}} -> !tile.val<4x64xf16>
// CHECK: %[[ZEROS:.*]] = tile.load_scales %[[Z]][k = %[[K]], n = %[[IN]]] {group = 16 : i64} : {{.*}} -> !tile.val<4x64xbf16>
// CHECK: tile.dequant %[[C0]], %[[C1]], %[[C2]] zeros %[[ZEROS]] scales %[[SCALES]] : {{.*}} -> !tile.val<64x64xbf16>
// CHECK: %[[BIAS:.*]] = tile.load %[[B]][%{{.*}}, %[[IN]]] : {{.*}} -> !tile.val<1x64xf16>
// CHECK: %[[SUM:.*]] = tile.add_bias %{{.*}}, %[[BIAS]]
// CHECK-NOT: tile.cast
// CHECK: tile.store %[[SUM]], %{{.*}} transposed : !tile.val<64x8xf32>, !tile.global<?x33xf32, write>
func.func @all(%x: tensor<?x40xbf16>, %w: tensor<128x64x!wna16.code<7>, #wna16.layout<marlin>>,
               %s: tensor<8x64xf16, #wna16.layout<marlin_scales>>, %z: tensor<8x64x!wna16.code<8>, #wna16.layout<marlin_zeros>>,
               %b: tensor<1x64xf16>) -> tensor<?x33xf32> {
  %y = wna16.gemm %x, %w, %s zeros %z bias %b {max_m = 8 : i64, schedule = #schedule}
      : (tensor<?x40xbf16>, tensor<128x64x!wna16.code<7>, #wna16.layout<marlin>>, tensor<8x64xf16, #wna16.layout<marlin_scales>>,
         tensor<8x64x!wna16.code<8>, #wna16.layout<marlin_zeros>>, tensor<1x64xf16>) -> tensor<?x33xf32>
  return %y : tensor<?x33xf32>
}

// -----

// An offset is dealt out to the planes: 5 of 3 bits is 1 of the low two and 1 of the high one.
// One scale per column is one group.
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 1], stages = 2, copy = cp_async,
                            math = mma, scales = weights, split = none, roles = uniform>
// CHECK-LABEL: tile.kernel @offset(
// CHECK: tile.plane %{{.*}} 0 : {{.*}} -> !tile.global<256x64x!wna16.code<2, offset = 1>,
// CHECK: tile.plane %{{.*}} 1 : {{.*}} -> !tile.global<256x64x!wna16.code<1, offset = 1>,
// CHECK: tile.load_scales {{.*}} {group = 256 : i64} : {{.*}} -> !tile.val<1x64xf16>
func.func @offset(%x: tensor<?x256xf16>, %w: tensor<256x64x!wna16.code<3, offset = 5>, #wna16.layout<marlin>>,
                  %s: tensor<1x64xf16>) -> tensor<?x64xf16> {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64, schedule = #schedule}
      : (tensor<?x256xf16>, tensor<256x64x!wna16.code<3, offset = 5>, #wna16.layout<marlin>>, tensor<1x64xf16>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}
