//===- Copies.h - asynchronous copies in flight of one warp ---------------===//
//
// cp.async copies belong to the lane that issued them and are counted in groups
// per lane. This is the queue of what is in flight; when a copy lands is
// decided by the async instructions (see AsyncInstructions.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_COPIES_H
#define WNA16_LIB_EMULATOR_COPIES_H

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace wna16::emulator {

/// One cp.async executed by the lanes of `mask`.
struct PendingCopy {
  uint32_t pc = 0, mask = 0;
  uint8_t bytes = 0;
  std::array<uint8_t, 32> sourceBytes{};  ///< the rest is filled with zeros
  std::array<uint32_t, 32> destination{}; ///< offset in shared memory
  std::array<uint64_t, 32> source{};
  std::array<const uint8_t *, 32> data{}, undefined{}; ///< of the source
  std::array<uint32_t, 32> group{}, number{};
  uint32_t landed = 0; ///< lanes whose bytes have been moved already
  /// The agent of the mbarrier that a lane has told to wait for this copy
  /// (cp.async.mbarrier.arrive); 0: none.
  std::array<uint32_t, 32> mbarrierAgent{};
};

struct CopyQueue {
  std::deque<PendingCopy> inFlight;
  /// Number of commit_group executed by each lane.
  std::array<uint32_t, 32> committed{};
  /// Number of copies issued by each lane.
  std::array<uint32_t, 32> issued{};
  /// An mbarrier that lanes have told to wait for their copies, by its agent,
  /// and the group that was open in each lane when it did so last.
  struct Arrival {
    uint32_t agent, lanes;
    std::array<uint32_t, 32> group;
  };
  std::vector<Arrival> arrivals;

  void reset() {
    inFlight.clear();
    committed.fill(0);
    issued.fill(0);
    arrivals.clear();
  }
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_COPIES_H
