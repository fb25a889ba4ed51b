//===- MaskInstructions.cpp - bmsk, szext, fns ----------------------------===//
//
// Bit masks made and searched.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/BitOps.h"
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/Rows.h"

namespace wna16::emulator {
namespace {

template <bool clamp> struct Bmsk {
  static uint32_t apply(uint32_t position, uint32_t width) {
    return makeBitMask(position, width, clamp);
  }
};

template <bool clamp, bool isSigned> struct Szext {
  static uint32_t apply(uint32_t value, uint32_t bits) {
    return extendBits(value, bits, clamp, isSigned);
  }
  /// Bits above the field are those of its sign.
  static uint32_t undefined(Tracked<uint32_t> value, Tracked<uint32_t> bits) {
    return bits.known() ? apply(value.undefined, bits.value) : ~0u;
  }
};

struct Fns {
  static uint32_t apply(uint32_t mask, uint32_t base, int32_t offset) {
    return findNthSet(mask, base, offset);
  }
};

bool decodeBmsk(Decoder &d) {
  const int mode = d.takeOne({"clamp", "wrap"});
  if (mode < 0 || !d.take("b32"))
    return d.fail("expected bmsk.{clamp,wrap}.b32");
  return d.end() && d.expectOperands(3) && d.dst(d.operand(0), Type::B32) &&
         d.src(d.operand(1), Type::B32) && d.src(d.operand(2), Type::B32) &&
         d.runs(mode == 0 ? rowBinary<uint32_t, Bmsk<true>>
                          : rowBinary<uint32_t, Bmsk<false>>,
                InstrClass::Integer);
}

bool decodeSzext(Decoder &d) {
  const int mode = d.takeOne({"clamp", "wrap"});
  const int type = d.takeOne({"u32", "s32"});
  if (mode < 0 || type < 0)
    return d.fail("expected szext.{clamp,wrap}.{u32,s32}");
  const Handler handlers[2][2] = {{rowBinary<uint32_t, Szext<true, false>>,
                                   rowBinary<uint32_t, Szext<true, true>>},
                                  {rowBinary<uint32_t, Szext<false, false>>,
                                   rowBinary<uint32_t, Szext<false, true>>}};
  return d.end() && d.expectOperands(3) && d.dst(d.operand(0), Type::B32) &&
         d.src(d.operand(1), Type::B32) && d.src(d.operand(2), Type::B32) &&
         d.runs(handlers[mode][type], InstrClass::Integer);
}

bool decodeFns(Decoder &d) {
  return d.take("b32") && d.end() && d.expectOperands(4) &&
         d.dst(d.operand(0), Type::B32) && d.src(d.operand(1), Type::B32) &&
         d.src(d.operand(2), Type::B32) && d.src(d.operand(3), Type::S32) &&
         d.runs(rowTernary<uint32_t, Fns, uint32_t, int32_t>,
                InstrClass::Integer);
}

} // namespace

void addMaskInstructions(MnemonicTable &table) {
  table["bmsk"] = decodeBmsk;
  table["szext"] = decodeSzext;
  table["fns"] = decodeFns;
}

} // namespace wna16::emulator
