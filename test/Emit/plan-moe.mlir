// RUN: wna16-compile %s --target sm_90a --explain --no-cubin -o %t | FileCheck %s
// RUN: wna16-compile %s --target sm_90a --plan | FileCheck %s --check-prefix=JSON
// RUN: wna16-compile %s --target sm_80 --plan | FileCheck %s --check-prefix=JSON

// Ranges of slots; a tile has the rows of a segment in all of them. One token, so 8 slots, is
// no smaller range than 64 slots: segments do not change.
!x = tensor<?x2048xbf16>
!w = tensor<128x2048x1536x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<128x16x1536xbf16, #wna16.layout<marlin_scales>>
!y = tensor<?x1536xbf16>

//      CHECK: ranges of M of w13: N = 1536, K = 2048, groups of 128, 8 of 128 experts, segments of 16 rows, bf16, for sm_90a (H200)
// CHECK-NEXT:   M <= {{[0-9]+}}
// CHECK-NEXT:     schedule    #wna16.schedule<tile = [{{[0-9]+}}, 16, {{[0-9]+}}], {{.*}} copy = cp_async,
// CHECK-NEXT:     time        {{[0-9.]+}} us predicted, at M = {{[0-9]+}}
//      CHECK: kernel w13 for sm_90a
// CHECK-NEXT:   schedule   #wna16.schedule<tile = [{{[0-9]+}}, 16, {{[0-9]+}}],

//      JSON: "function": "w13",
//      JSON: "activations": "bf16",
// JSON-NEXT: "experts": 128,
// JSON-NEXT: "top_k": 8,
// JSON-NEXT: "segment_rows": 16,
// JSON-NEXT: "ranges": [
//      JSON: "schedule": "#wna16.schedule<tile = [{{[0-9]+}}, 16,
func.func @w13(%x: !x, %w: !w, %s: !s, %segments: tensor<?x4xi32>, %slots: tensor<?xi32>) -> !y {
  %y = wna16.moe_gemm %x by token, %w, %s segments %segments slots %slots to position
      {segment_rows = 16 : i64, top_k = 8 : i64, max_m = 512 : i64}
      : (!x, !w, !s, tensor<?x4xi32>, tensor<?xi32>) -> !y
  return %y : !y
}
