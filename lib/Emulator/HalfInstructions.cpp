//===- HalfInstructions.cpp - fp16 and bf16 arithmetic --------------------===//
//
// Sums and products of two 16-bit floats are rounded once through fp32, whose
// 24 bits make the double rounding innocuous (11 * 2 + 2 and less); fused
// multiply-adds go through a sum rounded to odd. A packed register holds two
// values; the scalar types are the lower one alone.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/FloatInstructions.h"
#include "lib/Emulator/Numerics.h"
#include "lib/Emulator/Rows.h"

namespace wna16::emulator {
namespace {

struct Half {
  static float decode(uint32_t bits) { return halfToFloat(bits); }
  static uint32_t encode(float value) { return floatToHalf(value); }
  static uint32_t encodeOdd(double value) {
    return roundToHalf(value, Rounding::Nearest);
  }
};
struct Bfloat {
  static float decode(uint32_t bits) { return bfloatToFloat(bits); }
  static uint32_t encode(float value) { return floatToBfloat(value); }
  static uint32_t encodeOdd(double value) {
    return roundToBfloat(value, Rounding::Nearest);
  }
};

struct Add {
  static float apply(float a, float b) { return a + b; }
};
struct Sub {
  static float apply(float a, float b) { return a - b; }
};
struct Mul {
  static float apply(float a, float b) { return a * b; }
};
template <bool largest> struct MinMax {
  static float apply(float a, float b) {
    const bool keepA = (a == b ? (std::bit_cast<uint32_t>(a) >> 31) != largest
                               : (a > b) == largest);
    return a != a ? b : b != b ? a : keepA ? a : b;
  }
};

/// The two-operand operations, by Instr::sub.
enum class Op : uint8_t { Add, Sub, Mul, Min, Max };

template <typename F, typename O>
[[gnu::always_inline]] inline void
applyRow(const uint32_t *a, const uint32_t *b, bool packed, uint32_t *out) {
  for (unsigned i = 0; i < warpSize; ++i)
    out[i] =
        F::encode(O::apply(F::decode(a[i] & 0xffff), F::decode(b[i] & 0xffff)));
  for (unsigned i = 0; packed && i < warpSize; ++i)
    out[i] |= F::encode(O::apply(F::decode(a[i] >> 16), F::decode(b[i] >> 16)))
              << 16;
}

template <typename F>
[[gnu::always_inline]] inline void applyRow(Op op, const uint32_t *a,
                                            const uint32_t *b, bool packed,
                                            uint32_t *out) {
  switch (op) {
  case Op::Add:
    return applyRow<F, Add>(a, b, packed, out);
  case Op::Sub:
    return applyRow<F, Sub>(a, b, packed, out);
  case Op::Mul:
    return applyRow<F, Mul>(a, b, packed, out);
  case Op::Min:
    return applyRow<F, MinMax<false>>(a, b, packed, out);
  case Op::Max:
    return applyRow<F, MinMax<true>>(a, b, packed, out);
  }
}

// Dequantisation is made of these: cloned for machines with wider vectors.
__attribute__((target_clones("arch=haswell", "default"))) void
halfRow(Op op, const uint32_t *a, const uint32_t *b, bool packed,
        uint32_t *out) {
  applyRow<Half>(op, a, b, packed, out);
}
__attribute__((target_clones("arch=haswell", "default"))) void
bfloatRow(Op op, const uint32_t *a, const uint32_t *b, bool packed,
          uint32_t *out) {
  applyRow<Bfloat>(op, a, b, packed, out);
}

/// A half is undefined if any bit of it is.
uint32_t spreadHalves(uint64_t bits) {
  return (bits & 0xffff ? 0xffff : 0) | (bits & 0xffff0000 ? 0xffff0000 : 0);
}

/// Writes the result of arithmetic on the first `count` sources, half by half.
Step writeHalves(Warp &warp, const Instr &instr, uint32_t mask,
                 const uint32_t *out, unsigned count) {
  uint32_t isDefined = fullMask;
  for (unsigned s = 0; s < count; ++s)
    isDefined &= warp.definedLanes(instr.src[s]);
  if (!(mask & ~isDefined)) [[likely]] {
    warp.write(instr.dst[0], out, mask, fullMask);
    return Step::Next;
  }
  const uint32_t field = instr.elements == 2 ? 0xffffffff : 0xffff;
  uint32_t undefined[warpSize];
  for (unsigned i = 0; i < warpSize; ++i) {
    uint64_t bits = 0;
    for (unsigned s = 0; s < count; ++s)
      bits |= warp.undefinedBits(instr.src[s], i);
    undefined[i] = spreadHalves(bits & field);
  }
  warp.writePartly(instr.dst[0], out, mask, undefined);
  return Step::Next;
}

template <auto rowFunction>
Step runBinary(Warp &warp, const Instr &instr, uint32_t mask) {
  alignas(64) uint32_t out[warpSize];
  rowFunction(Op(instr.sub), warp.words(instr.src[0]), warp.words(instr.src[1]),
              instr.elements == 2, out);
  return writeHalves(warp, instr, mask, out, 2);
}

template <typename F> uint32_t fma(uint32_t a, uint32_t b, uint32_t c) {
  return F::encodeOdd(
      addToOdd(double(F::decode(a)) * double(F::decode(b)), F::decode(c)));
}

template <typename F>
Step runFma(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]), *b = warp.words(instr.src[1]),
                 *c = warp.words(instr.src[2]);
  alignas(64) uint32_t out[warpSize] = {};
  auto relu = [&](uint32_t value) {
    const bool nan = F::decode(value) != F::decode(value);
    return instr.flag2 && value >> 15 && !nan ? 0u : value;
  };
  forLanes(mask, [&](unsigned i) {
    out[i] = relu(fma<F>(a[i] & 0xffff, b[i] & 0xffff, c[i] & 0xffff));
    if (instr.elements == 2)
      out[i] |= relu(fma<F>(a[i] >> 16, b[i] >> 16, c[i] >> 16)) << 16;
  });
  return writeHalves(warp, instr, mask, out, 3);
}

/// neg and abs touch sign bits alone.
template <uint32_t signs> struct Neg {
  static uint32_t apply(uint32_t a) { return a ^ signs; }
  static uint32_t undefined(Tracked<uint32_t> a) { return a.undefined; }
};
template <uint32_t magnitudes> struct Abs {
  static uint32_t apply(uint32_t a) { return a & magnitudes; }
  static uint32_t undefined(Tracked<uint32_t> a) {
    return a.undefined & magnitudes;
  }
};

template <typename F> Handler handlerFor(std::string_view name, bool packed) {
  if (name == "fma")
    return runFma<F>;
  if (name == "neg")
    return packed ? rowUnary<uint32_t, Neg<0x80008000>>
                  : rowUnary<uint32_t, Neg<0x8000>>;
  if (name == "abs")
    return packed ? rowUnary<uint32_t, Abs<0x7fff7fff>>
                  : rowUnary<uint32_t, Abs<0x7fff>>;
  return std::is_same_v<F, Half> ? runBinary<halfRow> : runBinary<bfloatRow>;
}

std::optional<Op> binaryOp(std::string_view name) {
  constexpr std::string_view names[] = {"add", "sub", "mul", "min", "max"};
  for (unsigned i = 0; i < std::size(names); ++i)
    if (names[i] == name)
      return Op(i);
  return std::nullopt;
}

} // namespace

bool decodeHalf(Decoder &d, Type type) {
  const bool packed = bitWidth(type) == 32;
  const bool brain = type == Type::BF16 || type == Type::BF16x2;
  d.instr.elements = packed ? 2 : 1;
  d.instr.cls = InstrClass::Float;
  if (d.instr.sub != 0)
    return d.fail("16-bit floats round to nearest");
  const auto op = binaryOp(d.mnemonic());
  const bool other =
      d.mnemonic() == "fma" || d.mnemonic() == "neg" || d.mnemonic() == "abs";
  if (!op && !other)
    return d.fail("this instruction does not exist for 16-bit floats");
  d.instr.sub = op ? uint8_t(*op) : 0;
  d.instr.handler = brain ? handlerFor<Bfloat>(d.mnemonic(), packed)
                          : handlerFor<Half>(d.mnemonic(), packed);
  if (d.instr.flag)
    return d.fail(".sat is not supported for 16-bit floats");
  if (d.instr.flag2 && d.mnemonic() != "fma")
    return d.fail(".NaN is not supported for 16-bit floats");
  if (!d.dst(d.operand(0), type))
    return false;
  for (size_t i = 1; i < d.numOperands(); ++i)
    if (!d.src(d.operand(i), type))
      return false;
  return true;
}

} // namespace wna16::emulator
