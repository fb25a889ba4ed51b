// RUN: wna16-opt %s --split-k --split-input-file --verify-diagnostics

#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 4], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = none, roles = uniform>

tile.kernel @split_c1_no_loop(%m: index)
    attributes {arg_names = ["M"], warps = 4 : i64, schedule = #schedule} {
  // expected-error @+1 {{'tile.for_each_work' op expected one loop over K with one accumulator to split, found 0 [SPLIT-C1]}}
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %zero = tile.zero : !tile.val<64x8xf32>
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 4], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = none, roles = uniform>
!acc = !tile.val<64x8xf32>

tile.kernel @split_c1_two_loops(%x: !tile.global<?x256xf16, read>, %w: !tile.global<256x64xf16, read>, %m: index)
    attributes {arg_names = ["x", "w", "M"], warps = 4 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !tile.global<?x256xf16, read>
  // expected-error @+1 {{'tile.for_each_work' op expected one loop over K with one accumulator to split, found 2 [SPLIT-C1]}}
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %zero = tile.zero : !acc
    %half = scf.for %k = %c0 to %c128 step %c64 iter_args(%acc = %zero) -> (!acc) {
      %weights = tile.load %w[%k, %in] : !tile.global<256x64xf16, read> -> !tile.val<64x64xf16>
      %acts = tile.load %xb[%im, %k] : !tile.global<?x256xf16, read> -> !tile.val<8x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !acc
      scf.yield %next : !acc
    }
    %sum = scf.for %k = %c128 to %c256 step %c64 iter_args(%acc = %half) -> (!acc) {
      %weights = tile.load %w[%k, %in] : !tile.global<256x64xf16, read> -> !tile.val<64x64xf16>
      %acts = tile.load %xb[%im, %k] : !tile.global<?x256xf16, read> -> !tile.val<8x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !acc
      scf.yield %next : !acc
    }
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 4], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = none, roles = uniform>
!acc = !tile.val<64x8xf32>

tile.kernel @split_c1_two_accumulators(%x: !tile.global<?x256xf16, read>, %w: !tile.global<256x64xf16, read>, %m: index)
    attributes {arg_names = ["x", "w", "M"], warps = 4 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !tile.global<?x256xf16, read>
  // expected-error @+1 {{'tile.for_each_work' op expected one loop over K with one accumulator to split, found 0 [SPLIT-C1]}}
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %zero = tile.zero : !acc
    %sums:2 = scf.for %k = %c0 to %c256 step %c64 iter_args(%a = %zero, %b = %zero) -> (!acc, !acc) {
      %weights = tile.load %w[%k, %in] : !tile.global<256x64xf16, read> -> !tile.val<64x64xf16>
      %acts = tile.load %xb[%im, %k] : !tile.global<?x256xf16, read> -> !tile.val<8x64xf16>
      %next = tile.mma %weights, %acts, %a : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !acc
      %other = tile.mma %weights, %acts, %b : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !acc
      scf.yield %next, %other : !acc, !acc
    }
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 4], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = cluster, roles = uniform, blocks = 4>
!acc = !tile.val<64x8xf32>

tile.kernel @split_c2_fewer_steps_than_blocks(%x: !tile.global<8x192xf16, read>, %w: !tile.global<192x64xf16, read>)
    attributes {arg_names = ["x", "w"], warps = 4 : i64, schedule = #schedule} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    // expected-error @+1 {{'scf.for' op expected a loop over K from 0 in steps of 1 to a constant of at least 4, a step for each block [SPLIT-C2]}}
    %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (!acc) {
      %k = arith.muli %i, %c64 : index
      %weights = tile.load %w[%k, %in] : !tile.global<192x64xf16, read> -> !tile.val<64x64xf16>
      %acts = tile.load %x[%im, %k] : !tile.global<8x192xf16, read> -> !tile.val<8x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !acc
      scf.yield %next : !acc
    }
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 4], stages = 3, copy = cp_async,
  math = mma, scales = weights, split = ticket, roles = uniform, blocks = 2>
!acc = !tile.val<64x8xf32>

// expected-error @+1 {{'tile.kernel' op expected max_m, and at most 1073741824 bytes of shares: of 2 blocks for 64 columns in each of max_m rows [SPLIT-C3]}}
tile.kernel @split_c3_any_rows(%x: !tile.global<?x256xf16, read>, %w: !tile.global<256x64xf16, read>, %m: index)
    attributes {arg_names = ["x", "w", "M"], warps = 4 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !tile.global<?x256xf16, read>
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (!acc) {
      %k = arith.muli %i, %c64 : index
      %weights = tile.load %w[%k, %in] : !tile.global<256x64xf16, read> -> !tile.val<64x64xf16>
      %acts = tile.load %xb[%im, %k] : !tile.global<?x256xf16, read> -> !tile.val<8x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !acc
      scf.yield %next : !acc
    }
  }
}
