//===- RingOrder.cpp - roles that wait for each other ---------------------===//

#include "lib/Analysis/RingOrder.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

static int64_t stagesOf(Value ring) {
  return cast<RingType>(ring.getType()).getStages();
}

bool RingOrder::advance(Recorded &agent) {
  if (agent.next == agent.events.size())
    return false;
  auto [op, ring, step] = agent.events[agent.next];
  if (isa<AcquireOp>(op)) {
    int64_t before = step - stagesOf(ring);
    if (before >= 0 && !released.contains({ring, before}))
      return false;
  } else if (isa<WaitOp>(op)) {
    if (!committed.contains({ring, step}))
      return false;
  } else if (isa<CommitOp>(op)) {
    committed.insert({ring, step});
  } else {
    released.insert({ring, step});
  }
  ++agent.next;
  return true;
}

LogicalResult RingOrder::check() {
  bool moved = true;
  while (moved) {
    moved = false;
    for (Recorded &agent : agents)
      while (advance(agent))
        moved = true;
  }
  for (Recorded &agent : agents) {
    if (agent.next == agent.events.size())
      continue;
    auto [op, ring, step] = agent.events[agent.next];
    bool fills = isa<AcquireOp>(op);
    return op->emitOpError("step ")
           << step << ": waits for ever, because step "
           << (fills ? step - stagesOf(ring) : step) << " is never "
           << (fills ? "released" : "committed") << " [RING-V10]";
  }
  return success();
}
