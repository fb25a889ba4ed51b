// A loop is not split in two on a condition that differs between lanes: the
// optimiser knows that it works for a GPU. A warp would run both copies.
// RUN: wna16-compile %s --target sm_90a --emit ptx -o - | FileCheck %s

gpu.module @lanes {
  // CHECK-LABEL: .entry lanes(
  // CHECK-COUNT-2: st.volatile
  // CHECK-NOT: st.volatile
  // CHECK: ret;
  llvm.func @lanes(%y: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    llvm.store volatile %i, %y : i32, !llvm.ptr<1>
    llvm.cond_br %first, ^write, ^next
  ^write:
    llvm.store volatile %tid, %y : i32, !llvm.ptr<1>
    llvm.br ^next
  ^next:
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  ^end:
    llvm.return
  }
}
