// RUN: wna16-opt %s --convert-tile-to-nvvm=target=sm_90a --split-input-file | FileCheck %s

#acc = #tile.linear<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [18, 0], [36, 0]], warp = [[16, 0], [32, 0]] : [64, 16]>
#w = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [128, 64]>
#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = [[2, 0], [4, 0]] : [16, 128]>
!x = !tile.global<16x128xf16, read>
!r = !tile.ring<2, [<"x", !tile.val<16x128xf16>, #tile.swizzle<128>>]>
!a = !tile.val<128x64xf16, #w>
!s = !tile.val<64x16xf32, #acc>

// What threads copied is shown to the matrix units; eight products between one fence and
// one commit, the first without a sum; 16 k are 32 bytes further, 64 k a panel of 16 rows
// of 128 bytes, in units of 16 bytes. The wait holds the sums.
// CHECK-LABEL: llvm.func @product
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.barrier
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, {$8, $9, $10, $11}, $12, 0, 1, 1, 0;", "=f,=f,=f,=f,=f,=f,=f,=f,r,r,r,r,l,~{memory}"
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, {$16, $17, $18, $19}, $20, 1, 1, 1, 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,r,r,r,r,l,~{memory}"
// CHECK: llvm.mlir.constant(128 : i32)
// CHECK-COUNT-4: wgmma.mma_async
// CHECK-NOT: wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,~{memory}"
tile.kernel @product(%x: !x) attributes {arg_names = ["x"], warps = 4 : i64, shared_bytes = 8192 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %r = tile.ring {offset = 0 : i64} : !r
    %a = tile.zero : !a
    %zero = tile.zero : !s
    tile.acquire %r[%c0] : !r
    tile.fill "x" of %r[%c0] = %x[%im, %c0] threads(#copy) : !r, !x
    tile.commit %r[%c0] : !r
    tile.wait %r[%c0] {pending = 0 : i64, scope = #tile.scope<block>} : !r
    %p = tile.mma_async %a, "x" of %r[%c0] [0, 0], %zero : !a, !r, !s
    %sum = tile.mma_wait %p {pending = 0 : i64} : !s
    tile.release %r[%c0] {scope = #tile.scope<block>} : !r
  }
}
