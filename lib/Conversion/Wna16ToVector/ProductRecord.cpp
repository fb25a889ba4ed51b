//===- ProductRecord.cpp - the launch record of a product on a CPU --------===//
#include "lib/Conversion/Wna16ToVector/ProductRecord.h"

#include "lib/Conversion/TensorArgument.h"
#include "lib/Conversion/Wna16ToVector/ProductLoops.h"

using namespace mlir;

namespace wna16 {

LaunchRecord makeProductRecord(mlir::wna16::GemmOp gemm, StringRef name,
                               StringRef target) {
  RankedTensorType xType = gemm.getX().getType();
  RankedTensorType yType = gemm.getY().getType();
  LaunchRecord record;
  record.kernel = name;
  record.target = target;
  LaunchArgument x = describeTensor("x", xType), y = describeTensor("y", yType);
  x.shape[0] = y.shape[0] = "M";
  x.strides = {"ldx", 1};
  y.access = LaunchArgument::Access::Write;
  record.arguments = {x, describeTensor("w", gemm.getW().getType()),
                      describeTensor("s", gemm.getS().getType())};
  auto optional = [&](StringRef name, Value operand) {
    if (operand)
      record.arguments.push_back(
          describeTensor(name, cast<RankedTensorType>(operand.getType())));
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
