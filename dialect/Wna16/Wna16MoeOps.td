//===- Wna16MoeOps.td - ops of mixtures of experts ---------*- tablegen -*-===//
//
// Routing, the product by expert, and the sum over the experts of a token.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_WNA16_WNA16MOEOPS_TD
#define WNA16_DIALECT_WNA16_WNA16MOEOPS_TD

include "dialect/Wna16/Wna16OpBase.td"

/// Router ids: top_k of every token.
class Wna16_Ids<string label> : Wna16_TensorOf<"isRouterIds",
    "? x top_k tensor of i32 with top_k from 1 to 16 [" # label # "]">;
/// From global experts to local ones.
class Wna16_ExpertMap<string label> : Wna16_TensorOf<"isExpertMap",
    "tensor of i32 with one static, positive extent [" # label # "]">;
class Wna16_RouterWeights<string label> : Wna16_TensorOf<"isRouterWeights",
    "? x top_k tensor of f32 with top_k from 1 to 16 [" # label # "]">;
class Wna16_Segments<string label> : Wna16_TensorOf<"isSegmentTable",
    "? x 4 tensor of i32 [" # label # "]">;
class Wna16_Slots<string label> : Wna16_TensorOf<"isSlotList",
    "tensor of i32 with one extent [" # label # "]">;
class Wna16_OpenSlots<string label> : Wna16_TensorOf<"isOpenSlotList",
    "tensor of i32 with one dynamic extent [" # label # "]">;

def Wna16_MoeRouteOp : Wna16_Op<"moe_route"> {
  let summary = "group the tokens of a mixture of experts by expert";
  let description = [{
    Token t goes to the experts `ids[t, 0]`, ..., `ids[t, top_k - 1]`. Its *slot* j
    is the number t * top_k + j; there are P = T * top_k slots. With a `map`, an id
    is that of a global expert, and `map[id]` the local one; without, they are the
    same. A slot is dropped when its id is no index of the map (without a map: not
    in 0 .. `experts` - 1), or what the map says is not in 0 .. `experts` - 1: so
    are ids of -1, and experts that live elsewhere (-1 in the map).

    The results are plain tables, on which later kernels run:

    - `slots`, P numbers: the slots that are not dropped, by rising local expert,
      those of one expert by rising slot. Their index is called a *position*. What
      is left at the end holds P.
    - `segments`, B rows {expert, first position, positions, 0}: runs of at most
      `segment_rows` positions of one expert, in the order of positions. What is
      left at the end is {0, 0, 0, 0}. B is known from extents alone:

    ```
    B = m + (P - m) / segment_rows  with  m = min(P, experts)
    ```

    Example:

    ```mlir
    %segments, %slots = wna16.moe_route %ids map %map {experts = 8 : i64, segment_rows = 16 : i64}
        : (tensor<?x2xi32>, tensor<64xi32>) -> (tensor<?x4xi32>, tensor<?xi32>)
    ```
  }];
  let arguments = (ins Wna16_Ids<"ROUTE-C1">:$ids,
                       Optional<Wna16_ExpertMap<"ROUTE-C2">>:$map,
                       Wna16_I64UpTo<1024, "ROUTE-C3">:$experts,
                       Wna16_I64UpTo<1048576, "ROUTE-C4">:$segment_rows);
  let results = (outs Wna16_Segments<"ROUTE-C5">:$segments,
                      Wna16_OpenSlots<"ROUTE-C6">:$slots);
  let assemblyFormat = [{
    $ids (`map` $map^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Wna16_MoeGemmOp : Wna16_Op<"moe_gemm",
    [AttrSizedOperandSegments, Wna16_ProductInterface]> {
  let summary = "multiply each token's activations by weights of its experts";
  let description = [{
    For every segment {e, first, count, 0} and every position p of
    first .. first + count - 1, with P = the number of `slots`:

    ```
    y[row of y, n] = v[slots[p]] * (b[e, 0, n] + sum over k of
                     x[row of x, k] * (w[e, k, n] - z[e, k / group, n]) * s[e, k / group, n])
    ```

    accumulated in f32 and rounded once. `w`, `s`, `z` and `b` are those of
    `gemm`, one matrix per expert, one after the other in memory; codes with an
    offset have that in place of `z`, and without `bias` b is zero. `v` are router
    weights as a list of slots, 1 without `weights`. They belong into one place
    only: here, or in `moe_sum`.

    | rows | row of position p |
    |---|---|
    | `token` (x only) | slots[p] / top_k |
    | `slot` | slots[p] |
    | `position` | p |

    Tables are those of `moe_route`, or of another router. Whatever they hold,
    nothing outside of the operands is read or written:

    - a segment whose expert, or whose first position, does not exist is skipped,
      and so are positions and slots that are not in 0 .. P - 1;
    - positions of a segment behind the first `segment_rows` are not computed.

    Rows of y that no segment covers are unspecified: `moe_sum` never reads those
    of slots that `moe_route` has dropped. Two segments must not cover the same
    row.

    M, the rows of y, is P; `max_m` bounds it. By token x has a row per token, else
    P rows.

    Example:

    ```mlir
    %y = wna16.moe_gemm %x by token, %w, %s segments %segments slots %slots to slot
        {segment_rows = 16 : i64, top_k = 2 : i64, max_m = 128 : i64}
       : (tensor<?x4096xf16>,
          tensor<8x4096x6144x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
          tensor<8x32x6144xf16, #wna16.layout<marlin_scales>>,
          tensor<?x4xi32>, tensor<?xi32>) -> tensor<?x6144xf16>
    ```
  }];
  let arguments = (ins Wna16_Activations<"MOE-C1">:$x,
                       Wna16_Weights<3, "MOE-C2">:$w,
                       Wna16_Scales<3, "MOE-C3">:$s,
                       Wna16_Segments<"MOE-C14">:$segments,
                       Wna16_Slots<"MOE-C15">:$slots,
                       Optional<Wna16_Zeros<3, "MOE-C12">>:$zeros,
                       Optional<Wna16_Bias<3, "MOE-C7">>:$bias,
                       Optional<Wna16_RouterWeights<"MOE-C16">>:$weights,
                       Wna16_RowOrderAttr:$x_rows,
                       Wna16_RowOrderAttr:$y_rows,
                       Wna16_I64UpTo<16, "MOE-C17">:$top_k,
                       Wna16_I64UpTo<1048576, "MOE-C18">:$segment_rows,
                       OptionalAttr<Wna16_PositiveI64<"MOE-C10">>:$max_m,
                       OptionalAttr<Wna16_ActOrderProperty>:$actorder,
                       OptionalAttr<Wna16_SchedulePropertyAttr>:$schedule);
  let results = (outs Wna16_Result<"MOE-C9">:$y);
  let assemblyFormat = [{
    $x `by` $x_rows `,` $w `,` $s `segments` $segments `slots` $slots
    (`zeros` $zeros^)? (`bias` $bias^)? (`weights` $weights^)? `to` $y_rows
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getExperts() { return getW().getType().getDimSize(0); }
  }];
}

def Wna16_MoeSumOp : Wna16_Op<"moe_sum", [AttrSizedOperandSegments]> {
  let summary = "add up what the experts of a token computed";
  let description = [{
    ```
    y[t, n] = sum over j of v[t, j] * h[t * top_k + j, n]
    ```

    in f32, by rising j, rounded once. Slots that `moe_route` drops, by the same
    `ids`, `map` and `experts`, are left out, and their rows of h are not read: a
    token without any gives zeros. v are the router weights; without `weights` they
    are 1.

    Example:

    ```mlir
    %y = wna16.moe_sum %h ids %ids weights %v {experts = 8 : i64}
        : (tensor<?x4096xf16>, tensor<?x2xi32>, tensor<?x2xf32>) -> tensor<?x4096xf16>
    ```
  }];
  let arguments = (ins Wna16_Result<"SUM-C1">:$h, Wna16_Ids<"SUM-C2">:$ids,
                       Optional<Wna16_ExpertMap<"SUM-C3">>:$map,
                       Optional<Wna16_RouterWeights<"SUM-C4">>:$weights,
                       Wna16_I64UpTo<1024, "SUM-C5">:$experts);
  let results = (outs Wna16_Result<"SUM-C6">:$y);
  let assemblyFormat = [{
    $h `ids` $ids (`map` $map^)? (`weights` $weights^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // WNA16_DIALECT_WNA16_WNA16MOEOPS_TD
