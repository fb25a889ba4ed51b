// A loop whose trip count LLVM knows stays a loop if it says so, for ptxas too;
// the annotation is refused under the name that the translation ignores.
// RUN: split-file %s %t
// RUN: wna16-compile %t/annotated.mlir --target sm_90a --emit ptx -o - | FileCheck %t/annotated.mlir
// RUN: not wna16-compile %t/misspelt.mlir --target sm_90a --emit ptx -o - 2>&1 | FileCheck %t/misspelt.mlir

//--- annotated.mlir
gpu.module @kernels {
  // CHECK-LABEL: .entry annotated(
  // CHECK: .pragma "nounroll";
  // CHECK-COUNT-1: st.volatile
  // CHECK-NOT: st.volatile
  // CHECK: ret;
  llvm.func @annotated(%y: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %at = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store volatile %i, %at : i32, !llvm.ptr<1>
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %c64 : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  ^end:
    llvm.return
  }
}

gpu.module @others {
  // Without it all 64 iterations are written out: the test above can fail.
  // CHECK-LABEL: .entry plain(
  // CHECK-NOT: nounroll
  // CHECK-COUNT-64: st.volatile
  // CHECK: ret;
  llvm.func @plain(%y: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %at = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store volatile %i, %at : i32, !llvm.ptr<1>
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %c64 : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

//--- misspelt.mlir
gpu.module @kernels {
  llvm.func @misspelt(%more: i1) attributes {nvvm.kernel} {
    llvm.br ^loop
  ^loop:
    // CHECK: error: 'llvm.cond_br' op attribute 'llvm.loop_annotation' is ignored by the translation; spell it 'loop_annotation'
    llvm.cond_br %more, ^loop, ^end {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  ^end:
    llvm.return
  }
}
