//===- SharedMemory.h - shared memory of a block and its shadow -----------===//
//
// Bytes and, per byte: defined or not, pending asynchronous copy, part of an
// mbarrier, asynchronous readers, last writer and last readers. Each access
// function says what is wrong with the access, if anything; the caller turns
// that into a report.
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
    Pending,    ///< the byte belongs to a copy that was not waited for
    Reading,    ///< a write to a byte that an asynchronous operation reads
    Mbarrier,   ///< the byte belongs to an mbarrier
    Unfenced,   ///< the async proxy meets the generic write `other`
    Unfinished, ///< the async proxy overwrites what the load `other` may read
    Write,      ///< not ordered after the write `other`
    Read        ///< a write not ordered after the read `other`
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
    const ClusterClock &clock;
    uint32_t lane, pc;
    bool strong = false;
    bool alone = false; ///< other lanes of the warp are elsewhere
    Stamp stamp(uint64_t flags = 0) const {
      return {clock.now(), warp.id, lane, pc,
              flags | (strong ? uint64_t(Stamp::Strong) : 0)};
    }
  };

  Stamp lastWriter(uint32_t offset) const { return writer[offset]; }
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

  /// \name Asynchronous writes
  /// @{
  /// An asynchronous copy is issued: its bytes are pending from now on.
  /// `proxy`: it is an operation of the async proxy. Those of strong agents are
  /// reductions, which do not disturb each other.
  Conflict beginCopy(const Agent &agent, uint32_t offset, uint32_t count,
                     bool proxy = false);
  /// Its bytes have arrived and carry `stamp`: they belong to whom it names.
  /// The first `sourceCount` bytes are as undefined as `sourceUndefined` (bit 0
  /// per byte; null: all defined), the rest are zeros. With a strong stamp they
  /// were combined with what was there.
  void endCopy(Stamp stamp, uint32_t offset, uint32_t count,
               const uint8_t *sourceUndefined, uint32_t sourceCount);
  /// Another reduction into these bytes is in flight.
  void stayPending(uint32_t offset, uint32_t count) {
    for (uint32_t i = offset; i < offset + count; ++i)
      state[i] |= InFlight;
  }
  /// @}

  /// \name Asynchronous reads, by the async proxy
  /// @{
  /// An operation that reads these bytes until endRead is issued. Whether they
  /// are defined is for the caller to ask.
  Conflict beginRead(const Agent &agent, uint32_t offset, uint32_t count);
  /// It is over, and who waited for it has read them.
  void endRead(const Agent &agent, uint32_t offset, uint32_t count);
  /// @}

  /// \name Loads that may still be under way, see OpenLoads.h
  /// @{
  /// An arrival at an mbarrier gives away bytes that a load, executed at the
  /// time `since`, may not have read yet. Not those written since then.
  void beginUnfinished(const Agent &agent, uint32_t offset, uint32_t count,
                       uint32_t since);
  /// The load is over, which the next arrival tells others.
  void endUnfinished(const Agent &agent, uint32_t offset, uint32_t count);
  /// @}

  /// The 8 bytes at `offset` become an mbarrier, or memory again.
  Conflict beginBarrier(const Agent &agent, uint32_t offset);
  void endBarrier(const Agent &agent, uint32_t offset);

private:
  enum : uint8_t { Undefined = 1, InFlight = 2, Barrier = 4, BeingRead = 8 };
  uint8_t any(uint32_t offset, uint32_t count) const {
    uint8_t all = 0;
    for (uint32_t i = 0; i < count; ++i)
      all |= state[offset + i];
    return all;
  }
  uint32_t first(uint8_t flag, uint32_t offset) const {
    while (!(state[offset] & flag))
      ++offset;
    return offset;
  }
  Conflict checkWriters(const Agent &agent, uint32_t offset, uint32_t count);
  Conflict checkWrite(const Agent &agent, uint32_t offset, uint32_t count,
                      bool reduces = false, bool proxy = false);
  /// Nothing but reductions of the same kind are in flight into a byte.
  bool reductionsOnly(uint32_t offset, bool proxy) const {
    const Stamp last = writer[offset];
    return !(state[offset] & (Barrier | BeingRead)) &&
           last.has(Stamp::Strong) && last.has(Stamp::Proxy) == proxy;
  }
  void addReader(const Agent &agent, uint32_t offset, uint32_t count,
                 uint64_t flags);
  Stamp mergeReader(const Agent &agent, Stamp old, Stamp mine, uint32_t &row);
  uint32_t addToRow(const Agent &agent, Stamp mine, uint32_t row);
  void dropUnusedRows(uint32_t warps);
  /// The reader of a byte that a write by `agent` is not ordered after; none if
  /// there is no such reader.
  Stamp unorderedReader(const Agent &agent, uint32_t offset) const;
  Conflict checkUnfinished(const Agent &agent, uint32_t offset,
                           uint32_t count) const;
  void forgetUnfinished(uint32_t offset, uint32_t count) {
    if (!unfinished.empty()) [[unlikely]]
      std::fill_n(unfinished.begin() + offset, count, Stamp());
  }
  uint32_t rowOf(uint32_t offset) const {
    return readerRows.empty() ? 0 : readerRows[offset];
  }

  std::vector<uint8_t> bytes, state;
  std::vector<Stamp> writer, reader;
  /// Asynchronous operations that read a byte now; empty until there is one.
  std::vector<uint16_t> asyncReaders;
  /// The last load of a byte that was given away unfinished, with Stamp::Async
  /// while it still is; empty until there is one.
  std::vector<Stamp> unfinished;
  /// The last read of a byte by one warp. The lane counts if it read alone: it
  /// may tell others of that without its warp.
  struct WarpRead {
    uint32_t time : 25, lane : 6; ///< lane: 32 if it is not known
    bool operator==(const WarpRead &other) const {
      return time == other.time && lane == other.lane;
    }
  };
  static WarpRead readOf(Stamp stamp) {
    return {stamp.time(), stamp.has(Stamp::Alone) ? stamp.lane() : 32};
  }
  /// Bytes that several warps read without being ordered: the last read by each
  /// warp. Bytes with the same readers share a row; row 0 is empty. Allocated
  /// when the first such byte appears.
  std::vector<uint32_t> readerRows; ///< by byte, if its reader is Stamp::Warps
  std::vector<WarpRead> rows;       ///< by row and warp
  /// The last rows that were made, of `read` by `warp`: from the row `from`,
  /// and from `otherRead` of `other`.
  struct {
    uint32_t from = ~0u, warp = 0;
    WarpRead read{};
    uint32_t row = 0;
  } madeRow;
  struct {
    uint32_t other = ~0u;
    WarpRead otherRead{};
    uint32_t warp = 0;
    WarpRead read{};
    uint32_t row = 0;
  } madePair;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_SHAREDMEMORY_H
