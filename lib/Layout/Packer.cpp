//===- Packer.cpp - from any storage layout to any other ------------------===//
//
// Both layouts are cut into a grid of common tiles. What happens inside such a
// tile is the same everywhere, so it is worked out once, into a table: for
// every destination word the source words that it takes codes from, each with a
// rotation and a mask. Threads then apply the table to blocks of tiles.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/Packer.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

using namespace wna16::layout;

namespace {

using Pair = std::array<int64_t, 2>;

[[noreturn]] void fail(const std::string &message) {
  throw std::invalid_argument("repack: " + message);
}

std::string text(Pair pair) {
  return std::to_string(pair[0]) + " x " + std::to_string(pair[1]);
}

void checkArguments(const StorageLayout &from, const void *src,
                    const StorageLayout &to, const void *dst) {
  Pair shape = from.shape();
  if (shape[0] < 0 || shape[1] < 0)
    fail("expected a static shape, found " + text(shape));
  if (shape != to.shape())
    fail("expected two layouts of the same matrix, found shapes " +
         text(shape) + " and " + text(to.shape()));
  if ((!src || !dst) && shape[0] * shape[1] != 0)
    fail(std::string("the ") + (src ? "destination" : "source") +
         " pointer is null");
}

void checkBits(unsigned bits) {
  if (bits != 1 && bits != 2 && bits != 4 && bits != 8)
    fail("expected codes of 1, 2, 4 or 8 bits, found " + std::to_string(bits));
}

/// Distance in elements between neighbouring tiles of the given shape, a
/// multiple of the layout's own tile.
Pair strideOfTile(const StorageLayout &layout, Pair tile) {
  Pair own = layout.tileShape(), strides = layout.strides();
  return {tile[0] / own[0] * strides[0], tile[1] / own[1] * strides[1]};
}

/// The matrix as a grid of tiles that are whole in both layouts.
struct Grid {
  Pair tile, count, fromStride, toStride;

  Grid(const StorageLayout &from, const StorageLayout &to, Pair tile)
      : tile(tile), count{from.shape()[0] / tile[0], from.shape()[1] / tile[1]},
        fromStride(strideOfTile(from, tile)), toStride(strideOfTile(to, tile)) {
  }
};

/// Calls apply(offset in `from`, offset in `to`) for every tile of the grid, on
/// several threads. A block of tiles at a time covers about 128 x 128 elements,
/// so that the cache lines touched are used whole in both layouts.
template <typename Apply>
void forEachTile(const Grid &grid, unsigned threads, const Apply &apply) {
  Pair perBlock, blocks;
  for (int i : {0, 1}) {
    perBlock[i] = std::max<int64_t>(1, 128 / grid.tile[i]);
    blocks[i] = (grid.count[i] + perBlock[i] - 1) / perBlock[i];
  }
  std::atomic<int64_t> next = 0;
  auto work = [&] {
    for (int64_t block; (block = next++) < blocks[0] * blocks[1];) {
      Pair first = {block / blocks[1] * perBlock[0],
                    block % blocks[1] * perBlock[1]};
      Pair last = {std::min(first[0] + perBlock[0], grid.count[0]),
                   std::min(first[1] + perBlock[1], grid.count[1])};
      for (int64_t i = first[0]; i < last[0]; ++i)
        for (int64_t j = first[1]; j < last[1]; ++j)
          apply(i * grid.fromStride[0] + j * grid.fromStride[1],
                i * grid.toStride[0] + j * grid.toStride[1]);
    }
  };

  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  // A thread costs as much as some blocks; small matrices stay on this one.
  constexpr int64_t blocksPerThread = 8;
  threads =
      std::min<int64_t>(threads, 1 + blocks[0] * blocks[1] / blocksPerThread);
  std::vector<std::jthread> helpers;
  try {
    for (unsigned i = 1; i < threads; ++i)
      helpers.emplace_back(work);
  } catch (const std::system_error &) {
    // No more threads to be had: those there are do the work.
  }
  work();
}

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

/// dst |= rotl(src[word], rotation) & mask
struct Term {
  int64_t word;
  int rotation;
  uint32_t mask;
};

/// One destination word: the terms [firstTerm, firstTerm of the next).
struct WordPlan {
  int64_t word;
  size_t firstTerm;
};

/// What to do in one tile; offsets in words from the start of the tile.
struct TilePlan {
  std::vector<WordPlan> words;
  std::vector<Term> terms;
};

/// True when tiles of this shape start at word boundaries.
bool startsAtWords(const StorageLayout &layout, Pair tile, int64_t codes) {
  Pair stride = strideOfTile(layout, tile);
  for (int i : {0, 1})
    if (layout.shape()[i] > tile[i] && stride[i] % codes != 0)
      return false;
  return true;
}

/// The plan of a tile, or nothing when the tile does not fill whole words.
std::optional<TilePlan> makePlan(const StorageLayout &from,
                                 const StorageLayout &to, Pair tile,
                                 unsigned bits) {
  int64_t codes = 32 / bits;
  uint32_t codeMask = (uint64_t(1) << bits) - 1;
  // Codes that move by the same amount between the same two words share a term.
  std::map<int64_t, std::map<std::pair<int64_t, int>, uint32_t>> masks;
  for (int64_t i = 0; i < tile[0]; ++i)
    for (int64_t j = 0; j < tile[1]; ++j) {
      int64_t src = from.offset(i, j), dst = to.offset(i, j);
      int srcShift = src % codes * bits, dstShift = dst % codes * bits;
      masks[dst / codes][{src / codes, (dstShift - srcShift) & 31}] |=
          codeMask << dstShift;
    }
  TilePlan plan;
  for (const auto &[word, terms] : masks) {
    uint32_t covered = 0;
    plan.words.push_back({word, plan.terms.size()});
    for (const auto &[key, mask] : terms) {
      plan.terms.push_back({key.first, key.second, mask});
      covered |= mask;
    }
    if (covered != ~0u)
      return std::nullopt;
  }
  return plan;
}

/// The smallest tile that is whole in both layouts and made of whole words.
std::pair<Pair, TilePlan> findTile(const StorageLayout &from,
                                   const StorageLayout &to, unsigned bits) {
  int64_t codes = 32 / bits;
  Pair shape = from.shape(), least;
  for (int i : {0, 1})
    least[i] = std::max(from.tileShape()[i], to.tileShape()[i]);
  // A tile as wide as a word holds codes suffices, whichever way they run.
  std::vector<Pair> candidates;
  for (int64_t rows = least[0]; rows <= std::max(least[0], codes); rows *= 2)
    for (int64_t columns = least[1]; columns <= std::max(least[1], codes);
         columns *= 2)
      candidates.push_back({rows, columns});
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](Pair a, Pair b) { return a[0] * a[1] < b[0] * b[1]; });
  for (Pair tile : candidates) {
    if (shape[0] % tile[0] != 0 || shape[1] % tile[1] != 0 ||
        !startsAtWords(from, tile, codes) || !startsAtWords(to, tile, codes))
      continue;
    if (std::optional<TilePlan> plan = makePlan(from, to, tile, bits))
      return {tile, std::move(*plan)};
  }
  fail("at shape " + text(shape) + " the storage of " + std::to_string(bits) +
       "-bit codes is not made of whole 32-bit words; make the contiguous "
       "dimension (or its pitch) a multiple of " +
       std::to_string(codes));
}

/// Applies a plan in which every word has `count` terms (0: any number).
template <unsigned count>
void applyPlan(const TilePlan &plan, const uint32_t *src, uint32_t *dst) {
  const Term *term = plan.terms.data();
  const Term *end = term + plan.terms.size();
  for (size_t i = 0, size = plan.words.size(); i < size; ++i) {
    uint32_t value = 0;
    auto add = [&](const Term &t) {
      value |= std::rotl(src[t.word], t.rotation) & t.mask;
    };
    if constexpr (count != 0) {
      for (unsigned t = 0; t < count; ++t)
        add(term[t]);
      term += count;
    } else {
      const Term *last =
          i + 1 < size ? plan.terms.data() + plan.words[i + 1].firstTerm : end;
      for (; term != last; ++term)
        add(*term);
    }
    dst[plan.words[i].word] = value;
  }
}

using ApplyPlan = void (*)(const TilePlan &, const uint32_t *, uint32_t *);

/// The loop over terms unrolled, when all words have the same number of them.
ApplyPlan selectApply(const TilePlan &plan) {
  size_t count = plan.terms.size() / plan.words.size();
  for (size_t i = 0; i < plan.words.size(); ++i)
    if (plan.words[i].firstTerm != i * count)
      return applyPlan<0>;
  if (plan.terms.size() != plan.words.size() * count)
    return applyPlan<0>;
  switch (count) {
  case 1:
    return applyPlan<1>;
  case 2:
    return applyPlan<2>;
  case 4:
    return applyPlan<4>;
  case 8:
    return applyPlan<8>;
  default:
    return applyPlan<0>;
  }
}

} // namespace

int64_t wna16::layout::storageWords(const StorageLayout &layout,
                                    unsigned bits) {
  checkBits(bits);
  return (layout.span() * bits + 31) / 32;
}

void wna16::layout::repackCodes(const StorageLayout &from, const uint32_t *src,
                                const StorageLayout &to, uint32_t *dst,
                                unsigned bits, unsigned threads) {
  checkBits(bits);
  checkArguments(from, src, to, dst);
  if (from.span() == 0)
    return;
  auto [tile, plan] = findTile(from, to, bits);
  ApplyPlan apply = selectApply(plan);
  int64_t codes = 32 / bits;
  forEachTile(Grid(from, to, tile), threads,
              [&, &plan = plan](int64_t fromOffset, int64_t toOffset) {
                apply(plan, src + fromOffset / codes, dst + toOffset / codes);
              });
}

//===----------------------------------------------------------------------===//
// 16-bit elements
//===----------------------------------------------------------------------===//

void wna16::layout::repackElements16(const StorageLayout &from,
                                     const uint16_t *src,
                                     const StorageLayout &to, uint16_t *dst,
                                     unsigned threads) {
  checkArguments(from, src, to, dst);
  if (from.span() == 0)
    return;
  Pair tile;
  for (int i : {0, 1})
    tile[i] = std::max(from.tileShape()[i], to.tileShape()[i]);
  struct Move {
    int64_t from, to;
  };
  std::vector<Move> moves;
  for (int64_t i = 0; i < tile[0]; ++i)
    for (int64_t j = 0; j < tile[1]; ++j)
      moves.push_back({from.offset(i, j), to.offset(i, j)});
  forEachTile(Grid(from, to, tile), threads,
              [&](int64_t fromOffset, int64_t toOffset) {
                for (const Move &move : moves)
                  dst[toOffset + move.to] = src[fromOffset + move.from];
              });
}
