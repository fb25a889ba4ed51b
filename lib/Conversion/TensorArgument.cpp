//===- TensorArgument.cpp - a tensor as the argument of a launch ----------===//
#include "lib/Conversion/TensorArgument.h"

#include "dialect/Wna16/Wna16.h"

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

LaunchArgument describeTensor(StringRef name, RankedTensorType type) {
  LaunchArgument entry;
  entry.name = name;
  entry.dtype = nameOf(type.getElementType());
  entry.alignment = bytesOf(type.getElementType());
  mlir::wna16::LayoutAttr layout = mlir::wna16::getLayout(type);
  if (!layout) {
    for (int64_t extent : type.getShape())
      entry.shape.push_back(extent);
    return entry;
  }
  entry.layout = stringifyLayoutKind(layout.getKind());
  entry.logicalShape.assign(type.getShape().begin(), type.getShape().end());
  entry.shape = {mlir::wna16::getStorageType(type).getNumElements()};
  if (auto code = dyn_cast<CodeType>(type.getElementType())) {
    entry.bits = code.getWidth();
    entry.offset = code.getOffset();
  }
  return entry;
}

} // namespace wna16
