// RUN: wna16-opt %s --canonicalize | FileCheck %s

!gptq = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
!ct = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<compressed_tensors>>
!marlin = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>

// A repack to the same type is its operand.
// CHECK-LABEL: func.func @same_type
// CHECK-SAME:    %[[W:.*]]: tensor
// CHECK-NEXT:    return %[[W]]
func.func @same_type(%w: !gptq) -> !gptq {
  %0 = wna16.repack %w : !gptq to !gptq
  return %0 : !gptq
}

// There and back.
// CHECK-LABEL: func.func @round_trip
// CHECK-SAME:    %[[W:.*]]: tensor
// CHECK-NEXT:    return %[[W]]
func.func @round_trip(%w: !gptq) -> !gptq {
  %0 = wna16.repack %w : !gptq to !marlin
  %1 = wna16.repack %0 : !marlin to !gptq
  return %1 : !gptq
}

// Of two repacks only the last matters; the first stays where it is used.
// CHECK-LABEL: func.func @two_steps
// CHECK-SAME:    %[[W:.*]]: tensor
// CHECK-NEXT:    %[[A:.*]] = wna16.repack %[[W]] : {{.*}}<gptq>> to {{.*}}<compressed_tensors>>
// CHECK-NEXT:    %[[B:.*]] = wna16.repack %[[W]] : {{.*}}<gptq>> to {{.*}}<marlin>>
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @two_steps(%w: !gptq) -> (!ct, !marlin) {
  %0 = wna16.repack %w : !gptq to !ct
  %1 = wna16.repack %0 : !ct to !marlin
  return %0, %1 : !ct, !marlin
}

// What the first repack drops does not come back; what it adds does not matter.
// CHECK-LABEL: func.func @smaller_and_larger
// CHECK-SAME:    %[[S:.*]]: tensor
// CHECK-NEXT:    %[[A:.*]] = wna16.repack %[[S]] : tensor<4x64xf16> to tensor<2x64xf16>
// CHECK-NEXT:    %[[B:.*]] = wna16.repack %[[A]] : tensor<2x64xf16> to tensor<4x64xf16>
// CHECK-NEXT:    %[[C:.*]] = wna16.repack %[[S]] : tensor<4x64xf16> to tensor<4x32xf16>
// CHECK-NEXT:    return %[[B]], %[[C]]
func.func @smaller_and_larger(%s: tensor<4x64xf16>) -> (tensor<4x64xf16>, tensor<4x32xf16>) {
  %0 = wna16.repack %s : tensor<4x64xf16> to tensor<2x64xf16>
  %1 = wna16.repack %0 : tensor<2x64xf16> to tensor<4x64xf16>
  %2 = wna16.repack %s : tensor<4x64xf16> to tensor<8x64xf16>
  %3 = wna16.repack %2 : tensor<8x64xf16> to tensor<4x32xf16>
  return %1, %3 : tensor<4x64xf16>, tensor<4x32xf16>
}

// Ops without a use go away: all of them are pure.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT:    return
func.func @unused(%x: tensor<8x128xf16>, %w: !marlin, %s: tensor<2x64xf16>) {
  %0 = wna16.gemm %x, %w, %s
      : (tensor<8x128xf16>, !marlin, tensor<2x64xf16>) -> tensor<8x64xf16>
  %1 = wna16.dequantize %w, %s : (!marlin, tensor<2x64xf16>) -> tensor<128x64xf16>
  %2 = wna16.repack %w : !marlin to !gptq
  return
}

// Nothing to do.
// CHECK-LABEL: func.func @kept
// CHECK:         wna16.repack
// CHECK:         wna16.gemm
func.func @kept(%x: tensor<8x128xf16>, %w: !gptq, %s: tensor<2x64xf16>) -> tensor<8x64xf16> {
  %0 = wna16.repack %w : !gptq to !marlin
  %1 = wna16.gemm %x, %0, %s
      : (tensor<8x128xf16>, !marlin, tensor<2x64xf16>) -> tensor<8x64xf16>
  return %1 : tensor<8x64xf16>
}
