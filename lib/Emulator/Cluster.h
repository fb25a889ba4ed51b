//===- Cluster.h - blocks that run together -------------------------------===//
//
// A cluster (of one block unless the launch says more) is the unit that is
// scheduled: its warps are interleaved, its asynchronous operations land, and
// it has one clock. It runs in slices so that a worker can keep several
// clusters in flight.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_CLUSTER_H
#define WNA16_LIB_EMULATOR_CLUSTER_H

#include "lib/Emulator/AsyncEngine.h"
#include "lib/Emulator/Emulator.h"
#include "lib/Emulator/MemoryOrder.h"
#include "lib/Emulator/Warp.h"
#include "lib/Emulator/WorkerCounters.h"

#include <random>

namespace wna16::emulator {

class OrderCheck;

/// What all blocks of a launch have in common.
struct Launch {
  const Program &program;
  Device &device;
  const LaunchSpec &spec;
  const Options &options;
  Reporter &reporter;
  GlobalOrder &globalOrder;
  std::vector<uint8_t> parameters; ///< the param space, from spaceBase
  uint32_t threads = 0, warps = 0, sharedBytes = 0;
  uint32_t clusterBlocks = 1;
  /// Follows data into addresses (ORD5b); null if that is off.
  OrderCheck *orderCheck = nullptr;
  /// Null unless Options::distinctBytes.
  DistinctBytes *distinct = nullptr;
  /// Slices in which some block made progress; tells spinning from deadlock.
  std::atomic<uint64_t> progress{0};
};

class Cluster {
public:
  enum class Slice : uint8_t { Finished, Spinning, Failed };

  Cluster(Launch &launch, WorkerCounters &counters);
  ~Cluster();

  /// Makes this the cluster with the given number, in its initial state.
  void start(uint64_t number);
  /// Runs until all blocks end or the cluster spins without progress.
  Slice run();
  /// Says who waits for what.
  void reportDeadlock(const std::string &reason);
  /// Reports `message` at an instruction of a block that no warp is executing.
  void report(Check check, const Block &block, uint32_t pc,
              const std::string &message);

  /// barrier.cluster.arrive and .wait by a warp.
  Step arrive(Warp &warp, const Instr &instr, uint32_t mask, bool release);
  Step wait(Warp &warp, const Instr &instr, uint32_t mask, bool acquire);
  void warpExited(Warp &warp);
  /// "warp 3", with its block if there are several; "mbarrier at ...".
  std::string agentName(uint32_t agent) const;
  const Mbarrier *mbarrierOf(uint32_t agent) const;

  Launch &launch;
  WorkerCounters &counters;
  ClusterClock clock;
  AsyncEngine async;
  std::vector<std::unique_ptr<Block>> blocks;
  uint64_t number = 0; ///< in the grid
  std::mt19937_64 random;
  /// cp.async copies in flight, over all warps.
  uint32_t copiesInFlight = 0;
  /// Anything another agent could be waiting for (stores, arrivals, exits), and
  /// work that is no polling (plain loads).
  uint64_t progress = 0;
  /// Looks at memory that another agent may change: volatile and acquiring
  /// loads, atomics that change nothing.
  uint64_t polls = 0;
  uint64_t idleSteps = 0;
  /// What %clock reads: grows with every look at it.
  uint64_t ticks = 0;
  /// A warp could not go on; the cluster is abandoned.
  bool failed = false;
  /// What was released where in shared memory, by block rank and offset.
  std::unordered_map<uint64_t, ReleasedRef> releases;
  /// With which swizzle each tensor copy, by its instruction, wrote last.
  std::unordered_map<uint32_t, TensorMap::Swizzle> swizzles;
  /// Completed phases of the cluster barrier.
  uint32_t barrierPhase = 0;

private:
  Warp *pickWarp();
  bool chance(unsigned oneIn) { return random() % oneIn == 0; }
  void checkBarrier();

  std::vector<Warp *> warps; ///< of all blocks
  uint32_t liveWarps = 0;
  size_t nextWarp = 0;
  uint64_t steps = 0;
  // The barrier of the cluster.
  uint32_t arrivedWarps = 0;
  View joined, released;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_CLUSTER_H
