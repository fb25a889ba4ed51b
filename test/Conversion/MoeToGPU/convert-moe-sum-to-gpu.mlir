// RUN: wna16-opt %s --convert-moe-sum-to-gpu=target=sm_80 --cse --split-input-file | FileCheck %s

// Eight columns of a token per thread. Both experts are known before a row is read, and both
// rows are asked for before the first is added; in place of a dropped slot the other is read.
// CHECK-LABEL: gpu.module @sum_module
// CHECK:         llvm.func @sum(%[[H:.*]]: !llvm.ptr<1>, %[[IDS:.*]]: !llvm.ptr<1>, %[[V:.*]]: !llvm.ptr<1>, %[[Y:.*]]: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>, wna16.launch = "{{.*}}target\22: \22sm_80\22{{.*}}op\22: \22moe_sum\22
// CHECK-DAG:       %[[TOKEN:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-DAG:       %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x : i32
// CHECK:           %[[EXISTS:.*]] = arith.cmpi ult, %{{.*}}, %c8_i32
// CHECK:           scf.if %[[EXISTS]] {
// CHECK:             %[[FIRST:.*]] = arith.muli %[[TOKEN]], %c2_i32
// CHECK:             %[[SLOT:.*]] = arith.addi %[[FIRST]], %c0_i32
// CHECK:             llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK:             %[[KEPT:.*]] = arith.cmpi ult, %{{.*}}, %c8_i32
// CHECK:             %[[SLOT1:.*]] = arith.addi %[[FIRST]], %c1_i32
// CHECK:             llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK:             %[[KEPT1:.*]] = arith.cmpi ult, %{{.*}}, %c8_i32
// CHECK:             %[[ANY:.*]] = arith.ori %[[KEPT]], %[[KEPT1]]
// CHECK:             %[[READABLE:.*]] = arith.select %[[KEPT1]], %[[SLOT1]], %[[SLOT]]
// CHECK:             scf.if %[[ANY]] -> (vector<8xf16>) {
// CHECK:               arith.select %[[KEPT]], %[[SLOT]], %[[READABLE]]
// CHECK:               arith.muli %{{.*}}, %c64_i64{{.*}} : i64
// CHECK:               %[[ROW:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK:               arith.select %[[KEPT1]], %[[SLOT1]], %[[READABLE]]
// CHECK:               %[[ROW1:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK:               %[[WIDE:.*]] = arith.extf %[[ROW]] : vector<8xf16> to vector<8xf32>
// CHECK:               %[[TERM:.*]] = arith.mulf %[[WIDE]]
// CHECK:               %[[ADDED:.*]] = arith.addf %{{.*}}, %[[TERM]]
// CHECK:               %[[SUM:.*]] = arith.select %[[KEPT]], %[[ADDED]]
// CHECK:               arith.extf %[[ROW1]]
// CHECK:               %[[ADDED1:.*]] = arith.addf %[[SUM]]
// CHECK:               %[[SUM1:.*]] = arith.select %[[KEPT1]], %[[ADDED1]], %[[SUM]]
// CHECK:               arith.truncf %[[SUM1]] : vector<8xf32> to vector<8xf16>
// CHECK:             llvm.store %{{.*}} {alignment = 16 : i64}
// CHECK-NOT:       llvm.store
func.func @sum(%h: tensor<?x64xf16>, %ids: tensor<?x2xi32>, %v: tensor<?x2xf32>) -> tensor<?x64xf16> {
  %y = wna16.moe_sum %h ids %ids weights %v {experts = 8 : i64}
      : (tensor<?x64xf16>, tensor<?x2xi32>, tensor<?x2xf32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

// Two columns of 16 bits are all that 98 can be cut into. An id that the map does not have is
// not looked up: the first one is, for nothing.
// CHECK-LABEL: llvm.func @mapped
// CHECK:         %[[ID:.*]] = llvm.load
// CHECK:         %[[KNOWN:.*]] = arith.cmpi ult, %[[ID]], %c5_i32
// CHECK:         arith.select %[[KNOWN]], %[[ID]], %c0_i32
// CHECK:         %[[FOUND:.*]] = llvm.load
// CHECK:         %[[LOCAL:.*]] = arith.select %[[KNOWN]], %[[FOUND]], %c3_i32
// CHECK:         arith.cmpi ult, %[[LOCAL]], %c3_i32
// CHECK:         vector<2xbf16>
// CHECK-NOT:     arith.mulf
// CHECK-NOT:     arith.truncf
// CHECK:         llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>
func.func @mapped(%h: tensor<?x98xbf16>, %ids: tensor<?x1xi32>, %map: tensor<5xi32>) -> tensor<?x98xf32> {
  %y = wna16.moe_sum %h ids %ids map %map {experts = 3 : i64}
      : (tensor<?x98xbf16>, tensor<?x1xi32>, tensor<5xi32>) -> tensor<?x98xf32>
  return %y : tensor<?x98xf32>
}

// -----

// CHECK-LABEL: func.func @other
// CHECK-NEXT:    return
func.func @other() {
  return
}
