//===- Mbarrier.cpp - mbarrier objects ------------------------------------===//
//
// Phases: how arrivals and bytes end them, and what each end makes known.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Mbarrier.h"

#include "lib/Emulator/Block.h"

namespace wna16::emulator {

std::string Mbarrier::describe() const {
  std::string out = "the mbarrier at shared byte " + std::to_string(offset);
  if (block && block->cluster.blocks.size() > 1)
    out += " of block rank " + std::to_string(block->rank);
  out += " (phase " + std::to_string(phase) + ": " + std::to_string(pending) +
         " of " + std::to_string(expected) + " arrivals";
  if (bytes > 0)
    out += " and " + std::to_string(bytes) + " bytes";
  if (bytes < 0)
    out += ", and " + std::to_string(-bytes) + " bytes too many";
  return out + " missing)";
}

void advance(Mbarrier &mbarrier, Cluster &cluster) {
  if (mbarrier.pending || mbarrier.bytes > 0)
    return;
  const Block &block = *mbarrier.block;
  auto line = [&](uint32_t pc) {
    return std::to_string(cluster.launch.program.line(pc));
  };
  if (mbarrier.bytes < 0) {
    cluster.report(Check::Mbarrier, block, mbarrier.expectPc, [&] {
      return "the copies of this phase bring " +
             std::to_string(-mbarrier.bytes) +
             " bytes more than were expected: " + mbarrier.describe() +
             "; expect as many bytes as the copies of the phase have";
    }());
    mbarrier.bytes = 0;
  } else if (mbarrier.inFlight[mbarrier.phase & 1]) {
    cluster.report(
        Check::Mbarrier, block, mbarrier.expectPc,
        mbarrier.describe() + " completes its phase while " +
            std::to_string(mbarrier.inFlight[mbarrier.phase & 1]) +
            " copies of it are in flight: fewer bytes were expected than the "
            "copies bring, or the last arrival (line " +
            line(mbarrier.arrivePc) + ") came before expect_tx");
  }
  const uint32_t now = cluster.clock.tick();
  mbarrier.endedAt[mbarrier.phase & 1] = now;
  ++mbarrier.phase;
  ++cluster.progress;
  mbarrier.pending = mbarrier.expected;
  mbarrier.completed.join(mbarrier.arriving);
  mbarrier.arriving.clear();
  mbarrier.completed.known.raise(mbarrier.agent, now);
  for (const auto &other : cluster.blocks)
    for (const auto &warp : other->warps)
      if (warp->state == Warp::State::Waiting &&
          warp->waitMbarrier == &mbarrier) {
        warp->state = Warp::State::Runnable;
        warp->waitMbarrier = nullptr;
      }
}

void arriveOn(Mbarrier &mbarrier, Warp &warp, const Instr &instr, uint32_t mask,
              uint32_t count, bool release) {
  Cluster &cluster = warp.block.cluster;
  ++cluster.progress;
  const uint32_t arrivals = count * unsigned(__builtin_popcount(mask));
  if (arrivals > mbarrier.pending) {
    warp.report(Check::Mbarrier, instr, int(firstLane(mask)), [&] {
      return std::to_string(arrivals) + " arrivals on " + mbarrier.describe() +
             "; it was initialised for " + std::to_string(mbarrier.expected) +
             " arrivals a phase, count who arrives";
    });
    return;
  }
  mbarrier.pending -= arrivals;
  mbarrier.arrivePc = warp.pc(instr);
  if (release) {
    publishLoads(warp, firstLane(mask));
    cluster.clock.release(warp.clock, mask, warp.lanes.alive(),
                          mbarrier.arriving);
  }
  advance(mbarrier, cluster);
}

void arriveOn(Mbarrier &mbarrier, Cluster &cluster, uint32_t pc) {
  ++cluster.progress;
  if (!mbarrier.pending) {
    cluster.report(Check::Mbarrier, *mbarrier.block, pc,
                   "an arrival on " + mbarrier.describe() +
                       "; it was initialised for " +
                       std::to_string(mbarrier.expected) +
                       " arrivals a phase, count who arrives");
    return;
  }
  --mbarrier.pending;
  mbarrier.arrivePc = pc;
  advance(mbarrier, cluster);
}

void expectBytes(Mbarrier &mbarrier, Cluster &cluster, int64_t bytes) {
  ++cluster.progress;
  mbarrier.bytes += bytes;
  if (std::abs(mbarrier.bytes) > int64_t(Mbarrier::maxCount))
    cluster.report(Check::Mbarrier, *mbarrier.block, mbarrier.expectPc,
                   mbarrier.describe() + ": more than " +
                       std::to_string(Mbarrier::maxCount) +
                       " bytes in one phase");
}

void observe(Mbarrier &mbarrier, Warp &warp, const Instr &instr, uint32_t mask,
             bool acquire) {
  Cluster &cluster = warp.block.cluster;
  // Parity tells the awaited phase from the one before it only if the waiter
  // knows that that one is over: by its own wait, or from somebody who waited.
  uint32_t &seen = mbarrier.seen[warp.clock.id];
  const unsigned lane = firstLane(mask);
  if (mbarrier.phase > seen + 1 &&
      cluster.clock.known(warp.clock, lane, mbarrier.agent) <
          mbarrier.endedAt[mbarrier.phase & 1])
    warp.report(Check::Mbarrier, instr, int(lane), [&] {
      return "this wait comes " + std::to_string(mbarrier.phase - seen) +
             " phases after the last one of this warp on the mbarrier at "
             "shared byte " +
             std::to_string(mbarrier.offset) +
             ": a phase in between passed unseen, so its parity may be taken "
             "for that of an earlier one; wait for every phase, or let the "
             "arrivals of the next phase depend on this wait";
    });
  seen = mbarrier.phase;
  if (acquire)
    cluster.clock.acquire(warp.clock, mask, warp.lanes.alive(),
                          mbarrier.completed);
}

} // namespace wna16::emulator
