//===- DotInstructions.cpp - dp4a, dp2a, mul24, mad24, 16-bit pairs -------===//
//
// Integer arithmetic on parts of 32-bit registers.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/IntegerInstructions.h"
#include "lib/Emulator/Rows.h"

#include <algorithm>

namespace wna16::emulator {
namespace {

/// Field `i` of `width` bits, extended according to its signedness.
int64_t field(uint32_t bits, unsigned i, unsigned width, bool isSigned) {
  const unsigned rest = 32 - width;
  const uint32_t top = bits >> (i * width) << rest;
  return isSigned ? int64_t(int32_t(top) >> rest) : int64_t(top >> rest);
}

/// Instr::flag, flag2: A, B signed; sub: 0 dp4a, 1 dp2a.lo, 2 dp2a.hi.
Step runDot(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]), *b = warp.words(instr.src[1]),
                 *c = warp.words(instr.src[2]);
  const bool four = instr.sub == 0;
  const unsigned first = instr.sub == 2 ? 2 : 0;
  uint32_t out[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    int64_t sum = c[lane];
    for (unsigned i = 0; i < (four ? 4u : 2u); ++i)
      sum += field(a[lane], i, four ? 8 : 16, instr.flag) *
             field(b[lane], first + i, 8, instr.flag2);
    out[lane] = uint32_t(sum);
  }
  warp.write(instr.dst[0], out, mask,
             warp.definedLanes(instr.src[0]) & warp.definedLanes(instr.src[1]) &
                 warp.definedLanes(instr.src[2]));
  return Step::Next;
}

bool decodeDot(Decoder &d) {
  if (d.mnemonic() == "dp2a") {
    const int half = d.takeOne({"lo", "hi"});
    if (half < 0)
      return d.fail("expected .lo or .hi");
    d.instr.sub = uint8_t(1 + half);
  }
  const int a = d.takeOne({"u32", "s32"}), b = d.takeOne({"u32", "s32"});
  if (a < 0 || b < 0)
    return d.fail("expected two types, each .u32 or .s32");
  d.instr.flag = a == 1;
  d.instr.flag2 = b == 1;
  d.instr.cls = InstrClass::Integer;
  d.instr.handler = runDot;
  return d.end() && d.expectOperands(4) && d.dst(d.operand(0), Type::B32) &&
         d.src(d.operand(1), Type::B32) && d.src(d.operand(2), Type::B32) &&
         d.src(d.operand(3), Type::B32);
}

/// The 48-bit product of the lower 24 bits. Instr::flag: signed; sub: bits that
/// are shifted out (0 or 16); flag2: saturate the sum of mad24.hi.sat.
Step run24(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]), *b = warp.words(instr.src[1]);
  uint32_t out[warpSize],
      isDefined = warp.definedLanes(instr.src[0], 0xffffff) &
                  warp.definedLanes(instr.src[1], 0xffffff);
  if (instr.numSrc > 2)
    isDefined &= warp.definedLanes(instr.src[2]);
  for (unsigned i = 0; i < warpSize; ++i) {
    auto operand = [&](uint32_t bits) {
      return instr.flag ? int64_t(int32_t(bits << 8) >> 8)
                        : int64_t(bits & 0xffffff);
    };
    const uint32_t part =
        uint32_t((operand(a[i]) * operand(b[i])) >> instr.sub);
    const uint32_t c = instr.numSrc > 2 ? warp.words(instr.src[2])[i] : 0;
    out[i] =
        instr.flag2
            ? uint32_t(std::clamp<int64_t>(int64_t(int32_t(part)) + int32_t(c),
                                           INT32_MIN, INT32_MAX))
            : part + c;
  }
  warp.write(instr.dst[0], out, mask, isDefined);
  return Step::Next;
}

bool decode24(Decoder &d) {
  const int part = d.takeOne({"lo", "hi"});
  d.instr.flag2 = part == 1 && d.mnemonic() == "mad24" && d.take("sat");
  const int type = d.takeOne({"u32", "s32"});
  if (part < 0 || type < 0 || (d.instr.flag2 && type == 0))
    return d.fail("expected .lo or .hi and .u32 or .s32; .sat goes with "
                  "mad24.hi and .s32 only");
  d.instr.sub = part ? 16 : 0;
  d.instr.flag = type == 1;
  d.instr.cls = InstrClass::Integer;
  d.instr.handler = run24;
  const size_t sources = d.mnemonic() == "mad24" ? 3 : 2;
  return d.end() && d.operands(Type::B32, sources);
}

/// Instr::sub: PairOp; flag: signed; flag2: relu.
Step runPair(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]), *b = warp.words(instr.src[1]);
  uint32_t out[warpSize] = {}, undefined[warpSize] = {};
  for (unsigned i = 0; i < warpSize; ++i)
    for (unsigned h = 0; h < 2; ++h) {
      const int64_t x = field(a[i], h, 16, instr.flag),
                    y = field(b[i], h, 16, instr.flag);
      int64_t result = x + y;
      if (PairOp(instr.sub) == PairOp::Sub)
        result = x - y;
      else if (PairOp(instr.sub) == PairOp::Min)
        result = std::min(x, y);
      else if (PairOp(instr.sub) == PairOp::Max)
        result = std::max(x, y);
      if (instr.flag2)
        result = std::max<int64_t>(result, 0);
      out[i] |= uint32_t(result & 0xffff) << (16 * h);
      if ((warp.undefinedBits(instr.src[0], i) |
           warp.undefinedBits(instr.src[1], i)) >>
              (16 * h) &
          0xffff)
        undefined[i] |= 0xffffu << (16 * h);
    }
  warp.writePartly(instr.dst[0], out, mask, undefined);
  return Step::Next;
}

} // namespace

bool decodeIntegerPair(Decoder &d, PairOp op, Type type, bool relu) {
  d.instr.sub = uint8_t(op);
  d.instr.flag = type == Type::S16x2;
  d.instr.flag2 = relu;
  d.instr.cls = InstrClass::Integer;
  d.instr.handler = runPair;
  return d.end() && d.expectOperands(3) && d.dst(d.operand(0), Type::B32) &&
         d.src(d.operand(1), Type::B32) && d.src(d.operand(2), Type::B32);
}

void addDotInstructions(MnemonicTable &table) {
  table["dp4a"] = decodeDot;
  table["dp2a"] = decodeDot;
  table["mul24"] = decode24;
  table["mad24"] = decode24;
}

} // namespace wna16::emulator
