//===- MemoryInstructions.cpp - ld, st ------------------------------------===//
//
// Loads and stores of every space. A load makes registers undefined where
// memory is; a store of undefined data to global memory is an error.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/BulkInstructions.h"
#include "lib/Emulator/MemoryAccess.h"

#include <bit>

namespace wna16::emulator {
namespace {

uint64_t readBytes(const uint8_t *from, unsigned bytes) {
  switch (bytes) {
  case 1:
    return *from;
  case 2: {
    uint16_t value;
    std::memcpy(&value, from, 2);
    return value;
  }
  case 4: {
    uint32_t value;
    std::memcpy(&value, from, 4);
    return value;
  }
  default: {
    uint64_t value;
    std::memcpy(&value, from, 8);
    return value;
  }
  }
}

bool anyUndefined(const uint8_t *state, uint32_t bytes) {
  uint8_t all = 0;
  for (uint32_t i = 0; i < bytes; ++i)
    all |= state[i];
  return all & 1;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// A loaded value as it goes into its register. Definedness extends like the
/// value: copies of an undefined sign are undefined.
uint64_t extendLoaded(const Instr &instr, uint64_t value) {
  const unsigned bytes = instr.elementBytes;
  if (!instr.flag || bytes == 8)
    return value;
  const unsigned shift = 64 - 8 * bytes;
  value = uint64_t(int64_t(value << shift) >> shift);
  // Registers of at most 16 bits stay zero-extended in their row.
  return instr.imm < 64 ? value & ((uint64_t(1) << instr.imm) - 1) : value;
}

/// The bits that belong to undefined bytes.
uint64_t undefinedBitsOf(const uint8_t *state, unsigned bytes) {
  uint64_t out = 0;
  for (unsigned i = 0; i < bytes; ++i)
    out |= uint64_t(state[i] & 1 ? 0xff : 0) << (8 * i);
  return out;
}

/// Moves the bytes of `from` into the destination registers.
void gather(Warp &warp, const Instr &instr, uint32_t requested,
            const Resolved &from) {
  const unsigned bytes = instr.elementBytes;
  const unsigned total = bytes * instr.elements;
  uint32_t partly = 0; // lanes with undefined bytes
  forLanes(from.mask, [&](unsigned lane) {
    if (from.undefined[lane] && anyUndefined(from.undefined[lane], total))
      partly |= 1u << lane;
  });
  for (unsigned e = 0; e < instr.elements; ++e) {
    const Value &to = instr.dst[e];
    auto write = [&](const auto *out) {
      if constexpr (sizeof(*out) == 4)
        warp.write(to, out, requested, from.mask);
      else
        warp.writeAny(to, out, requested, from.mask);
      forLanes(partly, [&](unsigned lane) {
        warp.markLane(
            to, lane,
            extendLoaded(instr, undefinedBitsOf(
                                    from.undefined[lane] + e * bytes, bytes)));
      });
    };
    if (bytes == 4 && to.cls == RegClass::Word) {
      alignas(64) uint32_t out[warpSize] = {};
      forLanes(from.mask, [&](unsigned lane) {
        std::memcpy(&out[lane], from.data[lane] + e * 4, 4);
      });
      write(out);
      continue;
    }
    uint64_t out[warpSize] = {};
    forLanes(from.mask, [&](unsigned lane) {
      out[lane] =
          extendLoaded(instr, readBytes(from.data[lane] + e * bytes, bytes));
    });
    write(out);
  }
}

Step runLoad(Warp &warp, const Instr &instr, uint32_t mask) {
  ++(instr.flag2 ? warp.block.polls : warp.block.progress);
  LaneAddresses addresses;
  const uint32_t valid =
      laneAddresses(warp, instr, instr.src[0], mask, addresses);
  const uint32_t bytes = uint32_t(instr.elementBytes) * instr.elements;
  Resolved all;
  std::array<Location, warpSize> locations;
  unsigned numLocations = 0;
  forEachSpace(
      instr.space, valid, addresses,
      [&](Space space, uint32_t lanes, const LaneAddresses &at) {
        const Resolved part =
            resolve(warp, instr, space,
                    instr.flag2 ? AccessKind::StrongRead : AccessKind::Read,
                    lanes, at, bytes, bytes);
        if (isShared(space)) {
          countBanks(warp, instr, part.mask, part.offset, bytes);
          forLanes(part.mask, [&](unsigned lane) {
            Block &owner = *part.owner[lane];
            reportConflict(
                warp, instr, lane, owner,
                owner.shared.read(sharedAgent(warp, instr, lane, instr.flag2),
                                  part.offset[lane], bytes),
                false);
          });
          openLoad(warp, instr, part, bytes);
        }
        if (instr.flag2)
          forEachLocation(space, part, at, [&](const Location &location) {
            locations[numLocations++] = location;
          });
        forLanes(part.mask, [&](unsigned lane) {
          all.data[lane] = part.data[lane];
          all.undefined[lane] = part.undefined[lane];
        });
        all.mask |= part.mask;
      });
  gather(warp, instr, mask, all);
  // After the values: what was released with them is there by then.
  for (unsigned i = 0; i < numLocations; ++i)
    strongRead(warp, instr, mask, locations[i]);
  return Step::Next;
}

/// ld.param from a constant offset: the same value in every lane.
Step runLoadParameter(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint8_t *from = warp.block.launch.parameters.data() + instr.imm;
  for (unsigned e = 0; e < instr.elements; ++e) {
    uint64_t value =
        readBytes(from + e * instr.elementBytes, instr.elementBytes);
    if (instr.flag && instr.elementBytes < 8) {
      const unsigned shift = 64 - 8u * instr.elementBytes;
      value = uint64_t(int64_t(value << shift) >> shift);
    }
    uint64_t out[warpSize];
    std::fill(out, out + warpSize, value);
    warp.writeAny(instr.dst[e], out, mask, fullMask);
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Two lanes of one store that write the same value do no harm.
bool sameValueStore(const Warp &warp, const Instr &instr,
                    const Conflict &conflict, bool unchanged) {
  return conflict.kind == Conflict::Write && unchanged &&
         conflict.other.agent() == warp.clock.id &&
         conflict.other.pc() == warp.pc(instr);
}

void storeShared(Warp &warp, const Instr &instr, unsigned lane, Block &owner,
                 uint32_t offset, const uint8_t *bytes, uint32_t total,
                 uint32_t undefined) {
  SharedMemory &shared = owner.shared;
  const auto agent = sharedAgent(warp, instr, lane, instr.flag2);
  for (uint32_t at = 0; at < total;) {
    // Neighbouring bytes of the same definedness go together.
    const bool isDefined = !(undefined >> at & 1);
    const uint32_t rest = isDefined ? undefined >> at : ~undefined >> at;
    const uint32_t count =
        std::min<uint32_t>(total - at, uint32_t(std::countr_zero(rest)));
    const uint32_t begin = offset + at;
    const bool unchanged = !std::memcmp(shared.data(begin), bytes + at, count);
    const Conflict conflict = shared.write(agent, begin, count, isDefined);
    if (sameValueStore(warp, instr, conflict, unchanged))
      shared.markSameValue(agent, begin, count);
    else
      reportConflict(warp, instr, lane, owner, conflict, true);
    if (conflict.kind != Conflict::Mbarrier)
      std::memcpy(shared.data(begin), bytes + at, count);
    at += count;
  }
}

/// Lanes of one store to the same global bytes: harmless if they agree.
void checkSameAddress(
    Warp &warp, const Instr &instr, const Resolved &to,
    const std::array<std::array<uint8_t, 32>, warpSize> &values,
    uint32_t bytes) {
  forLanes(to.mask, [&](unsigned a) {
    forLanes(to.mask & ~((2u << a) - 1), [&](unsigned b) {
      if (to.data[a] == to.data[b] &&
          std::memcmp(values[a].data(), values[b].data(), bytes))
        warp.report(Check::Race, instr, int(b), [&] {
          return "lanes " + std::to_string(a) + " and " + std::to_string(b) +
                 " of this store write different values to the same address; "
                 "only one of them may";
        });
    });
  });
}

Step runStore(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses addresses;
  const uint32_t valid =
      laneAddresses(warp, instr, instr.src[0], mask, addresses);
  const unsigned width = instr.elementBytes;
  const uint32_t bytes = uint32_t(width) * instr.elements;
  ++warp.block.progress;

  std::array<std::array<uint8_t, 32>, warpSize> values;
  std::array<uint32_t, warpSize> undefined{}; // by lane; one bit per byte
  for (unsigned e = 0; e < instr.elements; ++e) {
    const Value &from = instr.src[1 + e];
    forLanes(valid & ~warp.definedLanes(from), [&](unsigned lane) {
      const uint64_t bits = warp.undefinedBits(from, lane);
      for (unsigned i = 0; i < width; ++i)
        undefined[lane] |= uint32_t((bits >> (8 * i) & 0xff) != 0)
                           << (e * width + i);
    });
    forLanes(valid, [&](unsigned lane) {
      const uint64_t value = warp.lane(from, lane);
      std::memcpy(values[lane].data() + e * width, &value, width);
    });
  }

  auto storeTo = [&](Space space, uint32_t lanes, const LaneAddresses &at) {
    uint32_t mayCopy = space == Space::Global ? 0 : ~0u; // undefined data
    if (space == Space::Global) {
      forLanes(lanes, [&](unsigned lane) {
        if (undefined[lane] && warp.block.launch.device.isScratch(at[lane]))
          mayCopy |= 1u << lane;
      });
      for (unsigned e = 0; e < instr.elements; ++e)
        warp.requireDefined(instr, instr.src[1 + e], lanes & ~mayCopy,
                            "data that is stored to global memory",
                            ~uint64_t(0) >> (64 - 8 * width));
    }
    const Resolved to =
        resolve(warp, instr, space,
                instr.flag2 ? AccessKind::StrongWrite : AccessKind::Write,
                lanes, at, bytes, bytes);
    if (instr.flag2)
      forEachLocation(space, to, at, [&](const Location &location) {
        strongWrite(warp, instr, mask, location, false);
      });
    if (isShared(space)) {
      countBanks(warp, instr, to.mask, to.offset, bytes);
      forLanes(to.mask, [&](unsigned lane) {
        storeShared(warp, instr, lane, *to.owner[lane], to.offset[lane],
                    values[lane].data(), bytes, undefined[lane]);
      });
      return;
    }
    if (to.sameAddress)
      checkSameAddress(warp, instr, to, values, bytes);
    forLanes(to.mask, [&](unsigned lane) {
      std::memcpy(to.data[lane], values[lane].data(), bytes);
      if (!to.undefined[lane])
        return;
      uint8_t *state = const_cast<uint8_t *>(to.undefined[lane]);
      for (uint32_t i = 0; i < bytes; ++i)
        state[i] = mayCopy >> lane & undefined[lane] >> i & 1;
    });
  };
  forEachSpace(instr.space, valid, addresses, storeTo);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// Semantics, scope, space, cache hints, vector length, type: in that order,
/// with hints allowed anywhere.
bool decodeAccess(Decoder &d) {
  const int semantics =
      d.takeOne({"weak", "volatile", "relaxed", "mmio", "acquire", "release"});
  if (semantics == 3 && !d.take("relaxed"))
    return d.fail("expected .mmio.relaxed");
  d.instr.flag2 = semantics > 0;
  d.instr.semantics = semantics == 4   ? Semantics::Acquire
                      : semantics == 5 ? Semantics::Release
                      : semantics > 0  ? Semantics::Relaxed
                                       : Semantics::Weak;
  d.instr.scope = takeScope(d, Scope::System);
  const int space =
      d.takeOne({"param", "param::entry", "param::func", "global", "shared",
                 "shared::cta", "shared::cluster", "local", "const"});
  constexpr Space spaces[] = {
      Space::Param,         Space::Param,  Space::Param,
      Space::Global,        Space::Shared, Space::Shared,
      Space::SharedCluster, Space::Local,  Space::Const};
  d.instr.space = space < 0 ? Space::Generic : spaces[space];
  d.skipCacheHints();
  const int vector = d.takeOne({"v2", "v4", "v8"});
  d.instr.elements = vector < 0 ? 1 : uint8_t(2 << vector);
  auto type = d.takeType();
  if (!type || !d.end())
    return false;
  if (*type == Type::Pred || (*type == Type::B128 && vector >= 0))
    return d.fail("type ." + std::string(typeName(*type)) +
                  " is not supported here");
  d.instr.type = *type;
  d.instr.elementBytes = uint8_t(bitWidth(*type) / 8);
  if (*type == Type::B128) { // the two rows of its register
    d.instr.elements = 2;
    d.instr.elementBytes = 8;
  }
  if (d.instr.elementBytes * d.instr.elements > 32)
    return d.fail("an access of more than 32 bytes");
  return true;
}

/// Registers that an access names.
size_t registersOf(const Instr &instr) {
  return instr.type == Type::B128 ? 1 : instr.elements;
}

bool decodeLoad(Decoder &d) {
  if (!decodeAccess(d) || !d.expectOperands(2, 3) ||
      !d.dstVector(d.operand(0), d.instr.type, registersOf(d.instr), true) ||
      !d.address(d.operand(1), d.instr.space))
    return false;
  d.instr.cls = InstrClass::Load;
  d.instr.handler = runLoad;
  d.instr.flag = isSigned(d.instr.type) && !isFloat(d.instr.type);
  const ast::Operand &to = d.operand(0);
  const unsigned declared =
      d.declaredBits(to.elements.empty() ? to : to.elements[0]);
  d.instr.imm = declared ? declared : 64;
  if (d.instr.space != Space::Param)
    return true;
  if (auto offset = d.constantAddress()) {
    const uint64_t begin = *offset - spaceBase;
    const uint64_t bytes = uint64_t(d.instr.elementBytes) * d.instr.elements;
    if (*offset < spaceBase || begin + bytes > d.parameterBytes())
      return d.fail("reads " + std::to_string(bytes) + " bytes at offset " +
                    std::to_string(begin) + " of parameters of " +
                    std::to_string(d.parameterBytes()) + " bytes");
    d.instr.imm = begin;
    d.instr.handler = runLoadParameter;
  }
  return true;
}

bool decodeStore(Decoder &d) {
  if (d.take("async"))
    return decodeAsyncStore(d);
  d.instr.cls = InstrClass::Store;
  d.instr.handler = runStore;
  return decodeAccess(d) && d.expectOperands(2, 3) &&
         d.address(d.operand(0), d.instr.space) &&
         d.srcVector(d.operand(1), d.instr.type, registersOf(d.instr), true);
}

Step runNothing(Warp &, const Instr &, uint32_t) { return Step::Next; }

/// Hints that change no result: operands are accepted unread.
bool decodeHint(Decoder &d) {
  if (d.has("tensormap"))
    return decodeMapPrefetch(d);
  d.instr.handler = runNothing;
  d.instr.cls = InstrClass::Other;
  return true;
}

} // namespace

void addMemoryInstructions(MnemonicTable &table) {
  table["ld"] = decodeLoad;
  table["ldu"] = decodeLoad;
  table["st"] = decodeStore;
  for (const char *name : {"prefetch", "prefetchu", "discard", "applypriority"})
    table[name] = decodeHint;
}

} // namespace wna16::emulator
