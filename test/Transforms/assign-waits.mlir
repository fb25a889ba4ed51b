// RUN: wna16-opt %s --assign-waits --split-input-file | FileCheck %s

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<3, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<64x64xf16, read>

// Two commits come after the one that is waited for. Every lane reads what it copied
// itself: nobody else has to be waited for.
// CHECK: tile.kernel @copy
// CHECK: tile.wait {{.*}} {pending = 2 : i64, scope = #tile.scope<lane>}
// CHECK: tile.release {{.*}} {scope = #tile.scope<lane>}
tile.kernel @copy(%x: !x, %y: !tile.global<64x64xf16, write>)
    attributes {arg_names = ["x", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [64, 64] of [64, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.acquire %ring[%c1] : !ring
    tile.fill "x" of %ring[%c1] = %x[%c4, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c1] : !ring
    scf.for %i = %c0 to %c16 step %c1 {
      %ahead = arith.addi %i, %c2 : index
      %inside = arith.cmpi slt, %ahead, %c16 : index
      %next = arith.muli %ahead, %c4 : index
      tile.acquire %ring[%ahead] : !ring
      tile.fill "x" of %ring[%ahead] = %x[%next, %in] threads(#rows) if %inside : !ring, !x
      tile.commit %ring[%ahead] : !ring
      tile.wait %ring[%i] : !ring
      %v = tile.read "x" of %ring[%i] [0, 0] : !ring -> !tile.val<4x64xf16, #rows>
      tile.release %ring[%i] : !ring
      %row = arith.muli %i, %c4 : index
      tile.store %v, %y[%row, %in] : !tile.val<4x64xf16, #rows>, !tile.global<64x64xf16, write>
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0]] : [8, 64]>
#lanes = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [0, 8], [0, 16], [0, 32]], warp = [[4, 0]] : [8, 64]>
#warps = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [4, 0], [1, 0], [2, 0]], warp = [[0, 32]] : [8, 64]>
#upper = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[0, 0]] : [4, 64]>
#copies = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]] : [8, 32]>
!ring = !tile.ring<1, [<"x", !tile.val<8x64xf16>>]>
!half = !tile.ring<1, [<"x", !tile.val<8x32xf16>>]>
!x = !tile.global<8x64xf16, read>

// Lanes of a warp read each other's copies.
// CHECK: tile.kernel @warp_scope
// CHECK: tile.wait {{.*}} {pending = 0 : i64, scope = #tile.scope<warp>}
// CHECK: tile.release {{.*}} {scope = #tile.scope<warp>}
tile.kernel @warp_scope(%x: !x) attributes {arg_names = ["x"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.wait %ring[%c0] : !ring
    %v = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !tile.val<8x64xf16, #lanes>
    tile.release %ring[%c0] : !ring
  }
}

// Warps read each other's copies: all of the block, or of the part that works together.
// CHECK: tile.kernel @block_scope
// CHECK: tile.wait {{.*}} scope = #tile.scope<block>}
// CHECK: tile.release {{.*}} {scope = #tile.scope<block>}
tile.kernel @block_scope(%x: !x) attributes {arg_names = ["x"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.wait %ring[%c0] : !ring
    %v = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !tile.val<8x64xf16, #warps>
    tile.release %ring[%c0] : !ring
  }
}
// CHECK: tile.kernel @part_scope
// CHECK: tile.wait {{.*}} scope = #tile.scope<part>}
// CHECK: tile.release {{.*}} {scope = #tile.scope<part>}
tile.kernel @part_scope(%x: !x) attributes {arg_names = ["x"], warps = 4 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 64] of [8, 64] parts 2 {
    %c0 = arith.constant 0 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%part] : !ring
    tile.fill "x" of %ring[%part] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%part] : !ring
    tile.wait %ring[%part] : !ring
    %v = tile.read "x" of %ring[%part] [0, 0] : !ring -> !tile.val<8x64xf16, #warps>
    tile.release %ring[%part] : !ring
  }
}

// The other half of a field, which the other warp copied.
// CHECK: tile.kernel @sliced_read
// CHECK: tile.wait {{.*}} scope = #tile.scope<block>}
tile.kernel @sliced_read(%x: !x) attributes {arg_names = ["x"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.wait %ring[%c0] : !ring
    %v = tile.read "x" of %ring[%c0] [4, 0] : !ring -> !tile.val<4x64xf16, #upper>
    tile.release %ring[%c0] : !ring
  }
}

// Where several threads hold a copy of what a lane reads, one of them copied it.
// CHECK: tile.kernel @copies_in_warps
// CHECK: tile.wait {{.*}} scope = #tile.scope<block>}
tile.kernel @copies_in_warps(%x: !x) attributes {arg_names = ["x"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [8, 32] of [8, 64] {
    %c0 = arith.constant 0 : index
    %ring = tile.ring : !half
    tile.acquire %ring[%c0] : !half
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#copies) : !half, !x
    tile.commit %ring[%c0] : !half
    tile.wait %ring[%c0] : !half
    %v = tile.read "x" of %ring[%c0] [0, 0] : !half -> !tile.val<8x32xf16, #copies>
    tile.release %ring[%c0] : !half
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<4, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>

// Several waits: each counts for itself, over all rings; a wait that runs again with
// fewer commits after its own takes the smallest count.
// CHECK: tile.kernel @several_waits
// CHECK: tile.wait {{.*}} {pending = 3 : i64,
// CHECK: tile.wait {{.*}} {pending = 1 : i64,
// CHECK: tile.wait {{.*}} {pending = 0 : i64,
tile.kernel @several_waits(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %first = tile.ring : !ring
    %second = tile.ring : !ring
    tile.acquire %first[%c0] : !ring
    tile.commit %first[%c0] : !ring
    tile.acquire %first[%c1] : !ring
    tile.commit %first[%c1] : !ring
    tile.acquire %second[%c0] : !ring
    tile.commit %second[%c0] : !ring
    tile.acquire %first[%c2] : !ring
    tile.commit %first[%c2] : !ring
    tile.wait %first[%c0] : !ring
    tile.wait %second[%c0] : !ring
    scf.for %i = %c1 to %c3 step %c1 {
      tile.wait %first[%i] : !ring
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>

// A barrier knows its step and who meets there: nothing to count for the ring of both
// roles. Of the ring that the consumer fills itself, commits and waits of others do not
// count.
// CHECK: tile.kernel @barriers
// CHECK: tile.wait %[[SHARED:.*]][%{{.*}}] : !ring
// CHECK: tile.wait %[[OWN:.*]][%{{.*}}] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
// CHECK: tile.release %[[OWN]][%{{.*}}] {scope = #tile.scope<lane>} : !ring
// CHECK: tile.release %[[SHARED]][%{{.*}}] : !ring
tile.kernel @barriers(%x: !x) attributes {arg_names = ["x"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring : !ring
    %own = tile.ring : !ring
    tile.roles {
      tile.role "consumer" warps 1 {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %own[%i] : !ring
          tile.fill "x" of %own[%i] = %x[%k, %in] threads(#rows) : !ring, !x
          tile.commit %own[%i] : !ring
          tile.wait %r[%i] : !ring
          tile.wait %own[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !tile.val<4x64xf16, #rows>
          %u = tile.read "x" of %own[%i] [0, 0] : !ring -> !tile.val<4x64xf16, #rows>
          tile.release %own[%i] : !ring
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<1, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<4x64xf16, read>

// Peeling leaves a loop that never runs where K is one step: its wait is for everything.
// CHECK: tile.kernel @never_runs
// CHECK: scf.for
// CHECK: tile.wait {{.*}} {pending = 0 : i64, scope = #tile.scope<lane>}
tile.kernel @never_runs(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = tile.ring : !ring
    scf.for %i = %c0 to %c0 step %c1 {
      tile.acquire %ring[%i] : !ring
      tile.fill "x" of %ring[%i] = %x[%c0, %in] threads(#rows) : !ring, !x
      tile.commit %ring[%i] : !ring
      tile.wait %ring[%i] : !ring
      %v = tile.read "x" of %ring[%i] [0, 0] : !ring -> !tile.val<4x64xf16, #rows>
      tile.release %ring[%i] : !ring
    }
  }
}
