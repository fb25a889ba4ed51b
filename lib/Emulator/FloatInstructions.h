//===- FloatInstructions.h - the 16-bit half of the float family ----------===//
//
// f32 and f64 live in FloatInstructions.cpp, fp16 and bf16 (also packed) in
// HalfInstructions.cpp; they share mnemonics and modifiers.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_FLOATINSTRUCTIONS_H
#define WNA16_LIB_EMULATOR_FLOATINSTRUCTIONS_H

#include "lib/Emulator/Decoder.h"

namespace wna16::emulator {

inline bool isHalfType(Type type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 ||
         type == Type::BF16x2;
}

/// Decodes the operands of add, sub, mul, fma, min, max, neg or abs on a 16-bit
/// type; modifiers are consumed already (Instr::flag: .sat, flag2: .relu for
/// fma, .NaN for min and max).
bool decodeHalf(Decoder &decoder, Type type);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_FLOATINSTRUCTIONS_H
