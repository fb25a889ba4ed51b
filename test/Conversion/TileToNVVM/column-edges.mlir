// RUN: wna16-opt %s --convert-tile-to-nvvm --split-input-file | FileCheck %s

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<?x130xf16, read>
!y = !tile.global<?x44xf16, write>

// A copy reads what there is of its 16 bytes, none at all beyond the last column, and fills
// the rest with zeros. A store is as wide as divides a row, and looks at the column.
// CHECK: llvm.func @tails
// CHECK: %[[COLUMNS:.*]] = llvm.mlir.constant(130 : i32)
// CHECK: %[[LEFT:.*]] = llvm.sub %[[COLUMNS]], %{{.*}} : i32
// CHECK: %[[INSIDE:.*]] = llvm.icmp "sgt"
// CHECK: %[[FIRST:.*]] = llvm.sub %[[LEFT]],
// CHECK: %[[LEAST:.*]] = llvm.intr.smax(%[[FIRST]],
// CHECK: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i32)
// CHECK: %[[MOST:.*]] = llvm.intr.smin(%[[LEAST]], %[[EIGHT]])
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[BYTES:.*]] = llvm.mul %[[MOST]], %[[TWO]]
// CHECK: llvm.inline_asm has_side_effects "@$2 cp.async.{{.*}}16, $3;", {{.*}} %[[INSIDE]], %[[BYTES]] :
// CHECK-NOT: cp.async{{.*}}has_side_effects
// CHECK: llvm.mlir.constant(44 : i32)
// CHECK-COUNT-2: llvm.inline_asm has_side_effects "@$0 st.global.v2.b32
// CHECK-NOT: st.global
// CHECK: llvm.return
tile.kernel @tails(%x: !x, %y: !y, %m: index, %ldx: index)
    attributes {arg_names = ["x", "y", "M", "ldx"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  %xb = tile.bind %x rows %m stride %ldx : !x
  %yb = tile.bind %y rows %m : !y
  tile.for_each_work (%im, %in) tile [4, 64] of [%m, 192] {
    %i = arith.constant 1 : index
    %ring = tile.ring {offset = 0 : i64} : !ring
    tile.acquire %ring[%i] : !ring
    tile.fill "x" of %ring[%i] = %xb[%im, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%i] : !ring
    tile.wait %ring[%i] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v = tile.read "x" of %ring[%i] [0, 0] : !ring -> !tile.val<4x64xf16, #rows>
    tile.release %ring[%i] {scope = #tile.scope<lane>} : !ring
    tile.store %v, %yb[%im, %in] : !tile.val<4x64xf16, #rows>, !y
  }
}

// -----

#row = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], warp = [] : [1, 64]>
!b = !tile.global<1x41xf16, read>
!y = !tile.global<1x41xf32, write>

// Rows of an odd number of columns: one element at a time.
// CHECK: llvm.func @odd
// CHECK: %[[COLUMNS:.*]] = llvm.mlir.constant(41 : i32)
// CHECK: %[[LEFT:.*]] = llvm.sub %[[COLUMNS]],
// CHECK: %[[SEVEN:.*]] = llvm.mlir.constant(7 : i32)
// CHECK: %[[THERE:.*]] = llvm.icmp "sgt" %[[LEFT]], %[[SEVEN]]
// CHECK: "@$1 ld.global.nc.b16 {{.*}} %[[THERE]],
// CHECK-NOT: ld.global
// CHECK: st.global
tile.kernel @odd(%b: !b, %y: !tile.global<1x41xf16, write>)
    attributes {arg_names = ["b", "y"], warps = 1 : i64, shared_bytes = 0 : i64} {
  tile.for_each_work (%im, %in) tile [1, 64] of [1, 64] {
    %v = tile.load %b[%im, %in] : !b -> !tile.val<1x64xf16, #row>
    tile.store %v, %y[%im, %in] : !tile.val<1x64xf16, #row>, !tile.global<1x41xf16, write>
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>

// Whole tiles of columns: the work goes beyond those of y1, and not beyond those of y2.
// CHECK: llvm.func @whole_tiles
// CHECK: "@$0 st.global.v4.b32
// CHECK: "st.global.v4.b32
// CHECK: llvm.return
tile.kernel @whole_tiles(%y1: !tile.global<8x64xf16, write>, %y2: !tile.global<8x128xf16, write>)
    attributes {arg_names = ["y1", "y2"], warps = 1 : i64, shared_bytes = 0 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 128] {
    %zero = tile.zero : !tile.val<4x64xf16, #rows>
    tile.store %zero, %y1[%im, %in] : !tile.val<4x64xf16, #rows>, !tile.global<8x64xf16, write>
    tile.store %zero, %y2[%im, %in] : !tile.val<4x64xf16, #rows>, !tile.global<8x128xf16, write>
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4], [2, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [4, 0]], warp = [] : [8, 64]>
!x = !tile.global<?x64xf16, read>
!y = !tile.global<?x4194240xf32, write>

// Rows and columns are counted in 32 bits, bytes in 64: M = 2^20 rows of 2^22 columns.
// CHECK: llvm.func @far(%[[X:.*]]: !llvm.ptr<1>, %[[Y:.*]]: !llvm.ptr<1>, %{{.*}}: i32, %[[LDX:.*]]: i32)
// CHECK: %[[LDXINDEX:.*]] = arith.index_cast %[[LDX]] : i32 to index
// CHECK: %[[STRIDE:.*]] = arith.index_cast %[[LDXINDEX]] : index to i32
// CHECK: %[[WIDE:.*]] = llvm.sext %[[STRIDE]] : i32 to i64
// CHECK: %[[ROWBYTES:.*]] = llvm.mul %[[WIDE]],
// CHECK: llvm.mul %{{.*}}, %[[ROWBYTES]] : i64
// CHECK: llvm.getelementptr %[[X]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: %[[YROW:.*]] = llvm.mlir.constant(16776960 : i64)
// CHECK: llvm.mul %{{.*}}, %[[YROW]] : i64
// CHECK: llvm.getelementptr %[[Y]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: llvm.return
tile.kernel @far(%x: !x, %y: !y, %m: index, %ldx: index)
    attributes {arg_names = ["x", "y", "M", "ldx"], warps = 1 : i64, shared_bytes = 0 : i64, max_m = 1048576 : i64} {
  %xb = tile.bind %x rows %m stride %ldx : !x
  %yb = tile.bind %y rows %m : !y
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 4194240] {
    %c0 = arith.constant 0 : index
    %v = tile.load %xb[%im, %c0] : !x -> !tile.val<8x64xf16, #rows>
    %zero = tile.zero : !tile.val<8x64xf32, #rows>
    tile.store %zero, %yb[%im, %in] : !tile.val<8x64xf32, #rows>, !y
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [128, 0]] : [256, 4]>
!y = !tile.global<?x4194240xf32, write>

// The 256 rows of a tile span more than 2^31 bytes.
// CHECK: llvm.func @far_rows_of_a_tile
// CHECK: %[[YROW:.*]] = llvm.mlir.constant(16776960 : i64)
// CHECK: llvm.and
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(16776960 : i64)
// CHECK: llvm.mul %{{.*}}, %[[BYTES]] : i64
// CHECK-NOT: llvm.mlir.constant(16776960 : i32)
// CHECK: llvm.return
tile.kernel @far_rows_of_a_tile(%y: !y, %m: index)
    attributes {arg_names = ["y", "M"], warps = 8 : i64, shared_bytes = 0 : i64, max_m = 1048576 : i64} {
  %yb = tile.bind %y rows %m : !y
  tile.for_each_work (%im, %in) tile [256, 4] of [%m, 4194240] {
    %zero = tile.zero : !tile.val<256x4xf32, #rows>
    tile.store %zero, %yb[%im, %in] : !tile.val<256x4xf32, #rows>, !y
  }
}
