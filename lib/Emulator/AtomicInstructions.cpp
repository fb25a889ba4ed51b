//===- AtomicInstructions.cpp - atom, red ---------------------------------===//
//
// Read-modify-write, lane after lane. Blocks run on several threads, so global
// atomics take one of a fixed set of locks, chosen by address.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/AtomicOps.h"
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/MemoryAccess.h"
#include "lib/Emulator/Numerics.h"

#include <array>

namespace wna16::emulator {
namespace {

using Op = AtomicOp;

template <typename T>
uint64_t integerOp(Op op, uint64_t oldBits, uint64_t b, uint64_t c) {
  const T old = T(oldBits), operand = T(b);
  switch (op) {
  case Op::Add:
    return uint64_t(oldBits + b);
  case Op::Min:
    return uint64_t(old < operand ? old : operand);
  case Op::Max:
    return uint64_t(old > operand ? old : operand);
  case Op::And:
    return oldBits & b;
  case Op::Or:
    return oldBits | b;
  case Op::Xor:
    return oldBits ^ b;
  case Op::Exch:
    return b;
  case Op::Cas:
    return old == operand ? c : oldBits;
  case Op::Inc:
    return old >= operand ? 0 : uint64_t(old) + 1;
  case Op::Dec:
    return old == 0 || old > operand ? b : uint64_t(old) - 1;
  }
  return oldBits;
}

uint64_t floatAdd(Type type, uint64_t a, uint64_t b) {
  auto half = [](uint32_t x, uint32_t y) {
    return floatToHalf(halfToFloat(x) + halfToFloat(y));
  };
  auto bfloat = [](uint32_t x, uint32_t y) {
    return floatToBfloat(bfloatToFloat(x) + bfloatToFloat(y));
  };
  const uint32_t x = uint32_t(a), y = uint32_t(b);
  switch (type) {
  case Type::F16:
    return half(x & 0xffff, y & 0xffff);
  case Type::F16x2:
    return half(x >> 16, y >> 16) << 16 | half(x & 0xffff, y & 0xffff);
  case Type::BF16:
    return bfloat(x & 0xffff, y & 0xffff);
  case Type::BF16x2:
    return bfloat(x >> 16, y >> 16) << 16 | bfloat(x & 0xffff, y & 0xffff);
  case Type::F32:
    return std::bit_cast<uint32_t>(
        canonicalize(std::bit_cast<float>(x) + std::bit_cast<float>(y)));
  default:
    return std::bit_cast<uint64_t>(std::bit_cast<double>(a) +
                                   std::bit_cast<double>(b));
  }
}

/// Min and max of f16 and bf16; a NaN loses.
uint64_t halfSelect(Op op, Type type, uint64_t a, uint64_t b) {
  auto value = [&](uint64_t bits) {
    return type == Type::F16 ? halfToFloat(uint32_t(bits))
                             : bfloatToFloat(uint32_t(bits));
  };
  const float x = value(a), y = value(b);
  if (x != x || y != y)
    return x != x ? b : a;
  return (op == Op::Min ? y < x : y > x) ? b : a;
}

} // namespace

uint64_t applyAtomic(AtomicOp op, Type type, uint64_t old, uint64_t b,
                     uint64_t c) {
  if (isFloat(type))
    return op == Op::Add ? floatAdd(type, old, b)
                         : halfSelect(op, type, old, b);
  switch (type) {
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

std::mutex &atomicLock(const void *address) {
  static std::array<std::mutex, 64> locks;
  return locks[(reinterpret_cast<uintptr_t>(address) >> 4) % locks.size()];
}

namespace {

Step runAtomic(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses addresses;
  uint32_t valid = laneAddresses(warp, instr, instr.src[0], mask, addresses);
  for (unsigned i = 1; i < instr.numSrc; ++i)
    valid = warp.requireDefined(instr, instr.src[i], valid,
                                "an operand of an atomic operation",
                                ~uint64_t(0) >> (64 - 8 * instr.elementBytes));
  const Op op = Op(instr.sub);
  const unsigned bytes = instr.elementBytes;
  ++warp.block.polls;
  uint64_t result[warpSize] = {};
  uint32_t isDefined = 0;

  auto apply = [&](Space space, uint32_t lanes, const LaneAddresses &at) {
    const Resolved to = resolve(warp, instr, space, AccessKind::StrongWrite,
                                lanes, at, bytes, bytes);
    // Both sides of the synchronisation happen before any lane's operation is
    // seen by another warp: nobody else runs in between.
    forEachLocation(space, to, at, [&](const Location &location) {
      strongRead(warp, instr, mask, location);
      strongWrite(warp, instr, mask, location, true);
    });
    if (isShared(space))
      countBanks(warp, instr, to.mask, to.offset, bytes);
    forLanes(to.mask, [&](unsigned lane) {
      std::unique_lock<std::mutex> lock;
      if (space == Space::Global)
        lock = std::unique_lock(atomicLock(to.data[lane]));
      bool known = true;
      if (to.undefined[lane])
        for (unsigned i = 0; i < bytes; ++i)
          known &= !(to.undefined[lane][i] & 1);
      if (!known && op != Op::Exch && space == Space::Global)
        warp.report(Check::Uninitialized, instr, int(lane),
                    "atomic operation on memory that was never written; "
                    "initialise the buffer");
      uint64_t old = 0;
      std::memcpy(&old, to.data[lane], bytes);
      const uint64_t b = warp.lane(instr.src[1], lane);
      const uint64_t c = instr.numSrc > 2 ? warp.lane(instr.src[2], lane) : 0;
      const uint64_t value = applyAtomic(op, instr.type, old, b, c);
      if (isShared(space))
        reportConflict(warp, instr, lane, *to.owner[lane],
                       to.owner[lane]->shared.write(
                           sharedAgent(warp, instr, lane, true),
                           to.offset[lane], bytes, known || op == Op::Exch),
                       true);
      else if (to.undefined[lane])
        std::memset(const_cast<uint8_t *>(to.undefined[lane]), 0, bytes);
      if (std::memcmp(to.data[lane], &value, bytes))
        ++warp.block.progress;
      std::memcpy(to.data[lane], &value, bytes);
      result[lane] = old;
      isDefined |= uint32_t(known) << lane;
    });
  };
  forEachSpace(instr.space, valid, addresses, apply);
  if (instr.numDst)
    warp.writeAny(instr.dst[0], result, mask, isDefined);
  return Step::Next;
}

bool decodeAtomic(Decoder &d) {
  const bool returns = d.mnemonic() == "atom";
  constexpr Semantics semantics[] = {Semantics::Relaxed, Semantics::Acquire,
                                     Semantics::Release,
                                     Semantics::AcquireRelease};
  const int order = d.takeOne({"relaxed", "acquire", "release", "acq_rel"});
  d.instr.semantics = semantics[std::max(order, 0)];
  d.instr.scope = takeScope(d, Scope::Gpu);
  const int space =
      d.takeOne({"global", "shared", "shared::cta", "shared::cluster"});
  d.instr.space = space < 0    ? Space::Generic
                  : space == 0 ? Space::Global
                  : space == 3 ? Space::SharedCluster
                               : Space::Shared;
  const int op = d.takeOne(
      {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  if (op < 0)
    return d.fail("expected an atomic operation such as .add");
  d.skip({"noftz"});
  d.skipCacheHints();
  auto type = d.takeType();
  if (!type || !d.end())
    return false;
  const bool add = Op(op) == Op::Add;
  if (bitWidth(*type) > 64 || bitWidth(*type) < 16 ||
      (isFloat(*type) && !add) ||
      (bitWidth(*type) == 16 && !isFloat(*type) && Op(op) != Op::Cas))
    return d.fail("type ." + std::string(typeName(*type)) +
                  " is not supported by this operation");
  d.instr.sub = uint8_t(op);
  d.instr.type = *type;
  d.instr.elementBytes = uint8_t(bitWidth(*type) / 8);
  d.instr.cls = InstrClass::Atomic;
  d.instr.handler = runAtomic;
  const size_t first = returns ? 1 : 0;
  const size_t operands = first + (Op(op) == Op::Cas ? 3 : 2);
  if (!d.expectOperands(operands) || (returns && !d.dst(d.operand(0), *type)) ||
      !d.address(d.operand(first), d.instr.space))
    return false;
  for (size_t i = first + 1; i < operands; ++i)
    if (!d.src(d.operand(i), *type))
      return false;
  return true;
}

} // namespace

void addAtomicInstructions(MnemonicTable &table) {
  table["atom"] = decodeAtomic;
  table["red"] = decodeAtomic;
}

} // namespace wna16::emulator
