// RUN: wna16-opt %s --assign-layouts --split-input-file --verify-diagnostics

tile.kernel @layout_c1(%m: index)
    attributes {arg_names = ["M"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    // expected-error @+1 {{cannot find a layout for this value: no product, load or store says how it is spread over threads [LAYOUT-C1]}}
    %zero = tile.zero : !tile.val<64x8xf32>
  }
}

// -----

// Rows of the accumulator in registers, where the instruction has them in lanes.
#hand = #tile.linear<register = [[1, 0], [2, 0], [4, 0], [8, 0]], lane = [[16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [64, 8]>
tile.kernel @layout_c2(%x: !tile.global<8x16xf16, read>, %w: !tile.global<16x64xf16, read>)
    attributes {arg_names = ["x", "w"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %weights = tile.load %w[%c0, %in] : !tile.global<16x64xf16, read> -> !tile.val<16x64xf16>
    %acts = tile.load %x[%im, %c0] : !tile.global<8x16xf16, read> -> !tile.val<8x16xf16>
    %zero = tile.zero : !tile.val<64x8xf32, #hand>
    // expected-error @+3 {{'tile.mma' op needs a value in another layout than other users do [LAYOUT-C2]}}
    // expected-note @+2 {{the value has the layout #tile.linear<register = [[1, 0], [2, 0], [4, 0], [8, 0]],}}
    // expected-note @+1 {{wanted here: #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]],}}
    %sum = tile.mma %weights, %acts, %zero : !tile.val<16x64xf16>, !tile.val<8x16xf16>, !tile.val<64x8xf32, #hand>
  }
}

// -----

!codes = !tile.val<16x64x!wna16.code<4, offset = 8>>
tile.kernel @layout_c3_codes_from_loop(%w: !tile.global<32x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>)
    attributes {arg_names = ["w"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [32, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %codes = tile.load %w[%im, %in] : !tile.global<32x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !codes
    %last = scf.for %i = %c0 to %c1 step %c1 iter_args(%carried = %codes) -> (!codes) {
      // expected-error @+1 {{'tile.dequant' op expected its operand to come from a load [LAYOUT-C3]}}
      %weights = tile.dequant %carried : !codes -> !tile.val<16x64xf16>
      scf.yield %carried : !codes
    }
  }
}

// -----

tile.kernel @layout_c4(%s: !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %scales = tile.load_scales %s[k = %c0, n = %in] {group = 16 : i64} : !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>> -> !tile.val<1x64xf16>
    %zero = tile.zero : !tile.val<64x8xf32>
    // expected-error @+1 {{'tile.scale_acc' op expected a product of tile.mma as operand [LAYOUT-C4]}}
    %sum = tile.scale_acc %zero, %zero, %scales : !tile.val<64x8xf32>, !tile.val<1x64xf16>
  }
}

// -----

tile.kernel @layout_c5(%x: !tile.global<8x8xf16, read>, %y: !tile.global<8x8xf16, write>)
    attributes {arg_names = ["x", "y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [1, 1] of [8, 8] {
    // expected-error @+1 {{cannot give every lane whole 32-bit registers of '!tile.val<1x1xf16>': it would hold 1 elements of 16 bits [LAYOUT-C5]}}
    %v = tile.load %x[%im, %in] : !tile.global<8x8xf16, read> -> !tile.val<1x1xf16>
    tile.store %v, %y[%im, %in] : !tile.val<1x1xf16>, !tile.global<8x8xf16, write>
  }
}

// -----

tile.kernel @layout_c6(%x: !tile.global<8x64xf16, read>,
    %w: !tile.global<64x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>)
    attributes {arg_names = ["x", "w"], warps = 8 : i64, schedule = #wna16.schedule<
      tile = [64, 8, 64], warps = [8, 1], stages = 2, copy = cp_async, math = wgmma,
      scales = weights, split = none, roles = uniform>} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %zero = tile.zero : !tile.val<64x8xf32>
    %codes = tile.load %w[%c0, %in] : !tile.global<64x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !tile.val<64x64x!wna16.code<4, offset = 8>>
    %acts = tile.load %x[%im, %c0] : !tile.global<8x64xf16, read> -> !tile.val<8x64xf16>
    %weights = tile.dequant %codes : !tile.val<64x64x!wna16.code<4, offset = 8>> -> !tile.val<64x64xf16>
    // expected-error @+1 {{'tile.mma' op expected whole warpgroups with 64 columns or more each, found 8 warps for 64 columns [LAYOUT-C6]}}
    %sum = tile.mma %weights, %acts, %zero : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !tile.val<64x8xf32>
  }
}
