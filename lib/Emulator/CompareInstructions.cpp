//===- CompareInstructions.cpp - setp, set, selp, slct --------------------===//
//
// Comparisons give a mask of 32 lanes, which is how predicates are kept.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/Numerics.h"
#include "lib/Emulator/Rows.h"

namespace wna16::emulator {
namespace {

/// In the order of the names in decodeComparison.
enum class Compare : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Lo,
  Ls,
  Hi,
  Hs,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};
enum class Combine : uint8_t { None, And, Or, Xor };

template <typename T, typename F>
uint32_t maskOf(const Storage<T> *a, const Storage<T> *b, F f) {
  uint32_t mask = 0;
  for (unsigned i = 0; i < warpSize; ++i)
    mask |= uint32_t(f(fromStorage<T>(a[i]), fromStorage<T>(b[i]))) << i;
  return mask;
}

template <typename T>
uint32_t compareRows(Compare op, const Storage<T> *a, const Storage<T> *b) {
  auto unordered = [](T x, T y) { return x != x || y != y; };
  switch (op) {
  case Compare::Eq:
    return maskOf<T>(a, b, [](T x, T y) { return x == y; });
  case Compare::Ne: // ordered for floats
    return maskOf<T>(a, b,
                     [=](T x, T y) { return x != y && !unordered(x, y); });
  case Compare::Lt:
  case Compare::Lo:
    return maskOf<T>(a, b, [](T x, T y) { return x < y; });
  case Compare::Le:
  case Compare::Ls:
    return maskOf<T>(a, b, [](T x, T y) { return x <= y; });
  case Compare::Gt:
  case Compare::Hi:
    return maskOf<T>(a, b, [](T x, T y) { return x > y; });
  case Compare::Ge:
  case Compare::Hs:
    return maskOf<T>(a, b, [](T x, T y) { return x >= y; });
  case Compare::Equ:
    return maskOf<T>(a, b, [=](T x, T y) { return x == y || unordered(x, y); });
  case Compare::Neu:
    return maskOf<T>(a, b, [](T x, T y) { return x != y; });
  case Compare::Ltu:
    return maskOf<T>(a, b, [](T x, T y) { return !(x >= y); });
  case Compare::Leu:
    return maskOf<T>(a, b, [](T x, T y) { return !(x > y); });
  case Compare::Gtu:
    return maskOf<T>(a, b, [](T x, T y) { return !(x <= y); });
  case Compare::Geu:
    return maskOf<T>(a, b, [](T x, T y) { return !(x < y); });
  case Compare::Num:
    return maskOf<T>(a, b, [=](T x, T y) { return !unordered(x, y); });
  case Compare::Nan:
    return maskOf<T>(a, b, [=](T x, T y) { return unordered(x, y); });
  }
  return 0;
}

/// Compares decode(a) with decode(b) in fp32.
template <typename F>
uint32_t compareDecoded(Compare op, const uint32_t *a, const uint32_t *b,
                        F decode) {
  uint32_t wideA[warpSize], wideB[warpSize];
  for (unsigned i = 0; i < warpSize; ++i) {
    wideA[i] = std::bit_cast<uint32_t>(decode(a[i]));
    wideB[i] = std::bit_cast<uint32_t>(decode(b[i]));
  }
  return compareRows<float>(op, wideA, wideB);
}

/// `shift` selects the half of a packed pair. Instr::flag2: flush subnormals.
uint32_t compare(const Warp &warp, const Instr &instr, unsigned shift = 0) {
  const Compare op = Compare(instr.sub);
  const Value &a = instr.src[0], &b = instr.src[1];
  switch (instr.type) {
  case Type::B16:
  case Type::U16:
    return compareRows<uint16_t>(op, warp.words(a), warp.words(b));
  case Type::S16:
    return compareRows<int16_t>(op, warp.words(a), warp.words(b));
  case Type::S32:
    return compareRows<int32_t>(op, warp.words(a), warp.words(b));
  case Type::B64:
  case Type::U64:
    return compareRows<uint64_t>(op, warp.wides(a), warp.wides(b));
  case Type::S64:
    return compareRows<int64_t>(op, warp.wides(a), warp.wides(b));
  case Type::F32:
    if (instr.flag2)
      return compareDecoded(op, warp.words(a), warp.words(b), [](uint32_t v) {
        return flush(std::bit_cast<float>(v));
      });
    return compareRows<float>(op, warp.words(a), warp.words(b));
  case Type::F64:
    return compareRows<double>(op, warp.wides(a), warp.wides(b));
  case Type::F16:
  case Type::F16x2:
    return compareDecoded(op, warp.words(a), warp.words(b), [=](uint32_t v) {
      v = v >> shift & 0xffff;
      return halfToFloat(instr.flag2 && !(v & 0x7c00) ? v & 0x8000 : v);
    });
  case Type::BF16:
  case Type::BF16x2:
    return compareDecoded(op, warp.words(a), warp.words(b), [=](uint32_t v) {
      return bfloatToFloat(v >> shift & 0xffff);
    });
  default:
    return compareRows<uint32_t>(op, warp.words(a), warp.words(b));
  }
}

bool isPackedHalf(Type type) {
  return type == Type::F16x2 || type == Type::BF16x2;
}

uint32_t combine(Combine how, uint32_t a, uint32_t b) {
  switch (how) {
  case Combine::And:
    return a & b;
  case Combine::Or:
    return a | b;
  case Combine::Xor:
    return a ^ b;
  default:
    return a;
  }
}

/// Instr::imm: Combine in the low byte, above it what `true` is.
Combine combineOf(const Instr &instr) { return Combine(instr.imm & 0xff); }

Step runSetp(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t result = compare(warp, instr);
  auto definedIn = [&](uint64_t field) {
    return warp.definedLanes(instr.src[0], field) &
           warp.definedLanes(instr.src[1], field);
  };
  // Packed pairs: the second predicate belongs to the upper half.
  const bool packed = isPackedHalf(instr.type);
  const uint32_t second = packed ? compare(warp, instr, 16) : ~result;
  uint32_t isDefined =
      definedIn(packed ? 0xffff : ~uint64_t(0) >> (64 - bitWidth(instr.type)));
  uint32_t secondDefined = packed ? definedIn(0xffff0000) : isDefined;
  uint32_t other = 0;
  const Combine how = combineOf(instr);
  if (how != Combine::None) {
    other = warp.predicate(instr.src[2]);
    isDefined &= warp.definedLanes(instr.src[2]);
    secondDefined &= warp.definedLanes(instr.src[2]);
  }
  if (instr.numDst > 1)
    warp.writePredicate(instr.dst[1], combine(how, second, other), mask,
                        secondDefined);
  warp.writePredicate(instr.dst[0], combine(how, result, other), mask,
                      isDefined);
  return Step::Next;
}

/// set: all ones, or 1.0 for a float destination. Pairs are set half by half.
Step runSet(Warp &warp, const Instr &instr, uint32_t mask) {
  const bool packed = isPackedHalf(instr.type);
  const uint32_t yes = uint32_t(instr.imm >> 8);
  const bool combined = combineOf(instr) != Combine::None;
  uint32_t out[warpSize] = {}, undefined[warpSize] = {};
  for (unsigned half = 0; half < (packed ? 2u : 1u); ++half) {
    const uint64_t field = packed ? 0xffffu << (16 * half) : ~uint64_t(0);
    uint32_t result = compare(warp, instr, 16 * half);
    uint32_t isDefined = warp.definedLanes(instr.src[0], field) &
                         warp.definedLanes(instr.src[1], field);
    if (combined) {
      result = combine(combineOf(instr), result, warp.predicate(instr.src[2]));
      isDefined &= warp.definedLanes(instr.src[2]);
    }
    for (unsigned i = 0; i < warpSize; ++i) {
      out[i] |= result >> i & 1 ? yes & uint32_t(field) : 0;
      undefined[i] |= isDefined >> i & 1 ? 0 : uint32_t(field);
    }
  }
  warp.writePartly(instr.dst[0], out, mask, undefined);
  return Step::Next;
}

template <typename S>
Step runSelp(Warp &warp, const Instr &instr, uint32_t mask) {
  const auto *a = row<S>(warp, instr.src[0]);
  const auto *b = row<S>(warp, instr.src[1]);
  const uint32_t chosen = warp.predicate(instr.src[2]);
  alignas(64) S out[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    out[i] = chosen >> i & 1 ? a[i] : b[i];
  // Only the chosen value matters.
  const uint32_t isDefined = ((chosen & warp.definedLanes(instr.src[0])) |
                              (~chosen & warp.definedLanes(instr.src[1]))) &
                             warp.definedLanes(instr.src[2]);
  if (!(mask & ~isDefined)) [[likely]] {
    warp.write(instr.dst[0], out, mask, fullMask);
    return Step::Next;
  }
  S undefined[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    undefined[i] =
        warp.definedLanes(instr.src[2]) >> i & 1
            ? S(warp.undefinedBits(instr.src[chosen >> i & 1 ? 0 : 1], i))
            : S(-1);
  warp.writePartly(instr.dst[0], out, mask, undefined);
  return Step::Next;
}

bool decodeComparison(Decoder &d) {
  const int op =
      d.takeOne({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
                 "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
  if (op < 0)
    return d.fail("expected a comparison such as .lt");
  d.instr.sub = uint8_t(op);
  d.instr.imm = uint64_t(d.takeOne({"and", "or", "xor"}) + 1);
  d.instr.cls = InstrClass::Integer;
  d.instr.flag2 = d.take("ftz");
  return true;
}

bool comparisonSources(Decoder &d, Type type) {
  const bool combined = (d.instr.imm & 0xff) != 0;
  d.instr.type = type;
  if (isFloat(type))
    d.instr.cls = InstrClass::Float;
  const bool flushes =
      type == Type::F32 || type == Type::F16 || type == Type::F16x2;
  if (d.instr.flag2 && !flushes)
    return d.fail(".ftz exists for .f32 and .f16 only");
  if (type == Type::F32x2 || bitWidth(type) < 16 || bitWidth(type) > 64)
    return d.fail("type ." + std::string(typeName(type)) +
                  " cannot be compared");
  return d.end() && d.expectOperands(combined ? 4 : 3) &&
         d.src(d.operand(1), type) && d.src(d.operand(2), type) &&
         (!combined || d.srcPredicate(d.operand(3)));
}

bool decodeSetp(Decoder &d) {
  if (!decodeComparison(d))
    return false;
  auto type = d.takeType();
  if (!type || !comparisonSources(d, *type))
    return false;
  d.instr.handler = runSetp;
  const ast::Operand &result = d.operand(0);
  if (result.kind == ast::Operand::Kind::Pair)
    return d.dst(result.elements[0], Type::Pred) &&
           d.dst(result.elements[1], Type::Pred);
  return d.dst(result, Type::Pred);
}

/// What `true` is in a destination; 0 if there is no such form.
uint32_t trueOf(Type to, Type from) {
  const bool wide = to == Type::U32 || to == Type::S32;
  if (isPackedHalf(from))
    return to == from ? (to == Type::F16x2 ? 0x3c003c00 : 0x3f803f80)
           : wide     ? 0xffffffff
                      : 0;
  const bool half = from == Type::F16 || from == Type::BF16;
  switch (to) {
  case Type::U32:
  case Type::S32:
    return 0xffffffff;
  case Type::F32:
    return half ? 0 : 0x3f800000;
  case Type::F16:
    return from == Type::BF16 ? 0 : 0x3c00;
  case Type::BF16:
    return 0x3f80;
  case Type::U16:
  case Type::S16:
    return half ? 0xffff : 0;
  default:
    return 0;
  }
}

bool decodeSet(Decoder &d) {
  if (!decodeComparison(d))
    return false;
  auto to = d.takeType(), from = to ? d.takeType() : std::nullopt;
  if (!from)
    return false;
  const uint32_t yes = trueOf(*to, *from);
  if (!yes)
    return d.fail("there is no set from ." + std::string(typeName(*from)) +
                  " to ." + std::string(typeName(*to)));
  d.instr.imm |= uint64_t(yes) << 8;
  d.instr.handler = runSet;
  return comparisonSources(d, *from) && d.dst(d.operand(0), *to);
}

/// slct: a if c >= 0, else b; a NaN is not.
template <typename S>
Step runSlct(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *c = warp.words(instr.src[2]);
  S out[warpSize], undefined[warpSize];
  for (unsigned i = 0; i < warpSize; ++i) {
    const float value = std::bit_cast<float>(c[i]);
    const bool first = instr.flag ? (instr.flag2 ? flush(value) : value) >= 0
                                  : int32_t(c[i]) >= 0;
    const Value &chosen = instr.src[first ? 0 : 1];
    out[i] = row<S>(warp, chosen)[i];
    const bool known =
        !(warp.undefinedBits(instr.src[2], i) &
          (instr.flag ? 0xffffffffu : 0x80000000u)); // the sign decides
    undefined[i] = known ? S(warp.undefinedBits(chosen, i)) : S(-1);
  }
  warp.writePartly(instr.dst[0], out, mask, undefined);
  return Step::Next;
}

bool decodeSlct(Decoder &d) {
  d.instr.flag2 = d.take("ftz");
  auto type = d.takeType();
  const int selector = type ? d.takeOne({"s32", "f32"}) : -1;
  if (selector < 0 || (d.instr.flag2 && selector == 0))
    return d.fail("expected slct{.ftz}.TYPE.f32 or slct.TYPE.s32");
  if (bitWidth(*type) < 16 || bitWidth(*type) > 64)
    return d.fail("type ." + std::string(typeName(*type)) +
                  " is not supported by this instruction");
  d.instr.flag = selector == 1;
  d.instr.cls = InstrClass::Move;
  d.instr.handler =
      bitWidth(*type) == 64 ? runSlct<uint64_t> : runSlct<uint32_t>;
  return d.end() && d.expectOperands(4) && d.dst(d.operand(0), *type) &&
         d.src(d.operand(1), *type) && d.src(d.operand(2), *type) &&
         d.src(d.operand(3), selector ? Type::F32 : Type::S32);
}

bool decodeSelp(Decoder &d) {
  auto type = d.takeType();
  if (!type)
    return false;
  if (bitWidth(*type) < 16 || bitWidth(*type) > 64)
    return d.fail("type ." + std::string(typeName(*type)) +
                  " is not supported by this instruction");
  d.instr.cls = InstrClass::Move;
  d.instr.handler =
      bitWidth(*type) == 64 ? runSelp<uint64_t> : runSelp<uint32_t>;
  return d.end() && d.expectOperands(4) && d.dst(d.operand(0), *type) &&
         d.src(d.operand(1), *type) && d.src(d.operand(2), *type) &&
         d.srcPredicate(d.operand(3));
}

} // namespace

void addCompareInstructions(MnemonicTable &table) {
  table["setp"] = decodeSetp;
  table["set"] = decodeSet;
  table["selp"] = decodeSelp;
  table["slct"] = decodeSlct;
}

} // namespace wna16::emulator
