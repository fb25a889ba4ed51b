//===- TensorBox.h - the bytes that one tensor copy moves -----------------===//
//
// cp.async.bulk.tensor in tiled mode as geometry: which global bytes lie where
// in shared memory, which elements lie outside the tensor. Knows neither memory
// nor time, so the load, store, reduce and prefetch forms share it.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_TENSORBOX_H
#define WNA16_LIB_EMULATOR_TENSORBOX_H

#include "lib/Emulator/Swizzle.h"

#include <algorithm>
#include <string>

namespace wna16::emulator {

/// Bytes that are neighbours in global memory, and in shared memory but for the
/// order of their chunks. With a swizzle every row of a box starts a span of
/// it; a row that is narrower leaves the rest of the span as it was.
struct BoxRun {
  uint64_t global; ///< address; meaningless outside the tensor
  uint32_t shared; ///< absolute shared address
  uint32_t bytes;
  /// Chunk i of 16 bytes lies at the place of chunk i ^ chunkXor.
  uint8_t chunkXor;
  /// Outside the tensor a load writes the fill value and a store nothing.
  bool inside;
};

class TensorBox {
public:
  /// Alignment of the shared address of every tensor copy.
  static constexpr uint32_t sharedAlignment = 128;

  /// `coordinates`: one signed element index per dimension, innermost first.
  TensorBox(const TensorMap &map, const int32_t *coordinates);

  /// Why copies through this map, from global memory or to it, are outside the
  /// model; empty if they are not.
  static std::string unsupported(const TensorMap &map, bool toGlobal);

  /// Bytes of the elements of the box, all of which count for complete_tx:
  /// those outside the tensor are written too.
  uint32_t bytes() const;
  /// Shared bytes from `shared` to the last one of the box there.
  uint32_t sharedExtent(uint32_t shared) const;

  /// No element of the box lies in the tensor.
  bool missesTensor() const;
  /// The box lies in front of the tensor, or more than `farBoxes` of its
  /// extents behind the end. Nearer than that it may be the unused part of a
  /// larger tile at the edge, which kernels let the hardware fill.
  static constexpr int64_t farBoxes = 4;
  bool farFromTensor() const;

  /// What a load writes outside the tensor, repeated every 8 bytes.
  static uint64_t fillPattern(const TensorMap &map);
  /// What a load does to whole elements inside it; null: nothing.
  using Conversion = void (*)(uint8_t *bytes, uint32_t count);
  static Conversion conversion(const TensorMap &map);

  /// Calls `run(BoxRun)` for all bytes of the box in the order of the tensor,
  /// with the box at `shared`.
  template <typename Fn> void forEachRun(uint32_t shared, Fn run) const;

private:
  const TensorMap &map;
  std::array<int64_t, TensorMap::maxRank> origin{};
  /// Elements copied per dimension, and the part [first, last) of the innermost
  /// one that lies in the tensor.
  std::array<uint32_t, TensorMap::maxRank> counts{};
  uint32_t first, last;

  uint32_t rowBytes() const { return counts[0] * map.elementBytes(); }
  /// Bytes from row to row in shared memory.
  uint32_t rowPitch() const { return std::max(rowBytes(), map.swizzleBytes()); }
  /// Bytes [begin, end) of a row, in pieces if the swizzle moves parts of them.
  template <typename Fn>
  void part(uint32_t rowShared, uint64_t rowGlobal, uint32_t begin,
            uint32_t end, bool inside, Fn &run) const;
};

template <typename Fn>
void TensorBox::part(uint32_t rowShared, uint64_t rowGlobal, uint32_t begin,
                     uint32_t end, bool inside, Fn &run) const {
  // The chunks of a whole span stay within it.
  if (end - begin == rowPitch()) {
    const uint32_t moved = swizzled(rowShared, map.swizzle) ^ rowShared;
    return run(
        BoxRun{rowGlobal, rowShared, end, uint8_t(moved / chunkBytes), inside});
  }
  while (begin < end) {
    const uint32_t address = rowShared + begin;
    const uint32_t size =
        map.swizzle == TensorMap::Swizzle::None
            ? end - begin
            : std::min(end - begin, chunkBytes - address % chunkBytes);
    run(BoxRun{rowGlobal + begin, swizzled(address, map.swizzle), size, 0,
               inside});
    begin += size;
  }
}

template <typename Fn>
void TensorBox::forEachRun(uint32_t shared, Fn run) const {
  const uint32_t element = map.elementBytes();
  std::array<uint32_t, TensorMap::maxRank> at{};
  while (true) {
    bool inside = first < last;
    uint64_t global = map.base + uint64_t(origin[0]) * element;
    for (unsigned d = 1; d < map.rank; ++d) {
      const int64_t index =
          origin[d] + int64_t(at[d]) * int64_t(map.elementStrides[d]);
      inside &= uint64_t(index) < map.dims[d]; // negative ones are huge
      global += uint64_t(index) * map.byteStrides[d];
    }
    if (inside) {
      part(shared, global, 0, first * element, false, run);
      part(shared, global, first * element, last * element, true, run);
      part(shared, global, last * element, rowBytes(), false, run);
    } else {
      part(shared, global, 0, rowBytes(), false, run);
    }
    shared += rowPitch();
    unsigned d = 1;
    while (d < map.rank && ++at[d] == counts[d])
      at[d++] = 0;
    if (d >= map.rank)
      return;
  }
}

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_TENSORBOX_H
