//===- MoveInstructions.cpp - mov -----------------------------------------===//
//
// Register copies, addresses of variables, packing and unpacking of vectors,
// and the clocks.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Block.h"
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/Rows.h"

namespace wna16::emulator {
namespace {

using Kind = ast::Operand::Kind;

template <typename S>
Step runMov(Warp &warp, const Instr &instr, uint32_t mask) {
  // The source row may be the destination row: copied first.
  alignas(64) S row[warpSize];
  const Value &from = instr.src[0];
  std::memcpy(row, warp.bank[from.bank] + from.offset, sizeof(row));
  if (mask & ~warp.definedLanes(from)) [[unlikely]] {
    S undefined[warpSize];
    for (unsigned i = 0; i < warpSize; ++i)
      undefined[i] = S(warp.undefinedBits(from, i));
    warp.writePartly(instr.dst[0], row, mask, undefined);
    return Step::Next;
  }
  warp.write(instr.dst[0], row, mask, fullMask);
  return Step::Next;
}

/// The two rows of 128 bits, from and to a register or a pair.
Step runMovQuad(Warp &warp, const Instr &instr, uint32_t mask) {
  uint64_t rows[2][warpSize], undefined[2][warpSize];
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned i = 0; i < warpSize; ++i) {
      rows[half][i] = warp.wides(instr.src[half])[i];
      undefined[half][i] = warp.undefinedBits(instr.src[half], i);
    }
  for (unsigned half = 0; half < 2; ++half)
    warp.writePartly(instr.dst[half], rows[half], mask, undefined[half]);
  return Step::Next;
}

Step runMovPredicate(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.writePredicate(instr.dst[0], warp.predicate(instr.src[0]), mask,
                      warp.definedLanes(instr.src[0]));
  return Step::Next;
}

/// {a, b, ..} -> d, elements of Instr::elementBytes.
Step runPack(Warp &warp, const Instr &instr, uint32_t mask) {
  uint64_t out[warpSize] = {}, undefined[warpSize] = {};
  uint32_t isDefined = fullMask;
  const unsigned bits = instr.elementBytes * 8u;
  const uint64_t field = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  for (unsigned e = 0; e < instr.numSrc; ++e) {
    const Value &v = instr.src[e];
    isDefined &= warp.definedLanes(v);
    for (unsigned i = 0; i < warpSize; ++i)
      out[i] |= (warp.lane(v, i) & field) << (e * bits);
    forLanes(mask & ~warp.definedLanes(v), [&](unsigned i) {
      undefined[i] |= (warp.undefinedBits(v, i) & field) << (e * bits);
    });
  }
  if (mask & ~isDefined) [[unlikely]]
    warp.writeAnyPartly(instr.dst[0], out, mask, undefined);
  else
    warp.writeAny(instr.dst[0], out, mask, fullMask);
  return Step::Next;
}

Step runUnpack(Warp &warp, const Instr &instr, uint32_t mask) {
  uint64_t in[warpSize], out[warpSize], lost[warpSize], undefined[warpSize];
  const Value &from = instr.src[0];
  const bool partly = mask & ~warp.definedLanes(from);
  // A destination may be the source: copied first.
  for (unsigned i = 0; i < warpSize; ++i)
    in[i] = warp.lane(from, i);
  for (unsigned i = 0; partly && i < warpSize; ++i)
    lost[i] = warp.undefinedBits(from, i);
  const unsigned bits = instr.elementBytes * 8u;
  const uint64_t field = (uint64_t(1) << bits) - 1;
  for (unsigned e = 0; e < instr.numDst; ++e) {
    for (unsigned i = 0; i < warpSize; ++i)
      out[i] = in[i] >> (e * bits) & field;
    if (!partly) [[likely]] {
      warp.writeAny(instr.dst[e], out, mask, fullMask);
      continue;
    }
    for (unsigned i = 0; i < warpSize; ++i)
      undefined[i] = lost[i] >> (e * bits) & field;
    warp.writeAnyPartly(instr.dst[e], out, mask, undefined);
  }
  return Step::Next;
}

/// %clock and friends: warp instructions executed by this worker, a time that
/// grows.
Step runClock(Warp &warp, const Instr &instr, uint32_t mask) {
  uint64_t out[warpSize];
  const uint64_t now = ++warp.block.ticks;
  std::fill(out, out + warpSize, now);
  warp.writeAny(instr.dst[0], out, mask, fullMask);
  return Step::Next;
}

/// The element type of a vector with `count` parts of `type`.
std::optional<Type> partOf(Type type, size_t count) {
  const unsigned bits = bitWidth(type);
  if (count == 0 || bits % count)
    return std::nullopt;
  switch (bits / count) {
  case 8:
    return Type::B8;
  case 16:
    return Type::B16;
  case 32:
    return Type::B32;
  default:
    return std::nullopt;
  }
}

bool decodeMov(Decoder &d) {
  auto type = d.takeType();
  if (!type || !d.end() || !d.expectOperands(2))
    return false;
  d.instr.cls = InstrClass::Move;
  const ast::Operand &to = d.operand(0), &from = d.operand(1);
  if (*type == Type::B128) {
    d.instr.handler = runMovQuad;
    return (to.kind == Kind::Vector ? d.dstVector(to, Type::B64, 2)
                                    : d.dst(to, *type)) &&
           (from.kind == Kind::Vector ? d.srcVector(from, Type::B64, 2)
                                      : d.src(from, *type));
  }
  if (to.kind == Kind::Vector || from.kind == Kind::Vector) {
    const bool unpack = to.kind == Kind::Vector;
    const size_t count = unpack ? to.elements.size() : from.elements.size();
    auto part = partOf(*type, count);
    if (!part)
      return d.fail("cannot split ." + std::string(typeName(*type)) + " into " +
                    std::to_string(count) + " parts");
    d.instr.elementBytes = uint8_t(bitWidth(*part) / 8);
    d.instr.handler = unpack ? runUnpack : runPack;
    return unpack ? d.dstVector(to, *part, count) && d.src(from, *type)
                  : d.dst(to, *type) && d.srcVector(from, *part, count);
  }
  if (!d.dst(to, *type))
    return false;
  if (*type == Type::Pred) {
    d.instr.handler = runMovPredicate;
    return d.srcPredicate(from);
  }
  d.instr.handler = bitWidth(*type) == 64 ? runMov<uint64_t> : runMov<uint32_t>;
  if (from.kind == Kind::Name && (from.name.starts_with("%clock") ||
                                  from.name.starts_with("%globaltimer"))) {
    d.instr.handler = runClock;
    return d.src(from, *type);
  }
  if (from.kind == Kind::Name && !d.findRegister(from))
    if (auto symbol = d.symbol(from)) {
      if (symbol->inFrame)
        return d.fail("the address of a parameter of a call is not supported");
      d.srcImmediate(registerClass(*type), symbol->address + from.value);
      return true;
    }
  return d.src(from, *type);
}

} // namespace

void addMoveInstructions(MnemonicTable &table) { table["mov"] = decodeMov; }

} // namespace wna16::emulator
