//===- MemoryAccess.cpp - addresses to bytes, with checks -----------------===//
//
// The common case, all lanes in one buffer, costs one look-up.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/MemoryAccess.h"

#include <cstdio>

namespace wna16::emulator {
namespace {

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

const char *verb(AccessKind kind) { return isWrite(kind) ? "write" : "read"; }

bool aligned(Warp &warp, const Instr &instr, AccessKind kind, unsigned lane,
             Space space, uint64_t address, uint32_t alignment) {
  if (address % alignment == 0)
    return true;
  warp.report(Check::Alignment, instr, int(lane), [&] {
    return std::string(verb(kind)) + " at ." + std::string(spaceName(space)) +
           " address " + hex(address) + " needs an alignment of " +
           std::to_string(alignment) + " bytes, found " +
           std::to_string(address & (0 - address)) +
           (space == Space::Global
                ? " (" + warp.block.launch.device.describe(address) + ")"
                : "");
  });
  // The hardware traps; without the check the bytes are accessed all the same.
  return !warp.block.launch.reporter.wants(Check::Alignment);
}

void resolveGlobal(Warp &warp, const Instr &instr, AccessKind kind,
                   uint32_t mask, const LaneAddresses &addresses,
                   uint32_t bytes, uint32_t alignment, Resolved &out) {
  Device &device = warp.block.launch.device;
  Buffer *buffer = nullptr;
  forLanes(mask, [&](unsigned lane) {
    const uint64_t address = addresses[lane];
    if (!buffer || address < buffer->base || address + bytes > buffer->end())
      buffer = device.below(address);
    if (!buffer || address + bytes > buffer->end()) {
      buffer = nullptr;
      warp.report(Check::Bounds, instr, int(lane), [&] {
        if (address < 4096)
          return std::string("null pointer: ") + verb(kind) + " of " +
                 std::to_string(bytes) + " bytes at global address " +
                 hex(address);
        return std::string(verb(kind)) + " of " + std::to_string(bytes) +
               " bytes outside every buffer, at " + hex(address) + ": " +
               device.describe(address);
      });
      return;
    }
    if (!aligned(warp, instr, kind, lane, Space::Global, address, alignment))
      return;
    const uint64_t offset = address - buffer->base;
    if (isWrite(kind)) {
      if (buffer->readOnly) {
        warp.report(Check::Access, instr, int(lane), [&] {
          return "store to offset " + std::to_string(offset) + " of buffer '" +
                 buffer->name + "', which the launch declares read-only";
        });
        return;
      }
      if (warp.block.copiesInFlight)
        checkCopySources(warp, instr, lane, address, bytes);
    }
    if ((!buffer->readOnly || buffer->afterDependency) && !isAsync(kind))
      out.sameAddress |=
          checkGlobal(warp, instr, lane, *buffer, offset, bytes, kind);
    out.mask |= 1u << lane;
    out.data[lane] = buffer->bytes.data() + offset;
    out.undefined[lane] =
        buffer->undefined.empty() ? nullptr : buffer->undefined.data() + offset;
  });
  if (out.mask && !isAsync(kind) && warp.block.launch.options.counters)
    warp.block.counters.countGlobal(warp.pc(instr), device, isWrite(kind),
                                    out.mask, addresses, bytes);
}

/// Spaces that are one array of bytes, from spaceBase.
void resolveArray(Warp &warp, const Instr &instr, Space space, AccessKind kind,
                  uint32_t mask, const LaneAddresses &addresses, uint32_t bytes,
                  uint32_t alignment, uint32_t size, Resolved &out) {
  forLanes(mask, [&](unsigned lane) {
    const uint64_t address = addresses[lane];
    const uint64_t offset = address - spaceBase;
    if (address < spaceBase || offset + bytes > size) {
      warp.report(Check::Bounds, instr, int(lane), [&] {
        const std::string what = std::string(verb(kind)) + " of " +
                                 std::to_string(bytes) + " bytes at ." +
                                 std::string(spaceName(space));
        if (address < spaceBase)
          return what + " address " + hex(address) +
                 ", below the start of the space: a null or wrong pointer";
        return what + " offset " + std::to_string(offset) + ", outside the " +
               std::to_string(size) + " bytes of that space";
      });
      return;
    }
    if (!aligned(warp, instr, kind, lane, space, address, alignment))
      return;
    if (isWrite(kind) && (space == Space::Param || space == Space::Const)) {
      warp.report(Check::Access, instr, int(lane), [&] {
        return "store to ." + std::string(spaceName(space)) +
               " space, which is read-only";
      });
      return;
    }
    out.mask |= 1u << lane;
    out.offset[lane] = uint32_t(offset);
  });
}

/// Shared memory of the block, or of another one of its cluster.
void resolveShared(Warp &warp, const Instr &instr, Space space, AccessKind kind,
                   uint32_t mask, const LaneAddresses &addresses,
                   uint32_t bytes, uint32_t alignment, Resolved &out) {
  Block &own = warp.block;
  bool remote = false;
  forLanes(mask, [&](unsigned lane) {
    remote |= (addresses[lane] >> clusterRankShift) != 0;
  });
  if (!remote) {
    resolveArray(warp, instr, Space::Shared, kind, mask, addresses, bytes,
                 alignment, own.shared.size(), out);
    forLanes(out.mask, [&](unsigned lane) { out.owner[lane] = &own; });
  } else {
    LaneAddresses offsets = addresses;
    uint32_t valid = 0;
    forLanes(mask, [&](unsigned lane) {
      uint32_t offset = 0;
      out.owner[lane] = &own;
      if (space == Space::Shared && instr.space == Space::Shared) {
        valid |= 1u << lane; // out of bounds
        return;
      }
      Block *block = clusterBlock(warp, instr, lane, addresses[lane], offset);
      if (!block)
        return;
      out.owner[lane] = block;
      offsets[lane] = offset;
      valid |= 1u << lane;
    });
    resolveArray(warp, instr, Space::Shared, kind, valid, offsets, bytes,
                 alignment, own.shared.size(), out);
    // Copies signal an mbarrier, which tells when they are over.
    forLanes(isAsync(kind) ? 0 : out.mask, [&](unsigned lane) {
      if (out.owner[lane] != &own)
        out.owner[lane]->touchedFrom(warp, lane, warp.pc(instr));
    });
  }
  forLanes(out.mask, [&](unsigned lane) {
    SharedMemory &shared = out.owner[lane]->shared;
    out.data[lane] = shared.data(out.offset[lane]);
    out.undefined[lane] = shared.undefined(out.offset[lane]);
  });
  if (isAsync(kind) || instr.cls == InstrClass::Barrier)
    return; // counted when it is issued; not data
  auto &counts = own.counters.instructions[warp.pc(instr)];
  (isWrite(kind) ? counts.sharedWritten : counts.sharedRead) +=
      uint64_t(unsigned(__builtin_popcount(out.mask))) * bytes;
}

} // namespace

Block *clusterBlock(Warp &warp, const Instr &instr, unsigned lane,
                    uint64_t address, uint32_t &offset) {
  offset = uint32_t(address & ((1u << clusterRankShift) - 1));
  const uint64_t rank = address >> clusterRankShift;
  if (rank == 0)
    return &warp.block;
  const auto &blocks = warp.block.cluster.blocks;
  if (rank > blocks.size()) {
    warp.report(Check::Bounds, instr, int(lane), [&] {
      return "shared::cluster address " + hex(address) +
             " belongs to no block of this cluster of " +
             std::to_string(blocks.size());
    });
    return nullptr;
  }
  Block *block = blocks[rank - 1].get();
  if (block->ended()) {
    warp.report(Check::Cluster, instr, int(lane), [&] {
      return "the shared memory of block rank " + std::to_string(rank - 1) +
             ", which has exited; a barrier.cluster before its exit keeps it "
             "alive";
    });
    return nullptr;
  }
  return block;
}

uint32_t laneAddresses(Warp &warp, const Instr &instr, const Value &base,
                       uint32_t mask, LaneAddresses &out) {
  mask = warp.requireDefined(instr, base, mask, "an address");
  const uint64_t displacement = uint64_t(base.displacement);
  if (base.cls == RegClass::Wide) {
    const uint64_t *row = warp.wides(base);
    for (unsigned i = 0; i < warpSize; ++i)
      out[i] = row[i] + displacement;
  } else {
    const uint32_t *row = warp.words(base);
    for (unsigned i = 0; i < warpSize; ++i)
      out[i] = uint32_t(row[i] + displacement);
  }
  return mask;
}

Resolved resolve(Warp &warp, const Instr &instr, Space space, AccessKind kind,
                 uint32_t mask, const LaneAddresses &addresses, uint32_t bytes,
                 uint32_t alignment) {
  Resolved out;
  out.sameAddress = false;
  Launch &launch = warp.block.launch;
  auto array = [&](uint32_t size) {
    resolveArray(warp, instr, space, kind, mask, addresses, bytes, alignment,
                 size, out);
  };
  switch (space) {
  case Space::Shared:
  case Space::SharedCluster:
    resolveShared(warp, instr, space, kind, mask, addresses, bytes, alignment,
                  out);
    return out;
  case Space::Local: {
    const uint32_t size = warp.program.localBytes;
    array(size);
    forLanes(out.mask, [&](unsigned lane) {
      const size_t at = size_t(lane) * size + out.offset[lane];
      out.data[lane] = warp.local.data() + at;
      out.undefined[lane] = warp.localUndefined.data() + at;
    });
    return out;
  }
  case Space::Param:
    array(uint32_t(launch.parameters.size()));
    forLanes(out.mask, [&](unsigned lane) {
      out.data[lane] = launch.parameters.data() + out.offset[lane];
      out.undefined[lane] = nullptr;
    });
    return out;
  case Space::Const:
    array(uint32_t(warp.program.constants.size()));
    forLanes(out.mask, [&](unsigned lane) {
      out.data[lane] = const_cast<uint8_t *>(warp.program.constants.data()) +
                       out.offset[lane];
      out.undefined[lane] = nullptr;
    });
    return out;
  default:
    resolveGlobal(warp, instr, kind, mask, addresses, bytes, alignment, out);
    return out;
  }
}

void checkCopySources(Warp &warp, const Instr &instr, unsigned lane,
                      uint64_t address, uint32_t bytes) {
  for (const auto &block : warp.block.cluster.blocks)
    for (const auto &other : block->warps)
      for (const PendingCopy &copy : other->copies.inFlight)
        forLanes(copy.mask, [&](unsigned owner) {
          if (address + bytes <= copy.source[owner] ||
              address >= copy.source[owner] + copy.sourceBytes[owner])
            return;
          warp.report(Check::Async, instr, int(lane), [&] {
            return "store into the source of the asynchronous copy of line " +
                   std::to_string(warp.program.line(copy.pc)) + " (warp " +
                   std::to_string(other->id) + " lane " +
                   std::to_string(owner) +
                   "), which is still in flight; wait for its group first";
          });
        });
}

} // namespace wna16::emulator
