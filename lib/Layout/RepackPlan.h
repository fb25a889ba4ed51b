//===- RepackPlan.h - how the words of a tile are put together ------------===//
//
// Two ways of storing a matrix repeat themselves from tile to tile. What
// happens in one tile is worked out once, into a table: for every word of the
// target the words of the source that it takes bits from, each with a rotation
// and a mask.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_REPACKPLAN_H
#define WNA16_LIB_LAYOUT_REPACKPLAN_H

#include "lib/Layout/PackedStorage.h"

namespace wna16::layout {

struct RepackPlan {
  /// dst |= rotl(src[part][word], rotation) & mask
  struct Term {
    int64_t word;
    uint32_t mask;
    uint8_t rotation, part;
  };
  /// One word of the target: the terms [firstTerm, firstTerm of the next).
  struct Word {
    int64_t word;
    uint32_t firstTerm;
    unsigned part;
  };
  /// Bits of the source that the target has no room for.
  struct Excess {
    int64_t word;
    uint32_t mask;
    unsigned part;
  };

  std::array<int64_t, 2> tile;
  std::vector<Word> words;
  std::vector<Term> terms;
  std::vector<Excess> excess;
  /// Words from one tile to the next along both dimensions, for every plane (a
  /// stream counts as one).
  std::vector<std::array<int64_t, 2>> fromStrides, toStrides;

  /// The plan of the smallest tile that begins at words in both and fills the
  /// words of `to`; nothing when there is none inside of `shape`.
  static std::optional<RepackPlan> make(const PackedStorage &from,
                                        const PackedStorage &to,
                                        std::array<int64_t, 2> shape);
};

} // namespace wna16::layout

#endif // WNA16_LIB_LAYOUT_REPACKPLAN_H
