//===- TensorMapRules.cpp - what a tensor map may be ----------------------===//
//
// One test per sentence of the driver's documentation of
// cuTensorMapEncodeTiled, without interleaved layouts.
//
//===----------------------------------------------------------------------===//
#include "lib/Runtime/TensorMapRules.h"

namespace wna16::runtime {
namespace {

constexpr uint64_t kMaxDim = uint64_t(1) << 32;
constexpr uint64_t kMaxStride = uint64_t(1) << 40;

std::string field(const char *name, unsigned index) {
  return std::string(name) + "[" + std::to_string(index) + "]";
}

std::string expected(const std::string &where, const std::string &what,
                     uint64_t found, const std::string &unit = "") {
  return where + ": expected " + what + ", found " + std::to_string(found) +
         unit;
}

/// Sizes and steps of each dimension.
std::string checkDimensions(const wna16_tensor_map &map) {
  for (unsigned i = 0; i < map.rank; ++i)
    if (map.dims[i] == 0 || map.dims[i] > kMaxDim)
      return expected(field("dims", i), "1 to 4294967296", map.dims[i]);
  for (unsigned i = 0; i + 1 < map.rank; ++i)
    if (map.strides[i] % 16 != 0 || map.strides[i] >= kMaxStride)
      return expected(field("strides", i),
                      "a multiple of 16 bytes below 2^40 bytes", map.strides[i],
                      " bytes");
  for (unsigned i = 0; i < map.rank; ++i)
    if (map.box[i] == 0 || map.box[i] > 256)
      return expected(field("box", i), "1 to 256", map.box[i]);
  // The first one is not used.
  for (unsigned i = 1; i < map.rank; ++i)
    if (map.element_strides[i] == 0 || map.element_strides[i] > 8)
      return expected(field("element_strides", i), "1 to 8",
                      map.element_strides[i]);
  return "";
}

} // namespace

std::string checkTensorMap(const wna16_tensor_map &map) {
  if (map.rank == 0 || map.rank > WNA16_TENSOR_MAP_RANK)
    return expected("dims", "1 to 5 dimensions", map.rank);
  if (map.type >= tensorMapTypes.size())
    return expected("dtype", "a value of CUtensorMapDataType up to 12",
                    map.type);
  if (map.address % 16 != 0)
    return expected("address", "a multiple of 16", map.address);
  if (std::string error = checkDimensions(map); !error.empty())
    return error;
  const TensorMapType &type = tensorMapTypes[map.type];
  const uint64_t inner = uint64_t(map.box[0]) * type.bytes;
  const std::string bytes = " bytes (" + std::to_string(map.box[0]) + " " +
                            std::string(type.name) + ")";
  if (inner % 16 != 0)
    return expected("box[0]", "a multiple of 16 bytes", inner, bytes);
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 &&
      map.swizzle != 128)
    return expected("swizzle", "0, 32, 64 or 128", map.swizzle);
  if (map.swizzle != 0 && inner > map.swizzle)
    return expected("box[0]",
                    "at most the " + std::to_string(map.swizzle) +
                        " bytes of the swizzle",
                    inner, bytes);
  if (map.l2_promotion != 0 && map.l2_promotion != 64 &&
      map.l2_promotion != 128 && map.l2_promotion != 256)
    return expected("l2_promotion", "0, 64, 128 or 256", map.l2_promotion);
  if (map.fill_nan > 1)
    return expected("fill_nan", "0 or 1", map.fill_nan);
  if (map.fill_nan && !type.isFloat)
    return "out_of_bounds: expected zero for elements that are no floats, "
           "found nan for " +
           std::string(type.name);
  return "";
}

uint64_t tensorMapSpan(const wna16_tensor_map &map) {
  uint64_t span = map.dims[0] * tensorMapTypes[map.type].bytes;
  for (unsigned i = 1; i < map.rank; ++i)
    span += (map.dims[i] - 1) * map.strides[i - 1];
  return span;
}

} // namespace wna16::runtime
