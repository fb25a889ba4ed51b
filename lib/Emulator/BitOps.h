//===- BitOps.h - bit-level operations on single values -------------------===//
//
// The definitions of lop3, prmt, bfe, bfi and brev, apart from the warp machine
// so that tests can call them.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_BITOPS_H
#define WNA16_LIB_EMULATOR_BITOPS_H

#include <cstdint>
#include <type_traits>

namespace wna16::emulator {

/// Bit i of the result is table[a_i * 4 + b_i * 2 + c_i].
inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t out = 0;
  for (unsigned row = 0; row < 8; ++row) {
    const uint32_t term =
        (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
    out |= table >> row & 1 ? term : 0;
  }
  return out;
}

/// Bits of lop3's result that depend on undefined bits of its operands, given
/// those in ua, ub and uc: the table has both a 0 and a 1 for what they may be.
inline uint32_t lop3Undefined(uint32_t a, uint32_t b, uint32_t c, uint32_t ua,
                              uint32_t ub, uint32_t uc, uint32_t table) {
  uint32_t can[2] = {0, 0};
  for (unsigned row = 0; row < 8; ++row)
    can[table >> row & 1] |= ((row & 4 ? a : ~a) | ua) &
                             ((row & 2 ? b : ~b) | ub) &
                             ((row & 1 ? c : ~c) | uc);
  return can[0] & can[1];
}

enum class PermuteMode : uint8_t { Default, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };

/// Bytes 0-3 are those of `a`, 4-7 those of `b`.
inline uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector,
                             PermuteMode mode) {
  const uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned s = selector & 3;
    unsigned index = 0;
    bool replicateSign = false;
    switch (mode) {
    case PermuteMode::Default:
      index = selector >> (4 * i) & 7;
      replicateSign = selector >> (4 * i) & 8;
      break;
    case PermuteMode::F4e:
      index = (s + i) & 7;
      break;
    case PermuteMode::B4e:
      index = (s - i) & 7;
      break;
    case PermuteMode::Rc8:
      index = s;
      break;
    case PermuteMode::Ecl:
      index = i > s ? i : s;
      break;
    case PermuteMode::Ecr:
      index = i < s ? i : s;
      break;
    case PermuteMode::Rc16:
      index = (s & 1) * 2 + (i & 1);
      break;
    }
    uint32_t byte = uint32_t(bytes >> (8 * index)) & 0xff;
    if (replicateSign)
      byte = byte & 0x80 ? 0xff : 0;
    out |= byte << (8 * i);
  }
  return out;
}

/// Positions and lengths of bit fields are taken modulo 256. Not by the forms
/// of 64 bits on hardware, although the PTX document says so.
template <typename T> uint32_t fieldBound(uint32_t value) {
  return sizeof(T) == 4 ? value & 255 : value < 256 ? value : 256;
}

/// bfe: `length` bits from `position`; signed types extend the field's top bit,
/// or the operand's when the field passes its end.
template <typename T>
T extractBits(T value, uint32_t position, uint32_t length) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t width = sizeof(T) * 8;
  position = fieldBound<T>(position);
  length = fieldBound<T>(length);
  if (length == 0)
    return 0;
  const uint32_t top =
      position + length - 1 < width - 1 ? position + length - 1 : width - 1;
  const bool sign = std::is_signed_v<T> && (U(value) >> top & 1);
  U out = 0;
  if (position < width)
    out = U(U(value) >> position);
  const uint32_t kept =
      position < width ? (length < width - position ? length : width - position)
                       : 0;
  const U mask = kept >= width ? U(~U(0)) : U((U(1) << kept) - 1);
  out &= mask;
  if (sign)
    out |= U(~mask);
  return T(out);
}

/// bfi: the low `length` bits of `a` put into `b` at `position`.
template <typename T>
T insertBits(T a, T b, uint32_t position, uint32_t length) {
  constexpr uint32_t width = sizeof(T) * 8;
  position = fieldBound<T>(position);
  length = fieldBound<T>(length);
  if (length == 0 || position >= width)
    return b;
  const T field = length >= width ? T(~T(0)) : T((T(1) << length) - 1);
  const T mask = T(field << position);
  return T((b & ~mask) | (T(a << position) & mask));
}

template <typename T> T reverseBits(T value) {
  T out = 0;
  for (unsigned i = 0; i < sizeof(T) * 8; ++i)
    out = T(out << 1 | (value >> i & 1));
  return out;
}

/// bmsk: `width` ones from `position`. Without `clamp` both are taken modulo
/// 32; with it a position above 31 gives 0, a larger width all bits above.
inline uint32_t makeBitMask(uint32_t position, uint32_t width, bool clamp) {
  if (!clamp) {
    position &= 31;
    width &= 31;
  }
  if (position > 31 || width == 0)
    return 0;
  const uint32_t above = ~0u << position;
  return width >= 32 - position ? above : above & ~(~0u << (position + width));
}

/// szext: the low `bits` bits, extended by the highest of them if `isSigned`.
inline uint32_t extendBits(uint32_t value, uint32_t bits, bool clamp,
                           bool isSigned) {
  if (clamp && bits >= 32)
    return value;
  bits &= 31;
  if (bits == 0)
    return 0;
  const unsigned rest = 32 - bits;
  return isSigned ? uint32_t(int32_t(value << rest) >> rest)
                  : value << rest >> rest;
}

/// fns: position of the n-th set bit from `base`, upwards if `offset` is
/// positive, downwards if negative; 0 asks for `base` itself.
inline uint32_t findNthSet(uint32_t mask, uint32_t base, int32_t offset) {
  constexpr uint32_t none = 0xffffffffu;
  if (base > 31)
    return none;
  if (offset == 0)
    return mask >> base & 1 ? base : none;
  if (offset == INT32_MIN)
    return 0; // what hardware makes of the number that cannot be negated
  const int step = offset > 0 ? 1 : -1;
  int64_t left = offset > 0 ? offset : -int64_t(offset);
  for (int position = int(base); position >= 0 && position < 32;
       position += step)
    if (mask >> position & 1 && --left == 0)
      return uint32_t(position);
  return none;
}

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_BITOPS_H
