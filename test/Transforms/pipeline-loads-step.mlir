// RUN: wna16-opt %s --assign-layouts --pipeline-loads --split-input-file --verify-diagnostics

#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 1], stages = 4, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
!codes = !tile.val<128x64x!wna16.code<4, offset = 8>>
!share = !tile.val<64x8xf32>

tile.kernel @pipe_c3_stride(%x: !tile.global<?x512xf16, read>,
    %w: !tile.global<512x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>,
    %s: !tile.global<4x64xf16, read, #wna16.layout<marlin_scales>>, %y: !tile.global<?x64xf16, write>, %m: index, %ldx: index)
    attributes {reference = #tile.reference<gemm, group = 128>, arg_names = ["x", "w", "s", "y", "M", "ldx"], max_m = 8 : i64, warps = 1 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m stride %ldx : !tile.global<?x512xf16, read>
  %yb = tile.bind %y rows %m : !tile.global<?x64xf16, write>
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %init = tile.zero : !share
    // expected-error @+1 {{'scf.for' op expected a constant step of 1, the parts of K, found 128 [PIPE-C3]}}
    %share = scf.for %i = %c0 to %c512 step %c128 iter_args(%acc = %init) -> (!share) {
      %k = arith.muli %i, %c1 : index
      %codes = tile.load %w[%k, %in] : !tile.global<512x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !codes
      %acts = tile.load %xb[%im, %k] : !tile.global<?x512xf16, read> -> !tile.val<8x128xf16>
      %scales = tile.load_scales %s[k = %k, n = %in] {group = 128 : i64} : !tile.global<4x64xf16, read, #wna16.layout<marlin_scales>> -> !tile.val<1x64xf16>
      %weights = tile.dequant %codes : !codes -> !tile.val<128x64xf16>
      %zero = tile.zero : !share
      %product = tile.mma %weights, %acts, %zero : !tile.val<128x64xf16>, !tile.val<8x128xf16>, !share
      %next = tile.scale_acc %acc, %product, %scales : !share, !tile.val<1x64xf16>
      scf.yield %next : !share
    }
    %h = tile.cast %share : !tile.val<64x8xf32> -> !tile.val<64x8xf16>
    tile.store %h, %yb[%im, %in] transposed : !tile.val<64x8xf16>, !tile.global<?x64xf16, write>
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 32], warps = [1, 1], stages = 3, copy = cp_async,
  math = mma, scales = accumulator, split = none, roles = uniform>
!wg = !tile.global<64x64xf16, read>
tile.kernel @pipe_c4(%x: !tile.global<8x64xf16, read>, %a: !wg, %b: !wg)
    attributes {arg_names = ["x", "a", "b"], warps = 1 : i64, schedule = #schedule} {
  %true = arith.constant true
  %w = arith.select %true, %a, %b : !wg
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zero = tile.zero : !tile.val<64x8xf32>
    %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (!tile.val<64x8xf32>) {
      %k = arith.muli %i, %c32 : index
      // expected-error @+1 {{'tile.load' op expected to read an argument of the kernel [PIPE-C4]}}
      %weights = tile.load %w[%k, %in] : !wg -> !tile.val<32x64xf16>
      %acts = tile.load %x[%im, %k] : !tile.global<8x64xf16, read> -> !tile.val<8x32xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<32x64xf16>, !tile.val<8x32xf16>, !tile.val<64x8xf32>
      scf.yield %next : !tile.val<64x8xf32>
    }
  }
}
