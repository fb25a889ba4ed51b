//===- WorkerCounters.h - what one worker counts --------------------------===//
//
// Numbers that are added to while a kernel runs, indexed by instruction and by
// buffer. Everything that the text of an instruction says (its class, space,
// hints, shape) is looked up when the launch has ended, see Counters.h.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_WORKERCOUNTERS_H
#define WNA16_LIB_EMULATOR_WORKERCOUNTERS_H

#include "lib/Emulator/Counters.h"
#include "lib/Emulator/Device.h"

#include <vector>

namespace wna16::emulator {

struct AsyncOperation;
struct Program;

/// Which bytes of each buffer have been read and written, for all workers.
class DistinctBytes {
public:
  explicit DistinctBytes(const Device &device);
  void mark(const Buffer &buffer, bool isWrite, uint64_t offset,
            uint64_t bytes);
  uint64_t count(const Buffer &buffer, bool isWrite) const;

private:
  struct Map {
    std::unique_ptr<uint8_t[]> read, written;
  };
  std::vector<Map> maps;
  const Device &device;
};

struct WorkerCounters {
  struct PerInstruction {
    uint64_t warps = 0, lanes = 0;
    uint64_t bankPasses = 0, bankIdeal = 0;
    uint64_t globalRead = 0, globalWritten = 0, sharedRead = 0,
             sharedWritten = 0;
  };
  struct PerBuffer {
    /// By lanes, and with bytes counted once that several lanes of one
    /// instruction access.
    uint64_t read = 0, fetched = 0, written = 0, stored = 0;
  };
  /// The last pattern of a shared access: most repeat.
  struct BankPattern {
    uint32_t mask = 0, bytes = 0, first = 0;
    std::array<uint32_t, 32> offsets{};
    uint32_t passes = 0, ideal = 0;
  };

  WorkerCounters(const Program &program, const Device &device,
                 DistinctBytes *distinct);

  /// Lanes of `mask` access `bytes` bytes of global memory each.
  void countGlobal(uint32_t pc, const Device &device, bool isWrite,
                   uint32_t mask, const std::array<uint64_t, 32> &addresses,
                   uint32_t bytes);
  /// The bytes that an operation of the async engine will move.
  void countOperation(const AsyncOperation &operation);
  /// Passes of an access of shared memory through its 32 banks; `bytes` and
  /// offsets by lane.
  void countBanks(uint32_t pc, uint32_t mask,
                  const std::array<uint32_t, 32> &offsets, uint32_t bytes);

  std::vector<PerInstruction> instructions;
  std::vector<PerBuffer> buffers;
  uint64_t blocks = 0;

private:
  void countRange(uint32_t pc, const Buffer &buffer, bool isWrite,
                  uint64_t offset, uint64_t bytes);
  std::vector<BankPattern> patterns;
  DistinctBytes *distinct; ///< null: not asked for
};

/// Adds what a worker has counted to the counters of the launch.
void collectCounters(const Program &program, const Device &device,
                     const WorkerCounters &from, Counters &to);
/// What only all workers together know.
void collectDistinct(const Device &device, const DistinctBytes &distinct,
                     Counters &to);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_WORKERCOUNTERS_H
