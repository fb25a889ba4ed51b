// RUN: wna16-opt %s --pipeline-loads --split-input-file --verify-diagnostics

#schedule = #wna16.schedule<tile = [64, 8, 32], warps = [1, 1], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
!x = !tile.global<?x64xf16, read>
!w = !tile.global<64x64xf16, read>
!acc = !tile.val<64x8xf32>
!weights = !tile.val<32x64xf16>
!acts = !tile.val<8x32xf16>

tile.kernel @pipe_c1(%x: !x, %w: !w, %m: index)
    attributes {arg_names = ["x", "w", "M"], warps = 1 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zero = tile.zero : !acc
    // expected-error @+1 {{'scf.for' op expected layouts; run assign-layouts first [PIPE-C1]}}
    %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (!acc) {
      %k = arith.muli %i, %c32 : index
      %weights = tile.load %w[%k, %in] : !w -> !weights
      %acts = tile.load %xb[%im, %k] : !x -> !acts
      %next = tile.mma %weights, %acts, %acc : !weights, !acts, !acc
      scf.yield %next : !acc
    }
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 32], warps = [1, 1], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#acts = #tile.linear<register = [[0, 1], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 32]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
!x = !tile.global<?x64xf16, read>
!w = !tile.global<64x64xf16, read>
!acc = !tile.val<64x8xf32, #acc>
!weights = !tile.val<32x64xf16, #weights>
!acts = !tile.val<8x32xf16, #acts>

tile.kernel @pipe_c2_row(%x: !x, %w: !w, %m: index)
    attributes {arg_names = ["x", "w", "M"], warps = 1 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zero = tile.zero : !acc
    %sums:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero, %k = %c0) -> (!acc, index) {
      // expected-error @+1 {{'tile.load' op expected coordinates that depend on the loop counter, not on a carried value [PIPE-C2]}}
      %weights = tile.load %w[%k, %in] : !w -> !weights
      %acts = tile.load %xb[%im, %k] : !x -> !acts
      %next = tile.mma %weights, %acts, %acc : !weights, !acts, !acc
      %following = arith.addi %k, %c32 : index
      scf.yield %next, %following : !acc, index
    }
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 32], warps = [1, 1], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#acts = #tile.linear<register = [[0, 1], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 32]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
!x = !tile.global<?x64xf16, read>
!w = !tile.global<64x64xf16, read>
!acc = !tile.val<64x8xf32, #acc>
!s = !tile.global<2x64xf16, read, #wna16.layout<marlin_scales>>
!weights = !tile.val<32x64xf16, #weights>
!acts = !tile.val<8x32xf16, #acts>
!scales = !tile.val<1x64xf16, #scales>

tile.kernel @pipe_c2_scales(%x: !x, %w: !w, %s: !s, %m: index)
    attributes {arg_names = ["x", "w", "s", "M"], warps = 1 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zero = tile.zero : !acc
    %sums:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero, %j = %c0) -> (!acc, index) {
      %k = arith.muli %i, %c32 : index
      %group = arith.muli %j, %c32 : index
      %weights = tile.load %w[%k, %in] : !w -> !weights
      %acts = tile.load %xb[%im, %k] : !x -> !acts
      // expected-error @+1 {{'tile.load_scales' op expected coordinates that depend on the loop counter, not on a carried value [PIPE-C2]}}
      %scales = tile.load_scales %s[k = %group, n = %in] {group = 32 : i64} : !s -> !scales
      %product = tile.mma %weights, %acts, %zero : !weights, !acts, !acc
      %next = tile.scale_acc %acc, %product, %scales : !acc, !scales
      %following = arith.addi %j, %c1 : index
      scf.yield %next, %following : !acc, index
    }
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 32], warps = [1, 1], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [32, 8]>
#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 32]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 32]>
#acts = #tile.linear<register = [[0, 1], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 32]>
#scales = #tile.linear<register = [[0, 8], [0, 16]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
!x = !tile.global<?x64xf16, read>
!w = !tile.global<64x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!codes = !tile.val<32x32x!wna16.code<4, offset = 8>, #codes>
!acc = !tile.val<32x8xf32, #acc>

tile.kernel @narrower_than_its_layout(%x: !x, %w: !w, %m: index)
    attributes {arg_names = ["x", "w", "M"], warps = 1 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 32] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zero = tile.zero : !acc
    %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (!acc) {
      %k = arith.muli %i, %c32 : index
      // expected-error @+1 {{'tile.load' op cannot be a field of a ring: layout 'marlin' expects N (32) to be a multiple of 64 [LAY4]}}
      %codes = tile.load %w[%k, %in] : !w -> !codes
      %acts = tile.load %xb[%im, %k] : !x -> !tile.val<8x32xf16, #acts>
      %weights = tile.dequant %codes : !codes -> !tile.val<32x32xf16, #weights>
      %next = tile.mma %weights, %acts, %acc : !tile.val<32x32xf16, #weights>, !tile.val<8x32xf16, #acts>, !acc
      scf.yield %next : !acc
    }
  }
}
