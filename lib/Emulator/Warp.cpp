//===- Warp.cpp - registers and lanes of one warp -------------------------===//
//
// The fetch-execute loop, special registers and the checks all handlers share.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Warp.h"

#include "lib/Emulator/Block.h"
#include "lib/Emulator/OrderCheck.h"

#include <cstdio>

namespace wna16::emulator {

std::optional<RegClass> specialRegisterClass(std::string_view name) {
  constexpr std::string_view vectors[] = {
      "%tid",           "%ntid",           "%ctaid",     "%nctaid",
      "%cluster_ctaid", "%cluster_nctaid", "%clusterid", "%nclusterid"};
  for (std::string_view base : vectors)
    if (name.size() == base.size() + 2 && name.starts_with(base) &&
        name[base.size()] == '.' &&
        (name.back() == 'x' || name.back() == 'y' || name.back() == 'z'))
      return RegClass::Word;
  constexpr std::string_view words[] = {"%laneid",
                                        "%warpid",
                                        "%nwarpid",
                                        "%smid",
                                        "%nsmid",
                                        "%clock",
                                        "%clock_hi",
                                        "%lanemask_eq",
                                        "%lanemask_le",
                                        "%lanemask_lt",
                                        "%lanemask_ge",
                                        "%lanemask_gt",
                                        "%dynamic_smem_size",
                                        "%total_smem_size",
                                        "%cluster_ctarank",
                                        "%cluster_nctarank",
                                        "%is_explicit_cluster",
                                        "%globaltimer_lo",
                                        "%globaltimer_hi"};
  for (std::string_view word : words)
    if (name == word)
      return name == "%is_explicit_cluster" ? RegClass::Predicate
                                            : RegClass::Word;
  if (name == "%clock64" || name == "%globaltimer" || name == "%gridid")
    return RegClass::Wide;
  return std::nullopt;
}

void Warp::start(uint32_t warpId) {
  id = warpId;
  const uint32_t threads = block.launch.threads - id * warpSize;
  initialLanes = threads >= warpSize ? fullMask : (1u << threads) - 1;
  registers.resize(program.registerBytes);
  std::fill(registers.begin(), registers.end(), uint8_t(0xcd));
  shadow.assign(program.registerBytes, uint8_t(0xff));
  bank[0] = registers.data();
  bank[1] = const_cast<uint8_t *>(program.pool.data());
  predicates.assign(program.numPredicates, 0);
  predicates[1] = fullMask;
  defined.assign(program.registerNames.size(), 0);
  defined[0] = fullMask;
  local.assign(size_t(program.localBytes) * warpSize, 0xff);
  localUndefined.assign(local.size(), 1);
  state = State::Runnable;
  voting = nullptr;
  lanes.start(initialLanes);
  clock = WarpClock();
  clock.id = block.rank * block.launch.warps + id;
  order = MemoryOrder();
  copies.reset();
  openLoads.clear();
  waitMbarrier = nullptr;
  clusterArrived = clusterPhases = 0;
  waitsForCluster = false;
  bulkGroups.fill(0);
  wgmma.reset();
  backEdges = 0;
  gaveUp.clear();
  setSpecialRegisters();
}

void Warp::setSpecialRegisters() {
  const LaunchSpec &spec = block.launch.spec;
  for (const SpecialRegister &special : program.specials) {
    const std::string &name = special.name;
    uint64_t row[warpSize];
    auto splat = [&](uint64_t value) { std::fill(row, row + warpSize, value); };
    const unsigned axis = name.size() > 2 && name[name.size() - 2] == '.'
                              ? unsigned(name.back() - 'x')
                              : 0;
    if (special.value.cls == RegClass::Predicate) { // %is_explicit_cluster
      writePredicate(special.value,
                     block.cluster.blocks.size() > 1 ? fullMask : 0, fullMask,
                     fullMask);
      continue;
    }
    splat(0);
    if (name.starts_with("%tid.")) {
      for (unsigned lane = 0; lane < warpSize; ++lane) {
        const uint32_t thread = id * warpSize + lane;
        const uint32_t x = spec.block[0], y = spec.block[1];
        row[lane] = axis == 0   ? thread % x
                    : axis == 1 ? thread / x % y
                                : thread / x / y;
      }
    } else if (name.starts_with("%ntid.")) {
      splat(spec.block[axis]);
    } else if (name.starts_with("%ctaid.")) {
      splat(block.index[axis]);
    } else if (name.starts_with("%clusterid.")) {
      splat(block.index[axis] / spec.cluster[axis]);
    } else if (name.starts_with("%cluster_ctaid.")) {
      splat(block.index[axis] % spec.cluster[axis]);
    } else if (name.starts_with("%nctaid.")) {
      splat(spec.grid[axis]);
    } else if (name.starts_with("%nclusterid.")) {
      splat(spec.grid[axis] / spec.cluster[axis]);
    } else if (name.starts_with("%cluster_nctaid.")) {
      splat(spec.cluster[axis]);
    } else if (name == "%cluster_ctarank") {
      splat(block.rank);
    } else if (name == "%cluster_nctarank") {
      splat(block.cluster.blocks.size());
    } else if (name == "%nsmid") {
      splat(1);
    } else if (name == "%warpid") {
      splat(id);
    } else if (name == "%nwarpid") {
      splat(block.launch.warps);
    } else if (name == "%dynamic_smem_size") {
      splat(spec.sharedBytes);
    } else if (name == "%total_smem_size") {
      splat(block.launch.sharedBytes);
    } else {
      for (unsigned lane = 0; lane < warpSize; ++lane) {
        const uint32_t bit = 1u << lane;
        row[lane] = name == "%laneid"        ? lane
                    : name == "%lanemask_eq" ? bit
                    : name == "%lanemask_lt" ? bit - 1
                    : name == "%lanemask_le" ? (bit - 1) | bit
                    : name == "%lanemask_ge" ? ~(bit - 1)
                    : name == "%lanemask_gt" ? ~((bit - 1) | bit)
                                             : 0;
      }
    }
    writeAny(special.value, row, fullMask, fullMask);
  }
}

void Warp::writeAny(const Value &v, const uint64_t *row, uint32_t mask,
                    uint32_t isDefined) {
  if (v.cls == RegClass::Wide)
    return write(v, row, mask, isDefined);
  uint32_t narrow[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    narrow[i] = uint32_t(row[i]);
  write(v, narrow, mask, isDefined);
}

void Warp::markLane(const Value &v, unsigned i, uint64_t undefined) {
  const uint32_t bit = 1u << i;
  defined[v.index] =
      undefined ? defined[v.index] & ~bit : defined[v.index] | bit;
  uint8_t *row = shadow.data() + v.offset;
  if (v.cls == RegClass::Wide)
    reinterpret_cast<uint64_t *>(row)[i] = undefined;
  else
    reinterpret_cast<uint32_t *>(row)[i] = uint32_t(undefined);
}

void Warp::spoil(const Value &v, uint32_t mask) {
  const unsigned bytes = v.cls == RegClass::Wide ? 8 : 4;
  uint8_t *row = shadow.data() + v.offset;
  if (mask == fullMask)
    std::memset(row, 0xff, bytes * warpSize);
  else
    forLanes(mask,
             [&](unsigned i) { std::memset(row + i * bytes, 0xff, bytes); });
}

uint64_t Warp::run(uint64_t quantum) {
  const uint32_t size = uint32_t(program.instrs.size());
  auto *counts = block.counters.instructions.data();
  OrderCheck *const orderCheck = block.launch.orderCheck;
  uint64_t executed = 0;
  while (executed < quantum) {
    if (lanes.done()) {
      state = State::Done;
      leaveWarpgroup(*this);
      block.warpExited(*this);
      return executed;
    }
    const uint32_t at = lanes.pc();
    if (at >= size) { // the end of the body is an exit
      lanes.exit(lanes.mask(), at);
      continue;
    }
    const Instr &instr = program.instrs[at];
    uint32_t mask = lanes.mask();
    ++executed;
    if (orderCheck) [[unlikely]]
      orderCheck->before(*this, instr);
    // Registers are waited for whatever the guard says.
    if (instr.tracksLoads && !openLoads.empty()) [[unlikely]]
      useLoads(*this, instr);
    if (instr.hasGuard) {
      if (mask & ~definedLanes(instr.guard))
        requireDefined(instr, instr.guard, mask,
                       "the predicate that guards this instruction");
      mask &= predicate(instr.guard);
      if (!mask) {
        ++counts[at].warps;
        lanes.moveTo(at + 1);
        continue;
      }
    }
    ++counts[at].warps;
    counts[at].lanes += unsigned(__builtin_popcount(mask));
    executing = mask;
    if (wgmma) [[unlikely]]
      touchRegisters(*this, instr);
    switch (instr.handler(*this, instr, mask)) {
    case Step::Next:
      lanes.moveTo(at + 1);
      break;
    case Step::Moved:
      break;
    case Step::Wait:
      lanes.moveTo(at + 1);
      if (state == State::Waiting)
        return executed;
      break;
    case Step::Retry:
      if (state == State::Waiting)
        return executed;
      break;
    case Step::Yield:
      lanes.moveTo(at + 1);
      lanes.rotate();
      return executed;
    case Step::Stop:
      state = State::Done;
      block.failed = true;
      return executed;
    }
  }
  return executed;
}

Report placeOf(const Program &program, uint32_t pc) {
  Report report;
  report.file = program.module->fileName;
  if (pc >= program.instrs.size())
    return report;
  const ast::Instruction &source = program.source(program.instrs[pc]);
  report.line = source.line;
  report.instruction = source.opcode();
  if (source.location) {
    const ast::Location &loc = program.function->locations[source.location - 1];
    report.sourceLine = loc.line;
    auto file = program.module->files.find(loc.file);
    if (file != program.module->files.end())
      report.sourceFile = file->second;
  }
  return report;
}

void Warp::reportImpl(Check check, const Instr &instr, int laneIndex,
                      const std::function<std::string()> &message) {
  block.launch.reporter.add(check, pc(instr), block.cluster.number, [&] {
    Report report = placeOf(program, pc(instr));
    report.message = message();
    report.block = block.index;
    report.warp = int(id);
    report.lane = laneIndex;
    return report;
  });
}

/// " (undefined bits: 0xffff0000)" if a lane is defined in part, else nothing.
std::string Warp::partText(const Value &v, unsigned lane) const {
  if (v.cls == RegClass::Predicate)
    return "";
  const uint64_t all = v.cls == RegClass::Wide ? ~uint64_t(0) : 0xffffffffu;
  const uint64_t bits = undefinedBits(v, lane);
  if (bits == all)
    return "";
  char text[40];
  std::snprintf(text, sizeof(text), " (undefined bits: 0x%llx)",
                static_cast<unsigned long long>(bits));
  return text;
}

uint32_t Warp::requireDefined(const Instr &instr, const Value &v, uint32_t mask,
                              const char *use, uint64_t field) {
  uint32_t bad = mask & ~definedLanes(v);
  if (bad && v.cls != RegClass::Predicate)
    bad &= ~definedLanes(v, field);
  if (!bad)
    return mask;
  const unsigned first = firstLane(bad);
  report(Check::Uninitialized, instr, int(first), [&] {
    return "register " + registerName(v) + " is undefined and is used as " +
           use + partText(v, first) +
           "; it comes from a register or memory that was never written, "
           "initialise that";
  });
  // Reported once: what follows is the consequence of it.
  markDefined(v, bad, bad);
  return block.launch.reporter.wants(Check::Uninitialized) ? mask & ~bad : mask;
}

static std::string laneList(uint32_t mask) {
  std::string out;
  unsigned shown = 0;
  forLanes(mask, [&](unsigned lane) {
    if (shown < 4)
      out += (shown ? ", " : "") + std::to_string(lane);
    ++shown;
  });
  if (shown > 4)
    out += ", ... (" + std::to_string(shown) + " lanes)";
  return out;
}

bool Warp::requireTogether(const Instr &instr, uint32_t members,
                           uint32_t mask) {
  if (uint32_t outside = mask & ~members) {
    report(Check::Divergence, instr, int(firstLane(outside)), [&] {
      return "lane " + laneList(outside) +
             " executes this without being in its member mask";
    });
    return false;
  }
  const uint32_t missing = members & lanes.alive() & ~mask;
  if (!missing)
    return true;
  report(Check::Divergence, instr, int(firstLane(missing)), [&] {
    std::string where;
    for (const Divergence::Place &place : lanes.places())
      if (place.mask & missing && place.pc != lanes.pc())
        where += " at line " + std::to_string(program.line(place.pc));
    return "lanes of the member mask are missing: " + laneList(missing) +
           (where.empty() ? " (predicated off or waiting to reconverge)"
                          : " (" + where.substr(1) + ")") +
           "; all of them must reach this instruction together";
  });
  return !block.launch.reporter.wants(Check::Divergence);
}

bool Warp::requireWhole(const Instr &instr, uint32_t mask) {
  return requireTogether(instr, fullMask, mask);
}

void Warp::syncLanes(uint32_t mask) {
  block.clock.syncLanes(clock, mask & lanes.alive(), lanes.alive());
}

} // namespace wna16::emulator
