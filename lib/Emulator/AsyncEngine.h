//===- AsyncEngine.h - asynchronous operations in flight ------------------===//
//
// Bulk and tensor copies, st.async and the like, of one cluster: one more actor
// beside the warps. An operation is issued by a lane, is in flight until the
// engine lets it land, and then either signals an mbarrier or ends a member of
// a bulk group of its lane. When it lands is a choice: by default as late as
// possible (when nobody can move without it), on demand at once or at random.
// What the checks say does not depend on that choice.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_ASYNCENGINE_H
#define WNA16_LIB_EMULATOR_ASYNCENGINE_H

#include "lib/Emulator/Device.h"
#include "lib/Emulator/Mbarrier.h"

#include <deque>
#include <functional>

namespace wna16::emulator {

class Block;
class Cluster;
struct Instr;
struct Warp;

/// Consecutive bytes of an asynchronous operation, from one place to another.
/// A side is shared memory of a block, global memory, or, as a source, bytes
/// that the operation carries or a fill pattern.
struct AsyncRun {
  struct Side {
    Block *block = nullptr;   ///< shared memory of this block,
    Buffer *buffer = nullptr; ///< or this buffer; none: carried or fill
    uint64_t offset = 0;      ///< in that
  };
  Side from, to;
  uint32_t bytes = 0;
  /// Offset in AsyncOperation::carried, if `from` is none.
  uint32_t carried = 0;
  bool fill = false; ///< `from` is none: repeat AsyncOperation::fill
  /// The side in shared memory is swizzled: chunk i of 16 bytes lies at the
  /// place of chunk i ^ chunkXor.
  uint8_t chunkXor = 0;
};

struct AsyncOperation {
  Warp *warp = nullptr; ///< the issuer
  uint32_t lane = 0, pc = 0;
  std::vector<AsyncRun> runs;
  std::vector<uint8_t> carried;
  uint64_t fill = 0;
  bool proxy = true; ///< made by the async proxy
  /// Its source is that of an operation issued before (a multicast).
  bool sourceCounted = false;
  /// What landing does to the destination; null: overwrite.
  std::function<void(uint8_t *to, const uint8_t *from, uint32_t bytes)> combine;
  /// What it does to bytes that it has just copied; null: nothing.
  void (*convert)(uint8_t *bytes, uint32_t count) = nullptr;

  /// Signals this mbarrier with that many bytes,
  Mbarrier *mbarrier = nullptr;
  uint32_t signalBytes = 0;
  /// or belongs to a bulk group of its lane (if mbarrier is null).
  uint32_t group = 0;
  /// Runs instead of signalling bytes (cp.async.mbarrier.arrive).
  std::function<void()> onLanding;
  uint32_t phase = 0; ///< of the mbarrier at issue
  /// Its sources have been read: what is left to write is in `carried`.
  bool sourcesRead = false;
  bool landed = false;
};

class AsyncEngine {
public:
  explicit AsyncEngine(Cluster &cluster) : cluster(cluster) {}
  void reset() {
    operations.clear();
    inFlight = 0;
  }

  /// Checks the runs against what is in flight or unordered, reports at
  /// `instr`, and starts the operation.
  void issue(const Instr &instr, AsyncOperation operation);
  /// Lets one operation land; false if none is in flight.
  bool landOne();
  /// Lets all arrivals of cp.async copies of a warp land.
  void landArrivals(const Warp &warp);
  /// Lands and ends the operations of a lane that belong to bulk groups below
  /// `groups`. `readOnly`: only their reads have to be over.
  void waitGroups(Warp &warp, uint32_t lane, uint32_t groups, bool readOnly);
  bool idle() const { return inFlight == 0; }
  bool empty() const { return operations.empty(); }

  /// The operation in flight that writes (or reads) a global byte, if any.
  const AsyncOperation *findGlobal(const Buffer &buffer, uint64_t offset,
                                   uint32_t bytes, bool writes) const;
  /// The operation in flight that reads a byte of shared memory.
  const AsyncOperation *findReader(const Block &block, uint32_t offset) const;
  /// Reports what is left when a block has ended.
  void blockEnded(Block &block);

private:
  void readSources(AsyncOperation &operation);
  void land(AsyncOperation &operation);
  /// Other reductions in flight into bytes that one has just reached.
  void keepPending(const AsyncRun &landed);
  void remove(size_t index);
  /// The oldest cp.async.mbarrier.arrive of a warp that has one in flight.
  size_t firstArrival(const Warp &warp) const;
  Cluster &cluster;
  std::deque<AsyncOperation> operations;
  uint32_t inFlight = 0; ///< not landed
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_ASYNCENGINE_H
