// RUN: wna16-opt %s --convert-moe-route-to-gpu --split-input-file --verify-diagnostics

!ids = tensor<?x2xi32>
!segments = tensor<?x4xi32>
!slots = tensor<?xi32>

// expected-error @+1 {{expected a function that returns both tables of one wna16.moe_route of its arguments, in their order, and does nothing else [ROUTE-C7]}}
func.func @route_c7_one_table(%ids: !ids) -> !slots {
  %segments, %slots = wna16.moe_route %ids {experts = 8 : i64, segment_rows = 8 : i64}
      : (!ids) -> (!segments, !slots)
  return %slots : !slots
}

// -----

!ids = tensor<?x2xi32>
!segments = tensor<?x4xi32>
!slots = tensor<?xi32>

// expected-error @+1 {{expected a function that returns both tables of one wna16.moe_route of its arguments, in their order, and does nothing else [ROUTE-C7]}}
func.func @route_c7_order(%map: tensor<8xi32>, %ids: !ids) -> (!segments, !slots) {
  %segments, %slots = wna16.moe_route %ids map %map {experts = 8 : i64, segment_rows = 8 : i64}
      : (!ids, tensor<8xi32>) -> (!segments, !slots)
  return %segments, %slots : !segments, !slots
}
