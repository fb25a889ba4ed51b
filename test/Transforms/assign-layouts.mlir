// RUN: wna16-opt %s --assign-layouts --split-input-file | FileCheck %s

// Fragments of the matrix instruction for what a product touches: rows of the
// accumulator and columns of activations in lanes; weights with pairs of k in a
// register, codes with the same lanes in the order of their words; scales as the rows of
// the accumulator. The combined sum lies along rows of the output, over both warps.
// CHECK-DAG: #[[ACC:.*]] = #tile.linear<register = {{\[}}[0, 1], [8, 0], [16, 0], [32, 0]], lane = {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
// CHECK-DAG: #[[WEIGHTS:.*]] = #tile.linear<register = {{\[}}[1, 0], [0, 8], [8, 0], [0, 16], [0, 32]], lane = {{\[}}[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
// CHECK-DAG: #[[CODES:.*]] = #tile.linear<register = {{\[}}[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = {{\[}}[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
// CHECK-DAG: #[[ACTS:.*]] = #tile.linear<register = {{\[}}[0, 1], [0, 8]], lane = {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
// CHECK-DAG: #[[SCALES:.*]] = #tile.linear<register = {{\[}}[0, 8], [0, 16], [0, 32]], lane = {{\[}}[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
// CHECK-DAG: #[[SUM:.*]] = #tile.linear<register = {{\[}}[1, 0], [2, 0], [4, 0]], lane = {{\[}}[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = {{\[}}[0, 4]] : [64, 8]>
// CHECK: tile.kernel @product
// CHECK: tile.zero : !tile.val<64x8xf32, #[[ACC]], partial>
// CHECK: scf.for {{.*}} -> (!tile.val<64x8xf32, #[[ACC]], partial>)
// CHECK: tile.load {{.*}} -> !tile.val<16x64x!wna16.code<4, offset = 8>, #[[CODES]]>
// CHECK: tile.load {{.*}} -> !tile.val<8x16xf16, #[[ACTS]]>
// CHECK: tile.load_scales {{.*}} -> !tile.val<1x64xf16, #[[SCALES]]>
// CHECK: tile.dequant {{.*}} -> !tile.val<16x64xf16, #[[WEIGHTS]]>
// CHECK: tile.zero : !tile.val<64x8xf32, #[[ACC]], partial>
// CHECK: tile.mma
// CHECK: tile.combine {{.*}} : !tile.val<64x8xf32, #[[ACC]], partial> -> !tile.val<64x8xf32, #[[SUM]]>
// CHECK: tile.cast {{.*}} -> !tile.val<64x8xf16, #[[SUM]]>
tile.kernel @product(%x: !tile.global<?x32xf16, read>,
    %w: !tile.global<32x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>,
    %s: !tile.global<2x64xf16, read, #wna16.layout<marlin_scales>>,
    %y: !tile.global<?x64xf16, write>, %m: index)
    attributes {arg_names = ["x", "w", "s", "y", "M"], warps = 2 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x32xf16, read>
  %yb = tile.bind %y rows %m : !tile.global<?x64xf16, write>
  tile.for_each_work (%im, %in, %part) tile [8, 64] of [%m, 64] parts 2 {
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %first = arith.muli %part, %c16 : index
    %init = tile.zero : !tile.val<64x8xf32, partial>
    %share = scf.for %k = %first to %c32 step %c32 iter_args(%acc = %init) -> (!tile.val<64x8xf32, partial>) {
      %codes = tile.load %w[%k, %in] : !tile.global<32x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !tile.val<16x64x!wna16.code<4, offset = 8>>
      %acts = tile.load %xb[%im, %k] : !tile.global<?x32xf16, read> -> !tile.val<8x16xf16>
      %scales = tile.load_scales %s[k = %k, n = %in] {group = 16 : i64} : !tile.global<2x64xf16, read, #wna16.layout<marlin_scales>> -> !tile.val<1x64xf16>
      %weights = tile.dequant %codes : !tile.val<16x64x!wna16.code<4, offset = 8>> -> !tile.val<16x64xf16>
      %zero = tile.zero : !tile.val<64x8xf32, partial>
      %product = tile.mma %weights, %acts, %zero : !tile.val<16x64xf16>, !tile.val<8x16xf16>, !tile.val<64x8xf32, partial>
      %next = tile.scale_acc %acc, %product, %scales : !tile.val<64x8xf32, partial>, !tile.val<1x64xf16>
      scf.yield %next : !tile.val<64x8xf32, partial>
    }
    %sum = tile.combine %share : !tile.val<64x8xf32, partial> -> !tile.val<64x8xf32>
    %h = tile.cast %sum : !tile.val<64x8xf32> -> !tile.val<64x8xf16>
    tile.store %h, %yb[%im, %in] transposed : !tile.val<64x8xf16>, !tile.global<?x64xf16, write>
  }
}

// -----

// Without parts all warps lie along N: columns of weights are shared out, activations
// are held by both. Scales on weights follow these.
// CHECK-DAG: #[[ACC:.*]] = #tile.linear<register = {{\[}}[0, 1], [8, 0], [16, 0]], lane = {{.*}}, warp = {{\[}}[32, 0]] : [64, 8]>
// CHECK-DAG: #[[WEIGHTS:.*]] = #tile.linear<register = {{\[}}[1, 0], [0, 8], [8, 0], [0, 16]], lane = {{.*}}, warp = {{\[}}[0, 32]] : [16, 64]>
// CHECK-DAG: #[[ACTS:.*]] = #tile.linear<register = {{.*}}, warp = {{\[}}[0, 0]] : [8, 16]>
// CHECK-DAG: #[[SCALES:.*]] = #tile.linear<register = {{\[}}[0, 8], [0, 16]], lane = {{.*}}, warp = {{\[}}[0, 32]] : [1, 64]>
// CHECK: tile.kernel @two_warps_along_n
// CHECK: tile.load {{.*}} -> !tile.val<8x16xf16, #[[ACTS]]>
// CHECK: tile.load_scales {{.*}} -> !tile.val<1x64xf16, #[[SCALES]]>
// CHECK: tile.dequant {{.*}} -> !tile.val<16x64xf16, #[[WEIGHTS]]>
// CHECK: tile.mma {{.*}}, !tile.val<64x8xf32, #[[ACC]]>
tile.kernel @two_warps_along_n(%x: !tile.global<?x16xf16, read>,
    %w: !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>,
    %s: !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>>, %m: index)
    attributes {arg_names = ["x", "w", "s", "M"], warps = 2 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x16xf16, read>
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %codes = tile.load %w[%c0, %in] : !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !tile.val<16x64x!wna16.code<4, offset = 8>>
    %acts = tile.load %xb[%im, %c0] : !tile.global<?x16xf16, read> -> !tile.val<8x16xf16>
    %scales = tile.load_scales %s[k = %c0, n = %in] {group = 16 : i64} : !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>> -> !tile.val<1x64xf16>
    %weights = tile.dequant %codes scales %scales : !tile.val<16x64x!wna16.code<4, offset = 8>> scales !tile.val<1x64xf16> -> !tile.val<16x64xf16>
    %zero = tile.zero : !tile.val<64x8xf32>
    %sum = tile.mma %weights, %acts, %zero : !tile.val<16x64xf16>, !tile.val<8x16xf16>, !tile.val<64x8xf32>
  }
}

// -----

// Two warps along N and two along M, by the schedule: warps along M hold the same
// weights, and copies of the scales; warps along N hold the same activations.
// CHECK-DAG: #[[ACC:.*]] = #tile.linear<register = {{\[}}[0, 1], [8, 0], [16, 0], [0, 8]], lane = {{.*}}, warp = {{\[}}[32, 0], [0, 16]] : [64, 32]>
// CHECK-DAG: #[[WEIGHTS:.*]] = #tile.linear<register = {{\[}}[1, 0], [0, 8], [8, 0], [0, 16]], lane = {{.*}}, warp = {{\[}}[0, 32], [0, 0]] : [16, 64]>
// CHECK-DAG: #[[ACTS:.*]] = #tile.linear<register = {{\[}}[0, 1], [0, 8], [8, 0]], lane = {{.*}}, warp = {{\[}}[0, 0], [16, 0]] : [32, 16]>
// CHECK-DAG: #[[SCALES:.*]] = #tile.linear<register = {{\[}}[0, 8], [0, 16]], lane = {{.*}}, warp = {{\[}}[0, 32], [0, 0]] : [1, 64]>
// CHECK: tile.kernel @two_by_two_warps
// CHECK: tile.load {{.*}} -> !tile.val<32x16xf16, #[[ACTS]]>
// CHECK: tile.load_scales {{.*}} -> !tile.val<1x64xf16, #[[SCALES]]>
// CHECK: tile.dequant {{.*}} -> !tile.val<16x64xf16, #[[WEIGHTS]]>
// CHECK: tile.mma {{.*}}, !tile.val<64x32xf32, #[[ACC]]>
tile.kernel @two_by_two_warps(%x: !tile.global<?x16xf16, read>,
    %w: !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>,
    %s: !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>>, %m: index)
    attributes {arg_names = ["x", "w", "s", "M"], warps = 4 : i64,
                schedule = #wna16.schedule<tile = [64, 32, 16], warps = [2, 1], stages = 2,
                  copy = cp_async, math = mma, scales = weights, split = none, roles = uniform, warps_m = 2>} {
  %xb = tile.bind %x rows %m : !tile.global<?x16xf16, read>
  tile.for_each_work (%im, %in) tile [32, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %codes = tile.load %w[%c0, %in] : !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !tile.val<16x64x!wna16.code<4, offset = 8>>
    %acts = tile.load %xb[%im, %c0] : !tile.global<?x16xf16, read> -> !tile.val<32x16xf16>
    %scales = tile.load_scales %s[k = %c0, n = %in] {group = 16 : i64} : !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>> -> !tile.val<1x64xf16>
    %weights = tile.dequant %codes scales %scales : !tile.val<16x64x!wna16.code<4, offset = 8>> scales !tile.val<1x64xf16> -> !tile.val<16x64xf16>
    %zero = tile.zero : !tile.val<64x32xf32>
    %sum = tile.mma %weights, %acts, %zero : !tile.val<16x64xf16>, !tile.val<32x16xf16>, !tile.val<64x32xf32>
  }
}

// -----

// Tiles that no product touches lie along addresses: 16 bytes per lane, neighbouring
// lanes beside each other. A tile of zeros is laid for its store, a layout written by
// hand stays, and goes to all that must have the same.
// CHECK-DAG: #[[ROWS:.*]] = #tile.linear<register = {{\[}}[0, 1], [0, 2], [0, 4]], lane = {{\[}}[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = {{\[}}[4, 0]] : [8, 64]>
// CHECK-DAG: #[[HAND:.*]] = #tile.linear<register = {{\[}}[0, 1], [1, 0], [2, 0], [4, 0]], lane = {{\[}}[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = {{\[}}[0, 0]] : [8, 64]>
// CHECK: tile.kernel @copies
// CHECK: tile.load {{.*}} -> !tile.val<8x64xf16, #[[ROWS]]>
// CHECK: tile.zero : !tile.val<8x64xf16, #[[ROWS]]>
// CHECK: tile.zero : !tile.val<8x64xf32, #[[HAND]]>
// CHECK: tile.cast {{.*}} : !tile.val<8x64xf32, #[[HAND]]> -> !tile.val<8x64xf16, #[[HAND]]>
#hand = #tile.linear<register = [[0, 1], [1, 0], [2, 0], [4, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [[0, 0]] : [8, 64]>
tile.kernel @copies(%x: !tile.global<16x64xf16, read>, %y: !tile.global<16x64xf16, write>)
    attributes {arg_names = ["x", "y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [16, 64] {
    %v = tile.load %x[%im, %in] : !tile.global<16x64xf16, read> -> !tile.val<8x64xf16>
    tile.store %v, %y[%im, %in] : !tile.val<8x64xf16>, !tile.global<16x64xf16, write>
    %zero = tile.zero : !tile.val<8x64xf16>
    tile.store %zero, %y[%im, %in] : !tile.val<8x64xf16>, !tile.global<16x64xf16, write>
    %f = tile.zero : !tile.val<8x64xf32>
    %h = tile.cast %f : !tile.val<8x64xf32> -> !tile.val<8x64xf16, #hand>
    tile.store %h, %y[%im, %in] : !tile.val<8x64xf16, #hand>, !tile.global<16x64xf16, write>
  }
}

// -----

// With math = wgmma: the fragments of warpgroups. A warp has one word of 16 columns in
// every 64; which one depends on the row of the fragment, too, so that reads of words
// meet all banks. Activations lie along addresses, for they are read where they are.
// CHECK-DAG: #[[ACC:.*]] = #tile.linear<register = {{\[}}[0, 1], [8, 0]], lane = {{\[}}[0, 2], [0, 4], [1, 0], [18, 0], [36, 0]], warp = {{\[}}[16, 0], [32, 0]] : [64, 8]>
// CHECK-DAG: #[[WEIGHTS:.*]] = #tile.linear<register = {{\[}}[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = {{\[}}[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = {{\[}}[0, 16], [0, 32]] : [64, 64]>
// CHECK-DAG: #[[CODES:.*]] = #tile.linear<register = {{\[}}[8, 0], [0, 8], [1, 0], [16, 0], [32, 0]], lane = {{\[}}[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = {{\[}}[0, 16], [0, 32]] : [64, 64]>
// CHECK-DAG: #[[ACTS:.*]] = #tile.linear<register = {{\[}}[0, 1], [0, 2], [0, 4]], lane = {{\[}}[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = {{\[}}[4, 0], [0, 0]] : [8, 64]>
// CHECK: tile.kernel @warpgroup
// CHECK: tile.zero : !tile.val<64x8xf32, #[[ACC]]>
// CHECK: tile.load {{.*}} -> !tile.val<64x64x!wna16.code<4, offset = 8>, #[[CODES]]>
// CHECK: tile.load {{.*}} -> !tile.val<8x64xf16, #[[ACTS]]>
// CHECK: tile.dequant {{.*}} -> !tile.val<64x64xf16, #[[WEIGHTS]]>
tile.kernel @warpgroup(%x: !tile.global<8x64xf16, read>,
    %w: !tile.global<64x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>,
    %y: !tile.global<8x64xf16, write>)
    attributes {arg_names = ["x", "w", "y"], warps = 4 : i64, schedule = #wna16.schedule<
      tile = [64, 8, 64], warps = [4, 1], stages = 2, copy = cp_async, math = wgmma,
      scales = weights, split = none, roles = uniform>} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %zero = tile.zero : !tile.val<64x8xf32>
    %codes = tile.load %w[%c0, %in] : !tile.global<64x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !tile.val<64x64x!wna16.code<4, offset = 8>>
    %acts = tile.load %x[%im, %c0] : !tile.global<8x64xf16, read> -> !tile.val<8x64xf16>
    %weights = tile.dequant %codes : !tile.val<64x64x!wna16.code<4, offset = 8>> -> !tile.val<64x64xf16>
    %sum = tile.mma %weights, %acts, %zero : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !tile.val<64x8xf32>
    %h = tile.cast %sum : !tile.val<64x8xf32> -> !tile.val<64x8xf16>
    tile.store %h, %y[%im, %in] transposed : !tile.val<64x8xf16>, !tile.global<8x64xf16, write>
  }
}

// -----

// Every block of a cluster owns half of the rows of the output, in whole rows.
// CHECK-DAG: #[[ACC:.*]] = #tile.linear<register = {{.*}}, warp = [] : [64, 8]>
// CHECK-DAG: #[[LOCAL:.*]] = #tile.linear<register = {{\[}}[1, 0], [2, 0], [4, 0]], lane = {{\[}}[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = {{\[}}[0, 4]] : [64, 8]>
// CHECK-DAG: #[[OWNED:.*]] = #tile.linear<register = {{\[}}[1, 0], [2, 0]], lane = {{\[}}[4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warp = {{\[}}[0, 2]], block = {{\[}}[0, 4]] : [64, 8]>
// CHECK: tile.combine {{.*}} : !tile.val<64x8xf32, #[[ACC]], partial<parts, blocks>> -> !tile.val<64x8xf32, #[[LOCAL]], partial<blocks>>
// CHECK: tile.combine {{.*}} over cluster : !tile.val<64x8xf32, #[[LOCAL]], partial<blocks>> -> !tile.val<64x8xf32, #[[OWNED]]>
// CHECK: tile.cast {{.*}} -> !tile.val<64x8xf16, #[[OWNED]]>
tile.kernel @two_blocks(%x: !tile.global<8x16xf16, read>, %w: !tile.global<16x64xf16, read>,
                        %y: !tile.global<8x64xf16, write>)
    attributes {arg_names = ["x", "w", "y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part, %block) tile [8, 64] of [8, 64] parts 2 blocks 2 {
    %c0 = arith.constant 0 : index
    %w0 = tile.load %w[%c0, %in] : !tile.global<16x64xf16, read> -> !tile.val<16x64xf16>
    %x0 = tile.load %x[%im, %c0] : !tile.global<8x16xf16, read> -> !tile.val<8x16xf16>
    %zero = tile.zero : !tile.val<64x8xf32, partial<parts, blocks>>
    %share = tile.mma %w0, %x0, %zero : !tile.val<16x64xf16>, !tile.val<8x16xf16>, !tile.val<64x8xf32, partial<parts, blocks>>
    %local = tile.combine %share : !tile.val<64x8xf32, partial<parts, blocks>> -> !tile.val<64x8xf32, partial<blocks>>
    %sum = tile.combine %local over cluster : !tile.val<64x8xf32, partial<blocks>> -> !tile.val<64x8xf32>
    %h = tile.cast %sum : !tile.val<64x8xf32> -> !tile.val<64x8xf16>
    tile.store %h, %y[%im, %in] transposed : !tile.val<64x8xf16>, !tile.global<8x64xf16, write>
  }
}

// -----

// Codes of 2 bits, four warps of a warpgroup with 16 columns each: a word holds the codes of
// two of them, and one bit of the register number counts those of the other. Each of the four
// rows of scales and zero points is for 16 rows of weights.
// CHECK-DAG: #[[CODES:.*]] = #tile.linear<register = {{\[}}[8, 0], [0, 8], [0, 0], [1, 0], [16, 0], [32, 0]], lane = {{\[}}[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = {{\[}}[0, 16], [0, 32]] : [64, 64]>
// CHECK-DAG: #[[SCALES:.*]] = #tile.linear<register = {{\[}}[0, 8], [1, 0], [2, 0]], lane = {{\[}}[0, 0], [0, 0], [0, 1], [0, 18], [0, 36]], warp = {{\[}}[0, 16], [0, 32]] : [4, 64]>
// CHECK: tile.kernel @narrow_codes_of_warpgroups
// CHECK: tile.load %{{.*}} -> !tile.val<64x64x!wna16.code<2>, #[[CODES]]>
// CHECK: tile.load_scales {{.*}} -> !tile.val<4x64xf16, #[[SCALES]]>
// CHECK: tile.load_scales {{.*}} -> !tile.val<4x64xf16, #[[SCALES]]>
!w2 = !tile.global<64x64x!wna16.code<2>, read, #wna16.layout<marlin>>
!s2 = !tile.global<4x64xf16, read, #wna16.layout<marlin_scales>>
!z2 = !tile.global<4x64x!wna16.code<4>, read, #wna16.layout<marlin_zeros>>
tile.kernel @narrow_codes_of_warpgroups(%x: !tile.global<?x64xf16, read>, %w: !w2, %s: !s2, %z: !z2, %m: index)
    attributes {arg_names = ["x", "w", "s", "z", "M"], warps = 4 : i64,
                schedule = #wna16.schedule<tile = [64, 16, 64], warps = [4, 1], stages = 2,
                  copy = tensor, math = wgmma, scales = weights, split = none, roles = producer_consumer>} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  tile.for_each_work (%im, %in) tile [16, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %codes = tile.load %w[%c0, %in] : !w2 -> !tile.val<64x64x!wna16.code<2>>
    %acts = tile.load %xb[%im, %c0] : !tile.global<?x64xf16, read> -> !tile.val<16x64xf16>
    %scales = tile.load_scales %s[k = %c0, n = %in] {group = 16 : i64} : !s2 -> !tile.val<4x64xf16>
    %zeros = tile.load_scales %z[k = %c0, n = %in] {group = 16 : i64} : !z2 -> !tile.val<4x64xf16>
    %weights = tile.dequant %codes zeros %zeros scales %scales
        : !tile.val<64x64x!wna16.code<2>> zeros !tile.val<4x64xf16> scales !tile.val<4x64xf16> -> !tile.val<64x64xf16>
    %zero = tile.zero : !tile.val<64x16xf32>
    %sum = tile.mma %weights, %acts, %zero : !tile.val<64x64xf16>, !tile.val<16x64xf16>, !tile.val<64x16xf32>
  }
}
