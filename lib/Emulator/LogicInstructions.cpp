//===- LogicInstructions.cpp - lop3, prmt ---------------------------------===//
//
// Any function of three bits, and any permutation of bytes.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/BitOps.h"
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/Warp.h"

namespace wna16::emulator {
namespace {

/// Writes the result of three 32-bit sources; `undefined(lane, ...)` gets the
/// undefined bits of each and returns those of the result.
template <typename F>
Step writeTernary(Warp &warp, const Instr &instr, uint32_t mask,
                  const uint32_t *out, F undefined) {
  const Value *src = instr.src;
  const uint32_t isDefined = warp.definedLanes(src[0]) &
                             warp.definedLanes(src[1]) &
                             warp.definedLanes(src[2]);
  if (!(mask & ~isDefined)) [[likely]] {
    warp.write(instr.dst[0], out, mask, fullMask);
    return Step::Next;
  }
  uint32_t bits[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    bits[i] = undefined(i, uint32_t(warp.undefinedBits(src[0], i)),
                        uint32_t(warp.undefinedBits(src[1], i)),
                        uint32_t(warp.undefinedBits(src[2], i)));
  warp.writePartly(instr.dst[0], out, mask, bits);
  return Step::Next;
}

Step runLop3(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]), *b = warp.words(instr.src[1]),
                 *c = warp.words(instr.src[2]);
  const uint32_t table = uint32_t(instr.imm);
  alignas(64) uint32_t out[warpSize];
  if (table == 0xea) { // (a & b) | c, the core of every dequantisation
    for (unsigned i = 0; i < warpSize; ++i)
      out[i] = (a[i] & b[i]) | c[i];
  } else {
    for (unsigned i = 0; i < warpSize; ++i)
      out[i] = lop3(a[i], b[i], c[i], table);
  }
  return writeTernary(warp, instr, mask, out,
                      [&](unsigned i, uint32_t ua, uint32_t ub, uint32_t uc) {
                        return lop3Undefined(a[i], b[i], c[i], ua, ub, uc,
                                             table);
                      });
}

/// lop3.BoolOp d|p: the predicate says whether the result has a bit set,
/// combined with another one. Instr::flag: and, otherwise or.
Step runLop3Predicate(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t isDefined = warp.definedLanes(instr.src[3]), any = 0;
  for (unsigned s = 0; s < 3; ++s)
    isDefined &= warp.definedLanes(instr.src[s]);
  const uint32_t *a = warp.words(instr.src[0]), *b = warp.words(instr.src[1]),
                 *c = warp.words(instr.src[2]);
  for (unsigned i = 0; i < warpSize; ++i)
    any |= uint32_t(lop3(a[i], b[i], c[i], uint32_t(instr.imm)) != 0) << i;
  const uint32_t other = warp.predicate(instr.src[3]);
  runLop3(warp, instr, mask);
  warp.writePredicate(instr.dst[1], instr.flag ? any & other : any | other,
                      mask, isDefined);
  return Step::Next;
}

Step runPrmt(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]), *b = warp.words(instr.src[1]),
                 *c = warp.words(instr.src[2]);
  alignas(64) uint32_t out[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    out[i] = permuteBytes(a[i], b[i], c[i], PermuteMode(instr.sub));
  return writeTernary(
      warp, instr, mask, out,
      [&](unsigned i, uint32_t ua, uint32_t ub, uint32_t uc) {
        return uc ? ~0u : permuteBytes(ua, ub, c[i], PermuteMode(instr.sub));
      });
}

bool decodePrmt(Decoder &d) {
  if (!d.take("b32"))
    return d.fail("expected prmt.b32");
  const int mode = d.takeOne({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  d.instr.sub = uint8_t(mode + 1);
  return d.end() && d.expectOperands(4) && d.dst(d.operand(0), Type::B32) &&
         d.src(d.operand(1), Type::B32) && d.src(d.operand(2), Type::B32) &&
         d.src(d.operand(3), Type::B32) && d.runs(runPrmt, InstrClass::Integer);
}

bool decodeLop3(Decoder &d) {
  const int combined = d.takeOne({"or", "and"});
  const size_t operands = combined < 0 ? 5 : 6;
  if (!d.take("b32") || !d.end() || d.numOperands() != operands ||
      (combined >= 0) != (d.operand(0).kind == ast::Operand::Kind::Pair))
    return d.fail("expected lop3.b32 d, a, b, c, table or lop3.{or,and}.b32 "
                  "d|p, a, b, c, table, q");
  const ast::Operand &to = d.operand(0);
  auto table = d.constant(d.operand(4));
  if (!table)
    return false;
  if (*table > 255)
    return d.fail("the table of lop3 is " + std::to_string(*table) +
                  ", expected 0 to 255");
  d.instr.imm = *table;
  d.instr.flag = combined == 1;
  if (!d.dst(combined < 0 ? to : to.elements[0], Type::B32))
    return false;
  for (size_t i = 1; i < 4; ++i)
    if (!d.src(d.operand(i), Type::B32))
      return false;
  if (combined < 0)
    return d.runs(runLop3, InstrClass::Integer);
  return d.dst(to.elements[1], Type::Pred) && d.srcPredicate(d.operand(5)) &&
         d.runs(runLop3Predicate, InstrClass::Integer);
}

} // namespace

void addLogicInstructions(MnemonicTable &table) {
  table["prmt"] = decodePrmt;
  table["lop3"] = decodeLop3;
}

} // namespace wna16::emulator
