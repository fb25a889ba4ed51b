// RUN: wna16-opt %s --split-input-file --allow-unregistered-dialect --verify-diagnostics

// ORD1 and ORD2 on ops, attributes, arguments, results and modules. The pass
// verify-order looks at what encloses the ops, and at what feeds them (ORD3).

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_plain_name(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the attribute 'g_idx': the order of K is static, no attribute may carry an activation order; re-quantize with static ordering or desc_act=false [ORD1]}}
  %0 = wna16.dequantize %w, %s {g_idx = dense<0> : tensor<128xi32>}
      : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_own_prefix(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the attribute 'wna16.perm': the order of K is static}}
  %0 = wna16.dequantize %w, %s {wna16.perm = [1, 0]} : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_foreign_prefix(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the attribute 'gptq.desc_act': the order of K is static}}
  %0 = wna16.dequantize %w, %s {gptq.desc_act = true} : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// Case and separators do not matter.
func.func @ord1_case(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the attribute 'G_Idx': the order of K is static}}
  %0 = wna16.dequantize %w, %s {"G_Idx" = 0} : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_separators(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the attribute 'is-k.isKFull': the order of K is static}}
  %0 = wna16.dequantize %w, %s {"is-k.isKFull" = true} : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_prefixed_word(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the attribute 'weight_g_idx': the order of K is static}}
  %0 = wna16.dequantize %w, %s {weight_g_idx = 0} : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_sort_indices(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the attribute 'g_idx_sort_indices': the order of K is static}}
  %0 = wna16.dequantize %w, %s {g_idx_sort_indices = 0} : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// Also where the value says no: the name is the mistake.
func.func @ord1_act_order(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the attribute 'act_order': the order of K is static}}
  %0 = wna16.dequantize %w, %s {act_order = false} : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// A property of gemm alone.
func.func @ord1_actorder(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the attribute 'actorder': the order of K is static}}
  %0 = wna16.dequantize %w, %s {actorder = #wna16.actorder<static>} : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_in_dictionary(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the attribute 'quant.desc_act': the order of K is static}}
  %0 = wna16.dequantize %w, %s {quant = {bits = 4, desc_act = true}} : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_in_array(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the attribute 'passes.inner.input_perm': the order of K is static}}
  %0 = wna16.dequantize %w, %s {passes = [1, {inner = {input_perm = 0}}]} : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// An allowed name is no cover.
func.func @ord1_allowed_name_with_order(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the attribute 'loop_annotation.perm': the order of K is static}}
  %0 = wna16.dequantize %w, %s {loop_annotation = {perm = 0}} : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_unknown(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the unknown attribute 'colour'; allowed beside its own: loop_annotation, transform.target_tag [ORD1]}}
  %0 = wna16.dequantize %w, %s {colour = "blue"} : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_unknown_prefixed(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.dequantize' op has the unknown attribute 'test.colour'; allowed beside its own: loop_annotation, transform.target_tag [ORD1]}}
  %0 = wna16.dequantize %w, %s {test.colour = "blue"} : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

!x = tensor<8x128xf16>

func.func @ord1_on_gemm(%x: !x, %w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.gemm' op has the attribute 'sort_indices': the order of K is static}}
  %0 = wna16.gemm %x, %w, %s {max_m = 8 : i64, sort_indices = 0}
      : (!x, !w, tensor<2x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_on_repack(%w: !w) {
  // expected-error@+1 {{'wna16.repack' op has the attribute 'perm': the order of K is static}}
  %0 = wna16.repack %w {perm = 0} : !w to !w
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// An op without properties has no place for a key.
func.func @ord1_property_key(%w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{invalid properties {g_idx = [0, 1]} for op wna16.dequantize: this operation does not support properties}}
  %0 = "wna16.dequantize"(%w, %s) <{g_idx = [0, 1]}> : (!w, tensor<2x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_extra_operand(%x: tensor<8x128xf16>, %w: !w, %s: tensor<2x64xf16>, %g_idx: tensor<128xi32>) {
  // expected-error@+1 {{'wna16.gemm' op operand #3 must be 2-d tensor of !wna16.code without offset, with a layout of zero points as encoding [GEMM-C12], but got 'tensor<128xi32>'}}
  %0 = "wna16.gemm"(%x, %w, %s, %g_idx) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
      : (tensor<8x128xf16>, !w, tensor<2x64xf16>, tensor<128xi32>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_extra_operand_as_bias(%x: tensor<8x128xf16>, %w: !w, %s: tensor<2x64xf16>, %g_idx: tensor<128xi32>) {
  // expected-error@+1 {{'wna16.gemm' op operand #3 must be tensor of one row of f16, bf16 or f32, plain or with a scale layout as encoding [GEMM-C7], but got 'tensor<128xi32>'}}
  %0 = "wna16.gemm"(%x, %w, %s, %g_idx) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}>
      : (tensor<8x128xf16>, !w, tensor<2x64xf16>, tensor<128xi32>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

func.func @ord1_operand_in_no_slot(%x: tensor<8x128xf16>, %w: !w, %s: tensor<2x64xf16>, %g_idx: tensor<128xi32>) {
  // expected-error@+1 {{'wna16.gemm' op operand count (4) does not match with the total size (3) specified in attribute 'operandSegmentSizes'}}
  %0 = "wna16.gemm"(%x, %w, %s, %g_idx) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (tensor<8x128xf16>, !w, tensor<2x64xf16>, tensor<128xi32>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

// An index vector fits no operand.
func.func @ord1_group_index_as_scales(%x: tensor<8x128xf16>, %w: !w, %g_idx: tensor<128xi32>) {
  // expected-error@+1 {{'wna16.gemm' op operand #2 must be 2-d f16 or bf16 tensor of static shape, plain or with a scale layout as encoding [GEMM-C3], but got 'tensor<128xi32>'}}
  %0 = wna16.gemm %x, %w, %g_idx
      : (tensor<8x128xf16>, !w, tensor<128xi32>) -> tensor<8x64xf16>
  return
}

// -----

// Attributes with the prefix of the dialect are looked at on any op ...
// expected-error@+1 {{'builtin.module' op has the attribute 'wna16.desc_act': the order of K is static}}
module attributes {wna16.desc_act = true} {
}

// -----

// ... on arguments ...
// expected-error@+1 {{argument 1 of 'func.func' op has the attribute 'wna16.g_idx': the order of K is static}}
func.func @ord1_argument(%a: i32, %b: i32 {wna16.g_idx}) {
  return
}

// -----

// ... and on results.
// expected-error@+1 {{result 0 of 'func.func' op has the attribute 'wna16.permutation': the order of K is static}}
func.func private @ord1_result() -> (i32 {wna16.permutation = [1, 0]})

// -----

// expected-error@+1 {{'func.func' op has the unknown attribute 'wna16.colour'; known: wna16.launch, wna16.row_ids [ORD1]}}
func.func private @ord1_unknown_on_function() attributes {wna16.colour = "blue"}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

!x = tensor<8x128xf16>

func.func @ord2_group(%x: !x, %w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{actorder 'group' needs an activation order at run time, which is not supported; re-quantize with static ordering or desc_act=false [ORD2]}}
  %0 = wna16.gemm %x, %w, %s {actorder = #wna16.actorder<group>}
      : (!x, !w, tensor<2x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

!x = tensor<8x128xf16>

func.func @ord2_dynamic(%x: !x, %w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{actorder 'dynamic' needs an activation order at run time, which is not supported; re-quantize with static ordering or desc_act=false [ORD2]}}
  %0 = wna16.gemm %x, %w, %s {actorder = #wna16.actorder<dynamic>}
      : (!x, !w, tensor<2x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

!x = tensor<8x128xf16>

func.func @ord2_case(%x: !x, %w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{actorder 'GROUP' needs an activation order at run time, which is not supported; re-quantize with static ordering or desc_act=false [ORD2]}}
  %0 = wna16.gemm %x, %w, %s {actorder = #wna16.actorder<"GROUP">}
      : (!x, !w, tensor<2x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

!x = tensor<8x128xf16>

// What old configuration files write for group.
func.func @ord2_true(%x: !x, %w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{actorder 'true' needs an activation order at run time, which is not supported; re-quantize with static ordering or desc_act=false [ORD2]}}
  %0 = wna16.gemm %x, %w, %s {actorder = #wna16.actorder<true>}
      : (!x, !w, tensor<2x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

!x = tensor<8x128xf16>

func.func @ord2_unknown(%x: !x, %w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{expected actorder none, static or weight, got 'sorted' [ORD2]}}
  %0 = wna16.gemm %x, %w, %s {actorder = #wna16.actorder<sorted>}
      : (!x, !w, tensor<2x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

!x = tensor<8x128xf16>

// Attributes that are not ours say the same.
func.func @ord2_string(%x: !x, %w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.gemm' op actorder 'group' needs an activation order at run time, which is not supported; re-quantize with static ordering or desc_act=false [ORD2]}}
  %0 = wna16.gemm %x, %w, %s {actorder = "group"}
      : (!x, !w, tensor<2x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

!x = tensor<8x128xf16>

func.func @ord2_string_case(%x: !x, %w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.gemm' op actorder 'Dynamic' needs an activation order at run time, which is not supported; re-quantize with static ordering or desc_act=false [ORD2]}}
  %0 = wna16.gemm %x, %w, %s {actorder = "Dynamic"}
      : (!x, !w, tensor<2x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

!x = tensor<8x128xf16>

func.func @ord2_bool(%x: !x, %w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.gemm' op actorder 'true' needs an activation order at run time, which is not supported; re-quantize with static ordering or desc_act=false [ORD2]}}
  %0 = wna16.gemm %x, %w, %s {actorder = true}
      : (!x, !w, tensor<2x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

!x = tensor<8x128xf16>

func.func @ord2_static_string(%x: !x, %w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.gemm' op expected actorder to be #wna16.actorder<none>, <static> or <weight>, got "static" [ORD2]}}
  %0 = wna16.gemm %x, %w, %s {actorder = "static"}
      : (!x, !w, tensor<2x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

!x = tensor<8x128xf16>

func.func @ord2_generic_form(%x: !x, %w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.gemm' op actorder 'group' needs an activation order at run time, which is not supported; re-quantize with static ordering or desc_act=false [ORD2]}}
  %0 = "wna16.gemm"(%x, %w, %s) <{actorder = "group", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (!x, !w, tensor<2x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>

!x = tensor<8x128xf16>

func.func @ord2_generic_form_true(%x: !x, %w: !w, %s: tensor<2x64xf16>) {
  // expected-error@+1 {{'wna16.gemm' op actorder 'true' needs an activation order at run time, which is not supported; re-quantize with static ordering or desc_act=false [ORD2]}}
  %0 = "wna16.gemm"(%x, %w, %s) {actorder = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
      : (!x, !w, tensor<2x64xf16>) -> tensor<8x64xf16>
  return
}
