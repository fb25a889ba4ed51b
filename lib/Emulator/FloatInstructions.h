//===- FloatInstructions.h - what the float families share ----------------===//
//
// f32 and f64 live in FloatInstructions.cpp, fp16 and bf16 (also packed) in
// HalfInstructions.cpp, min and max in FloatMinMax.cpp, functions of one
// argument in FloatFunctions.cpp, f32 with 16-bit operands in
// MixedInstructions.cpp; they share mnemonics and modifiers.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_FLOATINSTRUCTIONS_H
#define WNA16_LIB_EMULATOR_FLOATINSTRUCTIONS_H

#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/Numerics.h"

#include <algorithm>
#include <optional>

namespace wna16::emulator {

inline bool isHalfType(Type type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 ||
         type == Type::BF16x2;
}
inline bool isBfloat(Type type) {
  return type == Type::BF16 || type == Type::BF16x2;
}
inline bool isPacked(Type type) {
  return type == Type::F16x2 || type == Type::BF16x2;
}

/// The NaN that tensor copies put in place of elements out of bounds, fp16 and
/// bf16 alike.
constexpr uint32_t outOfBoundsNan = 0x7ff7;

/// Modifiers of floating-point arithmetic that change results.
struct FloatModifiers {
  std::optional<Rounding> rounding;
  bool ftz = false, sat = false, relu = false;
  /// fma: zero if an operand is the NaN of an element out of bounds.
  bool oob = false;
  bool nan = false, xorsign = false; ///< min and max

  uint64_t pack() const {
    return uint64_t(ftz) | uint64_t(sat) << 1 | uint64_t(relu) << 2 |
           uint64_t(oob) << 3 | uint64_t(nan) << 4 | uint64_t(xorsign) << 5;
  }
  static FloatModifiers unpack(uint64_t bits) {
    FloatModifiers out;
    out.ftz = bits & 1;
    out.sat = bits >> 1 & 1;
    out.relu = bits >> 2 & 1;
    out.oob = bits >> 3 & 1;
    out.nan = bits >> 4 & 1;
    out.xorsign = bits >> 5 & 1;
    return out;
  }
};

/// .rn, .rz, .rm, .rp
inline std::optional<Rounding> takeRounding(Decoder &d) {
  const int mode = d.takeOne({"rn", "rz", "rm", "rp"});
  if (mode < 0)
    return std::nullopt;
  return Rounding(mode);
}

/// Decodes the operands of add, sub, mul, fma, neg or abs on a 16-bit type;
/// modifiers are consumed already.
bool decodeHalf(Decoder &d, Type type, FloatModifiers modifiers);

/// The same for f32 results of f16 or bf16 operands (add, sub, fma).
bool decodeMixed(Decoder &d, Type narrow, FloatModifiers modifiers);

/// Subnormal 16-bit floats to zero of their sign.
inline uint32_t flushHalf(uint32_t half) {
  return half & 0x7c00 ? half : half & 0x8000;
}

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_FLOATINSTRUCTIONS_H
