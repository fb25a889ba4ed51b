//===- TaintMemory.cpp - data through memory ------------------------------===//
//
// Loads, stores, atomics, copies and matrix rows. Global memory that the kernel
// has not written is data; what it wrote is what it wrote.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/TaintFlow.h"

#include <algorithm>

namespace wna16::emulator {

template <typename F>
void TaintFlow::eachAddress(unsigned index, Space space, F &&f) {
  const Value &base = instr.src[index];
  const uint32_t lanes = mask & warp.definedLanes(base);
  LaneAddresses addresses;
  forLanes(lanes, [&](unsigned lane) {
    addresses[lane] = warp.lane(base, lane) + uint64_t(base.displacement);
    if (base.cls == RegClass::Word)
      addresses[lane] = uint32_t(addresses[lane]);
  });
  forEachSpace(space, lanes, addresses,
               [&](Space in, uint32_t part, const LaneAddresses &at) {
                 forLanes(part, [&](unsigned lane) { f(in, lane, at[lane]); });
               });
}

Taint *TaintFlow::bytesOf(Space space, unsigned lane, uint64_t address,
                          uint32_t bytes) {
  std::vector<Taint> *memory = &own.local;
  uint64_t begin = lane * uint64_t(check.program.localBytes),
           size = check.program.localBytes;
  if (isShared(space)) {
    const auto &blocks = warp.block.cluster.blocks;
    const uint64_t rank = address >> clusterRankShift;
    if (rank > blocks.size())
      return nullptr;
    memory = rank ? &blocks[rank - 1]->taint->shared : &block.shared;
    address &= (1u << clusterRankShift) - 1;
    begin = 0;
    size = memory->size();
  }
  const uint64_t offset = address - spaceBase;
  if (address < spaceBase || offset + bytes > size)
    return nullptr;
  return memory->data() + begin + offset;
}

Taint TaintFlow::read(Space space, unsigned lane, uint64_t address,
                      uint32_t bytes) {
  Taint all = TaintTable::clean;
  if (space == Space::Param)
    return all;
  if (space == Space::Const)
    return table.source(pc, table.constantBuffer());
  if (space != Space::Global) {
    if (const Taint *from = bytesOf(space, lane, address, bytes))
      for (uint32_t i = 0; i < bytes; ++i)
        all = join(all, from[i]);
    return step(all);
  }
  const Buffer *buffer = check.device.below(address);
  if (!buffer || address + bytes > buffer->end())
    return all; // reported as out of bounds
  return readGlobal(*buffer, address - buffer->base, bytes);
}

Taint TaintFlow::readGlobal(const Buffer &buffer, uint64_t offset,
                            uint32_t bytes) {
  Taint all = TaintTable::clean;
  const std::atomic<Taint> *from = check.global.find(buffer);
  bool isData = !from;
  if (from) {
    // A counter that begins at zero is no data, its tickets are none either:
    // looked at before the taint, which other blocks set before the value.
    const bool isCounter =
        check.flows[pc] == OrderCheck::Flow::Atomic &&
        std::all_of(buffer.bytes.data() + offset,
                    buffer.bytes.data() + offset + bytes,
                    [](const uint8_t &byte) {
                      return !__atomic_load_n(&byte, __ATOMIC_ACQUIRE);
                    });
    for (uint32_t i = 0; i < bytes; ++i) {
      const Taint taint = from[offset + i].load(std::memory_order_acquire);
      isData |= taint == TaintTable::untouched && !isCounter;
      all = join(all, taint);
    }
    all = step(all);
  }
  return isData ? join(all, table.source(pc, buffer.index)) : all;
}

void TaintFlow::write(Space space, unsigned lane, uint64_t address,
                      uint32_t bytes, Taint taint) {
  if (isShared(space) || space == Space::Local) {
    if (Taint *to = bytesOf(space, lane, address, bytes))
      std::fill(to, to + bytes, taint);
    return;
  }
  const Buffer *buffer =
      space == Space::Global ? check.device.below(address) : nullptr;
  if (buffer && address + bytes <= buffer->end())
    writeGlobal(*buffer, address - buffer->base, bytes, taint);
}

void TaintFlow::writeGlobal(const Buffer &buffer, uint64_t offset,
                            uint32_t bytes, Taint taint) {
  if (std::atomic<Taint> *to = check.global.find(buffer))
    for (uint32_t i = 0; i < bytes; ++i)
      to[offset + i].store(taint, std::memory_order_release);
}

void TaintFlow::load() {
  const uint32_t width = instr.elementBytes;
  std::array<Row, 8> rows;
  for (unsigned e = 0; e < instr.numDst; ++e)
    rows[e].fill(TaintTable::clean);
  eachAddress(0, instr.space, [&](Space space, unsigned lane, uint64_t at) {
    const Taint where = of(instr.src[0], lane);
    for (unsigned e = 0; e < instr.numDst; ++e) {
      const Taint what = read(space, lane, at + e * width, width);
      // Data is data wherever it was found; other values depend on the place.
      rows[e][lane] = table.isTaint(what) && space == Space::Global
                          ? what
                          : join(what, step(where));
    }
  });
  for (unsigned e = 0; e < instr.numDst; ++e)
    assign(instr.dst[e], rows[e]);
}

void TaintFlow::store() {
  const uint32_t width = instr.elementBytes;
  eachAddress(0, instr.space, [&](Space space, unsigned lane, uint64_t at) {
    const Taint why = control(lane);
    for (unsigned e = 0; e < instr.elements; ++e)
      write(space, lane, at + e * width, width,
            step(join(of(instr.src[1 + e], lane), why)));
  });
}

void TaintFlow::atomic() {
  const uint32_t bytes = uint32_t(instr.elementBytes) * instr.elements;
  Row row;
  row.fill(TaintTable::clean);
  eachAddress(0, instr.space, [&](Space space, unsigned lane, uint64_t at) {
    const Taint old = read(space, lane, at, bytes);
    row[lane] = join(old, step(of(instr.src[0], lane)));
    Taint taint = join(old, control(lane));
    for (unsigned i = 1; i < instr.numSrc; ++i)
      taint = join(taint, of(instr.src[i], lane));
    write(space, lane, at, bytes, step(taint));
  });
  for (unsigned i = 0; i < instr.numDst; ++i)
    assign(instr.dst[i], row);
}

void TaintFlow::copy() {
  const uint32_t bytes = instr.elementBytes;
  LaneAddresses to{};
  uint32_t valid = 0;
  eachAddress(0, Space::Shared, [&](Space, unsigned lane, uint64_t at) {
    to[lane] = at;
    valid |= 1u << lane;
  });
  eachAddress(1, Space::Global, [&](Space space, unsigned lane, uint64_t at) {
    if (!(valid >> lane & 1))
      return;
    for (uint32_t i = 0; i < bytes; i += 4)
      write(Space::Shared, lane, to[lane] + i, 4,
            step(join(read(space, lane, at + i, 4), control(lane))));
  });
}

/// The rows as a whole: their elements end up in all lanes.
void TaintFlow::loadMatrix() {
  const auto &parts = check.program.source(instr).parts;
  const bool small =
      std::find(parts.begin(), parts.end(), "m8n8") != parts.end();
  const unsigned rows = instr.elements * (small ? 8u : 16u);
  Taint all = TaintTable::clean;
  eachAddress(0, instr.space, [&](Space space, unsigned lane, uint64_t at) {
    if (lane < rows)
      all = join(all,
                 join(read(space, lane, at, 16), step(of(instr.src[0], lane))));
  });
  for (unsigned m = 0; m < instr.numDst; ++m)
    assignAll(instr.dst[m], all);
}

void TaintFlow::storeMatrix() {
  eachAddress(0, instr.space, [&](Space space, unsigned lane, uint64_t at) {
    if (1 + lane / 8 < instr.numSrc)
      write(space, lane, at, 16,
            step(join(ofAll(instr.src[1 + lane / 8]), control(lane))));
  });
}

void TaintFlow::issued(const AsyncOperation &operation) {
  const unsigned lane = operation.lane;
  // What a lane hands over itself (st.async).
  Taint carried = TaintTable::clean;
  for (unsigned i = 0; i < instr.numSrc; ++i)
    if (!instr.src[i].isAddress)
      carried = join(carried, of(instr.src[i], lane));
  const Taint why = control(lane);
  for (const AsyncRun &run : operation.runs) {
    Taint *to = run.to.block
                    ? run.to.block->taint->shared.data() + run.to.offset
                    : nullptr;
    const Taint *from =
        run.from.block ? run.from.block->taint->shared.data() + run.from.offset
                       : nullptr;
    if (to && run.from.buffer && !check.global.find(*run.from.buffer) &&
        !operation.combine) { // most copies: all bytes are alike
      const Taint data = readGlobal(*run.from.buffer, run.from.offset, 1);
      std::fill(to, to + run.bytes, join(data, step(why)));
      continue;
    }
    for (uint32_t i = 0; i < run.bytes; ++i) {
      // Where the byte lies in shared memory; in global memory at i.
      const uint32_t at = (i / 16 ^ run.chunkXor) * 16 + i % 16;
      Taint taint = run.fill ? TaintTable::clean
                    : run.from.buffer
                        ? readGlobal(*run.from.buffer, run.from.offset + i, 1)
                    : from ? step(from[at])
                           : step(carried);
      if (operation.combine)
        taint =
            join(taint, to ? to[at]
                           : readGlobal(*run.to.buffer, run.to.offset + i, 1));
      taint = join(taint, step(why));
      if (to)
        to[at] = taint;
      else
        writeGlobal(*run.to.buffer, run.to.offset + i, 1, taint);
    }
  }
}

} // namespace wna16::emulator
