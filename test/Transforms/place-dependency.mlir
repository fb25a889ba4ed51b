// RUN: wna16-opt %s --place-dependency --split-input-file | FileCheck %s

#copy_w = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#copy_x = #tile.linear<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
#schedule = #wna16.schedule<tile = [64, 8, 16], warps = [1, 1], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform, dependent>
!codes = !wna16.code<4, offset = 8>
!xg = !tile.global<8x64xf16, read>
!wg = !tile.global<64x64x!codes, read, #wna16.layout<marlin>>
!sg = !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>>
!s = !tile.val<1x64xf16, #scales>
!ring = !tile.ring<3, [<"x", !tile.val<8x16xf16>>, <"w", !tile.val<16x64x!codes>, #wna16.layout<marlin>>]>

// Weights of the first step and the scales come before the wait, activations and all
// other steps after it.
// CHECK-LABEL: tile.kernel @prologue
// CHECK: tile.acquire %[[R:.*]][%[[C0:.*]]]
// CHECK-NEXT: tile.fill "w" of %[[R]][%[[C0]]]
// CHECK: arith.addi
// CHECK-NEXT: tile.load_scales
// CHECK-NEXT: tile.dependency_wait
// CHECK-NEXT: tile.dependency_launch
// CHECK-NEXT: tile.fill "x" of %[[R]][%[[C0]]]
// CHECK-NEXT: tile.commit %[[R]][%[[C0]]]
// CHECK: tile.acquire %[[R]][%[[C1:.*]]]
// CHECK: tile.fill "x" of %[[R]][%[[C1]]]
// CHECK: tile.fill "w" of %[[R]][%[[C1]]]
// CHECK: tile.commit
// CHECK: scf.for
// CHECK-NOT: tile.dependency
tile.kernel @prologue(%x: !xg, %w: !wg, %s: !sg)
    attributes {arg_names = ["x", "w", "s"], warps = 1 : i64, schedule = #schedule} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %r = tile.ring : !ring
    tile.acquire %r[%c0] : !ring
    tile.fill "x" of %r[%c0] = %x[%im, %c0] threads(#copy_x) : !ring, !xg
    tile.fill "w" of %r[%c0] = %w[%c0, %in] threads(#copy_w) : !ring, !wg
    tile.commit %r[%c0] : !ring
    tile.acquire %r[%c1] : !ring
    tile.fill "x" of %r[%c1] = %x[%im, %c16] threads(#copy_x) : !ring, !xg
    tile.fill "w" of %r[%c1] = %w[%c16, %in] threads(#copy_w) : !ring, !wg
    tile.commit %r[%c1] : !ring
    %k = arith.addi %c0, %c0 : index
    %first = tile.load_scales %s[k = %k, n = %in] {group = 64 : i64} : !sg -> !s
    %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%carried = %first) -> (!s) {
      %next = tile.load_scales %s[k = %i, n = %in] {group = 64 : i64} : !sg -> !s
      scf.yield %next : !s
    }
  }
}

// Without the word in the schedule, nothing.
// CHECK-LABEL: tile.kernel @not_asked
// CHECK-NOT: tile.dependency
// CHECK: tile.return
tile.kernel @not_asked(%x: !xg) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %v = tile.load %x[%im, %c0] : !xg -> !tile.val<8x16xf16, #copy_x>
  }
}

// Without a ring: before the first load, or the loop around it.
// CHECK-LABEL: tile.kernel @plain_loads
// CHECK: tile.load_scales
// CHECK-NEXT: tile.dependency_wait
// CHECK-NEXT: tile.dependency_launch
// CHECK-NEXT: scf.for
tile.kernel @plain_loads(%x: !xg, %s: !sg)
    attributes {arg_names = ["x", "s"], warps = 1 : i64, schedule = #schedule} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %st = tile.load_scales %s[k = %c0, n = %in] {group = 64 : i64} : !sg -> !s
    scf.for %i = %c0 to %c4 step %c1 {
      %v = tile.load %x[%im, %c0] : !xg -> !tile.val<8x16xf16, #copy_x>
    }
  }
}
