//===- ElementTable.h - reading and writing single elements ---------------===//
//
// Random access to packed elements in CPU loops: what is inside of a tile is
// tabulated, so that an access costs a few instructions.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_ELEMENTTABLE_H
#define WNA16_LIB_LAYOUT_ELEMENTTABLE_H

#include "lib/Layout/PackedStorage.h"

namespace wna16::layout {

class ElementTable {
public:
  explicit ElementTable(const PackedStorage &storage);

  /// Element (i, j) of the matrix in `words`.
  uint32_t read(const uint32_t *words, int64_t i, int64_t j) const;
  /// Sets element (i, j), all of whose bits are 0 so far.
  void write(uint32_t *words, int64_t i, int64_t j, uint32_t value) const;

private:
  struct PlaneTable {
    unsigned bits, firstBit, codeBits;
    int64_t firstWord;
    std::array<unsigned, 2> tileBits;
    std::array<int64_t, 2> strides;
    std::vector<uint32_t> inTile;

    int64_t offset(int64_t i, int64_t j) const;
  };

  unsigned width;
  std::optional<BitStreams> stream;
  std::vector<PlaneTable> planes;
};

} // namespace wna16::layout

#endif // WNA16_LIB_LAYOUT_ELEMENTTABLE_H
