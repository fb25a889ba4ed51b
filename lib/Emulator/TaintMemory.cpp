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
  const uint64_t offset = address - spaceBase;
  const bool shared = space == Space::Shared;
  const uint64_t size =
      shared ? block.shared.size() : check.program.localBytes;
  if (address < spaceBase || offset + bytes > size)
    return nullptr;
  return shared ? block.shared.data() + offset
                : own.local.data() + lane * size + offset;
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
  const uint64_t offset = address - buffer->base;
  const std::atomic<Taint> *from = check.global.find(*buffer);
  bool isData = !from;
  if (from) {
    // A counter that begins at zero is no data, its tickets are none either:
    // looked at before the taint, which other blocks set before the value.
    const bool isCounter =
        check.flows[pc] == OrderCheck::Flow::Atomic &&
        std::all_of(buffer->bytes.data() + offset,
                    buffer->bytes.data() + offset + bytes,
                    [](const uint8_t &byte) {
                      return !__atomic_load_n(&byte, __ATOMIC_ACQUIRE);
                    });
    for (uint32_t i = 0; i < bytes; ++i) {
      const Taint taint = from[offset + i].load();
      isData |= taint == TaintTable::untouched && !isCounter;
      all = join(all, taint);
    }
    all = step(all);
  }
  return isData ? join(all, table.source(pc, buffer->index)) : all;
}

void TaintFlow::write(Space space, unsigned lane, uint64_t address,
                      uint32_t bytes, Taint taint) {
  if (space == Space::Shared || space == Space::Local) {
    if (Taint *to = bytesOf(space, lane, address, bytes))
      std::fill(to, to + bytes, taint);
    return;
  }
  const Buffer *buffer =
      space == Space::Global ? check.device.below(address) : nullptr;
  if (!buffer || address + bytes > buffer->end())
    return;
  if (std::atomic<Taint> *to = check.global.find(*buffer))
    for (uint32_t i = 0; i < bytes; ++i)
      to[address - buffer->base + i].store(taint);
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

/// A matrix as a whole: its elements end up in all lanes.
void TaintFlow::loadMatrix() {
  std::array<Taint, 4> all;
  all.fill(TaintTable::clean);
  eachAddress(0, instr.space, [&](Space space, unsigned lane, uint64_t at) {
    Taint &to = all[lane / 8];
    if (lane / 8 < instr.elements)
      to = join(to, join(read(space, lane, at, 16),
                         step(of(instr.src[0], lane))));
  });
  for (unsigned m = 0; m < instr.numDst; ++m)
    assignAll(instr.dst[m], all[m % 4]);
}

void TaintFlow::storeMatrix() {
  eachAddress(0, instr.space, [&](Space space, unsigned lane, uint64_t at) {
    if (lane / 8 < instr.elements)
      write(space, lane, at, 16,
            step(join(ofAll(instr.src[1 + lane / 8]), control(lane))));
  });
}

} // namespace wna16::emulator
