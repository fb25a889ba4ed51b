//===- AtomicOps.h - what read-modify-write operations compute ------------===//
//
// Shared by atom, red and the reductions of the async engine, which may meet at
// the same address.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_ATOMICOPS_H
#define WNA16_LIB_EMULATOR_ATOMICOPS_H

#include "lib/Emulator/Types.h"

#include <mutex>

namespace wna16::emulator {

enum class AtomicOp : uint8_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exch,
  Cas,
  Inc,
  Dec
};

/// What `op` makes of the bits `old` in memory; `c` is the value to swap in.
uint64_t applyAtomic(AtomicOp op, Type type, uint64_t old, uint64_t b,
                     uint64_t c = 0);
/// Blocks run on several threads: the lock to hold while bytes of global memory
/// are modified.
std::mutex &atomicLock(const void *address);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_ATOMICOPS_H
