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
  asyncReaders.clear();
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

/// The stamp of a byte's readers after one more read by `agent`.
Stamp SharedMemory::mergeReader(const Agent &agent, uint32_t offset,
                                Stamp mine) {
  const Stamp old = reader[offset];
  const uint32_t now = agent.clock.now(), warps = agent.clock.numWarps();
  auto times = [&](uint32_t warp) -> uint32_t & {
    if (readTimes.size() < size_t(size()) * warps)
      readTimes.resize(size_t(size()) * warps);
    return readTimes[size_t(offset) * warps + warp];
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
  if (old.agent() == agent.warp.id)
    return group(Stamp::Lanes);
  for (uint32_t warp = 0; warp < warps; ++warp)
    times(warp) = 0;
  times(old.agent()) = old.time();
  times(agent.warp.id) = now;
  return group(Stamp::Warps);
}

bool SharedMemory::readsOrdered(const Agent &agent, uint32_t offset) const {
  const Stamp last = reader[offset];
  if (!last.has(Stamp::Warps))
    return agent.clock.ordered(last, agent.warp, agent.lane);
  if (last.time() < agent.clock.everyone())
    return true;
  const uint32_t warps = agent.clock.numWarps();
  for (uint32_t warp = 0; warp < warps; ++warp) {
    const uint32_t time = readTimes[size_t(offset) * warps + warp];
    const uint32_t known =
        warp == agent.warp.id ? agent.warp.lanesSynced
                              : agent.clock.known(agent.warp, agent.lane, warp);
    if (time && time >= known && time >= agent.clock.everyone())
      return false;
  }
  return true;
}

void SharedMemory::addReader(const Agent &agent, uint32_t offset,
                             uint32_t count, uint64_t flags) {
  const Stamp mine = agent.stamp(flags);
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
}

/// A read that is not ordered after the writes.
Conflict SharedMemory::checkWriters(const Agent &agent, uint32_t offset,
                                    uint32_t count) {
  Stamp fine;
  for (uint32_t i = offset; i < offset + count; ++i) {
    const Stamp last = writer[i];
    if (last == fine)
      continue;
    if (!agent.clock.ordered(last, agent.warp, agent.lane) &&
        !(agent.strong && last.has(Stamp::Strong)))
      return {Conflict::Write, i, last};
    fine = last;
  }
  return {};
}

Conflict SharedMemory::read(const Agent &agent, uint32_t offset,
                            uint32_t count) {
  agent.warp.touched = true;
  if (const uint8_t flags = any(offset, count); flags & (InFlight | Barrier))
      [[unlikely]] {
    const uint32_t at = first(flags & InFlight ? InFlight : Barrier, offset);
    return {flags & InFlight ? Conflict::Pending : Conflict::Mbarrier, at,
            writer[at]};
  }
  const Conflict conflict = checkWriters(agent, offset, count);
  addReader(agent, offset, count, 0);
  return conflict;
}

//===----------------------------------------------------------------------===//
// Writers
//===----------------------------------------------------------------------===//

Conflict SharedMemory::checkWrite(const Agent &agent, uint32_t offset,
                                  uint32_t count) {
  agent.warp.touched = true;
  Stamp fineWriter, fineReader;
  for (uint32_t i = offset; i < offset + count; ++i) {
    if (state[i] & (InFlight | Barrier | BeingRead)) [[unlikely]]
      return {state[i] & InFlight  ? Conflict::Pending
              : state[i] & Barrier ? Conflict::Mbarrier
                                   : Conflict::Reading,
              i, writer[i]};
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
  if (conflict.kind == Conflict::Pending || conflict.kind == Conflict::Mbarrier)
    return conflict; // the bytes stay what they are
  const Stamp mine = agent.stamp();
  for (uint32_t i = offset; i < offset + count; ++i) {
    state[i] = (state[i] & BeingRead) | (isDefined ? 0 : Undefined);
    writer[i] = mine;
    reader[i] = Stamp();
  }
  return conflict;
}

Conflict SharedMemory::beginCopy(const Agent &agent, uint32_t offset,
                                 uint32_t count, bool proxy) {
  Conflict conflict = checkWrite(agent, offset, count);
  if (proxy && conflict.kind == Conflict::None)
    for (uint32_t i = offset; i < offset + count; ++i)
      if (!agent.clock.visibleToProxy(writer[i], agent.warp, agent.lane)) {
        conflict = {Conflict::Unfenced, i, writer[i]};
        break;
      }
  if (conflict.kind == Conflict::Mbarrier)
    return conflict;
  const Stamp mine =
      agent.stamp(Stamp::Async | (proxy ? uint64_t(Stamp::Proxy) : 0));
  for (uint32_t i = offset; i < offset + count; ++i) {
    state[i] |= InFlight;
    writer[i] = mine;
    reader[i] = Stamp();
  }
  return conflict;
}

void SharedMemory::endCopy(Stamp stamp, uint32_t offset, uint32_t count,
                           const uint8_t *sourceUndefined,
                           uint32_t sourceCount) {
  for (uint32_t i = 0; i < count; ++i) {
    uint8_t &byte = state[offset + i];
    if (byte & Barrier)
      continue;
    byte = (byte & BeingRead) |
           (sourceUndefined && i < sourceCount ? sourceUndefined[i] & Undefined
                                               : 0);
    writer[offset + i] = stamp;
  }
}

//===----------------------------------------------------------------------===//
// Asynchronous reads and mbarriers
//===----------------------------------------------------------------------===//

Conflict SharedMemory::beginRead(const Agent &agent, uint32_t offset,
                                 uint32_t count) {
  agent.warp.touched = true;
  Conflict conflict;
  if (const uint8_t flags = any(offset, count); flags & (InFlight | Barrier))
      [[unlikely]] {
    const uint32_t at = first(flags & InFlight ? InFlight : Barrier, offset);
    conflict = {flags & InFlight ? Conflict::Pending : Conflict::Mbarrier, at,
                writer[at]};
  } else {
    conflict = checkWriters(agent, offset, count);
    Stamp fine;
    for (uint32_t i = offset;
         conflict.kind == Conflict::None && i < offset + count; ++i) {
      if (writer[i] == fine)
        continue;
      fine = writer[i];
      if (!agent.clock.visibleToProxy(fine, agent.warp, agent.lane))
        conflict = {Conflict::Unfenced, i, fine};
    }
  }
  if (asyncReaders.empty())
    asyncReaders.assign(size(), 0);
  for (uint32_t i = offset; i < offset + count; ++i) {
    ++asyncReaders[i];
    state[i] |= BeingRead;
  }
  return conflict;
}

void SharedMemory::endRead(const Agent &agent, uint32_t offset,
                           uint32_t count) {
  for (uint32_t i = offset; i < offset + count; ++i)
    if (--asyncReaders[i] == 0)
      state[i] &= uint8_t(~BeingRead);
  addReader(agent, offset, count, Stamp::Proxy);
}

Conflict SharedMemory::beginBarrier(const Agent &agent, uint32_t offset) {
  const Conflict conflict = checkWrite(agent, offset, 8);
  if (conflict.kind != Conflict::Pending && conflict.kind != Conflict::Mbarrier)
    for (uint32_t i = offset; i < offset + 8; ++i) {
      state[i] = Barrier;
      writer[i] = agent.stamp();
      reader[i] = Stamp();
    }
  return conflict;
}

void SharedMemory::endBarrier(const Agent &agent, uint32_t offset) {
  for (uint32_t i = offset; i < offset + 8; ++i) {
    state[i] = Undefined;
    writer[i] = agent.stamp();
  }
}

} // namespace wna16::emulator
