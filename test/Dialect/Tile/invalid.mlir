// RUN: wna16-opt %s --split-input-file --verify-diagnostics

// One function per rule of docs/spec.md, named after the rule. The types and
// attributes of the dialect come last.

// expected-error @+1 {{'tile.kernel' op expected no results [KERNEL-C1]}}
tile.kernel @kernel_c1_results(%m: index) -> index
    attributes {arg_names = ["M"], warps = 1 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{'tile.kernel' op expected one name per argument, found 1 names and 2 arguments [KERNEL-C2]}}
tile.kernel @kernel_c2_too_few_names(%x: !tile.global<16x64xf16, read>, %m: index)
    attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{'tile.kernel' op argument name "M" appears twice [KERNEL-C2]}}
tile.kernel @kernel_c2_same_name(%m: index, %n: index)
    attributes {arg_names = ["M", "M"], warps = 1 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{'tile.kernel' op expected argument 0 to be !tile.global or index, found 'f32' [KERNEL-C3]}}
tile.kernel @kernel_c3_argument_type(%f: f32)
    attributes {arg_names = ["f"], warps = 1 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{'tile.kernel' op attribute 'warps' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
tile.kernel @kernel_warps_not_positive()
    attributes {arg_names = [], warps = 0 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{'tile.kernel' op expected a power of two of at most 32 warps, found 6 [KERNEL-C4]}}
tile.kernel @kernel_c4_no_power_of_two()
    attributes {arg_names = [], warps = 6 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{'tile.kernel' op expected a power of two of at most 32 warps, found 64 [KERNEL-C4]}}
tile.kernel @kernel_c4_too_many()
    attributes {arg_names = [], warps = 64 : i64} {
  tile.return
}

// -----

tile.kernel @bind_c1_static_rows(%x: !tile.global<16x64xf16, read>, %m: index)
    attributes {arg_names = ["x", "m"], warps = 1 : i64} {
  // expected-error @+1 {{'tile.bind' op expected a matrix with a dynamic number of rows, found '!tile.global<16x64xf16, read>' [BIND-C1]}}
  %b = tile.bind %x rows %m : !tile.global<16x64xf16, read>
  tile.return
}

// -----

tile.kernel @bind_c2_load(%x: !tile.global<?x64xf16, read>)
    attributes {arg_names = ["x"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tile.load' op expected a matrix with a dynamic number of rows to come from tile.bind [BIND-C2]}}
  %t = tile.load %x[%c0, %c0] : !tile.global<?x64xf16, read> -> !tile.val<8x64xf16>
  tile.return
}

// -----

tile.kernel @bind_c2_store(%y: !tile.global<?x64xf16, write>)
    attributes {arg_names = ["y"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %z = tile.zero : !tile.val<8x64xf16>
  // expected-error @+1 {{'tile.store' op expected a matrix with a dynamic number of rows to come from tile.bind [BIND-C2]}}
  tile.store %z, %y[%c0, %c0] : !tile.val<8x64xf16>, !tile.global<?x64xf16, write>
  tile.return
}

// -----

#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0]] : [8, 64]>
tile.kernel @bind_c2_fill(%x: !tile.global<?x64xf16, read>)
    attributes {arg_names = ["x"], warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %r = tile.ring : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
  // expected-error @+1 {{'tile.fill' op expected a matrix with a dynamic number of rows to come from tile.bind [BIND-C2]}}
  tile.fill "x" of %r[%c0] = %x[%c0, %c0] threads(#copy) : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>, !tile.global<?x64xf16, read>
  tile.return
}

// -----

tile.kernel @bind_c3_bound_twice(%x: !tile.global<?x64xf16, read>, %m: index)
    attributes {arg_names = ["x", "m"], warps = 1 : i64} {
  %b = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  // expected-error @+1 {{'tile.bind' op expected an argument of the kernel [BIND-C3]}}
  %c = tile.bind %b rows %m : !tile.global<?x64xf16, read>
  tile.return
}

// -----

tile.kernel @work_c1_no_rows(%m: index)
    attributes {arg_names = ["m"], warps = 1 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected either a number of rows or a value for it [WORK-C1]}}
  "tile.for_each_work"() <{columns = 64 : i64, tile = array<i64: 16, 64>}> ({
  ^bb0(%im: index, %in: index):
    tile.work_end
  }) : () -> ()
  tile.return
}

// -----

tile.kernel @work_c1_rows_twice(%m: index)
    attributes {arg_names = ["m"], warps = 1 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected either a number of rows or a value for it [WORK-C1]}}
  "tile.for_each_work"(%m) <{columns = 64 : i64, static_rows = 16 : i64, tile = array<i64: 16, 64>}> ({
  ^bb0(%im: index, %in: index):
    tile.work_end
  }) : (index) -> ()
  tile.return
}

// -----

tile.kernel @work_c2_one_extent(%m: index)
    attributes {arg_names = ["m"], warps = 1 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected positive rows and two positive tile extents [WORK-C2]}}
  tile.for_each_work (%im, %in) tile [16] of [%m, 64] {
  }
  tile.return
}

// -----

tile.kernel @work_c2_extent_of_zero(%m: index)
    attributes {arg_names = ["m"], warps = 1 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected positive rows and two positive tile extents [WORK-C2]}}
  tile.for_each_work (%im, %in) tile [16, 0] of [%m, 64] {
  }
  tile.return
}

// -----

tile.kernel @work_c2_no_rows()
    attributes {arg_names = [], warps = 1 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected positive rows and two positive tile extents [WORK-C2]}}
  tile.for_each_work (%im, %in) tile [16, 64] of [0, 64] {
  }
  tile.return
}

// -----

tile.kernel @work_c3_columns(%m: index)
    attributes {arg_names = ["m"], warps = 1 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected the columns (96) to be a multiple of the tile (64) [WORK-C3]}}
  tile.for_each_work (%im, %in) tile [16, 64] of [%m, 96] {
  }
  tile.return
}

// -----

tile.kernel @work_c4_no_part(%m: index)
    attributes {arg_names = ["m"], warps = 2 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected 3 region arguments, found 2 [WORK-C4]}}
  tile.for_each_work (%im, %in) tile [16, 64] of [%m, 64] parts 2 {
  }
  tile.return
}

// -----

tile.kernel @work_c4_argument_type(%m: index)
    attributes {arg_names = ["m"], warps = 1 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected region arguments of type index [WORK-C4]}}
  "tile.for_each_work"(%m) <{columns = 64 : i64, tile = array<i64: 16, 64>}> ({
  ^bb0(%im: index, %in: i32):
    tile.work_end
  }) : (index) -> ()
  tile.return
}

// -----

tile.kernel @work_c5_parts(%m: index)
    attributes {arg_names = ["m"], warps = 8 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected the parts (3) to divide the warps of the kernel (8) [WORK-C5]}}
  tile.for_each_work (%im, %in, %part) tile [16, 64] of [%m, 64] parts 3 {
  }
  tile.return
}

// -----

tile.kernel @work_c6_barriers(%m: index)
    attributes {arg_names = ["m"], warps = 32 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected at most 15 parts of more than one warp, found 16 [WORK-C6]}}
  tile.for_each_work (%im, %in, %part) tile [16, 64] of [%m, 64] parts 16 {
  }
  tile.return
}

// -----

tile.kernel @load_c1_element_type(%x: !tile.global<16x64xf16, read>)
    attributes {arg_names = ["x"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tile.load' op expected elements of type 'f16', found 'f32' [LOAD-C1]}}
  %t = tile.load %x[%c0, %c0] : !tile.global<16x64xf16, read> -> !tile.val<16x64xf32>
  tile.return
}

// -----

tile.kernel @load_c2_write(%y: !tile.global<16x64xf16, write>)
    attributes {arg_names = ["y"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tile.load' op expected a matrix to read, found one to write [LOAD-C2]}}
  %t = tile.load %y[%c0, %c0] : !tile.global<16x64xf16, write> -> !tile.val<16x64xf16>
  tile.return
}

// -----

tile.kernel @scales_c1_group(%s: !tile.global<4x64xf16, read>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tile.load_scales' op expected a positive group or -1 for one scale per column, found -2 [SCALES-C1]}}
  %t = tile.load_scales %s[k = %c0, n = %c0] {group = -2 : i64} : !tile.global<4x64xf16, read> -> !tile.val<1x64xf16>
  tile.return
}

// -----

tile.kernel @scales_c2_rows(%s: !tile.global<4x64xf16, read>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tile.load_scales' op expected a tile of one row for one scale per column, found 2 [SCALES-C2]}}
  %t = tile.load_scales %s[k = %c0, n = %c0] {group = -1 : i64} : !tile.global<4x64xf16, read> -> !tile.val<2x64xf16>
  tile.return
}

// -----

tile.kernel @scales_c3_element_type(%s: !tile.global<4x64xf16, read>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tile.load_scales' op expected elements of type 'f16', found 'bf16' [SCALES-C3]}}
  %t = tile.load_scales %s[k = %c0, n = %c0] {group = 128 : i64} : !tile.global<4x64xf16, read> -> !tile.val<1x64xbf16>
  tile.return
}

// -----

tile.kernel @scales_c4_write(%s: !tile.global<4x64xf16, write>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tile.load_scales' op expected a matrix to read, found one to write [SCALES-C4]}}
  %t = tile.load_scales %s[k = %c0, n = %c0] {group = 128 : i64} : !tile.global<4x64xf16, write> -> !tile.val<1x64xf16>
  tile.return
}

// -----

tile.kernel @dequant_c1_no_code()
    attributes {arg_names = [], warps = 1 : i64} {
  %w = tile.zero : !tile.val<16x64xf16>
  // expected-error @+1 {{'tile.dequant' op expected codes with an offset, found 'f16' [DEQUANT-C1]}}
  %d = tile.dequant %w : !tile.val<16x64xf16> -> !tile.val<16x64xf16>
  tile.return
}

// -----

tile.kernel @dequant_c1_no_offset()
    attributes {arg_names = [], warps = 1 : i64} {
  %w = tile.zero : !tile.val<16x64x!wna16.code<4>>
  // expected-error @+1 {{'tile.dequant' op expected codes with an offset, found '!wna16.code<4>' [DEQUANT-C1]}}
  %d = tile.dequant %w : !tile.val<16x64x!wna16.code<4>> -> !tile.val<16x64xf16>
  tile.return
}

// -----

tile.kernel @dequant_c2_result_type()
    attributes {arg_names = [], warps = 1 : i64} {
  %w = tile.zero : !tile.val<16x64x!wna16.code<4, offset = 8>>
  // expected-error @+1 {{'tile.dequant' op expected a result of f16 or bf16, found 'f32' [DEQUANT-C2]}}
  %d = tile.dequant %w : !tile.val<16x64x!wna16.code<4, offset = 8>> -> !tile.val<16x64xf32>
  tile.return
}

// -----

tile.kernel @dequant_c3_shape()
    attributes {arg_names = [], warps = 1 : i64} {
  %w = tile.zero : !tile.val<16x64x!wna16.code<4, offset = 8>>
  // expected-error @+1 {{'tile.dequant' op expected codes and result of the same shape [DEQUANT-C3]}}
  %d = tile.dequant %w : !tile.val<16x64x!wna16.code<4, offset = 8>> -> !tile.val<32x64xf16>
  tile.return
}

// -----

tile.kernel @dequant_c1_offset_and_zeros()
    attributes {arg_names = [], warps = 1 : i64} {
  %w = tile.zero : !tile.val<16x64x!wna16.code<4, offset = 8>>
  %z = tile.zero : !tile.val<1x64xf16>
  // expected-error @+1 {{'tile.dequant' op expected codes without an offset beside zeros, found '!wna16.code<4, offset = 8>' [DEQUANT-C1]}}
  %d = tile.dequant %w zeros %z : !tile.val<16x64x!wna16.code<4, offset = 8>> zeros !tile.val<1x64xf16> -> !tile.val<16x64xf16>
  tile.return
}

// -----

tile.kernel @dequant_c1_too_wide()
    attributes {arg_names = [], warps = 1 : i64} {
  %w = tile.zero : !tile.val<16x64x!wna16.code<8, offset = 0>>
  %v = tile.zero : !tile.val<16x64x!wna16.code<1, offset = 1>>
  // expected-error @+1 {{'tile.dequant' op expected codes of 1 to 8 bits, found 9 [DEQUANT-C1]}}
  %d = tile.dequant %w, %v : !tile.val<16x64x!wna16.code<8, offset = 0>>, !tile.val<16x64x!wna16.code<1, offset = 1>> -> !tile.val<16x64xf16>
  tile.return
}

// -----

tile.kernel @dequant_c4_rows()
    attributes {arg_names = [], warps = 1 : i64} {
  %w = tile.zero : !tile.val<16x64x!wna16.code<4, offset = 8>>
  %s = tile.zero : !tile.val<32x64xf16>
  // expected-error @+1 {{'tile.dequant' op expected Gx64 scales of f16 or bf16, where G divides 16, found '!tile.val<32x64xf16>' [DEQUANT-C4]}}
  %d = tile.dequant %w scales %s : !tile.val<16x64x!wna16.code<4, offset = 8>> scales !tile.val<32x64xf16> -> !tile.val<16x64xf16>
  tile.return
}

// -----

tile.kernel @dequant_c5_type()
    attributes {arg_names = [], warps = 1 : i64} {
  %w = tile.zero : !tile.val<16x64x!wna16.code<4>>
  %z = tile.zero : !tile.val<1x64xbf16>
  // expected-error @+1 {{'tile.dequant' op expected as many zeros as scales, of 'f16', found '!tile.val<1x64xbf16>' [DEQUANT-C5]}}
  %d = tile.dequant %w zeros %z : !tile.val<16x64x!wna16.code<4>> zeros !tile.val<1x64xbf16> -> !tile.val<16x64xf16>
  tile.return
}

// -----

tile.kernel @dequant_c5_rows()
    attributes {arg_names = [], warps = 1 : i64} {
  %w = tile.zero : !tile.val<32x64x!wna16.code<4>>
  %z = tile.zero : !tile.val<1x64xf16>
  %s = tile.zero : !tile.val<2x64xf16>
  // expected-error @+1 {{'tile.dequant' op expected as many zeros as scales, of 'f16', found '!tile.val<1x64xf16>' [DEQUANT-C5]}}
  %d = tile.dequant %w zeros %z scales %s : !tile.val<32x64x!wna16.code<4>> zeros !tile.val<1x64xf16> scales !tile.val<2x64xf16> -> !tile.val<32x64xf16>
  tile.return
}

// -----

tile.kernel @scales_c3_offset(%z: !tile.global<8x64x!wna16.code<4, offset = 8>, read, #wna16.layout<gptq>>)
    attributes {arg_names = ["z"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tile.load_scales' op expected zero points, codes without offset, that become f16 or bf16, found '!wna16.code<4, offset = 8>' and 'f16' [SCALES-C3]}}
  %t = tile.load_scales %z[k = %c0, n = %c0] {group = 128 : i64} : !tile.global<8x64x!wna16.code<4, offset = 8>, read, #wna16.layout<gptq>> -> !tile.val<1x64xf16>
  tile.return
}

// -----

tile.kernel @bias_c1_partial()
    attributes {arg_names = [], warps = 1 : i64} {
  %s = tile.zero : !tile.val<64x8xf32, partial>
  %b = tile.zero : !tile.val<1x64xf16>
  // expected-error @+1 {{'tile.add_bias' op expected a whole sum of f32, found '!tile.val<64x8xf32, partial>' [BIAS-C1]}}
  %d = tile.add_bias %s, %b : !tile.val<64x8xf32, partial>, !tile.val<1x64xf16>
  tile.return
}

// -----

tile.kernel @bias_c2_columns()
    attributes {arg_names = [], warps = 1 : i64} {
  %s = tile.zero : !tile.val<64x8xf32>
  %b = tile.zero : !tile.val<1x32xf16>
  // expected-error @+1 {{'tile.add_bias' op expected a bias 1x64 of f16, bf16 or f32, found '!tile.val<1x32xf16>' [BIAS-C2]}}
  %d = tile.add_bias %s, %b : !tile.val<64x8xf32>, !tile.val<1x32xf16>
  tile.return
}

// -----

!w = !tile.global<128x64x!wna16.code<3, offset = 4>, read, #wna16.layout<marlin>>
!low = !tile.global<128x64x!wna16.code<2, offset = 0>, read, #wna16.layout<marlin>>

tile.kernel @plane_c1_layout(%w: !tile.global<128x64x!wna16.code<4, offset = 4>, read, #wna16.layout<gptq>>)
    attributes {arg_names = ["w"], warps = 1 : i64} {
  // expected-error @+1 {{'tile.plane' op expected codes in the layout marlin, found '!tile.global<128x64x!wna16.code<4, offset = 4>, read, #wna16.layout<gptq>>' [PLANE-C1]}}
  %p = tile.plane %w 0 : !tile.global<128x64x!wna16.code<4, offset = 4>, read, #wna16.layout<gptq>> -> !low
  tile.return
}

// -----

!w = !tile.global<128x64x!wna16.code<3, offset = 4>, read, #wna16.layout<marlin>>
!low = !tile.global<128x64x!wna16.code<2, offset = 0>, read, #wna16.layout<marlin>>

tile.kernel @plane_c2_argument(%w: !w) attributes {arg_names = ["w"], warps = 1 : i64} {
  %p = tile.plane %w 0 : !w -> !low
  // expected-error @+1 {{'tile.plane' op expected an argument of the kernel, or one expert's matrix of it [PLANE-C2]}}
  %q = tile.plane %p 0 : !low -> !low
  tile.return
}

// -----

!w = !tile.global<128x64x!wna16.code<3, offset = 4>, read, #wna16.layout<marlin>>
!low = !tile.global<128x64x!wna16.code<2, offset = 0>, read, #wna16.layout<marlin>>

tile.kernel @plane_c3_number(%w: !w) attributes {arg_names = ["w"], warps = 1 : i64} {
  // expected-error @+1 {{'tile.plane' op expected one of the 2 planes of '!wna16.code<3, offset = 4>', found number 2 [PLANE-C3]}}
  %p = tile.plane %w 2 : !w -> !low
  tile.return
}

// -----

!w = !tile.global<128x64x!wna16.code<3, offset = 4>, read, #wna16.layout<marlin>>
!low = !tile.global<128x64x!wna16.code<2, offset = 0>, read, #wna16.layout<marlin>>

tile.kernel @plane_c4_type(%w: !w) attributes {arg_names = ["w"], warps = 1 : i64} {
  // expected-error @+1 {{'tile.plane' op expected the result type '!tile.global<128x64x!wna16.code<1, offset = 1>, read, #wna16.layout<marlin>>', found '!tile.global<128x64x!wna16.code<2, offset = 0>, read, #wna16.layout<marlin>>' [PLANE-C4]}}
  %p = tile.plane %w 1 : !w -> !low
  tile.return
}

// -----

tile.kernel @dequant_c4_scales()
    attributes {arg_names = [], warps = 1 : i64} {
  %w = tile.zero : !tile.val<16x64x!wna16.code<4, offset = 8>>
  %s = tile.zero : !tile.val<1x32xf16>
  // expected-error @+1 {{'tile.dequant' op expected Gx64 scales of f16 or bf16, where G divides 16, found '!tile.val<1x32xf16>' [DEQUANT-C4]}}
  %d = tile.dequant %w scales %s : !tile.val<16x64x!wna16.code<4, offset = 8>> scales !tile.val<1x32xf16> -> !tile.val<16x64xf16>
  tile.return
}

// -----

tile.kernel @mma_c1_operand_type()
    attributes {arg_names = [], warps = 1 : i64} {
  %a = tile.zero : !tile.val<16x64xf16>
  %b = tile.zero : !tile.val<8x16xbf16>
  %acc = tile.zero : !tile.val<64x8xf32>
  // expected-error @+1 {{'tile.mma' op expected operands of f16 or of bf16, found 'f16' and 'bf16' [MMA-C1]}}
  %r = tile.mma %a, %b, %acc : !tile.val<16x64xf16>, !tile.val<8x16xbf16>, !tile.val<64x8xf32>
  tile.return
}

// -----

tile.kernel @mma_c2_accumulator_type()
    attributes {arg_names = [], warps = 1 : i64} {
  %a = tile.zero : !tile.val<16x64xf16>
  %b = tile.zero : !tile.val<8x16xf16>
  %acc = tile.zero : !tile.val<64x8xf16>
  // expected-error @+1 {{'tile.mma' op expected an accumulator of f32, found 'f16' [MMA-C2]}}
  %r = tile.mma %a, %b, %acc : !tile.val<16x64xf16>, !tile.val<8x16xf16>, !tile.val<64x8xf16>
  tile.return
}

// -----

tile.kernel @mma_c3_shape()
    attributes {arg_names = [], warps = 1 : i64} {
  %a = tile.zero : !tile.val<16x64xf16>
  %b = tile.zero : !tile.val<8x32xf16>
  %acc = tile.zero : !tile.val<64x8xf32>
  // expected-error @+1 {{'tile.mma' op expected a KxN, b MxK and acc NxM, found 16x64, 8x32 and 64x8 [MMA-C3]}}
  %r = tile.mma %a, %b, %acc : !tile.val<16x64xf16>, !tile.val<8x32xf16>, !tile.val<64x8xf32>
  tile.return
}

// -----

tile.kernel @mma_c3_transposed()
    attributes {arg_names = [], warps = 1 : i64} {
  %a = tile.zero : !tile.val<16x64xf16>
  %b = tile.zero : !tile.val<8x16xf16>
  %acc = tile.zero : !tile.val<8x64xf32>
  // expected-error @+1 {{'tile.mma' op expected a KxN, b MxK and acc NxM, found 16x64, 8x16 and 8x64 [MMA-C3]}}
  %r = tile.mma %a, %b, %acc : !tile.val<16x64xf16>, !tile.val<8x16xf16>, !tile.val<8x64xf32>
  tile.return
}

// -----

tile.kernel @mma_c4_granularity()
    attributes {arg_names = [], warps = 1 : i64} {
  %a = tile.zero : !tile.val<8x64xf16>
  %b = tile.zero : !tile.val<8x8xf16>
  %acc = tile.zero : !tile.val<64x8xf32>
  // expected-error @+1 {{'tile.mma' op expected K and N to be multiples of 16 and M of 8, found K = 8, N = 64, M = 8 [MMA-C4]}}
  %r = tile.mma %a, %b, %acc : !tile.val<8x64xf16>, !tile.val<8x8xf16>, !tile.val<64x8xf32>
  tile.return
}

// -----

tile.kernel @scaleacc_c1_type()
    attributes {arg_names = [], warps = 1 : i64} {
  %acc = tile.zero : !tile.val<64x8xf16>
  %s = tile.zero : !tile.val<1x64xf16>
  // expected-error @+1 {{'tile.scale_acc' op expected an accumulator of f32, found 'f16' [SCALEACC-C1]}}
  %r = tile.scale_acc %acc, %acc, %s : !tile.val<64x8xf16>, !tile.val<1x64xf16>
  tile.return
}

// -----

tile.kernel @scaleacc_c2_scales()
    attributes {arg_names = [], warps = 1 : i64} {
  %acc = tile.zero : !tile.val<64x8xf32>
  %s = tile.zero : !tile.val<1x8xf16>
  // expected-error @+1 {{'tile.scale_acc' op expected scales 1x64 of f16 or bf16, found '!tile.val<1x8xf16>' [SCALEACC-C2]}}
  %r = tile.scale_acc %acc, %acc, %s : !tile.val<64x8xf32>, !tile.val<1x8xf16>
  tile.return
}

// -----

tile.kernel @slice_c1_offsets()
    attributes {arg_names = [], warps = 1 : i64} {
  %v = tile.zero : !tile.val<8x32xf16>
  // expected-error @+1 {{'tile.slice' op expected two offsets [SLICE-C1]}}
  %h = tile.slice %v [0] : !tile.val<8x32xf16> -> !tile.val<8x16xf16>
  tile.return
}

// -----

tile.kernel @slice_c2_not_a_multiple()
    attributes {arg_names = [], warps = 1 : i64} {
  %v = tile.zero : !tile.val<8x32xf16>
  // expected-error @+1 {{'tile.slice' op expected offsets that are multiples of the result's extents and inside of the source, found 8 for 16 of 32 [SLICE-C2]}}
  %h = tile.slice %v [0, 8] : !tile.val<8x32xf16> -> !tile.val<8x16xf16>
  tile.return
}

// -----

tile.kernel @slice_c2_outside()
    attributes {arg_names = [], warps = 1 : i64} {
  %v = tile.zero : !tile.val<8x32xf16>
  // expected-error @+1 {{'tile.slice' op expected offsets that are multiples of the result's extents and inside of the source, found 32 for 16 of 32 [SLICE-C2]}}
  %h = tile.slice %v [0, 32] : !tile.val<8x32xf16> -> !tile.val<8x16xf16>
  tile.return
}

// -----

tile.kernel @slice_c3_element_type()
    attributes {arg_names = [], warps = 1 : i64} {
  %v = tile.zero : !tile.val<8x32xf16>
  // expected-error @+1 {{'tile.slice' op expected elements of type 'f16', found 'bf16' [SLICE-C3]}}
  %h = tile.slice %v [0, 0] : !tile.val<8x32xf16> -> !tile.val<8x16xbf16>
  tile.return
}

// -----

tile.kernel @cast_c1_partial()
    attributes {arg_names = [], warps = 1 : i64} {
  %p = tile.zero : !tile.val<64x8xf32, partial>
  // expected-error @+1 {{'tile.cast' op expected a whole sum; tile.combine makes one of a partial sum [CAST-C1]}}
  %h = tile.cast %p : !tile.val<64x8xf32, partial> -> !tile.val<64x8xf16>
  tile.return
}

// -----

tile.kernel @cast_c2_type()
    attributes {arg_names = [], warps = 1 : i64} {
  %z = tile.zero : !tile.val<64x8xf32>
  // expected-error @+1 {{'tile.cast' op expected f32 to f16 or bf16 of the same shape, found '!tile.val<64x8xf32>' to '!tile.val<64x8xi32>' [CAST-C2]}}
  %h = tile.cast %z : !tile.val<64x8xf32> -> !tile.val<64x8xi32>
  tile.return
}

// -----

tile.kernel @cast_c2_shape()
    attributes {arg_names = [], warps = 1 : i64} {
  %z = tile.zero : !tile.val<64x8xf32>
  // expected-error @+1 {{'tile.cast' op expected f32 to f16 or bf16 of the same shape, found '!tile.val<64x8xf32>' to '!tile.val<64x16xf16>' [CAST-C2]}}
  %h = tile.cast %z : !tile.val<64x8xf32> -> !tile.val<64x16xf16>
  tile.return
}

// -----

tile.kernel @combine_c1_whole_operand()
    attributes {arg_names = [], warps = 1 : i64} {
  %z = tile.zero : !tile.val<64x8xf32>
  // expected-error @+1 {{'tile.combine' op expected a partial sum as operand and a whole one as result [COMBINE-C1]}}
  %h = tile.combine %z : !tile.val<64x8xf32> -> !tile.val<64x8xf32>
  tile.return
}

// -----

tile.kernel @combine_c1_partial_result()
    attributes {arg_names = [], warps = 1 : i64} {
  %p = tile.zero : !tile.val<64x8xf32, partial>
  // expected-error @+1 {{'tile.combine' op expected a partial sum as operand and a whole one as result [COMBINE-C1]}}
  %h = tile.combine %p : !tile.val<64x8xf32, partial> -> !tile.val<64x8xf32, partial>
  tile.return
}

// -----

tile.kernel @combine_c2_shape()
    attributes {arg_names = [], warps = 1 : i64} {
  %p = tile.zero : !tile.val<64x8xf32, partial>
  // expected-error @+1 {{'tile.combine' op expected operand and result of the same shape [COMBINE-C2]}}
  %h = tile.combine %p : !tile.val<64x8xf32, partial> -> !tile.val<32x8xf32>
  tile.return
}

// -----

tile.kernel @store_c1_partial(%y: !tile.global<64x8xf32, write>)
    attributes {arg_names = ["y"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %p = tile.zero : !tile.val<64x8xf32, partial>
  // expected-error @+1 {{'tile.store' op expected a whole sum; tile.combine makes one of a partial sum [STORE-C1]}}
  tile.store %p, %y[%c0, %c0] : !tile.val<64x8xf32, partial>, !tile.global<64x8xf32, write>
  tile.return
}

// -----

tile.kernel @store_c2_read(%x: !tile.global<16x64xf16, read>)
    attributes {arg_names = ["x"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %z = tile.zero : !tile.val<16x64xf16>
  // expected-error @+1 {{'tile.store' op expected a matrix to write, found one to read [STORE-C2]}}
  tile.store %z, %x[%c0, %c0] : !tile.val<16x64xf16>, !tile.global<16x64xf16, read>
  tile.return
}

// -----

tile.kernel @store_c3_element_type(%y: !tile.global<64x8xf16, write>)
    attributes {arg_names = ["y"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %z = tile.zero : !tile.val<64x8xf32>
  // expected-error @+1 {{'tile.store' op expected elements of type 'f16', found 'f32' [STORE-C3]}}
  tile.store %z, %y[%c0, %c0] : !tile.val<64x8xf32>, !tile.global<64x8xf16, write>
  tile.return
}

// -----

#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0]] : [8, 64]>
tile.kernel @ring_c1_fill(%x: !tile.global<8x64xf16, read>)
    attributes {arg_names = ["x"], warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %r = tile.ring : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
  // expected-error @+1 {{'tile.fill' op expected a field of the ring ('x'), found 'w' [RING-C1]}}
  tile.fill "w" of %r[%c0] = %x[%c0, %c0] threads(#copy) : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>, !tile.global<8x64xf16, read>
  tile.return
}

// -----

tile.kernel @ring_c1_read()
    attributes {arg_names = [], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %r = tile.ring : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
  // expected-error @+1 {{'tile.read' op expected a field of the ring ('x'), found 'w' [RING-C1]}}
  %t = tile.read "w" of %r[%c0] [0, 0] : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]> -> !tile.val<8x64xf16>
  tile.return
}

// -----

#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0]] : [8, 64]>
tile.kernel @fill_c1_element_type(%x: !tile.global<8x64xf32, read>)
    attributes {arg_names = ["x"], warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %r = tile.ring : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
  // expected-error @+1 {{'tile.fill' op expected a matrix of 'f16', found 'f32' [FILL-C1]}}
  tile.fill "x" of %r[%c0] = %x[%c0, %c0] threads(#copy) : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>, !tile.global<8x64xf32, read>
  tile.return
}

// -----

#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
tile.kernel @fill_c2_thread_map(%x: !tile.global<8x64xf16, read>)
    attributes {arg_names = ["x"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %r = tile.ring : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
  // expected-error @+1 {{'tile.fill' op expected a thread map of 8x64 elements, found 4x64 [FILL-C2]}}
  tile.fill "x" of %r[%c0] = %x[%c0, %c0] threads(#copy) : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>, !tile.global<8x64xf16, read>
  tile.return
}

// -----

#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [8, 64]>
tile.kernel @fill_c3_hole(%x: !tile.global<8x64xf16, read>)
    attributes {arg_names = ["x"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %r = tile.ring : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
  // expected-error @+1 {{'tile.fill' op expected every element to be copied [FILL-C3]}}
  tile.fill "x" of %r[%c0] = %x[%c0, %c0] threads(#copy) : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>, !tile.global<8x64xf16, read>
  tile.return
}

// -----

#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0]] : [8, 64]>
tile.kernel @fill_c4_write(%x: !tile.global<8x64xf16, write>)
    attributes {arg_names = ["x"], warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %r = tile.ring : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
  // expected-error @+1 {{'tile.fill' op expected a matrix to read, found one to write [FILL-C4]}}
  tile.fill "x" of %r[%c0] = %x[%c0, %c0] threads(#copy) : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>, !tile.global<8x64xf16, write>
  tile.return
}

// -----

tile.kernel @read_c1_element_type()
    attributes {arg_names = [], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %r = tile.ring : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
  // expected-error @+1 {{'tile.read' op expected elements of type 'f16', found 'f32' [READ-C1]}}
  %t = tile.read "x" of %r[%c0] [0, 0] : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]> -> !tile.val<8x64xf32>
  tile.return
}

// -----

tile.kernel @read_c2_one_offset()
    attributes {arg_names = [], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %r = tile.ring : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
  // expected-error @+1 {{'tile.read' op expected two offsets [READ-C2]}}
  %t = tile.read "x" of %r[%c0] [0] : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]> -> !tile.val<8x64xf16>
  tile.return
}

// -----

tile.kernel @read_c2_outside()
    attributes {arg_names = [], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %r = tile.ring : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
  // expected-error @+1 {{'tile.read' op expected offsets that are multiples of the result's extents and inside of the field, found 64 for 32 of 64 [READ-C2]}}
  %t = tile.read "x" of %r[%c0] [0, 64] : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]> -> !tile.val<8x32xf16>
  tile.return
}

// -----

// expected-error @+1 {{expected a matrix of two dimensions, or a stack of three, found 1}}
func.func private @global_rank(!tile.global<64xf16, read>)

// -----

// expected-error @+1 {{only the number of rows of a row-major matrix may be dynamic}}
func.func private @global_dynamic_columns(!tile.global<16x?xf16, read>)

// -----

// expected-error @+1 {{only the number of rows of a row-major matrix may be dynamic}}
func.func private @global_dynamic_with_layout(!tile.global<?x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>)

// -----

// expected-error @+1 {{expected extents between 1 and 2^30, found 2147483648}}
func.func private @global_too_large(!tile.global<16x2147483648xf16, read>)

// -----

// expected-error @+1 {{expected codes, f16, bf16, f32 or i32, found 'i8'}}
func.func private @global_element_type(!tile.global<16x64xi8, read>)

// -----

// expected-error @+1 {{expected 'read', 'write' or 'workspace', found 'update'}}
func.func private @global_access(!tile.global<16x64xf16, update>)

// -----

// expected-error @+1 {{expected a wna16 layout, found 7 : i32}}
func.func private @global_storage(!tile.global<16x64xf16, read, 7 : i32>)

// -----

// expected-error @+1 {{layout 'marlin' expects N (96) to be a multiple of 64 [LAY4]}}
func.func private @global_wna16_layout(!tile.global<16x96x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>)

// -----

// expected-error @+1 {{expected a tile of two dimensions, found 3}}
func.func private @val_rank(!tile.val<8x8x8xf16>)

// -----

// expected-error @+1 {{expected power-of-two extents up to 65536, found 24}}
func.func private @val_extent(!tile.val<24x64xf16>)

// -----

// expected-error @+1 {{expected codes, f16, bf16, f32 or i32, found 'i1'}}
func.func private @val_element_type(!tile.val<8x64xi1>)

// -----

// expected-error @+1 {{only fp32 sums can be partial, found 'f16'}}
func.func private @val_partial_f16(!tile.val<8x64xf16, partial>)

// -----

// expected-error @+1 {{layout is for 4 and not for 8 elements along dim0}}
func.func private @val_layout_extent(!tile.val<8x16xf16, #tile.linear<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [] : [4, 16]>>)

// -----

// expected-error @+1 {{layout leaves elements of the tile without a holder}}
func.func private @val_layout_hole(!tile.val<4x16xf16, #tile.linear<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [0, 0]], warp = [] : [4, 16]>>)

// -----

// expected-error @+1 {{expected 5 lane bits, found 4}}
func.func private @val_layout_lanes(!tile.val<4x16xf16, #tile.linear<register = [[0, 1], [2, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0]], warp = [] : [4, 16]>>)

// -----

// expected-error @+1 {{expected whole 32-bit registers, found 1 elements of 16 bits}}
func.func private @val_layout_half_register(!tile.val<4x16xf16, #tile.linear<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp = [[2, 0]] : [4, 16]>>)

// -----

// expected-error @+1 {{expected at least one stage, found 0}}
func.func private @ring_no_stage(!tile.ring<0, [#tile.field<"x", !tile.val<8x64xf16>>]>)

// -----

// expected-error @+1 {{field 'x' appears twice}}
func.func private @ring_same_field(!tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>, #tile.field<"x", !tile.val<8x64xf16>>]>)

// -----

// expected-error @+1 {{expected a positive row pitch, found 0}}
func.func private @pitch_zero() attributes {unused = #tile.pitch<0>}

// -----

// expected-error @+1 {{expected a swizzle of 128 bytes, found 64}}
func.func private @swizzle_bytes() attributes {unused = #tile.swizzle<64>}

// -----

// expected-error @+1 {{expected 16-bit elements, rows in multiples of 8 and columns in multiples of 64 for #tile.swizzle<128>, found 8x32 of 'f16'}}
func.func private @swizzle_columns() attributes {unused = #tile.field<"x", !tile.val<8x32xf16>, #tile.swizzle<128>>}

// -----

// expected-error @+1 {{expected a row pitch of at least 64 elements, found 32}}
func.func private @pitch_short() attributes {unused = #tile.field<"x", !tile.val<8x64xf16>, #tile.pitch<32>>}

// -----

// expected-error @+1 {{expected a field of type !tile.val, found 'f16'}}
func.func private @field_no_tile() attributes {unused = #tile.field<"x", f16>}

// -----

// expected-error @+1 {{expected field 'x' to have a plain tile type, found '!tile.val<8x64xf32, partial>'}}
func.func private @field_partial() attributes {unused = #tile.field<"x", !tile.val<8x64xf32, partial>>}

// -----

// expected-error @+1 {{expected two coordinates per basis, found 3}}
func.func private @linear_basis_rank() attributes {unused = #tile.linear<register = [[0, 1, 2]], lane = [], warp = [] : [1, 2]>}

// -----

// expected-error @+1 {{basis [0, 4] of 'register' lies outside of [1, 4]}}
func.func private @linear_basis_outside() attributes {unused = #tile.linear<register = [[0, 4]], lane = [], warp = [] : [1, 4]>}

// -----

// expected-error @+1 {{expected two power-of-two extents after ':'}}
func.func private @linear_extent() attributes {unused = #tile.linear<register = [], lane = [], warp = [] : [3, 4]>}

// -----

!a = !tile.val<64x64xf16>
!r = !tile.ring<2, [#tile.field<"x", !tile.val<16x64xf16>, #tile.swizzle<128>>]>
!s = !tile.val<64x16xf32>
func.func @ring_c1_product(%i: index, %a: !a, %r: !r, %s: !s) {
  // expected-error @+1 {{expected a field of the ring, found 'y' [RING-C1]}}
  %p = tile.mma_async %a, "y" of %r[%i] [0, 0], %s : !a, !r, !s
  return
}

// -----

!a = !tile.val<64x64xbf16>
!r = !tile.ring<2, [#tile.field<"x", !tile.val<16x64xf16>, #tile.swizzle<128>>]>
!s = !tile.val<64x16xf32>
func.func @mmaasync_c1(%i: index, %a: !a, %r: !r, %s: !s) {
  // expected-error @+1 {{expected operands of f16 or bf16, found 'bf16' and 'f16' [MMAASYNC-C1]}}
  %p = tile.mma_async %a, "x" of %r[%i] [0, 0], %s : !a, !r, !s
  return
}

// -----

!a = !tile.val<64x64xf16>
!r = !tile.ring<2, [#tile.field<"x", !tile.val<16x64xf16>, #tile.swizzle<128>>]>
!s = !tile.val<64x16xf16>
func.func @mmaasync_c2(%i: index, %a: !a, %r: !r, %s: !s) {
  // expected-error @+1 {{expected an accumulator of f32, found 'f16' [MMAASYNC-C2]}}
  %p = tile.mma_async %a, "x" of %r[%i] [0, 0], %s : !a, !r, !s
  return
}

// -----

!a = !tile.val<64x64xf16>
!r = !tile.ring<2, [#tile.field<"x", !tile.val<16x64xf16>, #tile.swizzle<128>>]>
!s = !tile.val<128x16xf32>
func.func @mmaasync_c3(%i: index, %a: !a, %r: !r, %s: !s) {
  // expected-error @+1 {{expected a KxN and an accumulator NxM with K in multiples of 16, N of 64, and M of 8 up to 256, found 64x64 and 128x16 [MMAASYNC-C3]}}
  %p = tile.mma_async %a, "x" of %r[%i] [0, 0], %s : !a, !r, !s
  return
}

// -----

!a = !tile.val<64x64xf16>
!r = !tile.ring<2, [#tile.field<"x", !tile.val<16x64xf16>, #tile.swizzle<128>>]>
!s = !tile.val<64x16xf32>
func.func @mmaasync_c4(%i: index, %a: !a, %r: !r, %s: !s) {
  // expected-error @+1 {{expected two offsets, multiples of 8 and 16, of a part of 16x64 inside of the field's 16x64 [MMAASYNC-C4]}}
  %p = tile.mma_async %a, "x" of %r[%i] [0, 16], %s : !a, !r, !s
  return
}

// -----

!a = !tile.val<64x64xf16>
!r = !tile.ring<2, [#tile.field<"x", !tile.val<16x64xf16>, #tile.pitch<72>>]>
!s = !tile.val<64x16xf32>
func.func @mmaasync_c5(%i: index, %a: !a, %r: !r, %s: !s) {
  // expected-error @+1 {{expected field 'x' to have #tile.swizzle as storage [MMAASYNC-C5]}}
  %p = tile.mma_async %a, "x" of %r[%i] [0, 0], %s : !a, !r, !s
  return
}

// -----

func.func @convert_c1(%s: !tile.val<64x16xf32>) {
  // expected-error @+1 {{expected another layout of the same tile, found '!tile.val<64x16xf32>' to '!tile.val<64x16xf16>' [CONVERT-C1]}}
  %r = tile.convert %s : !tile.val<64x16xf32> -> !tile.val<64x16xf16>
  return
}

// -----

func.func @convert_c2(%s: !tile.val<64x16xf32, partial>) {
  // expected-error @+1 {{expected a whole sum; tile.combine makes one of a partial sum [CONVERT-C2]}}
  %r = tile.convert %s : !tile.val<64x16xf32, partial> -> !tile.val<64x16xf32>
  return
}

// -----

tile.kernel @combine_c1_still_parts()
    attributes {arg_names = [], warps = 1 : i64} {
  %p = tile.zero : !tile.val<64x8xf32, partial<parts, blocks>>
  // expected-error @+1 {{'tile.combine' op expected a partial sum as operand and a whole one as result [COMBINE-C1]}}
  %h = tile.combine %p : !tile.val<64x8xf32, partial<parts, blocks>> -> !tile.val<64x8xf32>
  tile.return
}

// -----

tile.kernel @combine_c3_parts_first()
    attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part, %block) tile [8, 64] of [8, 64] parts 2 blocks 2 {
    %p = tile.zero : !tile.val<64x8xf32, partial<parts, blocks>>
    // expected-error @+1 {{'tile.combine' op expected a share of the blocks' as operand and a whole sum as result; the shares of the parts are summed before [COMBINE-C3]}}
    %h = tile.combine %p over cluster : !tile.val<64x8xf32, partial<parts, blocks>> -> !tile.val<64x8xf32>
  }
  tile.return
}

// -----

tile.kernel @combine_c4_one_block()
    attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %p = tile.zero : !tile.val<64x8xf32, partial<blocks>>
    // expected-error @+1 {{'tile.combine' op expected work that blocks share (blocks above 1) around a sum over the cluster [COMBINE-C4]}}
    %h = tile.combine %p over cluster : !tile.val<64x8xf32, partial<blocks>> -> !tile.val<64x8xf32>
  }
  tile.return
}

// -----

tile.kernel @combine_c4_columns()
    attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in, %block) tile [4, 64] of [8, 64] blocks 8 {
    %p = tile.zero : !tile.val<64x4xf32, partial<blocks>>
    // expected-error @+1 {{'tile.combine' op expected a column for each of 8 blocks, found 4 [COMBINE-C4]}}
    %h = tile.combine %p over cluster : !tile.val<64x4xf32, partial<blocks>> -> !tile.val<64x4xf32>
  }
  tile.return
}

// -----

#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 4], [0, 0]], warp = [], block = [[0, 2]] : [16, 8]>
tile.kernel @combine_c4_owners()
    attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %p = tile.zero : !tile.val<16x8xf32, partial<blocks>>
    // expected-error @+1 {{'tile.combine' op expected a layout in which each of 2 blocks owns 8 / 2 neighbouring columns, found #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 4], [0, 0]], warp = [], block = [[0, 2]] : [16, 8]> [COMBINE-C4]}}
    %h = tile.combine %p over cluster : !tile.val<16x8xf32, partial<blocks>> -> !tile.val<16x8xf32, #owned>
  }
  tile.return
}

// -----

tile.kernel @work_c7_blocks(%m: index)
    attributes {arg_names = ["m"], warps = 2 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected a power of two of at most 8 blocks, found 16 [WORK-C7]}}
  tile.for_each_work (%im, %in, %block) tile [16, 64] of [%m, 64] blocks 16 {
  }
  tile.return
}

// -----

tile.kernel @work_c4_no_block(%m: index)
    attributes {arg_names = ["m"], warps = 2 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected 4 region arguments, found 3 [WORK-C4]}}
  tile.for_each_work (%im, %in, %part) tile [16, 64] of [%m, 64] parts 2 blocks 2 {
  }
  tile.return
}

// -----

tile.kernel @ticket_c1_parts(%y: !tile.global<8x64xf32, write>, %shares: !tile.global<8x128xf32, workspace>, %tickets: !tile.global<1x4xi32, workspace>, %flag: index)
    attributes {arg_names = ["y", "shares", "tickets", "flag"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %c8 = arith.constant 8 : index
    %share = tile.zero : !tile.val<16x8xf32, partial<parts, blocks>>
    // expected-error @+1 {{'tile.combine_by_ticket' op expected a share of the blocks' as operand, whose parts are summed, and the whole sum in the same layout as result, found '!tile.val<16x8xf32, partial<parts, blocks>>' and '!tile.val<16x8xf32>' [TICKET-C1]}}
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %c8
        : !tile.val<16x8xf32, partial<parts, blocks>>, !tile.global<8x128xf32, workspace>, !tile.global<1x4xi32, workspace> -> !tile.val<16x8xf32>
  }
}

// -----

tile.kernel @ticket_c1_whole(%y: !tile.global<8x64xf32, write>, %shares: !tile.global<8x128xf32, workspace>, %tickets: !tile.global<1x4xi32, workspace>, %flag: index)
    attributes {arg_names = ["y", "shares", "tickets", "flag"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %c8 = arith.constant 8 : index
    %share = tile.zero : !tile.val<16x8xf32>
    // expected-error @+1 {{'tile.combine_by_ticket' op expected a share of the blocks' as operand, whose parts are summed, and the whole sum in the same layout as result, found '!tile.val<16x8xf32>' and '!tile.val<16x8xf32>' [TICKET-C1]}}
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %c8
        : !tile.val<16x8xf32>, !tile.global<8x128xf32, workspace>, !tile.global<1x4xi32, workspace> -> !tile.val<16x8xf32>
  }
}

// -----

tile.kernel @ticket_c1_shape(%y: !tile.global<8x64xf32, write>, %shares: !tile.global<8x128xf32, workspace>, %tickets: !tile.global<1x4xi32, workspace>, %flag: index)
    attributes {arg_names = ["y", "shares", "tickets", "flag"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %c8 = arith.constant 8 : index
    %share = tile.zero : !tile.val<16x8xf32, partial<blocks>>
    // expected-error @+1 {{'tile.combine_by_ticket' op expected a share of the blocks' as operand, whose parts are summed, and the whole sum in the same layout as result, found '!tile.val<16x8xf32, partial<blocks>>' and '!tile.val<8x8xf32>' [TICKET-C1]}}
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %c8
        : !tile.val<16x8xf32, partial<blocks>>, !tile.global<8x128xf32, workspace>, !tile.global<1x4xi32, workspace> -> !tile.val<8x8xf32>
  }
}

// -----

tile.kernel @ticket_c2_one_block(%y: !tile.global<8x64xf32, write>, %shares: !tile.global<8x128xf32, workspace>, %tickets: !tile.global<1x4xi32, workspace>, %flag: index)
    attributes {arg_names = ["y", "shares", "tickets", "flag"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 64]  {
    %c8 = arith.constant 8 : index
    %share = tile.zero : !tile.val<16x8xf32, partial<blocks>>
    // expected-error @+1 {{'tile.combine_by_ticket' op expected work that blocks share (blocks above 1) around a sum by ticket [TICKET-C2]}}
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %c8
        : !tile.val<16x8xf32, partial<blocks>>, !tile.global<8x128xf32, workspace>, !tile.global<1x4xi32, workspace> -> !tile.val<16x8xf32>
  }
}

// -----

tile.kernel @ticket_c2_cluster(%y: !tile.global<8x64xf32, write>, %shares: !tile.global<8x128xf32, workspace>, %tickets: !tile.global<1x4xi32, workspace>, %flag: index)
    attributes {arg_names = ["y", "shares", "tickets", "flag"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %c8 = arith.constant 8 : index
    %share = tile.zero : !tile.val<16x8xf32, partial<blocks>>
    // expected-error @+1 {{'tile.combine_by_ticket' op expected blocks that take tickets to be no cluster, found a sum over it in the same work [TICKET-C2]}}
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %c8
        : !tile.val<16x8xf32, partial<blocks>>, !tile.global<8x128xf32, workspace>, !tile.global<1x4xi32, workspace> -> !tile.val<16x8xf32>
    %all = tile.combine %share over cluster : !tile.val<16x8xf32, partial<blocks>> -> !tile.val<16x8xf32>
  }
}

// -----

tile.kernel @ticket_c7_two_sums(%a: !tile.global<8x128xf32, workspace>, %b: !tile.global<1x4xi32, workspace>, %c: !tile.global<8x128xf32, workspace>, %d: !tile.global<1x4xi32, workspace>)
    attributes {arg_names = ["a", "b", "c", "d"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %c8 = arith.constant 8 : index
    %share = tile.zero : !tile.val<16x8xf32, partial<blocks>>
    // expected-error @+1 {{'tile.combine_by_ticket' op expected one sum by ticket in a work, found 2: each could have another last block [TICKET-C7]}}
    %sum, %last = tile.combine_by_ticket %share, %a[%im, %in], %b rows %c8
        : !tile.val<16x8xf32, partial<blocks>>, !tile.global<8x128xf32, workspace>, !tile.global<1x4xi32, workspace> -> !tile.val<16x8xf32>
    %other, %after = tile.combine_by_ticket %share, %c[%im, %in], %d rows %c8
        : !tile.val<16x8xf32, partial<blocks>>, !tile.global<8x128xf32, workspace>, !tile.global<1x4xi32, workspace> -> !tile.val<16x8xf32>
  }
}

// -----

tile.kernel @ticket_c3_columns(%y: !tile.global<8x64xf32, write>, %shares: !tile.global<8x64xf32, workspace>, %tickets: !tile.global<1x4xi32, workspace>, %flag: index)
    attributes {arg_names = ["y", "shares", "tickets", "flag"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %c8 = arith.constant 8 : index
    %share = tile.zero : !tile.val<16x8xf32, partial<blocks>>
    // expected-error @+1 {{'tile.combine_by_ticket' op expected a workspace of f32 with 128 columns (64 for each of 2 blocks), found '!tile.global<8x64xf32, workspace>' [TICKET-C3]}}
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %c8
        : !tile.val<16x8xf32, partial<blocks>>, !tile.global<8x64xf32, workspace>, !tile.global<1x4xi32, workspace> -> !tile.val<16x8xf32>
  }
}

// -----

tile.kernel @ticket_c3_access(%y: !tile.global<8x64xf32, write>, %shares: !tile.global<8x128xf32, write>, %tickets: !tile.global<1x4xi32, workspace>, %flag: index)
    attributes {arg_names = ["y", "shares", "tickets", "flag"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %c8 = arith.constant 8 : index
    %share = tile.zero : !tile.val<16x8xf32, partial<blocks>>
    // expected-error @+1 {{'tile.combine_by_ticket' op expected a workspace of f32 with 128 columns (64 for each of 2 blocks), found '!tile.global<8x128xf32, write>' [TICKET-C3]}}
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %c8
        : !tile.val<16x8xf32, partial<blocks>>, !tile.global<8x128xf32, write>, !tile.global<1x4xi32, workspace> -> !tile.val<16x8xf32>
  }
}

// -----

tile.kernel @ticket_c4_tiles(%y: !tile.global<8x64xf32, write>, %shares: !tile.global<8x128xf32, workspace>, %tickets: !tile.global<1x2xi32, workspace>, %flag: index)
    attributes {arg_names = ["y", "shares", "tickets", "flag"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %c8 = arith.constant 8 : index
    %share = tile.zero : !tile.val<16x8xf32, partial<blocks>>
    // expected-error @+1 {{'tile.combine_by_ticket' op expected a workspace of 1x4 i32, a ticket for every tile, found '!tile.global<1x2xi32, workspace>' [TICKET-C4]}}
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %c8
        : !tile.val<16x8xf32, partial<blocks>>, !tile.global<8x128xf32, workspace>, !tile.global<1x2xi32, workspace> -> !tile.val<16x8xf32>
  }
}

// -----

tile.kernel @ticket_c4_element(%y: !tile.global<8x64xf32, write>, %shares: !tile.global<8x128xf32, workspace>, %tickets: !tile.global<1x4xf32, workspace>, %flag: index)
    attributes {arg_names = ["y", "shares", "tickets", "flag"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %c8 = arith.constant 8 : index
    %share = tile.zero : !tile.val<16x8xf32, partial<blocks>>
    // expected-error @+1 {{'tile.combine_by_ticket' op expected a workspace of 1x4 i32, a ticket for every tile, found '!tile.global<1x4xf32, workspace>' [TICKET-C4]}}
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %c8
        : !tile.val<16x8xf32, partial<blocks>>, !tile.global<8x128xf32, workspace>, !tile.global<1x4xf32, workspace> -> !tile.val<16x8xf32>
  }
}

// -----

tile.kernel @ticket_c5_coordinates(%y: !tile.global<8x64xf32, write>, %shares: !tile.global<8x128xf32, workspace>, %tickets: !tile.global<1x4xi32, workspace>, %flag: index)
    attributes {arg_names = ["y", "shares", "tickets", "flag"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %c8 = arith.constant 8 : index
    %share = tile.zero : !tile.val<16x8xf32, partial<blocks>>
    // expected-error @+1 {{'tile.combine_by_ticket' op expected the coordinates of the work [TICKET-C5]}}
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %c8], %tickets rows %c8
        : !tile.val<16x8xf32, partial<blocks>>, !tile.global<8x128xf32, workspace>, !tile.global<1x4xi32, workspace> -> !tile.val<16x8xf32>
  }
}

// -----

tile.kernel @ticket_c6_two_users(%y: !tile.global<8x64xf32, write>, %shares: !tile.global<8x128xf32, workspace>, %tickets: !tile.global<1x4xi32, workspace>, %flag: index)
    attributes {arg_names = ["y", "shares", "tickets", "flag"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %c8 = arith.constant 8 : index
    %share = tile.zero : !tile.val<16x8xf32, partial<blocks>>
    // expected-error @+1 {{'tile.combine_by_ticket' op expected each workspace to be an argument of the kernel that nothing else uses [TICKET-C6]}}
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %c8
        : !tile.val<16x8xf32, partial<blocks>>, !tile.global<8x128xf32, workspace>, !tile.global<1x4xi32, workspace> -> !tile.val<16x8xf32>
    %more, %too = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %c8
        : !tile.val<16x8xf32, partial<blocks>>, !tile.global<8x128xf32, workspace>, !tile.global<1x4xi32, workspace> -> !tile.val<16x8xf32>
  }
}

// -----

tile.kernel @store_c4(%y: !tile.global<8x64xf32, write>)
    attributes {arg_names = ["y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %block, %c0 : index
    %sum = tile.zero : !tile.val<16x8xf32>
    // expected-error @+1 {{'tile.store' op expected `if` to be what tile.combine_by_ticket says [STORE-C4]}}
    tile.store %sum, %y[%im, %in] transposed if %first : !tile.val<16x8xf32>, !tile.global<8x64xf32, write>
  }
}

// -----

tile.kernel @work_c9_persistent_parts(%m: index)
    attributes {arg_names = ["m"], warps = 2 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected neither parts nor blocks that share K in work of persistent blocks [WORK-C9]}}
  tile.for_each_work () tile [16, 64] of [%m, 64] parts 2 persistent 4 {
  }
  tile.return
}

// -----

tile.kernel @work_c4_persistent(%m: index)
    attributes {arg_names = ["m"], warps = 2 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected 0 region arguments, found 2 [WORK-C4]}}
  tile.for_each_work (%im, %in) tile [16, 64] of [%m, 64] persistent 4 {
  }
  tile.return
}

// -----

tile.kernel @tiles_c1_arguments(%m: index)
    attributes {arg_names = ["m"], warps = 2 : i64} {
  tile.for_each_work () tile [16, 64] of [%m, 64] persistent 4 {
    tile.roles {
      tile.role "all" warps 2 {
        // expected-error @+1 {{'tile.for_each_tile' op expected 3 region arguments of type index, found 2 arguments [TILES-C1]}}
        tile.for_each_tile (%im, %in) steps 4 {
        }
      }
    }
  }
  tile.return
}

// -----

tile.kernel @tiles_c2_one_tile(%m: index)
    attributes {arg_names = ["m"], warps = 2 : i64} {
  tile.for_each_work (%row, %column) tile [16, 64] of [%m, 64] {
    tile.roles {
      tile.role "all" warps 2 {
        // expected-error @+1 {{'tile.for_each_tile' op expected a tile.for_each_work with persistent blocks around it; others have one tile [TILES-C2]}}
        tile.for_each_tile (%im, %in, %first) steps 4 {
        }
      }
    }
  }
  tile.return
}
