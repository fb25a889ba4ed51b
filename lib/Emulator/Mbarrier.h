//===- Mbarrier.h - mbarrier objects --------------------------------------===//
//
// An mbarrier counts arrivals and bytes of the current phase; when both are
// complete the phase ends, the next one begins and whoever waited knows what
// the arrivers knew and what the copies brought. The object is opaque to PTX:
// it is kept in a table by address, and a plain access to its 8 bytes is an
// error.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_MBARRIER_H
#define WNA16_LIB_EMULATOR_MBARRIER_H

#include "lib/Emulator/Ordering.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace wna16::emulator {

class Block;
struct Warp;

struct Mbarrier {
  static constexpr uint32_t maxCount = (1u << 20) - 1;

  Block *block = nullptr;
  uint32_t offset = 0;   ///< in the shared memory of its block
  uint32_t expected = 0; ///< arrivals of a phase
  uint32_t pending = 0;  ///< arrivals that are missing in this one
  int64_t bytes = 0;     ///< that are missing in this one (tx-count)
  uint32_t phase = 0;    ///< number of the current phase
  uint32_t agent = 0;    ///< who the bytes belong to that its copies bring
  /// Copies that signal it and are in flight, by parity of the phase in which
  /// they were issued.
  std::array<uint32_t, 2> inFlight{};
  View arriving;  ///< what the arrivers of the current phase know
  View completed; ///< what waiting for the phases so far makes known
  Stamp init;
  Stamp lastLanding;     ///< of a copy that signals it
  uint32_t expectPc = 0; ///< of the last expect_tx
  uint32_t arrivePc = 0; ///< of the last arrival
  /// fence.mbarrier_init came after the initialisation; the cluster barrier
  /// phase in whose arrival that was published (see Cluster).
  bool fenced = false;
  uint32_t publishedIn = ~0u;
  /// When the last two phases ended, by parity.
  std::array<uint32_t, 2> endedAt{};
  /// The last phase each warp of the cluster has waited for, plus 1.
  std::vector<uint32_t> seen;

  bool phaseOver(uint32_t parity) const { return (phase & 1) != parity; }
  /// "at shared byte 64 (phase 3: 1 of 2 arrivals and 512 bytes missing)"
  std::string describe() const;
};

struct Instr;
class Cluster;

/// `count` arrivals by each lane of `mask`, which publish what the lanes did if
/// `release`. Reports arrivals that the phase does not expect.
void arriveOn(Mbarrier &mbarrier, Warp &warp, const Instr &instr, uint32_t mask,
              uint32_t count, bool release);
/// An arrival that a finished asynchronous operation makes.
void arriveOn(Mbarrier &mbarrier, Cluster &cluster, uint32_t pc);
/// `bytes` more (or, if negative, less) are missing in the current phase.
void expectBytes(Mbarrier &mbarrier, Cluster &cluster, int64_t bytes);
/// Ends the current phase if it is complete, and wakes who waits for it.
void advance(Mbarrier &mbarrier, Cluster &cluster);
/// A wait for the phase before `mbarrier.phase` has succeeded in `mask`.
void observe(Mbarrier &mbarrier, Warp &warp, const Instr &instr, uint32_t mask,
             bool acquire);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_MBARRIER_H
