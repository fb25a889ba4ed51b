//===- PackedStorage.cpp - which bits of which words hold an element ------===//
//
// Sizes and places of elements in layouts, planes and streams.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/PackedStorage.h"

#include "lib/Layout/Instances.h"

#include <algorithm>
#include <stdexcept>

using namespace wna16::layout;

namespace {

void checkWidth(unsigned bits) {
  if (bits < 1 || bits > 8)
    throw std::invalid_argument("expected codes of 1 to 8 bits, found " +
                                std::to_string(bits));
}

int64_t wordsOf(int64_t elements, unsigned bits) {
  return (elements * bits + 31) / 32;
}

} // namespace

PackedStorage::PackedStorage(StorageLayout layout, unsigned bits)
    : extents(layout.shape()), width(bits) {
  if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16)
    throw std::invalid_argument(
        "expected elements of 1, 2, 4, 8 or 16 bits in one layout, found " +
        std::to_string(bits));
  parts.push_back({bits, 0, std::move(layout), 0});
}

PackedStorage::PackedStorage(int64_t d0, int64_t d1, unsigned bits,
                             StorageLayout (*make)(int64_t, int64_t, unsigned))
    : extents{d0, d1}, width(bits) {
  checkWidth(bits);
  unsigned firstBit = 0;
  int64_t firstWord = 0;
  for (unsigned planeBits : planesOf(bits)) {
    parts.push_back({planeBits, firstBit, make(d0, d1, planeBits), firstWord});
    firstBit += planeBits;
    firstWord += wordsOf(parts.back().layout.span(), planeBits);
  }
}

PackedStorage PackedStorage::streams(int64_t d0, int64_t d1, unsigned bits,
                                     unsigned along, bool interleaved) {
  checkWidth(bits);
  PackedStorage storage({d0, d1}, bits);
  int64_t streams = along == 0 ? d1 : d0;
  int64_t words = wordsOf(along == 0 ? d0 : d1, bits);
  storage.stream =
      interleaved ? BitStreams{along, streams, 1} : BitStreams{along, 1, words};
  return storage;
}

int64_t PackedStorage::words() const {
  if (stream)
    return wordsOf(extents[stream->along], width) * extents[1 - stream->along];
  const Plane &last = parts.back();
  return last.firstWord + wordsOf(last.layout.span(), last.bits);
}

BitRun PackedStorage::run(int64_t i, int64_t j, unsigned bit) const {
  if (stream) {
    int64_t place = (stream->along == 0 ? i : j) * width + bit;
    unsigned shift = place % 32;
    return {place / 32 * stream->wordStride +
                (stream->along == 0 ? j : i) * stream->streamStride,
            shift, std::min(width - bit, 32 - shift), 0};
  }
  auto plane = parts.begin();
  while (bit >= plane->firstBit + plane->bits)
    ++plane;
  int64_t place = plane->layout.offset(i, j) * plane->bits;
  unsigned inPlane = bit - plane->firstBit;
  return {plane->firstWord + place / 32, unsigned(place % 32) + inPlane,
          plane->bits - inPlane, unsigned(plane - parts.begin())};
}
