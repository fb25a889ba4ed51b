// RUN: wna16-opt %s --convert-tile-to-nvvm=target=sm_80 | FileCheck %s

#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0]] : [16, 8]>

// The grid has the blocks that share a tile along z, and no cluster. A block writes its
// share at its own columns, where rows exist, and its threads meet. One thread takes a
// ticket; all learn whether it was the last. Then, and only then, the shares are added in
// the order of the blocks and stored.
// CHECK: llvm.func @two_blocks(
// CHECK-NOT: nvvm.cluster_dim
// CHECK-SAME: \22access\22: \22read_write\22
// CHECK-SAME: \22workspace\22: true
// CHECK-SAME: \22initial\22: \22zero\22
// CHECK-SAME: \22cluster\22: [1,1,1]
// CHECK-SAME: \22workspace_bytes\22: 6176
// CHECK: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.z : i32
// CHECK: %[[DISTANCE:.*]] = llvm.mlir.constant(256 : i32) : i32
// CHECK: llvm.mul %[[BLOCK]], %[[DISTANCE]]
// CHECK: "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};"
// CHECK-NOT: st.global
// CHECK: nvvm.barrier
// CHECK: %[[TICKET:.*]] = llvm.inline_asm has_side_effects {{.*}}"@$1 atom.acq_rel.gpu.global.inc.u32 $0, [$2], $3;"
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK: %[[MINE:.*]] = llvm.icmp "eq" %[[TICKET]], %[[ONE]]
// CHECK: %[[ID:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK: %[[THREADS:.*]] = llvm.mlir.constant(64 : i32) : i32
// CHECK: %[[LAST:.*]] = llvm.inline_asm has_side_effects "bar.red.or.pred $0, $1, $2, $3;", {{.*}} %[[ID]], %[[THREADS]], %[[MINE]]
// CHECK: scf.if %[[LAST]]
// CHECK-COUNT-2: "@$4 ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-4: llvm.fadd
// CHECK-NOT: llvm.fadd
// CHECK: } else {
// CHECK: llvm.and %{{.*}}, %[[LAST]]
// CHECK: "@$0 st.global.v4.b32
tile.kernel @two_blocks(%y: !tile.global<?x64xf32, write>, %m: index,
                        %shares: !tile.global<12x128xf32, workspace>,
                        %tickets: !tile.global<2x4xi32, workspace>)
    attributes {arg_names = ["y", "M", "shares", "tickets"], max_m = 12 : i64, warps = 2 : i64,
                shared_bytes = 0 : i64} {
  %yb = tile.bind %y rows %m : !tile.global<?x64xf32, write>
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [%m, 64] blocks 2 {
    %share = tile.zero : !tile.val<16x8xf32, #rows, partial<blocks>>
    %left = arith.subi %m, %im : index
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %left
        : !tile.val<16x8xf32, #rows, partial<blocks>>, !tile.global<12x128xf32, workspace>, !tile.global<2x4xi32, workspace>
        -> !tile.val<16x8xf32, #rows>
    tile.store %sum, %yb[%im, %in] transposed if %last : !tile.val<16x8xf32, #rows>, !tile.global<?x64xf32, write>
  }
}
