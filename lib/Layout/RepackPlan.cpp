//===- RepackPlan.cpp - how the words of a tile are put together ----------===//
//
// Follows every bit of every element of a tile from one storage to the other;
// bits that move alike share a term.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/RepackPlan.h"

#include <algorithm>
#include <tuple>

using namespace wna16::layout;

namespace {

using Pair = std::array<int64_t, 2>;

/// Words between neighbouring tiles, or nothing when tiles do not all begin at
/// a word.
std::optional<std::vector<Pair>> tileStrides(const PackedStorage &storage,
                                             Pair tile, Pair shape) {
  std::vector<Pair> result;
  if (const auto &streams = storage.bitStreams()) {
    int along = streams->along;
    int64_t bits = tile[along] * storage.bits();
    if (bits % 32 != 0)
      return std::nullopt;
    Pair strides;
    strides[along] = bits / 32 * streams->wordStride;
    strides[1 - along] = tile[1 - along] * streams->streamStride;
    return std::vector{strides};
  }
  for (const Plane &plane : storage.planes()) {
    Pair own = plane.layout.tileShape(), strides = plane.layout.strides();
    for (int i : {0, 1}) {
      if (tile[i] % own[i] != 0)
        return std::nullopt;
      int64_t bits = tile[i] / own[i] * strides[i] * plane.bits;
      if (shape[i] >= 2 * tile[i] && bits % 32 != 0)
        return std::nullopt;
      strides[i] = bits / 32;
    }
    result.push_back(strides);
  }
  return result;
}

/// Tiles to try, the smallest first. One as wide as a word has bits suffices,
/// whichever way elements run.
std::vector<Pair> candidateTiles(const PackedStorage &from,
                                 const PackedStorage &to) {
  Pair least = {1, 1};
  for (const PackedStorage *storage : {&from, &to})
    for (const Plane &plane : storage->planes())
      for (int i : {0, 1})
        least[i] = std::max(least[i], plane.layout.tileShape()[i]);
  std::vector<Pair> tiles;
  for (int64_t rows = least[0]; rows <= std::max<int64_t>(least[0], 32);
       rows *= 2)
    for (int64_t columns = least[1]; columns <= std::max<int64_t>(least[1], 32);
         columns *= 2)
      tiles.push_back({rows, columns});
  std::stable_sort(tiles.begin(), tiles.end(),
                   [](Pair a, Pair b) { return a[0] * a[1] < b[0] * b[1]; });
  return tiles;
}

/// Bits of one element that move together; with mask in the target's word.
struct Move {
  unsigned toPart;
  int64_t toWord;
  /// Bits that become zero have no source.
  bool hasSource;
  unsigned fromPart;
  int64_t fromWord;
  unsigned rotation;
  uint32_t mask;

  auto key() const {
    return std::tie(toPart, toWord, hasSource, fromPart, fromWord, rotation);
  }
};

uint32_t ones(unsigned count) { return count < 32 ? (1u << count) - 1 : ~0u; }

/// Every bit of the target's elements in the tile, sorted by where it goes.
std::vector<Move> movesOf(const PackedStorage &from, const PackedStorage &to,
                          Pair tile) {
  std::vector<Move> moves;
  for (int64_t i = 0; i < tile[0]; ++i)
    for (int64_t j = 0; j < tile[1]; ++j)
      for (unsigned bit = 0; bit < to.bits();) {
        BitRun target = to.run(i, j, bit);
        unsigned count = target.count;
        Move move{target.part, target.word, false, 0, 0, 0, 0};
        if (bit < from.bits()) {
          BitRun source = from.run(i, j, bit);
          count = std::min(count, source.count);
          move.hasSource = true;
          move.fromPart = source.part;
          move.fromWord = source.word;
          move.rotation = (target.shift - source.shift) & 31;
        }
        move.mask = ones(count) << target.shift;
        moves.push_back(move);
        bit += count;
      }
  std::sort(moves.begin(), moves.end(),
            [](const Move &a, const Move &b) { return a.key() < b.key(); });
  return moves;
}

/// Fills in words and terms; false when a word is not filled.
bool addWords(RepackPlan &plan, const std::vector<Move> &moves) {
  for (size_t i = 0; i < moves.size();) {
    const Move &first = moves[i];
    plan.words.push_back(
        {first.toWord, uint32_t(plan.terms.size()), first.toPart});
    uint32_t covered = 0;
    const Move *last = nullptr;
    for (; i < moves.size() && moves[i].toPart == first.toPart &&
           moves[i].toWord == first.toWord;
         ++i) {
      const Move &move = moves[i];
      covered |= move.mask;
      if (last && last->key() == move.key())
        plan.terms.back().mask |= move.mask;
      else if (move.hasSource)
        plan.terms.push_back({move.fromWord, move.mask, uint8_t(move.rotation),
                              uint8_t(move.fromPart)});
      last = move.hasSource ? &move : nullptr;
    }
    if (covered != ~0u)
      return false;
  }
  return true;
}

/// The bits of the source's elements that the target does not take.
std::vector<RepackPlan::Excess> excessOf(const PackedStorage &from,
                                         const PackedStorage &to, Pair tile) {
  std::vector<RepackPlan::Excess> result;
  for (int64_t i = 0; i < tile[0]; ++i)
    for (int64_t j = 0; j < tile[1]; ++j)
      for (unsigned bit = to.bits(); bit < from.bits();) {
        BitRun run = from.run(i, j, bit);
        auto same = std::find_if(result.begin(), result.end(), [&](auto &e) {
          return e.part == run.part && e.word == run.word;
        });
        if (same == result.end())
          same = result.insert(same, {run.word, 0, run.part});
        same->mask |= ones(run.count) << run.shift;
        bit += run.count;
      }
  return result;
}

} // namespace

std::optional<RepackPlan> RepackPlan::make(const PackedStorage &from,
                                           const PackedStorage &to,
                                           Pair shape) {
  for (Pair tile : candidateTiles(from, to)) {
    if (tile[0] > shape[0] || tile[1] > shape[1])
      continue;
    auto fromStrides = tileStrides(from, tile, shape);
    auto toStrides = tileStrides(to, tile, shape);
    if (!fromStrides || !toStrides)
      continue;
    RepackPlan plan{tile, {}, {}, {}, *fromStrides, *toStrides};
    if (!addWords(plan, movesOf(from, to, tile)))
      continue;
    plan.excess = excessOf(from, to, tile);
    return plan;
  }
  return std::nullopt;
}
