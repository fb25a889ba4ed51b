//===- LaunchArgument.cpp - what is passed to a kernel --------------------===//
//
// Sizes of parameters, and the numbers of a tensor map at one launch.
//
//===----------------------------------------------------------------------===//
#include "lib/Launch/LaunchArgument.h"

#include "lib/Runtime/TensorMapRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace wna16 {

static Error failure(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

std::optional<int64_t> Extent::evaluate(const SymbolValues &values) const {
  if (!isSymbol())
    return value;
  auto found = values.find(symbol);
  if (found == values.end())
    return std::nullopt;
  return found->second;
}

unsigned dtypeBytes(StringRef dtype) {
  return llvm::StringSwitch<unsigned>(dtype)
      .Case("i8", 1)
      .Cases({"f16", "bf16", "i16"}, 2)
      .Cases({"f32", "i32"}, 4)
      .Cases({"f64", "i64"}, 8)
      .Default(0);
}

int64_t LaunchArgument::constantBytes() const {
  int64_t bytes = dtypeBytes(dtype);
  for (const Extent &extent : shape)
    bytes *= extent.value;
  return bytes;
}

int64_t LaunchArgument::parameterBytes() const {
  switch (kind) {
  case Kind::Buffer:
    return isParameter ? 8 : 0;
  case Kind::Pointer:
    return 8;
  case Kind::Scalar:
    return dtypeBytes(dtype);
  case Kind::TensorMap:
    return WNA16_TENSOR_MAP_BYTES;
  case Kind::Struct:
    return size;
  }
  llvm_unreachable("no such kind");
}

int64_t LaunchArgument::parameterAlignment() const {
  if (kind == Kind::TensorMap || kind == Kind::Struct)
    return alignment;
  return std::max<int64_t>(parameterBytes(), 1);
}

Expected<wna16_tensor_map>
LaunchArgument::evaluateMap(const SymbolValues &values) const {
  wna16_tensor_map result = {};
  result.rank = uint32_t(std::min<size_t>(map.dims.size(), 6));
  for (auto [index, type] : llvm::enumerate(runtime::tensorMapTypes))
    if (type.name == std::string_view(dtype))
      result.type = uint32_t(index);
  const uint64_t bytes = runtime::tensorMapTypes[result.type].bytes;
  constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
  auto set = [&](const Extent &from, uint64_t scale, uint64_t &to) -> Error {
    std::optional<int64_t> value = from.evaluate(values);
    if (!value)
      return failure("it needs a value for symbol '" + from.symbol + "'");
    if (*value < 0)
      return failure("expected no negative sizes, found " +
                     llvm::Twine(*value));
    // Nothing as large is allowed.
    to = uint64_t(*value) > most / scale ? most : uint64_t(*value) * scale;
    return Error::success();
  };
  for (unsigned i = 0; i < WNA16_TENSOR_MAP_RANK; ++i) {
    result.dims[i] = result.box[i] = result.element_strides[i] = 1;
    if (i < map.dims.size())
      if (Error error = set(map.dims[i], 1, result.dims[i]))
        return error;
    if (i < map.strides.size() && i + 1 < WNA16_TENSOR_MAP_RANK)
      if (Error error = set(map.strides[i], bytes, result.strides[i]))
        return error;
    auto narrow = [](int64_t value) {
      return uint32_t(std::clamp<int64_t>(value, 0, UINT32_MAX));
    };
    if (i < map.box.size())
      result.box[i] = narrow(map.box[i]);
    if (i < map.elementStrides.size())
      result.element_strides[i] = narrow(map.elementStrides[i]);
  }
  result.swizzle = uint32_t(map.swizzle);
  result.l2_promotion = uint32_t(map.l2Promotion);
  result.fill_nan = map.outOfBounds == LaunchTensorMap::OutOfBounds::Nan;
  if (std::string error = runtime::checkTensorMap(result); !error.empty())
    return failure(error);
  return result;
}

} // namespace wna16
