//===- FloatSignInstructions.cpp - neg, abs, copysign, testp --------------===//
//
// What looks at the parts of a floating-point number.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/FloatInstructions.h"
#include "lib/Emulator/Rows.h"

#include <cmath>

namespace wna16::emulator {
namespace {

/// Signs are bit operations but for NaN, which becomes canonical in f32 and
/// quiet in f64.
template <typename T> bool isNan(T bits, T &nan) {
  if constexpr (sizeof(T) == 4) {
    nan = canonicalNan;
    return (bits & 0x7fffffffu) > 0x7f800000u;
  }
  nan = bits | T(1) << (sizeof(T) * 8 - 13);
  return (bits << 1) > T(0x7ff) << (sizeof(T) * 8 - 11);
}
template <typename T> struct Neg {
  static T apply(T a) {
    T nan;
    return isNan(a, nan) ? nan : a ^ T(1) << (sizeof(T) * 8 - 1);
  }
};
template <typename T> struct Abs {
  static T apply(T a) {
    T nan;
    return isNan(a, nan) ? nan : a & ~(T(1) << (sizeof(T) * 8 - 1));
  }
};
template <typename Op> struct Flushed {
  static uint32_t apply(uint32_t a) {
    return std::bit_cast<uint32_t>(flush(std::bit_cast<float>(Op::apply(a))));
  }
};
template <typename T> struct CopySign {
  static T apply(T a, T b) {
    const T sign = T(1) << (sizeof(T) * 8 - 1);
    return (b & ~sign) | (a & sign);
  }
};

template <template <typename> class Op> bool decodeSign(Decoder &d) {
  FloatModifiers modifiers;
  modifiers.ftz = d.take("ftz");
  auto type = d.takeType();
  if (!type || !d.end() || !d.expectOperands(2))
    return false;
  if (isHalfType(*type))
    return decodeHalf(d, *type, modifiers);
  if (*type == Type::F32x2 || (*type == Type::F64 && modifiers.ftz))
    return d.fail("the type is not supported by this instruction");
  return d.operands(*type, 1) &&
         d.runs(*type == Type::F64 ? rowUnary<uint64_t, Op<uint64_t>>
                : modifiers.ftz    ? rowUnary<uint32_t, Flushed<Op<uint32_t>>>
                                   : rowUnary<uint32_t, Op<uint32_t>>,
                InstrClass::Float);
}

bool decodeCopySign(Decoder &d) {
  auto type = d.takeType();
  if (!type || (*type != Type::F32 && *type != Type::F64))
    return d.fail("expected .f32 or .f64");
  return d.end() && d.operands(*type, 2) &&
         d.runs(*type == Type::F64 ? rowBinary<uint64_t, CopySign<uint64_t>>
                                   : rowBinary<uint32_t, CopySign<uint32_t>>,
                InstrClass::Float);
}

enum class Property : uint8_t {
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal
};

/// testp: zeros count as normal.
Step runTestp(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t result = 0;
  for (unsigned i = 0; i < warpSize; ++i) {
    const uint64_t bits = warp.lane(instr.src[0], i);
    const int kind =
        instr.type == Type::F64
            ? std::fpclassify(std::bit_cast<double>(bits))
            : std::fpclassify(std::bit_cast<float>(uint32_t(bits)));
    bool yes = false;
    switch (Property(instr.sub)) {
    case Property::Finite:
      yes = kind != FP_INFINITE && kind != FP_NAN;
      break;
    case Property::Infinite:
      yes = kind == FP_INFINITE;
      break;
    case Property::Number:
      yes = kind != FP_NAN;
      break;
    case Property::NotANumber:
      yes = kind == FP_NAN;
      break;
    case Property::Normal:
      yes = kind == FP_NORMAL || kind == FP_ZERO;
      break;
    case Property::Subnormal:
      yes = kind == FP_SUBNORMAL;
      break;
    }
    result |= uint32_t(yes) << i;
  }
  warp.writePredicate(instr.dst[0], result, mask,
                      warp.definedLanes(instr.src[0]));
  return Step::Next;
}

bool decodeTestp(Decoder &d) {
  const int property = d.takeOne(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  auto type = property < 0 ? std::nullopt : d.takeType();
  if (!type || (*type != Type::F32 && *type != Type::F64))
    return d.fail("expected a property such as .finite and .f32 or .f64");
  d.instr.sub = uint8_t(property);
  d.instr.type = *type;
  return d.end() && d.expectOperands(2) && d.dst(d.operand(0), Type::Pred) &&
         d.src(d.operand(1), *type) && d.runs(runTestp, InstrClass::Float);
}

} // namespace

void addFloatSignInstructions(MnemonicTable &table) {
  table["neg.float"] = decodeSign<Neg>;
  table["abs.float"] = decodeSign<Abs>;
  table["copysign.float"] = decodeCopySign;
  table["testp.float"] = decodeTestp;
}

} // namespace wna16::emulator
