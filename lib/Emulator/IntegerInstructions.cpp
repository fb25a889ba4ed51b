//===- IntegerInstructions.cpp - add, mul, mad, div, min, ... -------------===//
//
// Integer arithmetic of 16, 32 and 64 bits.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/IntegerInstructions.h"

#include "lib/Emulator/Rows.h"

#include <limits>

namespace wna16::emulator {
namespace {

template <typename T> using Unsigned = std::make_unsigned_t<T>;

/// Twice as wide, same signedness.
template <typename T> struct WideOf;
template <> struct WideOf<uint16_t> { using type = uint32_t; };
template <> struct WideOf<int16_t> { using type = int32_t; };
template <> struct WideOf<uint32_t> { using type = uint64_t; };
template <> struct WideOf<int32_t> { using type = int64_t; };
template <> struct WideOf<uint64_t> { using type = unsigned __int128; };
template <> struct WideOf<int64_t> { using type = __int128; };

template <typename T> T wrapMul(T a, T b) {
  return T(uint64_t(a) * uint64_t(b));
}
template <typename T> T highMul(T a, T b) {
  using W = typename WideOf<T>::type;
  return T((W(a) * W(b)) >> (sizeof(T) * 8));
}

/// Carries go upwards: below the lowest undefined bit a sum, difference or
/// product (low part) is defined.
template <typename T> T carried(T undefined) {
  using U = Unsigned<T>;
  return T(U(undefined) | U(0 - U(undefined)));
}
struct Carrying {
  template <typename T> static T undefined(Tracked<T> a, Tracked<T> b) {
    return carried(T(a.undefined | b.undefined));
  }
  template <typename T>
  static T undefined(Tracked<T> a, Tracked<T> b, Tracked<T> c) {
    return carried(T(a.undefined | b.undefined | c.undefined));
  }
};

// Arithmetic wraps: it is done on unsigned values.
struct Add : Carrying {
  template <typename T> static T apply(T a, T b) {
    return T(Unsigned<T>(a) + Unsigned<T>(b));
  }
};
struct Sub : Carrying {
  template <typename T> static T apply(T a, T b) {
    return T(Unsigned<T>(a) - Unsigned<T>(b));
  }
};
struct AddSat {
  static int32_t apply(int32_t a, int32_t b) {
    int64_t sum = int64_t(a) + b;
    return int32_t(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
  }
};
struct SubSat {
  static int32_t apply(int32_t a, int32_t b) {
    int64_t difference = int64_t(a) - b;
    return int32_t(std::clamp<int64_t>(difference, INT32_MIN, INT32_MAX));
  }
};
struct MulLo : Carrying {
  template <typename T> static T apply(T a, T b) { return wrapMul(a, b); }
};
struct MulHi {
  template <typename T> static T apply(T a, T b) { return highMul(a, b); }
};
struct MulWide {
  template <typename T> static auto apply(T a, T b) {
    using W = typename WideOf<T>::type;
    return W(W(a) * W(b));
  }
};
struct MadLo : Carrying {
  template <typename T> static T apply(T a, T b, T c) {
    return Add::apply(wrapMul(a, b), c);
  }
};
struct MadHi {
  template <typename T> static T apply(T a, T b, T c) {
    return Add::apply(highMul(a, b), c);
  }
};
struct MadHiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return AddSat::apply(highMul(a, b), c);
  }
};
struct MadWide {
  template <typename T>
  static auto apply(T a, T b, typename WideOf<T>::type c) {
    return Add::apply(MulWide::apply(a, b), c);
  }
};
// Division by zero gives all ones, also as remainder; the smallest number
// divided by -1 gives itself.
struct Div {
  template <typename T> static T apply(T a, T b) {
    if (b == 0)
      return T(-1);
    if (std::is_signed_v<T> && b == T(-1))
      return T(0 - Unsigned<T>(a));
    return T(a / b);
  }
};
struct Rem {
  template <typename T> static T apply(T a, T b) {
    if (b == 0)
      return T(-1);
    if (std::is_signed_v<T> && b == T(-1))
      return T(0);
    return T(a % b);
  }
};
struct Min {
  template <typename T> static T apply(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <typename T> static T apply(T a, T b) { return a > b ? a : b; }
};
struct Neg {
  template <typename T> static T apply(T a) { return T(0 - Unsigned<T>(a)); }
};
struct Abs {
  template <typename T> static T apply(T a) {
    return a < 0 ? T(0 - Unsigned<T>(a)) : a;
  }
};
struct Sad {
  template <typename T> static T apply(T a, T b, T c) {
    Unsigned<T> distance = a < b ? Unsigned<T>(Unsigned<T>(b) - Unsigned<T>(a))
                                 : Unsigned<T>(Unsigned<T>(a) - Unsigned<T>(b));
    return T(Unsigned<T>(c) + distance);
  }
};

template <typename Op> struct Unary {
  template <typename T> static Handler get() { return rowUnary<T, Op>; }
};
template <typename Op> struct Binary {
  template <typename T> static Handler get() { return rowBinary<T, Op>; }
};
template <typename Op> struct Ternary {
  template <typename T> static Handler get() { return rowTernary<T, Op>; }
};
struct BinaryWide {
  template <typename T> static Handler get() {
    if constexpr (sizeof(T) == 8)
      return nullptr;
    else
      return rowBinary<T, MulWide>;
  }
};
struct TernaryWide {
  template <typename T> static Handler get() {
    if constexpr (sizeof(T) == 8)
      return nullptr;
    else
      return rowTernary<T, MadWide, T, typename WideOf<T>::type>;
  }
};

/// The type with twice the bits.
Type widened(Type type) {
  switch (type) {
  case Type::U16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
    return Type::U64;
  default:
    return Type::S64;
  }
}

/// The rest of an instruction with `sources` operands of one type.
bool finish(Decoder &d, Type type, size_t sources, Handler handler) {
  return d.end() && d.operands(type, sources) &&
         d.runs(handler, InstrClass::Integer);
}

template <typename Op> bool decodeUnary(Decoder &d) {
  auto type = d.takeType();
  if (type && !isSigned(*type))
    return d.fail("the type must be signed");
  return type && finish(d, *type, 1, forInteger<Unary<Op>>(*type));
}

template <typename Op> bool decodeBinary(Decoder &d) {
  auto type = d.takeType();
  return type && finish(d, *type, 2, forInteger<Binary<Op>>(*type));
}

template <typename Op, typename Saturating, CarryOp carry, PairOp pair>
bool decodeAddSub(Decoder &d) {
  if (d.take("cc"))
    return decodeCarry(d, carry, false);
  const bool saturating = d.take("sat");
  auto type = d.takeType();
  if (!type)
    return false;
  if (isIntegerPair(*type) && pair == PairOp::Add && !saturating)
    return decodeIntegerPair(d, pair, *type, false);
  Handler handler = forInteger<Binary<Op>>(*type);
  if (saturating)
    handler = *type == Type::S32 ? rowBinary<int32_t, Saturating> : nullptr;
  return finish(d, *type, 2, handler);
}

template <typename Op> struct Relu {
  template <typename T> static T apply(T a, T b) {
    return std::max(Op::apply(a, b), T(0));
  }
};

template <typename Op, PairOp pair> bool decodeMinMax(Decoder &d) {
  const bool relu = d.take("relu");
  auto type = d.takeType();
  if (!type)
    return false;
  if (relu && *type != Type::S32 && *type != Type::S16x2)
    return d.fail(".relu exists for .s32 and .s16x2 only");
  if (isIntegerPair(*type))
    return decodeIntegerPair(d, pair, *type, relu);
  return finish(d, *type, 2,
                relu ? rowBinary<int32_t, Relu<Op>>
                     : forInteger<Binary<Op>>(*type));
}

bool decodeMul(Decoder &d) {
  const int form = d.takeOne({"lo", "hi", "wide"});
  auto type = d.takeType();
  if (!type || form < 0)
    return d.fail("expected .lo, .hi or .wide and a type");
  Handler handler = form == 0   ? forInteger<Binary<MulLo>>(*type)
                    : form == 1 ? forInteger<Binary<MulHi>>(*type)
                                : forInteger<BinaryWide>(*type);
  return d.end() && d.expectOperands(3) &&
         d.dst(d.operand(0), form == 2 ? widened(*type) : *type) &&
         d.src(d.operand(1), *type) && d.src(d.operand(2), *type) &&
         d.runs(handler, InstrClass::Integer);
}

bool decodeMad(Decoder &d) {
  const int form = d.takeOne({"lo", "hi", "wide"});
  if (form >= 0 && form < 2 && d.take("cc"))
    return decodeCarry(d, form ? CarryOp::MadHi : CarryOp::MadLo, false);
  const bool saturating = form == 1 && d.take("sat");
  auto type = d.takeType();
  if (!type || form < 0)
    return d.fail("expected .lo, .hi or .wide and a type");
  Handler handler = form == 0   ? forInteger<Ternary<MadLo>>(*type)
                    : form == 1 ? forInteger<Ternary<MadHi>>(*type)
                                : forInteger<TernaryWide>(*type);
  if (saturating)
    handler = *type == Type::S32 ? rowTernary<int32_t, MadHiSat> : nullptr;
  const Type wide = form == 2 ? widened(*type) : *type;
  return d.end() && d.expectOperands(4) && d.dst(d.operand(0), wide) &&
         d.src(d.operand(1), *type) && d.src(d.operand(2), *type) &&
         d.src(d.operand(3), wide) && d.runs(handler, InstrClass::Integer);
}

bool decodeSad(Decoder &d) {
  auto type = d.takeType();
  return type && finish(d, *type, 3, forInteger<Ternary<Sad>>(*type));
}

} // namespace

void addIntegerInstructions(MnemonicTable &table) {
  table["add"] = decodeAddSub<Add, AddSat, CarryOp::Add, PairOp::Add>;
  table["sub"] = decodeAddSub<Sub, SubSat, CarryOp::Sub, PairOp::Sub>;
  table["mul"] = decodeMul;
  table["mad"] = decodeMad;
  table["div"] = decodeBinary<Div>;
  table["rem"] = decodeBinary<Rem>;
  table["min"] = decodeMinMax<Min, PairOp::Min>;
  table["max"] = decodeMinMax<Max, PairOp::Max>;
  table["neg"] = decodeUnary<Neg>;
  table["abs"] = decodeUnary<Abs>;
  table["sad"] = decodeSad;
}

} // namespace wna16::emulator
