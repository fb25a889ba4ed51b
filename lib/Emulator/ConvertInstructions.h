//===- ConvertInstructions.h - what the conversions share -----------------===//
//
// cvt between the types of registers is in ConvertInstructions.cpp, to and from
// 8-, 6- and 4-bit floats, tf32 and packed integers in NarrowConvert.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_CONVERTINSTRUCTIONS_H
#define WNA16_LIB_EMULATOR_CONVERTINSTRUCTIONS_H

#include "lib/Emulator/Decoder.h"

namespace wna16::emulator {

/// Modifiers of cvt that change results, in any order.
struct ConvertModifiers {
  bool ftz = false, sat = false, satfinite = false, relu = false;
};
ConvertModifiers takeConvertModifiers(Decoder &d);

/// Whether a cvt names a type that registers do not have.
bool isNarrowConvert(const Decoder &d);
bool decodeNarrowConvert(Decoder &d);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_CONVERTINSTRUCTIONS_H
