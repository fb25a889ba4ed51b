//===- Block.h - a thread block and what it shares ------------------------===//
//
// Warps, shared memory, barriers and the scheduler that interleaves the warps.
// A block runs in slices so that a worker can keep several blocks in flight.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_BLOCK_H
#define WNA16_LIB_EMULATOR_BLOCK_H

#include "lib/Emulator/Emulator.h"
#include "lib/Emulator/SharedMemory.h"
#include "lib/Emulator/Warp.h"

#include <random>

namespace wna16::emulator {

/// What all blocks of a launch have in common.
struct Launch {
  const Program &program;
  Device &device;
  const LaunchSpec &spec;
  const Options &options;
  Reporter &reporter;
  std::vector<uint8_t> parameters; ///< the param space, from spaceBase
  uint32_t threads = 0, warps = 0, sharedBytes = 0;
  /// Slices in which some block made progress; tells spinning from deadlock.
  std::atomic<uint64_t> progress{0};
};

/// Counters of one worker, indexed by instruction.
struct WorkerCounters {
  struct PerInstruction {
    uint64_t warps = 0, lanes = 0;
    uint64_t bankPasses = 0, bankIdeal = 0;
  };
  std::vector<PerInstruction> instructions;
  uint64_t globalRead = 0, globalWritten = 0, sharedRead = 0, sharedWritten = 0;
  uint64_t blocks = 0;
  std::vector<uint64_t> readByBuffer;
};

/// One of the 16 barriers of a block.
struct NamedBarrier {
  uint32_t arrived = 0; ///< threads
  uint32_t count = 0;   ///< expected threads; 0: all live ones
  uint32_t waiting = 0; ///< mask of warps
  uint32_t line = 0;    ///< of the first arrival
  bool used = false;
  std::array<uint32_t, 32> joined{};
};

class Block {
public:
  enum class Slice : uint8_t { Finished, Spinning, Failed };

  Block(Launch &launch, WorkerCounters &counters);

  /// Makes this the block with the given index, in its initial state.
  void start(const Dim3 &index);
  /// Runs until the block ends or spins without progress.
  Slice run();
  /// Says who waits for what.
  void reportDeadlock(const std::string &reason);

  /// Arrival of a warp at a barrier; returns whether it has to wait.
  Step arriveAtBarrier(Warp &warp, const Instr &instr, uint32_t barrier,
                       uint32_t count, bool wait);
  void warpExited(Warp &warp);

  Launch &launch;
  WorkerCounters &counters;
  Dim3 index{};
  SharedMemory shared;
  BlockClock clock;
  std::vector<std::unique_ptr<Warp>> warps;
  std::mt19937_64 random;
  /// Copies in flight, over all warps.
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
  /// A warp could not go on; the block is abandoned.
  bool failed = false;

private:
  void checkBarrier(NamedBarrier &barrier);
  Warp *pickWarp();

  std::array<NamedBarrier, 16> barriers;
  uint32_t liveWarps = 0;
  size_t nextWarp = 0;
  uint64_t steps = 0;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_BLOCK_H
