// RUN: wna16-opt %s --place-scales --split-input-file | FileCheck %s

#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 1], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>

// CHECK-LABEL: tile.kernel @scales_on_sums
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK: %[[CODES:.*]] = tile.load
// CHECK: %[[ACTS:.*]] = tile.load
// CHECK: %[[SCALES:.*]] = tile.load_scales
// CHECK-NOT: tile.dequant {{.*}} scales
// CHECK: %[[WEIGHTS:.*]] = tile.dequant %[[CODES]] :
// CHECK: %[[ZERO:.*]] = tile.zero : !tile.val<64x8xf32>
// CHECK: %[[PART:.*]] = tile.mma %[[WEIGHTS]], %[[ACTS]], %[[ZERO]] :
// CHECK: %[[SUM:.*]] = tile.scale_acc %[[ACC]], %[[PART]], %[[SCALES]] :
// CHECK: scf.yield %[[SUM]]
tile.kernel @scales_on_sums(%x: !tile.global<?x256xf16, read>,
    %w: !tile.global<256x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>,
    %s: !tile.global<2x64xf16, read, #wna16.layout<marlin_scales>>,
    %y: !tile.global<?x64xf16, write>, %m: index)
    attributes {arg_names = ["x", "w", "s", "y", "M"], warps = 1 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !tile.global<?x256xf16, read>
  %yb = tile.bind %y rows %m : !tile.global<?x64xf16, write>
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %zero = tile.zero : !tile.val<64x8xf32>
    %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (!tile.val<64x8xf32>) {
      %k = arith.muli %i, %c128 : index
      %codes = tile.load %w[%k, %in] : !tile.global<256x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !tile.val<128x64x!wna16.code<4, offset = 8>>
      %acts = tile.load %xb[%im, %k] : !tile.global<?x256xf16, read> -> !tile.val<8x128xf16>
      %scales = tile.load_scales %s[k = %k, n = %in] {group = 128 : i64} : !tile.global<2x64xf16, read, #wna16.layout<marlin_scales>> -> !tile.val<1x64xf16>
      %weights = tile.dequant %codes scales %scales : !tile.val<128x64x!wna16.code<4, offset = 8>> scales !tile.val<1x64xf16> -> !tile.val<128x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<128x64xf16>, !tile.val<8x128xf16>, !tile.val<64x8xf32>
      scf.yield %next : !tile.val<64x8xf32>
    }
    %h = tile.cast %sum : !tile.val<64x8xf32> -> !tile.val<64x8xf16>
    tile.store %h, %yb[%im, %in] transposed : !tile.val<64x8xf16>, !tile.global<?x64xf16, write>
  }
}

// -----

#accumulator = #wna16.schedule<tile = [64, 8, 128], warps = [1, 1], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
#weights = #wna16.schedule<tile = [64, 8, 128], warps = [1, 1], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = none, roles = uniform>
!x = !tile.global<?x256xf16, read>
!w = !tile.global<256x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!s = !tile.global<4x64xf16, read, #wna16.layout<marlin_scales>>
!codes = !tile.val<128x64x!wna16.code<4, offset = 8>>

// A step of two groups needs its scales on the weights.
// CHECK-LABEL: tile.kernel @two_groups_per_step
// CHECK: tile.dequant {{.*}} scales
// CHECK-NOT: tile.scale_acc
tile.kernel @two_groups_per_step(%x: !x, %w: !w, %s: !s, %m: index)
    attributes {arg_names = ["x", "w", "s", "M"], warps = 1 : i64, schedule = #accumulator} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %zero = tile.zero : !tile.val<64x8xf32>
    %codes = tile.load %w[%c0, %in] : !w -> !codes
    %acts = tile.load %xb[%im, %c0] : !x -> !tile.val<8x128xf16>
    %scales = tile.load_scales %s[k = %c0, n = %in] {group = 64 : i64} : !s -> !tile.val<1x64xf16>
    %weights = tile.dequant %codes scales %scales : !codes scales !tile.val<1x64xf16> -> !tile.val<128x64xf16>
    %sum = tile.mma %weights, %acts, %zero : !tile.val<128x64xf16>, !tile.val<8x128xf16>, !tile.val<64x8xf32>
  }
}

// One scale per column is one group, whatever the step.
// CHECK-LABEL: tile.kernel @one_group
// CHECK-NOT: tile.dequant {{.*}} scales
// CHECK: tile.scale_acc
tile.kernel @one_group(%x: !x, %w: !w, %s: !s, %m: index)
    attributes {arg_names = ["x", "w", "s", "M"], warps = 1 : i64, schedule = #accumulator} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %zero = tile.zero : !tile.val<64x8xf32>
    %codes = tile.load %w[%c0, %in] : !w -> !codes
    %acts = tile.load %xb[%im, %c0] : !x -> !tile.val<8x128xf16>
    %scales = tile.load_scales %s[k = %c0, n = %in] {group = -1 : i64} : !s -> !tile.val<1x64xf16>
    %weights = tile.dequant %codes scales %scales : !codes scales !tile.val<1x64xf16> -> !tile.val<128x64xf16>
    %sum = tile.mma %weights, %acts, %zero : !tile.val<128x64xf16>, !tile.val<8x128xf16>, !tile.val<64x8xf32>
  }
}

// The schedule says where; without one nothing is moved.
// CHECK-LABEL: tile.kernel @scales_on_weights
// CHECK: tile.dequant {{.*}} scales
// CHECK-LABEL: tile.kernel @no_schedule
// CHECK: tile.dequant {{.*}} scales
// CHECK-NOT: tile.scale_acc
tile.kernel @scales_on_weights(%x: !x, %w: !w, %s: !s, %m: index)
    attributes {arg_names = ["x", "w", "s", "M"], warps = 1 : i64, schedule = #weights} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %zero = tile.zero : !tile.val<64x8xf32>
    %codes = tile.load %w[%c0, %in] : !w -> !codes
    %acts = tile.load %xb[%im, %c0] : !x -> !tile.val<8x128xf16>
    %scales = tile.load_scales %s[k = %c0, n = %in] {group = 128 : i64} : !s -> !tile.val<1x64xf16>
    %weights = tile.dequant %codes scales %scales : !codes scales !tile.val<1x64xf16> -> !tile.val<128x64xf16>
    %sum = tile.mma %weights, %acts, %zero : !tile.val<128x64xf16>, !tile.val<8x128xf16>, !tile.val<64x8xf32>
  }
}
tile.kernel @no_schedule(%x: !x, %w: !w, %s: !s, %m: index)
    attributes {arg_names = ["x", "w", "s", "M"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %zero = tile.zero : !tile.val<64x8xf32>
    %codes = tile.load %w[%c0, %in] : !w -> !codes
    %acts = tile.load %xb[%im, %c0] : !x -> !tile.val<8x128xf16>
    %scales = tile.load_scales %s[k = %c0, n = %in] {group = 128 : i64} : !s -> !tile.val<1x64xf16>
    %weights = tile.dequant %codes scales %scales : !codes scales !tile.val<1x64xf16> -> !tile.val<128x64xf16>
    %sum = tile.mma %weights, %acts, %zero : !tile.val<128x64xf16>, !tile.val<8x128xf16>, !tile.val<64x8xf32>
  }
}
