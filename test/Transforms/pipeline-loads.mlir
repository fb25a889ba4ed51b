// RUN: wna16-opt %s --pipeline-loads --split-input-file | FileCheck %s

#schedule = #wna16.schedule<tile = [64, 8, 32], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#acts = #tile.linear<register = [[0, 1], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 32]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
!w = !tile.global<256x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!s = !tile.global<8x64xf16, read, #wna16.layout<marlin_scales>>
!x = !tile.global<?x256xf16, read>
!codes = !tile.val<32x64x!wna16.code<4, offset = 8>, #codes>
!acc = !tile.val<64x8xf32, #acc, partial>

// Two steps are filled ahead of three stages for each of two parts; the counter of the
// last step of the loop bounds what is copied, and from where scales come.
// CHECK: !ring = !tile.ring<6, [<"w", !tile.val<32x64x!wna16.code<4, offset = 8>>, #wna16.layout<marlin>>, <"x", !tile.val<8x32xf16>, #tile.pitch<40>>]>
// CHECK: tile.kernel @gemm(%[[X:.*]]: !tile.global<?x256xf16, read>, %[[W:.*]]: !tile.global<256{{.*}}>, %[[S:.*]]: !tile.global<8x64{{.*}}>, %[[M:.*]]: index)
// CHECK: %[[XB:.*]] = tile.bind %[[X]]
// CHECK: tile.for_each_work (%[[IM:.*]], %[[IN:.*]], %[[PART:.*]]) tile
// CHECK-DAG: %[[END:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[STRIDE:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[ZERO:.*]] = tile.zero
// CHECK: %[[RING:.*]] = tile.ring : !ring

// CHECK: %[[IN0:.*]] = arith.cmpi slt, %[[PART]], %[[END]]
// CHECK-NEXT: tile.acquire %[[RING]][%[[PART]]]
// CHECK: %[[K0:.*]] = arith.muli %[[PART]],
// CHECK: tile.fill "w" of %[[RING]][%[[PART]]] = %[[W]][%[[K0]], %[[IN]]] threads(#{{.*}}) if %[[IN0]] :
// CHECK: tile.fill "x" of %[[RING]][%[[PART]]] = %[[XB]][%[[IM]], %[[K0]]] threads(#{{.*}}) if %[[IN0]] :
// CHECK-NEXT: tile.commit %[[RING]][%[[PART]]]

// CHECK: %[[I1:.*]] = arith.addi %[[PART]], %[[STRIDE]]
// CHECK: %[[IN1:.*]] = arith.cmpi slt, %[[I1]], %[[END]]
// CHECK-NEXT: tile.acquire %[[RING]][%[[I1]]]
// CHECK: tile.fill "w" of %[[RING]][%[[I1]]] = {{.*}} if %[[IN1]] :
// CHECK: tile.fill "x" of %[[RING]][%[[I1]]] = {{.*}} if %[[IN1]] :
// CHECK-NEXT: tile.commit %[[RING]][%[[I1]]]
// CHECK-NOT: tile.acquire

// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[AHEAD:.*]] = arith.muli %[[STRIDE]], %[[TWO]]
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[LAST:.*]] = arith.subi %[[END]], %[[ONE]]
// CHECK: %[[J0:.*]] = arith.minsi %[[PART]], %[[LAST]]
// CHECK: %[[JK0:.*]] = arith.muli %[[J0]],
// CHECK: %[[S0:.*]] = tile.load_scales %[[S]][k = %[[JK0]], n = %[[IN]]]
// CHECK: scf.for %[[I:.*]] = %[[PART]] to %[[END]] step %[[STRIDE]] iter_args(%[[ACC:.*]] = %[[ZERO]], %[[SCALES:.*]] = %[[S0]])

// Each step: fill of a later one, without a branch around acquire and commit; then the
// step itself.
// CHECK-NEXT: %[[I2:.*]] = arith.addi %[[I]], %[[AHEAD]]
// CHECK-NEXT: %[[IN2:.*]] = arith.cmpi slt, %[[I2]], %[[END]]
// CHECK-NEXT: tile.acquire %[[RING]][%[[I2]]]
// CHECK: %[[K2:.*]] = arith.muli %[[I2]],
// CHECK-NEXT: tile.fill "w" of %[[RING]][%[[I2]]] = %[[W]][%[[K2]], %[[IN]]] threads(#{{.*}}) if %[[IN2]] :
// CHECK-NEXT: tile.fill "x" of %[[RING]][%[[I2]]] = %[[XB]][%[[IM]], %[[K2]]] threads(#{{.*}}) if %[[IN2]] :
// CHECK-NEXT: tile.commit %[[RING]][%[[I2]]]
// CHECK-NEXT: tile.wait %[[RING]][%[[I]]] :
// CHECK: %[[I3:.*]] = arith.addi %[[I]], %[[STRIDE]]
// CHECK: %[[J3:.*]] = arith.minsi %[[I3]], %[[LAST]]
// CHECK: %[[JK3:.*]] = arith.muli %[[J3]],
// CHECK: %[[NEXTS:.*]] = tile.load_scales %[[S]][k = %[[JK3]], n = %[[IN]]]
// CHECK: %[[CODES:.*]] = tile.read "w" of %[[RING]][%[[I]]] [0, 0] : !ring -> !tile.val<32x64x!wna16.code<4, offset = 8>, #[[CODESL:.*]]>
// CHECK: %[[ACTS:.*]] = tile.read "x" of %[[RING]][%[[I]]] [0, 0] : !ring -> !tile.val<8x32xf16, #{{.*}}>
// CHECK-NOT: tile.load
// CHECK: %[[WEIGHTS:.*]] = tile.dequant %[[CODES]] :
// CHECK: %[[PRODUCT:.*]] = tile.mma %[[WEIGHTS]], %[[ACTS]], %[[ZERO]] :
// CHECK: %[[NEXT:.*]] = tile.scale_acc %[[ACC]], %[[PRODUCT]], %[[SCALES]] :
// CHECK-NEXT: tile.release %[[RING]][%[[I]]] :
// CHECK-NEXT: scf.yield %[[NEXT]], %[[NEXTS]]
tile.kernel @gemm(%x: !x, %w: !w, %s: !s, %m: index)
    attributes {arg_names = ["x", "w", "s", "M"], warps = 2 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in, %part) tile [8, 64] of [%m, 64] parts 2 {
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %zero = tile.zero : !acc
    %share = scf.for %i = %part to %c8 step %c2 iter_args(%acc = %zero) -> (!acc) {
      %k = arith.muli %i, %c32 : index
      %codes = tile.load %w[%k, %in] : !w -> !codes
      %acts = tile.load %xb[%im, %k] : !x -> !tile.val<8x32xf16, #acts>
      %scales = tile.load_scales %s[k = %k, n = %in] {group = 32 : i64} : !s -> !tile.val<1x64xf16, #scales>
      %weights = tile.dequant %codes : !codes -> !tile.val<32x64xf16, #weights>
      %product = tile.mma %weights, %acts, %zero : !tile.val<32x64xf16, #weights>, !tile.val<8x32xf16, #acts>, !acc
      %next = tile.scale_acc %acc, %product, %scales : !acc, !tile.val<1x64xf16, #scales>
      scf.yield %next : !acc
    }
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 32], warps = [1, 1], stages = 1, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#acts = #tile.linear<register = [[0, 1], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 32]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 32]>
!x = !tile.global<?x64xf16, read>
!w = !tile.global<64x64xf16, read>
!acc = !tile.val<64x8xf32, #acc>

// With one stage a step is filled when it is computed. A load that feeds no product
// stays; without a schedule, or without a product, so does the loop.
// CHECK: !ring = !tile.ring<1, [<"w", !tile.val<32x64xf16>, #tile.pitch<72>>, <"x", !tile.val<8x32xf16>, #tile.pitch<40>>]>
// CHECK: tile.kernel @one_stage
// CHECK: tile.ring : !ring
// CHECK-NOT: tile.fill
// CHECK: scf.for
// CHECK: tile.fill "w"
// CHECK: tile.fill "x"
// CHECK-NOT: tile.fill
// CHECK: tile.commit
// CHECK: tile.wait
// CHECK: tile.load {{.*}} -> !tile.val<8x32xf16
// CHECK: tile.store
// CHECK: tile.release
// CHECK: tile.kernel @no_product
// CHECK-NOT: tile.ring
// CHECK: tile.kernel @no_schedule
// CHECK-NOT: tile.ring
tile.kernel @one_stage(%x: !x, %w: !w, %y: !tile.global<?x64xf16, write>, %m: index)
    attributes {arg_names = ["x", "w", "y", "M"], warps = 1 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !x
  %yb = tile.bind %y rows %m : !tile.global<?x64xf16, write>
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zero = tile.zero : !acc
    %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (!acc) {
      %k = arith.muli %i, %c32 : index
      %weights = tile.load %w[%k, %in] : !w -> !tile.val<32x64xf16, #weights>
      %acts = tile.load %xb[%im, %k] : !x -> !tile.val<8x32xf16, #acts>
      %copy = tile.load %xb[%im, %k] : !x -> !tile.val<8x32xf16, #copy>
      tile.store %copy, %yb[%im, %k] : !tile.val<8x32xf16, #copy>, !tile.global<?x64xf16, write>
      %next = tile.mma %weights, %acts, %acc : !tile.val<32x64xf16, #weights>, !tile.val<8x32xf16, #acts>, !acc
      scf.yield %next : !acc
    }
  }
}
tile.kernel @no_product(%x: !x, %y: !tile.global<?x64xf16, write>, %m: index)
    attributes {arg_names = ["x", "y", "M"], warps = 1 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !x
  %yb = tile.bind %y rows %m : !tile.global<?x64xf16, write>
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %c64 step %c32 {
      %copy = tile.load %xb[%im, %k] : !x -> !tile.val<8x32xf16, #copy>
      tile.store %copy, %yb[%im, %k] : !tile.val<8x32xf16, #copy>, !tile.global<?x64xf16, write>
    }
  }
}
tile.kernel @no_schedule(%x: !x, %w: !w, %m: index)
    attributes {arg_names = ["x", "w", "M"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zero = tile.zero : !acc
    %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (!acc) {
      %k = arith.muli %i, %c32 : index
      %weights = tile.load %w[%k, %in] : !w -> !tile.val<32x64xf16, #weights>
      %acts = tile.load %xb[%im, %k] : !x -> !tile.val<8x32xf16, #acts>
      %next = tile.mma %weights, %acts, %acc : !tile.val<32x64xf16, #weights>, !tile.val<8x32xf16, #acts>, !acc
      scf.yield %next : !acc
    }
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [18, 0], [36, 0]], warp = [[16, 0], [32, 0]] : [64, 8]>
#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [64, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [64, 64]>
#acts = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [0, 0]] : [8, 64]>
!wg = !tile.global<256x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!xg = !tile.global<8x256xf16, read>
!w = !tile.val<64x64x!wna16.code<4, offset = 8>, #codes>
!a = !tile.val<64x64xf16, #weights>
!x = !tile.val<8x64xf16, #acts>
!s = !tile.val<64x8xf32, #acc>

// With math = wgmma the product reads activations from the ring, in a swizzle.
// CHECK: !ring = !tile.ring<2, [<"w", {{.*}}, #wna16.layout<marlin>>, <"x", !tile.val<8x64xf16>, #tile.swizzle<128>>]>
// CHECK: tile.kernel @warpgroup
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %
// CHECK: tile.wait %[[R:.*]][%[[I]]]
// CHECK-NEXT: arith.addi
// CHECK-NEXT: %[[W:.*]] = tile.read "w" of %[[R]][%[[I]]]
// CHECK-NOT: tile.read
// CHECK: %[[A:.*]] = tile.dequant %[[W]]
// CHECK-NEXT: %[[P:.*]] = tile.mma_async %[[A]], "x" of %[[R]][%[[I]]] [0, 0], %[[ACC]]
// CHECK-NEXT: %[[E:.*]] = tile.mma_wait %[[P]] {pending = 0 : i64}
// CHECK-NEXT: tile.release %[[R]][%[[I]]]
// CHECK-NEXT: scf.yield %[[E]]
tile.kernel @warpgroup(%xg: !xg, %wg: !wg)
    attributes {arg_names = ["x", "w"], warps = 4 : i64, schedule = #wna16.schedule<
      tile = [64, 8, 64], warps = [4, 1], stages = 2, copy = cp_async, math = wgmma,
      scales = weights, split = none, roles = uniform>} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !s
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (!s) {
      %k = arith.muli %i, %c64 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %a = tile.dequant %w : !w -> !a
      %p = tile.mma %a, %x, %acc : !a, !x, !s
      scf.yield %p : !s
    }
  }
}
