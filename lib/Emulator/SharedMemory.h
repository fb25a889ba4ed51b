//===- SharedMemory.h - shared memory of a block and its shadow -----------===//
//
// Bytes and, per byte: defined or not, pending asynchronous copy, last writer
// and last readers. Each access function says what is wrong with the access, if
// anything; the caller turns that into a report.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_SHAREDMEMORY_H
#define WNA16_LIB_EMULATOR_SHAREDMEMORY_H

#include "lib/Emulator/Ordering.h"

#include <vector>

namespace wna16::emulator {

/// A rule of asynchrony or ordering that an access breaks.
struct Conflict {
  enum Kind : uint8_t {
    None,
    Pending, ///< the byte belongs to a copy that was not waited for
    Write,   ///< not ordered after the write `other`
    Read     ///< a write not ordered after the read `other`
  };
  Kind kind = None;
  uint32_t offset = 0;
  Stamp other;
};

class SharedMemory {
public:
  void reset(uint32_t bytes);
  uint32_t size() const { return uint32_t(bytes.size()); }
  uint8_t *data(uint32_t offset) { return bytes.data() + offset; }
  /// Bit 0 of each byte: undefined.
  const uint8_t *undefined(uint32_t offset) const {
    return state.data() + offset;
  }

  /// Offsets count from 0 (the caller has subtracted the base of the space and
  /// checked bounds). `pc` and `strong` describe the access.
  struct Agent {
    WarpClock &warp;
    const BlockClock &clock;
    uint32_t lane, pc;
    bool strong = false;
    Stamp stamp(uint64_t flags = 0) const {
      return {clock.now(), warp.id, lane, pc,
              flags | (strong ? uint64_t(Stamp::Strong) : 0)};
    }
  };

  bool defined(uint32_t offset, uint32_t count) const {
    return !(any(offset, count) & Undefined);
  }
  Conflict read(const Agent &agent, uint32_t offset, uint32_t count);
  Conflict write(const Agent &agent, uint32_t offset, uint32_t count,
                 bool defined);
  /// Several lanes of one store have just written the same value here: each of
  /// them may read it back.
  void markSameValue(const Agent &agent, uint32_t offset, uint32_t count) {
    for (uint32_t i = offset; i < offset + count; ++i)
      writer[i] = agent.stamp(Stamp::Same);
  }
  /// An asynchronous copy is issued: its bytes are pending from now on.
  Conflict beginCopy(const Agent &agent, uint32_t offset, uint32_t count);
  /// The lane that issued it has waited: the bytes are its own writes. The
  /// first `sourceCount` bytes are as undefined as `sourceUndefined` (bit 0 per
  /// byte; null: all defined), the rest are zeros.
  void endCopy(const Agent &agent, uint32_t offset, uint32_t count,
               const uint8_t *sourceUndefined, uint32_t sourceCount);

private:
  enum : uint8_t { Undefined = 1, InFlight = 2 };
  uint8_t any(uint32_t offset, uint32_t count) const {
    uint8_t all = 0;
    for (uint32_t i = 0; i < count; ++i)
      all |= state[offset + i];
    return all;
  }
  Conflict checkWrite(const Agent &agent, uint32_t offset, uint32_t count);
  Stamp mergeReader(const Agent &agent, uint32_t offset, Stamp mine);
  bool readsOrdered(const Agent &agent, uint32_t offset) const;

  std::vector<uint8_t> bytes, state;
  std::vector<Stamp> writer, reader;
  /// Time of the last read of a byte by each warp, for bytes that several warps
  /// read without being ordered; allocated when the first such byte appears.
  std::vector<uint32_t> readTimes;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_SHAREDMEMORY_H
