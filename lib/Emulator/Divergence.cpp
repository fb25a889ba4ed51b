//===- Divergence.cpp - which lanes of a warp are where -------------------===//
//
// Splits live in a pool and refer to their parent by index; `leaves` holds the
// runnable ones, the running one last.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Divergence.h"

#include <algorithm>

namespace wna16::emulator {
namespace {
constexpr uint32_t never = 0xffffffffu;
}

uint32_t Divergence::allocate(Split split) {
  if (freeSplits.empty()) {
    pool.push_back(split);
    return uint32_t(pool.size() - 1);
  }
  uint32_t index = freeSplits.back();
  freeSplits.pop_back();
  pool[index] = split;
  return index;
}

void Divergence::start(uint32_t mask) {
  pool.clear();
  freeSplits.clear();
  leaves.clear();
  aliveMask = mask;
  current = allocate({0, never, mask, -1, 0});
  leaves.push_back(current);
}

void Divergence::branch(uint32_t taken, uint32_t target, uint32_t next,
                        uint32_t join) {
  const uint32_t rest = pool[current].mask & ~taken;
  if (!taken || !rest || target == next)
    return moveTo(taken ? target : next);
  uint32_t parent = current;
  leaves.pop_back();
  if (join == pool[current].join) {
    // The children join where this split does: make them its siblings, so that
    // a loop that lanes leave one by one does not nest deeper and deeper.
    const int32_t up = pool[current].parent;
    freeSplits.push_back(current);
    // The parent of the root is no split; never happens because the root joins
    // nowhere and `join` is an instruction or the end of the program.
    parent = uint32_t(up);
    --pool[parent].children;
  } else {
    pool[parent].pc = join;
  }
  auto add = [&](uint32_t mask, uint32_t pc) {
    if (pc == join)
      return;
    leaves.push_back(allocate({pc, join, mask, int32_t(parent), 0}));
    ++pool[parent].children;
  };
  add(rest, next);
  add(taken, target);
  if (!pool[parent].children) {
    // Both sides are at the join already (only possible for siblings).
    current = parent;
    leaves.push_back(parent);
    return moveTo(pool[parent].pc);
  }
  current = leaves.back();
}

void Divergence::arrive() {
  while (true) {
    const Split ended = pool[current];
    leaves.pop_back();
    freeSplits.push_back(current);
    if (ended.parent >= 0 && --pool[ended.parent].children == 0) {
      current = uint32_t(ended.parent);
      leaves.push_back(current);
      if (pool[current].mask && pool[current].pc != pool[current].join)
        return;
      continue;
    }
    if (!leaves.empty())
      current = leaves.back();
    return;
  }
}

void Divergence::exit(uint32_t lanes, uint32_t next) {
  aliveMask &= ~lanes;
  for (int32_t i = int32_t(current); i >= 0; i = pool[i].parent)
    pool[i].mask &= ~lanes;
  if (pool[current].mask)
    moveTo(next);
  else
    arrive();
}

void Divergence::rotate() {
  if (leaves.size() < 2)
    return;
  std::rotate(leaves.begin(), leaves.end() - 1, leaves.end());
  current = leaves.back();
}

std::vector<Divergence::Place> Divergence::places() const {
  std::vector<Place> out;
  for (uint32_t leaf : leaves)
    out.push_back({pool[leaf].pc, pool[leaf].mask});
  return out;
}

} // namespace wna16::emulator
