// The wait for the previous kernel keeps its place between loads through plain
// pointers; promises that would let LLVM move loads over it are refused.
// RUN: split-file %s %t
// RUN: wna16-compile %t/plain.mlir --target sm_90a --emit ptx -o - | FileCheck %t/plain.mlir
// RUN: not wna16-compile %t/readonly.mlir --target sm_90a --emit ptx -o - 2>&1 | FileCheck %t/readonly.mlir
// RUN: not wna16-compile %t/invariant.mlir --target sm_90a --emit ptx -o - 2>&1 | FileCheck %t/invariant.mlir

//--- plain.mlir
gpu.module @kernels {
  // CHECK-LABEL: .entry plain(
  // CHECK: ld.global.b32 [[BEFORE:%r[0-9]+]], [[ADDRESS:\[%rd[0-9]+\]]];
  // CHECK: griddepcontrol.wait;
  // CHECK: ld.global.b32 [[AFTER:%r[0-9]+]], [[ADDRESS]];
  // CHECK: add.s32 {{%r[0-9]+}}, [[AFTER]], [[BEFORE]];
  llvm.func @plain(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %before = llvm.load %x : !llvm.ptr<1> -> i32
    nvvm.griddepcontrol wait
    %after = llvm.load %x : !llvm.ptr<1> -> i32
    %sum = llvm.add %before, %after : i32
    llvm.store %sum, %y : i32, !llvm.ptr<1>
    llvm.return
  }
}

//--- readonly.mlir
gpu.module @kernels {
  // CHECK: error: 'llvm.func' op argument #0 is noalias and readonly in a kernel that waits for the previous one; loads from it would move above the wait
  llvm.func @readonly(%x: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %y: !llvm.ptr<1>) attributes {nvvm.kernel} {
    // CHECK: note: the wait is here
    nvvm.griddepcontrol wait
    llvm.return
  }
}

//--- invariant.mlir
gpu.module @kernels {
  llvm.func @invariant(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {nvvm.kernel} {
    nvvm.griddepcontrol wait
    // CHECK: error: 'llvm.load' op invariant load in a kernel that waits for the previous one
    %after = llvm.load %x invariant : !llvm.ptr<1> -> i32
    llvm.store %after, %y : i32, !llvm.ptr<1>
    llvm.return
  }
}
