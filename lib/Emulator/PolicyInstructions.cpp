//===- PolicyInstructions.cpp - createpolicy ------------------------------===//
//
// A cache policy is an opaque number that loads and stores carry as a hint. It
// changes no result; a kernel can only create it and hand it on.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/Warp.h"

namespace wna16::emulator {
namespace {

/// Instr::imm: the number.
Step runCreatePolicy(Warp &warp, const Instr &instr, uint32_t mask) {
  uint64_t out[warpSize];
  std::fill(out, out + warpSize, instr.imm);
  uint32_t isDefined = fullMask;
  for (unsigned s = 0; s < instr.numSrc; ++s)
    isDefined &= warp.definedLanes(instr.src[s]);
  warp.write(instr.dst[0], out, mask, isDefined);
  return Step::Next;
}

bool decodeCreatePolicy(Decoder &d) {
  const int form = d.takeOne({"fractional", "range", "cvt"});
  if (form < 0)
    return d.fail("expected .fractional, .range or .cvt");
  if (form == 1)
    d.skip({"global"});
  // What primary and secondary priority give a number of their own.
  uint64_t number = uint64_t(form + 1) << 60;
  if (form == 2) {
    if (!d.take("L2"))
      return d.fail("expected createpolicy.cvt.L2.b64");
  } else {
    const int primary = d.takeOne({"L2::evict_last", "L2::evict_normal",
                                   "L2::evict_first", "L2::evict_unchanged"});
    const int secondary = d.takeOne({"L2::evict_first", "L2::evict_unchanged"});
    if (primary < 0)
      return d.fail("expected a priority such as .L2::evict_first");
    number |= uint64_t(primary + 1) << 52 | uint64_t(secondary + 1) << 48;
  }
  d.instr.imm = number;
  d.instr.cls = InstrClass::Other;
  d.instr.handler = runCreatePolicy;
  if (!d.take("b64") || !d.end())
    return d.fail("expected .b64");
  const size_t sources = form == 0 ? 1 : form == 1 ? 3 : 1;
  if (!d.expectOperands(form == 0 ? 1 : sources + 1, sources + 1) ||
      !d.dst(d.operand(0), Type::B64))
    return false;
  for (size_t i = 1; i < d.numOperands(); ++i)
    if (!(form == 1 && i == 1 ? d.address(d.operand(i), Space::Global)
          : form == 0         ? d.src(d.operand(i), Type::F32)
                      : d.src(d.operand(i), form == 1 ? Type::U32 : Type::B64)))
      return false;
  return true;
}

} // namespace

void addPolicyInstructions(MnemonicTable &table) {
  table["createpolicy"] = decodeCreatePolicy;
}

} // namespace wna16::emulator
