//===- HalfInstructions.cpp - fp16 and bf16 arithmetic --------------------===//
//
// add, sub, mul, fma, neg, abs. A packed register holds two values; the scalar
// types are the lower one alone.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/FloatInstructions.h"
#include "lib/Emulator/HalfRows.h"
#include "lib/Emulator/Rows.h"

#include <cmath>

namespace wna16::emulator {
namespace {

/// A half is undefined if any bit of it is.
uint32_t spreadHalves(uint64_t bits) {
  return (bits & 0xffff ? 0xffff : 0) | (bits & 0xffff0000 ? 0xffff0000 : 0);
}

/// Writes the result of arithmetic on the first `count` sources, half by half.
Step writeHalves(Warp &warp, const Instr &instr, uint32_t mask,
                 const uint32_t *out, unsigned count) {
  uint32_t isDefined = fullMask;
  for (unsigned s = 0; s < count; ++s)
    isDefined &= warp.definedLanes(instr.src[s]);
  if (!(mask & ~isDefined)) [[likely]] {
    warp.write(instr.dst[0], out, mask, fullMask);
    return Step::Next;
  }
  const uint32_t field = instr.elements == 2 ? 0xffffffff : 0xffff;
  uint32_t undefined[warpSize];
  for (unsigned i = 0; i < warpSize; ++i) {
    uint64_t bits = 0;
    for (unsigned s = 0; s < count; ++s)
      bits |= warp.undefinedBits(instr.src[s], i);
    undefined[i] = spreadHalves(bits & field);
  }
  warp.writePartly(instr.dst[0], out, mask, undefined);
  return Step::Next;
}

bool isNan(uint32_t half, bool bfloat) {
  return (half & 0x7fff) > (bfloat ? 0x7f80u : 0x7c00u);
}

/// .ftz, .sat and .relu on a result.
uint32_t modify(uint32_t half, FloatModifiers modifiers, bool bfloat) {
  const uint32_t one = bfloat ? 0x3f80 : 0x3c00;
  if (modifiers.ftz)
    half = flushHalf(half);
  const bool nan = isNan(half, bfloat);
  if (modifiers.sat)
    half = nan || half >> 15 ? 0 : std::min(half, one);
  if (modifiers.relu && half >> 15 && !nan)
    half = 0;
  return half;
}

/// fp16 flushes what is below the smallest normal number before it is rounded.
/// Only products can be rounded up to it.
uint32_t flushProduct(uint32_t half, uint32_t a, uint32_t b, uint32_t c) {
  if ((half & 0x7fff) != 0x0400)
    return half;
  const double exact =
      double(halfToFloat(a)) * halfToFloat(b) + double(halfToFloat(c));
  return std::fabs(exact) < 0x1p-14 ? half & 0x8000 : half;
}

/// Applies `f` to both halves.
template <typename F> uint32_t forHalves(uint32_t value, F f) {
  return f(value & 0xffff) | f(value >> 16) << 16;
}

/// Instr::imm: modifiers; flag: bf16; sub: HalfOp; elements: 1 or 2.
template <unsigned count>
Step runModified(Warp &warp, const Instr &instr, uint32_t mask) {
  const FloatModifiers modifiers = FloatModifiers::unpack(instr.imm);
  uint32_t in[3][warpSize], out[warpSize];
  for (unsigned s = 0; s < count; ++s)
    for (unsigned i = 0; i < warpSize; ++i) {
      const uint32_t value = warp.words(instr.src[s])[i];
      in[s][i] = modifiers.ftz ? forHalves(value, flushHalf) : value;
    }
  const bool packed = instr.elements == 2;
  if constexpr (count == 3)
    (instr.flag ? bfloatFmaRow : halfFmaRow)(in[0], in[1], in[2], packed, out);
  else
    (instr.flag ? bfloatRow : halfRow)(HalfOp(instr.sub), in[0], in[1], packed,
                                       out);
  const bool product = count == 3 || HalfOp(instr.sub) == HalfOp::Mul;
  for (unsigned i = 0; i < warpSize; ++i) {
    for (unsigned shift = 0; modifiers.ftz && product && shift < 32;
         shift += 16) {
      const uint32_t half =
          flushProduct(out[i] >> shift & 0xffff, in[0][i] >> shift & 0xffff,
                       in[1][i] >> shift & 0xffff,
                       count == 3 ? in[2][i] >> shift & 0xffff : 0x8000);
      out[i] = (out[i] & ~(0xffffu << shift)) | half << shift;
    }
    out[i] = forHalves(out[i], [&](uint32_t half) {
      return modify(half, modifiers, instr.flag);
    });
    for (unsigned s = 0; modifiers.oob && s < 2; ++s) // the factors, not c
      out[i] &= forHalves(in[s][i], [](uint32_t half) {
        return (half & 0x7fff) == outOfBoundsNan ? 0u : 0xffffu;
      });
  }
  return writeHalves(warp, instr, mask, out, count);
}

template <auto rowFunction>
Step runBinary(Warp &warp, const Instr &instr, uint32_t mask) {
  alignas(64) uint32_t out[warpSize];
  rowFunction(HalfOp(instr.sub), warp.words(instr.src[0]),
              warp.words(instr.src[1]), instr.elements == 2, out);
  return writeHalves(warp, instr, mask, out, 2);
}

template <auto rowFunction>
Step runFma(Warp &warp, const Instr &instr, uint32_t mask) {
  alignas(64) uint32_t out[warpSize];
  rowFunction(warp.words(instr.src[0]), warp.words(instr.src[1]),
              warp.words(instr.src[2]), instr.elements == 2, out);
  return writeHalves(warp, instr, mask, out, 3);
}

/// `result`, but the canonical NaN where a half of `a` is one.
template <bool bfloat> uint32_t canonicalHalves(uint32_t a, uint32_t result) {
  for (unsigned shift : {0u, 16u})
    if (isNan(a >> shift & 0xffff, bfloat)) [[unlikely]]
      result = (result & ~(0xffffu << shift)) | 0x7fffu << shift;
  return result;
}
/// neg and abs touch sign bits alone if there is no NaN.
template <uint32_t signs, bool bfloat> struct Neg {
  static uint32_t apply(uint32_t a) {
    return canonicalHalves<bfloat>(a, a ^ signs);
  }
  static uint32_t undefined(Tracked<uint32_t> a) { return a.undefined; }
};
template <uint32_t magnitudes, bool bfloat> struct Abs {
  static uint32_t apply(uint32_t a) {
    return canonicalHalves<bfloat>(a, a & magnitudes);
  }
  static uint32_t undefined(Tracked<uint32_t> a) {
    return a.undefined & magnitudes;
  }
};
/// .ftz looks at whole values.
template <typename Op> struct Flushed {
  static uint32_t apply(uint32_t a) {
    return forHalves(Op::apply(a), flushHalf);
  }
  static uint32_t undefined(Tracked<uint32_t> a) {
    return spreadHalves(a.undefined);
  }
};
template <template <uint32_t, bool> class Op, uint32_t bits>
Handler signHandler(bool bfloat, bool ftz) {
  return bfloat ? rowUnary<uint32_t, Op<bits, true>>
         : ftz  ? rowUnary<uint32_t, Flushed<Op<bits, false>>>
                : rowUnary<uint32_t, Op<bits, false>>;
}

/// The two-operand operations, in the order of HalfOp.
std::optional<HalfOp> binaryOp(std::string_view name) {
  constexpr std::string_view names[] = {"add", "sub", "mul"};
  for (unsigned i = 0; i < std::size(names); ++i)
    if (names[i] == name)
      return HalfOp(i);
  return std::nullopt;
}

} // namespace

bool decodeHalf(Decoder &d, Type type, FloatModifiers modifiers) {
  const bool packed = isPacked(type), brain = isBfloat(type);
  const bool isFma = d.mnemonic() == "fma";
  const auto op = binaryOp(d.mnemonic());
  d.instr.elements = packed ? 2 : 1;
  d.instr.cls = InstrClass::Float;
  d.instr.imm = modifiers.pack();
  d.instr.flag = brain;
  d.instr.sub = op ? uint8_t(*op) : 0;
  if (modifiers.rounding.value_or(Rounding::Nearest) != Rounding::Nearest)
    return d.fail("16-bit floats round to nearest");
  if (isFma && !modifiers.rounding)
    return d.fail("expected .rn");
  if (brain && (modifiers.ftz || modifiers.sat))
    return d.fail(".ftz and .sat do not exist for bf16");
  if ((modifiers.relu || modifiers.oob) && !isFma)
    return d.fail(".relu and .oob exist for fma only");
  if (op)
    d.instr.handler = modifiers.pack() ? runModified<2>
                      : brain          ? runBinary<bfloatRow>
                                       : runBinary<halfRow>;
  else if (isFma)
    d.instr.handler = modifiers.pack() ? runModified<3>
                      : brain          ? runFma<bfloatFmaRow>
                                       : runFma<halfFmaRow>;
  else if (d.mnemonic() == "neg")
    d.instr.handler = (packed ? signHandler<Neg, 0x80008000>
                              : signHandler<Neg, 0x8000>)(brain, modifiers.ftz);
  else if (d.mnemonic() == "abs")
    d.instr.handler = (packed ? signHandler<Abs, 0x7fff7fff>
                              : signHandler<Abs, 0x7fff>)(brain, modifiers.ftz);
  else
    return d.fail("this instruction does not exist for 16-bit floats");
  if (!d.dst(d.operand(0), type))
    return false;
  for (size_t i = 1; i < d.numOperands(); ++i)
    if (!d.src(d.operand(i), type))
      return false;
  return true;
}

} // namespace wna16::emulator
