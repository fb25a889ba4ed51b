//===- AtomicOps.h - what atomic operations compute -----------------------===//
//
// The values of atom, red and the reductions of the async engine, apart from
// memory and its order.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_ATOMICOPS_H
#define WNA16_LIB_EMULATOR_ATOMICOPS_H

#include "lib/Emulator/Types.h"

#include <cstdint>
#include <cstring>
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

/// Whether an operation exists on a type; `vector`: of several elements.
bool atomicExists(AtomicOp op, Type type, bool vector);

/// out = op(old, b), or op(old, b, c) for Cas, on one element of up to 16
/// bytes. `flushes`: subnormal f32 count as zero, as additions in global memory
/// take them.
void applyAtomic(AtomicOp op, Type type, bool flushes, const uint8_t *old,
                 const uint8_t *b, const uint8_t *c, uint8_t *out);
/// The same for elements of up to 8 bytes in registers.
inline uint64_t applyAtomic(AtomicOp op, Type type, bool flushes, uint64_t old,
                            uint64_t b) {
  uint8_t from[8], with[8], out[8] = {};
  std::memcpy(from, &old, 8);
  std::memcpy(with, &b, 8);
  applyAtomic(op, type, flushes, from, with, with, out);
  uint64_t result;
  std::memcpy(&result, out, 8);
  return result;
}

/// Blocks run on several threads: the lock to hold while bytes of global memory
/// are modified.
std::mutex &atomicLock(const void *address);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_ATOMICOPS_H
