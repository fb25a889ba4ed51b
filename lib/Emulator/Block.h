//===- Block.h - a thread block and what it shares ------------------------===//
//
// Warps, shared memory, named barriers and mbarriers.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_BLOCK_H
#define WNA16_LIB_EMULATOR_BLOCK_H

#include "lib/Emulator/Cluster.h"
#include "lib/Emulator/SharedMemory.h"

namespace wna16::emulator {

struct BlockTaint;

/// One of the 16 barriers of a block.
struct NamedBarrier {
  uint32_t arrived = 0; ///< threads
  uint32_t count = 0;   ///< expected threads; 0: all live ones
  uint32_t waiting = 0; ///< mask of warps
  uint32_t line = 0;    ///< of the first arrival
  bool used = false;
  /// barrier.red: predicates that are true, of how many, all of them defined.
  uint32_t votes = 0, voters = 0;
  bool votesKnown = true;
  View joined;
};
/// Gives a warp that waited at barrier.red the outcome of the vote.
void writeVote(Warp &warp, const NamedBarrier &barrier);

class Block {
public:
  Block(Cluster &cluster, uint32_t rank);

  /// Makes this the block with the given index, in its initial state.
  void start(const Dim3 &index);
  bool ended() const { return liveWarps == 0; }

  /// Arrival of a warp at a barrier; returns whether it has to wait.
  Step arriveAtBarrier(Warp &warp, const Instr &instr, uint32_t barrier,
                       uint32_t count, bool wait);
  /// Adds the votes of a warp that is about to arrive.
  void voteAtBarrier(uint32_t barrier, uint32_t votes, uint32_t voters,
                     bool known);
  void warpExited(Warp &warp);

  /// The mbarrier at an offset of shared memory; null if there is none.
  Mbarrier *findMbarrier(uint32_t offset);
  Mbarrier &addMbarrier(uint32_t offset);
  void removeMbarrier(uint32_t offset);
  const std::unordered_map<uint32_t, std::unique_ptr<Mbarrier>> &
  mbarriers() const {
    return mbarrierTable;
  }
  /// A lane of another block of the cluster has accessed this one's memory: it
  /// must happen before this block ends.
  void touchedFrom(const Warp &warp, uint32_t lane, uint32_t pc);

  Cluster &cluster;
  Launch &launch;
  WorkerCounters &counters;
  const uint32_t rank; ///< in its cluster
  Dim3 index{};
  SharedMemory shared;
  /// Null unless data is followed into addresses (ORD5b).
  std::shared_ptr<BlockTaint> taint;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<WarpgroupLog> warpgroups; ///< the last one may be incomplete
  // Those of the cluster.
  ClusterClock &clock;
  std::mt19937_64 &random;
  uint32_t &copiesInFlight;
  uint64_t &progress, &polls, &ticks;
  bool &failed;

private:
  void checkBarrier(NamedBarrier &barrier);
  void checkEnd();

  std::array<NamedBarrier, 16> barriers;
  uint32_t liveWarps = 0;
  std::unordered_map<uint32_t, std::unique_ptr<Mbarrier>> mbarrierTable;
  std::vector<Stamp> remoteAccesses; ///< the last one by agent
  /// What the exited warps knew.
  View exitView;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_BLOCK_H
