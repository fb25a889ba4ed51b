// RUN: wna16-opt %s --split-input-file --verify-diagnostics

// ORD1 and ORD4 on tile ops: nothing carries an activation order, and no coordinate
// of a load depends on data.

// Coordinates from counters, work, constants and sizes, also carried ones.
tile.kernel @accepted(%s: !tile.global<4x64xf16, read>, %n: index)
    attributes {arg_names = ["s", "n"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c128 : index
      %more = arith.cmpi slt, %next, %n : index
      %at = arith.select %more, %next, %c0 : index
      %t = tile.load_scales %s[k = %k, n = %in] {group = 128 : i64}
          : !tile.global<4x64xf16, read> -> !tile.val<1x64xf16>
      %u = tile.load_scales %s[k = %c0, n = %in] {group = -1 : i64}
          : !tile.global<4x64xf16, read> -> !tile.val<1x64xf16>
      scf.yield %at : index
    }
  }
  tile.return
}

// -----

tile.kernel @ord1_on_load(%x: !tile.global<16x64xf16, read>)
    attributes {arg_names = ["x"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tile.load' op has the attribute 'g_idx': the order of K is static, no attribute may carry an activation order; re-quantize with static ordering or desc_act=false [ORD1]}}
  %t = tile.load %x[%c0, %c0] {g_idx = array<i32: 0>} : !tile.global<16x64xf16, read> -> !tile.val<16x64xf16>
  tile.return
}

// -----

tile.kernel @ord1_nested(%s: !tile.global<4x64xf16, read>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tile.load_scales' op has the attribute 'quant.desc_act': the order of K is static, no attribute may carry an activation order; re-quantize with static ordering or desc_act=false [ORD1]}}
  %t = tile.load_scales %s[k = %c0, n = %c0] {group = 128 : i64, quant = {desc_act = true}} : !tile.global<4x64xf16, read> -> !tile.val<1x64xf16>
  tile.return
}

// -----

// expected-error @+1 {{'tile.kernel' op has the unknown attribute 'tile.perm' [ORD1]}}
tile.kernel @ord1_on_kernel() attributes {arg_names = [], warps = 1 : i64, tile.perm = [1, 0]} {
  tile.return
}

// -----

// An attribute of an argument has no meaning either, whatever its name.
// expected-error @+1 {{'tile.kernel' op expected arguments without attributes [ORD1]}}
tile.kernel @ord1_on_argument(%x: !tile.global<16x64xf16, read> {gpu.g_idx = array<i32: 0>})
    attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.return
}

// -----

// A name gives an argument a meaning.
// expected-error @+1 {{'tile.kernel' op argument name "w_G-Idx" is that of an activation order; the order of K is static, no kernel takes one; re-quantize with static ordering or desc_act=false [ORD1]}}
tile.kernel @ord1_argument_name(%x: !tile.global<16x64xf16, read>)
    attributes {arg_names = ["w_G-Idx"], warps = 1 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{'func.func' op has the unknown attribute 'tile.perm' [ORD1]}}
func.func private @ord1_tile_name_on_argument(%x: tensor<4xf16> {tile.perm = [1, 0]})

// -----

// expected-error @+1 {{'func.func' op has the unknown attribute 'tile.g_idx' [ORD1]}}
func.func private @ord1_tile_name_on_other_op() attributes {tile.g_idx = array<i32: 0>}

// -----

tile.kernel @ord1_unknown_name() attributes {arg_names = [], warps = 1 : i64} {
  // expected-error @+1 {{'tile.zero' op has the unknown attribute 'order'; allowed beside its own: loop_annotation, transform.target_tag [ORD1]}}
  %z = tile.zero {order = 1 : i64} : !tile.val<16x64xf16>
  tile.return
}

// -----

// A group index has no operand to go to.
tile.kernel @ord1_extra_operand(%s: !tile.global<4x64xf16, read>, %g: index)
    attributes {arg_names = ["s", "g"], warps = 1 : i64} {
  // expected-error @+1 {{'tile.load_scales' op expected 3 operands, but found 4}}
  %t = "tile.load_scales"(%s, %g, %g, %g) <{group = 128 : i64}> : (!tile.global<4x64xf16, read>, index, index, index) -> !tile.val<1x64xf16>
  tile.return
}

// -----

tile.kernel @ord4_k_from_tensor(%s: !tile.global<4x64xf16, read>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %g_idx = arith.constant dense<[2, 0, 1]> : tensor<3xi32>
  // expected-note @+1 {{it depends on this value}}
  %group = tensor.extract %g_idx[%c0] : tensor<3xi32>
  %k = arith.index_cast %group : i32 to index
  // expected-error @+1 {{'tile.load_scales' op expected k to be computed from loop counters, work coordinates and constants only; run-time activation ordering is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
  %t = tile.load_scales %s[k = %k, n = %c0] {group = 128 : i64} : !tile.global<4x64xf16, read> -> !tile.val<1x64xf16>
  tile.return
}

// -----

// Arithmetic, a select and a loop do not hide it.
tile.kernel @ord4_k_carried_by_a_loop(%s: !tile.global<4x64xf16, read>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %perm = arith.constant dense<[2, 0, 1, 3]> : tensor<4xindex>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%next = %c0) -> (index) {
    %k = arith.muli %next, %c128 : index
    %odd = arith.cmpi sgt, %k, %c0 : index
    %at = arith.select %odd, %k, %c0 : index
    // expected-error @+1 {{'tile.load_scales' op expected k to be computed from loop counters, work coordinates and constants only; run-time activation ordering is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
    %t = tile.load_scales %s[k = %at, n = %c0] {group = 128 : i64} : !tile.global<4x64xf16, read> -> !tile.val<1x64xf16>
    // expected-note @+1 {{it depends on this value}}
    %p = tensor.extract %perm[%i] : tensor<4xindex>
    scf.yield %p : index
  }
  tile.return
}

// -----

tile.kernel @ord4_step_of_a_loop(%s: !tile.global<4x64xf16, read>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %steps = arith.constant dense<[128]> : tensor<1xindex>
  // expected-note @+1 {{it depends on this value}}
  %step = tensor.extract %steps[%c0] : tensor<1xindex>
  scf.for %k = %c0 to %c512 step %step {
    // expected-error @+1 {{'tile.load_scales' op expected k to be computed from loop counters, work coordinates and constants only; run-time activation ordering is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
    %t = tile.load_scales %s[k = %k, n = %c0] {group = 128 : i64} : !tile.global<4x64xf16, read> -> !tile.val<1x64xf16>
  }
  tile.return
}

// -----

tile.kernel @ord4_n_of_scales(%s: !tile.global<4x64xf16, read>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %columns = arith.constant dense<[0, 64]> : tensor<2xindex>
  // expected-note @+1 {{it depends on this value}}
  %n = tensor.extract %columns[%c0] : tensor<2xindex>
  // expected-error @+1 {{'tile.load_scales' op expected n to be computed from loop counters, work coordinates and constants only; run-time activation ordering is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
  %t = tile.load_scales %s[k = %c0, n = %n] {group = 128 : i64} : !tile.global<4x64xf16, read> -> !tile.val<1x64xf16>
  tile.return
}

// -----

tile.kernel @ord4_column_of_activations(%x: !tile.global<16x64xf16, read>)
    attributes {arg_names = ["x"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %perm = arith.constant dense<[32, 0]> : tensor<2xindex>
  // expected-note @+1 {{it depends on this value}}
  %k = tensor.extract %perm[%c0] : tensor<2xindex>
  // expected-error @+1 {{'tile.load' op expected the column to be computed from loop counters, work coordinates and constants only; run-time activation ordering is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
  %t = tile.load %x[%c0, %k] : !tile.global<16x64xf16, read> -> !tile.val<16x32xf16>
  tile.return
}

// -----

tile.kernel @ord4_row_of_weights(%w: !tile.global<128x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>)
    attributes {arg_names = ["w"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %perm = arith.constant dense<[64, 0]> : tensor<2xindex>
  // expected-note @+1 {{it depends on this value}}
  %k = tensor.extract %perm[%c0] : tensor<2xindex>
  // expected-error @+1 {{'tile.load' op expected the row to be computed from loop counters, work coordinates and constants only; run-time activation ordering is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
  %t = tile.load %w[%k, %c0] : !tile.global<128x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !tile.val<64x64x!wna16.code<4, offset = 8>>
  tile.return
}

// -----

tile.kernel @ord4_column_of_a_store(%y: !tile.global<16x64xf16, write>)
    attributes {arg_names = ["y"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %perm = arith.constant dense<[32, 0]> : tensor<2xindex>
  // expected-note @+1 {{it depends on this value}}
  %n = tensor.extract %perm[%c0] : tensor<2xindex>
  %z = tile.zero : !tile.val<16x32xf16>
  // expected-error @+1 {{'tile.store' op expected the column to be computed from loop counters, work coordinates and constants only; run-time activation ordering is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
  tile.store %z, %y[%c0, %n] : !tile.val<16x32xf16>, !tile.global<16x64xf16, write>
  tile.return
}

// -----

#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0]] : [8, 64]>
tile.kernel @ord4_row_of_a_fill(%x: !tile.global<64x128xf16, read>)
    attributes {arg_names = ["x"], warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %perm = arith.constant dense<[8, 0]> : tensor<2xindex>
  %r = tile.ring : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
  // expected-note @+1 {{it depends on this value}}
  %at = tensor.extract %perm[%c0] : tensor<2xindex>
  // expected-error @+1 {{'tile.fill' op expected the row to be computed from loop counters, work coordinates and constants only; run-time activation ordering is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
  tile.fill "x" of %r[%c0] = %x[%at, %c0] threads(#copy) : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>, !tile.global<64x128xf16, read>
  tile.return
}

// -----

#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0]] : [8, 64]>
tile.kernel @ord4_column_of_a_fill(%x: !tile.global<64x128xf16, read>)
    attributes {arg_names = ["x"], warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %perm = arith.constant dense<[8, 0]> : tensor<2xindex>
  %r = tile.ring : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
  // expected-note @+1 {{it depends on this value}}
  %at = tensor.extract %perm[%c0] : tensor<2xindex>
  // expected-error @+1 {{'tile.fill' op expected the column to be computed from loop counters, work coordinates and constants only; run-time activation ordering is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
  tile.fill "x" of %r[%c0] = %x[%c0, %at] threads(#copy) : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>, !tile.global<64x128xf16, read>
  tile.return
}

// -----

#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0]] : [8, 64]>
tile.kernel @ord4_predicate_of_a_fill(%x: !tile.global<64x128xf16, read>)
    attributes {arg_names = ["x"], warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %use = arith.constant dense<[true, false]> : tensor<2xi1>
  %r = tile.ring : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>
  // expected-note @+1 {{it depends on this value}}
  %p = tensor.extract %use[%c0] : tensor<2xi1>
  // expected-error @+1 {{'tile.fill' op expected the predicate to be computed from loop counters, work coordinates and constants only; run-time activation ordering is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
  tile.fill "x" of %r[%c0] = %x[%c0, %c0] threads(#copy) if %p : !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>>]>, !tile.global<64x128xf16, read>
  tile.return
}

// -----

// The value by which Marlin's kernels ask for activation ordering.
tile.kernel @ord4_group_0(%s: !tile.global<4x64xf16, read>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tile.load_scales' op group = 0 asks for run-time activation ordering, which is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
  %t = tile.load_scales %s[k = %c0, n = %c0] {group = 0 : i64} : !tile.global<4x64xf16, read> -> !tile.val<1x64xf16>
  tile.return
}

// -----

// A fill of scales finds its row like a load of scales.
!ring = !tile.ring<2, [#tile.field<"s", !tile.val<1x64xf16>>]>
tile.kernel @ord4_group_0_fill(%s: !tile.global<4x64xf16, read>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %r = tile.ring : !ring
  // expected-error @+1 {{'tile.fill_scales' op group = 0 asks for run-time activation ordering, which is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
  tile.fill_scales "s" of %r[%c0] = %s[k = %c0, n = %c0] engine bulk {group = 0 : i64} : !ring, !tile.global<4x64xf16, read>
  tile.return
}

// -----

!ring = !tile.ring<2, [#tile.field<"s", !tile.val<1x64xf16>>]>
tile.kernel @ord4_k_of_a_fill_of_scales(%s: !tile.global<4x64xf16, read>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %list = arith.constant dense<[128, 0]> : tensor<2xindex>
  %r = tile.ring : !ring
  // expected-note @+1 {{it depends on this value}}
  %v = tensor.extract %list[%c0] : tensor<2xindex>
  // expected-error @+1 {{'tile.fill_scales' op expected k to be computed from loop counters, work coordinates and constants only; run-time activation ordering is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
  tile.fill_scales "s" of %r[%c0] = %s[k = %v, n = %c0] engine bulk {group = 128 : i64} : !ring, !tile.global<4x64xf16, read>
  tile.return
}

// -----

!ring = !tile.ring<2, [#tile.field<"s", !tile.val<1x64xf16>>]>
tile.kernel @ord4_n_of_a_fill_of_scales(%s: !tile.global<4x64xf16, read>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %list = arith.constant dense<[32, 0]> : tensor<2xindex>
  %r = tile.ring : !ring
  // expected-note @+1 {{it depends on this value}}
  %v = tensor.extract %list[%c0] : tensor<2xindex>
  // expected-error @+1 {{'tile.fill_scales' op expected n to be computed from loop counters, work coordinates and constants only; run-time activation ordering is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
  tile.fill_scales "s" of %r[%c0] = %s[k = %c0, n = %v] engine bulk {group = 128 : i64} : !ring, !tile.global<4x64xf16, read>
  tile.return
}

// -----

!ring = !tile.ring<2, [#tile.field<"s", !tile.val<1x64xf16>>]>
tile.kernel @ord4_predicate_of_a_fill_of_scales(%s: !tile.global<4x64xf16, read>)
    attributes {arg_names = ["s"], warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %list = arith.constant dense<[true, false]> : tensor<2xi1>
  %r = tile.ring : !ring
  // expected-note @+1 {{it depends on this value}}
  %v = tensor.extract %list[%c0] : tensor<2xi1>
  // expected-error @+1 {{'tile.fill_scales' op expected the predicate to be computed from loop counters, work coordinates and constants only; run-time activation ordering is not supported: re-quantize with static ordering or desc_act=false [ORD4]}}
  tile.fill_scales "s" of %r[%c0] = %s[k = %c0, n = %c0] engine bulk if %v {group = 128 : i64} : !ring, !tile.global<4x64xf16, read>
  tile.return
}
