// Shared memory is an external symbol. As an internal one, data that peers or
// copy engines write is undefined to LLVM, and the kernel body disappears.
// RUN: split-file %s %t
// RUN: wna16-compile %t/external.mlir --target sm_90a --emit ptx -o - | FileCheck %t/external.mlir
// RUN: not wna16-compile %t/internal.mlir --target sm_90a --emit ptx -o - 2>&1 | FileCheck %t/internal.mlir

//--- external.mlir
gpu.module @kernels {
  // CHECK: .extern .shared .align 1024 .b8 smem[]
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

  // CHECK-LABEL: .entry reads(
  // CHECK: ld.shared.b32 [[VALUE:%r[0-9]+]], [smem];
  // CHECK: st.global.b32 [{{.*}}], [[VALUE]];
  llvm.func @reads(%y: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %value = llvm.load %smem : !llvm.ptr<3> -> i32
    llvm.store %value, %y : i32, !llvm.ptr<1>
    llvm.return
  }
}

//--- internal.mlir
gpu.module @kernels {
  // CHECK: error: 'llvm.mlir.global' op shared memory must have external linkage, found 'internal'
  llvm.mlir.global internal @smem() {addr_space = 3 : i32} : !llvm.array<1024 x i8>
  llvm.func @reads(%y: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %value = llvm.load %smem : !llvm.ptr<3> -> i32
    llvm.store %value, %y : i32, !llvm.ptr<1>
    llvm.return
  }
}
