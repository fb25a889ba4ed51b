//===- TensorBox.cpp - the bytes that one tensor copy moves ---------------===//
//
// Extents of a box and what of it lies in the tensor.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/TensorBox.h"

#include "lib/Emulator/NarrowFloats.h"

#include <cstring>

namespace wna16::emulator {

/// Measured on an H200.
static void roundElementsToTf32(uint8_t *bytes, uint32_t count) {
  for (uint32_t i = 0; i < count; i += 4) {
    uint32_t bits;
    std::memcpy(&bits, bytes + i, 4);
    // The lowest bits of NaN are zero, unlike those that cvt makes.
    bits = roundToTf32(bits, Rounding::Nearest, false, false) & ~0x1fffu;
    std::memcpy(bytes + i, &bits, 4);
  }
}

TensorBox::Conversion TensorBox::conversion(const TensorMap &map) {
  using Element = TensorMap::Element;
  // f32_ftz stays as it is, subnormal numbers too.
  return map.element == Element::TF32 || map.element == Element::TF32Ftz
             ? roundElementsToTf32
             : nullptr;
}

TensorBox::TensorBox(const TensorMap &map, const int32_t *coordinates)
    : map(map) {
  for (unsigned d = 0; d < map.rank; ++d) {
    origin[d] = coordinates[d];
    // The innermost dimension has no element stride without interleaving.
    const uint32_t step = d ? map.elementStrides[d] : 1;
    counts[d] = (map.box[d] + step - 1) / step;
  }
  const auto limit = [&](int64_t index) {
    return uint32_t(std::clamp<int64_t>(index, 0, counts[0]));
  };
  first = limit(-origin[0]);
  last = std::max(first, limit(int64_t(map.dims[0]) - origin[0]));
}

std::string TensorBox::unsupported(const TensorMap &map, bool toGlobal) {
  using Element = TensorMap::Element;
  if (map.interleave != TensorMap::Interleave::None)
    return "interleaved layouts";
  // Loads were measured, what the types change in global memory was not.
  if (toGlobal &&
      (map.element == Element::F32Ftz || map.element == Element::TF32 ||
       map.element == Element::TF32Ftz))
    return "element type " + std::string(TensorMap::name(map.element)) +
           " in copies to global memory";
  const uint32_t row = map.box[0] * map.elementBytes();
  if (map.swizzle != TensorMap::Swizzle::None && row > map.swizzleBytes())
    return "a box row of " + std::to_string(row) + " bytes with a swizzle of " +
           std::to_string(map.swizzleBytes()) + " bytes";
  return "";
}

uint32_t TensorBox::bytes() const {
  uint32_t elements = 1;
  for (unsigned d = 0; d < map.rank; ++d)
    elements *= counts[d];
  return elements * map.elementBytes();
}

uint32_t TensorBox::sharedExtent(uint32_t shared) const {
  const uint32_t rows = bytes() / rowBytes();
  const uint32_t lastRow = shared + (rows - 1) * rowPitch();
  uint32_t end = lastRow + rowBytes();
  if (rowBytes() < rowPitch())
    for (uint32_t at = lastRow, stop = end; at < stop; at += chunkBytes)
      end = std::max(end, swizzled(at, map.swizzle) + chunkBytes);
  return end - shared;
}

bool TensorBox::missesTensor() const {
  if (first >= last)
    return true;
  for (unsigned d = 1; d < map.rank; ++d) {
    const int64_t step = map.elementStrides[d];
    // The first copied index that is not negative.
    const int64_t skipped = origin[d] < 0 ? (-origin[d] + step - 1) / step : 0;
    if (skipped >= int64_t(counts[d]) ||
        uint64_t(origin[d] + skipped * step) >= map.dims[d])
      return true;
  }
  return false;
}

bool TensorBox::farFromTensor() const {
  for (unsigned d = 0; d < map.rank; ++d) {
    const int64_t extent = map.box[d];
    if (origin[d] + extent <= 0 ||
        origin[d] - int64_t(map.dims[d]) >= farBoxes * extent)
      return true;
  }
  return false;
}

uint64_t TensorBox::fillPattern(const TensorMap &map) {
  // One pattern for all float types, measured on an H200.
  return map.fill == TensorMap::Fill::Zero ? 0 : 0x7ff77ff77ff77ff7;
}

} // namespace wna16::emulator
