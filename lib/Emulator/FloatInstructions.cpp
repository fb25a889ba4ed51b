//===- FloatInstructions.cpp - f32 and f64 arithmetic ---------------------===//
//
// Correctly rounded in the requested mode. The .approx functions return the
// correctly rounded or libm value, which is within every documented bound.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/FloatInstructions.h"

#include "lib/Emulator/Numerics.h"
#include "lib/Emulator/Rows.h"

#include <cmath>

namespace wna16::emulator {
namespace {

/// Rows of 32 fused multiply-adds; cloned for machines with an FMA unit.
__attribute__((target_clones("arch=haswell", "default"))) void
fmaRow(const float *a, const float *b, const float *c, float *out) {
  for (unsigned i = 0; i < warpSize; ++i)
    out[i] = __builtin_fmaf(a[i], b[i], c[i]);
}

template <bool ftz> float in(uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  return ftz ? flush(value) : value;
}
template <bool ftz> uint32_t out(float value) {
  value = canonicalize(value);
  return std::bit_cast<uint32_t>(ftz ? flush(value) : value);
}
float saturate(float value) {
  return value > 0 ? (value < 1 ? value : 1.0f) : 0.0f; // NaN gives 0
}

struct Add {
  static float nearest(float a, float b) { return a + b; }
  static double odd(double a, double b) { return addToOdd(a, b); }
  static double apply(double a, double b) { return a + b; }
};
struct Sub {
  static float nearest(float a, float b) { return a - b; }
  static double odd(double a, double b) { return addToOdd(a, -b); }
  static double apply(double a, double b) { return a - b; }
};
struct Mul {
  static float nearest(float a, float b) { return a * b; }
  static double odd(double a, double b) { return a * b; } // exact in double
  static double apply(double a, double b) { return a * b; }
};
struct Div {
  static float nearest(float a, float b) { return a / b; }
  // 53 bits are enough to round a quotient of two 24-bit numbers once more
  // except at exact ties, which cannot occur; directed modes use the remainder.
  static double odd(double a, double b) {
    const double q = a / b;
    const double rest = std::fma(-q, b, a);
    uint64_t bits = std::bit_cast<uint64_t>(q);
    if (std::isfinite(q) && rest != 0 && !(bits & 1))
      bits += ((rest > 0) == (b > 0)) == (q > 0) ? 1 : uint64_t(-1);
    return std::bit_cast<double>(bits);
  }
  static double apply(double a, double b) { return a / b; }
};

template <typename Op, bool ftz>
Step runF32(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]), *b = warp.words(instr.src[1]);
  alignas(64) uint32_t row[warpSize];
  if (instr.sub == uint8_t(Rounding::Nearest)) {
    for (unsigned i = 0; i < warpSize; ++i)
      row[i] = out<ftz>(Op::nearest(in<ftz>(a[i]), in<ftz>(b[i])));
  } else {
    for (unsigned i = 0; i < warpSize; ++i)
      row[i] = out<ftz>(roundToFloat(Op::odd(in<ftz>(a[i]), in<ftz>(b[i])),
                                     Rounding(instr.sub)));
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
      result[i] = roundToFloat(addToOdd(double(fa[i]) * fb[i], fc[i]),
                               Rounding(instr.sub));
  }
  alignas(64) uint32_t row[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    row[i] = out<ftz>(instr.flag ? saturate(result[i]) : result[i]);
  warp.write(instr.dst[0], row, mask,
             warp.definedLanes(instr.src[0]) & warp.definedLanes(instr.src[1]) &
                 warp.definedLanes(instr.src[2]));
  return Step::Next;
}

struct FmaF64 {
  static double apply(double a, double b, double c) {
    return std::fma(a, b, c);
  }
};

// Signs are bit operations: they keep NaN payloads.
struct NegF32 {
  static uint32_t apply(uint32_t a) { return a ^ 0x80000000u; }
};
struct AbsF32 {
  static uint32_t apply(uint32_t a) { return a & 0x7fffffffu; }
};
struct NegF64 {
  static uint64_t apply(uint64_t a) { return a ^ uint64_t(1) << 63; }
};
struct AbsF64 {
  static uint64_t apply(uint64_t a) { return a & ~(uint64_t(1) << 63); }
};
struct CopySign {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return (b & 0x7fffffffu) | (a & 0x80000000u);
  }
};

/// -0 < +0; a NaN loses unless `nan` (then it wins).
template <typename T, bool largest, bool nan> struct MinMax {
  static T apply(T a, T b) {
    if (a != a || b != b) {
      if (nan || (a != a && b != b))
        return std::numeric_limits<T>::quiet_NaN();
      return a != a ? b : a;
    }
    if (a == b)
      return std::signbit(a) == largest ? b : a;
    return (a < b) == largest ? b : a;
  }
};
template <bool largest, bool nan, bool ftz> struct MinMaxF32 {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return out<ftz>(MinMax<float, largest, nan>::apply(in<ftz>(a), in<ftz>(b)));
  }
};

/// Functions of one argument, by Instr::sub.
enum class Function : uint8_t { Rcp, Sqrt, Rsqrt, Sin, Cos, Lg2, Ex2, Tanh };
double evaluate(Function function, double x) {
  switch (function) {
  case Function::Rcp:
    return 1 / x;
  case Function::Sqrt:
    return std::sqrt(x);
  case Function::Rsqrt:
    return 1 / std::sqrt(x);
  case Function::Sin:
    return std::sin(x);
  case Function::Cos:
    return std::cos(x);
  case Function::Lg2:
    return std::log2(x);
  case Function::Ex2:
    return std::exp2(x);
  case Function::Tanh:
    return std::tanh(x);
  }
  return x;
}

template <bool ftz>
Step runFunctionF32(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]);
  alignas(64) uint32_t row[warpSize] = {};
  forLanes(mask, [&](unsigned i) {
    row[i] = out<ftz>(roundToFloat(evaluate(Function(instr.sub), in<ftz>(a[i])),
                                   Rounding(instr.imm)));
  });
  warp.write(instr.dst[0], row, mask, warp.definedLanes(instr.src[0]));
  return Step::Next;
}

Step runFunctionF64(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.wides(instr.src[0]);
  uint64_t row[warpSize] = {};
  forLanes(mask, [&](unsigned i) {
    row[i] = std::bit_cast<uint64_t>(
        evaluate(Function(instr.sub), std::bit_cast<double>(a[i])));
  });
  warp.write(instr.dst[0], row, mask, warp.definedLanes(instr.src[0]));
  return Step::Next;
}

/// Two f32 in one 64-bit register, each rounded to nearest.
constexpr uint64_t makePair(uint32_t low, uint32_t high) {
  return low | uint64_t(high) << 32;
}
/// A half of the result is undefined where that half of an operand is.
constexpr uint64_t spreadWords(uint64_t undefined) {
  return makePair(uint32_t(undefined) ? ~0u : 0u, undefined >> 32 ? ~0u : 0u);
}
template <typename Op> struct PairOf {
  static uint32_t half(uint64_t a, uint64_t b) {
    return out<false>(
        Op::nearest(in<false>(uint32_t(a)), in<false>(uint32_t(b))));
  }
  static uint64_t apply(uint64_t a, uint64_t b) {
    return makePair(half(a, b), half(a >> 32, b >> 32));
  }
  static uint64_t undefined(Tracked<uint64_t> a, Tracked<uint64_t> b) {
    return spreadWords(a.undefined | b.undefined);
  }
};
struct FmaPair {
  static uint32_t half(uint64_t a, uint64_t b, uint64_t c) {
    return out<false>(std::fma(in<false>(uint32_t(a)), in<false>(uint32_t(b)),
                               in<false>(uint32_t(c))));
  }
  static uint64_t apply(uint64_t a, uint64_t b, uint64_t c) {
    return makePair(half(a, b, c), half(a >> 32, b >> 32, c >> 32));
  }
  static uint64_t undefined(Tracked<uint64_t> a, Tracked<uint64_t> b,
                            Tracked<uint64_t> c) {
    return spreadWords(a.undefined | b.undefined | c.undefined);
  }
};

bool finish(Decoder &d, Handler handler) {
  d.instr.handler = handler;
  d.instr.cls = InstrClass::Float;
  return true;
}

/// .rn, .rz, .rm, .rp; nearest if absent.
Rounding takeRounding(Decoder &d) {
  return Rounding(std::max(0, d.takeOne({"rn", "rz", "rm", "rp"})));
}

template <typename Op> bool decodeArithmetic(Decoder &d) {
  d.skip({"full", "approx"});
  d.instr.sub = uint8_t(takeRounding(d));
  d.skip({"full", "approx"});
  const bool ftz = d.take("ftz");
  d.instr.flag = d.take("sat");
  auto type = d.takeType();
  if (!type || !d.end() || !d.expectOperands(3))
    return false;
  if (isHalfType(*type))
    return decodeHalf(d, *type);
  if (*type == Type::F64 && d.instr.sub != uint8_t(Rounding::Nearest))
    return d.fail("only round-to-nearest is supported for .f64");
  if (*type == Type::F32x2 &&
      (d.instr.sub != uint8_t(Rounding::Nearest) || ftz || d.instr.flag))
    return d.fail("only round-to-nearest is supported for .f32x2");
  return d.dst(d.operand(0), *type) && d.src(d.operand(1), *type) &&
         d.src(d.operand(2), *type) &&
         finish(d, *type == Type::F64     ? rowBinary<double, Op>
                   : *type == Type::F32x2 ? rowBinary<uint64_t, PairOf<Op>>
                   : ftz                  ? runF32<Op, true>
                                          : runF32<Op, false>);
}

bool decodeFma(Decoder &d) {
  d.instr.sub = uint8_t(takeRounding(d));
  const bool ftz = d.take("ftz");
  d.instr.flag = d.take("sat");
  d.instr.flag2 = d.take("relu");
  auto type = d.takeType();
  if (!type || !d.end() || !d.expectOperands(4))
    return false;
  if (isHalfType(*type))
    return decodeHalf(d, *type);
  if (*type == Type::F64 && d.instr.sub != uint8_t(Rounding::Nearest))
    return d.fail("only round-to-nearest is supported for .f64");
  if (*type == Type::F32x2 &&
      (d.instr.sub != uint8_t(Rounding::Nearest) || ftz || d.instr.flag))
    return d.fail("only round-to-nearest is supported for .f32x2");
  return d.dst(d.operand(0), *type) && d.src(d.operand(1), *type) &&
         d.src(d.operand(2), *type) && d.src(d.operand(3), *type) &&
         finish(d, *type == Type::F64     ? rowTernary<double, FmaF64>
                   : *type == Type::F32x2 ? rowTernary<uint64_t, FmaPair>
                   : ftz                  ? runFmaF32<true>
                                          : runFmaF32<false>);
}

template <bool largest> bool decodeMinMax(Decoder &d) {
  const bool ftz = d.take("ftz");
  const bool nan = d.take("NaN");
  d.instr.flag2 = nan;
  auto type = d.takeType();
  if (!type || !d.end() || !d.expectOperands(3))
    return false;
  if (isHalfType(*type))
    return decodeHalf(d, *type);
  Handler handler;
  if (*type == Type::F64)
    handler = rowBinary<double, MinMax<double, largest, false>>;
  else if (nan)
    handler = ftz ? rowBinary<uint32_t, MinMaxF32<largest, true, true>>
                  : rowBinary<uint32_t, MinMaxF32<largest, true, false>>;
  else
    handler = ftz ? rowBinary<uint32_t, MinMaxF32<largest, false, true>>
                  : rowBinary<uint32_t, MinMaxF32<largest, false, false>>;
  return d.dst(d.operand(0), *type) && d.src(d.operand(1), *type) &&
         d.src(d.operand(2), *type) && finish(d, handler);
}

template <typename F32, typename F64> bool decodeSign(Decoder &d) {
  d.skip({"ftz"});
  auto type = d.takeType();
  if (!type || !d.end() || !d.expectOperands(2))
    return false;
  if (isHalfType(*type))
    return decodeHalf(d, *type);
  return d.dst(d.operand(0), *type) && d.src(d.operand(1), *type) &&
         finish(d, *type == Type::F64 ? rowUnary<uint64_t, F64>
                                      : rowUnary<uint32_t, F32>);
}

bool decodeCopySign(Decoder &d) {
  auto type = d.takeType();
  if (type && *type != Type::F32)
    return d.fail("only .f32 is supported");
  return type && d.end() && d.expectOperands(3) && d.dst(d.operand(0), *type) &&
         d.src(d.operand(1), *type) && d.src(d.operand(2), *type) &&
         finish(d, rowBinary<uint32_t, CopySign>);
}

template <Function function> bool decodeFunction(Decoder &d) {
  d.skip({"approx"});
  const Rounding rounding = takeRounding(d);
  const bool ftz = d.take("ftz");
  auto type = d.takeType();
  if (!type || !d.end() || !d.expectOperands(2))
    return false;
  if (isHalfType(*type))
    return d.fail("only .f32 and .f64 are supported");
  d.instr.sub = uint8_t(function);
  d.instr.imm = uint64_t(rounding);
  return d.dst(d.operand(0), *type) && d.src(d.operand(1), *type) &&
         finish(d, *type == Type::F64 ? runFunctionF64
                   : ftz              ? runFunctionF32<true>
                                      : runFunctionF32<false>);
}

} // namespace

void addFloatInstructions(MnemonicTable &table) {
  table["add.float"] = decodeArithmetic<Add>;
  table["sub.float"] = decodeArithmetic<Sub>;
  table["mul.float"] = decodeArithmetic<Mul>;
  table["div.float"] = decodeArithmetic<Div>;
  table["fma.float"] = decodeFma;
  table["mad.float"] = decodeFma;
  table["min.float"] = decodeMinMax<false>;
  table["max.float"] = decodeMinMax<true>;
  table["neg.float"] = decodeSign<NegF32, NegF64>;
  table["abs.float"] = decodeSign<AbsF32, AbsF64>;
  table["copysign.float"] = decodeCopySign;
  table["rcp.float"] = decodeFunction<Function::Rcp>;
  table["sqrt.float"] = decodeFunction<Function::Sqrt>;
  table["rsqrt.float"] = decodeFunction<Function::Rsqrt>;
  table["sin.float"] = decodeFunction<Function::Sin>;
  table["cos.float"] = decodeFunction<Function::Cos>;
  table["lg2.float"] = decodeFunction<Function::Lg2>;
  table["ex2.float"] = decodeFunction<Function::Ex2>;
  table["tanh.float"] = decodeFunction<Function::Tanh>;
}

} // namespace wna16::emulator
