// Arithmetic of two bf16 stays one instruction each. sm_80 has fma only: y * -1 + x and
// x * y + -0 have the same bits.
// RUN: wna16-compile %s --target sm_80 --emit ptx -o - | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: wna16-compile %s --target sm_90a --emit ptx -o - | FileCheck %s --check-prefixes=CHECK,PLAIN

gpu.module @kernels {
  // CHECK-LABEL: .entry packed(
  // FMA: mov.b32 [[MINUS_ONE:%r[0-9]+]], -1082081408;
  // FMA: fma.rn.bf16x2 [[DIFF:%r[0-9]+]], [[B:%r[0-9]+]], [[MINUS_ONE]],
  // FMA: mov.b32 [[MINUS_ZERO:%r[0-9]+]], -2147450880;
  // FMA: fma.rn.bf16x2 {{%r[0-9]+}}, [[B]], [[DIFF]], [[MINUS_ZERO]];
  // PLAIN: sub.rn.bf16x2 [[DIFF:%r[0-9]+]], {{%r[0-9]+}}, [[B:%r[0-9]+]];
  // PLAIN: mul.rn.bf16x2 {{%r[0-9]+}}, [[B]], [[DIFF]];
  // CHECK-NOT: bf16x2
  // CHECK: cvt.rn.bf16x2.f32
  // CHECK-NOT: bf16
  // CHECK: ret;
  llvm.func @packed(%y: !llvm.ptr<1>, %a: vector<2xbf16>, %b: vector<2xbf16>, %f: f32, %g: f32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %diff = llvm.fsub %a, %b : vector<2xbf16>
    %product = llvm.fmul %diff, %b : vector<2xbf16>
    %undef = llvm.mlir.undef : vector<2xf32>
    %low = llvm.insertelement %f, %undef[%c0 : i32] : vector<2xf32>
    %both = llvm.insertelement %g, %low[%c1 : i32] : vector<2xf32>
    %half = llvm.fptrunc %both : vector<2xf32> to vector<2xbf16>
    llvm.store %product, %y : vector<2xbf16>, !llvm.ptr<1>
    %next = llvm.getelementptr %y[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %half, %next : vector<2xbf16>, !llvm.ptr<1>
    llvm.return
  }
}
