//===- BitInstructions.cpp - and, shl, shf, bfe, popc, ... ----------------===//
//
// Logic, shifts and bit fields.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/BitOps.h"
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/Rows.h"

namespace wna16::emulator {
namespace {

struct And {
  template <typename T> static T apply(T a, T b) { return T(a & b); }
  /// A defined 0 decides.
  template <typename T> static T undefined(Tracked<T> a, Tracked<T> b) {
    return T((a.undefined | b.undefined) & (a.undefined | a.value) &
             (b.undefined | b.value));
  }
};
struct Or {
  template <typename T> static T apply(T a, T b) { return T(a | b); }
  /// A defined 1 decides.
  template <typename T> static T undefined(Tracked<T> a, Tracked<T> b) {
    return T((a.undefined | b.undefined) & (a.undefined | ~a.value) &
             (b.undefined | ~b.value));
  }
};
struct Xor {
  template <typename T> static T apply(T a, T b) { return T(a ^ b); }
  template <typename T> static T undefined(Tracked<T> a, Tracked<T> b) {
    return T(a.undefined | b.undefined);
  }
};
struct Not {
  template <typename T> static T apply(T a) { return T(~a); }
  template <typename T> static T undefined(Tracked<T> a) { return a.undefined; }
};
struct LogicalNot {
  template <typename T> static T apply(T a) { return T(a == 0); }
};
// Moving bits moves their definedness in the same way, an undefined sign
// included; by an undefined distance nothing is known. Shift amounts are
// clamped at the width.
template <typename Op> struct Moving {
  template <typename T, typename... Distances>
  static T undefined(Tracked<T> a, Distances... distances) {
    return (distances.known() && ...)
               ? T(Op::apply(a.undefined, distances.value...))
               : T(-1);
  }
};
struct Shl : Moving<Shl> {
  template <typename T> static T apply(T a, uint32_t n) {
    return n >= sizeof(T) * 8 ? T(0) : T(std::make_unsigned_t<T>(a) << n);
  }
};
struct Shr : Moving<Shr> {
  template <typename T> static T apply(T a, uint32_t n) {
    constexpr uint32_t width = sizeof(T) * 8;
    if (n >= width)
      return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
    return T(a >> n);
  }
};
struct Popc {
  template <typename T> static uint32_t apply(T a) {
    return uint32_t(__builtin_popcountll(uint64_t(std::make_unsigned_t<T>(a))));
  }
};
struct Clz {
  template <typename T> static uint32_t apply(T a) {
    return uint32_t(std::countl_zero(std::make_unsigned_t<T>(a)));
  }
};
struct Brev : Moving<Brev> {
  template <typename T> static T apply(T a) { return reverseBits(a); }
};
struct Bfind {
  template <typename T> static uint32_t apply(T a) {
    auto bits = std::make_unsigned_t<T>(a);
    if (std::is_signed_v<T> && a < 0)
      bits = std::make_unsigned_t<T>(~bits);
    return bits ? uint32_t(sizeof(T) * 8 - 1 - size_t(std::countl_zero(bits)))
                : 0xffffffffu;
  }
};
struct BfindShift {
  template <typename T> static uint32_t apply(T a) {
    const uint32_t position = Bfind::apply(a);
    return position == 0xffffffffu ? position
                                   : uint32_t(sizeof(T) * 8 - 1) - position;
  }
};
struct Bfe : Moving<Bfe> {
  template <typename T>
  static T apply(T a, uint32_t position, uint32_t length) {
    return extractBits(a, position, length);
  }
};
struct ShfLeft {
  static uint32_t apply(uint32_t lo, uint32_t hi, uint32_t n) {
    return uint32_t(((uint64_t(hi) << 32 | lo) << n) >> 32);
  }
};
struct ShfRight {
  static uint32_t apply(uint32_t lo, uint32_t hi, uint32_t n) {
    return uint32_t((uint64_t(hi) << 32 | lo) >> n);
  }
};
template <typename Op, bool clamp> struct Shf {
  static uint32_t apply(uint32_t lo, uint32_t hi, uint32_t n) {
    return Op::apply(lo, hi, clamp ? (n > 32 ? 32 : n) : n & 31);
  }
  static uint32_t undefined(Tracked<uint32_t> lo, Tracked<uint32_t> hi,
                            Tracked<uint32_t> n) {
    return n.known() ? apply(lo.undefined, hi.undefined, n.value) : ~0u;
  }
};

template <typename T>
Step runBfi(Warp &warp, const Instr &instr, uint32_t mask) {
  const auto *a = row<T>(warp, instr.src[0]);
  const auto *b = row<T>(warp, instr.src[1]);
  const uint32_t *position = warp.words(instr.src[2]);
  const uint32_t *length = warp.words(instr.src[3]);
  uint32_t isDefined = fullMask;
  for (unsigned i = 0; i < 4; ++i)
    isDefined &= warp.definedLanes(instr.src[i]);
  Storage<T> out[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    out[i] = insertBits<T>(T(a[i]), T(b[i]), position[i], length[i]);
  if (!(mask & ~isDefined)) [[likely]] {
    warp.write(instr.dst[0], out, mask, fullMask);
    return Step::Next;
  }
  const uint32_t placed =
      warp.definedLanes(instr.src[2]) & warp.definedLanes(instr.src[3]);
  Storage<T> undefined[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    undefined[i] = placed >> i & 1
                       ? insertBits<T>(T(warp.undefinedBits(instr.src[0], i)),
                                       T(warp.undefinedBits(instr.src[1], i)),
                                       position[i], length[i])
                       : T(-1);
  warp.writePartly(instr.dst[0], out, mask, undefined);
  return Step::Next;
}

/// Logic on predicates: the masks themselves.
template <typename Op>
Step runPredicateLogic(Warp &warp, const Instr &instr, uint32_t mask) {
  const Value &a = instr.src[0], &b = instr.src[instr.numSrc - 1];
  warp.writePredicate(instr.dst[0],
                      Op::apply(warp.predicate(a), warp.predicate(b)), mask,
                      warp.definedLanes(a) & warp.definedLanes(b));
  return Step::Next;
}
struct PredicateNot {
  static uint32_t apply(uint32_t a, uint32_t) { return ~a; }
};

template <typename Op> struct Binary {
  template <typename T> static Handler get() { return rowBinary<T, Op>; }
};
template <typename Op> struct Unary {
  template <typename T> static Handler get() { return rowUnary<T, Op>; }
};
template <typename Op> struct Shift {
  template <typename T> static Handler get() {
    return rowBinary<T, Op, uint32_t>;
  }
};
template <typename Op> struct Field {
  template <typename T> static Handler get() {
    return rowTernary<T, Op, uint32_t, uint32_t>;
  }
};

template <typename Op> bool decodeLogic(Decoder &d) {
  auto type = d.takeType();
  if (!type || !d.end() || !d.expectOperands(3))
    return false;
  Handler handler =
      *type == Type::Pred ? runPredicateLogic<Op> : forBits<Binary<Op>>(*type);
  return d.dst(d.operand(0), *type) && d.src(d.operand(1), *type) &&
         d.src(d.operand(2), *type) && d.runs(handler, InstrClass::Integer);
}

bool decodeNot(Decoder &d) {
  auto type = d.takeType();
  if (!type || !d.end() || !d.expectOperands(2))
    return false;
  Handler handler = *type == Type::Pred ? runPredicateLogic<PredicateNot>
                                        : forBits<Unary<Not>>(*type);
  return d.dst(d.operand(0), *type) && d.src(d.operand(1), *type) &&
         d.runs(handler, InstrClass::Integer);
}

bool decodeCnot(Decoder &d) {
  auto type = d.takeType();
  return type && d.end() && d.expectOperands(2) && d.dst(d.operand(0), *type) &&
         d.src(d.operand(1), *type) &&
         d.runs(forBits<Unary<LogicalNot>>(*type), InstrClass::Integer);
}

template <typename Op> bool decodeShift(Decoder &d) {
  auto type = d.takeType();
  if (!type)
    return false;
  Handler handler = forInteger<Shift<Op>>(*type);
  return d.end() && d.expectOperands(3) && d.dst(d.operand(0), *type) &&
         d.src(d.operand(1), *type) && d.src(d.operand(2), Type::U32) &&
         d.runs(handler ? handler : forBits<Shift<Op>>(*type),
                InstrClass::Integer);
}

/// popc, clz, bfind: the result is 32 bits wide whatever the operand.
template <typename Op> bool decodeCount(Decoder &d) {
  auto type = d.takeType();
  if (!type)
    return false;
  Handler handler = forInteger<Unary<Op>>(*type);
  return d.end() && d.expectOperands(2) && d.dst(d.operand(0), Type::U32) &&
         d.src(d.operand(1), *type) &&
         d.runs(handler ? handler : forBits<Unary<Op>>(*type),
                InstrClass::Integer);
}

bool decodeBfind(Decoder &d) {
  return d.take("shiftamt") ? decodeCount<BfindShift>(d)
                            : decodeCount<Bfind>(d);
}

bool decodeBrev(Decoder &d) {
  auto type = d.takeType();
  return type && d.end() && d.expectOperands(2) && d.dst(d.operand(0), *type) &&
         d.src(d.operand(1), *type) &&
         d.runs(forBits<Unary<Brev>>(*type), InstrClass::Integer);
}

bool decodeBfe(Decoder &d) {
  auto type = d.takeType();
  return type && d.end() && d.expectOperands(4) && d.dst(d.operand(0), *type) &&
         d.src(d.operand(1), *type) && d.src(d.operand(2), Type::U32) &&
         d.src(d.operand(3), Type::U32) &&
         d.runs(forInteger<Field<Bfe>>(*type), InstrClass::Integer);
}

bool decodeBfi(Decoder &d) {
  auto type = d.takeType();
  return type && d.end() && d.expectOperands(5) && d.dst(d.operand(0), *type) &&
         d.src(d.operand(1), *type) && d.src(d.operand(2), *type) &&
         d.src(d.operand(3), Type::U32) && d.src(d.operand(4), Type::U32) &&
         d.runs(bitWidth(*type) == 64 ? runBfi<uint64_t> : runBfi<uint32_t>,
                InstrClass::Integer);
}

bool decodeShf(Decoder &d) {
  const int direction = d.takeOne({"l", "r"});
  const int mode = d.takeOne({"clamp", "wrap"});
  if (direction < 0 || mode < 0 || !d.take("b32"))
    return d.fail("expected shf.{l,r}.{clamp,wrap}.b32");
  const Handler handlers[2][2] = {{rowTernary<uint32_t, Shf<ShfLeft, true>>,
                                   rowTernary<uint32_t, Shf<ShfLeft, false>>},
                                  {rowTernary<uint32_t, Shf<ShfRight, true>>,
                                   rowTernary<uint32_t, Shf<ShfRight, false>>}};
  return d.end() && d.expectOperands(4) && d.dst(d.operand(0), Type::B32) &&
         d.src(d.operand(1), Type::B32) && d.src(d.operand(2), Type::B32) &&
         d.src(d.operand(3), Type::B32) &&
         d.runs(handlers[direction][mode], InstrClass::Integer);
}

} // namespace

void addBitInstructions(MnemonicTable &table) {
  table["and"] = decodeLogic<And>;
  table["or"] = decodeLogic<Or>;
  table["xor"] = decodeLogic<Xor>;
  table["not"] = decodeNot;
  table["cnot"] = decodeCnot;
  table["shl"] = decodeShift<Shl>;
  table["shr"] = decodeShift<Shr>;
  table["popc"] = decodeCount<Popc>;
  table["clz"] = decodeCount<Clz>;
  table["bfind"] = decodeBfind;
  table["brev"] = decodeBrev;
  table["bfe"] = decodeBfe;
  table["bfi"] = decodeBfi;
  table["shf"] = decodeShf;
}

} // namespace wna16::emulator
