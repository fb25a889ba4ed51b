//===- ConvertInstructions.cpp - cvt --------------------------------------===//
//
// A conversion goes through a 64-bit integer or a double, which hold every
// source value exactly, and is rounded once to the destination.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/ConvertInstructions.h"
#include "lib/Emulator/Numerics.h"
#include "lib/Emulator/Rows.h"

#include <algorithm>
#include <cmath>

namespace wna16::emulator {
namespace {

/// Instr::imm of cvt.
struct Mode {
  Type from = Type::None;
  Rounding rounding = Rounding::Nearest;
  bool toInteger = false; ///< .rni and friends: round to an integral value
  bool ftz = false, sat = false, relu = false, satfinite = false;

  uint64_t pack() const {
    return uint64_t(from) | uint64_t(rounding) << 8 |
           uint64_t(toInteger) << 16 | uint64_t(ftz) << 17 |
           uint64_t(sat) << 18 | uint64_t(relu) << 19 |
           uint64_t(satfinite) << 20;
  }
  static Mode unpack(uint64_t bits) {
    return {Type(bits & 0xff),    Rounding(bits >> 8 & 0xff),
            bool(bits >> 16 & 1), bool(bits >> 17 & 1),
            bool(bits >> 18 & 1), bool(bits >> 19 & 1),
            bool(bits >> 20 & 1)};
  }
};

double roundToIntegral(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::nearbyint(value); // the default mode is nearest even
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  }
  return value;
}

double decodeFloat(Type type, uint64_t bits) {
  switch (type) {
  case Type::F16:
    return halfToFloat(uint32_t(bits & 0xffff));
  case Type::BF16:
    return bfloatToFloat(uint32_t(bits & 0xffff));
  case Type::F32:
    return std::bit_cast<float>(uint32_t(bits));
  default:
    return std::bit_cast<double>(bits);
  }
}

uint64_t encodeFloat(Type type, double value, const Mode &mode) {
  if (mode.sat)
    value = value > 0 ? (value < 1 ? value : 1.0) : 0.0;
  if (mode.relu && !(value > 0) && value == value)
    value = 0;
  // .satfinite: the largest finite number instead of infinity.
  auto finite = [&](uint32_t bits, uint32_t infinity) {
    return mode.satfinite && (bits & 0x7fff) == infinity ? bits - 1 : bits;
  };
  switch (type) {
  case Type::F16:
    return finite(roundToHalf(value, mode.rounding), 0x7c00);
  case Type::BF16:
    return finite(roundToBfloat(value, mode.rounding), 0x7f80);
  case Type::F32: {
    const float result = roundToFloat(value, mode.rounding);
    return std::bit_cast<uint32_t>(mode.ftz ? flush(result) : result);
  }
  default:
    return std::bit_cast<uint64_t>(value);
  }
}

/// Sign- or zero-extends `bits` of an integer type to 64 bits.
int64_t extend(Type type, uint64_t bits) {
  const unsigned shift = 64 - bitWidth(type);
  return isSigned(type) ? int64_t(bits << shift) >> shift
                        : int64_t(bits << shift >> shift);
}

/// Float to integer: values out of range are clamped. NaN gives 0, but the top
/// bit alone if either side has 64 bits.
uint64_t toInteger(Type type, Type from, double value) {
  const unsigned width = bitWidth(type);
  if (value != value)
    return width == 64 || from == Type::F64 ? uint64_t(1) << (width - 1) : 0;
  if (isSigned(type)) {
    const double limit = std::ldexp(1.0, int(width) - 1);
    if (value >= limit)
      return (uint64_t(1) << (width - 1)) - 1;
    if (value < -limit)
      return uint64_t(1) << (width - 1);
    return uint64_t(int64_t(value));
  }
  if (value <= 0)
    return 0;
  if (value >= std::ldexp(1.0, int(width)))
    return width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  return uint64_t(value);
}

/// Integer to float without the double rounding that a detour over double has.
double fromInteger(Type type, int64_t value) {
  const bool isNegative = isSigned(type) && value < 0;
  const uint64_t magnitude = isNegative ? 0 - uint64_t(value) : uint64_t(value);
  // Keep 53 bits; a sticky last bit stands for all that were dropped.
  const int extra = std::max(0, 11 - std::countl_zero(magnitude));
  uint64_t kept = magnitude >> extra;
  if (kept << extra != magnitude)
    kept |= 1;
  const double result = std::ldexp(double(kept), extra);
  return isNegative ? -result : result;
}

uint64_t saturateInteger(Type to, Type from, int64_t value) {
  const unsigned width = bitWidth(to);
  if (!isSigned(from) && value < 0) // above every signed value
    value = INT64_MAX;
  if (isSigned(to)) {
    if (width == 64)
      return uint64_t(value);
    const int64_t limit = int64_t(1) << (width - 1);
    return uint64_t(std::clamp<int64_t>(value, -limit, limit - 1));
  }
  if (value < 0)
    return 0;
  return width == 64
             ? uint64_t(value)
             : uint64_t(std::min<int64_t>(value, (int64_t(1) << width) - 1));
}

/// What becomes of a NaN. It is canonical where the hardware has an instruction
/// for the conversion; f64 keeps what fits of sign and payload, and the
/// widening of bf16 is a shift.
uint64_t convertNan(Type to, const Mode &mode, uint64_t bits) {
  constexpr uint64_t quiet = uint64_t(1) << 51;
  if (mode.sat)
    return 0;
  if (mode.from == Type::F64) {
    if (to == Type::F64)
      return mode.toInteger ? bits | quiet : bits;
    const unsigned width = bitWidth(to);
    const unsigned mantissaBits = width - (to == Type::F16 ? 6 : 9);
    const uint64_t sign = bits >> 63 << (width - 1);
    const uint64_t infinity =
        (uint64_t(1) << (width - 1)) - (uint64_t(1) << mantissaBits);
    const uint64_t payload =
        ((bits | quiet) & (2 * quiet - 1)) >> (52 - mantissaBits);
    return sign | infinity | payload;
  }
  if (to == Type::F64)
    return mode.ftz
               ? std::bit_cast<uint64_t>(
                     double(std::bit_cast<float>(canonicalNan)))
               : std::bit_cast<uint64_t>(decodeFloat(mode.from, bits)) | quiet;
  if (to != Type::F32)
    return 0x7fff;
  const bool plain = !mode.ftz && !mode.toInteger;
  if (plain && mode.from == Type::F32)
    return bits;
  return plain && mode.from == Type::BF16 ? bits << 16 : canonicalNan;
}

uint64_t convert(Type to, const Mode &mode, uint64_t bits) {
  if (isFloat(mode.from)) {
    double value = decodeFloat(mode.from, bits);
    if (value != value && isFloat(to))
      return convertNan(to, mode, bits);
    // Hardware reads subnormals when it converts to fp16, .ftz or not.
    if (mode.ftz && mode.from == Type::F32 && to != Type::F16)
      value = flush(float(value));
    if (!isFloat(to))
      return toInteger(to, mode.from, roundToIntegral(value, mode.rounding));
    if (mode.toInteger)
      value = roundToIntegral(value, mode.rounding);
    return encodeFloat(to, value, mode);
  }
  const int64_t value = extend(mode.from, bits);
  if (!isFloat(to))
    return mode.sat ? saturateInteger(to, mode.from, value) : uint64_t(value);
  if (to == Type::F64) {
    const double result =
        integerToDouble(value, isSigned(mode.from), mode.rounding);
    return std::bit_cast<uint64_t>(mode.sat ? std::clamp(result, 0.0, 1.0)
                                            : result);
  }
  return encodeFloat(to, fromInteger(mode.from, value), mode);
}

Step runCvt(Warp &warp, const Instr &instr, uint32_t mask) {
  const Mode mode = Mode::unpack(instr.imm);
  const Value &to = instr.dst[0], &from = instr.src[0];
  // A narrow result in a wider register is extended according to its sign.
  const unsigned width = bitWidth(instr.type);
  auto widen = [&](uint64_t bits) {
    if (width < 64) {
      bits &= (uint64_t(1) << width) - 1;
      if (instr.flag && isSigned(instr.type))
        bits = uint64_t(extend(instr.type, bits));
    }
    return bits;
  };
  uint64_t out[warpSize] = {};
  forLanes(mask, [&](unsigned i) {
    out[i] = widen(convert(instr.type, mode, warp.lane(from, i)));
  });
  if (!(mask & ~warp.definedLanes(from))) [[likely]] {
    warp.writeAny(to, out, mask, fullMask);
    return Step::Next;
  }
  // Between integers bits stay apart; what is rounded or clamped does not.
  const bool keepsBits =
      !isFloat(mode.from) && !isFloat(instr.type) && !mode.sat;
  const uint64_t field = ~uint64_t(0) >> (64 - bitWidth(mode.from));
  uint64_t undefined[warpSize] = {};
  forLanes(mask, [&](unsigned i) {
    const uint64_t bits = warp.undefinedBits(from, i) & field;
    undefined[i] = keepsBits ? widen(uint64_t(extend(mode.from, bits)))
                   : bits    ? ~uint64_t(0)
                             : 0;
  });
  warp.writeAnyPartly(to, out, mask, undefined);
  return Step::Next;
}

/// The conversions of every epilogue, as plain loops.
Step runHalfToFloat(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]);
  alignas(64) uint32_t out[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    out[i] = std::bit_cast<uint32_t>(canonicalize(halfToFloat(a[i] & 0xffff)));
  warp.write(instr.dst[0], out, mask, warp.definedLanes(instr.src[0], 0xffff));
  return Step::Next;
}

/// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
Step runPack(Warp &warp, const Instr &instr, uint32_t mask) {
  const Mode mode = Mode::unpack(instr.imm);
  const Type half = instr.type == Type::F16x2 ? Type::F16 : Type::BF16;
  const uint32_t *a = warp.words(instr.src[0]), *b = warp.words(instr.src[1]);
  uint32_t out[warpSize] = {};
  forLanes(mask, [&](unsigned i) {
    out[i] =
        uint32_t(convert(half, mode, a[i]) << 16 | convert(half, mode, b[i]));
  });
  const uint32_t upper = warp.definedLanes(instr.src[0]);
  const uint32_t lower = warp.definedLanes(instr.src[1]);
  warp.write(instr.dst[0], out, mask, upper & lower);
  forLanes(mask & (upper ^ lower), [&](unsigned i) {
    warp.markLane(instr.dst[0], i, upper >> i & 1 ? 0xffff : 0xffff0000);
  });
  return Step::Next;
}

/// Single numbers of up to 64 bits.
bool isNumber(Type type) {
  return (type >= Type::U8 && type <= Type::F16) || type == Type::BF16 ||
         type == Type::F32 || type == Type::F64;
}

/// Which rounding modifier (its index in decodeCvt, -1: none) a conversion may
/// have; null if it is right.
const char *roundingProblem(Type to, Type from, int rounding) {
  const bool integral = rounding >= 4, plain = rounding >= 0 && !integral;
  if (!isFloat(from) && !isFloat(to))
    return rounding < 0 ? nullptr : "integers are not rounded";
  if (!isFloat(to))
    return integral ? nullptr : "expected .rni, .rzi, .rmi or .rpi";
  if (to == from)
    return plain ? "nothing is rounded here but to integers" : nullptr;
  if (integral)
    return "expected .rn, .rz, .rm or .rp";
  const bool narrower = !isFloat(from) || bitWidth(to) < bitWidth(from);
  return narrower && !plain ? "expected .rn, .rz, .rm or .rp" : nullptr;
}

bool decodeCvt(Decoder &d) {
  if (isNarrowConvert(d))
    return decodeNarrowConvert(d);
  if (d.has("rs"))
    return d.fail("stochastic rounding is not supported");
  Mode mode;
  const int rounding =
      d.takeOne({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"});
  mode.rounding = Rounding(std::max(rounding, 0) % 4);
  mode.toInteger = rounding >= 4;
  const ConvertModifiers modifiers = takeConvertModifiers(d);
  mode.ftz = modifiers.ftz;
  mode.sat = modifiers.sat;
  mode.relu = modifiers.relu;
  mode.satfinite = modifiers.satfinite;
  auto to = d.takeType(), from = to ? d.takeType() : std::nullopt;
  if (!to || !from || !d.end())
    return false;
  mode.from = *from;
  d.instr.type = *to;
  d.instr.imm = mode.pack();
  d.instr.cls = InstrClass::Convert;
  if (*to == Type::F16x2 || *to == Type::BF16x2) {
    if (*from != Type::F32)
      return d.fail("packed conversions are supported from .f32 only");
    d.instr.handler = runPack;
    return d.expectOperands(3) && d.dst(d.operand(0), *to) &&
           d.src(d.operand(1), Type::F32) && d.src(d.operand(2), Type::F32);
  }
  if ((mode.satfinite || mode.relu) &&
      !(*from == Type::F32 && (*to == Type::F16 || *to == Type::BF16)))
    return d.fail(".satfinite and .relu go with .f32 to 16-bit floats only");
  if (!isNumber(*to) || !isNumber(*from))
    return d.fail("the types are not supported by this instruction");
  if (const char *problem = roundingProblem(*to, *from, rounding))
    return d.fail(problem);
  if (mode.sat && (*to == Type::BF16 || *from == Type::BF16))
    return d.fail(".sat does not exist for .bf16");
  d.instr.handler =
      *from == Type::F16 && *to == Type::F32 && !mode.sat && !mode.toInteger
          ? runHalfToFloat
          : runCvt;
  if (!d.expectOperands(2) || !d.dstAtLeast(d.operand(0), *to) ||
      !d.srcAtLeast(d.operand(1), *from))
    return false;
  // Registers of 16 bits are zero-extended; only 32 and 64 bits see the sign.
  const Value *result = d.findRegister(d.operand(0));
  d.instr.flag = result && d.declaredBits(d.operand(0)) > bitWidth(*to);
  return true;
}

} // namespace

void addConvertInstructions(MnemonicTable &table) { table["cvt"] = decodeCvt; }

} // namespace wna16::emulator
