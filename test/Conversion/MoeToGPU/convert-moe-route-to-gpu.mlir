// RUN: wna16-opt %s --convert-moe-route-to-gpu=target=sm_80 --cse --split-input-file | FileCheck %s

// One block. Every warp has a number for each of 8 experts, then 8 numbers of three kinds and
// two for each warp: 4 * (256 + 24 + 64) bytes.
// CHECK-LABEL: gpu.module @route_module
// CHECK:         llvm.mlir.global external @moe_route_shared() {addr_space = 3 : i32, alignment = 16 : i64}
// CHECK:         llvm.func @route(%[[IDS:.*]]: !llvm.ptr<1>, %[[SEGMENTS:.*]]: !llvm.ptr<1>, %[[SLOTS:.*]]: !llvm.ptr<1>, %[[T:.*]]: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1024>, wna16.launch = "{{.*}}shared_bytes\22: 1376,{{.*}}op\22: \22moe_route\22
// CHECK:           %[[P:.*]] = arith.muli %[[T]], %c2_i32
// Zeros, then how many slots of each expert a warp has.
// CHECK:           scf.for
// CHECK:             llvm.store
// CHECK:           nvvm.barrier
// CHECK:           scf.for
// CHECK:             nvvm.match.sync  any
// CHECK:             llvm.intr.ctpop
// CHECK:             llvm.store
// CHECK:             nvvm.bar.warp.sync
// CHECK:           nvvm.barrier
// Sums over the warps, by a thread for each expert; over experts; over warps of those.
// CHECK:           scf.for
// CHECK-COUNT-10:  nvvm.shfl.sync  up
// CHECK:           nvvm.barrier
// CHECK-COUNT-10:  nvvm.shfl.sync  up
// CHECK:           nvvm.barrier
// The same slots again: the number is read by all before the first lane raises it.
// CHECK:           scf.for
// CHECK:             nvvm.match.sync  any
// CHECK:             nvvm.bar.warp.sync
// CHECK:             llvm.getelementptr %[[SLOTS]]
// CHECK:             arith.remui %{{.*}}, %c16_i32
// CHECK:             llvm.getelementptr %[[SEGMENTS]]
// CHECK:             llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>
// CHECK:             nvvm.bar.warp.sync
// What is left of both tables.
// CHECK:           scf.for
// CHECK:             llvm.getelementptr %[[SLOTS]]
// CHECK:             llvm.store %[[P]]
// CHECK:           scf.for
// CHECK:             llvm.getelementptr %[[SEGMENTS]]
// CHECK:           llvm.return
func.func @route(%ids: tensor<?x2xi32>) -> (tensor<?x4xi32>, tensor<?xi32>) {
  %segments, %slots = wna16.moe_route %ids {experts = 8 : i64, segment_rows = 16 : i64}
      : (tensor<?x2xi32>) -> (tensor<?x4xi32>, tensor<?xi32>)
  return %segments, %slots : tensor<?x4xi32>, tensor<?xi32>
}

// -----

// With 1024 experts eight warps sort: 4 * (8192 + 3072 + 64) bytes are less than 48 KiB. An id
// that the map does not have is not looked up.
// CHECK-LABEL: llvm.func @mapped
// CHECK-SAME:    shared_bytes\22: 45312,
// CHECK:         %[[ID:.*]] = llvm.load
// CHECK:         %[[KNOWN:.*]] = arith.cmpi ult, %[[ID]], %c4096_i32
// CHECK:         arith.select %[[KNOWN]], %[[ID]], %c0_i32
// CHECK:         %[[FOUND:.*]] = llvm.load
// CHECK:         arith.select %[[KNOWN]], %[[FOUND]], %c1024_i32
func.func @mapped(%ids: tensor<?x16xi32>, %map: tensor<4096xi32>) -> (tensor<?x4xi32>, tensor<?xi32>) {
  %segments, %slots = wna16.moe_route %ids map %map {experts = 1024 : i64, segment_rows = 64 : i64}
      : (tensor<?x16xi32>, tensor<4096xi32>) -> (tensor<?x4xi32>, tensor<?xi32>)
  return %segments, %slots : tensor<?x4xi32>, tensor<?xi32>
}

// -----

// CHECK-LABEL: func.func @other
// CHECK-NEXT:    return
func.func @other() {
  return
}
