//===- Taint.cpp - where a value comes from -------------------------------===//
//
// A Taint is origin * 2^shift + pc. Parents are set once, by the first value
// that takes a way, and only from taints that have a parent or are a source:
// paths have no cycles.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Taint.h"

#include <algorithm>
#include <bit>

namespace wna16::emulator {
namespace {

constexpr uint32_t noOrigin = 0xffffffffu;
/// Data matters more than ids at any depth.
constexpr uint8_t rankOfData = 255;

bool hasAddress(const Instr &instr) {
  return std::any_of(instr.src, instr.src + instr.numSrc,
                     [](const Value &v) { return v.isAddress; });
}

} // namespace

TaintTable::TaintTable(const Program &program, const Device &device)
    : program(program), device(device),
      numBuffers(uint32_t(device.buffers().size())) {
  const size_t size = program.instrs.size();
  shift = std::max(1u, unsigned(std::bit_width(size)));
  firstOrigin.assign(size, noOrigin);
  for (uint32_t pc = 0; pc < size; ++pc)
    if (hasAddress(program.instrs[pc])) {
      firstOrigin[pc] = uint32_t(numOrigins);
      originPc.push_back(pc);
      numOrigins += numBuffers + 1;
    }
  if (!fits())
    return;
  parents = std::vector<std::atomic<std::atomic<Taint> *>>(numOrigins);
  rank.assign(numOrigins, 0);
  for (uint32_t i = 1; i < numOrigins; ++i) {
    const Origin from = origin(Taint(i) << shift);
    rank[i] = from.ids == Buffer::Ids::None
                  ? rankOfData
                  : uint8_t(std::min<uint32_t>(program.loops.depth(from.pc),
                                               rankOfData - 1));
  }
}

TaintTable::~TaintTable() {
  for (auto &table : parents)
    delete[] table.load();
}

TaintTable::Origin TaintTable::origin(Taint taint) const {
  const uint32_t number = (taint >> shift) - 1;
  const uint32_t pc = originPc[number / (numBuffers + 1)];
  const uint32_t index = number % (numBuffers + 1);
  if (index == numBuffers)
    return {pc, nullptr, Buffer::Ids::None};
  const Buffer *buffer = device.buffers()[index].get();
  return {pc, buffer, buffer->ids};
}

Taint TaintTable::source(uint32_t pc, uint32_t buffer) {
  const uint32_t number = firstOrigin[pc] + buffer;
  const Taint taint = Taint(number << shift | pc);
  if (parents[number].load())
    return taint;
  std::lock_guard<std::mutex> lock(mutex);
  if (!parents[number].load()) {
    auto *table = new std::atomic<Taint>[program.instrs.size()]();
    table[pc] = taint; // the end of every path
    parents[number].store(table);
  }
  return taint;
}

std::vector<uint32_t> TaintTable::path(Taint taint, uint32_t last) const {
  std::vector<uint32_t> pcs{last};
  const uint32_t mask = (1u << shift) - 1;
  const std::atomic<Taint> *table = parents[taint >> shift].load();
  while (pcs.size() <= program.instrs.size()) {
    pcs.push_back(taint & mask);
    const Taint parent = table[taint & mask].load();
    if (!parent || parent == taint)
      break;
    taint = parent;
  }
  std::reverse(pcs.begin(), pcs.end());
  return pcs;
}

GlobalTaint::GlobalTaint(const Device &device) {
  for (const auto &buffer : device.buffers())
    bytes.push_back(buffer->readOnly ? nullptr
                                     : std::make_unique<std::atomic<Taint>[]>(
                                           buffer->bytes.size()));
}

} // namespace wna16::emulator
