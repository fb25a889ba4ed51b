//===- Block.cpp - a thread block and what it shares ----------------------===//
//
// Barriers follow the hardware: they count threads in units of warps, a warp
// that has exited no longer counts unless the number was given explicitly.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Block.h"

namespace wna16::emulator {
namespace {
/// Warp instructions a warp executes before another one gets its turn.
constexpr uint64_t roundRobinQuantum = 4096;
/// Idle warp instructions after which a worker looks at other blocks.
constexpr uint64_t spinSlice = 200'000;
} // namespace

Block::Block(Launch &launch, WorkerCounters &counters)
    : launch(launch), counters(counters) {
  for (uint32_t i = 0; i < launch.warps; ++i)
    warps.push_back(std::make_unique<Warp>(*this, launch.program));
}

void Block::start(const Dim3 &blockIndex) {
  index = blockIndex;
  clock = BlockClock();
  shared.reset(launch.sharedBytes);
  barriers = {};
  liveWarps = uint32_t(warps.size());
  nextWarp = 0;
  steps = idleSteps = progress = polls = 0;
  copiesInFlight = 0;
  failed = false;
  const uint64_t linear =
      index[0] + uint64_t(launch.spec.grid[0]) *
                     (index[1] + uint64_t(launch.spec.grid[1]) * index[2]);
  random.seed(launch.options.seed * 0x9e3779b97f4a7c15ull + linear);
  for (uint32_t i = 0; i < warps.size(); ++i)
    warps[i]->start(i);
}

Warp *Block::pickWarp() {
  const size_t count = warps.size();
  const size_t first =
      launch.options.seed ? size_t(random() % count) : nextWarp;
  for (size_t i = 0; i < count; ++i) {
    Warp *warp = warps[(first + i) % count].get();
    if (warp->state == Warp::State::Runnable) {
      nextWarp = (first + i + 1) % count;
      return warp;
    }
  }
  return nullptr;
}

Block::Slice Block::run() {
  uint64_t idleInSlice = 0;
  while (true) {
    if (failed || launch.reporter.full())
      return Slice::Failed;
    Warp *warp = pickWarp();
    if (!warp) {
      if (!liveWarps)
        return Slice::Finished;
      bool waiting = false;
      for (const auto &candidate : warps)
        waiting |= candidate->state == Warp::State::Waiting;
      if (waiting)
        reportDeadlock("every warp waits");
      return Slice::Failed;
    }
    const uint64_t before = progress, pollsBefore = polls;
    const uint64_t executed =
        warp->run(launch.options.seed ? 1 + random() % 200 : roundRobinQuantum);
    steps += executed;
    if (progress != before) {
      idleSteps = idleInSlice = 0;
    } else if (polls != pollsBefore) {
      idleSteps += executed;
      idleInSlice += executed;
    }
    if (steps > launch.options.maxSteps) {
      launch.reporter.add(Check::StepLimit, 0, [&] {
        Report report;
        report.message =
            "the block has executed " + std::to_string(steps) +
            " warp instructions without ending; it may loop for ever, or the "
            "limit is too low";
        report.file = launch.program.module->fileName;
        report.line =
            launch.program.line(warp->lanes.done() ? 0 : warp->lanes.pc());
        report.block = index;
        report.warp = int(warp->id);
        return report;
      });
      return Slice::Failed;
    }
    if (idleInSlice > spinSlice)
      return Slice::Spinning;
  }
}

void Block::reportDeadlock(const std::string &reason) {
  launch.reporter.add(Check::Deadlock, 0, [&] {
    Report report;
    report.file = launch.program.module->fileName;
    report.block = index;
    report.message = "no progress is possible: " + reason;
    for (const auto &warp : warps) {
      report.message += "; warp " + std::to_string(warp->id);
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
  clock.arrive(warp.clock, barrier.joined);
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

void Block::checkBarrier(NamedBarrier &barrier) {
  const uint32_t expected =
      barrier.count ? barrier.count : liveWarps * warpSize;
  if (!barrier.used || barrier.arrived < expected)
    return;
  for (const auto &warp : warps)
    if (barrier.waiting >> warp->id & 1) {
      clock.leave(warp->clock, barrier.joined);
      warp->state = Warp::State::Runnable;
    }
  // Warps that only arrived have not seen the others.
  if (uint32_t(__builtin_popcount(barrier.waiting)) >= liveWarps)
    clock.syncAll();
  barrier = NamedBarrier();
}

void Block::warpExited(Warp &) {
  ++progress;
  --liveWarps;
  for (NamedBarrier &barrier : barriers)
    if (barrier.used && !barrier.count && liveWarps)
      checkBarrier(barrier);
}

} // namespace wna16::emulator
