//===- GlobalOrder.cpp - happens-before in global memory ------------------===//
//
// Pages of shadow are made when they are touched first and have a lock each.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/GlobalOrder.h"

#include "lib/Emulator/Block.h"
#include "lib/Emulator/MemoryOrder.h"

namespace wna16::emulator {

GlobalOrder::GlobalOrder(const Device &device) {
  for (const auto &buffer : device.buffers())
    pages.emplace_back((buffer->bytes.size() + pageBytes - 1) / pageBytes);
}

GlobalOrder::Page &GlobalOrder::page(const Buffer &buffer, uint64_t index) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Page> &entry = pages[buffer.index][index];
  if (!entry)
    entry = std::make_unique<Page>();
  return *entry;
}

/// Calls `f(granule, mask of its bytes)`; stops at the first conflict.
template <typename F>
GlobalConflict GlobalOrder::forGranules(const Buffer &buffer, uint64_t offset,
                                        uint32_t bytes, F &&f) {
  const uint64_t end = offset + bytes;
  while (offset < end) {
    const uint64_t index = offset / pageBytes;
    const uint64_t stop = std::min(end, (index + 1) * pageBytes);
    Page &of = page(buffer, index);
    std::lock_guard<std::mutex> lock(of.mutex);
    for (; offset < stop;) {
      const uint64_t granule = offset / 4;
      const uint64_t last = std::min(stop, granule * 4 + 4);
      uint8_t mask = 0;
      for (; offset < last; ++offset)
        mask |= uint8_t(1u << (offset % 4));
      const GlobalConflict conflict =
          f(of.granules[granule % (pageBytes / 4)], mask);
      if (conflict.kind != GlobalConflict::None)
        return conflict;
    }
  }
  return {};
}

/// Whether `stamp` of `cluster` happens before what a lane does now.
static bool ordered(Stamp stamp, uint32_t cluster, const Warp &warp,
                    uint32_t lane) {
  if (stamp.none())
    return true;
  const Cluster &own = warp.block.cluster;
  if (cluster == uint32_t(own.number))
    return own.clock.ordered(stamp, warp.clock, lane);
  auto seen = [&](const View &view) {
    if (!view.foreign)
      return false;
    auto entry = view.foreign->find(cluster);
    return entry != view.foreign->end() &&
           stamp.time() < entry->second.of(stamp.agent());
  };
  return seen(warp.clock.view) ||
         (warp.clock.some >> lane & 1 && seen(warp.clock.someView));
}

static Stamp stampOf(const Warp &warp, uint32_t lane, uint32_t pc,
                     uint64_t flags) {
  return {warp.block.clock.now(), warp.clock.id, lane, pc, flags};
}

GlobalConflict GlobalOrder::read(const Warp &warp, uint32_t lane, uint32_t pc,
                                 const Buffer &buffer, uint64_t offset,
                                 uint32_t bytes, uint64_t flags) {
  const Stamp mine = stampOf(warp, lane, pc, flags);
  const uint32_t cluster = uint32_t(warp.block.cluster.number);
  return forGranules(
      buffer, offset, bytes,
      [&](Granule &granule, uint8_t mask) -> GlobalConflict {
        GlobalConflict conflict;
        if (granule.writerBytes & mask &&
            (granule.writer.has(Stamp::Async) ||
             (!ordered(granule.writer, granule.writerCluster, warp, lane) &&
              !(mine.has(Stamp::Strong) && granule.writer.has(Stamp::Strong)))))
          conflict = {GlobalConflict::Write, granule.writer,
                      granule.writerCluster};
        granule.reader = mine;
        granule.readerCluster = cluster;
        granule.readerBytes = mask;
        return conflict;
      });
}

GlobalConflict GlobalOrder::write(const Warp &warp, uint32_t lane, uint32_t pc,
                                  const Buffer &buffer, uint64_t offset,
                                  uint32_t bytes, uint64_t flags) {
  const Stamp mine = stampOf(warp, lane, pc, flags);
  const uint32_t cluster = uint32_t(warp.block.cluster.number);
  const bool strong = mine.has(Stamp::Strong);
  return forGranules(
      buffer, offset, bytes,
      [&](Granule &granule, uint8_t mask) -> GlobalConflict {
        GlobalConflict conflict;
        if (granule.writerBytes & mask &&
            (granule.writer.has(Stamp::Async) ||
             !ordered(granule.writer.without(Stamp::Same),
                      granule.writerCluster, warp, lane)) &&
            !(strong && granule.writer.has(Stamp::Strong)))
          conflict = {GlobalConflict::Write, granule.writer,
                      granule.writerCluster};
        else if (granule.readerBytes & mask &&
                 !ordered(granule.reader, granule.readerCluster, warp, lane) &&
                 !(strong && granule.reader.has(Stamp::Strong)))
          conflict = {GlobalConflict::Read, granule.reader,
                      granule.readerCluster};
        granule.writer = mine;
        granule.writerCluster = cluster;
        granule.writerBytes = mask;
        granule.readerBytes = 0;
        return conflict;
      });
}

void GlobalOrder::finishWrite(const Warp &warp, uint32_t lane, uint32_t pc,
                              const Buffer &buffer, uint64_t offset,
                              uint32_t bytes, uint64_t flags) {
  if (buffer.readOnly)
    return;
  const Stamp mine = stampOf(warp, lane, pc, Stamp::Proxy | flags);
  forGranules(buffer, offset, bytes, [&](Granule &granule, uint8_t mask) {
    if (granule.writer.pc() == pc && granule.writerBytes == mask)
      granule.writer = mine;
    return GlobalConflict();
  });
}

void GlobalOrder::published(uint64_t address, const ReleasedRef &release,
                            bool modify) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!release && !modify) {
    locations.erase(address);
    return;
  }
  if (!release)
    return;
  ReleasedRef &entry = locations[address];
  entry = modify ? joinReleased(entry, release) : release;
}

ReleasedRef GlobalOrder::at(uint64_t address) {
  std::lock_guard<std::mutex> lock(mutex);
  auto entry = locations.find(address);
  return entry == locations.end() ? nullptr : entry->second;
}

} // namespace wna16::emulator
