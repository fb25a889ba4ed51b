//===- FloatInstructions.cpp - f32 and f64 arithmetic ---------------------===//
//
// add, sub, mul, div, fma: correctly rounded in the requested mode. f64 in
// other modes than nearest switches the mode of the processor.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/FloatInstructions.h"

#include "lib/Emulator/FloatOps.h"
#include "lib/Emulator/RoundingMode.h"
#include "lib/Emulator/Rows.h"

namespace wna16::emulator {
namespace {

/// Rows of 32 fused multiply-adds; cloned for machines with an FMA unit.
__attribute__((target_clones("arch=x86-64-v3", "default"))) void
fmaRow(const float *a, const float *b, const float *c, float *out) {
  for (unsigned i = 0; i < warpSize; ++i)
    out[i] = __builtin_fmaf(a[i], b[i], c[i]);
}

template <typename Op, bool ftz>
Step runF32(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]), *b = warp.words(instr.src[1]);
  alignas(64) uint32_t row[warpSize];
  if (instr.sub == uint8_t(Rounding::Nearest)) {
    for (unsigned i = 0; i < warpSize; ++i)
      row[i] = binaryF32<Op, ftz>(a[i], b[i], Rounding::Nearest);
  } else {
    for (unsigned i = 0; i < warpSize; ++i)
      row[i] = binaryF32<Op, ftz>(a[i], b[i], Rounding(instr.sub));
  }
  if (instr.flag)
    for (unsigned i = 0; i < warpSize; ++i)
      row[i] = std::bit_cast<uint32_t>(saturate(std::bit_cast<float>(row[i])));
  warp.write(instr.dst[0], row, mask,
             warp.definedLanes(instr.src[0]) & warp.definedLanes(instr.src[1]));
  return Step::Next;
}

template <bool ftz>
Step runFmaF32(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]), *b = warp.words(instr.src[1]),
                 *c = warp.words(instr.src[2]);
  alignas(64) float fa[warpSize], fb[warpSize], fc[warpSize], result[warpSize];
  for (unsigned i = 0; i < warpSize; ++i) {
    fa[i] = in<ftz>(a[i]);
    fb[i] = in<ftz>(b[i]);
    fc[i] = in<ftz>(c[i]);
  }
  if (instr.sub == uint8_t(Rounding::Nearest)) {
    fmaRow(fa, fb, fc, result);
  } else {
    for (unsigned i = 0; i < warpSize; ++i)
      result[i] = roundToFloat(
          addDirected(double(fa[i]) * fb[i], fc[i], Rounding(instr.sub)),
          Rounding(instr.sub));
  }
  alignas(64) uint32_t row[warpSize];
  for (unsigned i = 0; i < warpSize; ++i) {
    const Rounding rounding = Rounding(instr.sub);
    const float value = flushTiny<ftz>(result[i], rounding, [&] {
      return addDirected(double(fa[i]) * fb[i], fc[i], rounding);
    });
    row[i] = out<ftz>(instr.flag ? saturate(value) : value);
  }
  warp.write(instr.dst[0], row, mask,
             warp.definedLanes(instr.src[0]) & warp.definedLanes(instr.src[1]) &
                 warp.definedLanes(instr.src[2]));
  return Step::Next;
}

/// f64 in any mode. Operands and result go through volatile objects, so that
/// the arithmetic stays between the changes of the mode.
template <typename Op>
Step runF64(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.wides(instr.src[0]), *b = warp.wides(instr.src[1]);
  uint64_t row[warpSize];
  {
    const RoundingMode mode{Rounding(instr.sub)};
    for (unsigned i = 0; i < warpSize; ++i) {
      volatile double x = std::bit_cast<double>(a[i]),
                      y = std::bit_cast<double>(b[i]);
      volatile double result = Op::apply(x, y);
      row[i] = std::bit_cast<uint64_t>(double(result));
      if constexpr (!std::is_same_v<Op, Div>)
        row[i] = propagateNan(row[i], a[i], b[i]);
    }
  }
  warp.write(instr.dst[0], row, mask,
             warp.definedLanes(instr.src[0]) & warp.definedLanes(instr.src[1]));
  return Step::Next;
}

Step runFmaF64(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.wides(instr.src[0]), *b = warp.wides(instr.src[1]),
                 *c = warp.wides(instr.src[2]);
  uint64_t row[warpSize];
  {
    const RoundingMode mode{Rounding(instr.sub)};
    for (unsigned i = 0; i < warpSize; ++i) {
      volatile double x = std::bit_cast<double>(a[i]),
                      y = std::bit_cast<double>(b[i]),
                      z = std::bit_cast<double>(c[i]);
      volatile double result = std::fma(x, y, z);
      row[i] = propagateNan(std::bit_cast<uint64_t>(double(result)), a[i], c[i],
                            b[i]);
    }
  }
  warp.write(instr.dst[0], row, mask,
             warp.definedLanes(instr.src[0]) & warp.definedLanes(instr.src[1]) &
                 warp.definedLanes(instr.src[2]));
  return Step::Next;
}

/// Two f32 in one 64-bit register.
constexpr uint64_t makePair(uint32_t low, uint32_t high) {
  return low | uint64_t(high) << 32;
}
/// A half of the result is undefined where that half of an operand is.
constexpr uint64_t spreadWords(uint64_t undefined) {
  return makePair(uint32_t(undefined) ? ~0u : 0u, undefined >> 32 ? ~0u : 0u);
}

/// Runs a handler of f32 rows on both halves of pairs: `f(sources, out)`.
template <unsigned count, typename F>
Step forPairs(Warp &warp, const Instr &instr, uint32_t mask, F f) {
  uint64_t out[warpSize];
  for (unsigned i = 0; i < warpSize; ++i) {
    uint32_t half[2];
    for (unsigned h = 0; h < 2; ++h) {
      uint32_t in[count];
      for (unsigned s = 0; s < count; ++s)
        in[s] = uint32_t(warp.wides(instr.src[s])[i] >> (32 * h));
      half[h] = f(in);
    }
    out[i] = makePair(half[0], half[1]);
  }
  uint32_t isDefined = fullMask;
  for (unsigned s = 0; s < count; ++s)
    isDefined &= warp.definedLanes(instr.src[s]);
  if (!(mask & ~isDefined)) [[likely]] {
    warp.write(instr.dst[0], out, mask, fullMask);
    return Step::Next;
  }
  uint64_t undefined[warpSize] = {};
  for (unsigned i = 0; i < warpSize; ++i) {
    for (unsigned s = 0; s < count; ++s)
      undefined[i] |= warp.undefinedBits(instr.src[s], i);
    undefined[i] = spreadWords(undefined[i]);
  }
  warp.writePartly(instr.dst[0], out, mask, undefined);
  return Step::Next;
}

template <typename Op, bool ftz>
Step runPair(Warp &warp, const Instr &instr, uint32_t mask) {
  return forPairs<2>(warp, instr, mask, [&](const uint32_t *v) {
    return binaryF32<Op, ftz>(v[0], v[1], Rounding(instr.sub));
  });
}
template <bool ftz>
Step runFmaPair(Warp &warp, const Instr &instr, uint32_t mask) {
  return forPairs<3>(warp, instr, mask, [&](const uint32_t *v) {
    return fmaF32<ftz>(v[0], v[1], v[2], Rounding(instr.sub));
  });
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

FloatModifiers takeModifiers(Decoder &d) {
  FloatModifiers modifiers;
  modifiers.rounding = takeRounding(d);
  modifiers.oob = d.take("oob");
  modifiers.ftz = d.take("ftz");
  modifiers.sat = d.take("sat");
  modifiers.relu = d.take("relu");
  modifiers.oob |= d.take("oob");
  return modifiers;
}

/// What the wider types allow of the modifiers.
bool checkModifiers(Decoder &d, Type type, const FloatModifiers &modifiers) {
  if (modifiers.relu || modifiers.oob)
    return d.fail(".relu and .oob exist for 16-bit floats only");
  if (type == Type::F64 && (modifiers.ftz || modifiers.sat))
    return d.fail(".ftz and .sat do not exist for .f64");
  if (type == Type::F32x2 && modifiers.sat)
    return d.fail(".sat does not exist for .f32x2");
  d.instr.sub = uint8_t(modifiers.rounding.value_or(Rounding::Nearest));
  d.instr.flag = modifiers.sat;
  return true;
}

/// `.f32.f16` and the like: an f32 result of narrow operands. The second type
/// is consumed if it is there.
std::optional<Type> takeMixed(Decoder &d, Type type) {
  if (type != Type::F32)
    return std::nullopt;
  const int narrow = d.takeOne({"f16", "bf16"});
  if (narrow < 0)
    return std::nullopt;
  return narrow ? Type::BF16 : Type::F16;
}

template <typename Op> bool decodeArithmetic(Decoder &d) {
  const FloatModifiers modifiers = takeModifiers(d);
  auto type = d.takeType();
  if (!type)
    return false;
  if (auto narrow = takeMixed(d, *type))
    return d.end() && decodeMixed(d, *narrow, modifiers);
  if (!d.end() || !d.expectOperands(3))
    return false;
  if (isHalfType(*type))
    return decodeHalf(d, *type, modifiers);
  const bool ftz = modifiers.ftz;
  return checkModifiers(d, *type, modifiers) && d.operands(*type, 2) &&
         d.runs(*type == Type::F64 ? runF64<Op>
                : *type == Type::F32x2
                    ? (ftz ? runPair<Op, true> : runPair<Op, false>)
                : ftz ? runF32<Op, true>
                      : runF32<Op, false>,
                InstrClass::Float);
}

/// div.approx computes a * (1 / b): nothing is left of it where b is so large
/// that its reciprocal is subnormal.
template <bool ftz> struct DivApprox {
  static uint32_t apply(uint32_t a, uint32_t b) {
    const float x = in<ftz>(a), y = in<ftz>(b);
    const float size = std::fabs(y);
    if (size > 0x1p126f && std::isfinite(size))
      return std::isfinite(x) || x != x ? out<ftz>(x * std::copysign(0.0f, y))
                                        : canonicalNan;
    return out<ftz>(x / y);
  }
};

bool decodeDiv(Decoder &d) {
  const int approximate = d.takeOne({"approx", "full"});
  if (approximate < 0)
    return decodeArithmetic<Div>(d);
  const bool ftz = d.take("ftz");
  if (!d.take("f32"))
    return d.fail(".approx and .full exist for .f32 only");
  Handler handler = ftz ? runF32<Div, true> : runF32<Div, false>;
  if (approximate == 0)
    handler = ftz ? rowBinary<uint32_t, DivApprox<true>>
                  : rowBinary<uint32_t, DivApprox<false>>;
  d.instr.sub = uint8_t(Rounding::Nearest);
  return d.end() && d.operands(Type::F32, 2) &&
         d.runs(handler, InstrClass::Float);
}

bool decodeFma(Decoder &d) {
  const FloatModifiers modifiers = takeModifiers(d);
  auto type = d.takeType();
  if (!type)
    return false;
  if (!modifiers.rounding)
    return d.fail("expected a rounding mode such as .rn");
  if (auto narrow = takeMixed(d, *type))
    return d.end() && decodeMixed(d, *narrow, modifiers);
  if (!d.end() || !d.expectOperands(4))
    return false;
  if (isHalfType(*type))
    return decodeHalf(d, *type, modifiers);
  const bool ftz = modifiers.ftz;
  return checkModifiers(d, *type, modifiers) && d.operands(*type, 3) &&
         d.runs(*type == Type::F64 ? runFmaF64
                : *type == Type::F32x2
                    ? (ftz ? runFmaPair<true> : runFmaPair<false>)
                : ftz ? runFmaF32<true>
                      : runFmaF32<false>,
                InstrClass::Float);
}

} // namespace

void addFloatInstructions(MnemonicTable &table) {
  table["add.float"] = decodeArithmetic<Add>;
  table["sub.float"] = decodeArithmetic<Sub>;
  table["mul.float"] = decodeArithmetic<Mul>;
  table["div.float"] = decodeDiv;
  table["fma.float"] = decodeFma;
  table["mad.float"] = decodeFma;
}

} // namespace wna16::emulator
