// RUN: wna16-opt %s --flatten-work --split-input-file | FileCheck %s

#schedule = #wna16.schedule<tile = [64, 8, 16], warps = [4, 1], stages = 2, copy = bulk,
  math = mma, scales = weights, split = none, roles = producer_consumer, persistent = 3>
!ring = !tile.ring<2, [<"x", !tile.val<8x16xf16>>]>
!x = !tile.global<?x256xf16, read>
!y = !tile.global<?x128xf16, write>

// The ring stays outside of the loop over tiles, and its steps are counted on; coordinates,
// and numbers that the roles shared, are computed in each. K is counted from 0 in each tile.
// CHECK-LABEL: tile.kernel @stream
// CHECK: tile.for_each_work () tile [8, 64] of [%{{.*}}, 128] persistent 3 {
// CHECK-NEXT: %[[R:.*]] = tile.ring : !ring
// CHECK-NEXT: tile.roles {
// CHECK-NEXT: tile.role "consumer" warps 4 {
// CHECK-NEXT: tile.for_each_tile (%[[IM:.*]], %[[IN:.*]], %[[FIRST:.*]]) steps 16 {
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK: scf.for %[[I:.*]] = %[[C0]] to %[[C16]] step %[[C1]]
// CHECK-NEXT: %[[WAIT:.*]] = arith.addi %[[FIRST]], %[[I]]
// CHECK-NEXT: tile.wait %[[R]][%[[WAIT]]]
// CHECK-NEXT: %[[READ:.*]] = arith.addi %[[FIRST]], %[[I]]
// CHECK-NEXT: tile.read "x" of %[[R]][%[[READ]]] [0, 0]
// CHECK-NEXT: %[[RELEASE:.*]] = arith.addi %[[FIRST]], %[[I]]
// CHECK-NEXT: tile.release %[[R]][%[[RELEASE]]]
// CHECK: tile.store %{{.*}}, %{{.*}}[%[[IM]], %[[IN]]]
// CHECK-NOT: tile.work_end
// CHECK: tile.role "producer" warps 1 single_thread {
// CHECK-NEXT: tile.for_each_tile (%[[IM:.*]], %[[IN:.*]], %[[FIRST:.*]]) steps 16 {
// CHECK: scf.for %[[J:.*]] =
// CHECK: tile.acquire
// CHECK-NEXT: %[[K:.*]] = arith.muli %[[J]], %{{.*}}
// CHECK-NEXT: %[[FILL:.*]] = arith.addi %[[FIRST]], %[[J]]
// CHECK-NEXT: tile.fill "x" of %[[R]][%[[FILL]]] = %{{.*}}[%[[IM]], %[[K]]] engine tensor
// CHECK: tile.commit
tile.kernel @stream(%xa: !x, %ya: !y, %m: index)
    attributes {arg_names = ["x", "y", "M"], warps = 5 : i64, schedule = #schedule} {
  %x = tile.bind %xa rows %m : !x
  %y = tile.bind %ya rows %m : !y
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 128] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %r = tile.ring : !ring
    tile.roles {
      tile.role "consumer" warps 4 {
        scf.for %i = %c0 to %c16 step %c1 {
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !tile.val<8x16xf16>
          tile.release %r[%i] : !ring
        }
        %z = tile.zero : !tile.val<64x8xf32>
        %c = tile.cast %z : !tile.val<64x8xf32> -> !tile.val<64x8xf16>
        tile.store %c, %y[%im, %in] transposed : !tile.val<64x8xf16>, !y
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c16 step %c1 {
          tile.acquire %r[%i] : !ring
          %k = arith.muli %i, %c16 : index
          tile.fill "x" of %r[%i] = %x[%im, %k] engine tensor : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
  tile.return
}

// -----

// A block for each tile: nothing to do.
// CHECK-LABEL: tile.kernel @no_schedule
// CHECK: tile.for_each_work (%{{.*}}, %{{.*}}) tile [8, 64]
// CHECK-NOT: for_each_tile
tile.kernel @no_schedule(%m: index) attributes {arg_names = ["M"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 128] {
  }
  tile.return
}
