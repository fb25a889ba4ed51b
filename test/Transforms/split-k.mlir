// RUN: wna16-opt %s --split-k --split-input-file | FileCheck %s

#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 4], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = none, roles = uniform>

// Part p takes the steps p, p + 4, ...; what it sums is a share. Rows of the output that
// do not exist are left out of the sum.
// CHECK-LABEL: tile.kernel @gemm
// CHECK: tile.for_each_work (%{{.*}}, %{{.*}}, %[[PART:.*]]) tile [8, 64] of [%{{.*}}, 64] parts 4 {
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[ZERO:.*]] = tile.zero : !tile.val<64x8xf32, partial>
// CHECK-DAG: %[[LEFT:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[OFFSET:.*]] = arith.muli %[[PART]], %[[C1]] : index
// CHECK-DAG: %[[FIRST:.*]] = arith.addi %[[C0]], %[[OFFSET]] : index
// CHECK-DAG: %[[STEP:.*]] = arith.muli %[[C1]], %[[C4]] : index
// CHECK: %[[SHARE:.*]] = scf.for %{{.*}} = %[[FIRST]] to %[[C8]] step %[[STEP]] iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (!tile.val<64x8xf32, partial>) {
// CHECK: tile.mma {{.*}}, %[[ACC]] : {{.*}}, !tile.val<64x8xf32, partial>
// CHECK: scf.yield {{.*}} : !tile.val<64x8xf32, partial>
// CHECK: %[[SUM:.*]] = tile.combine %[[SHARE]] rows %[[LEFT]] : !tile.val<64x8xf32, partial> -> !tile.val<64x8xf32>
// CHECK: tile.cast %[[SUM]] : !tile.val<64x8xf32>
tile.kernel @gemm(%x: !tile.global<?x512xf16, read>, %w: !tile.global<512x64xf16, read>,
                  %y: !tile.global<?x64xf16, write>, %m: index)
    attributes {arg_names = ["x", "w", "y", "M"], warps = 4 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !tile.global<?x512xf16, read>
  %yb = tile.bind %y rows %m : !tile.global<?x64xf16, write>
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !tile.val<64x8xf32>
    %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (!tile.val<64x8xf32>) {
      %k = arith.muli %i, %c64 : index
      %weights = tile.load %w[%k, %in] : !tile.global<512x64xf16, read> -> !tile.val<64x64xf16>
      %acts = tile.load %xb[%im, %k] : !tile.global<?x512xf16, read> -> !tile.val<8x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !tile.val<64x8xf32>
      scf.yield %next : !tile.val<64x8xf32>
    }
    %h = tile.cast %sum : !tile.val<64x8xf32> -> !tile.val<64x8xf16>
    tile.store %h, %yb[%im, %in] transposed : !tile.val<64x8xf16>, !tile.global<?x64xf16, write>
  }
}

// -----

#split = #wna16.schedule<tile = [64, 8, 64], warps = [1, 4], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
#whole = #wna16.schedule<tile = [64, 8, 64], warps = [4, 1], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = none, roles = uniform>
!x = !tile.global<?x256xf16, read>
!w = !tile.global<256x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!s = !tile.global<2x64xf16, read, #wna16.layout<marlin_scales>>
!y = !tile.global<?x64xf32, write>
!codes = !tile.val<64x64x!wna16.code<4, offset = 8>>

// Products inside of a step, before they are scaled, are shares as well; codes, scales
// and activations are not.
// CHECK-LABEL: tile.kernel @scaled_sums
// CHECK: tile.load_scales {{.*}} -> !tile.val<1x64xf16>
// CHECK: tile.zero : !tile.val<64x8xf32, partial>
// CHECK: tile.mma {{.*}} : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !tile.val<64x8xf32, partial>
// CHECK: tile.scale_acc {{.*}} : !tile.val<64x8xf32, partial>, !tile.val<1x64xf16>
// CHECK: tile.combine
// CHECK-NOT: tile.combine
tile.kernel @scaled_sums(%x: !x, %w: !w, %s: !s, %m: index)
    attributes {arg_names = ["x", "w", "s", "M"], warps = 4 : i64, schedule = #split} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %init = tile.zero : !tile.val<64x8xf32>
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> (!tile.val<64x8xf32>) {
      %k = arith.muli %i, %c64 : index
      %codes = tile.load %w[%k, %in] : !w -> !codes
      %acts = tile.load %xb[%im, %k] : !x -> !tile.val<8x64xf16>
      %scales = tile.load_scales %s[k = %k, n = %in] {group = 128 : i64} : !s -> !tile.val<1x64xf16>
      %weights = tile.dequant %codes : !codes -> !tile.val<64x64xf16>
      %zero = tile.zero : !tile.val<64x8xf32>
      %part = tile.mma %weights, %acts, %zero : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !tile.val<64x8xf32>
      %next = tile.scale_acc %acc, %part, %scales : !tile.val<64x8xf32>, !tile.val<1x64xf16>
      scf.yield %next : !tile.val<64x8xf32>
    }
  }
}

// Warps along N only: nothing to share.
// CHECK-LABEL: tile.kernel @one_part
// CHECK: tile.for_each_work (%{{[^,]*}}, %{{[^,]*}}) tile [8, 64] of [%{{.*}}, 64] {
// CHECK-NOT: partial
// CHECK: tile.return
tile.kernel @one_part(%x: !x, %m: index)
    attributes {arg_names = ["x", "M"], warps = 4 : i64, schedule = #whole} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %zero = tile.zero : !tile.val<64x8xf32>
  }
}

// No schedule, or split already.
// CHECK-LABEL: tile.kernel @no_schedule
// CHECK-NOT: partial
// CHECK: tile.return
tile.kernel @no_schedule(%x: !x, %m: index)
    attributes {arg_names = ["x", "M"], warps = 4 : i64} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %zero = tile.zero : !tile.val<64x8xf32>
  }
}
// CHECK-LABEL: tile.kernel @split_before
// CHECK: parts 2 {
// CHECK-NOT: tile.combine
// CHECK: tile.return
tile.kernel @split_before(%x: !x, %m: index)
    attributes {arg_names = ["x", "M"], warps = 4 : i64, schedule = #split} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in, %part) tile [8, 64] of [%m, 64] parts 2 {
    %zero = tile.zero : !tile.val<64x8xf32, partial>
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = cluster, roles = uniform, blocks = 4>

// Six steps for four blocks: the first two take one more. Each counts its own from 0,
// and its two parts share them; coordinates are those of all of K.
// CHECK-LABEL: tile.kernel @blocks
// CHECK: tile.for_each_work (%[[IM:.*]], %{{.*}}, %[[PART:.*]], %[[BLOCK:.*]]) tile [8, 64] of [%[[M:.*]], 64] parts 2 blocks 4 {
// CHECK: tile.zero
// CHECK: %[[LEAST:.*]] = arith.constant 1 : index
// CHECK: %[[OWN:.*]] = arith.muli %[[BLOCK]], %[[LEAST]] : index
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[BEFORE:.*]] = arith.minsi %[[BLOCK]], %[[TWO]] : index
// CHECK: %[[FIRST:.*]] = arith.addi %[[OWN]], %[[BEFORE]] : index
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[BLOCK]], %[[TWO]] : index
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[COUNT:.*]] = arith.select %[[MORE]], %[[TWO]], %[[ONE]] : index
// CHECK: %[[LEFT:.*]] = arith.subi %[[M]], %[[IM]] : index
// CHECK: %[[SHARE:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[COUNT]] step %{{.*}} -> (!tile.val<64x8xf32, partial<parts, blocks>>) {
// CHECK-NEXT: %[[STEP:.*]] = arith.addi %[[FIRST]], %[[I]] : index
// CHECK-NEXT: arith.muli %[[STEP]], %{{.*}} : index
// CHECK: %[[LOCAL:.*]] = tile.combine %[[SHARE]] rows %[[LEFT]] : !tile.val<64x8xf32, partial<parts, blocks>> -> !tile.val<64x8xf32, partial<blocks>>
// CHECK: %[[SUM:.*]] = tile.combine %[[LOCAL]] over cluster rows %[[LEFT]] : !tile.val<64x8xf32, partial<blocks>> -> !tile.val<64x8xf32>
// CHECK: tile.cast %[[SUM]]
tile.kernel @blocks(%x: !tile.global<?x384xf16, read>, %w: !tile.global<384x64xf16, read>,
                    %y: !tile.global<?x64xf16, write>, %m: index)
    attributes {arg_names = ["x", "w", "y", "M"], warps = 2 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !tile.global<?x384xf16, read>
  %yb = tile.bind %y rows %m : !tile.global<?x64xf16, write>
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !tile.val<64x8xf32>
    %sum = scf.for %i = %c0 to %c6 step %c1 iter_args(%acc = %zero) -> (!tile.val<64x8xf32>) {
      %k = arith.muli %i, %c64 : index
      %weights = tile.load %w[%k, %in] : !tile.global<384x64xf16, read> -> !tile.val<64x64xf16>
      %acts = tile.load %xb[%im, %k] : !tile.global<?x384xf16, read> -> !tile.val<8x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !tile.val<64x8xf32>
      scf.yield %next : !tile.val<64x8xf32>
    }
    %h = tile.cast %sum : !tile.val<64x8xf32> -> !tile.val<64x8xf16>
    tile.store %h, %yb[%im, %in] transposed : !tile.val<64x8xf16>, !tile.global<?x64xf16, write>
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [2, 1], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = cluster, roles = uniform, blocks = 2>

// Blocks without parts, and shares that divide: no sum over warps, no choice.
// CHECK-LABEL: tile.kernel @blocks_only
// CHECK: tile.for_each_work (%{{.*}}, %{{.*}}, %[[BLOCK:.*]]) tile [8, 64] of [8, 64] blocks 2 {
// CHECK-NOT: arith.select
// CHECK: %[[SHARE:.*]] = scf.for %{{.*}} -> (!tile.val<64x8xf32, partial<blocks>>) {
// CHECK-NOT: tile.combine
// CHECK: tile.combine %[[SHARE]] over cluster rows %{{.*}} : !tile.val<64x8xf32, partial<blocks>> -> !tile.val<64x8xf32>
// CHECK-NOT: tile.combine
tile.kernel @blocks_only(%x: !tile.global<8x256xf16, read>, %w: !tile.global<256x64xf16, read>)
    attributes {arg_names = ["x", "w"], warps = 2 : i64, schedule = #schedule} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !tile.val<64x8xf32>
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (!tile.val<64x8xf32>) {
      %k = arith.muli %i, %c64 : index
      %weights = tile.load %w[%k, %in] : !tile.global<256x64xf16, read> -> !tile.val<64x64xf16>
      %acts = tile.load %x[%im, %k] : !tile.global<8x256xf16, read> -> !tile.val<8x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !tile.val<64x8xf32>
      scf.yield %next : !tile.val<64x8xf32>
    }
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 2], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = ticket, roles = uniform, blocks = 4>

// The same with tickets: two more arguments, for the shares of four blocks and the counters
// of three tiles; the last block stores.
// CHECK-LABEL: tile.kernel @tickets
// CHECK-SAME: %[[SHARES:[a-z0-9]+]]: !tile.global<20x256xf32, workspace>, %[[TICKETS:[a-z0-9]+]]: !tile.global<3x1xi32, workspace>)
// CHECK-SAME: arg_names = ["x", "w", "y", "M", "shares", "tickets"]
// CHECK: tile.for_each_work (%[[IM:.*]], %[[IN:.*]], %{{.*}}, %{{.*}}) tile [8, 64] of [%[[M:.*]], 64] parts 2 blocks 4 {
// CHECK: %[[LEFT:.*]] = arith.subi %[[M]], %[[IM]] : index
// CHECK: %[[LOCAL:.*]] = tile.combine %{{.*}} rows %[[LEFT]] : !tile.val<64x8xf32, partial<parts, blocks>> -> !tile.val<64x8xf32, partial<blocks>>
// CHECK: %[[SUM:.*]], %[[LAST:.*]] = tile.combine_by_ticket %[[LOCAL]], %[[SHARES]][%[[IM]], %[[IN]]], %[[TICKETS]] rows %[[LEFT]]
// CHECK: %[[H:.*]] = tile.cast %[[SUM]]
// CHECK: tile.store %[[H]], {{.*}} transposed if %[[LAST]] :
tile.kernel @tickets(%x: !tile.global<?x384xf16, read>, %w: !tile.global<384x64xf16, read>,
                    %y: !tile.global<?x64xf16, write>, %m: index)
    attributes {arg_names = ["x", "w", "y", "M"], max_m = 20 : i64, warps = 2 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !tile.global<?x384xf16, read>
  %yb = tile.bind %y rows %m : !tile.global<?x64xf16, write>
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !tile.val<64x8xf32>
    %sum = scf.for %i = %c0 to %c6 step %c1 iter_args(%acc = %zero) -> (!tile.val<64x8xf32>) {
      %k = arith.muli %i, %c64 : index
      %weights = tile.load %w[%k, %in] : !tile.global<384x64xf16, read> -> !tile.val<64x64xf16>
      %acts = tile.load %xb[%im, %k] : !tile.global<?x384xf16, read> -> !tile.val<8x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !tile.val<64x8xf32>
      scf.yield %next : !tile.val<64x8xf32>
    }
    %h = tile.cast %sum : !tile.val<64x8xf32> -> !tile.val<64x8xf16>
    tile.store %h, %yb[%im, %in] transposed : !tile.val<64x8xf16>, !tile.global<?x64xf16, write>
  }
}
