//===- Packer.cpp - from any storage to any other -------------------------===//
//
// The part of the matrix that is made of whole tiles of a plan is repacked by
// several threads, word by word. What is left at its edges goes element by
// element.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/Packer.h"

#include "lib/Layout/ElementTable.h"
#include "lib/Layout/RepackPlan.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <stdexcept>
#include <system_error>
#include <thread>

using namespace wna16::layout;

namespace {

using Pair = std::array<int64_t, 2>;

/// Planes of a storage; planesOf() has at most three.
constexpr size_t maxParts = 3;

[[noreturn]] void fail(const std::string &message) {
  throw std::invalid_argument("repack: " + message);
}

std::string text(Pair pair) {
  return std::to_string(pair[0]) + " x " + std::to_string(pair[1]);
}

void checkStorage(const char *which, const PackedStorage &storage,
                  const void *data, Pair shape) {
  Pair extents = storage.shape();
  if (extents[0] < 0 || extents[1] < 0)
    fail(std::string("expected a ") + which + " of static shape, found " +
         text(extents));
  if (extents[0] < shape[0] || extents[1] < shape[1])
    fail(std::string("expected a ") + which + " of at least " + text(shape) +
         ", the shape of the matrix, found " + text(extents));
  if (!data && extents[0] * extents[1] != 0)
    fail(std::string("the ") + which + " pointer is null");
}

//===----------------------------------------------------------------------===//
// Whole tiles
//===----------------------------------------------------------------------===//

/// Calls apply(i, j) for every tile (i, j) of a grid, on several threads. A
/// block of tiles at a time covers about 128 x 128 elements, so that the cache
/// lines touched are used whole in both storages.
template <typename Apply>
void forEachTile(Pair tile, Pair count, unsigned threads, const Apply &apply) {
  Pair perBlock, blocks;
  for (int i : {0, 1}) {
    perBlock[i] = std::max<int64_t>(1, 128 / tile[i]);
    blocks[i] = (count[i] + perBlock[i] - 1) / perBlock[i];
  }
  std::atomic<int64_t> next = 0;
  auto work = [&] {
    for (int64_t block; (block = next++) < blocks[0] * blocks[1];) {
      Pair first = {block / blocks[1] * perBlock[0],
                    block % blocks[1] * perBlock[1]};
      Pair last = {std::min(first[0] + perBlock[0], count[0]),
                   std::min(first[1] + perBlock[1], count[1])};
      for (int64_t i = first[0]; i < last[0]; ++i)
        for (int64_t j = first[1]; j < last[1]; ++j)
          apply(i, j);
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

/// Applies a plan in which every word has `count` terms (0: any number), all
/// from one plane or (`planes`) from several.
template <unsigned count, bool planes>
void applyPlan(const RepackPlan &plan, const uint32_t *const *src,
               uint32_t *const *dst) {
  const RepackPlan::Term *term = plan.terms.data();
  const RepackPlan::Term *end = term + plan.terms.size();
  const uint32_t *single = src[0];
  for (size_t i = 0, size = plan.words.size(); i < size; ++i) {
    uint32_t value = 0;
    auto add = [&](const RepackPlan::Term &t) {
      uint32_t word = planes ? src[t.part][t.word] : single[t.word];
      value |= std::rotl(word, t.rotation) & t.mask;
    };
    if constexpr (count != 0) {
      for (unsigned t = 0; t < count; ++t)
        add(term[t]);
      term += count;
    } else {
      const RepackPlan::Term *last =
          i + 1 < size ? plan.terms.data() + plan.words[i + 1].firstTerm : end;
      for (; term != last; ++term)
        add(*term);
    }
    dst[plan.words[i].part][plan.words[i].word] = value;
  }
}

using ApplyPlan = void (*)(const RepackPlan &, const uint32_t *const *,
                           uint32_t *const *);

/// The loop over terms unrolled, when all words have the same number of them.
ApplyPlan selectApply(const RepackPlan &plan) {
  if (plan.fromStrides.size() > 1)
    return applyPlan<0, true>;
  size_t count = plan.terms.size() / plan.words.size();
  for (size_t i = 0; i < plan.words.size(); ++i)
    if (plan.words[i].firstTerm != i * count)
      return applyPlan<0, false>;
  if (plan.terms.size() != plan.words.size() * count)
    return applyPlan<0, false>;
  switch (count) {
  case 1:
    return applyPlan<1, false>;
  case 2:
    return applyPlan<2, false>;
  case 4:
    return applyPlan<4, false>;
  case 8:
    return applyPlan<8, false>;
  default:
    return applyPlan<0, false>;
  }
}

/// Repacks `count` tiles; false when a value did not fit.
bool repackTiles(const RepackPlan &plan, const uint32_t *src, uint32_t *dst,
                 Pair count, unsigned threads) {
  ApplyPlan apply = selectApply(plan);
  std::atomic<bool> fits = true;
  forEachTile(plan.tile, count, threads, [&](int64_t i, int64_t j) {
    const uint32_t *from[maxParts];
    uint32_t *to[maxParts];
    for (size_t part = 0; part < plan.fromStrides.size(); ++part)
      from[part] =
          src + i * plan.fromStrides[part][0] + j * plan.fromStrides[part][1];
    for (size_t part = 0; part < plan.toStrides.size(); ++part)
      to[part] =
          dst + i * plan.toStrides[part][0] + j * plan.toStrides[part][1];
    apply(plan, from, to);
    for (const RepackPlan::Excess &excess : plan.excess)
      if (from[excess.part][excess.word] & excess.mask)
        fits = false;
  });
  return fits;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Calls f(i, j) for the elements of `shape` that are not in `inner`.
template <typename F> void forEachOutside(Pair inner, Pair shape, const F &f) {
  for (int64_t i = 0; i < shape[0]; ++i)
    for (int64_t j = i < inner[0] ? inner[1] : 0; j < shape[1]; ++j)
      f(i, j);
}

[[noreturn]] void failTooLarge(unsigned bits, uint32_t value, int64_t i,
                               int64_t j) {
  fail("expected codes below " + std::to_string(int64_t(1) << bits) + " (" +
       std::to_string(bits) + " bits), found " + std::to_string(value) +
       " at (" + std::to_string(i) + ", " + std::to_string(j) + ")");
}

} // namespace

void wna16::layout::repack(const PackedStorage &from, const uint32_t *src,
                           const PackedStorage &to, uint32_t *dst, Pair shape,
                           unsigned threads) {
  checkStorage("source", from, src, shape);
  checkStorage("target", to, dst, shape);
  std::optional<RepackPlan> plan = RepackPlan::make(from, to, shape);
  Pair inner = {0, 0}, count = {0, 0};
  if (plan)
    for (int i : {0, 1}) {
      count[i] = shape[i] / plan->tile[i];
      inner[i] = count[i] * plan->tile[i];
    }
  // Tiles fill their words; everything else is written into zeros.
  if (inner != to.shape())
    std::fill_n(dst, to.words(), 0);

  ElementTable source(from), target(to);
  auto checked = [&](int64_t i, int64_t j) {
    uint32_t value = source.read(src, i, j);
    if (to.bits() < from.bits() && value >> to.bits() != 0)
      failTooLarge(to.bits(), value, i, j);
    return value;
  };
  if (plan && !repackTiles(*plan, src, dst, count, threads))
    forEachOutside({0, 0}, inner, checked);
  forEachOutside(inner, shape, [&](int64_t i, int64_t j) {
    target.write(dst, i, j, checked(i, j));
  });
}
