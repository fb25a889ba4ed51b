// Inline PTX and mma.sync that all lanes of a warp execute together are not
// copied: LLVM would unroll these loops with a remainder, or split them on a
// lane-dependent condition, unless the calls are marked convergent (field report M2).
// RUN: wna16-compile %s --target sm_90a --emit ptx -o - | FileCheck %s
// RUN: wna16-compile %s --target sm_90a --emit llvm -o - | FileCheck %s --check-prefix=LLVM

gpu.module @unknown_trip_count {
  // CHECK-LABEL: .entry unknown_trip_count(
  // CHECK-COUNT-1: movmatrix.sync
  // CHECK-NOT: movmatrix
  // CHECK: ret;
  // LLVM-LABEL: define {{.*}}@unknown_trip_count(
  // LLVM: asm sideeffect "movmatrix{{.*}} #[[CONVERGENT:[0-9]+]]
  // LLVM: attributes #[[CONVERGENT]] = { convergent
  llvm.func @unknown_trip_count(%y: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%c0, %c0 : i32, i32)
  ^loop(%i: i32, %acc: i32):
    %m = llvm.inline_asm has_side_effects "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", "=r,r,~{memory}" %i : (i32) -> i32
    %sum = llvm.add %acc, %m : i32
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j, %sum : i32, i32), ^end
  ^end:
    llvm.store %sum, %y : i32, !llvm.ptr<1>
    llvm.return
  }
}

// The condition differs between lanes and is the same in every iteration.
gpu.module @lane_condition {
  // CHECK-LABEL: .entry lane_condition(
  // CHECK-COUNT-1: movmatrix.sync
  // CHECK-NOT: movmatrix
  // CHECK: ret;
  llvm.func @lane_condition(%y: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    llvm.br ^loop(%c0, %tid : i32, i32)
  ^loop(%i: i32, %acc: i32):
    %m = llvm.inline_asm has_side_effects "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", "=r,r,~{memory}" %acc : (i32) -> i32
    llvm.cond_br %first, ^write, ^next
  ^write:
    %at = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store volatile %m, %at : i32, !llvm.ptr<1>
    llvm.br ^next
  ^next:
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j, %m : i32, i32), ^end
  ^end:
    llvm.return
  }
}

gpu.module @mma {
  // CHECK-LABEL: .entry mma(
  // CHECK-COUNT-1: mma.sync
  // CHECK-NOT: mma.sync
  // CHECK: ret;
  // LLVM-LABEL: define {{.*}}@mma(
  // LLVM: call {{.*}}@llvm.nvvm.mma.m16n8k16{{.*}} #[[CONVERGENT:[0-9]+]]
  // LLVM: attributes #[[CONVERGENT]] = { convergent
  llvm.func @mma(%y: !llvm.ptr<1>, %a: vector<2xf16>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    llvm.br ^loop(%c0, %zero : i32, f32)
  ^loop(%i: i32, %acc: f32):
    %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%a, %a] C[%acc, %zero, %zero, %zero] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %next = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j, %next : i32, f32), ^end
  ^end:
    llvm.store %next, %y : f32, !llvm.ptr<1>
    llvm.return
  }
}
