//===- MemoryOrder.h - release and acquire --------------------------------===//
//
// Fences and the qualified forms of loads, stores and atomics, of global and of
// shared memory: what was released at an address, and who learns it.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_MEMORYORDER_H
#define WNA16_LIB_EMULATOR_MEMORYORDER_H

#include "lib/Emulator/GlobalOrder.h"

namespace wna16::emulator {

class Block;
struct Instr;
struct Warp;

/// What a warp publishes at a release, and what it still has to acquire. Lanes
/// are not told apart.
struct MemoryOrder {
  /// Snapshot of the last fence; strong writes after it publish it.
  ReleasedRef fence;
  /// What strong reads have seen, acquired by the next fence.
  std::vector<ReleasedRef> seen;
};

/// Combines what two releases publish.
ReleasedRef joinReleased(const ReleasedRef &a, const ReleasedRef &b);
/// What the lanes of `mask` would release now.
ReleasedRef snapshot(Warp &warp, uint32_t mask, Scope scope);
/// The warp learns what was released, if both scopes reach.
void acquire(Warp &warp, uint32_t mask, const ReleasedRef &released,
             Scope scope);
/// fence.acq_rel, fence.sc, membar.
void fence(Warp &warp, uint32_t mask, Scope scope);

/// Where something is released: an address of global memory, or of the shared
/// memory of a block.
struct Location {
  Block *owner = nullptr;
  uint64_t address = 0; ///< or offset in the memory of `owner`
};
/// A strong read or write by the lanes of `mask` has happened; `modify`: both.
void strongRead(Warp &warp, const Instr &instr, uint32_t mask,
                const Location &location);
void strongWrite(Warp &warp, const Instr &instr, uint32_t mask,
                 const Location &location, bool modify);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_MEMORYORDER_H
