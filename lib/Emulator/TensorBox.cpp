//===- TensorBox.cpp - the bytes that one tensor copy moves ---------------===//
//
// Extents of a box and what of it lies in the tensor.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/TensorBox.h"

namespace wna16::emulator {

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

std::string TensorBox::unsupported(const TensorMap &map) {
  using Element = TensorMap::Element;
  if (map.interleave != TensorMap::Interleave::None)
    return "interleaved layouts";
  if (map.element == Element::F32Ftz || map.element == Element::TF32 ||
      map.element == Element::TF32Ftz)
    return "element type " + std::string(TensorMap::name(map.element)) +
           ", which the copy rounds";
  const uint32_t row = map.box[0] * map.elementBytes();
  if (map.swizzle != TensorMap::Swizzle::None && row != map.swizzleBytes())
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

uint64_t TensorBox::fillValue(const TensorMap &map) {
  if (map.fill == TensorMap::Fill::Zero)
    return 0;
  return ~uint64_t(0) >> (65 - 8 * map.elementBytes());
}

} // namespace wna16::emulator
