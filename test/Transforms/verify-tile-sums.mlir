// RUN: wna16-opt %s --verify-tile --split-input-file --verify-diagnostics

// Tiles: from where they are loaded to the sum that they end up in. The first kernel of
// each kind is right; the others differ from it in one thing.

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @right(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @sum_v1_last_step_missing(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %c48 = arith.constant 48 : index
    %share = scf.for %k = %c0 to %c48 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    // expected-error @+1 {{'tile.cast' op row 48 of K is never summed [SUM-V1]}}
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @sum_v1_first_step_missing(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c16 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    // expected-error @+1 {{'tile.cast' op row 0 of K is never summed [SUM-V1]}}
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @sum_v1_every_other_step(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> (!acc) {
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    // expected-error @+1 {{'tile.cast' op row 16 of K is never summed [SUM-V1]}}
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @sum_v1_twice(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %even = arith.divui %k, %c32 : index
      %half = arith.muli %even, %c32 : index
      %w = tile.load %wg[%half, %in] : !wg -> !w
      %x = tile.load %xg[%im, %half] : !xg -> !x
      %s = tile.load_scales %sg[k = %half, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    // expected-error @+1 {{'tile.cast' op row 0 of K is summed twice [SUM-V1]}}
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @mma_v1(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %other = arith.xori %k, %c16 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %other] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %in] {group = 16 : i64} : !sg -> !s
      // expected-error @+1 {{'tile.mma' op part 0: multiplies rows 0 to 15 of the weights by columns 16 to 31 of the activations [MMA-V1]}}
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @ord4_scales_of_another_group(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %other = arith.xori %k, %c16 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %other, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      // expected-error @+1 {{'tile.scale_acc' op part 0: the weights are rows 0 to 15, columns 0 to 15, but their scales are for rows 16 to 31, columns 0 to 15 [ORD4]}}
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @ord4_scales_of_other_columns(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %other = arith.xori %in, %c16 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %other] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      // expected-error @+1 {{'tile.scale_acc' op part 0: the weights are rows 0 to 15, columns 0 to 15, but their scales are for rows 0 to 15, columns 16 to 31 [ORD4]}}
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @right_with_scales_one_step_ahead(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %c48 = arith.constant 48 : index
    %s0 = tile.load_scales %sg[k = %c0, n = %in] {group = 16 : i64} : !sg -> !s
    %share, %rest = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero, %s = %s0) -> (!acc, !s) {
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      %following = arith.addi %k, %c16 : index
      %inside = arith.minsi %following, %c48 : index
      %ahead = tile.load_scales %sg[k = %inside, n = %in] {group = 16 : i64} : !sg -> !s
      scf.yield %next, %ahead : !acc, !s
    }
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @ord4_scales_two_steps_ahead(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %c48 = arith.constant 48 : index
    %s0 = tile.load_scales %sg[k = %c0, n = %in] {group = 16 : i64} : !sg -> !s
    %share, %rest = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero, %s = %s0) -> (!acc, !s) {
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      // expected-error @+1 {{'tile.scale_acc' op part 0: the weights are rows 16 to 31, columns 0 to 15, but their scales are for rows 32 to 47, columns 0 to 15 [ORD4]}}
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      %following = arith.addi %k, %c32 : index
      %inside = arith.minsi %following, %c48 : index
      %ahead = tile.load_scales %sg[k = %inside, n = %in] {group = 16 : i64} : !sg -> !s
      scf.yield %next, %ahead : !acc, !s
    }
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @ord4_scales_not_carried_on(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %c48 = arith.constant 48 : index
    %s0 = tile.load_scales %sg[k = %c0, n = %in] {group = 16 : i64} : !sg -> !s
    %share, %rest = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero, %s = %s0) -> (!acc, !s) {
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      // expected-error @+1 {{'tile.scale_acc' op part 0: the weights are rows 16 to 31, columns 0 to 15, but their scales are for rows 0 to 15, columns 0 to 15 [ORD4]}}
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      %following = arith.addi %k, %c0 : index
      %inside = arith.minsi %following, %c48 : index
      %ahead = tile.load_scales %sg[k = %inside, n = %in] {group = 16 : i64} : !sg -> !s
      scf.yield %next, %ahead : !acc, !s
    }
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc, partial>
!sum = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @right_in_two_parts(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 16] of [8, 32] parts 2 {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %first = arith.muli %part, %c16 : index
    %share = scf.for %k = %first to %c64 step %c32 iter_args(%acc = %zero) -> (!acc) {
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    %sum = tile.combine %share : !acc -> !sum
    %h = tile.cast %sum : !sum -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc, partial>
!sum = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @sum_v1_part_missing(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 16] of [8, 32] parts 2 {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %first = arith.muli %part, %c0 : index
    %share = scf.for %k = %first to %c64 step %c32 iter_args(%acc = %zero) -> (!acc) {
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    // expected-error @+1 {{'tile.combine' op row 0 of K is summed twice [SUM-V1]}}
    %sum = tile.combine %share : !acc -> !sum
    %h = tile.cast %sum : !sum -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc, partial>
!sum = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @sum_v1_parts_overlap(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 16] of [8, 32] parts 2 {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %first = arith.muli %part, %c16 : index
    %share = scf.for %k = %first to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    // expected-error @+1 {{'tile.combine' op row 16 of K is summed twice [SUM-V1]}}
    %sum = tile.combine %share : !acc -> !sum
    %h = tile.cast %sum : !sum -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc, partial>
!sum = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @ord4_scales_in_the_second_part(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 16] of [8, 32] parts 2 {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %first = arith.muli %part, %c16 : index
    %share = scf.for %k = %first to %c64 step %c32 iter_args(%acc = %zero) -> (!acc) {
      %pair = arith.divui %k, %c32 : index
      %even = arith.muli %pair, %c32 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %even, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      // expected-error @+1 {{'tile.scale_acc' op part 1: the weights are rows 16 to 31, columns 0 to 15, but their scales are for rows 0 to 15, columns 0 to 15 [ORD4]}}
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    %sum = tile.combine %share : !acc -> !sum
    %h = tile.cast %sum : !sum -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
!wg = !tile.global<32x128x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!w = !tile.val<16x64x!wna16.code<4, offset = 8>, #codes>

// Columns of packed storage all exist.
tile.kernel @bound_v1_weights(%wg: !wg) attributes {arg_names = ["w"], warps = 1 : i64} {
  tile.for_each_work (%ik, %in) tile [16, 64] of [32, 128] {
    %c128 = arith.constant 128 : index
    %beyond = arith.addi %in, %c128 : index
    // expected-error @+1 {{'tile.load' op reaches row 15, columns 128 to 191 of a matrix of 32 rows and 128 columns [BOUND-V1]}}
    %w = tile.load %wg[%ik, %beyond] : !wg -> !w
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @mma_v1_columns_beyond_k(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %beyond = arith.addi %k, %c64 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %beyond] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %in] {group = 16 : i64} : !sg -> !s
      // expected-error @+1 {{'tile.mma' op part 0: multiplies rows 0 to 15 of the weights by columns 64 to 79 of the activations [MMA-V1]}}
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @bound_v1_activations_before_row_0(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %before = arith.subi %im, %c16 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      // expected-error @+1 {{'tile.load' op reaches row -9, columns 0 to 15 of a matrix of 8 rows and 64 columns [BOUND-V1]}}
      %x = tile.load %xg[%before, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @bound_v1_scales(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %beyond = arith.addi %in, %c32 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      // expected-error @+1 {{'tile.load_scales' op reaches row 0, columns 32 to 47 of a matrix of 4 rows and 32 columns [BOUND-V1]}}
      %s = tile.load_scales %sg[k = %k, n = %beyond] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @bound_v1_group(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %beyond = arith.addi %k, %c64 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      // expected-error @+1 {{'tile.load_scales' op reaches row 4, columns 0 to 15 of a matrix of 4 rows and 32 columns [BOUND-V1]}}
      %s = tile.load_scales %sg[k = %beyond, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    %h = tile.cast %share : !acc -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !yg
  }
}

// -----

#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
!wg = !tile.global<32x128x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!w = !tile.val<16x64x!wna16.code<4, offset = 8>, #codes>

// The first tile of outputs is right; the last is not.
tile.kernel @bound_v1_last_tile_of_a_row(%wg: !wg) attributes {arg_names = ["w"], warps = 1 : i64} {
  tile.for_each_work (%ik, %in) tile [16, 64] of [32, 128] {
    %c2 = arith.constant 2 : index
    %moved = arith.muli %in, %c2 : index
    // expected-error @+1 {{'tile.load' op reaches row 31, columns 128 to 191 of a matrix of 32 rows and 128 columns [BOUND-V1]}}
    %w = tile.load %wg[%ik, %moved] : !wg -> !w
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @store_v1_columns_beyond_n(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    %h = tile.cast %share : !acc -> !h
    %beyond = arith.addi %in, %c32 : index
    // expected-error @+1 {{'tile.store' op stores rows 0 to 7, columns 0 to 15 of the product at rows 0 to 7, columns 32 to 47 [STORE-V1]}}
    tile.store %h, %y[%im, %beyond] transposed : !h, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @store_v1(%xg: !xg, %wg: !wg, %sg: !sg, %y: !yg)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    %h = tile.cast %share : !acc -> !h
    %other = arith.xori %in, %c16 : index
    // expected-error @+1 {{'tile.store' op stores rows 0 to 7, columns 0 to 15 of the product at rows 0 to 7, columns 16 to 31 [STORE-V1]}}
    tile.store %h, %y[%im, %other] transposed : !h, !yg
  }
}

// -----

#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
!wg = !tile.global<32x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!sg = !tile.global<2x64xf16, read, #wna16.layout<marlin_scales>>
!w = !tile.val<16x64x!wna16.code<4, offset = 8>, #codes>
!s = !tile.val<1x64xf16, #scales>
!h = !tile.val<16x64xf16, #weights>

// Scales on weights, before any product.
tile.kernel @ord4_dequant(%wg: !wg, %sg: !sg) attributes {arg_names = ["w", "s"], warps = 1 : i64} {
  tile.for_each_work (%ik, %in) tile [16, 64] of [32, 64] {
    %c16 = arith.constant 16 : index
    %next = arith.addi %ik, %c16 : index
    %w = tile.load %wg[%ik, %in] : !wg -> !w
    %s = tile.load_scales %sg[k = %next, n = %in] {group = 16 : i64} : !sg -> !s
    // expected-error @+1 {{'tile.dequant' op part 0: the weights are rows 0 to 15, columns 0 to 63, but their scales are for rows 16 to 31, columns 0 to 63 [ORD4]}}
    %h = tile.dequant %w scales %s : !w scales !s -> !h
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
!acc = !tile.val<16x8xf32, #acc>

// A sum that is stored as it is, in fp32.
tile.kernel @sum_v1_f32_store(%wg: !tile.global<32x16xf16, read>, %xg: !tile.global<8x32xf16, read>, %y: !tile.global<8x16xf32, write>)
    attributes {arg_names = ["w", "x", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 16] {
    %c0 = arith.constant 0 : index
    %w = tile.load %wg[%c0, %in] : !tile.global<32x16xf16, read> -> !tile.val<16x16xf16, #weights>
    %x = tile.load %xg[%im, %c0] : !tile.global<8x32xf16, read> -> !tile.val<8x16xf16, #acts>
    %zero = tile.zero : !acc
    %half = tile.mma %w, %x, %zero : !tile.val<16x16xf16, #weights>, !tile.val<8x16xf16, #acts>, !acc
    // expected-error @+1 {{'tile.store' op row 16 of K is never summed [SUM-V1]}}
    tile.store %half, %y[%im, %in] transposed : !acc, !tile.global<8x16xf32, write>
  }
}

// -----

#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
!code = !wna16.code<4, offset = 8>
!wg = !tile.global<32x128x!code, read, #wna16.layout<marlin>>
!ring = !tile.ring<1, [<"w", !tile.val<16x64x!code>, #wna16.layout<marlin>>]>

tile.kernel @bound_v1_fill(%wg: !wg) attributes {arg_names = ["w"], warps = 1 : i64} {
  tile.for_each_work (%ik, %in) tile [16, 64] of [32, 128] {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %late = arith.addi %in, %c64 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    // expected-error @+1 {{'tile.fill' op reaches row 31, columns 128 to 191 of a matrix of 32 rows and 128 columns [BOUND-V1]}}
    tile.fill "w" of %ring[%c0] = %wg[%ik, %late] threads(#codes) : !ring, !wg
    tile.commit %ring[%c0] : !ring
    tile.wait %ring[%c0] : !ring
    tile.release %ring[%c0] : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<1, [<"x", !tile.val<4x64xf16>>]>

// Columns without packed storage end where they end: the tile is all zeros there, and is
// not stored.
tile.kernel @right_past_columns(%x: !tile.global<8x72xf16, read>, %y: !tile.global<8x41xf16, write>)
    attributes {arg_names = ["x", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 128] {
    %c0 = arith.constant 0 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%im, %in] threads(#rows) : !ring, !tile.global<8x72xf16, read>
    tile.commit %ring[%c0] : !ring
    tile.wait %ring[%c0] : !ring
    %v = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !tile.val<4x64xf16, #rows>
    tile.release %ring[%c0] : !ring
    tile.store %v, %y[%im, %in] : !tile.val<4x64xf16, #rows>, !tile.global<8x41xf16, write>
  }
}

// A copy is stored as it is.
tile.kernel @right_copy(%x: !tile.global<8x128xf16, read>, %y: !tile.global<8x128xf16, write>)
    attributes {arg_names = ["x", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 128] {
    %v = tile.load %x[%im, %in] : !tile.global<8x128xf16, read> -> !tile.val<4x64xf16, #rows>
    tile.store %v, %y[%im, %in] : !tile.val<4x64xf16, #rows>, !tile.global<8x128xf16, write>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
!acc = !tile.val<16x8xf32, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
tile.kernel @mma_v2(%xg: !xg, %wg: !wg) attributes {arg_names = ["x", "w"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 16] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %sum = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      // Columns 0 and 16 in turn.
      %column = arith.andi %k, %c16 : index
      %w = tile.load %wg[%k, %column] : !wg -> !tile.val<16x16xf16, #weights>
      %x = tile.load %xg[%im, %k] : !xg -> !tile.val<8x16xf16, #acts>
      // expected-error @+1 {{'tile.mma' op part 0: adds rows 0 to 7, columns 16 to 31 to a sum of other outputs [MMA-V2]}}
      %next = tile.mma %w, %x, %acc : !tile.val<16x16xf16, #weights>, !tile.val<8x16xf16, #acts>, !acc
      scf.yield %next : !acc
    }
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!acc = !tile.val<16x8xf32, #acc>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!s = !tile.val<1x16xf16, #scales>
!h = !tile.val<16x8xf16, #acc>
!wg = !tile.global<64x32xf16, read>
!xg = !tile.global<8x64xf16, read>
!sg = !tile.global<4x32xf16, read>
!yg = !tile.global<8x32xf16, write>
tile.kernel @store_v2(%xg: !xg, %wg: !wg, %sg: !sg, %y: !tile.global<16x32xf16, write>)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 32] {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = tile.zero : !acc
    %share = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!acc) {
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %s = tile.load_scales %sg[k = %k, n = %in] {group = 16 : i64} : !sg -> !s
      %product = tile.mma %w, %x, %zero : !w, !x, !acc
      %next = tile.scale_acc %acc, %product, %s : !acc, !s
      scf.yield %next : !acc
    }
    %h = tile.cast %share : !acc -> !h
    // expected-error @+1 {{'tile.store' op stores a product, which is N x M, without transposed [STORE-V2]}}
    tile.store %h, %y[%c0, %c0] : !h, !tile.global<16x32xf16, write>
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
tile.kernel @store_v3(%x: !tile.global<8x128xf16, read>, %y: !tile.global<8x128xf16, write>)
    attributes {arg_names = ["x", "y"], warps = 1 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected stores of the whole tile (512 elements), found 256 [STORE-V3]}}
  tile.for_each_work (%im, %in) tile [4, 128] of [8, 128] {
    %v = tile.load %x[%im, %in] : !tile.global<8x128xf16, read> -> !tile.val<4x64xf16, #rows>
    tile.store %v, %y[%im, %in] : !tile.val<4x64xf16, #rows>, !tile.global<8x128xf16, write>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 4]] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 0]], block = [[0, 4]] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
!acc = !tile.val<16x8xf32, #acc, partial<parts, blocks>>
!local = !tile.val<16x8xf32, #rows, partial<blocks>>
!sum = !tile.val<16x8xf32, #owned>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!wg = !tile.global<112x32xf16, read>
!xg = !tile.global<8x112xf16, read>
!yg = !tile.global<8x32xf32, write>
// Seven steps: four of the first block, three of the second, for two parts each.
tile.kernel @right_in_two_blocks(%xg: !xg, %wg: !wg, %y: !yg) attributes {arg_names = ["x", "w", "y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part, %block) tile [8, 16] of [8, 32] parts 2 blocks 2 {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %zero = tile.zero : !acc
    %first = arith.muli %block, %c4 : index
    %count = arith.subi %c4, %block : index
    %share = scf.for %i = %part to %count step %c2 iter_args(%acc = %zero) -> (!acc) {
      %step = arith.addi %first, %i : index
      %k = arith.muli %step, %c16 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %next = tile.mma %w, %x, %acc : !w, !x, !acc
      scf.yield %next : !acc
    }
    %local = tile.combine %share : !acc -> !local
    %sum = tile.combine %local over cluster rows %c8 : !local -> !sum
    tile.store %sum, %y[%im, %in] transposed : !sum, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 4]] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 0]], block = [[0, 4]] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
!acc = !tile.val<16x8xf32, #acc, partial<parts, blocks>>
!local = !tile.val<16x8xf32, #rows, partial<blocks>>
!sum = !tile.val<16x8xf32, #owned>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!wg = !tile.global<112x32xf16, read>
!xg = !tile.global<8x112xf16, read>
!yg = !tile.global<8x32xf32, write>
// Seven steps: four of the first block, three of the second, for two parts each.
tile.kernel @sum_v1_between_blocks(%xg: !xg, %wg: !wg, %y: !yg) attributes {arg_names = ["x", "w", "y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part, %block) tile [8, 16] of [8, 32] parts 2 blocks 2 {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %zero = tile.zero : !acc
    %first = arith.muli %block, %c4 : index
    %count = arith.subi %c3, %block : index
    %share = scf.for %i = %part to %count step %c2 iter_args(%acc = %zero) -> (!acc) {
      %step = arith.addi %first, %i : index
      %k = arith.muli %step, %c16 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %next = tile.mma %w, %x, %acc : !w, !x, !acc
      scf.yield %next : !acc
    }
    %local = tile.combine %share : !acc -> !local
    // expected-error @+1 {{'tile.combine' op row 48 of K is never summed [SUM-V1]}}
    %sum = tile.combine %local over cluster rows %c8 : !local -> !sum
    tile.store %sum, %y[%im, %in] transposed : !sum, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 4]] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 0]], block = [[0, 4]] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
!acc = !tile.val<16x8xf32, #acc, partial<parts, blocks>>
!local = !tile.val<16x8xf32, #rows, partial<blocks>>
!sum = !tile.val<16x8xf32, #owned>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!wg = !tile.global<112x32xf16, read>
!xg = !tile.global<8x112xf16, read>
!yg = !tile.global<8x32xf32, write>
// Seven steps: four of the first block, three of the second, for two parts each.
tile.kernel @sum_v1_in_two_blocks(%xg: !xg, %wg: !wg, %y: !yg) attributes {arg_names = ["x", "w", "y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part, %block) tile [8, 16] of [8, 32] parts 2 blocks 2 {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %zero = tile.zero : !acc
    %first = arith.muli %block, %c3 : index
    %count = arith.subi %c4, %block : index
    %share = scf.for %i = %part to %count step %c2 iter_args(%acc = %zero) -> (!acc) {
      %step = arith.addi %first, %i : index
      %k = arith.muli %step, %c16 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %next = tile.mma %w, %x, %acc : !w, !x, !acc
      scf.yield %next : !acc
    }
    %local = tile.combine %share : !acc -> !local
    // expected-error @+1 {{'tile.combine' op row 48 of K is summed twice [SUM-V1]}}
    %sum = tile.combine %local over cluster rows %c8 : !local -> !sum
    tile.store %sum, %y[%im, %in] transposed : !sum, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 4]] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 0]], block = [[0, 4]] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
!acc = !tile.val<16x8xf32, #acc, partial<parts, blocks>>
!local = !tile.val<16x8xf32, #rows, partial<blocks>>
!sum = !tile.val<16x8xf32, #owned>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!wg = !tile.global<112x32xf16, read>
!xg = !tile.global<8x112xf16, read>
!yg = !tile.global<8x32xf32, write>
// Seven steps: four of the first block, three of the second, for two parts each.
tile.kernel @sum_v2_rows(%xg: !xg, %wg: !wg, %y: !yg) attributes {arg_names = ["x", "w", "y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part, %block) tile [8, 16] of [8, 32] parts 2 blocks 2 {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %zero = tile.zero : !acc
    %first = arith.muli %block, %c4 : index
    %count = arith.subi %c4, %block : index
    %share = scf.for %i = %part to %count step %c2 iter_args(%acc = %zero) -> (!acc) {
      %step = arith.addi %first, %i : index
      %k = arith.muli %step, %c16 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %next = tile.mma %w, %x, %acc : !w, !x, !acc
      scf.yield %next : !acc
    }
    %local = tile.combine %share : !acc -> !local
    // expected-error @+1 {{'tile.combine' op sums 4 rows of a tile of which 8 exist [SUM-V2]}}
    %sum = tile.combine %local over cluster rows %c4 : !local -> !sum
    tile.store %sum, %y[%im, %in] transposed : !sum, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 4]] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 0]], block = [[0, 4]] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
!acc = !tile.val<16x8xf32, #acc, partial<parts, blocks>>
!local = !tile.val<16x8xf32, #rows, partial<blocks>>
!sum = !tile.val<16x8xf32, #owned>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!wg = !tile.global<112x32xf16, read>
!xg = !tile.global<8x112xf16, read>
!yg = !tile.global<8x32xf32, write>
// Seven steps: four of the first block, three of the second, for two parts each.
tile.kernel @sum_v2_rows_of_parts(%xg: !xg, %wg: !wg, %y: !yg) attributes {arg_names = ["x", "w", "y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part, %block) tile [8, 16] of [8, 32] parts 2 blocks 2 {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %zero = tile.zero : !acc
    %first = arith.muli %block, %c4 : index
    %count = arith.subi %c4, %block : index
    %share = scf.for %i = %part to %count step %c2 iter_args(%acc = %zero) -> (!acc) {
      %step = arith.addi %first, %i : index
      %k = arith.muli %step, %c16 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %next = tile.mma %w, %x, %acc : !w, !x, !acc
      scf.yield %next : !acc
    }
    // expected-error @+1 {{'tile.combine' op sums 4 rows of a tile of which 8 exist [SUM-V2]}}
    %local = tile.combine %share rows %c4 : !acc -> !local
    %sum = tile.combine %local over cluster rows %c8 : !local -> !sum
    tile.store %sum, %y[%im, %in] transposed : !sum, !yg
  }
}

// -----

#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#halves = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [32, 64]>
#rows = #tile.linear<register = [[0, 8], [0, 16], [0, 32], [1, 0]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [2, 64]>
!wg = !tile.global<64x64x!wna16.code<4>, read, #wna16.layout<marlin>>
!sg = !tile.global<4x64xf16, read, #wna16.layout<marlin_scales>>
!zg = !tile.global<4x64x!wna16.code<4>, read, #wna16.layout<marlin_zeros>>
!w = !tile.val<32x64x!wna16.code<4>, #codes>
!s = !tile.val<2x64xf16, #rows>
!h = !tile.val<32x64xf16, #halves>

// Two groups in a step: zero points of the first step, and scales of the second.
tile.kernel @ord4_zeros_of_another_group(%wg: !wg, %sg: !sg, %zg: !zg) attributes {arg_names = ["w", "s", "z"], warps = 1 : i64} {
  tile.for_each_work (%ik, %in) tile [32, 64] of [64, 64] {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %w = tile.load %wg[%c32, %in] : !wg -> !w
    %s = tile.load_scales %sg[k = %c32, n = %in] {group = 16 : i64} : !sg -> !s
    %z = tile.load_scales %zg[k = %c0, n = %in] {group = 16 : i64} : !zg -> !s
    // expected-error @+1 {{'tile.dequant' op part 0: the weights are rows 32 to 47, columns 0 to 63, but their zero points are for rows 0 to 15, columns 0 to 63 [ORD4]}}
    %h = tile.dequant %w zeros %z scales %s : !w zeros !s scales !s -> !h
  }
}

// -----

#rows = #tile.linear<register = [[0, 8], [0, 16], [0, 32], [1, 0]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [2, 64]>
!sg = !tile.global<4x64xf16, read, #wna16.layout<marlin_scales>>

// Several rows of scales begin with a group.
tile.kernel @ord4_rows_from_inside_of_a_group(%sg: !sg) attributes {arg_names = ["s"], warps = 1 : i64} {
  tile.for_each_work (%ik, %in) tile [32, 64] of [64, 64] {
    %c8 = arith.constant 8 : index
    // expected-error @+1 {{'tile.load_scales' op begins at row 8 of K, inside of a group of 16; several rows of scales are for whole groups [ORD4]}}
    %s = tile.load_scales %sg[k = %c8, n = %in] {group = 16 : i64} : !sg -> !tile.val<2x64xf16, #rows>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 4]] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 0]], block = [[0, 4]] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
!acc = !tile.val<16x8xf32, #acc, partial<parts, blocks>>
!local = !tile.val<16x8xf32, #rows, partial<blocks>>
!sum = !tile.val<16x8xf32, #rows>
!shares = !tile.global<8x64xf32, workspace>
!tickets = !tile.global<1x2xi32, workspace>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!wg = !tile.global<112x32xf16, read>
!xg = !tile.global<8x112xf16, read>
!yg = !tile.global<8x32xf32, write>
// Seven steps: four of the first block, three of the second, for two parts each.
tile.kernel @right_by_ticket(%xg: !xg, %wg: !wg, %y: !yg, %shares: !shares, %tickets: !tickets) attributes {arg_names = ["x", "w", "y", "shares", "tickets"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part, %block) tile [8, 16] of [8, 32] parts 2 blocks 2 {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %zero = tile.zero : !acc
    %first = arith.muli %block, %c4 : index
    %count = arith.subi %c4, %block : index
    %share = scf.for %i = %part to %count step %c2 iter_args(%acc = %zero) -> (!acc) {
      %step = arith.addi %first, %i : index
      %k = arith.muli %step, %c16 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %next = tile.mma %w, %x, %acc : !w, !x, !acc
      scf.yield %next : !acc
    }
    %local = tile.combine %share : !acc -> !local
    %sum, %last = tile.combine_by_ticket %local, %shares[%im, %in], %tickets rows %c8 : !local, !shares, !tickets -> !sum
    tile.store %sum, %y[%im, %in] transposed if %last : !sum, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 4]] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 0]], block = [[0, 4]] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
!acc = !tile.val<16x8xf32, #acc, partial<parts, blocks>>
!local = !tile.val<16x8xf32, #rows, partial<blocks>>
!sum = !tile.val<16x8xf32, #rows>
!shares = !tile.global<4x64xf32, workspace>
!tickets = !tile.global<1x2xi32, workspace>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!wg = !tile.global<112x32xf16, read>
!xg = !tile.global<8x112xf16, read>
!yg = !tile.global<8x32xf32, write>
// Seven steps: four of the first block, three of the second, for two parts each.
tile.kernel @ticket_v1(%xg: !xg, %wg: !wg, %y: !yg, %shares: !shares, %tickets: !tickets) attributes {arg_names = ["x", "w", "y", "shares", "tickets"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part, %block) tile [8, 16] of [8, 32] parts 2 blocks 2 {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %zero = tile.zero : !acc
    %first = arith.muli %block, %c4 : index
    %count = arith.subi %c4, %block : index
    %share = scf.for %i = %part to %count step %c2 iter_args(%acc = %zero) -> (!acc) {
      %step = arith.addi %first, %i : index
      %k = arith.muli %step, %c16 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %next = tile.mma %w, %x, %acc : !w, !x, !acc
      scf.yield %next : !acc
    }
    %local = tile.combine %share : !acc -> !local
    // expected-error @+1 {{'tile.combine_by_ticket' op writes a share of row 7 to a workspace of 4 rows [TICKET-V1]}}
    %sum, %last = tile.combine_by_ticket %local, %shares[%im, %in], %tickets rows %c8 : !local, !shares, !tickets -> !sum
    tile.store %sum, %y[%im, %in] transposed if %last : !sum, !yg
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 4]] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 0]], block = [[0, 4]] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
!acc = !tile.val<16x8xf32, #acc, partial<parts, blocks>>
!local = !tile.val<16x8xf32, #rows, partial<blocks>>
!sum = !tile.val<16x8xf32, #rows>
!shares = !tile.global<8x64xf32, workspace>
!tickets = !tile.global<1x2xi32, workspace>
!w = !tile.val<16x16xf16, #weights>
!x = !tile.val<8x16xf16, #acts>
!wg = !tile.global<112x32xf16, read>
!xg = !tile.global<8x112xf16, read>
!yg = !tile.global<8x32xf32, write>
// Seven steps: four of the first block, three of the second, for two parts each.
tile.kernel @sum_v2_by_ticket(%xg: !xg, %wg: !wg, %y: !yg, %shares: !shares, %tickets: !tickets) attributes {arg_names = ["x", "w", "y", "shares", "tickets"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part, %block) tile [8, 16] of [8, 32] parts 2 blocks 2 {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %zero = tile.zero : !acc
    %first = arith.muli %block, %c4 : index
    %count = arith.subi %c4, %block : index
    %share = scf.for %i = %part to %count step %c2 iter_args(%acc = %zero) -> (!acc) {
      %step = arith.addi %first, %i : index
      %k = arith.muli %step, %c16 : index
      %w = tile.load %wg[%k, %in] : !wg -> !w
      %x = tile.load %xg[%im, %k] : !xg -> !x
      %next = tile.mma %w, %x, %acc : !w, !x, !acc
      scf.yield %next : !acc
    }
    %local = tile.combine %share : !acc -> !local
    // expected-error @+1 {{'tile.combine_by_ticket' op sums 4 rows of a tile of which 8 exist [SUM-V2]}}
    %sum, %last = tile.combine_by_ticket %local, %shares[%im, %in], %tickets rows %c4 : !local, !shares, !tickets -> !sum
    tile.store %sum, %y[%im, %in] transposed if %last : !sum, !yg
  }
}
