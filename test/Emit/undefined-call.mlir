// RUN: not wna16-compile %s --target sm_90a --emit ptx -o - 2>&1 | FileCheck %s

// CHECK: error: calls '__nv_expf', which is defined nowhere; kernels are not linked with a device library
gpu.module @kernels {
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @exp(%y: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
    %e = llvm.call @__nv_expf(%x) : (f32) -> f32
    llvm.store %e, %y : f32, !llvm.ptr<1>
    llvm.return
  }
}
