// RUN: wna16-opt %s --tile-gemm | FileCheck %s
// RUN: wna16-opt %s --tile-gemm | wna16-opt --verify-roundtrip -o /dev/null

// The kernel of a gemm, on views: of one expert's matrices, of the rows of a segment.
// CHECK-LABEL: tile.kernel @by_token
// CHECK-SAME: (%[[X:[a-z0-9]*]]: !tile.global<?x256xf16, read>, %[[W:[a-z0-9]*]]: !tile.global<3x256x64x!wna16.code<3, offset = 4>, read, #wna16.layout<marlin>>, %[[S:[a-z0-9]*]]: !tile.global<3x2x64xf16, read, #wna16.layout<marlin_scales>>, %[[B:[a-z0-9]*]]: !tile.global<3x1x64xf32, read>, %[[SEGMENTS:[a-z0-9]*]]: !tile.global<?x4xi32, read>, %[[SLOTS:[a-z0-9]*]]: !tile.global<?x1xi32, read>, %[[Y:[a-z0-9]*]]: !tile.global<?x64xf16, write>, %[[M:[a-z0-9]*]]: index, %[[LDX:[a-z0-9]*]]: index, %[[NUM:[a-z0-9_]*]]: index, %[[T:[a-z0-9]*]]: index)
// CHECK-SAME: arg_names = ["x", "w", "s", "b", "segments", "slots", "y", "M", "ldx", "S", "T"], max_m = 48 : i64
// CHECK-DAG: %[[XB:.*]] = tile.bind %[[X]] rows %[[T]] stride %[[LDX]] :
// CHECK-DAG: %[[YB:.*]] = tile.bind %[[Y]] rows %[[M]] :
// CHECK-DAG: %[[TABLE:.*]] = tile.bind %[[SEGMENTS]] rows %[[NUM]] :
// CHECK-DAG: %[[LIST:.*]] = tile.bind %[[SLOTS]] rows %[[M]] :
// CHECK: tile.for_each_work (%[[IM:.*]], %[[IN:.*]]) tile [1, 64] of [%[[NUM]], 64] {
// CHECK: %[[E:.*]], %[[FIRST:.*]], %[[COUNT:.*]] = tile.load_segment %[[TABLE]][%[[IM]]] of %[[M]] {experts = 3 : i64, most = 8 : i64}
// CHECK-DAG: %[[WE:.*]] = tile.expert %[[W]][%[[E]]]
// CHECK-DAG: %[[SE:.*]] = tile.expert %[[S]][%[[E]]]
// CHECK-DAG: %[[BE:.*]] = tile.expert %[[B]][%[[E]]]
// CHECK-DAG: %[[XS:.*]] = tile.rows %[[XB]] from %[[FIRST]] count %[[COUNT]] map %[[LIST]] by 2
// CHECK-DAG: %[[YS:.*]] = tile.rows %[[YB]] from %[[FIRST]] count %[[COUNT]] map %[[LIST]] by 1
// CHECK-DAG: %[[ROW:.*]] = arith.constant 0 : index
// CHECK-DAG: tile.plane %[[WE]] 0
// CHECK-DAG: tile.plane %[[WE]] 1
// CHECK: scf.for
// CHECK: tile.load %[[XS]][%{{.*}}, %{{.*}}]
// CHECK: tile.load_scales %[[SE]][
// CHECK: tile.load %[[BE]][
// CHECK: tile.store %{{.*}}, %[[YS]][%{{.*}}, %[[IN]]] transposed

// CHECK-LABEL: tile.kernel @by_position
// CHECK-SAME: arg_names = ["x", "w", "s", "segments", "slots", "y", "M", "ldx", "S"]
// CHECK: tile.bind %{{.*}} rows %[[M:.*]] stride
// CHECK: %[[YS:.*]] = tile.rows %{{.*}} from %{{.*}} count %{{.*}} : !tile.global<?x64xf16, write>
!w3 = tensor<3x256x64x!wna16.code<3, offset = 4>, #wna16.layout<marlin>>
!w = tensor<3x256x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<3x2x64xf16, #wna16.layout<marlin_scales>>
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 2], stages = 2, copy = cp_async,
    math = mma, scales = accumulator, split = none, roles = uniform>
func.func @by_token(%x: tensor<?x256xf16>, %w: !w3, %s: !s, %segments: tensor<?x4xi32>,
                    %slots: tensor<?xi32>, %b: tensor<3x1x64xf32>) -> tensor<?x64xf16> {
  %y = wna16.moe_gemm %x by token, %w, %s segments %segments slots %slots bias %b to slot
      {segment_rows = 8 : i64, top_k = 2 : i64, max_m = 48 : i64, schedule = #schedule}
      : (tensor<?x256xf16>, !w3, !s, tensor<?x4xi32>, tensor<?xi32>, tensor<3x1x64xf32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}
func.func @by_position(%x: tensor<?x256xf16>, %w: !w, %s: !s, %segments: tensor<?x4xi32>,
                       %slots: tensor<?xi32>) -> tensor<?x64xf16> {
  %y = wna16.moe_gemm %x by position, %w, %s segments %segments slots %slots to position
      {segment_rows = 8 : i64, top_k = 2 : i64, max_m = 48 : i64, schedule = #schedule}
      : (tensor<?x256xf16>, !w, !s, tensor<?x4xi32>, tensor<?xi32>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}
