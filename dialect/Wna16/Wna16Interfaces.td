//===- Wna16Interfaces.td - what products have in common ---*- tablegen -*-===//
//
// gemm and moe_gemm are one product of activations and quantized weights. Who
// chooses a schedule or builds a kernel asks this interface, not the op.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_WNA16_WNA16INTERFACES_TD
#define WNA16_DIALECT_WNA16_WNA16INTERFACES_TD

include "mlir/IR/OpBase.td"

class Wna16_Operand<string name, string description>
    : InterfaceMethod<description,
                      "::mlir::TypedValue<::mlir::RankedTensorType>", name>;

def Wna16_ProductInterface : OpInterface<"ProductOpInterface"> {
  let description = [{
    A product of activations and quantized weights. Weights, scales, zero points
    and bias are matrices, or stacks of one matrix per expert.
  }];
  let cppNamespace = "::mlir::wna16";
  let methods = [
    Wna16_Operand<"getX", "Activations.">,
    Wna16_Operand<"getW", "Weights.">,
    Wna16_Operand<"getS", "Scales.">,
    Wna16_Operand<"getZeros", "Zero points; null when codes have an offset.">,
    Wna16_Operand<"getBias", "Bias; null without one.">,
    Wna16_Operand<"getY", "The result.">,
    InterfaceMethod<"The largest M of the kernel, if given.",
                    "::std::optional<int64_t>", "getMaxM">,
    InterfaceMethod<"The schedule; null when none is chosen.",
                    "::mlir::wna16::ScheduleAttr", "getScheduleAttr">,
    InterfaceMethod<"Sets the schedule.", "void", "setScheduleAttr",
                    (ins "::mlir::wna16::ScheduleAttr":$schedule)>,
    InterfaceMethod<"The note on the order of quantization, unchecked.",
                    "::mlir::Attribute", "getActorderAttr">
  ];
  let extraSharedClassDeclaration = [{
    /// Extents of the product; M is ShapedType::kDynamic when it is not known.
    int64_t getM() { return $_op.getY().getType().getDimSize(0); }
    int64_t getN() { return $_op.getY().getType().getDimSize(1); }
    int64_t getK() { return $_op.getX().getType().getDimSize(1); }
    /// Extents of the stored weights of one expert.
    int64_t getStoredN() { return $_op.getW().getType().getShape().back(); }
    int64_t getStoredK() {
      return $_op.getW().getType().getShape().drop_back().back();
    }
    /// Rows of k that share a scale.
    int64_t getGroup() {
      return getStoredK() / $_op.getS().getType().getShape().drop_back().back();
    }
    /// Element type of the weights.
    ::mlir::wna16::CodeType getCode() {
      return ::llvm::cast<::mlir::wna16::CodeType>(
          $_op.getW().getType().getElementType());
    }
  }];
}

#endif // WNA16_DIALECT_WNA16_WNA16INTERFACES_TD
