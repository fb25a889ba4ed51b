// A fragment that is dequantised for the next step crosses the back edge in
// registers. InstCombine would move the subtraction behind the back edge, in
// front of the mma that it was to overlap with; a pin of the register keeps it
// where it was written.
// RUN: wna16-compile %s --target sm_90a --emit ptx -o - | FileCheck %s

gpu.module @pinned {
  // CHECK-LABEL: .entry pinned(
  // CHECK: [[LOOP:\$L__BB0_[0-9]+]]:
  // CHECK-NOT: sub.rn.f16x2
  // CHECK: mma.sync
  // CHECK: sub.rn.f16x2
  // CHECK: bra [[LOOP]];
  llvm.func @pinned(%smem: !llvm.ptr<3>, %y: !llvm.ptr<1>, %b: vector<2xf16>, %bias: vector<2xf16>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %q0 = llvm.load %smem : !llvm.ptr<3> -> vector<2xf16>
    %first = llvm.fsub %q0, %bias : vector<2xf16>
    %first_pinned = llvm.inline_asm "mov.b32 $0, $1;", "=r,r" %first : (vector<2xf16>) -> vector<2xf16>
    llvm.br ^loop(%c0, %zero, %first_pinned : i32, f32, vector<2xf16>)
  ^loop(%i: i32, %acc: f32, %a: vector<2xf16>):
    %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%b, %b] C[%acc, %zero, %zero, %zero] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %next = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %j = llvm.add %i, %c1 : i32
    %at = llvm.getelementptr %smem[%j] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %q = llvm.load %at : !llvm.ptr<3> -> vector<2xf16>
    %dequantised = llvm.fsub %q, %bias : vector<2xf16>
    %carried = llvm.inline_asm "mov.b32 $0, $1;", "=r,r" %dequantised : (vector<2xf16>) -> vector<2xf16>
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j, %next, %carried : i32, f32, vector<2xf16>), ^end {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  ^end:
    llvm.store %next, %y : f32, !llvm.ptr<1>
    llvm.return
  }
}

gpu.module @plain {
  // Without the pin it moves: the test above can fail.
  // CHECK-LABEL: .entry plain(
  // CHECK: [[LOOP:\$L__BB0_[0-9]+]]:
  // CHECK: sub.rn.f16x2
  // CHECK: mma.sync
  // CHECK-NOT: sub.rn.f16x2
  // CHECK: bra [[LOOP]];
  llvm.func @plain(%smem: !llvm.ptr<3>, %y: !llvm.ptr<1>, %b: vector<2xf16>, %bias: vector<2xf16>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %q0 = llvm.load %smem : !llvm.ptr<3> -> vector<2xf16>
    %first = llvm.fsub %q0, %bias : vector<2xf16>
    llvm.br ^loop(%c0, %zero, %first : i32, f32, vector<2xf16>)
  ^loop(%i: i32, %acc: f32, %a: vector<2xf16>):
    %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%b, %b] C[%acc, %zero, %zero, %zero] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %next = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %j = llvm.add %i, %c1 : i32
    %at = llvm.getelementptr %smem[%j] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %q = llvm.load %at : !llvm.ptr<3> -> vector<2xf16>
    %dequantised = llvm.fsub %q, %bias : vector<2xf16>
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j, %next, %dequantised : i32, f32, vector<2xf16>), ^end {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  ^end:
    llvm.store %next, %y : f32, !llvm.ptr<1>
    llvm.return
  }
}
