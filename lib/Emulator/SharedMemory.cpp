//===- SharedMemory.cpp - shared memory of a block and its shadow ---------===//
//
// The checks follow FastTrack: one stamp for the last write, one for the last
// read as long as reads are ordered, more only for bytes read by many. The
// loops remember the last stamp that was fine, since neighbouring bytes almost
// always carry the same one.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/SharedMemory.h"

namespace wna16::emulator {

void SharedMemory::reset(uint32_t size) {
  bytes.assign(size, 0xff); // a NaN pattern: undefined bytes look bad
  state.assign(size, Undefined);
  writer.assign(size, Stamp());
  reader.assign(size, Stamp());
  readTimes.clear();
}

/// The stamp of a byte's readers after one more read by `agent`.
Stamp SharedMemory::mergeReader(const Agent &agent, uint32_t offset,
                                Stamp mine) {
  const Stamp old = reader[offset];
  const uint32_t now = agent.clock.now();
  auto times = [&](uint32_t warp) -> uint32_t & {
    if (readTimes.empty())
      readTimes.assign(size_t(size()) * 32, 0);
    return readTimes[size_t(offset) * 32 + warp];
  };
  // A group of readers is strong only if all of them are.
  const uint64_t strong = old.has(Stamp::Strong) && mine.has(Stamp::Strong)
                              ? uint64_t(Stamp::Strong)
                              : 0;
  auto group = [&](Stamp::Flag kind) -> Stamp {
    return {now, agent.warp.id, agent.lane, agent.pc, kind | strong};
  };
  if (old.has(Stamp::Warps)) {
    if (old.time() < agent.clock.everyone())
      return mine;
    times(agent.warp.id) = now;
    return group(Stamp::Warps);
  }
  if (agent.clock.ordered(old, agent.warp, agent.lane))
    return mine;
  if (old.warp() == agent.warp.id)
    return group(Stamp::Lanes);
  for (uint32_t warp = 0; warp < 32; ++warp)
    times(warp) = 0;
  times(old.warp()) = old.time();
  times(agent.warp.id) = now;
  return group(Stamp::Warps);
}

bool SharedMemory::readsOrdered(const Agent &agent, uint32_t offset) const {
  const Stamp last = reader[offset];
  if (!last.has(Stamp::Warps))
    return agent.clock.ordered(last, agent.warp, agent.lane);
  if (last.time() < agent.clock.everyone())
    return true;
  for (uint32_t warp = 0; warp < 32; ++warp) {
    const uint32_t time = readTimes[size_t(offset) * 32 + warp];
    const uint32_t known =
        warp == agent.warp.id ? agent.warp.lanesSynced : agent.warp.known[warp];
    if (time && time >= known && time >= agent.clock.everyone())
      return false;
  }
  return true;
}

Conflict SharedMemory::read(const Agent &agent, uint32_t offset,
                            uint32_t count) {
  agent.warp.touched = true;
  if (any(offset, count) & InFlight) {
    uint32_t i = offset;
    while (!(state[i] & InFlight))
      ++i;
    return {Conflict::Pending, i, writer[i]};
  }
  Conflict conflict;
  Stamp fine;
  for (uint32_t i = offset; i < offset + count; ++i) {
    const Stamp last = writer[i];
    if (last == fine)
      continue;
    if (agent.clock.ordered(last, agent.warp, agent.lane) ||
        (agent.strong && last.has(Stamp::Strong))) {
      fine = last;
      continue;
    }
    conflict = {Conflict::Write, i, last};
    break;
  }
  const Stamp mine = agent.stamp();
  Stamp before = mine, after = mine;
  for (uint32_t i = offset; i < offset + count; ++i) {
    const Stamp old = reader[i];
    if (old == before && !after.has(Stamp::Warps)) {
      reader[i] = after;
      continue;
    }
    before = old;
    after = mergeReader(agent, i, mine);
    reader[i] = after;
  }
  return conflict;
}

Conflict SharedMemory::checkWrite(const Agent &agent, uint32_t offset,
                                  uint32_t count) {
  agent.warp.touched = true;
  Stamp fineWriter, fineReader;
  for (uint32_t i = offset; i < offset + count; ++i) {
    if (state[i] & InFlight)
      return {Conflict::Pending, i, writer[i]};
    if (const Stamp last = writer[i]; !(last == fineWriter)) {
      // Of lanes that wrote the same value only one is known: not enough for
      // another write to be ordered.
      if (!agent.clock.ordered(last.without(Stamp::Same), agent.warp,
                               agent.lane) &&
          !(agent.strong && last.has(Stamp::Strong)))
        return {Conflict::Write, i, last};
      fineWriter = last;
    }
    if (const Stamp last = reader[i]; !(last == fineReader)) {
      if (!readsOrdered(agent, i) && !(agent.strong && last.has(Stamp::Strong)))
        return {Conflict::Read, i, last};
      if (!last.has(Stamp::Warps))
        fineReader = last;
    }
  }
  return {};
}

Conflict SharedMemory::write(const Agent &agent, uint32_t offset,
                             uint32_t count, bool isDefined) {
  const Conflict conflict = checkWrite(agent, offset, count);
  if (conflict.kind == Conflict::Pending)
    return conflict; // the bytes stay pending
  const Stamp mine = agent.stamp();
  for (uint32_t i = offset; i < offset + count; ++i) {
    state[i] = isDefined ? 0 : Undefined;
    writer[i] = mine;
    reader[i] = Stamp();
  }
  return conflict;
}

Conflict SharedMemory::beginCopy(const Agent &agent, uint32_t offset,
                                 uint32_t count) {
  const Conflict conflict = checkWrite(agent, offset, count);
  const Stamp mine = agent.stamp(Stamp::Async);
  for (uint32_t i = offset; i < offset + count; ++i) {
    state[i] |= InFlight;
    writer[i] = mine;
    reader[i] = Stamp();
  }
  return conflict;
}

void SharedMemory::endCopy(const Agent &agent, uint32_t offset, uint32_t count,
                           const uint8_t *sourceUndefined,
                           uint32_t sourceCount) {
  agent.warp.touched = true;
  const Stamp mine = agent.stamp(Stamp::Async);
  for (uint32_t i = 0; i < count; ++i) {
    state[offset + i] =
        sourceUndefined && i < sourceCount ? sourceUndefined[i] & Undefined : 0;
    writer[offset + i] = mine;
  }
}

} // namespace wna16::emulator
