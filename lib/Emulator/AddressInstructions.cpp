//===- AddressInstructions.cpp - cvta, isspacep ---------------------------===//
//
// Addresses between the state spaces and generic address space, in which each
// space is a window.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/Warp.h"

namespace wna16::emulator {
namespace {

uint64_t windowOf(Space space) {
  switch (space) {
  case Space::Shared:
  case Space::SharedCluster:
    return sharedWindow;
  case Space::Local:
    return localWindow;
  case Space::Param:
    return paramWindow;
  case Space::Const:
    return constWindow;
  default:
    return 0;
  }
}

Step runCvta(Warp &warp, const Instr &instr, uint32_t mask) {
  uint64_t out[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    out[i] = warp.lane(instr.src[0], i) + instr.imm;
  warp.writeAny(instr.dst[0], out, mask, warp.definedLanes(instr.src[0]));
  return Step::Next;
}

std::optional<Space> takeSpace(Decoder &d) {
  switch (d.takeOne({"param", "param::entry", "global", "shared", "shared::cta",
                     "shared::cluster", "local", "const"})) {
  case 0:
  case 1:
    return Space::Param;
  case 2:
    return Space::Global;
  case 3:
  case 4:
    return Space::Shared;
  case 5:
    return Space::SharedCluster;
  case 6:
    return Space::Local;
  case 7:
    return Space::Const;
  default:
    d.fail("expected a state space");
    return std::nullopt;
  }
}

bool decodeCvta(Decoder &d) {
  const bool toSpace = d.take("to");
  auto space = takeSpace(d);
  auto type = space ? d.takeType() : std::nullopt;
  if (!type || !d.end() || !d.expectOperands(2))
    return false;
  d.instr.cls = InstrClass::Convert;
  d.instr.handler = runCvta;
  d.instr.imm = toSpace ? 0 - windowOf(*space) : windowOf(*space);
  if (!d.dst(d.operand(0), *type))
    return false;
  // `cvta.shared.u64 %rd, name` takes the address of a variable.
  if (d.operand(1).kind == ast::Operand::Kind::Name &&
      !d.findRegister(d.operand(1)))
    if (auto symbol = d.symbol(d.operand(1))) {
      d.srcImmediate(registerClass(*type),
                     symbol->address + d.operand(1).value);
      return true;
    }
  return d.src(d.operand(1), *type);
}

/// isspacep.space p, a: does the generic address lie in a space?
Step runIsSpace(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t result = 0;
  forLanes(mask, [&](unsigned i) {
    const uint64_t address = warp.lane(instr.src[0], i);
    const uint64_t window = windowOf(instr.space);
    const bool inWindow = address - window < windowSize;
    const bool global =
        address < sharedWindow || address >= constWindow + windowSize;
    result |= uint32_t(instr.space == Space::Global ? global : inWindow) << i;
  });
  warp.writePredicate(instr.dst[0], result, mask,
                      warp.definedLanes(instr.src[0]));
  return Step::Next;
}

bool decodeIsSpace(Decoder &d) {
  auto space = takeSpace(d);
  if (!space || !d.end() || !d.expectOperands(2))
    return false;
  d.instr.space = *space;
  d.instr.cls = InstrClass::Integer;
  d.instr.handler = runIsSpace;
  return d.dst(d.operand(0), Type::Pred) && d.src(d.operand(1), Type::U64);
}

} // namespace

void addAddressInstructions(MnemonicTable &table) {
  table["cvta"] = decodeCvta;
  table["isspacep"] = decodeIsSpace;
}

} // namespace wna16::emulator
