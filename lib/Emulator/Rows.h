//===- Rows.h - element-wise instructions over 32 lanes -------------------===//
//
// Turns a function on values into a handler: fetch rows, apply to each lane,
// write the lanes of the mask, propagate definedness (bit by bit where the
// operation says how, and only if an operand is undefined). The loops are plain
// so that the compiler vectorises them; inactive lanes are computed and
// dropped.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_ROWS_H
#define WNA16_LIB_EMULATOR_ROWS_H

#include "lib/Emulator/Warp.h"

#include <bit>
#include <type_traits>

namespace wna16::emulator {

/// How a value of type T is kept in a row.
template <typename T>
using Storage = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T> inline T fromStorage(Storage<T> bits) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<T>(bits);
  else
    return T(bits);
}
template <typename T> inline Storage<T> toStorage(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<Storage<T>>(value);
  else
    return Storage<T>(std::make_unsigned_t<T>(value));
}
template <typename T>
inline const Storage<T> *row(const Warp &warp, const Value &value) {
  if constexpr (sizeof(T) == 8)
    return warp.wides(value);
  else
    return warp.words(value);
}

/// A value and which of its bits are undefined.
template <typename T> struct Tracked {
  T value = T(), undefined = T();
  bool known() const { return undefined == T(); }
};

/// The undefined bits of one lane, as a T.
template <typename T>
inline Tracked<T> tracked(const Warp &warp, const Value &value,
                          const Storage<T> *row, unsigned i) {
  return {fromStorage<T>(row[i]),
          fromStorage<T>(Storage<T>(warp.undefinedBits(value, i)))};
}

// An Op may say which bits of its result are undefined if some of its operands
// are, by a function `undefined` with a Tracked for each operand of `apply`.
// Without it one undefined bit spoils the whole result.

/// d = Op(a): Op::apply(T) -> R.
template <typename T, typename Op>
Step rowUnary(Warp &warp, const Instr &instr, uint32_t mask) {
  using R = decltype(Op::apply(T()));
  const auto *a = row<T>(warp, instr.src[0]);
  alignas(64) Storage<R> out[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    out[i] = toStorage<R>(Op::apply(fromStorage<T>(a[i])));
  if constexpr (requires { Op::undefined(Tracked<T>()); })
    if (mask & ~warp.definedLanes(instr.src[0])) [[unlikely]] {
      Storage<R> undefined[warpSize];
      for (unsigned i = 0; i < warpSize; ++i)
        undefined[i] = toStorage<R>(
            R(Op::undefined(tracked<T>(warp, instr.src[0], a, i))));
      warp.writePartly(instr.dst[0], out, mask, undefined);
      return Step::Next;
    }
  warp.write(instr.dst[0], out, mask, warp.definedLanes(instr.src[0]));
  return Step::Next;
}

/// d = Op(a, b): Op::apply(T, U) -> R.
template <typename T, typename Op, typename U = T>
Step rowBinary(Warp &warp, const Instr &instr, uint32_t mask) {
  using R = decltype(Op::apply(T(), U()));
  const auto *a = row<T>(warp, instr.src[0]);
  const auto *b = row<U>(warp, instr.src[1]);
  alignas(64) Storage<R> out[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    out[i] =
        toStorage<R>(Op::apply(fromStorage<T>(a[i]), fromStorage<U>(b[i])));
  const uint32_t isDefined =
      warp.definedLanes(instr.src[0]) & warp.definedLanes(instr.src[1]);
  if constexpr (requires { Op::undefined(Tracked<T>(), Tracked<U>()); })
    if (mask & ~isDefined) [[unlikely]] {
      Storage<R> undefined[warpSize];
      for (unsigned i = 0; i < warpSize; ++i)
        undefined[i] = toStorage<R>(
            R(Op::undefined(tracked<T>(warp, instr.src[0], a, i),
                            tracked<U>(warp, instr.src[1], b, i))));
      warp.writePartly(instr.dst[0], out, mask, undefined);
      return Step::Next;
    }
  warp.write(instr.dst[0], out, mask, isDefined);
  return Step::Next;
}

/// d = Op(a, b, c): Op::apply(T, U, V) -> R.
template <typename T, typename Op, typename U = T, typename V = T>
Step rowTernary(Warp &warp, const Instr &instr, uint32_t mask) {
  using R = decltype(Op::apply(T(), U(), V()));
  const auto *a = row<T>(warp, instr.src[0]);
  const auto *b = row<U>(warp, instr.src[1]);
  const auto *c = row<V>(warp, instr.src[2]);
  alignas(64) Storage<R> out[warpSize];
  for (unsigned i = 0; i < warpSize; ++i)
    out[i] = toStorage<R>(Op::apply(fromStorage<T>(a[i]), fromStorage<U>(b[i]),
                                    fromStorage<V>(c[i])));
  const uint32_t isDefined = warp.definedLanes(instr.src[0]) &
                             warp.definedLanes(instr.src[1]) &
                             warp.definedLanes(instr.src[2]);
  if constexpr (requires {
                  Op::undefined(Tracked<T>(), Tracked<U>(), Tracked<V>());
                })
    if (mask & ~isDefined) [[unlikely]] {
      Storage<R> undefined[warpSize];
      for (unsigned i = 0; i < warpSize; ++i)
        undefined[i] = toStorage<R>(
            R(Op::undefined(tracked<T>(warp, instr.src[0], a, i),
                            tracked<U>(warp, instr.src[1], b, i),
                            tracked<V>(warp, instr.src[2], c, i))));
      warp.writePartly(instr.dst[0], out, mask, undefined);
      return Step::Next;
    }
  warp.write(instr.dst[0], out, mask, isDefined);
  return Step::Next;
}

/// The handler `Make::template get<T>()` for an integer type; null for others.
template <typename Make> Handler forInteger(Type type) {
  switch (type) {
  case Type::U16:
    return Make::template get<uint16_t>();
  case Type::S16:
    return Make::template get<int16_t>();
  case Type::U32:
    return Make::template get<uint32_t>();
  case Type::S32:
    return Make::template get<int32_t>();
  case Type::U64:
    return Make::template get<uint64_t>();
  case Type::S64:
    return Make::template get<int64_t>();
  default:
    return nullptr;
  }
}

/// The same for untyped bits.
template <typename Make> Handler forBits(Type type) {
  switch (bitWidth(type)) {
  case 16:
    return Make::template get<uint16_t>();
  case 32:
    return Make::template get<uint32_t>();
  case 64:
    return Make::template get<uint64_t>();
  default:
    return nullptr;
  }
}

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_ROWS_H
