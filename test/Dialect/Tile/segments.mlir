// RUN: wna16-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: tile.kernel @rows_and_expert
// CHECK: %{{.*}}, %{{.*}}, %{{.*}} = tile.load_segment %{{.*}}[%{{.*}}] of %{{.*}} {experts = 3 : i64, most = 8 : i64} : !tile.global<?x4xi32, read>
// CHECK: tile.expert %{{.*}}[%{{.*}}] : !tile.global<3x64x64xf16, read> -> !tile.global<64x64xf16, read>
// CHECK: tile.rows %{{.*}} from %{{.*}} count %{{.*}} map %{{.*}} by 2 : !tile.global<?x64xf16, read>, !tile.global<?x1xi32, read>
// CHECK: tile.rows %{{.*}} from %{{.*}} count %{{.*}} : !tile.global<?x64xf32, write>
tile.kernel @rows_and_expert(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %y: !tile.global<?x64xf32, write>, %m: index, %s: index, %t: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "y", "M", "S", "T"], warps = 1 : i64} {
  %xb = tile.bind %x rows %t : !tile.global<?x64xf16, read>
  %yb = tile.bind %y rows %m : !tile.global<?x64xf32, write>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    %we = tile.expert %w[%e] : !tile.global<3x64x64xf16, read> -> !tile.global<64x64xf16, read>
    %xs = tile.rows %xb from %first count %count map %map by 2
        : !tile.global<?x64xf16, read>, !tile.global<?x1xi32, read>
    %ys = tile.rows %yb from %first count %count : !tile.global<?x64xf32, write>
    %c0 = arith.constant 0 : index
    %a = tile.load %we[%c0, %in] : !tile.global<64x64xf16, read> -> !tile.val<64x64xf16>
    %b = tile.load %xs[%c0, %c0] : !tile.global<?x64xf16, read> -> !tile.val<8x64xf16>
    %z = tile.zero : !tile.val<64x8xf32>
    %p = tile.mma %a, %b, %z : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !tile.val<64x8xf32>
    tile.store %p, %ys[%c0, %in] transposed : !tile.val<64x8xf32>, !tile.global<?x64xf32, write>
  }
}
