// RUN: wna16-opt %s --convert-tile-to-nvvm --split-input-file | FileCheck %s

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!x = !tile.global<?x64xf16, read>
!y = !tile.global<?x64xf16, write>
!table = !tile.global<?x4xi32, read>
!slots = !tile.global<?x1xi32, read>

// Ids are loaded once, with the tag that verify-kernel-order knows, before the loop; in it
// there are loads of rows only. Without positions nothing is done. In the launch record the
// tables say what their numbers are.
// CHECK: llvm.func @copy_rows
// CHECK-SAME: \22ids\22: \22expert\22
// CHECK-SAME: \22ids\22: \22row\22
// CHECK: wna16.row_ids} "ld.global.nc.v4.b32
// CHECK: scf.if
// CHECK: wna16.row_ids} {{.*}}ld.global.nc.b32
// CHECK: llvm.udiv
// CHECK: scf.for
// CHECK-NOT: wna16.row_ids
// CHECK: ld.global.nc.v4.b32
// A store looks its rows up where it stands.
// CHECK: }
// CHECK: wna16.row_ids} {{.*}}ld.global.nc.b32
// CHECK: st.global
tile.kernel @copy_rows(%x: !x, %segments: !table, %slots: !slots, %y: !y, %m: index, %s: index, %t: index)
    attributes {arg_names = ["x", "segments", "slots", "y", "M", "S", "T"], warps = 1 : i64, shared_bytes = 0 : i64, max_m = 20 : i64} {
  %xb = tile.bind %x rows %t : !x
  %yb = tile.bind %y rows %m : !y
  %table = tile.bind %segments rows %s : !table
  %map = tile.bind %slots rows %m : !slots
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 4 : i64} : !table
    %xs = tile.rows %xb from %first count %count map %map by 2 : !x, !slots
    %ys = tile.rows %yb from %first count %count map %map by 1 : !y, !slots
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = tile.zero : !tile.val<4x64xf16, #rows>
    %v = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %z) -> !tile.val<4x64xf16, #rows> {
      %next = tile.load %xs[%c0, %in] : !x -> !tile.val<4x64xf16, #rows>
      scf.yield %next : !tile.val<4x64xf16, #rows>
    }
    tile.store %v, %ys[%c0, %in] : !tile.val<4x64xf16, #rows>, !y
  }
}
