//===- ControlInstructions.cpp - bra, exit, trap, ... ---------------------===//
//
// Branches, ends and the instructions that only concern scheduling.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Block.h"
#include "lib/Emulator/Decoder.h"

namespace wna16::emulator {
namespace {

/// Backward branches of a divergent warp after which its other lanes get a
/// turn: one lane may wait for another one of its own warp.
constexpr uint32_t maxBackEdges = 1000;

Step afterBranch(Warp &warp, bool backward) {
  if (backward && warp.lanes.diverged() && ++warp.backEdges >= maxBackEdges) {
    warp.backEdges = 0;
    warp.lanes.rotate();
  }
  return Step::Moved;
}

Step runBra(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t pc = warp.pc(instr);
  warp.lanes.branch(mask, instr.target, pc + 1, instr.reconvergence);
  return afterBranch(warp, instr.target <= pc);
}

/// brx.idx: one target of a table per lane.
Step runBrx(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t count = uint32_t(instr.imm);
  const uint32_t *table = warp.program.branchTables.data() + (instr.imm >> 32);
  warp.requireDefined(instr, instr.src[0], mask, "the index of a branch");
  const uint32_t *index = warp.words(instr.src[0]);
  const uint32_t first = index[firstLane(mask)];
  uint32_t together = 0;
  bool valid = true;
  forLanes(mask, [&](unsigned lane) {
    valid &= index[lane] < count;
    together |= uint32_t(index[lane] == first) << lane;
  });
  if (!valid) {
    warp.report(Check::Bounds, instr, int(firstLane(mask)),
                "the index of the branch is outside its table");
    return Step::Stop;
  }
  // Lanes with the index of the first one leave; the others come back here.
  const uint32_t pc = warp.pc(instr);
  const uint32_t others = mask == warp.lanes.mask()
                              ? (together == mask ? table[first] : pc)
                              : pc + 1;
  if (mask != warp.lanes.mask() && together != mask) {
    warp.report(Check::Unsupported, instr, -1,
                "a guarded divergent brx is not supported");
    return Step::Stop;
  }
  warp.lanes.branch(together, table[first], others, instr.reconvergence);
  return Step::Moved;
}

Step runExit(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.lanes.exit(mask, warp.pc(instr) + 1);
  return Step::Moved;
}

Step runTrap(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.report(Check::Trap, instr, int(firstLane(mask)),
              "the kernel executes trap");
  return Step::Stop;
}

Step runNothing(Warp &, const Instr &, uint32_t) { return Step::Next; }

Step runNanosleep(Warp &, const Instr &, uint32_t) { return Step::Yield; }

bool decodeBra(Decoder &d) {
  d.skip({"uni"});
  d.instr.cls = InstrClass::Control;
  d.instr.handler = runBra;
  return d.end() && d.expectOperands(1) &&
         d.label(d.operand(0), d.instr.target);
}

bool decodeBrx(Decoder &d) {
  d.skip({"idx", "uni"});
  d.instr.cls = InstrClass::Control;
  d.instr.handler = runBrx;
  return d.end() && d.expectOperands(2) && d.src(d.operand(0), Type::U32) &&
         d.branchTable(d.operand(1));
}

template <Handler handler> bool decodePlain(Decoder &d) {
  d.skip({"uni"});
  d.instr.cls = InstrClass::Control;
  d.instr.handler = handler;
  return d.end() && d.expectOperands(0);
}

bool decodeNanosleep(Decoder &d) {
  d.instr.cls = InstrClass::Control;
  d.instr.handler = runNanosleep;
  return d.take("u32") && d.end() && d.expectOperands(1) &&
         d.src(d.operand(0), Type::U32);
}

/// Nothing to do here.
bool decodeIgnored(Decoder &d) {
  d.instr.cls = InstrClass::Control;
  d.instr.handler = runNothing;
  return true;
}

} // namespace

void addControlInstructions(MnemonicTable &table) {
  table["bra"] = decodeBra;
  table["brx"] = decodeBrx;
  table["exit"] = decodePlain<runExit>;
  table["ret"] = decodePlain<runExit>;
  table["trap"] = decodePlain<runTrap>;
  table["brkpt"] = decodePlain<runNothing>;
  table["nanosleep"] = decodeNanosleep;
  table["pmevent"] = decodeIgnored;
}

} // namespace wna16::emulator
