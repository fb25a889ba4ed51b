//===- ClusterInstructions.cpp - clusters and dependent launches ----------===//
//
// The barrier of a cluster, addresses of other blocks' shared memory, and what
// concerns the launch: griddepcontrol, setmaxnreg.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/ClusterInstructions.h"

#include "lib/Emulator/MemoryAccess.h"

namespace wna16::emulator {
namespace {

/// Instr::flag: with release or acquire semantics; flag2: .aligned.
Step runArrive(Warp &warp, const Instr &instr, uint32_t mask) {
  if (instr.flag2 && !warp.requireWhole(instr, mask))
    return Step::Stop;
  return warp.block.cluster.arrive(warp, instr, mask, instr.flag);
}

Step runWait(Warp &warp, const Instr &instr, uint32_t mask) {
  if (instr.flag2 && !warp.requireWhole(instr, mask))
    return Step::Stop;
  return warp.block.cluster.wait(warp, instr, mask, instr.flag);
}

/// mapa: the address of the same place in another block of the cluster.
/// Instr::imm: the window of generic addresses, or 0.
Step runMapa(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t valid =
      warp.requireDefined(instr, instr.src[1], mask, "the rank of a block");
  const uint32_t *ranks = warp.words(instr.src[1]);
  const uint32_t size = uint32_t(warp.block.cluster.blocks.size());
  uint64_t out[warpSize] = {};
  uint32_t good = 0;
  const uint64_t displacement = uint64_t(instr.src[0].displacement);
  forLanes(valid, [&](unsigned lane) {
    const uint64_t address =
        warp.lane(instr.src[0], lane) + displacement - instr.imm;
    if (ranks[lane] >= size) {
      warp.report(Check::Cluster, instr, int(lane), [&] {
        return "there is no block rank " + std::to_string(ranks[lane]) +
               " in this cluster of " + std::to_string(size);
      });
      return;
    }
    const uint64_t offset = address & ((1u << clusterRankShift) - 1);
    out[lane] =
        instr.imm + (uint64_t(ranks[lane] + 1) << clusterRankShift) + offset;
    good |= 1u << lane;
  });
  warp.writeAny(instr.dst[0], out, mask,
                good & warp.definedLanes(instr.src[0]));
  return Step::Next;
}

/// getctarank: whose shared memory an address belongs to.
Step runRank(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t out[warpSize] = {};
  forLanes(mask, [&](unsigned lane) {
    const uint64_t address = warp.lane(instr.src[0], lane) - instr.imm;
    const uint64_t rank = address >> clusterRankShift;
    out[lane] = rank ? uint32_t(rank - 1) : warp.block.rank;
  });
  warp.write(instr.dst[0], out, mask, warp.definedLanes(instr.src[0]));
  return Step::Next;
}

Step runDependencyWait(Warp &warp, const Instr &, uint32_t mask) {
  View view;
  view.dependency = true;
  warp.block.clock.acquire(warp.clock, mask, warp.lanes.alive(), view);
  return Step::Next;
}

Step runNothing(Warp &, const Instr &, uint32_t) { return Step::Next; }

Step runMaxRegisters(Warp &warp, const Instr &instr, uint32_t mask) {
  return warp.requireWhole(instr, mask) ? Step::Next : Step::Stop;
}

template <Handler handler> bool decodeMap(Decoder &d) {
  const bool shared = d.take("shared::cluster");
  auto type = d.takeType();
  if (!type || (*type != Type::U32 && *type != Type::U64) || !d.end())
    return d.fail("expected .u32 or .u64");
  d.instr.cls = InstrClass::Integer;
  d.instr.handler = handler;
  d.instr.imm = shared ? 0 : sharedWindow;
  const bool ranks = d.mnemonic() == "getctarank";
  if (!d.expectOperands(ranks ? 2 : 3) ||
      !d.dst(d.operand(0), ranks ? Type::U32 : *type))
    return false;
  // The first source may be the name of a variable.
  if (d.findRegister(d.operand(1)) ? !d.src(d.operand(1), *type)
                                   : !d.address(d.operand(1), Space::Shared))
    return false;
  return ranks || d.src(d.operand(2), Type::U32);
}

bool decodeDependency(Decoder &d) {
  d.instr.cls = InstrClass::Control;
  const int form = d.takeOne({"wait", "launch_dependents"});
  d.instr.handler = form == 0 ? runDependencyWait : runNothing;
  if (form < 0)
    return d.fail("expected .wait or .launch_dependents");
  return d.end() && d.expectOperands(0);
}

bool decodeMaxRegisters(Decoder &d) {
  d.instr.cls = InstrClass::Control;
  d.instr.handler = runMaxRegisters;
  if (d.takeOne({"inc", "dec"}) < 0 || !d.take("sync") || !d.take("aligned") ||
      !d.take("u32") || !d.end() || !d.expectOperands(1))
    return d.fail("expected setmaxnreg.inc or .dec.sync.aligned.u32");
  auto count = d.constant(d.operand(0));
  if (count && (*count < 24 || *count > 256 || *count % 8))
    return d.fail("setmaxnreg of " + std::to_string(*count) +
                  " registers; expected a multiple of 8 from 24 to 256");
  return count.has_value();
}

} // namespace

bool decodeClusterBarrier(Decoder &d) {
  const int form = d.takeOne({"arrive", "wait"});
  if (form < 0)
    return d.fail("expected barrier.cluster.arrive or .wait");
  const int semantics = d.takeOne({"release", "acquire", "relaxed"});
  d.instr.flag = semantics != 2;
  d.instr.flag2 = d.take("aligned");
  d.instr.handler = form == 0 ? runArrive : runWait;
  return d.end() && d.expectOperands(0);
}

void addClusterInstructions(MnemonicTable &table) {
  table["mapa"] = decodeMap<runMapa>;
  table["getctarank"] = decodeMap<runRank>;
  table["griddepcontrol"] = decodeDependency;
  table["setmaxnreg"] = decodeMaxRegisters;
}

} // namespace wna16::emulator
