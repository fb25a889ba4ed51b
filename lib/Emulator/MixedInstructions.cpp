//===- MixedInstructions.cpp - f32 arithmetic with 16-bit operands --------===//
//
// add, sub and fma whose factors or first term are f16 or bf16 and whose result
// is f32 (sm_100): the narrow operands are converted, which is exact.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/FloatInstructions.h"
#include "lib/Emulator/FloatOps.h"
#include "lib/Emulator/Rows.h"

namespace wna16::emulator {
namespace {

/// Instr::flag: saturate; flag2: bf16; sub: rounding; imm: subtract.
Step runMixed(Warp &warp, const Instr &instr, uint32_t mask) {
  const unsigned narrow = instr.numSrc - 1u; // the last operand is f32
  const Rounding rounding = Rounding(instr.sub);
  uint32_t row[warpSize], isDefined = warp.definedLanes(instr.src[narrow]);
  for (unsigned s = 0; s < narrow; ++s)
    isDefined &= warp.definedLanes(instr.src[s], 0xffff);
  auto factor = [&](unsigned s, unsigned i) {
    const uint32_t bits = warp.words(instr.src[s])[i] & 0xffff;
    return std::bit_cast<uint32_t>(instr.flag2 ? bfloatToFloat(bits)
                                               : halfToFloat(bits));
  };
  for (unsigned i = 0; i < warpSize; ++i) {
    const uint32_t c = warp.words(instr.src[narrow])[i];
    row[i] = narrow == 2
                 ? fmaF32<false>(factor(0, i), factor(1, i), c, rounding)
             : instr.imm ? binaryF32<Sub, false>(factor(0, i), c, rounding)
                         : binaryF32<Add, false>(factor(0, i), c, rounding);
    if (instr.flag)
      row[i] = std::bit_cast<uint32_t>(saturate(std::bit_cast<float>(row[i])));
  }
  warp.write(instr.dst[0], row, mask, isDefined);
  return Step::Next;
}

} // namespace

bool decodeMixed(Decoder &d, Type narrow, FloatModifiers modifiers) {
  const bool isFma = d.mnemonic() == "fma";
  if (!isFma && d.mnemonic() != "add" && d.mnemonic() != "sub")
    return d.fail("mixed types exist for add, sub and fma only");
  if (modifiers.ftz || modifiers.relu || modifiers.oob)
    return d.fail("only .sat exists for mixed types");
  d.instr.cls = InstrClass::Float;
  d.instr.handler = runMixed;
  d.instr.flag = modifiers.sat;
  d.instr.flag2 = narrow == Type::BF16;
  d.instr.sub = uint8_t(modifiers.rounding.value_or(Rounding::Nearest));
  d.instr.imm = d.mnemonic() == "sub";
  const size_t sources = isFma ? 3 : 2;
  if (!d.expectOperands(sources + 1) || !d.dst(d.operand(0), Type::F32))
    return false;
  for (size_t i = 1; i < sources; ++i)
    if (!d.src(d.operand(i), narrow))
      return false;
  return d.src(d.operand(sources), Type::F32);
}

} // namespace wna16::emulator
