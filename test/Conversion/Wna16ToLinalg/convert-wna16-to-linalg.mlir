// RUN: wna16-opt %s --convert-wna16-to-linalg --canonicalize --cse | FileCheck %s

!w = tensor<256x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!wm = tensor<256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<compressed_tensors_scales>>
!x = tensor<?x256xf16>
!y = tensor<?x64xf16>

// Storage types at the boundary; 256 * 64 codes are 2048 words.
// CHECK-LABEL: func.func @gemm
// CHECK-SAME:    %[[X:.*]]: tensor<?x256xf16>, %[[W:.*]]: tensor<2048xi32>, %[[S:.*]]: tensor<128xf16>
// CHECK-SAME:    -> tensor<?x64xf16>
// CHECK-DAG:     %[[C8I:.*]] = arith.constant 8 : i32
// CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : index
// CHECK:         %[[M:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK:         %[[EMPTY:.*]] = tensor.empty(%[[M]]) : tensor<?x64xf32>
// CHECK:         %[[ZERO:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]]
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}}"parallel", "parallel", "reduction"{{.*}} ins(%[[X]] : tensor<?x256xf16>) outs(%[[ZERO]] : tensor<?x64xf32>)
// CHECK:         ^bb0(%[[XE:.*]]: f16, %[[ACC:.*]]: f32):
// CHECK:           %[[N:.*]] = linalg.index 1
// CHECK:           %[[K:.*]] = linalg.index 2
// The scale is that of k / 128, and nothing else.
// CHECK:           %[[G:.*]] = arith.divui %[[K]], %[[C128]]
// CHECK:           %[[WORD:.*]] = tensor.extract %[[W]]
// CHECK:           %[[SHIFTED:.*]] = arith.shrui %[[WORD]]
// CHECK:           %[[CODE:.*]] = arith.andi %[[SHIFTED]]
// CHECK:           %[[INT:.*]] = arith.subi %[[CODE]], %[[C8I]]
// CHECK:           %[[Q:.*]] = arith.sitofp %[[INT]] : i32 to f32
// CHECK:           %[[SE:.*]] = tensor.extract %[[S]]
// CHECK:           %[[SF:.*]] = arith.extf %[[SE]] : f16 to f32
// CHECK:           %[[WF:.*]] = arith.mulf %[[Q]], %[[SF]] : f32
// CHECK:           %[[XF:.*]] = arith.extf %[[XE]] : f16 to f32
// CHECK:           %[[P:.*]] = arith.mulf %[[XF]], %[[WF]] : f32
// CHECK:           %[[NEXT:.*]] = arith.addf %[[ACC]], %[[P]] : f32
// CHECK:           linalg.yield %[[NEXT]] : f32
// Rounded once, at the end.
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]] : tensor<?x64xf32>)
// CHECK:         ^bb0(%[[V:.*]]: f32
// CHECK:           %[[R:.*]] = arith.truncf %[[V]] : f32 to f16
// CHECK:           linalg.yield %[[R]] : f16
func.func @gemm(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 16 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}

// Encoded values go through calls as storage, and extents stay logical.
// CHECK-LABEL: func.func private @callee(tensor<2048xi32>) -> tensor<2048xi32>
func.func private @callee(!w) -> !w

// CHECK-LABEL: func.func @calls
// CHECK-SAME:    %[[W:.*]]: tensor<2048xi32>
// CHECK-DAG:     %[[K:.*]] = arith.constant 256 : index
// CHECK-DAG:     %[[V:.*]] = call @callee(%[[W]]) : (tensor<2048xi32>) -> tensor<2048xi32>
// CHECK:         return %[[V]], %[[K]]
func.func @calls(%w: !w) -> (!w, index) {
  %v = call @callee(%w) : (!w) -> !w
  %c0 = arith.constant 0 : index
  %k = tensor.dim %v, %c0 : !w
  return %v, %k : !w, index
}

// CHECK-LABEL: func.func @dequantize
// CHECK:         linalg.generic {{.*}}"parallel", "parallel"
// CHECK:           %[[F:.*]] = arith.mulf
// CHECK:           %[[R:.*]] = arith.truncf %[[F]] : f32 to f16
// CHECK:           linalg.yield %[[R]]
func.func @dequantize(%w: !w, %s: tensor<2x64xf16>) -> tensor<256x64xf16> {
  %y = wna16.dequantize %w, %s : (!w, tensor<2x64xf16>) -> tensor<256x64xf16>
  return %y : tensor<256x64xf16>
}

// CHECK-LABEL: func.func @repack
// CHECK-SAME:    %[[W:.*]]: tensor<2048xi32>) -> tensor<2048xi32>
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} iter_args(%[[TO:.*]] = %{{.*}}) -> (tensor<2048xi32>)
// CHECK:             tensor.extract %[[W]]
// CHECK:             %[[OLD:.*]] = tensor.extract %[[TO]][%[[AT:.*]]]
// CHECK:             %[[NEW:.*]] = arith.ori %[[OLD]]
// CHECK:             tensor.insert %[[NEW]] into %[[TO]][%[[AT]]]
func.func @repack(%w: !w) -> !wm {
  %v = wna16.repack %w : !w to !wm
  return %v : !wm
}

// The loops run over what both have; the rest of the result stays 0.
// CHECK-LABEL: func.func @padded
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[COLUMNS:.*]] = arith.constant 50 : index
// CHECK:         linalg.fill {{.*}} -> tensor<256xf16>
// CHECK:         scf.for {{.*}} to %[[ROWS]]
// CHECK:           scf.for {{.*}} to %[[COLUMNS]]
func.func @padded(%s: tensor<3x50xf16>) -> tensor<4x64xf16, #wna16.layout<marlin_scales>> {
  %t = wna16.repack %s : tensor<3x50xf16> to tensor<4x64xf16, #wna16.layout<marlin_scales>>
  return %t : tensor<4x64xf16, #wna16.layout<marlin_scales>>
}

// What has no encoding stays as it is.
// CHECK-LABEL: func.func @plain
// CHECK-SAME:    (%[[X:.*]]: tensor<2x64xf16>) -> tensor<2x64xf16>
// CHECK-NEXT:    return %[[X]]
func.func @plain(%x: tensor<2x64xf16>) -> tensor<2x64xf16> {
  return %x : tensor<2x64xf16>
}
