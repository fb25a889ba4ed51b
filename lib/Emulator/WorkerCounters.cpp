//===- WorkerCounters.cpp - what one worker counts ------------------------===//
//
// These run for every access to memory: the common cases (lanes at ascending
// addresses in one buffer; the bank pattern of the time before) come first.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/WorkerCounters.h"

#include "lib/Emulator/AsyncEngine.h"
#include "lib/Emulator/Program.h"
#include "lib/Emulator/Warp.h"

#include <algorithm>

namespace wna16::emulator {

//===----------------------------------------------------------------------===//
// Distinct bytes
//===----------------------------------------------------------------------===//

DistinctBytes::DistinctBytes(const Device &device) : device(device) {
  for (const auto &buffer : device.buffers()) {
    maps.emplace_back();
    maps.back().read = std::make_unique<uint8_t[]>(buffer->bytes.size());
    if (!buffer->readOnly)
      maps.back().written = std::make_unique<uint8_t[]>(buffer->bytes.size());
  }
}

void DistinctBytes::mark(const Buffer &buffer, bool isWrite, uint64_t offset,
                         uint64_t bytes) {
  const Map &map = maps[buffer.index];
  uint8_t *at = (isWrite ? map.written : map.read).get();
  if (!at)
    return;
  // All workers store the same value: no order is needed.
  at += offset;
  for (; bytes >= 8 && offset % 8 == 0; bytes -= 8, at += 8)
    __atomic_store_n(reinterpret_cast<uint64_t *>(at), 0x0101010101010101u,
                     __ATOMIC_RELAXED);
  for (; bytes; --bytes, ++at)
    __atomic_store_n(at, uint8_t(1), __ATOMIC_RELAXED);
}

uint64_t DistinctBytes::count(const Buffer &buffer, bool isWrite) const {
  const Map &map = maps[buffer.index];
  const uint8_t *at = (isWrite ? map.written : map.read).get();
  return at ? uint64_t(std::count(at, at + buffer.bytes.size(), uint8_t(1)))
            : 0;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

WorkerCounters::WorkerCounters(const Program &program, const Device &device,
                               DistinctBytes *distinct)
    : instructions(program.instrs.size() + 1), buffers(device.buffers().size()),
      patterns(program.instrs.size() + 1), distinct(distinct) {}

/// Different addresses among the lanes of `mask`.
static unsigned differentAddresses(uint32_t mask,
                                   const std::array<uint64_t, 32> &addresses) {
  const unsigned lanes = unsigned(__builtin_popcount(mask));
  bool ascending = true;
  uint64_t last = 0;
  forLanes(mask, [&](unsigned lane) {
    ascending &= addresses[lane] > last;
    last = addresses[lane];
  });
  if (ascending)
    return lanes;
  std::array<uint64_t, 32> sorted;
  unsigned count = 0;
  forLanes(mask, [&](unsigned lane) { sorted[count++] = addresses[lane]; });
  std::sort(sorted.begin(), sorted.begin() + count);
  return unsigned(std::unique(sorted.begin(), sorted.begin() + count) -
                  sorted.begin());
}

void WorkerCounters::countGlobal(uint32_t pc, const Device &device,
                                 bool isWrite, uint32_t mask,
                                 const std::array<uint64_t, 32> &addresses,
                                 uint32_t bytes) {
  const uint64_t total = uint64_t(__builtin_popcount(mask)) * bytes;
  PerInstruction &instruction = instructions[pc];
  (isWrite ? instruction.globalWritten : instruction.globalRead) += total;
  while (mask) {
    const Buffer *buffer = device.below(addresses[firstLane(mask)]);
    uint32_t here = 0;
    forLanes(mask, [&](unsigned lane) {
      here |= uint32_t(addresses[lane] - buffer->base < buffer->bytes.size())
              << lane;
    });
    PerBuffer &counts = buffers[buffer->index];
    const uint64_t asked = uint64_t(__builtin_popcount(here)) * bytes;
    const uint64_t moved =
        uint64_t(differentAddresses(here, addresses)) * bytes;
    (isWrite ? counts.written : counts.read) += asked;
    (isWrite ? counts.stored : counts.fetched) += moved;
    if (distinct)
      forLanes(here, [&](unsigned lane) {
        distinct->mark(*buffer, isWrite, addresses[lane] - buffer->base, bytes);
      });
    mask &= ~here;
  }
}

void WorkerCounters::countRange(uint32_t pc, const Buffer &buffer, bool isWrite,
                                uint64_t offset, uint64_t bytes) {
  PerInstruction &instruction = instructions[pc];
  PerBuffer &counts = buffers[buffer.index];
  (isWrite ? instruction.globalWritten : instruction.globalRead) += bytes;
  (isWrite ? counts.written : counts.read) += bytes;
  (isWrite ? counts.stored : counts.fetched) += bytes;
  if (distinct)
    distinct->mark(buffer, isWrite, offset, bytes);
}

void WorkerCounters::countOperation(const AsyncOperation &operation) {
  PerInstruction &instruction = instructions[operation.pc];
  for (const AsyncRun &run : operation.runs) {
    if (run.from.buffer && !operation.sourceCounted)
      countRange(operation.pc, *run.from.buffer, false, run.from.offset,
                 run.bytes);
    if (run.to.buffer)
      countRange(operation.pc, *run.to.buffer, true, run.to.offset, run.bytes);
    if (run.from.block)
      instruction.sharedRead += run.bytes;
    if (run.to.block)
      instruction.sharedWritten += run.bytes;
  }
}

//===----------------------------------------------------------------------===//
// Banks
//===----------------------------------------------------------------------===//

/// Passes that the lanes of `mask`, which are served together, need.
static unsigned passesOf(uint32_t mask, const std::array<uint32_t, 32> &offsets,
                         unsigned words) {
  std::array<std::array<uint32_t, 32>, 32> seen;
  std::array<uint8_t, 32> distinct{};
  unsigned passes = 1;
  forLanes(mask, [&](unsigned lane) {
    for (unsigned w = 0; w < words; ++w) {
      const uint32_t word = offsets[lane] / 4 + w, bank = word % 32;
      unsigned i = 0;
      while (i < distinct[bank] && seen[bank][i] != word)
        ++i;
      if (i == distinct[bank]) {
        seen[bank][distinct[bank]++] = word;
        passes = std::max(passes, unsigned(distinct[bank]));
      }
    }
  });
  return passes;
}

void WorkerCounters::countBanks(uint32_t pc, uint32_t mask,
                                const std::array<uint32_t, 32> &offsets,
                                uint32_t bytes) {
  if (!mask)
    return;
  BankPattern &pattern = patterns[pc];
  // Words apart by the same distances meet in the same way.
  const uint32_t first = offsets[firstLane(mask)];
  const uint32_t shift = first - pattern.first;
  bool same = pattern.mask == mask && pattern.bytes == bytes && shift % 4 == 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    same &=
        offsets[lane] == pattern.offsets[lane] + shift || !(mask >> lane & 1);
  if (!same) {
    pattern.mask = mask;
    pattern.bytes = bytes;
    pattern.first = first;
    forLanes(mask,
             [&](unsigned lane) { pattern.offsets[lane] = offsets[lane]; });
    pattern.passes = pattern.ideal = 0;
    // A pass serves 32 words: wide accesses go in halves, quarters or eighths
    // of a warp.
    const unsigned words = std::max(1u, bytes / 4);
    const unsigned lanes = std::min(32u, std::max(1u, 32 / words));
    for (unsigned begin = 0; begin < warpSize; begin += lanes) {
      const uint32_t part =
          mask & uint32_t(((uint64_t(1) << lanes) - 1) << begin);
      if (!part)
        continue;
      pattern.passes += passesOf(part, offsets, words);
      ++pattern.ideal;
    }
  }
  instructions[pc].bankPasses += pattern.passes;
  instructions[pc].bankIdeal += pattern.ideal;
}

} // namespace wna16::emulator
