//===- FloatMinMax.cpp - min and max of floating-point numbers ------------===//
//
// Two operands of every type, three of .f32. A NaN loses, with .NaN it wins;
// -0 < +0.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/FloatInstructions.h"
#include "lib/Emulator/FloatOps.h"
#include "lib/Emulator/HalfRows.h"
#include "lib/Emulator/Rows.h"

#include <limits>

namespace wna16::emulator {
namespace {

template <typename T> T minMax(T a, T b, bool largest, bool nan) {
  if (a != a || b != b) {
    if (nan || (a != a && b != b))
      return std::numeric_limits<T>::quiet_NaN();
    return a != a ? b : a;
  }
  if (a == b)
    return std::signbit(a) == largest ? b : a;
  return (a < b) == largest ? b : a;
}

/// .xorsign.abs: the sign is the exclusive or of the operands'.
float minMax(float a, float b, bool largest, FloatModifiers modifiers) {
  if (!modifiers.xorsign)
    return minMax<float>(a, b, largest, modifiers.nan);
  const bool sign = std::signbit(a) != std::signbit(b);
  const float result =
      minMax<float>(std::fabs(a), std::fabs(b), largest, modifiers.nan);
  return result == result && sign ? -result : result;
}

/// The usual form, as a plain loop.
template <bool largest> struct PlainF32 {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return out<false>(
        minMax<float>(in<false>(a), in<false>(b), largest, false));
  }
};
template <bool largest> struct PlainF64 {
  static double apply(double a, double b) {
    // Of two NaN the second one remains, made quiet.
    if (a != a && b != b)
      return std::bit_cast<double>(std::bit_cast<uint64_t>(b) | uint64_t(1)
                                                                    << 51);
    return minMax<double>(a, b, largest, false);
  }
};

/// Instr::imm: modifiers, bit 32: absolute values; flag: max.
Step runF32(Warp &warp, const Instr &instr, uint32_t mask) {
  const FloatModifiers modifiers = FloatModifiers::unpack(instr.imm);
  const bool absolute = instr.imm >> 32 & 1;
  uint32_t row[warpSize], isDefined = fullMask;
  for (unsigned s = 0; s < instr.numSrc; ++s)
    isDefined &= warp.definedLanes(instr.src[s]);
  auto operand = [&](unsigned s, unsigned i) {
    float value = std::bit_cast<float>(warp.words(instr.src[s])[i]);
    value = modifiers.ftz ? flush(value) : value;
    return absolute ? std::fabs(value) : value;
  };
  for (unsigned i = 0; i < warpSize; ++i) {
    float result = operand(0, i);
    for (unsigned s = 1; s < instr.numSrc; ++s)
      result = minMax(result, operand(s, i), instr.flag, modifiers);
    row[i] = out<false>(result);
  }
  warp.write(instr.dst[0], row, mask, isDefined);
  return Step::Next;
}

/// Instr::imm: modifiers, bit 32: bf16; flag: max; elements: 1 or 2.
Step runHalves(Warp &warp, const Instr &instr, uint32_t mask) {
  const FloatModifiers modifiers = FloatModifiers::unpack(instr.imm);
  const bool bfloat = instr.imm >> 32 & 1;
  const uint32_t *a = warp.words(instr.src[0]), *b = warp.words(instr.src[1]);
  uint32_t row[warpSize] = {}, undefined[warpSize] = {};
  for (unsigned i = 0; i < warpSize; ++i)
    for (unsigned h = 0; h < instr.elements; ++h) {
      auto operand = [&](const uint32_t *from) {
        const uint32_t bits = from[i] >> (16 * h) & 0xffff;
        return bfloat ? bfloatToFloat(bits)
                      : halfToFloat(modifiers.ftz ? flushHalf(bits) : bits);
      };
      const float result =
          minMax(operand(a), operand(b), instr.flag, modifiers);
      row[i] |= (bfloat ? floatToBfloat(result) : floatToHalf(result))
                << (16 * h);
      if ((warp.undefinedBits(instr.src[0], i) |
           warp.undefinedBits(instr.src[1], i)) >>
              (16 * h) &
          0xffff)
        undefined[i] |= 0xffffu << (16 * h);
    }
  warp.writePartly(instr.dst[0], row, mask, undefined);
  return Step::Next;
}

template <bool largest> bool decodeMinMax(Decoder &d) {
  FloatModifiers modifiers;
  modifiers.ftz = d.take("ftz");
  modifiers.nan = d.take("NaN");
  modifiers.xorsign = d.take("xorsign");
  const bool absolute = d.take("abs");
  auto type = d.takeType();
  if (!type || !d.end() || !d.expectOperands(3, 4))
    return false;
  if (modifiers.xorsign && !absolute)
    return d.fail("expected .xorsign.abs");
  const bool three = d.numOperands() == 4;
  if (three && (*type != Type::F32 || modifiers.xorsign))
    return d.fail("three operands are supported for .f32 without .xorsign");
  if (absolute && !modifiers.xorsign && !three)
    return d.fail(".abs alone needs three operands");
  if (*type == Type::F32x2 ||
      (*type == Type::F64 && (modifiers.pack() || absolute)) ||
      (isBfloat(*type) && modifiers.ftz))
    return d.fail("these modifiers do not exist for ." +
                  std::string(typeName(*type)));
  d.instr.cls = InstrClass::Float;
  d.instr.flag = largest;
  d.instr.imm = modifiers.pack();
  if (isHalfType(*type)) {
    d.instr.elements = isPacked(*type) ? 2 : 1;
    d.instr.imm |= uint64_t(isBfloat(*type)) << 32;
    d.instr.handler = runHalves;
  } else if (*type == Type::F64) {
    d.instr.handler = rowBinary<double, PlainF64<largest>>;
  } else {
    const bool plain = !three && !modifiers.pack();
    d.instr.imm |= uint64_t(three && absolute) << 32;
    d.instr.handler = plain ? rowBinary<uint32_t, PlainF32<largest>> : runF32;
  }
  if (!d.dst(d.operand(0), *type))
    return false;
  for (size_t i = 1; i < d.numOperands(); ++i)
    if (!d.src(d.operand(i), *type))
      return false;
  return true;
}

} // namespace

void addFloatMinMax(MnemonicTable &table) {
  table["min.float"] = decodeMinMax<false>;
  table["max.float"] = decodeMinMax<true>;
}

} // namespace wna16::emulator
