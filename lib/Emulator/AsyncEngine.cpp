//===- AsyncEngine.cpp - asynchronous operations in flight ----------------===//
//
// Issue, landing and end of an operation. Between issue and landing the bytes
// of the destination are pending and those of the source locked; what an
// operation for an mbarrier brought belongs to that mbarrier from then on, what
// one of a bulk group did to the lane that has waited.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/AsyncEngine.h"

#include "lib/Emulator/Block.h"
#include "lib/Emulator/GlobalOrder.h"
#include "lib/Emulator/MemoryAccess.h"
#include "lib/Emulator/OrderCheck.h"

namespace wna16::emulator {

/// One lane speaks for an operation that reads.
static SharedMemory::Agent readerOf(Warp &warp, const Instr &instr,
                                    uint32_t lane) {
  SharedMemory::Agent agent = sharedAgent(warp, instr, lane);
  agent.alone = true;
  return agent;
}

void AsyncEngine::issue(const Instr &instr, AsyncOperation operation) {
  Warp &warp = *operation.warp;
  const unsigned lane = operation.lane;
  // Each element of a reduction is a relaxed atomic operation.
  const auto agent =
      sharedAgent(warp, instr, lane, operation.combine != nullptr);
  if (cluster.launch.orderCheck)
    cluster.launch.orderCheck->issued(instr, operation);
  if (cluster.launch.options.counters)
    cluster.counters.countOperation(operation);
  for (const AsyncRun &run : operation.runs) {
    const uint32_t bytes = run.bytes;
    if (run.from.block)
      reportConflict(warp, instr, lane, *run.from.block,
                     run.from.block->shared.beginRead(
                         agent, uint32_t(run.from.offset), bytes),
                     false);
    if (run.from.buffer)
      checkGlobal(warp, instr, lane, *run.from.buffer, run.from.offset, bytes,
                  AccessKind::AsyncRead);
    if (run.to.block)
      reportConflict(warp, instr, lane, *run.to.block,
                     run.to.block->shared.beginCopy(agent,
                                                    uint32_t(run.to.offset),
                                                    bytes, operation.proxy),
                     true);
    if (run.to.buffer)
      checkGlobal(warp, instr, lane, *run.to.buffer, run.to.offset, bytes,
                  operation.combine ? AccessKind::AsyncReduce
                                    : AccessKind::AsyncWrite);
  }
  if (operation.mbarrier) {
    operation.phase = operation.mbarrier->phase;
    ++operation.mbarrier->inFlight[operation.phase & 1];
  }
  ++cluster.progress;
  ++inFlight;
  operations.push_back(std::move(operation));
  const Completion completion = cluster.launch.options.completion;
  if (completion == Completion::Early) {
    land(operations.back());
    if (operations.back().mbarrier)
      operations.pop_back();
  }
}

static const uint8_t *sourceState(const AsyncRun &run) {
  if (run.from.block)
    return run.from.block->shared.undefined(uint32_t(run.from.offset));
  if (run.from.buffer && !run.from.buffer->undefined.empty())
    return run.from.buffer->undefined.data() + run.from.offset;
  return nullptr;
}

/// Calls `f(place, index, bytes)` for the pieces of a run: `place` counts in
/// shared memory, `index` in the order of the operation.
template <typename F> static void forPieces(const AsyncRun &run, F &&f) {
  constexpr uint32_t piece = 16;
  if (!run.chunkXor)
    return f(0, 0, run.bytes);
  for (uint32_t i = 0; i < run.bytes / piece; ++i)
    f((i ^ run.chunkXor) * piece, i * piece, piece);
}

/// The source of a run in memory; null if the operation carries its bytes.
static const uint8_t *sourceBytes(const AsyncRun &run) {
  if (run.from.block)
    return run.from.block->shared.data(uint32_t(run.from.offset));
  return run.from.buffer ? run.from.buffer->bytes.data() + run.from.offset
                         : nullptr;
}

/// Moves the bytes of the sources into the operation: they may change now.
void AsyncEngine::readSources(AsyncOperation &operation) {
  if (operation.sourcesRead)
    return;
  operation.sourcesRead = true;
  for (AsyncRun &run : operation.runs) {
    const uint8_t *from = sourceBytes(run);
    if (!from)
      continue;
    run.carried = uint32_t(operation.carried.size());
    operation.carried.resize(run.carried + run.bytes);
    forPieces(run, [&](uint32_t place, uint32_t index, uint32_t bytes) {
      std::memcpy(operation.carried.data() + run.carried + index,
                  from + (run.from.block ? place : index), bytes);
    });
  }
}

void AsyncEngine::land(AsyncOperation &operation) {
  if (operation.landed)
    return;
  operation.landed = true;
  --inFlight;
  Mbarrier *mbarrier = operation.mbarrier;
  Warp &warp = *operation.warp;
  const Instr &instr = cluster.launch.program.instrs[operation.pc];
  for (const AsyncRun &run : operation.runs) {
    uint8_t *to = run.to.block
                      ? run.to.block->shared.data(uint32_t(run.to.offset))
                      : run.to.buffer->bytes.data() + run.to.offset;
    const uint8_t *from = operation.sourcesRead ? nullptr : sourceBytes(run);
    if (run.fill)
      for (uint32_t i = 0; i < run.bytes; ++i)
        to[i] = uint8_t(operation.fill >> (i % 8 * 8));
    else
      forPieces(run, [&](uint32_t place, uint32_t index, uint32_t bytes) {
        const uint8_t *piece =
            from ? from + (run.from.block ? place : index)
                 : operation.carried.data() + run.carried + index;
        uint8_t *target = to + (run.to.block ? place : index);
        if (operation.combine)
          operation.combine(target, piece, bytes);
        else
          std::memmove(target, piece, bytes);
        if (operation.convert)
          operation.convert(target, bytes);
      });
    if (run.to.block) {
      const uint32_t agent = mbarrier ? mbarrier->agent : warp.clock.id;
      const Stamp stamp(
          cluster.clock.now(), agent, operation.lane, operation.pc,
          Stamp::Async | (operation.proxy ? uint64_t(Stamp::Proxy) : 0) |
              (operation.combine ? uint64_t(Stamp::Strong) : 0));
      const uint8_t *state = sourceState(run);
      forPieces(run, [&](uint32_t place, uint32_t index, uint32_t bytes) {
        run.to.block->shared.endCopy(stamp, uint32_t(run.to.offset) + place,
                                     bytes, state ? state + index : nullptr,
                                     run.fill ? 0 : bytes);
      });
      if (operation.combine)
        keepPending(run);
    } else if (!run.to.buffer->undefined.empty()) {
      std::memset(run.to.buffer->undefined.data() + run.to.offset, 0,
                  run.bytes);
    }
    if (run.from.block && mbarrier)
      run.from.block->shared.endRead(readerOf(warp, instr, operation.lane),
                                     uint32_t(run.from.offset), run.bytes);
  }
  operation.sourcesRead = true;
  ++cluster.progress;
  if (!mbarrier)
    return;
  --mbarrier->inFlight[operation.phase & 1];
  mbarrier->lastLanding = Stamp(cluster.clock.now(), mbarrier->agent,
                                operation.lane, operation.pc, Stamp::Async);
  if (operation.onLanding) {
    operation.onLanding();
    return;
  }
  expectBytes(*mbarrier, cluster, -int64_t(operation.signalBytes));
  advance(*mbarrier, cluster);
}

void AsyncEngine::keepPending(const AsyncRun &landed) {
  for (const AsyncOperation &other : operations) {
    if (other.landed || !other.combine)
      continue;
    for (const AsyncRun &run : other.runs) {
      const uint64_t begin = std::max(run.to.offset, landed.to.offset);
      const uint64_t end =
          std::min(run.to.offset + run.bytes, landed.to.offset + landed.bytes);
      if (run.to.block == landed.to.block && begin < end)
        run.to.block->shared.stayPending(uint32_t(begin),
                                         uint32_t(end - begin));
    }
  }
}

size_t AsyncEngine::firstArrival(const Warp &warp) const {
  size_t i = 0;
  while (!operations[i].onLanding || operations[i].warp != &warp)
    ++i;
  return i;
}

bool AsyncEngine::landOne() {
  if (!inFlight)
    return false;
  const bool randomly = cluster.launch.options.completion == Completion::Random;
  uint64_t skip = randomly ? cluster.random() % inFlight : 0;
  for (size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].landed || skip--)
      continue;
    // An arrival follows all copies of its lanes, and so all arrivals that
    // follow fewer of them.
    if (operations[i].onLanding)
      i = firstArrival(*operations[i].warp);
    land(operations[i]);
    if (operations[i].mbarrier)
      remove(i);
    return true;
  }
  return false;
}

void AsyncEngine::landArrivals(const Warp &warp) {
  for (size_t i = 0; i < operations.size();) {
    if (!operations[i].onLanding || operations[i].warp != &warp) {
      ++i;
      continue;
    }
    land(operations[i]);
    remove(i);
  }
}

void AsyncEngine::remove(size_t index) {
  operations.erase(operations.begin() + long(index));
}

void AsyncEngine::waitGroups(Warp &warp, uint32_t lane, uint32_t groups,
                             bool readOnly) {
  for (size_t i = 0; i < operations.size();) {
    AsyncOperation &operation = operations[i];
    if (operation.mbarrier || operation.warp != &warp ||
        operation.lane != lane || operation.group >= groups) {
      ++i;
      continue;
    }
    const Instr &instr = cluster.launch.program.instrs[operation.pc];
    readSources(operation);
    for (AsyncRun &run : operation.runs)
      if (run.from.block) {
        run.from.block->shared.endRead(readerOf(warp, instr, lane),
                                       uint32_t(run.from.offset), run.bytes);
        run.from.block = nullptr; // its bytes are carried now
      }
    if (readOnly) {
      ++i;
      continue;
    }
    land(operation);
    for (const AsyncRun &run : operation.runs)
      if (run.to.buffer)
        cluster.launch.globalOrder.finishWrite(
            warp, lane, operation.pc, *run.to.buffer, run.to.offset, run.bytes,
            operation.combine ? uint64_t(Stamp::Strong) : 0);
    remove(i);
  }
}

const AsyncOperation *AsyncEngine::findGlobal(const Buffer &buffer,
                                              uint64_t offset, uint32_t bytes,
                                              bool writes) const {
  for (const AsyncOperation &operation : operations)
    for (const AsyncRun &run : operation.runs) {
      const AsyncRun::Side &side = writes ? run.to : run.from;
      if (side.buffer == &buffer && offset < side.offset + run.bytes &&
          side.offset < offset + bytes && (writes || !operation.sourcesRead))
        return &operation;
    }
  return nullptr;
}

const AsyncOperation *AsyncEngine::findReader(const Block &block,
                                              uint32_t offset) const {
  for (const AsyncOperation &operation : operations)
    for (const AsyncRun &run : operation.runs)
      if (run.from.block == &block && offset >= run.from.offset &&
          offset < run.from.offset + run.bytes)
        return &operation;
  return nullptr;
}

void AsyncEngine::blockEnded(Block &block) {
  for (size_t i = 0; i < operations.size();) {
    AsyncOperation &operation = operations[i];
    const bool own = &operation.warp->block == &block;
    bool into = false, from = false;
    for (const AsyncRun &run : operation.runs) {
      into |= run.to.block == &block;
      from |= run.from.block == &block;
    }
    if (!own && !into && !from) {
      ++i;
      continue;
    }
    if (into && !operation.landed)
      cluster.report(Check::Async, block, operation.pc,
                     "the block ends while this copy into its shared memory is "
                     "in flight: nobody waits for it, and the memory may "
                     "belong to another block when it arrives");
    if (from)
      cluster.report(Check::Async, block, operation.pc,
                     "the block ends while this operation reads its shared "
                     "memory; wait for its bulk group (.read is enough) first");
    land(operation);
    remove(i);
  }
}

} // namespace wna16::emulator
