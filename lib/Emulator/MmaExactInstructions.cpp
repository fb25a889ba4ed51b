//===- MmaExactInstructions.cpp - mma on integers, bits and f64 -----------===//
//
// Sums of integers are exact and wrap to 32 bits, or saturate with .satfinite.
// f64 is a chain of fused multiply-adds along K, each rounded to nearest, as an
// H200 does it; the PTX document leaves their order open.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/MmaInstructions.h"
#include "lib/Emulator/Numerics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wna16::emulator {
namespace {

/// Elements of integer operands, by Instr::sub (A) and Instr::elements (B).
enum class Element : uint8_t { U8, S8, U4, S4, B1 };
unsigned elementBits(Element element) {
  return element <= Element::S8 ? 8 : element <= Element::S4 ? 4 : 1;
}

/// Instr::imm: M, K, the logic of single bits.
struct Form {
  unsigned m = 0, k = 0;
  bool exclusive = false; ///< .xor, otherwise .and
  uint64_t pack() const {
    return m | uint64_t(k) << 8 | uint64_t(exclusive) << 24;
  }
  static Form unpack(uint64_t bits) {
    return {unsigned(bits & 0xff), unsigned(bits >> 8 & 0xffff),
            bool(bits >> 24 & 1)};
  }
};

int32_t elementOf(Element element, uint32_t bits, unsigned i) {
  const unsigned width = elementBits(element);
  const uint32_t field = bits >> (i * width) & ((1u << width) - 1);
  const bool isSigned = element == Element::S8 || element == Element::S4;
  return isSigned && field >> (width - 1) ? int32_t(field) - (1 << width)
                                          : int32_t(field);
}

/// The products of two registers that lie at the same K.
int64_t dot(const Instr &instr, const Form &form, uint32_t a, uint32_t b) {
  const Element left = Element(instr.sub), right = Element(instr.elements);
  if (left == Element::B1)
    return std::popcount(form.exclusive ? a ^ b : a & b);
  int64_t sum = 0;
  for (unsigned i = 0; i < 32 / elementBits(left); ++i)
    sum += elementOf(left, a, i) * elementOf(right, b, i);
  return sum;
}

/// Instr::flag: saturate.
Step runIntegers(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!beginMma(warp, instr, mask))
    return Step::Stop;
  const Form form = Form::unpack(instr.imm);
  const unsigned perRegister = 32 / elementBits(Element(instr.sub));
  const unsigned numB = form.k / (4 * perRegister), numA = numB * form.m / 8;
  const Value *a = instr.src, *b = a + numA, *c = b + numB;
  const MmaDefined known(warp, a, numA, b, numB, form.m);
  // D may share registers with the operands: all of it is computed first.
  uint32_t out[4][warpSize], isDefined[4];
  for (unsigned i = 0; i < form.m / 4; ++i) {
    const uint32_t *in = warp.words(c[i]);
    isDefined[i] = warp.definedLanes(c[i]);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const unsigned row = lane / 4, column = lane % 4 * 2 + i % 2;
      int64_t sum = int32_t(in[lane]);
      for (unsigned j = 0; j < numB; ++j) {
        const uint32_t *left = warp.words(a[form.m == 16 ? j * 2 + i / 2 : j]);
        const uint32_t *right = warp.words(b[j]);
        for (unsigned t = 0; t < 4; ++t)
          sum += dot(instr, form, left[row * 4 + t], right[column * 4 + t]);
      }
      if (instr.flag)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      out[i][lane] = uint32_t(sum);
      if (!known.at(row + i / 2 * 8, column))
        isDefined[i] &= ~(1u << lane);
    }
  }
  for (unsigned i = 0; i < form.m / 4; ++i)
    warp.write(instr.dst[i], out[i], mask, isDefined[i]);
  return Step::Next;
}

Step runDoubles(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!beginMma(warp, instr, mask))
    return Step::Stop;
  const Form form = Form::unpack(instr.imm);
  const unsigned numB = form.k / 4, numA = numB * form.m / 8;
  const Value *a = instr.src, *b = a + numA, *c = b + numB;
  const MmaDefined known(warp, a, numA, b, numB, form.m);
  uint64_t out[4][warpSize];
  uint32_t isDefined[4];
  for (unsigned i = 0; i < form.m / 4; ++i) {
    isDefined[i] = warp.definedLanes(c[i]);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const unsigned row = lane / 4, column = lane % 4 * 2 + i % 2;
      double sum = std::bit_cast<double>(warp.wides(c[i])[lane]);
      for (unsigned k = 0; k < form.k; ++k) {
        const Value &left = a[form.m == 16 ? k / 4 * 2 + i / 2 : k / 4];
        const uint64_t x = warp.wides(left)[row * 4 + k % 4],
                       y = warp.wides(b[k / 4])[column * 4 + k % 4];
        const double next =
            std::fma(std::bit_cast<double>(x), std::bit_cast<double>(y), sum);
        sum = std::bit_cast<double>(propagateNan(
            std::bit_cast<uint64_t>(next), x, std::bit_cast<uint64_t>(sum), y));
      }
      out[i][lane] = std::bit_cast<uint64_t>(sum);
      if (!known.at(row + i / 2 * 8, column))
        isDefined[i] &= ~(1u << lane);
    }
  }
  for (unsigned i = 0; i < form.m / 4; ++i)
    warp.write(instr.dst[i], out[i], mask, isDefined[i]);
  return Step::Next;
}

bool operands(Decoder &d, const Form &form, Type type, unsigned perRegister) {
  const size_t numB = form.k / (4 * perRegister), numA = numB * form.m / 8;
  const Type accumulator = type == Type::B32 ? Type::S32 : type;
  d.instr.imm = form.pack();
  return d.end() && d.expectOperands(4) &&
         d.dstVector(d.operand(0), accumulator, form.m / 4) &&
         d.srcVector(d.operand(1), type, numA) &&
         d.srcVector(d.operand(2), type, numB) &&
         d.srcVector(d.operand(3), accumulator, form.m / 4);
}

bool decodeDoubles(Decoder &d, Form form) {
  if (!d.take("f64") || !d.take("f64") || !d.take("f64"))
    return d.fail("expected .f64.f64.f64.f64");
  if (!(form.k == 4 || (form.m == 16 && (form.k == 8 || form.k == 16))))
    return d.fail("the shape does not exist for .f64");
  d.instr.handler = runDoubles;
  return operands(d, form, Type::F64, 1);
}

} // namespace

bool decodeMmaExact(Decoder &d, MmaShape shape) {
  Form form{shape.m, shape.k, false};
  if (d.take("f64"))
    return decodeDoubles(d, form);
  d.instr.flag = d.take("satfinite");
  const bool integers = d.take("s32");
  const int a = d.takeOne({"u8", "s8", "u4", "s4", "b1"});
  const int b = a < 0 ? -1 : d.takeOne({"u8", "s8", "u4", "s4", "b1"});
  if (!integers || b < 0 || !d.take("s32"))
    return d.fail("element types that mma does not have here; expected floats, "
                  ".f64, or .s32 with .u8, .s8, .u4, .s4 or .b1 elements");
  const unsigned bits = elementBits(Element(a));
  if (bits != elementBits(Element(b)))
    return d.fail("A and B must have elements of the same width");
  const unsigned most = 8 * 32 / bits; // K of one instruction
  if (!(form.k == most / 2 || (form.m == 16 && form.k == most)))
    return d.fail("the shape does not exist for these elements");
  if (bits == 1) {
    const int logic = d.takeOne({"and", "xor"});
    if (logic < 0 || !d.take("popc") || d.instr.flag)
      return d.fail("expected .and.popc or .xor.popc");
    form.exclusive = logic == 1;
  }
  d.instr.sub = uint8_t(a);
  d.instr.elements = uint8_t(b);
  d.instr.handler = runIntegers;
  return operands(d, form, Type::B32, 32 / bits);
}

} // namespace wna16::emulator
