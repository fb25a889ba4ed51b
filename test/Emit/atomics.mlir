// LLVM prints an ordered read-modify-write as a relaxed one. It is refused; a
// fence in front of a relaxed one is not lost.
// RUN: split-file %s %t
// RUN: wna16-compile %t/fenced.mlir --target sm_90a --emit ptx -o - | FileCheck %t/fenced.mlir
// RUN: not wna16-compile %t/release.mlir --target sm_90a --emit ptx -o - 2>&1 | FileCheck %t/release.mlir

//--- fenced.mlir
gpu.module @kernels {
  // CHECK-LABEL: .entry fenced(
  // CHECK: st.global
  // CHECK: fence.acq_rel.gpu;
  // CHECK: atom.global.add.u32
  // CHECK: ret;
  llvm.func @fenced(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    llvm.store %n, %x : i32, !llvm.ptr<1>
    llvm.fence syncscope("device") acq_rel
    %old = llvm.atomicrmw add %y, %n syncscope("device") monotonic : !llvm.ptr<1>, i32
    llvm.store %old, %x : i32, !llvm.ptr<1>
    llvm.return
  }
}

//--- release.mlir
gpu.module @kernels {
  llvm.func @release(%y: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    // CHECK: error: 'llvm.atomicrmw' op LLVM prints this as a relaxed atomic whatever its order; use 'monotonic' with an llvm.fence
    %old = llvm.atomicrmw add %y, %n syncscope("device") release : !llvm.ptr<1>, i32
    llvm.return
  }
}
