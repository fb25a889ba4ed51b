//===- NarrowConvert.cpp - cvt of types that registers do not have --------===//
//
// Packed 8-, 6- and 4-bit floats from and to packed halves or fp32, tf32, and
// cvt.pack. Each element is converted by itself, and undefined by itself.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/ConvertInstructions.h"
#include "lib/Emulator/NarrowFloats.h"
#include "lib/Emulator/Warp.h"

#include <algorithm>

namespace wna16::emulator {
namespace {

/// Instr::imm.
struct Form {
  Narrow narrow = Narrow::E4M3;
  Type wide = Type::F32; ///< the other side: .f32, .f16x2 or .bf16x2
  Rounding rounding = Rounding::Nearest;
  bool relu = false, saturate = false;
  uint64_t pack() const {
    return uint64_t(narrow) | uint64_t(wide) << 8 | uint64_t(rounding) << 16 |
           uint64_t(relu) << 24 | uint64_t(saturate) << 25;
  }
  static Form unpack(uint64_t bits) {
    return {Narrow(bits & 0xff), Type(bits >> 8 & 0xff),
            Rounding(bits >> 16 & 0xff), bool(bits >> 24 & 1),
            bool(bits >> 25 & 1)};
  }
};

double decodeHalf(Type type, uint32_t bits) {
  return type == Type::BF16x2 ? bfloatToFloat(bits & 0xffff)
                              : halfToFloat(bits & 0xffff);
}

uint32_t encode(const Form &form, double value) {
  if (form.relu && value <= 0)
    value = 0;
  return form.narrow == Narrow::UE8M0
             ? roundToScale(value, form.rounding, form.saturate)
             : roundToNarrow(form.narrow, value);
}

/// Two fp32 or the halves of one register become one packed pair; the first
/// operand or upper half is the upper element.
Step runToNarrow(Warp &warp, const Instr &instr, uint32_t mask) {
  const Form form = Form::unpack(instr.imm);
  const unsigned width = narrowFormat(form.narrow).storage;
  uint32_t out[warpSize] = {}, undefined[warpSize] = {};
  forLanes(mask, [&](unsigned i) {
    for (unsigned element = 0; element < 2; ++element) {
      const bool floats = form.wide == Type::F32;
      const Value &from = instr.src[floats ? 1 - element : 0];
      const uint32_t bits = warp.words(from)[i];
      const double value = floats
                               ? double(std::bit_cast<float>(bits))
                               : decodeHalf(form.wide, bits >> (16 * element));
      const uint64_t lost = warp.undefinedBits(from, i) &
                            (floats ? 0xffffffffu : 0xffffu << (16 * element));
      out[i] |= encode(form, value) << (width * element);
      if (lost)
        undefined[i] |= ((1u << width) - 1) << (width * element);
    }
  });
  warp.writePartly(instr.dst[0], out, mask, undefined);
  return Step::Next;
}

/// A packed pair becomes the halves of a register.
Step runFromNarrow(Warp &warp, const Instr &instr, uint32_t mask) {
  const Form form = Form::unpack(instr.imm);
  const unsigned width = narrowFormat(form.narrow).storage;
  const uint32_t *a = warp.words(instr.src[0]);
  uint32_t out[warpSize] = {}, undefined[warpSize] = {};
  forLanes(mask, [&](unsigned i) {
    for (unsigned element = 0; element < 2; ++element) {
      const uint32_t field = (1u << width) - 1;
      double value =
          narrowToDouble(form.narrow, a[i] >> (width * element) & field);
      if (form.relu && value <= 0)
        value = 0;
      const uint32_t half = form.wide == Type::BF16x2
                                ? roundToBfloat(value, Rounding::Nearest)
                                : roundToHalf(value, Rounding::Nearest);
      out[i] |= half << (16 * element);
      if (warp.undefinedBits(instr.src[0], i) >> (width * element) & field)
        undefined[i] |= 0xffffu << (16 * element);
    }
  });
  warp.writePartly(instr.dst[0], out, mask, undefined);
  return Step::Next;
}

/// Instr::sub: rounding; elements: ties away from zero; flag: saturate; flag2:
/// relu.
Step runTf32(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]);
  uint32_t out[warpSize];
  for (unsigned i = 0; i < warpSize; ++i) {
    out[i] = roundToTf32(a[i], Rounding(instr.sub), instr.elements, instr.flag);
    if (instr.flag2 && out[i] >> 31)
      out[i] = 0;
  }
  warp.write(instr.dst[0], out, mask, warp.definedLanes(instr.src[0]));
  return Step::Next;
}

/// Instr::elements: bits of a field; flag: signed.
Step runPackIntegers(Warp &warp, const Instr &instr, uint32_t mask) {
  const unsigned width = instr.elements;
  const int64_t most = (int64_t(1) << (instr.flag ? width - 1 : width)) - 1,
                least = instr.flag ? -most - 1 : 0;
  const uint32_t field = (1u << width) - 1;
  auto saturated = [&](const Value &v, unsigned i) {
    return uint32_t(
               std::clamp<int64_t>(int32_t(warp.words(v)[i]), least, most)) &
           field;
  };
  uint32_t out[warpSize], undefined[warpSize];
  for (unsigned i = 0; i < warpSize; ++i) {
    out[i] = saturated(instr.src[0], i) << width | saturated(instr.src[1], i);
    undefined[i] = (warp.undefinedBits(instr.src[0], i) ? field << width : 0) |
                   (warp.undefinedBits(instr.src[1], i) ? field : 0);
    if (instr.numSrc > 2) {
      out[i] |= warp.words(instr.src[2])[i] << (2 * width);
      undefined[i] |= uint32_t(warp.undefinedBits(instr.src[2], i))
                      << (2 * width);
    }
  }
  warp.writePartly(instr.dst[0], out, mask, undefined);
  return Step::Next;
}

/// cvt.pack.sat.{u16,s16,u8,s8,u4,s4,u2,s2}.s32[.b32]
bool decodePackIntegers(Decoder &d) {
  if (!d.take("pack") || !d.take("sat"))
    return d.fail("expected cvt.pack.sat");
  const int to = d.takeOne({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  if (to < 0 || !d.take("s32") || (to > 1 && !d.take("b32")))
    return d.fail("expected cvt.pack.sat.{u16,s16}.s32 or a narrower type and "
                  ".s32.b32");
  d.instr.elements = uint8_t(16 >> (to / 2));
  d.instr.flag = to % 2;
  d.instr.handler = runPackIntegers;
  const size_t sources = to > 1 ? 3 : 2;
  return d.end() && d.operands(Type::B32, sources);
}

/// The narrow type in "e4m3x2"; nullopt for others.
std::optional<Narrow> takeNarrow(Decoder &d) {
  for (const char *name : {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "ue8m0"})
    if (d.take(std::string(name) + "x2"))
      return parseNarrow(name);
  return std::nullopt;
}

bool decodeTf32(Decoder &d, int rounding, const ConvertModifiers &modifiers) {
  if (rounding != 0 && rounding != 1 && rounding != 4)
    return d.fail("expected .rna, .rn or .rz");
  d.instr.elements = rounding == 4;
  d.instr.sub = rounding == 1 ? uint8_t(Rounding::Zero) : 0;
  d.instr.flag = modifiers.satfinite;
  d.instr.flag2 = modifiers.relu;
  d.instr.handler = runTf32;
  if (rounding == 4 && modifiers.relu)
    return d.fail(".relu does not go with .rna");
  return d.take("f32") && d.end() && d.expectOperands(2) &&
         d.dst(d.operand(0), Type::B32) && d.src(d.operand(1), Type::F32);
}

/// The register type that holds a packed pair.
Type storageOf(Narrow narrow) {
  return narrow == Narrow::E2M1 ? Type::B8 : Type::B16;
}

} // namespace

ConvertModifiers takeConvertModifiers(Decoder &d) {
  ConvertModifiers out;
  for (int which = 0; which >= 0;) {
    which = d.takeOne({"ftz", "sat", "satfinite", "relu"});
    if (which >= 0)
      (which == 0   ? out.ftz
       : which == 1 ? out.sat
       : which == 2 ? out.satfinite
                    : out.relu) = true;
  }
  return out;
}

bool isNarrowConvert(const Decoder &d) {
  for (std::string_view part : d.source.parts) {
    if (part == "pack" || part == "tf32")
      return true;
    if (part.size() > 2 && (part.ends_with("x2") || part.ends_with("x4")) &&
        parseNarrow(part.substr(0, part.size() - 2)))
      return true;
  }
  return false;
}

bool decodeNarrowConvert(Decoder &d) {
  d.instr.cls = InstrClass::Convert;
  if (d.has("pack"))
    return decodePackIntegers(d);
  if (d.has("rs"))
    return d.fail("stochastic rounding is not supported");
  const int rounding = d.takeOne({"rn", "rz", "rm", "rp", "rna"});
  const ConvertModifiers modifiers = takeConvertModifiers(d);
  if (modifiers.ftz || modifiers.sat)
    return d.fail(".ftz and .sat do not go with these types");
  if (d.take("tf32"))
    return decodeTf32(d, rounding, modifiers);
  if (rounding < 0 || rounding == 4)
    return d.fail("expected .rn, .rz or .rp");
  Form form;
  form.rounding = Rounding(rounding);
  form.relu = modifiers.relu;
  form.saturate = modifiers.satfinite;
  if (auto to = takeNarrow(d)) {
    form.narrow = *to;
    const bool scale = *to == Narrow::UE8M0;
    auto from = d.takeType();
    if (!from)
      return false;
    form.wide = *from;
    if (*from != Type::F32 && *from != (scale ? Type::BF16x2 : Type::F16x2))
      return d.fail("there is no such conversion from ." +
                    std::string(typeName(*from)));
    if (scale ? form.rounding != Rounding::Zero && form.rounding != Rounding::Up
              : form.rounding != Rounding::Nearest || !modifiers.satfinite)
      return d.fail(scale ? "expected .rz or .rp" : "expected .rn.satfinite");
    if (scale && form.relu)
      return d.fail(".relu does not go with .ue8m0x2");
    if (*from != Type::F32 && narrowFormat(*to).bits < 8)
      return d.fail("6- and 4-bit floats are converted from .f32 only");
    d.instr.imm = form.pack();
    d.instr.handler = runToNarrow;
    const bool floats = *from == Type::F32;
    return d.end() && d.expectOperands(floats ? 3 : 2) &&
           d.dstAtLeast(d.operand(0), storageOf(*to)) &&
           d.src(d.operand(1), *from) &&
           (!floats || d.src(d.operand(2), Type::F32));
  }
  auto to = d.takeType();
  auto from = to ? takeNarrow(d) : std::nullopt;
  if (!from)
    return d.fail("expected a pair such as .e4m3x2; quadruples need stochastic "
                  "rounding, which is not supported");
  form.narrow = *from;
  form.wide = *to;
  if (*to != (*from == Narrow::UE8M0 ? Type::BF16x2 : Type::F16x2) ||
      form.rounding != Rounding::Nearest || modifiers.satfinite)
    return d.fail("expected cvt.rn to .f16x2, or to .bf16x2 from .ue8m0x2");
  d.instr.imm = form.pack();
  d.instr.handler = runFromNarrow;
  return d.end() && d.expectOperands(2) && d.dst(d.operand(0), *to) &&
         d.srcAtLeast(d.operand(1), storageOf(*from));
}

} // namespace wna16::emulator
