//===- AtomicOps.cpp - what atomic operations compute ---------------------===//
//
// Integers of 16 to 64 bits, floats (also 16-bit and packed), 128 bits for
// exchange and compare-and-swap.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/AtomicOps.h"

#include "lib/Emulator/Numerics.h"

#include <cmath>
#include <cstring>

namespace wna16::emulator {
namespace {

template <typename T>
uint64_t integerOp(AtomicOp op, uint64_t oldBits, uint64_t b, uint64_t c) {
  const T old = T(oldBits), operand = T(b);
  switch (op) {
  case AtomicOp::Add:
    return oldBits + b;
  case AtomicOp::Min:
    return uint64_t(old < operand ? old : operand);
  case AtomicOp::Max:
    return uint64_t(old > operand ? old : operand);
  case AtomicOp::And:
    return oldBits & b;
  case AtomicOp::Or:
    return oldBits | b;
  case AtomicOp::Xor:
    return oldBits ^ b;
  case AtomicOp::Exch:
    return b;
  case AtomicOp::Cas:
    return old == operand ? c : oldBits;
  case AtomicOp::Inc:
    return old >= operand ? 0 : uint64_t(old) + 1;
  case AtomicOp::Dec:
    return old == 0 || old > operand ? b : uint64_t(old) - 1;
  }
  return oldBits;
}

/// Sum, or the lesser or greater of two numbers: a NaN loses, -0 < +0.
template <typename T> T floatOp(AtomicOp op, T a, T b) {
  if (op == AtomicOp::Add)
    return a + b;
  if (a != a || b != b)
    return a != a ? b : a;
  if (a == b)
    return std::signbit(a) == (op == AtomicOp::Max) ? b : a;
  return (a < b) == (op == AtomicOp::Max) ? b : a;
}

/// One fp16 or bf16; the sum is exact enough in fp32 to round once more.
uint32_t halfOp(AtomicOp op, bool bfloat, uint32_t a, uint32_t b) {
  a &= 0xffff;
  b &= 0xffff;
  return bfloat ? floatToBfloat(floatOp(op, bfloatToFloat(a), bfloatToFloat(b)))
                : floatToHalf(floatOp(op, halfToFloat(a), halfToFloat(b)));
}

uint64_t scalarOp(AtomicOp op, Type type, bool flushes, uint64_t old,
                  uint64_t b, uint64_t c) {
  const uint32_t x = uint32_t(old), y = uint32_t(b);
  switch (type) {
  case Type::F16:
  case Type::BF16:
    return halfOp(op, type == Type::BF16, x, y);
  case Type::F16x2:
  case Type::BF16x2:
    return halfOp(op, type == Type::BF16x2, x, y) |
           halfOp(op, type == Type::BF16x2, x >> 16, y >> 16) << 16;
  case Type::F32: {
    auto in = [&](uint32_t bits) {
      const float value = std::bit_cast<float>(bits);
      return flushes ? flush(value) : value;
    };
    const float result = canonicalize(floatOp(op, in(x), in(y)));
    return std::bit_cast<uint32_t>(flushes ? flush(result) : result);
  }
  case Type::F64:
    return std::bit_cast<uint64_t>(
        floatOp(op, std::bit_cast<double>(old), std::bit_cast<double>(b)));
  case Type::S32:
    return integerOp<int32_t>(op, old, b, c);
  case Type::S64:
    return integerOp<int64_t>(op, old, b, c);
  case Type::U64:
  case Type::B64:
    return integerOp<uint64_t>(op, old, b, c);
  case Type::B16:
    return integerOp<uint16_t>(op, old, b, c);
  default:
    return integerOp<uint32_t>(op, old, b, c);
  }
}

} // namespace

bool atomicExists(AtomicOp op, Type type, bool vector) {
  const bool half = type == Type::F16 || type == Type::BF16 ||
                    type == Type::F16x2 || type == Type::BF16x2;
  if (vector)
    return op == AtomicOp::Add
               ? half || type == Type::F32
               : half && (op == AtomicOp::Min || op == AtomicOp::Max);
  const bool integer = type == Type::U32 || type == Type::S32 ||
                       type == Type::U64 || type == Type::S64;
  switch (op) {
  case AtomicOp::Add:
    return (integer && type != Type::S64) || half || type == Type::F32 ||
           type == Type::F64;
  case AtomicOp::Min:
  case AtomicOp::Max:
    return integer;
  case AtomicOp::Inc:
  case AtomicOp::Dec:
    return type == Type::U32;
  case AtomicOp::And:
  case AtomicOp::Or:
  case AtomicOp::Xor:
    return type == Type::B32 || type == Type::B64;
  case AtomicOp::Cas:
    return type == Type::B16 || type == Type::B32 || type == Type::B64 ||
           type == Type::B128;
  case AtomicOp::Exch:
    return type == Type::B32 || type == Type::B64 || type == Type::B128;
  }
  return false;
}

void applyAtomic(AtomicOp op, Type type, bool flushes, const uint8_t *old,
                 const uint8_t *b, const uint8_t *c, uint8_t *out) {
  const unsigned bytes = bitWidth(type) / 8;
  if (type == Type::B128) {
    const bool replace = op == AtomicOp::Exch || !std::memcmp(old, b, bytes);
    const uint8_t *from = op == AtomicOp::Exch ? b : replace ? c : old;
    std::memmove(out, from, bytes);
    return;
  }
  uint64_t values[3] = {};
  std::memcpy(&values[0], old, bytes);
  std::memcpy(&values[1], b, bytes);
  if (op == AtomicOp::Cas)
    std::memcpy(&values[2], c, bytes);
  const uint64_t result =
      scalarOp(op, type, flushes, values[0], values[1], values[2]);
  std::memcpy(out, &result, bytes);
}

} // namespace wna16::emulator
