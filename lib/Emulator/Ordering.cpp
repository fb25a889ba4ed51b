//===- Ordering.cpp - happens-before inside a cluster ---------------------===//
//
// The rarer operations on clocks: parts of a warp, other clusters.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Ordering.h"

namespace wna16::emulator {

ForeignRef joinForeign(const ForeignRef &a, const ForeignRef &b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  auto joined = std::make_shared<Foreign>(*a);
  for (const auto &[cluster, times] : *b)
    (*joined)[cluster].join(times);
  return joined;
}

void ClusterClock::syncLanes(WarpClock &warp, uint32_t mask, uint32_t alive) {
  if (!warp.touched && !warp.lanes && !warp.some && mask == alive)
    return;
  const uint32_t t = tick();
  if (mask == alive) {
    warp.lanesSynced = t;
    warp.lanes.reset();
    warp.touched = false;
    if (warp.some) {
      warp.view.join(warp.someView);
      warp.some = 0;
    }
    return;
  }
  if (warp.some & mask)
    warp.some |= mask;
  if (!warp.lanes)
    warp.lanes = std::make_unique<std::array<std::array<uint32_t, 32>, 32>>();
  auto &table = *warp.lanes;
  std::array<uint32_t, 32> merged{};
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1)
      for (uint32_t other = 0; other < 32; ++other)
        merged[other] = std::max(merged[other], table[lane][other]);
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1)
      merged[lane] = t;
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1)
      table[lane] = merged;
}

uint32_t ClusterClock::laneAgent(uint32_t warp, uint32_t lane) {
  if (laneAgents.empty())
    laneAgents.assign(size_t(warps) * 32, 0);
  uint16_t &agent = laneAgents[warp * 32 + lane];
  if (!agent)
    agent = uint16_t(addAgent());
  return agent;
}

void ClusterClock::release(WarpClock &warp, uint32_t mask, uint32_t alive,
                           View &joined) {
  const uint32_t t = tick();
  joined.join(warp.view);
  if (mask & warp.some)
    joined.join(warp.someView);
  if (mask == alive)
    return joined.known.raise(warp.id, t);
  joined.known.raise(warp.id, warp.lanesSynced);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    joined.known.raise(laneAgent(warp.id, lane), t);
    for (uint32_t other = 0; warp.lanes && other < 32; ++other)
      if (const uint32_t time = (*warp.lanes)[lane][other])
        joined.known.raise(laneAgent(warp.id, other), time);
  }
}

void ClusterClock::acquire(WarpClock &warp, uint32_t mask, uint32_t alive,
                           const View &joined) {
  if (mask == alive) {
    warp.view.join(joined);
    return;
  }
  if (!warp.some)
    warp.someView.clear();
  warp.some |= mask;
  warp.someView.join(joined);
}

void ClusterClock::fenceProxy(WarpClock &warp, uint32_t mask, uint32_t alive) {
  // The accesses of other lanes that this lane has not seen count as fenced
  // too; using them is a race, which is another report.
  const uint32_t t = tick();
  auto fence = [&](View &view) {
    view.fenced.join(warp.view.known);
    if (mask & warp.some)
      view.fenced.join(warp.someView.known);
    view.fenced.raise(warp.id, t);
  };
  if (mask == alive)
    return fence(warp.view);
  if (!warp.some)
    warp.someView.clear();
  warp.some |= mask;
  fence(warp.someView);
}

} // namespace wna16::emulator
