// RUN: wna16-opt %s --verify-roundtrip -o /dev/null
// RUN: wna16-opt %s | FileCheck %s

// Nothing but --verify-roundtrip checks the text as a whole; the lines below hold
// the spellings that people write.

!codes = !wna16.code<4, offset = 8>
!marlin = tensor<128x64x!codes, #wna16.layout<marlin>>
!gptq = tensor<128x64x!codes, #wna16.layout<gptq>>

// CHECK-LABEL: func.func private @types
// CHECK-SAME:  !wna16.code<1>
// CHECK-SAME:  !wna16.code<8, offset = 128>
// CHECK-SAME:  !wna16.code<4, offset = 0>
// CHECK-SAME:  tensor<96x10x!wna16.code<8>, #wna16.layout<gptq>>
// CHECK-SAME:  tensor<32x3x!wna16.code<1>, #wna16.layout<compressed_tensors>>
// CHECK-SAME:  tensor<3x7xbf16, #wna16.layout<compressed_tensors_scales>>
// CHECK-SAME:  tensor<16x64x!wna16.code<7, offset = 64>, #wna16.layout<marlin>>
// CHECK-SAME:  tensor<64x7x!wna16.code<3>, #wna16.layout<gptq>>
// CHECK-SAME:  tensor<5x7x!wna16.code<6>, #wna16.layout<compressed_tensors>>
// CHECK-SAME:  tensor<5x8x!wna16.code<4>, #wna16.layout<awq>>
// CHECK-SAME:  tensor<3x64x!wna16.code<8>, #wna16.layout<marlin_zeros>>
// CHECK-SAME:  tensor<3x32x!wna16.code<3>, #wna16.layout<gptq_zeros>>
// CHECK-SAME:  tensor<3x7x!wna16.code<3>, #wna16.layout<compressed_tensors_zeros>>
// CHECK-SAME:  tensor<3x8x!wna16.code<4>, #wna16.layout<awq_zeros>>
// CHECK-SAME:  tensor<1x32xf16, #wna16.layout<marlin_channel_scales>>
func.func private @types(
    !wna16.code<1>, !wna16.code<8, offset = 128>, !wna16.code<4, offset = 0>,
    tensor<96x10x!wna16.code<8>, #wna16.layout<gptq>>,
    tensor<32x3x!wna16.code<1>, #wna16.layout<compressed_tensors>>,
    tensor<3x7xbf16, #wna16.layout<compressed_tensors_scales>>,
    tensor<16x64x!wna16.code<7, offset = 64>, #wna16.layout<marlin>>,
    tensor<64x7x!wna16.code<3>, #wna16.layout<gptq>>,
    tensor<5x7x!wna16.code<6>, #wna16.layout<compressed_tensors>>,
    tensor<5x8x!wna16.code<4>, #wna16.layout<awq>>,
    tensor<3x64x!wna16.code<8>, #wna16.layout<marlin_zeros>>,
    tensor<3x32x!wna16.code<3>, #wna16.layout<gptq_zeros>>,
    tensor<3x7x!wna16.code<3>, #wna16.layout<compressed_tensors_zeros>>,
    tensor<3x8x!wna16.code<4>, #wna16.layout<awq_zeros>>,
    tensor<1x32xf16, #wna16.layout<marlin_channel_scales>>)

// CHECK-LABEL: func.func @gemm
// CHECK:         wna16.gemm %{{.*}}, %{{.*}}, %{{.*}} {max_m = 16 : i64} : (tensor<?x4096xf16>, tensor<4096x6144x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<32x6144xf16, #wna16.layout<marlin_scales>>) -> tensor<?x6144xf16>
func.func @gemm(%x: tensor<?x4096xf16>,
                %w: tensor<4096x6144x!codes, #wna16.layout<marlin>>,
                %s: tensor<32x6144xf16, #wna16.layout<marlin_scales>>)
    -> tensor<?x6144xf16> {
  %y = wna16.gemm %x, %w, %s {max_m = 16 : i64}
      : (tensor<?x4096xf16>, tensor<4096x6144x!codes, #wna16.layout<marlin>>,
         tensor<32x6144xf16, #wna16.layout<marlin_scales>>) -> tensor<?x6144xf16>
  return %y : tensor<?x6144xf16>
}

// M = max_m, one row of plain scales, bf16.
// CHECK-LABEL: func.func @gemm_static
func.func @gemm_static(%x: tensor<8x128xbf16>, %w: !marlin, %s: tensor<1x64xbf16>)
    -> tensor<8x64xbf16> {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64}
      : (tensor<8x128xbf16>, !marlin, tensor<1x64xbf16>) -> tensor<8x64xbf16>
  return %y : tensor<8x64xbf16>
}

// Types of their own, a bias, and weights that are padded along K and N.
// CHECK-LABEL: func.func @gemm_padded
// CHECK:         wna16.gemm %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} : (tensor<?x96xbf16>, tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>, tensor<1x64xf16>, tensor<1x64xf32>) -> tensor<?x40xf32>
func.func @gemm_padded(%x: tensor<?x96xbf16>, %w: !marlin, %s: tensor<1x64xf16>, %b: tensor<1x64xf32>)
    -> tensor<?x40xf32> {
  %y = wna16.gemm %x, %w, %s bias %b
      : (tensor<?x96xbf16>, !marlin, tensor<1x64xf16>, tensor<1x64xf32>) -> tensor<?x40xf32>
  return %y : tensor<?x40xf32>
}

// Zero points in place of an offset.
// CHECK-LABEL: func.func @gemm_zeros
// CHECK:         wna16.gemm %{{.*}}, %{{.*}}, %{{.*}} zeros %{{.*}} : (tensor<?x128xf16>,
// CHECK:         wna16.dequantize %{{.*}}, %{{.*}} zeros %{{.*}} : (tensor<128x64x!wna16.code<4>,
func.func @gemm_zeros(%x: tensor<?x128xf16>, %w: tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>, %s: tensor<2x64xf16, #wna16.layout<marlin_scales>>, %z: tensor<2x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>) -> (tensor<?x64xf16>, tensor<128x64xf16>) {
  %y = wna16.gemm %x, %w, %s zeros %z : (tensor<?x128xf16>, tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>, tensor<2x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>) -> tensor<?x64xf16>
  %v = wna16.dequantize %w, %s zeros %z : (tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>, tensor<2x64xf16, #wna16.layout<marlin_scales>>, tensor<2x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>) -> tensor<128x64xf16>
  return %y, %v : tensor<?x64xf16>, tensor<128x64xf16>
}

// CHECK-LABEL: func.func @gemm_attributes
// CHECK:         actorder = #wna16.actorder<none>
// CHECK:         actorder = #wna16.actorder<static>
// CHECK:         actorder = #wna16.actorder<weight>
// CHECK:         schedule = #wna16.schedule<tile = [64, 16, 256], warps = [1, 8], stages = 4, copy = cp_async, math = mma, scales = accumulator, split = none, roles = uniform>
// CHECK:         schedule = #wna16.schedule<tile = [128, 256, 64], warps = [2, 1], stages = 3, copy = tensor, math = wgmma, scales = weights, split = cluster, roles = producer_consumer, warps_m = 2, blocks = 4, multicast = 2, dependent>
func.func @gemm_attributes(%x: tensor<8x128xf16>, %w: !marlin, %s: tensor<1x64xf16>) {
  %0 = wna16.gemm %x, %w, %s {actorder = #wna16.actorder<none>}
      : (tensor<8x128xf16>, !marlin, tensor<1x64xf16>) -> tensor<8x64xf16>
  // A string in the angle brackets is the same.
  %1 = wna16.gemm %x, %w, %s {actorder = #wna16.actorder<"static">}
      : (tensor<8x128xf16>, !marlin, tensor<1x64xf16>) -> tensor<8x64xf16>
  %2 = wna16.gemm %x, %w, %s {actorder = #wna16.actorder<weight>}
      : (tensor<8x128xf16>, !marlin, tensor<1x64xf16>) -> tensor<8x64xf16>
  %3 = wna16.gemm %x, %w, %s {schedule = #wna16.schedule<
      tile = [64, 16, 256], warps = [1, 8], stages = 4, copy = cp_async,
      math = mma, scales = accumulator, split = none, roles = uniform>}
      : (tensor<8x128xf16>, !marlin, tensor<1x64xf16>) -> tensor<8x64xf16>
  %4 = wna16.gemm %x, %w, %s {schedule = #wna16.schedule<
      tile = [128, 256, 64], warps = [2, 1], stages = 3, copy = tensor,
      math = wgmma, scales = weights, split = cluster, roles = producer_consumer,
      warps_m = 2, blocks = 4, multicast = 2, dependent>}
      : (tensor<8x128xf16>, !marlin, tensor<1x64xf16>) -> tensor<8x64xf16>
  return
}

// The one attribute that outside passes put on any op.
// CHECK-LABEL: func.func @allowed_attribute
// CHECK:         loop_annotation
func.func @allowed_attribute(%w: !gptq, %s: tensor<2x64xf16>) {
  %0 = wna16.dequantize %w, %s {loop_annotation = "x"}
      : (!gptq, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// CHECK-LABEL: func.func @dequantize
// CHECK:         wna16.dequantize %{{.*}}, %{{.*}} : (tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>, tensor<2x64xf16>) -> tensor<128x64xf16>
func.func @dequantize(%w: !gptq, %s: tensor<2x64xf16>) -> tensor<128x64xf16> {
  %0 = wna16.dequantize %w, %s : (!gptq, tensor<2x64xf16>) -> tensor<128x64xf16>
  return %0 : tensor<128x64xf16>
}

// CHECK-LABEL: func.func @repack
// CHECK:         wna16.repack %{{.*}} : tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>> to tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
// CHECK:         wna16.repack %{{.*}} : tensor<2x64xf16> to tensor<2x64xf16, #wna16.layout<marlin_scales>>
func.func @repack(%w: !gptq, %s: tensor<2x64xf16>)
    -> (!marlin, tensor<2x64xf16, #wna16.layout<marlin_scales>>) {
  %0 = wna16.repack %w : !gptq to !marlin
  %1 = wna16.repack %s : tensor<2x64xf16> to tensor<2x64xf16, #wna16.layout<marlin_scales>>
  return %0, %1 : !marlin, tensor<2x64xf16, #wna16.layout<marlin_scales>>
}

// A property that does not exist: MLIR's parser drops it, so it can do no harm.
// CHECK-LABEL: func.func @unknown_property
// CHECK-NEXT:    wna16.gemm %{{.*}} {max_m = 8 : i64} :
// CHECK-NEXT:    return
func.func @unknown_property(%x: tensor<8x128xf16>, %w: !gptq, %s: tensor<2x64xf16>) {
  %0 = "wna16.gemm"(%x, %w, %s) <{max_m = 8 : i64, g_idx = [0, 1], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (tensor<8x128xf16>, !gptq, tensor<2x64xf16>) -> tensor<8x64xf16>
  return
}

// A layer of a mixture of experts; stacks have one matrix per expert.
// CHECK-LABEL: func.func @experts
// CHECK:         wna16.moe_route %{{.*}} map %{{.*}} {experts = 3 : i64, segment_rows = 16 : i64} : (tensor<?x2xi32>, tensor<9xi32>) -> (tensor<?x4xi32>, tensor<?xi32>)
// CHECK:         wna16.moe_gemm %{{.*}} by token, %{{.*}}, %{{.*}} segments %{{.*}} slots %{{.*}} zeros %{{.*}} bias %{{.*}} to position {max_m = 64 : i64, segment_rows = 16 : i64, top_k = 2 : i64} : (
// CHECK:         wna16.moe_gemm %{{.*}} by position, %{{.*}}, %{{.*}} segments %{{.*}} slots %{{.*}} to slot {segment_rows = 16 : i64, top_k = 2 : i64} : (
// CHECK:         wna16.moe_sum %{{.*}} ids %{{.*}} map %{{.*}} weights %{{.*}} {experts = 3 : i64} : (tensor<?x64xf16>, tensor<?x2xi32>, tensor<9xi32>, tensor<?x2xf32>) -> tensor<?x64xbf16>
func.func @experts(%x: tensor<?x128xf16>, %ids: tensor<?x2xi32>,
                   %map: tensor<9xi32>, %v: tensor<?x2xf32>,
                   %w: tensor<3x128x64x!wna16.code<4>, #wna16.layout<marlin>>,
                   %s: tensor<3x2x64xf16, #wna16.layout<marlin_scales>>,
                   %z: tensor<3x2x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>,
                   %b: tensor<3x1x64xf16>,
                   %w2: tensor<3x64x64x!codes, #wna16.layout<gptq>>,
                   %s2: tensor<3x1x64xf16>) -> tensor<?x64xbf16> {
  %segments, %slots = wna16.moe_route %ids map %map {experts = 3 : i64, segment_rows = 16 : i64}
      : (tensor<?x2xi32>, tensor<9xi32>) -> (tensor<?x4xi32>, tensor<?xi32>)
  %h = wna16.moe_gemm %x by token, %w, %s segments %segments slots %slots zeros %z bias %b to position
      {segment_rows = 16 : i64, top_k = 2 : i64, max_m = 64 : i64}
      : (tensor<?x128xf16>, tensor<3x128x64x!wna16.code<4>, #wna16.layout<marlin>>,
         tensor<3x2x64xf16, #wna16.layout<marlin_scales>>, tensor<?x4xi32>, tensor<?xi32>,
         tensor<3x2x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>, tensor<3x1x64xf16>)
      -> tensor<?x64xf16>
  %y = wna16.moe_gemm %h by position, %w2, %s2 segments %segments slots %slots to slot
      {segment_rows = 16 : i64, top_k = 2 : i64}
      : (tensor<?x64xf16>, tensor<3x64x64x!codes, #wna16.layout<gptq>>, tensor<3x1x64xf16>,
         tensor<?x4xi32>, tensor<?xi32>) -> tensor<?x64xf16>
  %t = wna16.moe_sum %y ids %ids map %map weights %v {experts = 3 : i64}
      : (tensor<?x64xf16>, tensor<?x2xi32>, tensor<9xi32>, tensor<?x2xf32>) -> tensor<?x64xbf16>
  return %t : tensor<?x64xbf16>
}
