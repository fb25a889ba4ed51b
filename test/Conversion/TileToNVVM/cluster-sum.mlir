// RUN: wna16-opt %s --convert-tile-to-nvvm=target=sm_90a | FileCheck %s

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]] : [16, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0]] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 0]], block = [[0, 4]] : [16, 8]>

// The grid has the blocks of a cluster along z. Before the loop, one thread makes the
// mbarrier known to the cluster and says how many bytes come (of two blocks, up to four
// rows of 16 numbers); then all announce themselves and wait for nothing. Peers are waited
// for just before the shares go out, to the owner of the row if it exists; then the shares
// that came are added in the order of the blocks.
// CHECK: llvm.func @two_blocks({{.*}}nvvm.cluster_dim = array<i32: 1, 1, 2>
// CHECK-SAME: \22size\22: 2,\0A      \22tile\22: 1
// CHECK-SAME: \22cluster\22: [1,1,2]
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.ctaid.z : i32
// CHECK: scf.if
// CHECK: nvvm.mbarrier.init %[[BARRIER:.*]], %
// CHECK: nvvm.fence.mbarrier.init
// CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32) : i32
// CHECK: %[[BEFORE:.*]] = llvm.mul %[[RANK]], %[[FOUR]]
// CHECK: %[[LEFT:.*]] = llvm.sub %{{.*}}, %[[BEFORE]]
// CHECK: llvm.intr.smax(%[[LEFT]],
// CHECK: llvm.intr.smin
// CHECK: %[[ROWBYTES:.*]] = llvm.mlir.constant(128 : i32) : i32
// CHECK: %[[BYTES:.*]] = llvm.mul %{{.*}}, %[[ROWBYTES]]
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[BARRIER]], %[[BYTES]]
// CHECK: }
// CHECK: nvvm.bar.warp.sync
// CHECK-NEXT: nvvm.cluster.arrive.relaxed {aligned}
// CHECK: scf.for
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: %[[TO:.*]] = nvvm.mapa %{{.*}}, %[[OWNER:.*]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: %[[AT:.*]] = nvvm.mapa %{{.*}}, %[[OWNER]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: "@$0 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [$1], {$2, $3, $4, $5}, [$6];", {{.*}} %{{.*}}, %[[TO]], {{.*}}, %[[AT]] :
// CHECK-NOT: st.async
// CHECK: scf.while
// CHECK: nvvm.mbarrier.try_wait
// CHECK: %[[S0:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: %[[S1:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: llvm.fadd %[[S0]], %[[S1]] : vector<4xf32>
// CHECK-NOT: llvm.fadd
tile.kernel @two_blocks(%y: !tile.global<?x64xf32, write>, %m: index)
    attributes {arg_names = ["y", "M"], warps = 2 : i64, shared_bytes = 4096 : i64} {
  %yb = tile.bind %y rows %m : !tile.global<?x64xf32, write>
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [%m, 64] blocks 2 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %share = tile.zero : !tile.val<16x8xf32, #rows, partial<blocks>>
    %left = arith.subi %m, %im : index
    scf.for %i = %c0 to %m step %c1 {
    }
    %sum = tile.combine %share over cluster rows %left {barrier_offset = 2048 : i64, scratch_offset = 0 : i64}
        : !tile.val<16x8xf32, #rows, partial<blocks>> -> !tile.val<16x8xf32, #owned>
    tile.store %sum, %yb[%im, %in] transposed : !tile.val<16x8xf32, #owned>, !tile.global<?x64xf32, write>
  }
}
