// RUN: wna16-opt %s --specialize-roles --split-input-file | FileCheck %s

#schedule = #wna16.schedule<tile = [64, 8, 16], warps = [4, 1], stages = 2, copy = bulk,
  math = mma, scales = weights, split = none, roles = producer_consumer>
!ring = !tile.ring<2, [<"w", !tile.val<16x64xf16>>, <"x", !tile.val<8x16xf16>>]>
!w = !tile.global<256x64xf16, read>
!x = !tile.global<?x256xf16, read>
!acc = !tile.val<64x8xf32>

// The ring and numbers that all warps know stay in front of the roles. The producer fills
// every step that exists; the consumer keeps the loop, and what follows it.
// CHECK-LABEL: tile.kernel @gemm
// CHECK-SAME: warps = 5 : i64
// CHECK: tile.for_each_work (%[[IM:.*]], %[[IN:.*]]) tile [8, 64] of [%{{.*}}, 64] {
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK: %[[R:.*]] = tile.ring : !ring
// CHECK-NOT: tile.acquire
// CHECK: tile.roles {
// CHECK-NEXT: tile.role "consumer" warps 4 {
// CHECK-NEXT: %[[ZERO:.*]] = tile.zero
// CHECK-NOT: tile.acquire
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %[[C0]] to %[[C16]] step %[[C1]] iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK-NOT: tile.fill
// CHECK: tile.wait %[[R]][%[[I]]] : !ring
// CHECK-NEXT: tile.read "w" of %[[R]][%[[I]]]
// CHECK-NEXT: tile.read "x" of %[[R]][%[[I]]]
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.release %[[R]][%[[I]]] : !ring
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: tile.cast %[[SUM]]
// CHECK-NEXT: tile.store
// CHECK-NEXT: }
// CHECK-NEXT: tile.role "producer" warps 1 single_thread {
// CHECK-NEXT: scf.for %[[J:.*]] = %[[C0]] to %[[C16]] step %[[C1]] {
// CHECK-NEXT: tile.acquire %[[R]][%[[J]]] : !ring
// CHECK-NEXT: %[[K:.*]] = arith.muli %[[J]], %[[C16]] : index
// CHECK-NEXT: tile.fill "w" of %[[R]][%[[J]]] = %{{.*}}[%[[K]], %[[IN]]] engine bulk : !ring
// CHECK-NEXT: tile.fill "x" of %[[R]][%[[J]]] = %{{.*}}[%[[IM]], %[[K]]] engine tensor : !ring
// CHECK-NEXT: tile.commit %[[R]][%[[J]]] : !ring
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: tile.return
tile.kernel @gemm(%xa: !x, %w: !w, %ya: !tile.global<?x64xf16, write>, %m: index)
    attributes {arg_names = ["x", "w", "y", "M"], warps = 4 : i64, schedule = #schedule} {
  %x = tile.bind %xa rows %m : !x
  %y = tile.bind %ya rows %m : !tile.global<?x64xf16, write>
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %zero = tile.zero : !acc
    %r = tile.ring : !ring
    %first = arith.cmpi slt, %c0, %c16 : index
    tile.acquire %r[%c0] : !ring
    tile.fill "w" of %r[%c0] = %w[%c0, %in] engine bulk if %first : !ring, !w
    tile.fill "x" of %r[%c0] = %x[%im, %c0] engine tensor if %first : !ring, !x
    tile.commit %r[%c0] : !ring
    %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%acc = %zero) -> (!acc) {
      %j = arith.addi %i, %c1 : index
      %inside = arith.cmpi slt, %j, %c16 : index
      tile.acquire %r[%j] : !ring
      %k = arith.muli %j, %c16 : index
      tile.fill "w" of %r[%j] = %w[%k, %in] engine bulk if %inside : !ring, !w
      tile.fill "x" of %r[%j] = %x[%im, %k] engine tensor if %inside : !ring, !x
      tile.commit %r[%j] : !ring
      tile.wait %r[%i] : !ring
      %wt = tile.read "w" of %r[%i] [0, 0] : !ring -> !tile.val<16x64xf16>
      %xt = tile.read "x" of %r[%i] [0, 0] : !ring -> !tile.val<8x16xf16>
      %next = tile.mma %wt, %xt, %acc : !tile.val<16x64xf16>, !tile.val<8x16xf16>, !acc
      tile.release %r[%i] : !ring
      scf.yield %next : !acc
    }
    %h = tile.cast %sum : !acc -> !tile.val<64x8xf16>
    tile.store %h, %y[%im, %in] transposed : !tile.val<64x8xf16>, !tile.global<?x64xf16, write>
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 16], warps = [2, 2], stages = 2, copy = bulk,
  math = mma, scales = weights, split = none, roles = producer_consumer>
!ring = !tile.ring<4, [<"s", !tile.val<1x64xf16>>]>
!s = !tile.global<8x64xf16, read>

// Parts of K become parts of the consumer, and the producer takes the steps of all parts in
// turn: it begins with part 0 and goes on by one. What needs the part number (the offset)
// is computed in each role.
// CHECK-LABEL: tile.kernel @parts
// CHECK-SAME: warps = 5 : i64
// CHECK: tile.for_each_work (%{{[^,]*}}, %[[IN:[^,]*]]) tile [8, 64] of [8, 64] {
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[STRIDE:.*]] = arith.muli %{{.*}}, %[[C2]] : index
// CHECK: %[[R:.*]] = tile.ring
// CHECK: tile.role "consumer" warps 4 parts 2 (%[[PART:.*]]) {
// CHECK: %[[MINE:.*]] = arith.muli %[[PART]], %{{.*}} : index
// CHECK: %[[BEGIN:.*]] = arith.addi %{{.*}}, %[[MINE]] : index
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[C8]] step %[[STRIDE]] {
// CHECK: tile.wait %[[R]][%[[I]]]
// CHECK: tile.role "producer" warps 1 single_thread {
// CHECK-NEXT: %[[NONE:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[ALL:.*]] = arith.muli %[[NONE]], %{{.*}} : index
// CHECK-NEXT: %[[FROM:.*]] = arith.addi %{{.*}}, %[[ALL]] : index
// CHECK-NEXT: %[[PARTS:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[BY:.*]] = arith.divui %[[STRIDE]], %[[PARTS]] : index
// CHECK-NEXT: scf.for %[[J:.*]] = %[[FROM]] to %[[C8]] step %[[BY]] {
// CHECK-NEXT: tile.acquire %[[R]][%[[J]]]
// CHECK-NEXT: %[[K:.*]] = arith.muli %[[J]], %{{.*}} : index
// CHECK-NEXT: tile.fill_scales "s" of %[[R]][%[[J]]] = %{{.*}}[k = %[[K]], n = %[[IN]]] engine bulk {group = 16 : i64} :
// CHECK-NEXT: tile.commit %[[R]][%[[J]]]
tile.kernel @parts(%s: !s) attributes {arg_names = ["s"], warps = 4 : i64, schedule = #schedule} {
  tile.for_each_work (%im, %in, %part) tile [8, 64] of [8, 64] parts 2 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %mine = arith.muli %part, %c1 : index
    %begin = arith.addi %c0, %mine : index
    %stride = arith.muli %c1, %c2 : index
    %r = tile.ring : !ring
    scf.for %i = %begin to %c8 step %stride {
      %j = arith.addi %i, %stride : index
      %inside = arith.cmpi slt, %j, %c8 : index
      tile.acquire %r[%j] : !ring
      %k = arith.muli %j, %c16 : index
      tile.fill_scales "s" of %r[%j] = %s[k = %k, n = %in] engine bulk if %inside {group = 16 : i64} : !ring, !s
      tile.commit %r[%j] : !ring
      tile.wait %r[%i] : !ring
      tile.release %r[%i] : !ring
    }
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 16], warps = [1, 2], stages = 2, copy = bulk,
  math = mma, scales = weights, split = cluster, roles = producer_consumer, blocks = 2>
!ring = !tile.ring<4, [<"w", !tile.val<16x64xf16>>]>
!w = !tile.global<256x64xf16, read>

// Blocks that share K stay with the work: each has both roles, and its number is the same
// for all of its warps.
// CHECK-LABEL: tile.kernel @blocks
// CHECK-SAME: warps = 3 : i64
// CHECK: tile.for_each_work (%{{[^,]*}}, %[[IN:[^,]*]], %[[BLOCK:[^,]*]]) tile [8, 64] of [8, 64] blocks 2 {
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %{{.*}} : index
// CHECK: tile.ring
// CHECK-NEXT: tile.roles {
// CHECK-NEXT: tile.role "consumer" warps 2 parts 2 (%[[PART:.*]]) {
// CHECK-NEXT: scf.for %{{.*}} = %[[PART]] to
// CHECK: tile.role "producer" warps 1 single_thread {
// CHECK: scf.for %[[J:.*]] = %{{.*}} to
// CHECK: %[[STEP:.*]] = arith.addi %[[FIRST]], %[[J]] : index
// CHECK-NEXT: %[[K:.*]] = arith.muli %[[STEP]], %{{.*}} : index
// CHECK-NEXT: tile.fill "w" of %{{.*}}[%[[J]]] = %{{.*}}[%[[K]], %[[IN]]] engine bulk :
tile.kernel @blocks(%w: !w) attributes {arg_names = ["w"], warps = 2 : i64, schedule = #schedule} {
  tile.for_each_work (%im, %in, %part, %block) tile [8, 64] of [8, 64] parts 2 blocks 2 {
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %first = arith.muli %block, %c8 : index
    %r = tile.ring : !ring
    scf.for %i = %part to %c8 step %c2 {
      %j = arith.addi %i, %c2 : index
      %inside = arith.cmpi slt, %j, %c8 : index
      tile.acquire %r[%j] : !ring
      %step = arith.addi %first, %j : index
      %k = arith.muli %step, %c16 : index
      tile.fill "w" of %r[%j] = %w[%k, %in] engine bulk if %inside : !ring, !w
      tile.commit %r[%j] : !ring
      tile.wait %r[%i] : !ring
      tile.release %r[%i] : !ring
    }
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 16], warps = [4, 1], stages = 2, copy = tensor,
  math = wgmma, scales = weights, split = none, roles = producer_consumer>
!ring = !tile.ring<2, [<"x", !tile.val<8x64xf16>, #tile.swizzle<128>>]>
!x = !tile.global<8x256xf16, read>
!acc = !tile.val<64x8xf32>

// Beside warpgroups the producer is a group of four warps, which can share out registers.
// CHECK-LABEL: tile.kernel @warpgroups
// CHECK-SAME: warps = 8 : i64
// CHECK: tile.role "consumer" warps 4 {
// CHECK: tile.role "producer" warps 4 single_thread {
tile.kernel @warpgroups(%x: !x) attributes {arg_names = ["x"], warps = 4 : i64, schedule = #schedule} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %wt = tile.zero : !tile.val<64x64xf16>
    %r = tile.ring : !ring
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (!acc) {
      %k = arith.muli %i, %c64 : index
      tile.acquire %r[%i] : !ring
      tile.fill "x" of %r[%i] = %x[%c0, %k] engine tensor : !ring, !x
      tile.commit %r[%i] : !ring
      tile.wait %r[%i] : !ring
      %p = tile.mma_async %wt, "x" of %r[%i] [0, 0], %acc : !tile.val<64x64xf16>, !ring, !acc
      %next = tile.mma_wait %p {pending = 0 : i64} : !acc
      tile.release %r[%i] : !ring
      scf.yield %next : !acc
    }
  }
}

// -----

#uniform = #wna16.schedule<tile = [64, 8, 16], warps = [1, 1], stages = 2, copy = cp_async,
  math = mma, scales = weights, split = none, roles = uniform>
#roles = #wna16.schedule<tile = [64, 8, 16], warps = [1, 1], stages = 2, copy = bulk,
  math = mma, scales = weights, split = none, roles = producer_consumer>
!ring = !tile.ring<2, [<"w", !tile.val<16x64xf16>>]>

// What is left alone: uniform warps; no schedule; no ring; work that has roles.
// CHECK-LABEL: tile.kernel @uniform
// CHECK-SAME: warps = 1 : i64
// CHECK-NOT: tile.role
// CHECK: tile.kernel @no_schedule
// CHECK-NOT: tile.role
// CHECK: tile.kernel @no_ring
// CHECK-SAME: warps = 1 : i64
// CHECK-NOT: tile.role
tile.kernel @uniform() attributes {arg_names = [], warps = 1 : i64, schedule = #uniform} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = tile.ring : !ring
    scf.for %i = %c0 to %c1 step %c1 {
      tile.acquire %r[%i] : !ring
      tile.commit %r[%i] : !ring
      tile.wait %r[%i] : !ring
      tile.release %r[%i] : !ring
    }
  }
}
tile.kernel @no_schedule() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = tile.ring : !ring
    scf.for %i = %c0 to %c1 step %c1 {
      tile.acquire %r[%i] : !ring
      tile.commit %r[%i] : !ring
      tile.wait %r[%i] : !ring
      tile.release %r[%i] : !ring
    }
  }
}
tile.kernel @no_ring() attributes {arg_names = [], warps = 1 : i64, schedule = #roles} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %c1 step %c1 {
    }
  }
}
// CHECK-LABEL: tile.kernel @has_roles
// CHECK-SAME: warps = 2 : i64
// CHECK: tile.for_each_work
// CHECK-COUNT-1: tile.roles
// CHECK-NEXT: tile.role "mine" warps 1 {
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.wait
// CHECK: tile.role "other" warps 1 single_thread {
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.acquire
// CHECK-NOT: tile.role
tile.kernel @has_roles() attributes {arg_names = [], warps = 2 : i64, schedule = #roles} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = tile.ring : !ring
    tile.roles {
      tile.role "mine" warps 1 {
        scf.for %i = %c0 to %c1 step %c1 {
          tile.wait %r[%i] : !ring
          tile.release %r[%i] : !ring
        }
      }
      tile.role "other" warps 1 single_thread {
        scf.for %i = %c0 to %c1 step %c1 {
          tile.acquire %r[%i] : !ring
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}
