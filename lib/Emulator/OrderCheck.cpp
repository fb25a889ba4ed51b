//===- OrderCheck.cpp - no address in a loop depends on data (ORD5b) ------===//
//
// Which addresses are refused, and what the report says.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/OrderCheck.h"

#include "lib/Emulator/Block.h"
#include "lib/Emulator/TaintFlow.h"

#include <algorithm>

namespace wna16::emulator {
namespace {

using Flow = OrderCheck::Flow;

/// The first space that a bulk operation names is that of its destination.
bool toGlobal(const std::vector<std::string_view> &parts) {
  for (std::string_view part : parts)
    if (part == "global" || part.starts_with("shared"))
      return part == "global";
  return false;
}

Flow flowOf(const Program &program, const Instr &instr) {
  const auto &parts = program.source(instr).parts;
  const std::string_view name = parts[0];
  const auto has = [&](std::string_view part) {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  if (name == "ld" || name == "ldu")
    return Flow::Load;
  if (name == "st" || name == "red")
    return has("async")   ? Flow::Engine
           : name == "st" ? Flow::Store
                          : Flow::Atomic;
  if (name == "atom")
    return Flow::Atomic;
  if (name == "cp" && (has("ca") || has("cg")))
    return Flow::Copy;
  if (name == "cp" && has("bulk") && instr.numSrc)
    return toGlobal(parts) ? Flow::EngineToGlobal : Flow::Engine;
  if (name == "ldmatrix")
    return Flow::LoadMatrix;
  if (name == "stmatrix")
    return Flow::StoreMatrix;
  if (name == "shfl")
    return Flow::Shuffle;
  if (name == "bra" || name == "brx")
    return Flow::Branch;
  if (name == "mma" || name == "wgmma" || name == "movmatrix" ||
      name == "vote" || name == "match" || name == "redux")
    return Flow::Across;
  return Flow::Plain;
}

/// An instruction whose source `index` is an address says by it where to read.
bool readsThrough(Flow flow, unsigned index) {
  switch (flow) {
  case Flow::Load:
  case Flow::LoadMatrix:
  case Flow::Across: // descriptors of wgmma
  case Flow::Engine:
    return true;
  case Flow::Copy: // the first one is the destination
    return index > 0;
  default:
    return false;
  }
}

} // namespace

OrderCheck::OrderCheck(const Program &program, const Device &device)
    : program(program), device(device), table(program, device), global(device),
      worksOnK(program.loops.loops().size()),
      everyRound(program.instrs.size()) {
  for (uint32_t pc = 0; pc < program.instrs.size(); ++pc) {
    flows.push_back(flowOf(program, program.instrs[pc]));
    const bool forK = program.instrs[pc].cls == InstrClass::Matrix ||
                      flows[pc] == Flow::Copy || flows[pc] == Flow::Engine;
    if (const int32_t loop = program.loops.innermost(pc);
        forK && loop != LoopForest::none)
      worksOnK[size_t(loop)] = true;
  }
  for (uint32_t pc = 0; pc < program.instrs.size(); ++pc) {
    const Flow flow = flows[pc];
    if (program.instrs[pc].hasGuard ||
        (flow != Flow::Load && flow != Flow::Atomic && flow != Flow::Copy &&
         flow != Flow::Engine))
      continue;
    const auto &loops = program.loops.loops();
    for (int32_t loop = program.loops.innermost(pc); loop != LoopForest::none;
         loop = loops[size_t(loop)].parent)
      if (worksOnK[size_t(loop)] && loops[size_t(loop)].depth < 64 &&
          !program.loops.avoidable(loop, pc, program.flow))
        everyRound[pc] |= uint64_t(1) << loops[size_t(loop)].depth;
  }
}

std::shared_ptr<BlockTaint> OrderCheck::startBlock(uint32_t warps,
                                                   uint32_t sharedBytes) const {
  auto block = std::make_shared<BlockTaint>();
  block->shared.assign(sharedBytes, TaintTable::clean);
  block->warps.resize(warps);
  for (WarpTaint &warp : block->warps) {
    warp.lanes.assign(program.registerNames.size(), 0);
    warp.rows.resize(program.registerNames.size());
    warp.local.assign(size_t(program.localBytes) * warpSize, TaintTable::clean);
  }
  return block;
}

bool OrderCheck::allowed(uint32_t pc, Taint taint, bool reads) const {
  const int32_t loop = program.loops.innermost(pc);
  if (loop == LoopForest::none)
    return true;
  const TaintTable::Origin from = table.origin(taint);
  if (from.ids == Buffer::Ids::None)
    return false;
  // Where results go is no matter of K.
  if (!reads || !worksOnK[size_t(loop)] ||
      !program.loops.contains(loop, from.pc))
    return true;
  return !(everyRound[from.pc] >> program.loops.loops()[size_t(loop)].depth &
           1);
}

/// "12 ld.global.u32 of 'g_idx' -> 13 shl.b32 -> 14 ld.global.u16"
static std::string pathText(const OrderCheck &check, Taint taint,
                            uint32_t last) {
  // A path through an unrolled sum is long and says little: its middle is
  // counted only.
  constexpr size_t shown = 20;
  const Program &program = check.program;
  const std::vector<uint32_t> path = check.table.path(taint, last);
  std::string out;
  for (size_t i = 0; i < path.size(); ++i) {
    if (i == shown && path.size() > 2 * shown) {
      i = path.size() - shown;
      out += " -> ... " + std::to_string(path.size() - 2 * shown) + " more";
    }
    out += (i ? " -> " : "") + std::to_string(program.line(path[i])) + " " +
           program.source(program.instrs[path[i]]).opcode();
    if (i)
      continue;
    const Buffer *buffer = check.table.origin(taint).buffer;
    out += buffer ? " of '" + buffer->name + "'"
                  : std::string(" of constant memory");
  }
  return out;
}

void OrderCheck::before(Warp &warp, const Instr &instr) {
  TaintFlow flow(*this, warp, instr);
  const uint32_t pc = warp.pc(instr);
  const int32_t loop = program.loops.innermost(pc);
  if (loop != LoopForest::none)
    for (unsigned i = 0; i < instr.numSrc; ++i) {
      if (!instr.src[i].isAddress)
        continue;
      const bool reads = readsThrough(flows[pc], i);
      const auto bad = flow.findTaint(instr.src[i], [&](Taint taint) {
        return !allowed(pc, taint, reads);
      });
      if (!bad)
        continue;
      warp.report(Check::Order, instr, int(bad->lane), [&] {
        const TaintTable::Origin from = table.origin(bad->taint);
        const std::string line = std::to_string(
            program.line(program.loops.loops()[size_t(loop)].header));
        const std::string path = pathText(*this, bad->taint, pc);
        if (from.ids == Buffer::Ids::None)
          return "an address in the loop of line " + line +
                 " depends on loaded data: " + path +
                 "; the order of K is static (ORD5b); address by loop "
                 "counters, "
                 "or by row and expert ids from buffers that the launch tags "
                 "so";
        return "an address in the loop of line " + line +
               " depends on ids that every round of this loop loads: " + path +
               "; the order of K is static (ORD5b); load row and expert ids "
               "before the loop over K";
      });
    }
  flow.run();
}

void OrderCheck::issued(const Instr &instr, const AsyncOperation &operation) {
  TaintFlow(*this, *operation.warp, instr).issued(operation);
}

} // namespace wna16::emulator
