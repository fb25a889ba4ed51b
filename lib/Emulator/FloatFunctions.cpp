//===- FloatFunctions.cpp - rcp, sqrt, sin, ex2, tanh, ... ----------------===//
//
// Functions of one floating-point argument. With a rounding mode the result is
// correctly rounded; .approx returns the exact value rounded to nearest (f64:
// libm's), which is within every documented bound.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/FloatInstructions.h"
#include "lib/Emulator/FloatOps.h"
#include "lib/Emulator/RoundingMode.h"
#include "lib/Emulator/Rows.h"

namespace wna16::emulator {
namespace {

/// By Instr::sub.
enum class Function : uint8_t { Rcp, Sqrt, Rsqrt, Sin, Cos, Lg2, Ex2, Tanh };

/// With more than twice the bits of the result, so that rounding once more is
/// correct: 1 / x and sqrt(x) of 24-bit numbers keep 2^-48 off every tie and
/// every number they do not hit.
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

/// Instr::imm: rounding.
template <bool ftz> Step runF32(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]);
  alignas(64) uint32_t row[warpSize] = {};
  forLanes(mask, [&](unsigned i) {
    row[i] = out<ftz>(roundToFloat(evaluate(Function(instr.sub), in<ftz>(a[i])),
                                   Rounding(instr.imm)));
  });
  warp.write(instr.dst[0], row, mask, warp.definedLanes(instr.src[0]));
  return Step::Next;
}

/// rcp and sqrt in any mode.
Step runF64(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.wides(instr.src[0]);
  uint64_t row[warpSize] = {};
  {
    const RoundingMode mode{Rounding(instr.imm)};
    forLanes(mask, [&](unsigned i) {
      volatile double x = std::bit_cast<double>(a[i]);
      volatile double result = evaluate(Function(instr.sub), x);
      row[i] = std::bit_cast<uint64_t>(double(result));
    });
  }
  warp.write(instr.dst[0], row, mask, warp.definedLanes(instr.src[0]));
  return Step::Next;
}

/// rcp and rsqrt .approx.ftz.f64 look at the upper 32 bits and leave the lower
/// ones zero.
Step runUpperF64(Warp &warp, const Instr &instr, uint32_t mask) {
  constexpr uint64_t upper = 0xffffffff00000000, exponent = 0x7ff0000000000000;
  auto flush64 = [](uint64_t bits) {
    return bits & exponent ? bits : bits & uint64_t(1) << 63;
  };
  const uint64_t *a = warp.wides(instr.src[0]);
  uint64_t row[warpSize] = {};
  forLanes(mask, [&](unsigned i) {
    const double x = std::bit_cast<double>(flush64(a[i] & upper));
    row[i] = flush64(std::bit_cast<uint64_t>(evaluate(Function(instr.sub), x)) &
                     upper);
  });
  warp.write(instr.dst[0], row, mask, warp.definedLanes(instr.src[0]));
  return Step::Next;
}

/// Instr::flag: bf16; flag2: flush subnormals; elements: 1 or 2.
Step runHalves(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]);
  uint32_t row[warpSize] = {}, undefined[warpSize] = {};
  forLanes(mask, [&](unsigned i) {
    for (unsigned h = 0; h < instr.elements; ++h) {
      uint32_t bits = a[i] >> (16 * h) & 0xffff;
      bits = instr.flag2
                 ? (instr.flag && !(bits & 0x7f80) ? bits & 0x8000 : bits)
                 : bits;
      const double value =
          evaluate(Function(instr.sub),
                   instr.flag ? bfloatToFloat(bits) : halfToFloat(bits));
      bits = instr.flag ? roundToBfloat(value, Rounding::Nearest)
                        : roundToHalf(value, Rounding::Nearest);
      if (instr.flag2 && instr.flag && !(bits & 0x7f80))
        bits &= 0x8000;
      row[i] |= bits << (16 * h);
      if (warp.undefinedBits(instr.src[0], i) >> (16 * h) & 0xffff)
        undefined[i] |= 0xffffu << (16 * h);
    }
  });
  warp.writePartly(instr.dst[0], row, mask, undefined);
  return Step::Next;
}

/// Which types a function has besides .f32.
bool exists(Function function, Type type, bool approximate, bool ftz) {
  const bool root = function == Function::Rcp || function == Function::Sqrt;
  switch (type) {
  case Type::F32:
    return true;
  case Type::F64:
    if (function == Function::Rsqrt)
      return approximate;
    return root && (!approximate || (ftz && function == Function::Rcp));
  case Type::F16:
  case Type::F16x2:
    return (function == Function::Tanh || function == Function::Ex2) && !ftz;
  case Type::BF16:
  case Type::BF16x2:
    return (function == Function::Tanh && !ftz) ||
           (function == Function::Ex2 && ftz);
  default:
    return false;
  }
}

template <Function function> bool decodeFunction(Decoder &d) {
  const bool approximate = d.take("approx");
  const auto rounding = takeRounding(d);
  const bool ftz = d.take("ftz");
  auto type = d.takeType();
  if (!type || !d.end() || !d.expectOperands(2))
    return false;
  const bool root = function == Function::Rcp || function == Function::Sqrt;
  if (approximate == rounding.has_value() || (rounding && !root))
    return d.fail(root ? "expected .approx or a rounding mode such as .rn"
                       : "expected .approx");
  if (!exists(function, *type, approximate, ftz))
    return d.fail("this function does not exist for ." +
                  std::string(typeName(*type)) + " with these modifiers");
  d.instr.cls = InstrClass::Float;
  d.instr.sub = uint8_t(function);
  d.instr.imm = uint64_t(rounding.value_or(Rounding::Nearest));
  if (isHalfType(*type)) {
    d.instr.flag = isBfloat(*type);
    d.instr.flag2 = ftz;
    d.instr.elements = isPacked(*type) ? 2 : 1;
    d.instr.handler = runHalves;
  } else if (*type == Type::F64) {
    d.instr.handler = approximate && ftz ? runUpperF64 : runF64;
  } else {
    d.instr.handler = ftz ? runF32<true> : runF32<false>;
  }
  return d.dst(d.operand(0), *type) && d.src(d.operand(1), *type);
}

} // namespace

void addFloatFunctions(MnemonicTable &table) {
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
