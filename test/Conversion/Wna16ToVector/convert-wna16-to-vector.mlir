// RUN: wna16-opt %s --convert-wna16-to-vector --canonicalize --cse | FileCheck %s

!x = tensor<?x128xf16>
!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<1x64xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x64xf16>

// CHECK-LABEL: func.func @marlin
// CHECK-SAME:    %[[X:.*]]: memref<?x128xf16, strided<[?, 1]>>, %[[W:.*]]: memref<1024xi32>
// CHECK-SAME:    %[[S:.*]]: memref<64xf16>, %[[Y:.*]]: memref<?x64xf16>
// CHECK-SAME:    %[[M0:.*]]: index, %[[M1:.*]]: index, %[[N0:.*]]: index, %[[N1:.*]]: index
// CHECK-SAME:    llvm.emit_c_interface
// CHECK-SAME:    wna16.launch
// CHECK-DAG:     %[[WEIGHTS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<128x64xf32>
// CHECK:         scf.for %{{.*}} = %[[M0]] to %[[M1]]
// CHECK:           scf.for %{{.*}} = %[[N0]] to %[[N1]]
// A tile of 128 words is loaded whole, and lanes change places.
// CHECK-COUNT-8:     vector.load %[[W]]{{.*}} : memref<1024xi32>, vector<16xi32>
// CHECK-NOT:         memref.load %[[W]]
// CHECK-COUNT-24:    vector.shuffle
// CHECK-NOT:         memref.load %[[W]]
// CHECK:             %[[CODE:.*]] = arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK:             %[[WEIGHT:.*]] = vector.fma %[[CODE]]
// CHECK:             vector.store %[[WEIGHT]]
// The sums of four rows, then of one.
// CHECK:             memref.load
// CHECK-COUNT-4:     vector.fma
// CHECK:             scf.yield
// CHECK:             arith.truncf %{{.*}} : vector<16xf32> to vector<16xf16>
// CHECK:             vector.store %{{.*}}, %[[Y]]
func.func @marlin(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 16 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// Words of neighbouring columns are neighbours: nothing changes places. Zero
// points and bias are operands, plain scales become one-dimensional.
// CHECK-LABEL: func.func @gptq
// CHECK-SAME:    memref<1024xi32>, %[[S2:.*]]: memref<1x64xbf16>, %[[Z2:.*]]: memref<8xi32>, %[[B2:.*]]: memref<1x64xf32>, %{{.*}}: memref<?x64xf32>
// CHECK-DAG:     memref.collapse_shape %[[S2]]
// CHECK-DAG:     memref.collapse_shape %[[B2]]
// CHECK:         memref.load %[[Z2]]
// CHECK:         arith.negf
// CHECK-NOT:     vector.shuffle
// CHECK:         arith.addf
// CHECK-NOT:     arith.truncf
func.func @gptq(%x: !x,
                %w: tensor<128x64x!wna16.code<4>, #wna16.layout<gptq>>,
                %s: tensor<1x64xbf16>,
                %z: tensor<1x64x!wna16.code<4>, #wna16.layout<gptq_zeros>>,
                %b: tensor<1x64xf32>) -> tensor<?x64xf32> {
  %y = wna16.gemm %x, %w, %s zeros %z bias %b {max_m = 16 : i64}
      : (!x, tensor<128x64x!wna16.code<4>, #wna16.layout<gptq>>, tensor<1x64xbf16>,
         tensor<1x64x!wna16.code<4>, #wna16.layout<gptq_zeros>>, tensor<1x64xf32>)
      -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
