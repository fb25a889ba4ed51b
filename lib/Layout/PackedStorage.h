//===- PackedStorage.h - which bits of which words hold an element --------===//
//
// A whole matrix of packed elements in a buffer of 32-bit words. Usually it is
// one storage layout. Codes of a width that does not divide 32 are stored in
// one of two other ways: kernels read planes (some of the bits of all codes as
// a matrix of its own, one after the other), checkpoints have bit streams, in
// which a code may begin in one word and end in the next.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_PACKEDSTORAGE_H
#define WNA16_LIB_LAYOUT_PACKEDSTORAGE_H

#include "lib/Layout/StorageLayout.h"

#include <optional>

namespace wna16::layout {

/// Bits [firstBit, firstBit + bits) of every element, as a matrix of elements
/// of `bits` bits that begins at word `firstWord`.
struct Plane {
  unsigned bits, firstBit;
  StorageLayout layout;
  int64_t firstWord;
  bool operator==(const Plane &) const = default;
};

/// Elements one after the other along dimension `along`, low bits first, one
/// stream for each index of the other dimension. Strides in words: from one
/// word of a stream to the next, and from one stream to the next.
struct BitStreams {
  unsigned along;
  int64_t wordStride, streamStride;
  bool operator==(const BitStreams &) const = default;
};

/// Neighbouring bits of an element that are neighbours in a word: `count` bits
/// from bit `shift` of word `word` on, in plane `part` (0 for streams).
struct BitRun {
  int64_t word;
  unsigned shift, count, part;
};

class PackedStorage {
public:
  /// Elements of 1, 2, 4, 8 or 16 bits in one layout.
  PackedStorage(StorageLayout layout, unsigned bits);
  /// Codes in the planes of planesOf(bits), each in the layout that `make`
  /// has for its width.
  PackedStorage(int64_t d0, int64_t d1, unsigned bits,
                StorageLayout (*make)(int64_t, int64_t, unsigned));
  /// Codes of 1 to 8 bits in streams along dimension `along`, each padded to
  /// whole words. `interleaved`: word by word, all streams side by side;
  /// otherwise one stream after the other.
  static PackedStorage streams(int64_t d0, int64_t d1, unsigned bits,
                               unsigned along, bool interleaved);

  std::array<int64_t, 2> shape() const { return extents; }
  /// Bits of an element.
  unsigned bits() const { return width; }
  /// 32-bit words that the storage spans.
  int64_t words() const;

  /// Planes from the lowest bits on; empty for streams.
  const std::vector<Plane> &planes() const { return parts; }
  const std::optional<BitStreams> &bitStreams() const { return stream; }
  /// The layout when there is one plane only, else null.
  const StorageLayout *singleLayout() const {
    return parts.size() == 1 ? &parts[0].layout : nullptr;
  }

  /// Where bit `bit` of element (i, j) is and how many of the bits from it on
  /// are next to it.
  BitRun run(int64_t i, int64_t j, unsigned bit) const;

  bool operator==(const PackedStorage &) const = default;

private:
  PackedStorage(std::array<int64_t, 2> extents, unsigned width)
      : extents(extents), width(width) {}

  std::array<int64_t, 2> extents;
  unsigned width;
  std::vector<Plane> parts;
  std::optional<BitStreams> stream;
};

} // namespace wna16::layout

#endif // WNA16_LIB_LAYOUT_PACKEDSTORAGE_H
