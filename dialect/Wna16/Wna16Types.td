//===- Wna16Types.td - types of the wna16 dialect ----------*- tablegen -*-===//
//
// The element type of packed weights, and the operand types built from it.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_WNA16_WNA16TYPES_TD
#define WNA16_DIALECT_WNA16_WNA16TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "dialect/Wna16/Wna16Dialect.td"

def Wna16_CodeType : TypeDef<Wna16_Dialect, "Code"> {
  let mnemonic = "code";
  let summary = "code of a quantized weight";
  let description = [{
    An unsigned integer of `width` bits, 1 to 8 (CODE-1). With `offset`, the
    code c stands for c - offset, times a scale; `!wna16.code<4, offset = 8>` is
    what other projects call uint4b8. Without `offset`, the zero point is data.
    The offset is a code itself: 0 <= offset < 2^width (CODE-2).
  }];
  let parameters = (ins "unsigned":$width,
                        OptionalParameter<"std::optional<int64_t>">:$offset);
  let assemblyFormat = "`<` $width (`,` `offset` `=` $offset^)? `>`";
  let genVerifyDecl = 1;
}

/// A type constraint whose name carries the label of the rule that it states.
class Wna16_TensorOf<string predicate, string description>
    : Type<CPred<"::mlir::wna16::" # predicate # "($_self)">, description,
           "::mlir::RankedTensorType">;

#endif // WNA16_DIALECT_WNA16_WNA16TYPES_TD
