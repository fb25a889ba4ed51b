//===- OpenLoads.cpp - loads whose results nobody used --------------------===//
//
// Which registers results of loads are in, and what ends a load.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/OpenLoads.h"

#include "lib/Emulator/MemoryAccess.h"

namespace wna16::emulator {
namespace {

bool isSharedLoad(const Instr &instr) {
  // A strong load is followed by others that are ordered behind it.
  return instr.cls == InstrClass::MatrixLoad ||
         (instr.cls == InstrClass::Load && !instr.flag2 &&
          (isShared(instr.space) || instr.space == Space::Generic));
}

bool isRegister(const Value &value) {
  return !value.bank && value.cls != RegClass::Predicate;
}

template <typename F> void forSources(const Instr &instr, F &&f) {
  for (unsigned i = 0; i < instr.numSrc; ++i)
    if (isRegister(instr.src[i]))
      f(instr.src[i].index);
}

template <typename F> void forResults(const Instr &instr, F &&f) {
  for (unsigned i = 0; i < instr.numDst; ++i)
    if (isRegister(instr.dst[i]))
      f(instr.dst[i].index);
}

bool holds(const OpenLoad &load, uint32_t index) {
  return std::find(load.results.begin(), load.results.end(), index) !=
         load.results.end();
}

SharedMemory::Agent agentOf(Warp &warp, const OpenLoad &load) {
  return sharedAgent(warp, warp.program.instrs[load.pc], load.lane);
}

void end(Warp &warp, const OpenLoad &load) {
  if (load.published)
    forLanes(load.mask, [&](unsigned lane) {
      load.owner[lane]->shared.endUnfinished(agentOf(warp, load),
                                             load.offset[lane], load.bytes);
    });
}

} // namespace

void findTrackedLoads(Program &program) {
  bool copies = false, arrivals = false;
  for (const Instr &instr : program.instrs) {
    const auto &parts = program.source(instr).parts;
    copies |= parts.size() > 2 && parts[0] == "cp" && parts[2] == "bulk";
    arrivals |= parts[0] == "mbarrier";
  }
  if (!copies || !arrivals)
    return;
  // Registers with results of loads, also copied ones, and those that are read.
  std::vector<bool> loaded(program.registerNames.size()), read(loaded.size());
  for (const Instr &instr : program.instrs) {
    if (isSharedLoad(instr))
      forResults(instr, [&](uint32_t index) { loaded[index] = true; });
    forSources(instr, [&](uint32_t index) { read[index] = true; });
  }
  auto anyLoaded = [&](const Instr &instr) {
    bool any = false;
    forSources(instr, [&](uint32_t index) { any |= loaded[index]; });
    return any;
  };
  for (bool more = true; more;) {
    more = false;
    for (const Instr &instr : program.instrs)
      if (instr.cls == InstrClass::Move && anyLoaded(instr))
        forResults(instr, [&](uint32_t index) {
          more |= !loaded[index];
          loaded[index] = true;
        });
  }
  for (Instr &instr : program.instrs) {
    instr.tracksLoads = anyLoaded(instr);
    bool used = false;
    forResults(instr, [&](uint32_t index) {
      instr.tracksLoads |= loaded[index];
      used |= read[index];
    });
    // ptxas removes a load without a use.
    if (isSharedLoad(instr))
      instr.tracksLoads = used;
  }
}

void useLoads(Warp &warp, const Instr &instr) {
  std::erase_if(warp.openLoads, [&](OpenLoad &load) {
    bool uses = false, overwrites = false;
    forSources(instr, [&](uint32_t index) { uses |= holds(load, index); });
    forResults(instr,
               [&](uint32_t index) { overwrites |= holds(load, index); });
    if (uses && !overwrites && instr.cls == InstrClass::Move) {
      forResults(instr, [&](uint32_t index) { load.results.push_back(index); });
      return false;
    }
    if (uses || overwrites)
      end(warp, load);
    return uses || overwrites;
  });
}

void openLoad(Warp &warp, const Instr &instr, const Resolved &from,
              uint32_t bytes) {
  if (!instr.tracksLoads || !from.mask)
    return;
  OpenLoad load;
  load.pc = warp.pc(instr);
  load.mask = from.mask;
  load.bytes = bytes;
  load.time = warp.block.clock.now();
  load.offset = from.offset;
  load.owner = from.owner;
  forResults(instr, [&](uint32_t index) { load.results.push_back(index); });
  warp.openLoads.push_back(std::move(load));
}

void publishLoads(Warp &warp, uint32_t lane) {
  for (OpenLoad &load : warp.openLoads) {
    if (load.published)
      continue;
    load.published = true;
    load.lane = lane;
    forLanes(load.mask, [&](unsigned i) {
      load.owner[i]->shared.beginUnfinished(agentOf(warp, load), load.offset[i],
                                            load.bytes, load.time);
    });
  }
}

void endLoads(Warp &warp, uint32_t mask) {
  std::erase_if(warp.openLoads, [&](OpenLoad &load) {
    OpenLoad over = load;
    over.mask &= mask;
    end(warp, over);
    load.mask &= ~mask;
    return !load.mask;
  });
}

} // namespace wna16::emulator
