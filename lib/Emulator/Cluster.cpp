//===- Cluster.cpp - blocks that run together -----------------------------===//
//
// The scheduler, the barrier of the cluster, and the report of a deadlock.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Cluster.h"

#include "lib/Emulator/Block.h"

namespace wna16::emulator {
namespace {
/// Warp instructions a warp executes before another one gets its turn.
constexpr uint64_t roundRobinQuantum = 4096;
/// Idle warp instructions after which a worker looks at other clusters.
constexpr uint64_t spinSlice = 200'000;
/// With random completion, one step in so many lets an operation land.
constexpr unsigned landingOneIn = 4;
} // namespace

Cluster::Cluster(Launch &launch, WorkerCounters &counters)
    : launch(launch), counters(counters), async(*this) {
  for (uint32_t rank = 0; rank < launch.clusterBlocks; ++rank) {
    blocks.push_back(std::make_unique<Block>(*this, rank));
    for (const auto &warp : blocks.back()->warps)
      warps.push_back(warp.get());
  }
}

Cluster::~Cluster() = default;

void Cluster::start(uint64_t linear) {
  number = linear;
  clock = ClusterClock(uint32_t(warps.size()));
  async.reset();
  releases.clear();
  swizzles.clear();
  liveWarps = uint32_t(warps.size());
  nextWarp = 0;
  steps = idleSteps = progress = polls = 0;
  copiesInFlight = arrivedWarps = barrierPhase = 0;
  joined.clear();
  released.clear();
  failed = false;
  random.seed(launch.options.seed * 0x9e3779b97f4a7c15ull + linear);
  const Dim3 &grid = launch.spec.grid, &size = launch.spec.cluster;
  const uint64_t x = grid[0] / size[0], y = grid[1] / size[1];
  const Dim3 origin{uint32_t(linear % x) * size[0],
                    uint32_t(linear / x % y) * size[1],
                    uint32_t(linear / x / y) * size[2]};
  for (uint32_t rank = 0; rank < blocks.size(); ++rank)
    blocks[rank]->start({origin[0] + rank % size[0],
                         origin[1] + rank / size[0] % size[1],
                         origin[2] + rank / size[0] / size[1]});
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

Warp *Cluster::pickWarp() {
  const size_t count = warps.size();
  const size_t first =
      launch.options.seed ? size_t(random() % count) : nextWarp;
  for (size_t i = 0; i < count; ++i) {
    Warp *warp = warps[(first + i) % count];
    if (warp->state == Warp::State::Runnable) {
      nextWarp = (first + i + 1) % count;
      return warp;
    }
  }
  return nullptr;
}

Cluster::Slice Cluster::run() {
  const Options &options = launch.options;
  uint64_t idleInSlice = 0;
  while (true) {
    if (failed || launch.reporter.full())
      return Slice::Failed;
    if (options.completion == Completion::Random && !async.idle() &&
        chance(landingOneIn))
      async.landOne();
    Warp *warp = pickWarp();
    if (!warp) {
      if (!liveWarps)
        return Slice::Finished;
      if (async.landOne())
        continue;
      reportDeadlock("every warp waits");
      return Slice::Failed;
    }
    const uint64_t before = progress, pollsBefore = polls;
    const uint64_t executed =
        warp->run(options.seed ? 1 + random() % 200 : roundRobinQuantum);
    steps += executed;
    if (progress != before) {
      idleSteps = idleInSlice = 0;
    } else if (polls != pollsBefore) {
      idleSteps += executed;
      idleInSlice += executed;
      // Whoever polls may wait for an operation in flight.
      if (idleInSlice > 64 * warps.size() && async.landOne())
        idleInSlice = 0;
    }
    if (steps > options.maxSteps) {
      report(Check::StepLimit, warp->block,
             warp->lanes.done() ? 0 : warp->lanes.pc(),
             "the block has executed " + std::to_string(steps) +
                 " warp instructions without ending; it may loop for ever, or "
                 "the limit is too low");
      return Slice::Failed;
    }
    if (idleInSlice > spinSlice)
      return Slice::Spinning;
  }
}

void Cluster::warpExited(Warp &warp) {
  --liveWarps;
  if (warp.clusterArrived)
    --arrivedWarps; // it has arrived and no longer counts
  checkBarrier();
}

//===----------------------------------------------------------------------===//
// The barrier of the cluster
//===----------------------------------------------------------------------===//

Step Cluster::arrive(Warp &warp, const Instr &instr, uint32_t mask,
                     bool release) {
  ++progress;
  if (warp.clusterArrived & mask) {
    warp.report(Check::Cluster, instr,
                int(firstLane(warp.clusterArrived & mask)),
                "a second arrival at the barrier of the cluster; "
                "barrier.cluster.wait comes between two arrivals");
    return Step::Stop;
  }
  for (const auto &block : blocks)
    for (const auto &[offset, mbarrier] : block->mbarriers())
      if (mbarrier->fenced && mbarrier->publishedIn == ~0u &&
          mbarrier->init.agent() == warp.clock.id)
        mbarrier->publishedIn = barrierPhase;
  endLoads(warp, mask);
  if (release)
    clock.release(warp.clock, mask, warp.lanes.alive(), joined);
  warp.clusterArrived |= mask;
  if (!(warp.lanes.alive() & ~warp.clusterArrived)) {
    ++arrivedWarps;
    checkBarrier();
  }
  return Step::Next;
}

void Cluster::checkBarrier() {
  if (!arrivedWarps || arrivedWarps < liveWarps)
    return;
  arrivedWarps = 0;
  ++barrierPhase;
  released = joined;
  joined.clear();
  for (Warp *warp : warps) {
    warp->clusterArrived = 0;
    if (warp->state == Warp::State::Waiting && warp->waitsForCluster)
      warp->state = Warp::State::Runnable;
  }
}

static std::string describeClusterWait(const Warp &) {
  return "the barrier of the cluster";
}

Step Cluster::wait(Warp &warp, const Instr &instr, uint32_t mask,
                   bool acquire) {
  if (warp.clusterPhases == barrierPhase) {
    // The phase that this warp has arrived in is not over.
    if (mask & ~warp.clusterArrived) {
      warp.report(Check::Cluster, instr,
                  int(firstLane(mask & ~warp.clusterArrived)),
                  "barrier.cluster.wait without an arrival before it");
      return Step::Stop;
    }
    warp.state = Warp::State::Waiting;
    warp.waitsForCluster = true;
    warp.describeWait = describeClusterWait;
    warp.waitLine = warp.program.source(instr).line;
    return Step::Retry;
  }
  warp.waitsForCluster = false;
  warp.clusterPhases = barrierPhase;
  if (acquire)
    clock.acquire(warp.clock, mask, warp.lanes.alive(), released);
  ++progress;
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

const Mbarrier *Cluster::mbarrierOf(uint32_t agent) const {
  if (agent < warps.size())
    return nullptr;
  for (const auto &block : blocks)
    for (const auto &[offset, mbarrier] : block->mbarriers())
      if (mbarrier->agent == agent)
        return mbarrier.get();
  return nullptr;
}

std::string Cluster::agentName(uint32_t agent) const {
  if (agent < warps.size()) {
    const uint32_t perBlock = launch.warps;
    return (blocks.size() > 1
                ? "block rank " + std::to_string(agent / perBlock) + " "
                : "") +
           "warp " + std::to_string(agent % perBlock);
  }
  const Mbarrier *mbarrier = mbarrierOf(agent);
  return mbarrier ? "a copy for " + mbarrier->describe()
                  : std::string("a copy");
}

void Cluster::report(Check check, const Block &block, uint32_t pc,
                     const std::string &message) {
  launch.reporter.add(check, pc, number, [&] {
    Report report = placeOf(launch.program, pc);
    report.message = message;
    report.block = block.index;
    return report;
  });
}

void Cluster::reportDeadlock(const std::string &reason) {
  // An mbarrier that only bytes are missing from tells more than who waits.
  for (Warp *warp : warps)
    if (const Mbarrier *mbarrier = warp->waitMbarrier;
        mbarrier && warp->state == Warp::State::Waiting && !mbarrier->pending &&
        mbarrier->bytes > 0)
      report(Check::Mbarrier, *mbarrier->block, mbarrier->expectPc,
             mbarrier->describe() +
                 ": more bytes were expected than its copies bring; expect as "
                 "many bytes as the copies of the phase have");
  launch.reporter.add(Check::Deadlock, 0, number, [&] {
    Report report;
    report.file = launch.program.module->fileName;
    report.block = blocks[0]->index;
    report.message = "no progress is possible: " + reason;
    for (Warp *warp : warps) {
      report.message += "; " + agentName(warp->clock.id);
      if (warp->state == Warp::State::Done) {
        report.message += " has exited";
        continue;
      }
      if (warp->state == Warp::State::Waiting) {
        if (!report.line)
          report.line = warp->waitLine;
        report.message += " waits for " + warp->describeWait(*warp) +
                          " at line " + std::to_string(warp->waitLine);
        continue;
      }
      const unsigned line = launch.program.line(warp->lanes.pc());
      if (!report.line)
        report.line = line;
      report.message += " spins at line " + std::to_string(line);
    }
    return report;
  });
}

} // namespace wna16::emulator
