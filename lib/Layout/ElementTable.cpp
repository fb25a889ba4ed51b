//===- ElementTable.cpp - reading and writing single elements -------------===//
//
// Tables of the planes of a storage; streams are arithmetic only.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/ElementTable.h"

#include <bit>

using namespace wna16::layout;

namespace {

/// Where an element of a stream begins, and whether it ends in another word.
struct StreamPlace {
  int64_t word, nextWord;
  unsigned shift;
  bool crosses;

  StreamPlace(const BitStreams &streams, unsigned bits, int64_t i, int64_t j) {
    int64_t bit = (streams.along == 0 ? i : j) * bits;
    word = bit / 32 * streams.wordStride +
           (streams.along == 0 ? j : i) * streams.streamStride;
    nextWord = word + streams.wordStride;
    shift = bit % 32;
    crosses = shift + bits > 32;
  }
};

} // namespace

ElementTable::ElementTable(const PackedStorage &storage)
    : width(storage.bits()), stream(storage.bitStreams()) {
  for (const Plane &plane : storage.planes()) {
    PlaneTable table{plane.bits,
                     plane.firstBit,
                     unsigned(std::countr_zero(32 / plane.bits)),
                     plane.firstWord,
                     {plane.layout.tile().outs()[0].bits,
                      plane.layout.tile().outs()[1].bits},
                     plane.layout.strides(),
                     {}};
    auto [rows, columns] = plane.layout.tileShape();
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        table.inTile.push_back(uint32_t(plane.layout.offset(i, j)));
    planes.push_back(std::move(table));
  }
}

int64_t ElementTable::PlaneTable::offset(int64_t i, int64_t j) const {
  int64_t rowMask = (int64_t(1) << tileBits[0]) - 1;
  int64_t columnMask = (int64_t(1) << tileBits[1]) - 1;
  return (i >> tileBits[0]) * strides[0] + (j >> tileBits[1]) * strides[1] +
         inTile[size_t((i & rowMask) << tileBits[1] | (j & columnMask))];
}

uint32_t ElementTable::read(const uint32_t *words, int64_t i, int64_t j) const {
  uint32_t mask = (uint32_t(1) << width) - 1;
  if (stream) {
    StreamPlace place(*stream, width, i, j);
    uint64_t bits = words[place.word];
    if (place.crosses)
      bits |= uint64_t(words[place.nextWord]) << 32;
    return uint32_t(bits >> place.shift) & mask;
  }
  uint32_t value = 0;
  for (const PlaneTable &plane : planes) {
    int64_t offset = plane.offset(i, j);
    uint32_t word = words[plane.firstWord + (offset >> plane.codeBits)];
    unsigned inWord = offset & ((int64_t(1) << plane.codeBits) - 1);
    uint32_t part =
        word >> (inWord * plane.bits) & ((uint32_t(1) << plane.bits) - 1);
    value |= part << plane.firstBit;
  }
  return value;
}

void ElementTable::write(uint32_t *words, int64_t i, int64_t j,
                         uint32_t value) const {
  if (stream) {
    StreamPlace place(*stream, width, i, j);
    uint64_t bits = uint64_t(value) << place.shift;
    words[place.word] |= uint32_t(bits);
    if (place.crosses)
      words[place.nextWord] |= uint32_t(bits >> 32);
    return;
  }
  for (const PlaneTable &plane : planes) {
    int64_t offset = plane.offset(i, j);
    unsigned inWord = offset & ((int64_t(1) << plane.codeBits) - 1);
    uint32_t part = value >> plane.firstBit & ((uint32_t(1) << plane.bits) - 1);
    words[plane.firstWord + (offset >> plane.codeBits)] |=
        part << (inWord * plane.bits);
  }
}
