//===- MemoryOrder.cpp - release and acquire ------------------------------===//
//
// A release publishes at an address what its warp did and knows; an acquire of
// that address learns it. A fence makes the strong writes after it releases and
// the strong reads before it acquires.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/MemoryOrder.h"

#include "lib/Emulator/Block.h"

namespace wna16::emulator {

ReleasedRef joinReleased(const ReleasedRef &a, const ReleasedRef &b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  auto joined = std::make_shared<Released>(*b);
  joined->scope = std::min(a->scope, b->scope);
  joined->times = joinForeign(a->times, b->times);
  return joined;
}

ReleasedRef snapshot(Warp &warp, uint32_t mask, Scope scope) {
  Cluster &cluster = warp.block.cluster;
  View view;
  cluster.clock.release(warp.clock, mask, warp.lanes.alive(), view);
  // One lane speaks for its warp.
  view.known.raise(warp.clock.id, cluster.clock.now());
  auto times = std::make_shared<Foreign>();
  if (view.foreign)
    *times = *view.foreign;
  (*times)[uint32_t(cluster.number)].join(view.known);
  auto released = std::make_shared<Released>();
  released->scope = scope;
  released->cluster = cluster.number;
  released->block = warp.block.rank;
  released->times = std::move(times);
  return released;
}

void acquire(Warp &warp, uint32_t mask, const ReleasedRef &released,
             Scope scope) {
  if (!released)
    return;
  Cluster &cluster = warp.block.cluster;
  const Scope needed = released->cluster != cluster.number  ? Scope::Gpu
                       : released->block != warp.block.rank ? Scope::Cluster
                                                            : Scope::Block;
  if (scope < needed || released->scope < needed)
    return;
  View view;
  auto foreign = std::make_shared<Foreign>(*released->times);
  if (auto own = foreign->find(uint32_t(cluster.number));
      own != foreign->end()) {
    view.known = own->second;
    foreign->erase(own);
  }
  if (!foreign->empty())
    view.foreign = std::move(foreign);
  cluster.clock.acquire(warp.clock, mask, warp.lanes.alive(), view);
}

void fence(Warp &warp, uint32_t mask, Scope scope) {
  for (const ReleasedRef &released : warp.order.seen)
    acquire(warp, mask, released, scope);
  warp.order.seen.clear();
  warp.order.fence = snapshot(warp, mask, scope);
}

static uint64_t sharedKey(const Location &location) {
  return uint64_t(location.owner->rank) << 32 | location.address;
}

void strongRead(Warp &warp, const Instr &instr, uint32_t mask,
                const Location &location) {
  Cluster &cluster = warp.block.cluster;
  ReleasedRef released;
  if (!location.owner) {
    released = cluster.launch.globalOrder.at(location.address);
  } else if (auto entry = cluster.releases.find(sharedKey(location));
             entry != cluster.releases.end()) {
    released = entry->second;
  }
  if (!released)
    return;
  if (instr.semantics == Semantics::Acquire ||
      instr.semantics == Semantics::AcquireRelease)
    return acquire(warp, mask, released, instr.scope);
  auto &seen = warp.order.seen;
  if (std::find(seen.begin(), seen.end(), released) == seen.end())
    seen.push_back(released);
}

void strongWrite(Warp &warp, const Instr &instr, uint32_t mask,
                 const Location &location, bool modify) {
  Cluster &cluster = warp.block.cluster;
  ReleasedRef release = warp.order.fence;
  if (instr.semantics == Semantics::Release ||
      instr.semantics == Semantics::AcquireRelease)
    release = snapshot(warp, mask, instr.scope);
  if (!location.owner)
    return cluster.launch.globalOrder.published(location.address, release,
                                                modify);
  if (!release && !modify) {
    cluster.releases.erase(sharedKey(location));
  } else if (release) {
    ReleasedRef &entry = cluster.releases[sharedKey(location)];
    entry = modify ? joinReleased(entry, release) : release;
  }
}

} // namespace wna16::emulator
