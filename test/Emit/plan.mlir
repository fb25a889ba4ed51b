// RUN: wna16-compile %s --target sm_90a --explain --no-cubin -o %t | FileCheck %s
// RUN: wna16-compile %s --target sm_90a --plan | FileCheck %s --check-prefix=JSON
// RUN: wna16-compile %s --target sm_90a --plan | %python -m json.tool > %t.json
// RUN: wna16-compile %s --target sm_90a --explain --batch-invariant --no-cubin -o %t | FileCheck %s --check-prefix=INVARIANT
// RUN: not wna16-compile %s --target sm_75 --plan 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: wna16-compile - --target sm_80 --explain --emit files --no-cubin -o %t < %s | FileCheck %s --check-prefix=STDIN

!x = tensor<?x4096xf16>
!w = tensor<4096x6144x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<32x6144xf16, #wna16.layout<marlin_scales>>
!y = tensor<?x6144xf16>

// What each range gets, what it is expected to take and of what that consists,
// what was measured, and what else was considered.
//      CHECK: ranges of M of qkv: N = 6144, K = 4096, groups of 128, f16, for sm_90a (H200)
// CHECK-NEXT:   M <= {{8|16}}
// CHECK-NEXT:     schedule    #wna16.schedule<tile = [
// CHECK-NEXT:     time        {{[0-9.]+}} us predicted{{(, [0-9.]+ us measured)?}}, at M = {{8|16}}
// CHECK-NEXT:     of which    memory {{[0-9.]+}}, L2 to shared memory {{[0-9.]+}}, shared memory {{[0-9.]+}}, issue slots {{[0-9.]+}}, tensor cores {{[0-9.]+}}, latency {{[0-9.]+}}
// CHECK-NEXT:     limit       {{[a-zL]}}
// CHECK-NEXT:     rather than {{[0-9]+}}x{{8|16}}x{{.*}} warps {{.*}}: {{[0-9.]+}} us
//      CHECK:   M <= {{32|64}}
//  CHECK-NOT:   M <=
// The kernel is that of the range of its max_m.
//      CHECK: kernel qkv for sm_90a
// CHECK-NEXT:   schedule   #wna16.schedule<tile = [{{[0-9]+}}, {{16|32|64}}, {{64|128}}],

//      JSON: "format": "wna16-plan",
// JSON-NEXT: "version": 1,
// JSON-NEXT: "batch_invariant": false,
//      JSON: "function": "qkv",
// JSON-NEXT: "target": "sm_90a",
//      JSON: "max_m": {{8|16}},
// JSON-NEXT: "schedule": "#wna16.schedule<tile
// JSON-NEXT: "at_m": {{8|16}},
// JSON-NEXT: "predicted_us": {{[0-9]+\.[0-9]+}},
//      JSON: "parts_us": {
//      JSON: "limit": "
// JSON-NEXT: "invariant_cost": 1.000,
// JSON-NEXT: "alternatives": [
//      JSON: "max_m": {{32|64}},
//  JSON-NOT: "max_m"

// One summation for every M has its price in at least one range.
// INVARIANT: invariance  costs {{[1-9][0-9]*}} %

// TARGET: error: unknown target 'sm_75'
// STDIN: ranges of M of qkv: {{.*}} for sm_80 (A100)
func.func @qkv(%x: !x, %w: !w, %s: !s) -> !y {
  %y = wna16.gemm %x, %w, %s {max_m = 17 : i64} : (!x, !w, !s) -> !y
  return %y : !y
}
