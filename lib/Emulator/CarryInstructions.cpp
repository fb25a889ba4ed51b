//===- CarryInstructions.cpp - add.cc, addc, sub.cc, subc, madc -----------===//
//
// Extended-precision arithmetic. The carry flag is a hidden predicate of the
// warp; it is undefined until an instruction with .cc has written it.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/IntegerInstructions.h"
#include "lib/Emulator/Rows.h"

namespace wna16::emulator {
namespace {

/// A result and its carry or borrow.
template <typename U> struct Carried {
  U value;
  bool carry;
};

template <typename U> Carried<U> addCarry(U a, U b, bool carry) {
  U sum, result;
  const bool first = __builtin_add_overflow(a, b, &sum);
  const bool second = __builtin_add_overflow(sum, U(carry), &result);
  return {result, first || second};
}
template <typename U> Carried<U> subBorrow(U a, U b, bool borrow) {
  U difference, result;
  const bool first = __builtin_sub_overflow(a, b, &difference);
  const bool second = __builtin_sub_overflow(difference, U(borrow), &result);
  return {result, first || second};
}

/// Upper half of the product; signed for signed types.
template <typename U> U mulHigh(U a, U b, bool isSigned) {
  using S = std::make_signed_t<U>;
  constexpr unsigned width = sizeof(U) * 8;
  if (isSigned)
    return U((__int128(S(a)) * S(b)) >> width);
  return U((static_cast<unsigned __int128>(a) * b) >> width);
}

/// Instr::sub: CarryOp; flag: reads the carry; flag2: writes it.
template <typename U>
Step runCarry(Warp &warp, const Instr &instr, uint32_t mask) {
  const CarryOp op = CarryOp(instr.sub);
  const unsigned operands =
      op == CarryOp::MadLo || op == CarryOp::MadHi ? 3 : 2;
  uint32_t isDefined = fullMask;
  for (unsigned s = 0; s < instr.numSrc; ++s)
    isDefined &= warp.definedLanes(instr.src[s]);
  const uint32_t carryIn = instr.flag ? warp.predicate(instr.src[operands]) : 0;
  const bool isSignedType = isSigned(instr.type);
  Storage<U> out[warpSize];
  uint32_t carryOut = 0;
  for (unsigned i = 0; i < warpSize; ++i) {
    const U a = U(row<U>(warp, instr.src[0])[i]),
            b = U(row<U>(warp, instr.src[1])[i]);
    const bool carry = carryIn >> i & 1;
    Carried<U> result;
    if (op == CarryOp::Add)
      result = addCarry(a, b, carry);
    else if (op == CarryOp::Sub)
      result = subBorrow(a, b, carry);
    else
      result = addCarry(op == CarryOp::MadLo ? U(a * b)
                                             : mulHigh(a, b, isSignedType),
                        U(row<U>(warp, instr.src[2])[i]), carry);
    out[i] = result.value;
    carryOut |= uint32_t(result.carry) << i;
  }
  warp.write(instr.dst[0], out, mask, isDefined);
  if (instr.flag2)
    warp.writePredicate(instr.dst[1], carryOut, mask, isDefined);
  return Step::Next;
}

template <CarryOp op> bool decodeWithCarry(Decoder &d) {
  return decodeCarry(d, op, true);
}

bool decodeMadc(Decoder &d) {
  const int half = d.takeOne({"lo", "hi"});
  if (half < 0)
    return d.fail("expected .lo or .hi");
  return decodeCarry(d, half ? CarryOp::MadHi : CarryOp::MadLo, true);
}

} // namespace

bool decodeCarry(Decoder &d, CarryOp op, bool carryIn) {
  d.instr.sub = uint8_t(op);
  d.instr.flag = carryIn;
  d.instr.flag2 = !carryIn || d.take("cc");
  auto type = d.takeType();
  if (!type || !d.end())
    return false;
  const bool integer = *type == Type::U32 || *type == Type::S32 ||
                       *type == Type::U64 || *type == Type::S64;
  if (!integer)
    return d.fail("a carry exists for integers of 32 and 64 bits only");
  d.instr.type = *type;
  d.instr.cls = InstrClass::Integer;
  d.instr.handler =
      bitWidth(*type) == 64 ? runCarry<uint64_t> : runCarry<uint32_t>;
  const size_t sources = op == CarryOp::MadLo || op == CarryOp::MadHi ? 3 : 2;
  if (!d.operands(*type, sources))
    return false;
  if (d.instr.flag)
    d.srcCarry();
  if (d.instr.flag2)
    d.dstCarry();
  return true;
}

void addCarryInstructions(MnemonicTable &table) {
  table["addc"] = decodeWithCarry<CarryOp::Add>;
  table["subc"] = decodeWithCarry<CarryOp::Sub>;
  table["madc"] = decodeMadc;
}

} // namespace wna16::emulator
