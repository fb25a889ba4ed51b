//===- ProductRecord.cpp - the launch record of a product on a CPU --------===//
#include "lib/Conversion/Wna16ToVector/ProductRecord.h"

#include "lib/Conversion/Wna16ToVector/ProductLoops.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using mlir::wna16::CodeType;

namespace wna16 {

static std::string nameOf(Type type) {
  if (isa<CodeType>(type))
    return "i32";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static int64_t bytesOf(Type type) {
  return isa<CodeType>(type) ? 4 : type.getIntOrFloatBitWidth() / 8;
}

/// A buffer of plain rows.
static LaunchArgument matrix(StringRef name, RankedTensorType type) {
  LaunchArgument entry;
  entry.name = name;
  entry.dtype = nameOf(type.getElementType());
  entry.alignment = bytesOf(type.getElementType());
  for (int64_t extent : type.getShape())
    entry.shape.push_back(extent);
  return entry;
}

/// A buffer that is stored in some layout or in rows.
static LaunchArgument stored(StringRef name, RankedTensorType type) {
  LaunchArgument entry = matrix(name, type);
  mlir::wna16::LayoutAttr layout = mlir::wna16::getLayout(type);
  if (!layout)
    return entry;
  entry.layout = stringifyLayoutKind(layout.getKind());
  entry.logicalShape.assign(type.getShape().begin(), type.getShape().end());
  entry.shape = {mlir::wna16::getStorageType(type).getNumElements()};
  if (auto code = dyn_cast<CodeType>(type.getElementType())) {
    entry.bits = code.getWidth();
    entry.offset = code.getOffset();
  }
  return entry;
}

LaunchRecord makeProductRecord(mlir::wna16::GemmOp gemm, StringRef name,
                               StringRef target) {
  RankedTensorType xType = gemm.getX().getType();
  RankedTensorType yType = gemm.getY().getType();
  LaunchRecord record;
  record.kernel = name;
  record.target = target;
  LaunchArgument x = matrix("x", xType), y = matrix("y", yType);
  x.shape[0] = y.shape[0] = "M";
  x.strides = {"ldx", 1};
  y.access = LaunchArgument::Access::Write;
  record.arguments = {x, stored("w", gemm.getW().getType()),
                      stored("s", gemm.getS().getType())};
  auto optional = [&](StringRef name, Value operand) {
    if (operand)
      record.arguments.push_back(
          stored(name, cast<RankedTensorType>(operand.getType())));
  };
  optional("z", gemm.getZeros());
  optional("b", gemm.getBias());
  record.arguments.push_back(y);
  record.symbols["M"] = {};
  record.symbols["ldx"].min = xType.getDimSize(1);
  record.grid = {GridDimension{"M", chunkRows},
                 GridDimension{yType.getDimSize(1), blockColumns},
                 GridDimension{1, 1}};
  LaunchProblem problem{"gemm", "x", "w", "s", "y"};
  problem.zeros = gemm.getZeros() ? "z" : "";
  problem.bias = gemm.getBias() ? "b" : "";
  problem.group = gemm.getGroup();
  record.problem = problem;
  return record;
}

} // namespace wna16
