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
  unfinished.clear();
  readerRows.clear();
  rows.clear();
  madeRow = {};
  madePair = {};
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

/// Rows beyond which unused ones are dropped.
static constexpr size_t maxRows = 1 << 14;

/// The row with the reads of `row` and the read `mine` of `agent`.
uint32_t SharedMemory::addToRow(const Agent &agent, Stamp mine, uint32_t row) {
  const uint32_t warps = agent.clock.numWarps(), warp = agent.warp.id;
  const WarpRead last = rows[size_t(row) * warps + warp];
  WarpRead read = readOf(mine);
  if (last.time >= agent.warp.lanesSynced && last.time &&
      last.lane != read.lane)
    read.lane = 32; // two lanes that have not met
  if (last == read)
    return row;
  if (madeRow.from == row && madeRow.warp == warp && madeRow.read == read)
    return madeRow.row;
  const size_t begin = size_t(row) * warps, made = rows.size();
  rows.resize(made + warps);
  std::copy_n(rows.begin() + long(begin), warps, rows.begin() + long(made));
  rows[made + warp] = read;
  madeRow = {row, warp, read, uint32_t(made / warps)};
  return madeRow.row;
}

void SharedMemory::dropUnusedRows(uint32_t warps) {
  std::vector<uint32_t> moved(rows.size() / warps, 0);
  std::vector<WarpRead> kept(warps);
  for (uint32_t i = 0; i < size(); ++i) {
    if (!reader[i].has(Stamp::Warps) || !readerRows[i])
      continue;
    uint32_t &to = moved[readerRows[i]];
    if (!to) {
      to = uint32_t(kept.size() / warps);
      const auto from = rows.begin() + long(readerRows[i]) * warps;
      kept.insert(kept.end(), from, from + warps);
    }
    readerRows[i] = to;
  }
  rows = std::move(kept);
  madeRow = {};
  madePair = {};
}

/// The stamp of readers `old` (with times in `row`) after one more read by
/// `agent`.
Stamp SharedMemory::mergeReader(const Agent &agent, Stamp old, Stamp mine,
                                uint32_t &row) {
  // A group of readers is strong only if all of them are.
  const uint64_t strong = old.has(Stamp::Strong) && mine.has(Stamp::Strong)
                              ? uint64_t(Stamp::Strong)
                              : 0;
  auto group = [&](Stamp::Flag kind) -> Stamp {
    return {agent.clock.now(), agent.warp.id, agent.lane, agent.pc,
            kind | strong};
  };
  if (old.has(Stamp::Warps)) {
    if (old.time() < agent.clock.everyone())
      return mine;
    row = addToRow(agent, mine, row);
    return group(Stamp::Warps);
  }
  if (agent.clock.ordered(old.without(Stamp::Alone), agent.warp, agent.lane))
    return mine;
  if (old.agent() == agent.warp.id)
    return group(Stamp::Lanes);
  const uint32_t warps = agent.clock.numWarps();
  if (readerRows.empty()) {
    readerRows.assign(size(), 0);
    rows.assign(warps, {});
  }
  const WarpRead read = readOf(mine), otherRead = readOf(old);
  if (madePair.other != old.agent() || !(madePair.otherRead == otherRead) ||
      madePair.warp != agent.warp.id || !(madePair.read == read)) {
    const size_t made = rows.size();
    rows.resize(made + warps);
    rows[made + old.agent()] = otherRead;
    rows[made + agent.warp.id] = read;
    madePair = {old.agent(), otherRead, agent.warp.id, read,
                uint32_t(made / warps)};
  }
  row = madePair.row;
  return group(Stamp::Warps);
}

Stamp SharedMemory::unorderedReader(const Agent &agent, uint32_t offset) const {
  const ClusterClock &clock = agent.clock;
  const Stamp last = reader[offset];
  if (!last.has(Stamp::Warps))
    return clock.ordered(last.without(Stamp::Alone), agent.warp, agent.lane)
               ? Stamp()
               : last;
  if (last.time() < clock.everyone())
    return {};
  const uint32_t warps = clock.numWarps();
  for (uint32_t warp = 0; warp < warps; ++warp) {
    const WarpRead read = rows[size_t(rowOf(offset)) * warps + warp];
    const bool own = warp == agent.warp.id;
    const uint32_t known = own ? agent.warp.lanesSynced
                               : clock.known(agent.warp, agent.lane, warp);
    if (!read.time || read.time < known || read.time < clock.everyone())
      continue;
    if (read.lane < 32 && (own ? read.lane == agent.lane
                               : clock.laneSeen(warp, read.lane, read.time,
                                                agent.warp, agent.lane)))
      continue;
    // Of all readers of the byte only the last one's instruction is known.
    return {read.time, warp, uint32_t(read.lane) & 31, last.pc(),
            last.has(Stamp::Strong) ? uint64_t(Stamp::Strong) : 0};
  }
  return {};
}

void SharedMemory::addReader(const Agent &agent, uint32_t offset,
                             uint32_t count, uint64_t flags) {
  const uint32_t warps = agent.clock.numWarps();
  if (rows.size() > maxRows * warps)
    dropUnusedRows(warps);
  const Stamp mine =
      agent.stamp(flags | (agent.alone ? uint64_t(Stamp::Alone) : 0));
  Stamp before = mine, after = mine;
  uint32_t rowBefore = 0, rowAfter = 0;
  for (uint32_t i = offset; i < offset + count; ++i) {
    const Stamp old = reader[i];
    const uint32_t row = old.has(Stamp::Warps) ? rowOf(i) : 0;
    if (!(old == before) || row != rowBefore) {
      before = old;
      rowBefore = rowAfter = row;
      after = mergeReader(agent, old, mine, rowAfter);
    }
    reader[i] = after;
    if (after.has(Stamp::Warps))
      readerRows[i] = rowAfter;
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
                                  uint32_t count, bool reduces, bool proxy) {
  agent.warp.touched = true;
  Stamp fineWriter, fineReader;
  uint32_t fineRow = 0;
  for (uint32_t i = offset; i < offset + count; ++i) {
    if (state[i] & (InFlight | Barrier | BeingRead) &&
        !(reduces && reductionsOnly(i, proxy))) [[unlikely]]
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
    if (const Stamp last = reader[i];
        !(last == fineReader) ||
        (last.has(Stamp::Warps) && rowOf(i) != fineRow)) {
      const Stamp other = unorderedReader(agent, i);
      if (!other.none() && !(agent.strong && last.has(Stamp::Strong)))
        return {Conflict::Read, i, other};
      fineReader = last;
      fineRow = rowOf(i);
    }
  }
  return {};
}

Conflict SharedMemory::write(const Agent &agent, uint32_t offset,
                             uint32_t count, bool isDefined) {
  const Conflict conflict = checkWrite(agent, offset, count);
  if (conflict.kind == Conflict::Pending || conflict.kind == Conflict::Mbarrier)
    return conflict; // the bytes stay what they are
  forgetUnfinished(offset, count);
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
  Conflict conflict = checkWrite(agent, offset, count, agent.strong, proxy);
  if (proxy && conflict.kind == Conflict::None)
    for (uint32_t i = offset; i < offset + count; ++i)
      if (!agent.clock.visibleToProxy(writer[i], agent.warp, agent.lane)) {
        conflict = {Conflict::Unfenced, i, writer[i]};
        break;
      }
  if (proxy && conflict.kind == Conflict::None && !unfinished.empty())
      [[unlikely]]
    conflict = checkUnfinished(agent, offset, count);
  if (conflict.kind == Conflict::Mbarrier)
    return conflict;
  forgetUnfinished(offset, count);
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
    byte = (byte & (stamp.has(Stamp::Strong) ? BeingRead | Undefined
                                             : uint32_t(BeingRead))) |
           (sourceUndefined && i < sourceCount ? sourceUndefined[i] & Undefined
                                               : 0);
    writer[offset + i] = stamp;
  }
}

//===----------------------------------------------------------------------===//
// Loads that may still be under way
//===----------------------------------------------------------------------===//

void SharedMemory::beginUnfinished(const Agent &agent, uint32_t offset,
                                   uint32_t count, uint32_t since) {
  if (unfinished.empty())
    unfinished.assign(size(), Stamp());
  const Stamp mine = agent.stamp(Stamp::Async);
  for (uint32_t i = offset; i < offset + count; ++i)
    if (writer[i].time() <= since)
      unfinished[i] = mine;
}

void SharedMemory::endUnfinished(const Agent &agent, uint32_t offset,
                                 uint32_t count) {
  const Stamp over = agent.stamp();
  for (uint32_t i = offset; i < offset + count; ++i)
    if (const Stamp last = unfinished[i]; last.has(Stamp::Async) &&
                                          last.agent() == over.agent() &&
                                          last.pc() == over.pc())
      unfinished[i] = over;
}

Conflict SharedMemory::checkUnfinished(const Agent &agent, uint32_t offset,
                                       uint32_t count) const {
  for (uint32_t i = offset; i < offset + count; ++i) {
    const Stamp last = unfinished[i];
    const bool own = last.agent() == agent.warp.id;
    if (last.has(Stamp::Async) ||
        !(own || agent.clock.ordered(last, agent.warp, agent.lane)))
      return {Conflict::Unfinished, i, last};
  }
  return {};
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
    Stamp fine;
    for (uint32_t i = offset; i < offset + count; ++i) {
      const Stamp last = writer[i];
      if (last == fine)
        continue;
      fine = last;
      if (!agent.clock.ordered(last, agent.warp, agent.lane) &&
          !(agent.strong && last.has(Stamp::Strong)))
        conflict = {Conflict::Write, i, last};
      else if (!agent.clock.visibleToProxy(last, agent.warp, agent.lane))
        conflict = {Conflict::Unfenced, i, last};
      else
        continue;
      break;
    }
  }
  if (asyncReaders.empty())
    asyncReaders.assign(size(), 0);
  // Plain pointers: the loops vectorise.
  uint16_t *readers = asyncReaders.data() + offset;
  uint8_t *flags = state.data() + offset;
  for (uint32_t i = 0; i < count; ++i)
    ++readers[i];
  for (uint32_t i = 0; i < count; ++i)
    flags[i] |= BeingRead;
  return conflict;
}

void SharedMemory::endRead(const Agent &agent, uint32_t offset,
                           uint32_t count) {
  agent.warp.touched = true;
  uint16_t *readers = asyncReaders.data() + offset;
  uint8_t *flags = state.data() + offset;
  for (uint32_t i = 0; i < count; ++i)
    --readers[i];
  for (uint32_t i = 0; i < count; ++i)
    flags[i] &= uint8_t(readers[i] ? 0xff : ~BeingRead);
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
