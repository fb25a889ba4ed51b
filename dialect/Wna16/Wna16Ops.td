//===- Wna16Ops.td - ops of the wna16 dialect --------------*- tablegen -*-===//
//
// The labels in brackets are the rules of docs/spec.md. A rule that a type
// constraint can state is stated there; the verifiers hold the others.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_WNA16_WNA16OPS_TD
#define WNA16_DIALECT_WNA16_WNA16OPS_TD

include "dialect/Wna16/Wna16MoeOps.td"
include "dialect/Wna16/Wna16OpBase.td"

def Wna16_GemmOp : Wna16_Op<"gemm",
    [AttrSizedOperandSegments, Wna16_ProductInterface]> {
  let summary = "multiply activations by quantized weights";
  let description = [{
    With group = K of `w` / G:

    ```
    y[m, n] = b[n] + sum over k of x[m, k] * (w[k, n] - z[k / group, n]) * s[k / group, n]
    ```

    accumulated in f32 and rounded once to the type of `y`. Codes with an offset
    have that in place of `z`; without one, `zeros` are given. Without `bias`,
    b is zero.

    | operand | shape | element type | encoding |
    |---|---|---|---|
    | `x` | M, K | f16, bf16 | none |
    | `w` | at least K, at least N | `!wna16.code<b>`, with or without offset | a weight layout |
    | `s` | G, N of `w`; G divides K of `w` | f16, bf16 | none (row-major) or a scale layout |
    | `z` | as `s` | `!wna16.code`, 4 bits for codes of up to 4, else 8 | a layout of zero points |
    | `b` | 1, N of `w` | f16, bf16, f32 | none or a scale layout |
    | result | M, N | f16, bf16, f32 | none |

    Stored matrices may be padded: rows of `w` at or beyond K of `x` and columns at
    or beyond N of `y` are not part of the product. What is stored there does not
    matter, as long as scales are finite.

    M may be dynamic; `max_m` then bounds the M of this kernel. `actorder` is a
    note without meaning at run time. `schedule` is filled by `select-schedule`.

    Example:

    ```mlir
    %y = wna16.gemm %x, %w, %s {max_m = 16 : i64}
       : (tensor<?x4096xf16>,
          tensor<4096x6144x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
          tensor<32x6144xf16, #wna16.layout<marlin_scales>>)
       -> tensor<?x6144xf16>
    %v = wna16.gemm %x, %u, %s zeros %z bias %b {max_m = 16 : i64}
       : (tensor<?x4096xf16>,
          tensor<4096x6144x!wna16.code<4>, #wna16.layout<marlin>>,
          tensor<32x6144xf16, #wna16.layout<marlin_scales>>,
          tensor<32x6144x!wna16.code<4>, #wna16.layout<marlin_zeros>>,
          tensor<1x6144xf16>)
       -> tensor<?x6144xf32>
    ```
  }];
  let arguments = (ins Wna16_Activations<"GEMM-C1">:$x,
                       Wna16_Weights<2, "GEMM-C2">:$w,
                       Wna16_Scales<2, "GEMM-C3">:$s,
                       Optional<Wna16_Zeros<2, "GEMM-C12">>:$zeros,
                       Optional<Wna16_Bias<2, "GEMM-C7">>:$bias,
                       OptionalAttr<Wna16_PositiveI64<"GEMM-C10">>:$max_m,
                       OptionalAttr<Wna16_ActOrderProperty>:$actorder,
                       OptionalAttr<Wna16_SchedulePropertyAttr>:$schedule);
  let results = (outs Wna16_Result<"GEMM-C9">:$y);
  let assemblyFormat = [{
    $x `,` $w `,` $s (`zeros` $zeros^)? (`bias` $bias^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Wna16_DequantizeOp : Wna16_Op<"dequantize"> {
  let summary = "expand quantized weights";
  let description = [{
    Defines what codes, zero points and scales mean. With group = K / G:

    ```
    y[k, n] = (w[k, n] - z[k / group, n]) * s[k / group, n]
    ```

    computed in f32 and rounded once. `w`, `s` and `z` are as for `gemm`; the
    result is a plain row-major (K, N) tensor with the element type of `s`.

    Example:

    ```mlir
    %y = wna16.dequantize %w, %s
       : (tensor<256x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>,
          tensor<2x64xf16>) -> tensor<256x64xf16>
    ```
  }];
  let arguments = (ins Wna16_Weights<2, "DEQ-C1">:$w,
                       Wna16_Scales<2, "DEQ-C2">:$s,
                       Optional<Wna16_Zeros<2, "DEQ-C7">>:$zeros);
  let results = (outs Wna16_Activations<"DEQ-C6">:$y);
  let assemblyFormat = [{
    $w `,` $s (`zeros` $zeros^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows of k that share a scale.
    int64_t getGroup() {
      return getW().getType().getDimSize(0) / getS().getType().getDimSize(0);
    }
    /// Element type of the weights.
    ::mlir::wna16::CodeType getCode();
  }];
}

def Wna16_RepackSource : Wna16_TensorOf<"isRepackable",
    "2-d tensor of !wna16.code with a layout of weights or zero points, or of "
    "f16 or bf16 of static shape, plain or with a scale layout [REPACK-C1]">;
def Wna16_RepackResult : Wna16_TensorOf<"isRepackable",
    "2-d tensor of !wna16.code with a layout of weights or zero points, or of "
    "f16 or bf16 of static shape, plain or with a scale layout [REPACK-C2]">;

def Wna16_RepackOp : Wna16_Op<"repack"> {
  let summary = "change the storage order of weights, zero points or scales";
  let description = [{
    The result has the elements of the operand at the same logical places, in
    another storage order. Where it has rows or columns that the operand does
    not have, it is 0; what only the operand has is dropped. The element type
    stays, but zero points may become wider (REPACK-C3). Scales can also be
    brought to and from plain row-major storage.

    A repack to the same type is its operand; of two repacks in a row only the
    last matters, unless the first drops something.

    Example:

    ```mlir
    %w = wna16.repack %v
       : tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<gptq>>
      to tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
    ```
  }];
  let arguments = (ins Wna16_RepackSource:$source);
  let results = (outs Wna16_RepackResult:$result);
  let assemblyFormat = [{
    $source attr-dict `:` type($source) `to` type($result)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

#endif // WNA16_DIALECT_WNA16_WNA16OPS_TD
