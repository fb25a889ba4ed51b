// RUN: wna16-opt %s --convert-moe-sum-to-gpu --split-input-file --verify-diagnostics

!h = tensor<?x64xf16>
!ids = tensor<?x2xi32>

// expected-error @+1 {{expected a function that returns one wna16.moe_sum of its arguments, in their order, and does nothing else [SUM-C8]}}
func.func @sum_c8_two(%h: !h, %ids: !ids) -> (!h, !h) {
  %0 = wna16.moe_sum %h ids %ids {experts = 8 : i64} : (!h, !ids) -> !h
  %1 = wna16.moe_sum %h ids %ids {experts = 8 : i64} : (!h, !ids) -> !h
  return %0, %1 : !h, !h
}

// -----

!h = tensor<?x64xf16>
!ids = tensor<?x2xi32>

// expected-error @+1 {{expected a function that returns one wna16.moe_sum of its arguments, in their order, and does nothing else [SUM-C8]}}
func.func @sum_c8_order(%ids: !ids, %h: !h) -> !h {
  %0 = wna16.moe_sum %h ids %ids {experts = 8 : i64} : (!h, !ids) -> !h
  return %0 : !h
}

// -----

!h = tensor<?x64xf16>
!ids = tensor<?x2xi32>

// expected-error @+1 {{expected a function that returns one wna16.moe_sum of its arguments, in their order, and does nothing else [SUM-C8]}}
func.func @sum_c8_more(%h: !h, %ids: !ids, %map: tensor<8xi32>) -> !h {
  %0 = wna16.moe_sum %h ids %ids {experts = 8 : i64} : (!h, !ids) -> !h
  return %0 : !h
}
