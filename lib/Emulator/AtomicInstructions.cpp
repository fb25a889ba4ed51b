//===- AtomicInstructions.cpp - atom, red ---------------------------------===//
//
// Read-modify-write, lane after lane. Blocks run on several threads, so global
// atomics take one of a fixed set of locks, chosen by address.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/AtomicOps.h"
#include "lib/Emulator/BulkInstructions.h"
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/MemoryAccess.h"

#include <array>

namespace wna16::emulator {

std::mutex &atomicLock(const void *address) {
  static std::array<std::mutex, 64> locks;
  return locks[(reinterpret_cast<uintptr_t>(address) >> 4) % locks.size()];
}

namespace {

/// The bytes of an operand in one lane: its registers, starting at a source or
/// destination.
using Bytes = std::array<uint8_t, 32>;
Bytes operandBytes(const Warp &warp, const Value *first, unsigned count,
                   unsigned width, unsigned lane) {
  Bytes out{};
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t value = warp.lane(first[i], lane);
    std::memcpy(out.data() + i * width, &value, width);
  }
  return out;
}

/// Registers of one operand: elements of a vector, or the halves of 128 bits.
unsigned registersOf(const Instr &instr) {
  return instr.type == Type::B128 ? 2 : instr.elements;
}

Step runAtomic(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses addresses;
  uint32_t valid = laneAddresses(warp, instr, instr.src[0], mask, addresses);
  const unsigned registers = registersOf(instr);
  const unsigned bytes = unsigned(instr.elementBytes) * instr.elements;
  const unsigned width = bytes / registers;
  for (unsigned i = 1; i < instr.numSrc; ++i)
    valid = warp.requireDefined(instr, instr.src[i], valid,
                                "an operand of an atomic operation",
                                ~uint64_t(0) >> (64 - 8 * width));
  const AtomicOp op = AtomicOp(instr.sub);
  ++warp.block.polls;
  std::array<Bytes, warpSize> before{};
  uint32_t isDefined = 0;

  auto apply = [&](Space space, uint32_t lanes, const LaneAddresses &at) {
    const Resolved to = resolve(warp, instr, space, AccessKind::StrongWrite,
                                lanes, at, bytes, bytes);
    if (isShared(space))
      countBanks(warp, instr, to.mask, to.offset, bytes);
    forLanes(to.mask, [&](unsigned lane) {
      std::unique_lock<std::mutex> lock;
      if (space == Space::Global)
        lock = std::unique_lock(atomicLock(to.data[lane]));
      // Under the lock: the values and what is released go the same way.
      if (space == Space::Global || isShared(space)) {
        const Location location = locationOf(space, to, at, lane);
        strongRead(warp, instr, mask, location);
        strongWrite(warp, instr, mask, location, true);
      }
      bool known = true;
      if (to.undefined[lane])
        for (unsigned i = 0; i < bytes; ++i)
          known &= !(to.undefined[lane][i] & 1);
      if (!known && op != AtomicOp::Exch && space == Space::Global)
        warp.report(Check::Uninitialized, instr, int(lane),
                    "atomic operation on memory that was never written; "
                    "initialise the buffer");
      Bytes &old = before[lane];
      std::memcpy(old.data(), to.data[lane], bytes);
      const Bytes b = operandBytes(warp, instr.src + 1, registers, width, lane);
      const Bytes c = op == AtomicOp::Cas
                          ? operandBytes(warp, instr.src + 1 + registers,
                                         registers, width, lane)
                          : Bytes();
      Bytes value;
      for (unsigned at = 0; at < bytes; at += instr.elementBytes)
        applyAtomic(op, instr.type, space == Space::Global, old.data() + at,
                    b.data() + at, c.data() + at, value.data() + at);
      if (isShared(space))
        reportConflict(
            warp, instr, lane, *to.owner[lane],
            to.owner[lane]->shared.write(sharedAgent(warp, instr, lane, true),
                                         to.offset[lane], bytes,
                                         known || op == AtomicOp::Exch),
            true);
      else if (to.undefined[lane])
        std::memset(const_cast<uint8_t *>(to.undefined[lane]), 0, bytes);
      if (std::memcmp(to.data[lane], value.data(), bytes))
        ++warp.block.progress;
      std::memcpy(to.data[lane], value.data(), bytes);
      isDefined |= uint32_t(known) << lane;
    });
  };
  forEachSpace(instr.space, valid, addresses, apply);
  for (unsigned i = 0; i < instr.numDst; ++i) {
    uint64_t result[warpSize] = {};
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(&result[lane], before[lane].data() + i * width, width);
    warp.writeAny(instr.dst[i], result, mask, isDefined);
  }
  return Step::Next;
}

bool decodeAtomic(Decoder &d) {
  const bool returns = d.mnemonic() == "atom";
  if (!returns && d.take("async"))
    return decodeAsyncReduction(d);
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
  const int vector = d.takeOne({"v2", "v4", "v8"});
  d.instr.elements = vector < 0 ? 1 : uint8_t(2 << vector);
  auto type = d.takeType();
  if (!type || !d.end())
    return false;
  const unsigned bits = bitWidth(*type);
  const bool exchanges =
      AtomicOp(op) == AtomicOp::Exch || AtomicOp(op) == AtomicOp::Cas;
  if (!atomicExists(AtomicOp(op), *type, vector >= 0) ||
      bits * d.instr.elements > 128 || (exchanges && !returns))
    return d.fail("type ." + std::string(typeName(*type)) +
                  " is not supported by this operation");
  if (vector >= 0 && isShared(d.instr.space))
    return d.fail("vectors are supported in global memory only");
  d.instr.sub = uint8_t(op);
  d.instr.type = *type;
  d.instr.elementBytes = uint8_t(bits / 8);
  d.instr.cls = InstrClass::Atomic;
  d.instr.handler = runAtomic;
  const size_t first = returns ? 1 : 0;
  const size_t operands = first + (AtomicOp(op) == AtomicOp::Cas ? 3 : 2);
  // A cache policy may follow, which changes no result.
  const size_t most = operands + (d.has("L2::cache_hint") ? 1 : 0);
  if (!d.expectOperands(operands, most) ||
      (returns && !d.dstVector(d.operand(0), *type, d.instr.elements)) ||
      !d.address(d.operand(first), d.instr.space))
    return false;
  for (size_t i = first + 1; i < operands; ++i)
    if (!d.srcVector(d.operand(i), *type, d.instr.elements))
      return false;
  return true;
}

} // namespace

void addAtomicInstructions(MnemonicTable &table) {
  table["atom"] = decodeAtomic;
  table["red"] = decodeAtomic;
}

} // namespace wna16::emulator
