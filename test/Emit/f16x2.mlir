// Arithmetic of two halves stays one instruction each; this is why no inline
// PTX exists for it.
// RUN: wna16-compile %s --target sm_80 --emit ptx -o - | FileCheck %s
// RUN: wna16-compile %s --target sm_90a --emit ptx -o - | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: .entry packed(
  // CHECK: sub.rn.f16x2 [[DIFF:%r[0-9]+]],
  // CHECK: mul.rn.f16x2 [[PRODUCT:%r[0-9]+]], {{%r[0-9]+}}, [[DIFF]];
  // CHECK: fma.rn.f16x2 [[FMA:%r[0-9]+]], [[PRODUCT]],
  // CHECK: cvt.rn.f16x2.f32 [[PACKED:%r[0-9]+]],
  // CHECK: st.global.b32 [{{.*}}], [[FMA]];
  // CHECK: st.global.b32 [{{.*}}], [[PACKED]];
  llvm.func @packed(%y: !llvm.ptr<1>, %a: vector<2xf16>, %b: vector<2xf16>, %f: f32, %g: f32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %diff = llvm.fsub %a, %b : vector<2xf16>
    %product = llvm.fmul %diff, %b : vector<2xf16>
    %fma = llvm.intr.fma(%product, %a, %b) : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> vector<2xf16>
    %f16 = llvm.fptrunc %f : f32 to f16
    %g16 = llvm.fptrunc %g : f32 to f16
    %undef = llvm.mlir.undef : vector<2xf16>
    %low = llvm.insertelement %f16, %undef[%c0 : i32] : vector<2xf16>
    %both = llvm.insertelement %g16, %low[%c1 : i32] : vector<2xf16>
    llvm.store %fma, %y : vector<2xf16>, !llvm.ptr<1>
    %next = llvm.getelementptr %y[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %both, %next : vector<2xf16>, !llvm.ptr<1>
    llvm.return
  }
}
