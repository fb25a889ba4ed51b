// RUN: wna16-opt %s --slice-mma --split-input-file | FileCheck %s

#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [64, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [64, 64]>
#acts = #tile.linear<register = [[0, 1], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 64]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
!ring = !tile.ring<1, [<"w", !tile.val<64x64x!wna16.code<4, offset = 8>>, #wna16.layout<marlin>>, <"x", !tile.val<8x64xf16>, #tile.pitch<72>>]>
!codes = !tile.val<64x64x!wna16.code<4, offset = 8>, #codes>
!acc = !tile.val<64x8xf32, #acc>

// Rows 0, 16, 32, 48 of the weights, each read and converted when it is needed; two
// reads of the activations, each for two products; release after the last read.
// CHECK: tile.kernel @gemm
// CHECK: %[[RING:.*]] = tile.ring
// CHECK: %[[SCALES:.*]] = tile.load_scales
// CHECK: %[[ZERO:.*]] = tile.zero
// CHECK: tile.wait
// CHECK-NEXT: %[[X0:.*]] = tile.read "x" of %[[RING]][%[[I:.*]]] [0, 0] : !ring -> !tile.val<8x32xf16, #{{.*}}>
// CHECK-NEXT: %[[C0:.*]] = tile.read "w" of %[[RING]][%[[I]]] [0, 0] : !ring -> !tile.val<16x64x!wna16.code<4, offset = 8>, #{{.*}}>
// CHECK-NEXT: %[[W0:.*]] = tile.dequant %[[C0]] scales %[[SCALES]] :
// CHECK-NEXT: %[[A0:.*]] = tile.slice %[[X0]] [0, 0] : {{.*}} -> !tile.val<8x16xf16, #{{.*}}>
// CHECK-NEXT: %[[S0:.*]] = tile.mma %[[W0]], %[[A0]], %[[ZERO]] : !tile.val<16x64xf16
// CHECK-NEXT: %[[C1:.*]] = tile.read "w" of %[[RING]][%[[I]]] [16, 0] :
// CHECK-NEXT: %[[W1:.*]] = tile.dequant %[[C1]] scales %[[SCALES]] :
// CHECK-NEXT: %[[A1:.*]] = tile.slice %[[X0]] [0, 16] :
// CHECK-NEXT: %[[S1:.*]] = tile.mma %[[W1]], %[[A1]], %[[S0]] :
// CHECK-NEXT: %[[X1:.*]] = tile.read "x" of %[[RING]][%[[I]]] [0, 32] :
// CHECK-NEXT: %[[C2:.*]] = tile.read "w" of %[[RING]][%[[I]]] [32, 0] :
// CHECK-NEXT: %[[W2:.*]] = tile.dequant %[[C2]] scales %[[SCALES]] :
// CHECK-NEXT: %[[A2:.*]] = tile.slice %[[X1]] [0, 0] :
// CHECK-NEXT: %[[S2:.*]] = tile.mma %[[W2]], %[[A2]], %[[S1]] :
// CHECK-NEXT: %[[C3:.*]] = tile.read "w" of %[[RING]][%[[I]]] [48, 0] :
// CHECK-NEXT: %[[W3:.*]] = tile.dequant %[[C3]] scales %[[SCALES]] :
// CHECK-NEXT: %[[A3:.*]] = tile.slice %[[X1]] [0, 16] :
// CHECK-NEXT: %[[S3:.*]] = tile.mma %[[W3]], %[[A3]], %[[S2]] :
// CHECK-NEXT: tile.release %[[RING]][%[[I]]]
// CHECK-NEXT: tile.cast %[[S3]]
tile.kernel @gemm(%s: !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %i = arith.constant 0 : index
    %ring = tile.ring : !ring
    %scales = tile.load_scales %s[k = %i, n = %in] {group = 64 : i64} : !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>> -> !tile.val<1x64xf16, #scales>
    %zero = tile.zero : !acc
    tile.wait %ring[%i] : !ring
    %codes = tile.read "w" of %ring[%i] [0, 0] : !ring -> !codes
    %acts = tile.read "x" of %ring[%i] [0, 0] : !ring -> !tile.val<8x64xf16, #acts>
    %weights = tile.dequant %codes scales %scales : !codes scales !tile.val<1x64xf16, #scales> -> !tile.val<64x64xf16, #weights>
    %sum = tile.mma %weights, %acts, %zero : !tile.val<64x64xf16, #weights>, !tile.val<8x64xf16, #acts>, !acc
    tile.release %ring[%i] : !ring
    %h = tile.cast %sum : !acc -> !tile.val<64x8xf16, #acc>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#acts = #tile.linear<register = [[0, 1], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 32]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
!ring = !tile.ring<2, [<"w", !tile.val<64x64xf16>, #tile.pitch<72>>, <"x", !tile.val<8x64xf16>, #tile.pitch<72>>]>
!acc = !tile.val<64x8xf32, #acc>

// A read that was at an offset before: parts lie from there on. Weights without codes.
// CHECK: tile.kernel @from_the_middle
// CHECK: tile.wait
// CHECK-NEXT: tile.read "x" of {{.*}} [0, 32] : !ring -> !tile.val<8x32xf16,
// CHECK-NEXT: tile.read "w" of {{.*}} [32, 0] : !ring -> !tile.val<16x64xf16,
// CHECK-NEXT: tile.slice {{.*}} [0, 0]
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.read "w" of {{.*}} [48, 0] : !ring -> !tile.val<16x64xf16,
// CHECK-NEXT: tile.slice {{.*}} [0, 16]
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.release
tile.kernel @from_the_middle() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %i = arith.constant 0 : index
    %ring = tile.ring : !ring
    %zero = tile.zero : !acc
    tile.wait %ring[%i] : !ring
    %weights = tile.read "w" of %ring[%i] [32, 0] : !ring -> !tile.val<32x64xf16, #weights>
    %acts = tile.read "x" of %ring[%i] [0, 32] : !ring -> !tile.val<8x32xf16, #acts>
    %sum = tile.mma %weights, %acts, %zero : !tile.val<32x64xf16, #weights>, !tile.val<8x32xf16, #acts>, !acc
    tile.release %ring[%i] : !ring
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#acts = #tile.linear<register = [[0, 1], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 32]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
!acc = !tile.val<64x8xf32, #acc>

// Loaded tiles are in registers already: parts name some of them, the load stays.
// CHECK: tile.kernel @loaded
// CHECK: %[[W:.*]] = tile.load {{.*}} -> !tile.val<32x64xf16
// CHECK: %[[X:.*]] = tile.load {{.*}} -> !tile.val<8x32xf16
// CHECK: tile.slice %[[W]] [0, 0] : {{.*}} -> !tile.val<16x64xf16
// CHECK: tile.mma
// CHECK: tile.slice %[[W]] [16, 0] : {{.*}} -> !tile.val<16x64xf16
// CHECK: tile.mma
// CHECK-NOT: tile.mma
tile.kernel @loaded(%x: !tile.global<8x32xf16, read>, %w: !tile.global<32x64xf16, read>)
    attributes {arg_names = ["x", "w"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %weights = tile.load %w[%c0, %in] : !tile.global<32x64xf16, read> -> !tile.val<32x64xf16, #weights>
    %acts = tile.load %x[%im, %c0] : !tile.global<8x32xf16, read> -> !tile.val<8x32xf16, #acts>
    %zero = tile.zero : !acc
    %sum = tile.mma %weights, %acts, %zero : !tile.val<32x64xf16, #weights>, !tile.val<8x32xf16, #acts>, !acc
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
!ring = !tile.ring<1, [<"w", !tile.val<16x64x!wna16.code<4, offset = 8>>, #wna16.layout<marlin>>, <"x", !tile.val<8x16xf16>, #tile.pitch<24>>]>
!codes = !tile.val<16x64x!wna16.code<4, offset = 8>, #codes>
!acc = !tile.val<64x8xf32, #acc>

// One instruction's rows of K: nothing to cut.
// CHECK: tile.kernel @sixteen_rows
// CHECK: tile.wait
// CHECK-NEXT: tile.read "w" of {{.*}} [0, 0]
// CHECK-NEXT: tile.read "x" of {{.*}} [0, 0]
// CHECK-NEXT: tile.dequant
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.release
tile.kernel @sixteen_rows() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %i = arith.constant 0 : index
    %ring = tile.ring : !ring
    %zero = tile.zero : !acc
    tile.wait %ring[%i] : !ring
    %codes = tile.read "w" of %ring[%i] [0, 0] : !ring -> !codes
    %acts = tile.read "x" of %ring[%i] [0, 0] : !ring -> !tile.val<8x16xf16, #acts>
    %weights = tile.dequant %codes : !codes -> !tile.val<16x64xf16, #weights>
    %sum = tile.mma %weights, %acts, %zero : !tile.val<16x64xf16, #weights>, !tile.val<8x16xf16, #acts>, !acc
    tile.release %ring[%i] : !ring
  }
}

// Without layouts nothing is known about registers: the product stays whole.
// CHECK: tile.kernel @no_layouts
// CHECK: tile.zero
// CHECK-NEXT: tile.mma {{.*}} : !tile.val<64x64xf16>
// CHECK-NOT: tile.mma
// CHECK: tile.return
tile.kernel @no_layouts(%x: !tile.global<8x64xf16, read>, %w: !tile.global<64x64xf16, read>)
    attributes {arg_names = ["x", "w"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %weights = tile.load %w[%c0, %in] : !tile.global<64x64xf16, read> -> !tile.val<64x64xf16>
    %acts = tile.load %x[%im, %c0] : !tile.global<8x64xf16, read> -> !tile.val<8x64xf16>
    %zero = tile.zero : !tile.val<64x8xf32>
    %sum = tile.mma %weights, %acts, %zero : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !tile.val<64x8xf32>
  }
}

// -----

// Planes are cut alike; of four rows of scales and zero points, each slice gets its own.
#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#low = #tile.linear<register = [[8, 0], [0, 8], [0, 16], [1, 0], [0, 32], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [64, 64]>
#high = #tile.linear<register = [[8, 0], [0, 8], [0, 16], [0, 32], [1, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [64, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [64, 64]>
#acts = #tile.linear<register = [[0, 1], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 64]>
#rows = #tile.linear<register = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [4, 64]>
!low = !tile.val<64x64x!wna16.code<2>, #low>
!high = !tile.val<64x64x!wna16.code<1>, #high>
!rows = !tile.val<4x64xf16, #rows>
!sum = !tile.val<64x8xf32, #acc>
// CHECK: tile.kernel @planes_and_groups
// CHECK: %[[LOW:.*]] = tile.slice %{{.*}} [16, 0] : {{.*}} -> !tile.val<16x64x!wna16.code<2>,
// CHECK: %[[HIGH:.*]] = tile.slice %{{.*}} [16, 0] : {{.*}} -> !tile.val<16x64x!wna16.code<1>,
// CHECK: %[[ZEROS:.*]] = tile.slice %{{.*}} [1, 0] : {{.*}} -> !tile.val<1x64xf16,
// CHECK: %[[SCALES:.*]] = tile.slice %{{.*}} [1, 0] : {{.*}} -> !tile.val<1x64xf16,
// CHECK: tile.dequant %[[LOW]], %[[HIGH]] zeros %[[ZEROS]] scales %[[SCALES]] : {{.*}} -> !tile.val<16x64xf16,
tile.kernel @planes_and_groups() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %low = tile.zero : !low
    %high = tile.zero : !high
    %zeros = tile.zero : !rows
    %scales = tile.zero : !rows
    %acts = tile.zero : !tile.val<8x64xf16, #acts>
    %zero = tile.zero : !sum
    %weights = tile.dequant %low, %high zeros %zeros scales %scales : !low, !high zeros !rows scales !rows -> !tile.val<64x64xf16, #weights>
    %sum = tile.mma %weights, %acts, %zero : !tile.val<64x64xf16, #weights>, !tile.val<8x64xf16, #acts>, !sum
    %h = tile.cast %sum : !sum -> !tile.val<64x8xf16, #acc>
  }
}
