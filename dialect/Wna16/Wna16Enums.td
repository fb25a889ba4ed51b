//===- Wna16Enums.td - enumerations of the wna16 dialect ---*- tablegen -*-===//
//
// Layout names and the choices that a schedule is made of.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_DIALECT_WNA16_WNA16ENUMS_TD
#define WNA16_DIALECT_WNA16_WNA16ENUMS_TD

include "mlir/IR/EnumAttr.td"

class Wna16_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::wna16";
  let genSpecializedAttr = 0;
}

def Wna16_LayoutKind : Wna16_Enum<"LayoutKind", "storage order of a tensor", [
  I32EnumAttrCase<"Marlin", 0, "marlin">,
  I32EnumAttrCase<"GPTQ", 1, "gptq">,
  I32EnumAttrCase<"CompressedTensors", 2, "compressed_tensors">,
  I32EnumAttrCase<"MarlinScales", 3, "marlin_scales">,
  I32EnumAttrCase<"CompressedTensorsScales", 4, "compressed_tensors_scales">,
  I32EnumAttrCase<"AWQ", 5, "awq">,
  I32EnumAttrCase<"MarlinChannelScales", 6, "marlin_channel_scales">,
  I32EnumAttrCase<"MarlinZeros", 7, "marlin_zeros">,
  I32EnumAttrCase<"GPTQZeros", 8, "gptq_zeros">,
  I32EnumAttrCase<"CompressedTensorsZeros", 9, "compressed_tensors_zeros">,
  I32EnumAttrCase<"AWQZeros", 10, "awq_zeros">
]>;

// Only the orders without a meaning at run time exist (ORD2).
def Wna16_ActOrder : Wna16_Enum<"ActOrder",
    "order in which columns were quantized", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Static", 1, "static">,
  I32EnumAttrCase<"Weight", 2, "weight">
]>;

def Wna16_CopyEngine : Wna16_Enum<"CopyEngine",
    "how tiles reach shared memory", [
  I32EnumAttrCase<"CpAsync", 0, "cp_async">,
  I32EnumAttrCase<"Bulk", 1, "bulk">,
  I32EnumAttrCase<"Tensor", 2, "tensor">
]>;

def Wna16_MathEngine : Wna16_Enum<"MathEngine", "matrix instruction", [
  I32EnumAttrCase<"Mma", 0, "mma">,
  I32EnumAttrCase<"Wgmma", 1, "wgmma">
]>;

def Wna16_ScalePlace : Wna16_Enum<"ScalePlace",
    "where scales are multiplied in", [
  I32EnumAttrCase<"Weights", 0, "weights">,
  I32EnumAttrCase<"Accumulator", 1, "accumulator">
]>;

def Wna16_SplitKind : Wna16_Enum<"SplitKind", "how K is split across blocks", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Cluster", 1, "cluster">,
  I32EnumAttrCase<"Ticket", 2, "ticket">
]>;

def Wna16_RoleKind : Wna16_Enum<"RoleKind", "division of work between warps", [
  I32EnumAttrCase<"Uniform", 0, "uniform">,
  I32EnumAttrCase<"ProducerConsumer", 1, "producer_consumer">
]>;

def Wna16_RowOrder : Wna16_Enum<"RowOrder",
    "which row of a matrix belongs to a position of a mixture of experts", [
  I32EnumAttrCase<"Token", 0, "token">,
  I32EnumAttrCase<"Slot", 1, "slot">,
  I32EnumAttrCase<"Position", 2, "position">
]>;

#endif // WNA16_DIALECT_WNA16_WNA16ENUMS_TD
