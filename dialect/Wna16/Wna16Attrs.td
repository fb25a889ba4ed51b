//===- Wna16Attrs.td - attributes of the wna16 dialect -----*- tablegen -*-===//
//
// Storage layout, activation order and schedule.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_WNA16_WNA16ATTRS_TD
#define WNA16_DIALECT_WNA16_WNA16ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "dialect/Wna16/Wna16Dialect.td"
include "dialect/Wna16/Wna16Enums.td"

class Wna16_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Wna16_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Wna16_LayoutAttr : Wna16_Attr<"Layout", "layout",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "storage order of weights, scales or zero points";
  let description = [{
    The encoding of a tensor type: names the order in which the elements of a
    logical (K, N) or (K / group, N) matrix are stored, or those of a stack of such
    matrices, (E, K, N), one matrix after the other. lib/Layout defines the
    orders; `getStorage` gives the map and `getStorageType` the plain tensor of
    words or scales that holds the elements.

    Weights, (K, N), codes of b bits, in i32 words:

    | kind | b | storage | shape rule (LAY4) |
    |---|---|---|---|
    | `marlin` | 1 to 8 | tiles of 16 x 64 in lane order; 3, 5, 6, 7 bits in planes | K % 16 == 0, N % 64 == 0 |
    | `gptq` | 1 to 8 | [K * b / 32][N], along K | K * b % 32 == 0 |
    | `compressed_tensors` | 1 to 8 | [N][ceil(K * b / 32)], along K | |
    | `awq` | 4 | [K][N / 8], along N, interleaved | N % 8 == 0 |

    Zero points, (K / group, N), codes of b bits, in i32 words:

    | kind | b | storage | shape rule (LAY4) |
    |---|---|---|---|
    | `marlin_zeros` | 4, 8 | 8x8 transposes in 64 columns, interleaved | N % 64 == 0 |
    | `gptq_zeros` | 1 to 8 | [K / group][N * b / 32], along N | N * b % 32 == 0 |
    | `compressed_tensors_zeros` | 1 to 8 | [ceil(N * b / 32)][K / group], along N | |
    | `awq_zeros` | 4 | [K / group][N / 8], along N, interleaved | N % 8 == 0 |

    Scales, (K / group, N), f16 or bf16:

    | kind | storage | shape rule (LAY4) |
    |---|---|---|
    | `marlin_scales` | 8x8 transposes in 64 columns | N % 64 == 0 |
    | `marlin_channel_scales` | pairs, transposed in 32 columns | N % 32 == 0 |
    | `compressed_tensors_scales` | [N][K / group] | |

    `marlin_scales` is the order of grouped scales, for any number of rows;
    `marlin_channel_scales` is the one in which Marlin keeps one scale per
    column, and a bias.

    The tensor type is checked wherever it is written: rank 2, or 3 for
    a stack (LAY1), static shape (LAY2), element type (LAY3), divisibility (LAY4),
    code width (LAY5).
  }];
  let parameters = (ins EnumParameter<Wna16_LayoutKind>:$kind);
  let assemblyFormat = "`<` $kind `>`";
  let extraClassDeclaration = [{
    /// What is stored in this order: exactly one of the three.
    bool isWeights() const;
    bool isScales() const;
    bool isZeros() const;

    /// Where the elements of `type` are, whose encoding is this attribute. The
    /// type has passed the verifier.
    ::wna16::layout::PackedStorage
    getStorage(::mlir::RankedTensorType type) const;
  }];
}

def Wna16_ActOrderAttr : Wna16_Attr<"ActOrder", "actorder"> {
  let summary = "order in which the columns were quantized";
  let description = [{
    A note on where the weights come from; it changes nothing. `none`, `static`
    and `weight` can be written. `group` and `dynamic` need an index at run time
    and are an error that names the remedy (ORD2).
  }];
  let parameters = (ins EnumParameter<Wna16_ActOrder>:$value);
  let hasCustomAssemblyFormat = 1;
}

def Wna16_ScheduleAttr : Wna16_Attr<"Schedule", "schedule"> {
  let summary = "how a product is computed on a GPU";
  let description = [{
    What a hand-written kernel would hard-code. `select-schedule` chooses one;
    it can also be written by hand.

    | key | meaning | rule |
    |---|---|---|
    | `tile` | [n, m, k] of the output and of one step, per thread block | powers of two from 16, 8, 16 on (SCHED-1) |
    | `warps` | [along n, along k] | powers of two (SCHED-2) |
    | `stages` | slots of the ring that feeds the loop over K | 1 to 64 (SCHED-3) |
    | `copy` | `cp_async`, `bulk`, `tensor` | |
    | `math` | `mma`, `wgmma` | |
    | `scales` | multiplied into the `weights` or into the `accumulator` | |
    | `split` | K across blocks: `none`, `cluster`, `ticket` | |
    | `roles` | `uniform`, `producer_consumer` | |

    Optional keys, in this order after the others:

    | key | meaning | rule |
    |---|---|---|
    | `warps_m` | warps along m, 1 when left out | a power of two (SCHED-2) |
    | `blocks` | blocks that share K, 1 when left out | a power of two; more than 1 needs a split other than `none` (SCHED-4) |
    | `multicast` | blocks side by side along n that fetch activations together, 1 when left out | a power of two up to 8 (SCHED-5) |
    | `persistent` | blocks of the grid, each of which computes one tile after another; left out: a block for each tile | positive (SCHED-6) |
    | `dependent` | the kernel may begin before the one in front of it in the stream has ended | |

    Example:

    ```mlir
    #wna16.schedule<tile = [64, 16, 256], warps = [1, 8], stages = 4,
                    copy = cp_async, math = mma, scales = accumulator,
                    split = none, roles = uniform>
    #wna16.schedule<tile = [64, 8, 128], warps = [1, 8], stages = 3,
                    copy = cp_async, math = mma, scales = accumulator,
                    split = cluster, roles = uniform, blocks = 2, dependent>
    ```
  }];
  let parameters = (ins "int64_t":$tileN, "int64_t":$tileM, "int64_t":$tileK,
                        "int64_t":$warpsN, "int64_t":$warpsK,
                        "int64_t":$stages,
                        EnumParameter<Wna16_CopyEngine>:$copy,
                        EnumParameter<Wna16_MathEngine>:$math,
                        EnumParameter<Wna16_ScalePlace>:$scales,
                        EnumParameter<Wna16_SplitKind>:$split,
                        EnumParameter<Wna16_RoleKind>:$roles,
                        DefaultValuedParameter<"int64_t", "1">:$warpsM,
                        DefaultValuedParameter<"int64_t", "1">:$blocks,
                        DefaultValuedParameter<"int64_t", "1">:$multicast,
                        DefaultValuedParameter<"int64_t", "0">:$persistent,
                        DefaultValuedParameter<"bool", "false">:$dependent);
  let assemblyFormat = [{
    `<` `tile` `=` `[` $tileN `,` $tileM `,` $tileK `]`
    `,` `warps` `=` `[` $warpsN `,` $warpsK `]` `,` `stages` `=` $stages
    `,` `copy` `=` $copy `,` `math` `=` $math `,` `scales` `=` $scales
    `,` `split` `=` $split `,` `roles` `=`
    custom<RolesAndOptions>($roles, $warpsM, $blocks, $multicast, $persistent,
                            $dependent) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Warps of one thread block that compute.
    int64_t getWarps() const {
      return getWarpsN() * getWarpsM() * getWarpsK();
    }
  }];
}

def Wna16_RowOrderAttr : EnumAttr<Wna16_Dialect, Wna16_RowOrder, "row_order"> {
  let description = [{
    Rows by `token`, by `slot` (token and number of the choice) or by `position`
    (grouped by expert); see `moe_gemm`.
  }];
}

//===----------------------------------------------------------------------===//
// Constraints on attributes of ops
//===----------------------------------------------------------------------===//

/// Any attribute parses, so that the op's verifier can say ORD2 in full.
def Wna16_ActOrderProperty : Attr<CPred<"true">, "activation order"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}

def Wna16_SchedulePropertyAttr : Attr<
    CPred<"::llvm::isa<::mlir::wna16::ScheduleAttr>($_self)">,
    "#wna16.schedule attribute"> {
  let storageType = "::mlir::wna16::ScheduleAttr";
  let returnType = "::mlir::wna16::ScheduleAttr";
  let convertFromStorage = "$_self";
}

#endif // WNA16_DIALECT_WNA16_WNA16ATTRS_TD
