//===- IntegerInstructions.h - what the integer families share ------------===//
//
// Plain arithmetic is in IntegerInstructions.cpp; forms with a carry, on pairs
// of 16-bit integers and dot products have files of their own and share its
// mnemonics.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_INTEGERINSTRUCTIONS_H
#define WNA16_LIB_EMULATOR_INTEGERINSTRUCTIONS_H

#include "lib/Emulator/Decoder.h"

namespace wna16::emulator {

/// What takes part in the carry flag.
enum class CarryOp : uint8_t { Add, Sub, MadLo, MadHi };

/// add.cc, sub.cc, mad.lo.cc, addc, ...: the rest after .cc, or for the forms
/// that read the carry (`carryIn`) all after .lo and .hi.
bool decodeCarry(Decoder &d, CarryOp op, bool carryIn);

inline bool isIntegerPair(Type type) {
  return type == Type::U16x2 || type == Type::S16x2;
}
enum class PairOp : uint8_t { Add, Sub, Min, Max };
/// Operands of add, min, max on .u16x2 or .s16x2; `relu`: negative results
/// become zero.
bool decodeIntegerPair(Decoder &d, PairOp op, Type type, bool relu);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_INTEGERINSTRUCTIONS_H
