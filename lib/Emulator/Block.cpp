//===- Block.cpp - a thread block and what it shares ----------------------===//
//
// Barriers follow the hardware: they count threads in units of warps, a warp
// that has exited no longer counts unless the number was given explicitly.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Block.h"

#include "lib/Emulator/OrderCheck.h"

namespace wna16::emulator {

Block::Block(Cluster &cluster, uint32_t rank)
    : cluster(cluster), launch(cluster.launch), counters(cluster.counters),
      rank(rank), clock(cluster.clock), random(cluster.random),
      copiesInFlight(cluster.copiesInFlight), progress(cluster.progress),
      polls(cluster.polls), ticks(cluster.ticks), failed(cluster.failed) {
  for (uint32_t i = 0; i < launch.warps; ++i)
    warps.push_back(std::make_unique<Warp>(*this, launch.program));
}

void Block::start(const Dim3 &blockIndex) {
  index = blockIndex;
  shared.reset(launch.sharedBytes);
  if (launch.orderCheck)
    taint = launch.orderCheck->startBlock(launch.warps, launch.sharedBytes);
  barriers = {};
  liveWarps = uint32_t(warps.size());
  mbarrierTable.clear();
  remoteAccesses.clear();
  exitView.clear();
  warpgroups.assign((warps.size() + warpgroupWarps - 1) / warpgroupWarps, {});
  for (uint32_t i = 0; i < warps.size(); ++i)
    warps[i]->start(i);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static std::string describeBarrierWait(const Warp &warp) {
  return "barrier " + std::to_string(warp.waitBarrier);
}

Step Block::arriveAtBarrier(Warp &warp, const Instr &instr, uint32_t number,
                            uint32_t count, bool wait) {
  NamedBarrier &barrier = barriers[number];
  ++progress;
  const unsigned line = launch.program.source(instr).line;
  if (barrier.used && barrier.count != count) {
    warp.report(Check::Barrier, instr, -1, [&] {
      auto text = [](uint32_t n) {
        return n ? std::to_string(n) + " threads" : std::string("all threads");
      };
      return "barrier " + std::to_string(number) + " is used with " +
             text(count) + " here and with " + text(barrier.count) +
             " at line " + std::to_string(barrier.line);
    });
  } else if (!barrier.used) {
    barrier.used = true;
    barrier.count = count;
    barrier.line = line;
  }
  barrier.arrived += warpSize;
  endLoads(warp, fullMask);
  clock.release(warp.clock, warp.lanes.alive(), warp.lanes.alive(),
                barrier.joined);
  warp.syncLanes(warp.lanes.alive());
  if (wait) {
    barrier.waiting |= 1u << warp.id;
    warp.state = Warp::State::Waiting;
    warp.describeWait = describeBarrierWait;
    warp.waitBarrier = number;
    warp.waitLine = line;
  }
  checkBarrier(barrier);
  return Step::Wait; // a completed barrier has made the warp runnable again
}

void Block::voteAtBarrier(uint32_t number, uint32_t votes, uint32_t voters,
                          bool known) {
  NamedBarrier &barrier = barriers[number];
  barrier.votes += votes;
  barrier.voters += voters;
  barrier.votesKnown &= known;
}

void Block::checkBarrier(NamedBarrier &barrier) {
  const uint32_t expected =
      barrier.count ? barrier.count : liveWarps * warpSize;
  if (!barrier.used || barrier.arrived < expected)
    return;
  // Exits count as arrivals only where nobody else has counted.
  const bool complete = liveWarps == warps.size();
  if (!barrier.count && !complete)
    barrier.joined.join(exitView);
  for (const auto &warp : warps)
    if (barrier.waiting >> warp->id & 1) {
      clock.acquire(warp->clock, warp->lanes.alive(), warp->lanes.alive(),
                    barrier.joined);
      warp->state = Warp::State::Runnable;
      if (warp->voting)
        writeVote(*warp, barrier);
    }
  // Warps that only arrived have not seen the others.
  if (cluster.blocks.size() == 1 && complete &&
      uint32_t(__builtin_popcount(barrier.waiting)) >= liveWarps)
    clock.syncAll();
  barrier = NamedBarrier();
}

void Block::warpExited(Warp &warp) {
  ++progress;
  --liveWarps;
  warp.clock.view.join(warp.clock.someView);
  clock.release(warp.clock, 0, 0, exitView);
  for (NamedBarrier &barrier : barriers)
    if (barrier.used && !barrier.count && liveWarps)
      checkBarrier(barrier);
  cluster.warpExited(warp);
  if (ended())
    checkEnd();
}

//===----------------------------------------------------------------------===//
// mbarriers and other blocks
//===----------------------------------------------------------------------===//

Mbarrier *Block::findMbarrier(uint32_t offset) {
  auto entry = mbarrierTable.find(offset);
  return entry == mbarrierTable.end() ? nullptr : entry->second.get();
}

Mbarrier &Block::addMbarrier(uint32_t offset) {
  std::unique_ptr<Mbarrier> &entry = mbarrierTable[offset];
  entry = std::make_unique<Mbarrier>();
  entry->block = this;
  entry->offset = offset;
  entry->agent = clock.addAgent();
  entry->seen.assign(clock.numWarps(), 0);
  return *entry;
}

void Block::removeMbarrier(uint32_t offset) { mbarrierTable.erase(offset); }

void Block::touchedFrom(const Warp &warp, uint32_t lane, uint32_t pc) {
  if (remoteAccesses.empty())
    remoteAccesses.resize(clock.numWarps());
  remoteAccesses[warp.clock.id] =
      Stamp(clock.now(), warp.clock.id, lane, pc, 0);
}

/// What others do to this block's shared memory must happen before it ends.
void Block::checkEnd() {
  WarpClock last;
  last.id = ~0u; // none of the warps
  last.view = exitView;
  for (Stamp access : remoteAccesses)
    if (clock.exact() && !clock.ordered(access, last, 0))
      cluster.report(Check::Cluster, *this, access.pc(),
                     cluster.agentName(access.agent()) +
                         " accesses the shared memory of block rank " +
                         std::to_string(rank) +
                         ", which may have exited by then; that block must "
                         "wait for it, for instance by barrier.cluster before "
                         "its exit");
  for (const auto &[offset, mbarrier] : mbarrierTable)
    if (clock.exact() && !mbarrier->lastLanding.none() &&
        !clock.ordered(mbarrier->lastLanding, last, 0))
      cluster.report(Check::Async, *this, mbarrier->lastLanding.pc(),
                     "the block ends without having waited for this copy into "
                     "its shared memory, which signals the mbarrier at shared "
                     "byte " +
                         std::to_string(offset) +
                         "; the memory may belong to another block when the "
                         "copy arrives");
  cluster.async.blockEnded(*this);
}

} // namespace wna16::emulator
