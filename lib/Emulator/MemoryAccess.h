//===- MemoryAccess.h - addresses to bytes, with checks -------------------===//
//
// What all instructions that touch memory share: addresses per lane, the split
// of generic addresses by window, bounds and alignment, definedness, reports of
// shared-memory conflicts, and bank counting.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_MEMORYACCESS_H
#define WNA16_LIB_EMULATOR_MEMORYACCESS_H

#include "lib/Emulator/Block.h"

namespace wna16::emulator {

using LaneAddresses = std::array<uint64_t, warpSize>;

/// Where the lanes of an access find their bytes.
struct Resolved {
  uint32_t mask = 0; ///< lanes that passed all checks
  std::array<uint8_t *, warpSize> data;
  /// Per byte, bit 0: undefined. Null: every byte of the lane is defined.
  std::array<const uint8_t *, warpSize> undefined;
  /// Offset in its space (shared: from the start of the block's memory).
  std::array<uint32_t, warpSize> offset;
  /// Shared memory: whose it is. Another block of the cluster is possible in
  /// Space::SharedCluster and generic addresses only.
  std::array<Block *, warpSize> owner;
  /// Several lanes of this store to global memory write the same bytes.
  bool sameAddress = false;
};

/// Strong accesses are atomic or volatile: two of them do not race, and neither
/// do two reductions. The async engine checks the order of what it does itself.
enum class AccessKind : uint8_t {
  Read,
  Write,
  StrongRead,
  StrongWrite,
  AsyncRead,
  AsyncWrite,
  AsyncReduce
};
inline bool isWrite(AccessKind kind) {
  return kind == AccessKind::Write || kind == AccessKind::StrongWrite ||
         kind == AccessKind::AsyncWrite || kind == AccessKind::AsyncReduce;
}
inline bool isAsync(AccessKind kind) { return kind >= AccessKind::AsyncRead; }

/// Addresses of shared::cluster space: the block's rank plus 1, or 0 for the
/// own block, above the offset in its shared memory.
constexpr unsigned clusterRankShift = 24;

/// Fills `out` with base + displacement; returns the lanes whose address is
/// defined.
uint32_t laneAddresses(Warp &warp, const Instr &instr, const Value &base,
                       uint32_t mask, LaneAddresses &out);

/// Calls `f(space, mask, addresses)` for each space that the lanes address;
/// addresses are offsets in that space. One call unless `space` is generic.
template <typename F>
void forEachSpace(Space space, uint32_t mask, LaneAddresses &addresses, F &&f) {
  if (space != Space::Generic)
    return f(space, mask, addresses);
  struct Window {
    Space space;
    uint64_t base;
  };
  constexpr Window windows[] = {{Space::Shared, sharedWindow},
                                {Space::Local, localWindow},
                                {Space::Param, paramWindow},
                                {Space::Const, constWindow}};
  for (const Window &window : windows) {
    uint32_t inside = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
      const unsigned lane = firstLane(rest);
      if (addresses[lane] - window.base < windowSize) {
        inside |= 1u << lane;
        addresses[lane] -= window.base;
      }
    }
    if (inside)
      f(window.space, inside, addresses);
    mask &= ~inside;
  }
  if (mask)
    f(Space::Global, mask, addresses);
}

/// Checks bounds, alignment (to `alignment`) and access rights of `bytes` at
/// each lane's address in `space` and finds the bytes. Lanes that fail are
/// reported and missing from the result. Does not look at shadow memory.
Resolved resolve(Warp &warp, const Instr &instr, Space space, AccessKind kind,
                 uint32_t mask, const LaneAddresses &addresses, uint32_t bytes,
                 uint32_t alignment);

/// Reports what SharedMemory found wrong with an access to the memory of
/// `owner`; no-op for None.
void reportConflict(Warp &warp, const Instr &instr, unsigned lane,
                    const Block &owner, const Conflict &conflict, bool isWrite);
inline void reportConflict(Warp &warp, const Instr &instr, unsigned lane,
                           const Conflict &conflict, bool isWrite) {
  reportConflict(warp, instr, lane, warp.block, conflict, isWrite);
}

/// Checks an access to global memory against other agents' and against what is
/// in flight, and reports. Returns true if several lanes of this instruction
/// write the same bytes, which is for the caller to judge.
bool checkGlobal(Warp &warp, const Instr &instr, unsigned lane,
                 const Buffer &buffer, uint64_t offset, uint32_t bytes,
                 AccessKind kind);

/// The block and the offset that a shared::cluster address means for a warp;
/// null and a report if there is none.
Block *clusterBlock(Warp &warp, const Instr &instr, unsigned lane,
                    uint64_t address, uint32_t &offset);

/// Where a lane's access to global or shared memory releases or acquires.
inline Location locationOf(Space space, const Resolved &resolved,
                           const LaneAddresses &addresses, unsigned lane) {
  if (space == Space::Global)
    return {nullptr, addresses[lane]};
  return {resolved.owner[lane], resolved.offset[lane]};
}

/// Calls `f` for the location of each lane; other spaces order nothing.
template <typename F>
void forEachLocation(Space space, const Resolved &resolved,
                     const LaneAddresses &addresses, F &&f) {
  if (space == Space::Global || isShared(space))
    forLanes(resolved.mask, [&](unsigned lane) {
      f(locationOf(space, resolved, addresses, lane));
    });
}

/// Reports a store into the source of a copy in flight.
void checkCopySources(Warp &warp, const Instr &instr, unsigned lane,
                      uint64_t address, uint32_t bytes);

/// Counts the bank passes of a shared-memory access; `bytes` per lane.
inline void countBanks(Warp &warp, const Instr &instr, uint32_t mask,
                       const std::array<uint32_t, warpSize> &offsets,
                       uint32_t bytes) {
  if (warp.block.launch.options.counters)
    warp.block.counters.countBanks(warp.pc(instr), mask, offsets, bytes);
}

inline SharedMemory::Agent sharedAgent(Warp &warp, const Instr &instr,
                                       unsigned lane, bool strong = false) {
  return {warp.clock, warp.block.clock,
          lane,       warp.pc(instr),
          strong,     warp.executing != warp.lanes.alive()};
}

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_MEMORYACCESS_H
