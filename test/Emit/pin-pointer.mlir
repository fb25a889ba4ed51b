// Loop strength reduction turns two advancing pointers with row offsets into
// one 64-bit loop-carried pointer per row (14 additions below), which costs
// registers and additions. A pin of each pointer, once per iteration, keeps two
// (8 additions: six rows and two advances).
// RUN: wna16-compile %s --target sm_90a --emit ptx -o - | FileCheck %s

gpu.module @pinned {
  // CHECK-LABEL: .entry pinned(
  // CHECK: .pragma "nounroll";
  // CHECK-COUNT-8: add.s64
  // CHECK-NOT: add.s64
  // CHECK: bra
  llvm.func @pinned(%w: !llvm.ptr<1>, %x: !llvm.ptr<1>, %smem: !llvm.ptr<3>, %row: i64, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i64) : i64
    %c3 = llvm.mlir.constant(3 : i64) : i64
    %row2 = llvm.mul %row, %c2 : i64
    %row3 = llvm.mul %row, %c3 : i64
    llvm.br ^loop(%c0, %w, %x : i32, !llvm.ptr<1>, !llvm.ptr<1>)
  ^loop(%i: i32, %pw: !llvm.ptr<1>, %px: !llvm.ptr<1>):
    %pinned_w = llvm.inline_asm "mov.b64 $0, $1;", "=l,l" %pw : (!llvm.ptr<1>) -> !llvm.ptr<1>
    %s_w00 = llvm.getelementptr %smem[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w00, %pinned_w, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w0_far = llvm.getelementptr %pinned_w[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_w01 = llvm.getelementptr %smem[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w01, %w0_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w1 = llvm.getelementptr %pinned_w[%row] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %s_w10 = llvm.getelementptr %smem[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w10, %w1, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w1_far = llvm.getelementptr %w1[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_w11 = llvm.getelementptr %smem[48] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w11, %w1_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w2 = llvm.getelementptr %pinned_w[%row2] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %s_w20 = llvm.getelementptr %smem[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w20, %w2, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w2_far = llvm.getelementptr %w2[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_w21 = llvm.getelementptr %smem[80] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w21, %w2_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w3 = llvm.getelementptr %pinned_w[%row3] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %s_w30 = llvm.getelementptr %smem[96] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w30, %w3, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w3_far = llvm.getelementptr %w3[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_w31 = llvm.getelementptr %smem[112] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w31, %w3_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %next_w = llvm.getelementptr %pinned_w[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %pinned_x = llvm.inline_asm "mov.b64 $0, $1;", "=l,l" %px : (!llvm.ptr<1>) -> !llvm.ptr<1>
    %s_x00 = llvm.getelementptr %smem[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x00, %pinned_x, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x0_far = llvm.getelementptr %pinned_x[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_x01 = llvm.getelementptr %smem[1040] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x01, %x0_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x1 = llvm.getelementptr %pinned_x[%row] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %s_x10 = llvm.getelementptr %smem[1056] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x10, %x1, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x1_far = llvm.getelementptr %x1[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_x11 = llvm.getelementptr %smem[1072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x11, %x1_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x2 = llvm.getelementptr %pinned_x[%row2] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %s_x20 = llvm.getelementptr %smem[1088] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x20, %x2, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x2_far = llvm.getelementptr %x2[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_x21 = llvm.getelementptr %smem[1104] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x21, %x2_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x3 = llvm.getelementptr %pinned_x[%row3] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %s_x30 = llvm.getelementptr %smem[1120] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x30, %x3, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x3_far = llvm.getelementptr %x3[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_x31 = llvm.getelementptr %smem[1136] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x31, %x3_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %next_x = llvm.getelementptr %pinned_x[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j, %next_w, %next_x : i32, !llvm.ptr<1>, !llvm.ptr<1>), ^end {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  ^end:
    llvm.return
  }
}

gpu.module @plain {
  // CHECK-LABEL: .entry plain(
  // CHECK: .pragma "nounroll";
  // CHECK-COUNT-14: add.s64
  // CHECK-NOT: add.s64
  // CHECK: bra
  llvm.func @plain(%w: !llvm.ptr<1>, %x: !llvm.ptr<1>, %smem: !llvm.ptr<3>, %row: i64, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i64) : i64
    %c3 = llvm.mlir.constant(3 : i64) : i64
    %row2 = llvm.mul %row, %c2 : i64
    %row3 = llvm.mul %row, %c3 : i64
    llvm.br ^loop(%c0, %w, %x : i32, !llvm.ptr<1>, !llvm.ptr<1>)
  ^loop(%i: i32, %pw: !llvm.ptr<1>, %px: !llvm.ptr<1>):
    %s_w00 = llvm.getelementptr %smem[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w00, %pw, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w0_far = llvm.getelementptr %pw[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_w01 = llvm.getelementptr %smem[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w01, %w0_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w1 = llvm.getelementptr %pw[%row] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %s_w10 = llvm.getelementptr %smem[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w10, %w1, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w1_far = llvm.getelementptr %w1[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_w11 = llvm.getelementptr %smem[48] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w11, %w1_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w2 = llvm.getelementptr %pw[%row2] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %s_w20 = llvm.getelementptr %smem[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w20, %w2, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w2_far = llvm.getelementptr %w2[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_w21 = llvm.getelementptr %smem[80] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w21, %w2_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w3 = llvm.getelementptr %pw[%row3] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %s_w30 = llvm.getelementptr %smem[96] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w30, %w3, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %w3_far = llvm.getelementptr %w3[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_w31 = llvm.getelementptr %smem[112] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_w31, %w3_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %next_w = llvm.getelementptr %pw[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_x00 = llvm.getelementptr %smem[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x00, %px, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x0_far = llvm.getelementptr %px[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_x01 = llvm.getelementptr %smem[1040] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x01, %x0_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x1 = llvm.getelementptr %px[%row] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %s_x10 = llvm.getelementptr %smem[1056] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x10, %x1, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x1_far = llvm.getelementptr %x1[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_x11 = llvm.getelementptr %smem[1072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x11, %x1_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x2 = llvm.getelementptr %px[%row2] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %s_x20 = llvm.getelementptr %smem[1088] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x20, %x2, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x2_far = llvm.getelementptr %x2[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_x21 = llvm.getelementptr %smem[1104] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x21, %x2_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x3 = llvm.getelementptr %px[%row3] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %s_x30 = llvm.getelementptr %smem[1120] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x30, %x3, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %x3_far = llvm.getelementptr %x3[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %s_x31 = llvm.getelementptr %smem[1136] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %s_x31, %x3_far, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %next_x = llvm.getelementptr %px[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j, %next_w, %next_x : i32, !llvm.ptr<1>, !llvm.ptr<1>), ^end {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  ^end:
    llvm.return
  }
}
