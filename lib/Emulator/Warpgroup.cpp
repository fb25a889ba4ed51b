//===- Warpgroup.cpp - rules of wgmma -------------------------------------===//
//
// Registers between issue and wait, fences, and the agreement of the four
// warps. Programs without wgmma never come here.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Warpgroup.h"

#include "lib/Emulator/Block.h"

namespace wna16::emulator {
namespace {

std::string lineOf(const Warp &warp, uint32_t pc) {
  return std::to_string(warp.program.line(pc));
}

WarpgroupLog &logOf(Warp &warp) {
  return warp.block.warpgroups[warp.id / warpgroupWarps];
}

const char *roleOf(const WgmmaState::Register &entry) {
  return entry.accumulator ? "an accumulator" : "a register of A";
}

/// Registers of a form of wgmma with the same shape and type of accumulators
/// follow each other without a fence.
uint16_t shapeOf(const Instr &instr) {
  return uint16_t(WgmmaForm::of(instr).columns | uint32_t(instr.sub) << 9);
}

} // namespace

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void touchRegisters(Warp &warp, const Instr &instr) {
  if (isWgmma(instr))
    return;
  WgmmaState &state = *warp.wgmma;
  const uint32_t pc = warp.pc(instr);
  auto touch = [&](const Value &value, bool writes) {
    if (value.bank || value.cls == RegClass::Predicate)
      return;
    WgmmaState::Register &entry = state.registers[value.index];
    entry.touchedFence = state.fences;
    entry.touchedPc = pc;
    if (entry.operation <= state.completed) [[likely]]
      return;
    warp.report(Check::Wgmma, instr, -1, [&] {
      return "register " + warp.registerName(value) + ", " + roleOf(entry) +
             " of the wgmma of line " + lineOf(warp, entry.operationPc) +
             ", is " + (writes ? "written" : "read") +
             " while that is in flight; a wgmma.wait_group that covers it "
             "comes first";
    });
    entry.operation = 0; // reported once
  };
  for (unsigned i = 0; i < instr.numSrc; ++i)
    touch(instr.src[i], false);
  for (unsigned i = 0; i < instr.numDst; ++i)
    touch(instr.dst[i], true);
}

void takeRegisters(Warp &warp, const Instr &instr, uint32_t number) {
  WgmmaState &state = *warp.wgmma;
  const uint32_t pc = warp.pc(instr);
  const uint16_t shape = shapeOf(instr);
  bool reported = false;
  auto take = [&](const Value &value, bool accumulator) {
    WgmmaState::Register &entry = state.registers[value.index];
    const bool inFlight = entry.operation > state.completed;
    auto report = [&](auto &&message) {
      if (!reported)
        warp.report(Check::Wgmma, instr, -1, message);
      reported = true; // the other registers say the same
    };
    if (inFlight && entry.accumulator != accumulator)
      report([&] {
        return "register " + warp.registerName(value) + " is " +
               (accumulator ? "an accumulator" : "a register of A") +
               " here and " + roleOf(entry) + " of the wgmma of line " +
               lineOf(warp, entry.operationPc) +
               ", which is in flight; a wgmma.wait_group that covers it comes "
               "first";
      });
    else if (state.fences && entry.touchedFence == state.fences)
      report([&] {
        return "register " + warp.registerName(value) + ", " +
               (accumulator ? "an accumulator" : "a register of A") +
               " of this wgmma, was read or written at line " +
               lineOf(warp, entry.touchedPc) +
               " after the last wgmma.fence; wgmma.fence comes between the two";
      });
    else if (accumulator && entry.operation && entry.accumulator &&
             entry.operationFence == state.fences && entry.shape != shape)
      report([&] {
        return "register " + warp.registerName(value) +
               ", an accumulator of this wgmma, is one of the wgmma of line " +
               lineOf(warp, entry.operationPc) +
               " too, which has another shape: only wgmma of the same shape "
               "may follow each other without wgmma.fence";
      });
    entry.operation = number;
    entry.operationPc = pc;
    entry.accumulator = accumulator;
    entry.shape = shape;
    entry.operationFence = state.fences;
  };
  if (!state.fences) {
    warp.report(Check::Wgmma, instr, -1,
                "no wgmma.fence comes before this warp's first wgmma; it makes "
                "the registers ready for it");
    reported = true;
  }
  for (unsigned i = 0; i < instr.numDst; ++i)
    take(instr.dst[i], true);
  for (unsigned i = 0; WgmmaForm::of(instr).aInRegisters && i < 4; ++i)
    take(instr.src[i], false);
}

//===----------------------------------------------------------------------===//
// The four warps
//===----------------------------------------------------------------------===//

bool enterWarpgroup(Warp &warp, const Instr &instr, WarpgroupLog::Entry entry) {
  if (!warp.wgmma) {
    warp.wgmma = std::make_unique<WgmmaState>();
    warp.wgmma->registers.resize(warp.program.registerNames.size());
  }
  const uint32_t firstWarp = warp.id / warpgroupWarps * warpgroupWarps;
  if (firstWarp + warpgroupWarps > warp.block.launch.warps) {
    warp.report(Check::Wgmma, instr, -1, [&] {
      return "a warpgroup is four warps, from a multiple of four on; this "
             "block "
             "has " +
             std::to_string(warp.block.launch.warps) + " warps";
    });
    return false;
  }
  entry.pc = warp.pc(instr);
  entry.warp = warp.id;
  WarpgroupLog &log = logOf(warp);
  uint64_t &next = log.next[warp.id % warpgroupWarps];
  if (next == log.first + log.entries.size()) {
    for (uint32_t i = 0; i < warpgroupWarps; ++i)
      if (warp.block.warps[firstWarp + i]->state == Warp::State::Done &&
          log.next[i] <= next)
        warp.report(Check::Wgmma, instr, -1, [&] {
          return "warp " + std::to_string(firstWarp + i) +
                 " of this warpgroup has exited without executing this; all "
                 "four warps must";
        });
    log.entries.push_back(entry);
  } else {
    const WarpgroupLog::Entry &other = log.entries[next - log.first];
    if (other.pc != entry.pc) {
      warp.report(Check::Divergence, instr, -1, [&] {
        return "warp " + std::to_string(other.warp) +
               " of the same warpgroup executes line " +
               lineOf(warp, other.pc) +
               " instead; all four warps must execute the same wgmma "
               "instructions in the same order";
      });
      return false;
    }
    if (other.a != entry.a || other.b != entry.b ||
        other.accumulate != entry.accumulate)
      warp.report(Check::Wgmma, instr, -1, [&] {
        return std::string(other.a != entry.a   ? "the descriptor of A"
                           : other.b != entry.b ? "the descriptor of B"
                                                : "scale-d") +
               " differs between warp " + std::to_string(other.warp) +
               " and warp " + std::to_string(warp.id) +
               " of one warpgroup; it must be the same in all four";
      });
  }
  ++next;
  const uint64_t all = *std::min_element(log.next.begin(), log.next.end());
  for (; log.first < all; ++log.first)
    log.entries.pop_front();
  return true;
}

void leaveWarpgroup(Warp &warp) {
  const WarpgroupLog &log = logOf(warp);
  const uint64_t next = log.next[warp.id % warpgroupWarps];
  const auto &instrs = warp.program.instrs;
  if (next < log.first + log.entries.size()) {
    const WarpgroupLog::Entry &missed = log.entries[next - log.first];
    warp.report(Check::Wgmma, instrs[missed.pc], -1, [&] {
      return "this warp exits without executing this, which warp " +
             std::to_string(missed.warp) +
             " of its warpgroup has executed; all four warps must";
    });
  }
  if (!warp.wgmma || warp.wgmma->inFlight.empty())
    return;
  warp.report(Check::Wgmma, *warp.wgmma->inFlight.front().instr, -1,
              "this warp exits while this wgmma is in flight: nobody waits for "
              "its result; wgmma.commit_group and wgmma.wait_group come first");
}

} // namespace wna16::emulator
