//===- Wna16OpBase.td - what the ops of wna16 are made of --*- tablegen -*-===//
//
// The op class and the constraints on operands and attributes. A constraint
// carries the label of its rule in docs/spec.md, which differs from op to op.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_WNA16_WNA16OPBASE_TD
#define WNA16_DIALECT_WNA16_WNA16OPBASE_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialect/Wna16/Wna16Attrs.td"
include "dialect/Wna16/Wna16Dialect.td"
include "dialect/Wna16/Wna16Interfaces.td"
include "dialect/Wna16/Wna16Order.td"
include "dialect/Wna16/Wna16Types.td"

class Wna16_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Wna16_Dialect, opMnemonic, !listconcat([Pure, OrderFree], traits)>;

// Of rank 2, a matrix, or 3: a stack of one matrix per expert.
class Wna16_Activations<string label> : Wna16_TensorOf<"isPlainMatrix",
    "2-d f16 or bf16 tensor without encoding [" # label # "]">;
class Wna16_Weights<int rank, string label>
    : Wna16_TensorOf<!if(!eq(rank, 2), "isWeightMatrix", "isWeightStack"),
    rank # "-d tensor of !wna16.code with a weight layout as encoding [" #
    label # "]">;
class Wna16_Scales<int rank, string label>
    : Wna16_TensorOf<!if(!eq(rank, 2), "isScaleMatrix", "isScaleStack"),
    rank # "-d f16 or bf16 tensor of static shape, plain or with a scale layout "
    "as encoding [" # label # "]">;
class Wna16_Zeros<int rank, string label>
    : Wna16_TensorOf<!if(!eq(rank, 2), "isZeroMatrix", "isZeroStack"),
    rank # "-d tensor of !wna16.code without offset, with a layout of zero points "
    "as encoding [" # label # "]">;
class Wna16_Bias<int rank, string label>
    : Wna16_TensorOf<!if(!eq(rank, 2), "isBiasRow", "isBiasStack"),
    "tensor of one row" # !if(!eq(rank, 2), "", " per expert") #
    " of f16, bf16 or f32, plain or with a scale layout as encoding [" #
    label # "]">;
class Wna16_Result<string label> : Wna16_TensorOf<"isPlainResult",
    "2-d f16, bf16 or f32 tensor without encoding [" # label # "]">;

class Wna16_I64<string predicate, string description>
    : Attr<CPred<predicate>, description> {
  let storageType = "::mlir::IntegerAttr";
  let returnType = "::int64_t";
  let convertFromStorage = "$_self.getInt()";
  let constBuilderCall = "$_builder.getI64IntegerAttr($0)";
}
class Wna16_PositiveI64<string label>
    : Wna16_I64<"::mlir::wna16::isPositiveI64($_self)",
                "positive i64 [" # label # "]">;
class Wna16_I64UpTo<int most, string label>
    : Wna16_I64<"::mlir::wna16::isPositiveI64($_self, " # most # ")",
                "i64 from 1 to " # most # " [" # label # "]">;

#endif // WNA16_DIALECT_WNA16_WNA16OPBASE_TD
