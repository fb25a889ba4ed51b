//===- Options.h - what a run checks and how it is scheduled --------------===//
//
// Every check has a switch and is on by default. A check that is switched off
// is not reported; accesses that cannot be executed (out of bounds) are skipped
// all the same.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_OPTIONS_H
#define WNA16_LIB_EMULATOR_OPTIONS_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wna16::emulator {

/// What a report is about; also the switches of Options.
enum class Check : uint8_t {
  Bounds,        ///< outside every buffer, null pointers
  Alignment,     ///< address not a multiple of the access width
  Access,        ///< store to a read-only buffer
  Uninitialized, ///< undefined data decides something visible
  Async,         ///< pending bytes read or overwritten, source changed
  Race,          ///< shared-memory accesses that no barrier orders
  Divergence,    ///< lanes missing at a .sync or .aligned instruction
  Barrier,       ///< barrier misuse: ids, counts
  Mbarrier,      ///< mbarrier misuse: counts, transactions, phases
  Proxy,         ///< generic writes met by the async proxy without a fence
  Wgmma,         ///< accumulators or operands touched before their wait
  TensorMap,     ///< a copy through a tensor map that misses the tensor
  Dependency,    ///< data of the previous kernel used before its wait
  Cluster,       ///< cluster misuse: ranks, blocks that have exited
  Order,         ///< an address in a loop depends on loaded data (ORD5b)
  Deadlock,      ///< nobody can move
  StepLimit,     ///< Options::maxSteps reached
  Trap,          ///< the kernel executed trap
  Unsupported,   ///< instruction or feature outside the model
  Launch         ///< launch description does not fit the kernel
};
constexpr unsigned numChecks = unsigned(Check::Launch) + 1;

/// "bounds", "uninitialized", ...
std::string_view checkName(Check check);
std::optional<Check> parseCheck(std::string_view name);

/// When the bytes of an asynchronous copy arrive, within what is allowed. The
/// async check is the same in all cases; this decides which bytes a program
/// that does not wait would see.
enum class Completion : uint8_t { Late, Early, Random };

/// The order in which blocks start; hardware promises none.
enum class BlockOrder : uint8_t { Forward, Reverse, Random };

struct Options {
  std::array<bool, numChecks> checks = allChecks();
  /// 0: warps run round robin; otherwise random interleaving from this seed.
  uint64_t seed = 0;
  Completion completion = Completion::Late;
  /// Worker threads; 0: one per core.
  unsigned threads = 0;
  /// Blocks that one worker keeps in flight when a block spins.
  unsigned residentBlocks = 8;
  /// 0: no limit; N: at most N clusters of the whole launch are resident, the
  /// next one starts when one has ended. 1 finds kernels that wait for blocks
  /// that may not have started.
  unsigned resident = 0;
  /// In which order clusters start.
  BlockOrder blockOrder = BlockOrder::Forward;
  /// Warp instructions one block may execute.
  uint64_t maxSteps = uint64_t(1) << 32;
  /// Warp instructions of a block that polls, with no store, copy, barrier or
  /// exit in between, after which it is taken for deadlocked.
  uint64_t maxIdleSteps = 4'000'000;
  /// The run ends when that many different reports exist.
  unsigned maxReports = 20;
  /// Execute kernels that contain unsupported instructions; reaching one is
  /// then the error.
  bool allowUnsupported = false;
  /// Follow data into addresses (ORD5b); costs time.
  bool checkOrder = false;
  /// Collect counters.
  bool counters = true;
  /// Also which bytes of global memory are accessed; costs time, and two bytes
  /// for each byte of the buffers.
  bool distinctBytes = false;

  bool enabled(Check check) const { return checks[unsigned(check)]; }

private:
  static constexpr std::array<bool, numChecks> allChecks() {
    std::array<bool, numChecks> all{};
    all.fill(true);
    return all;
  }
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_OPTIONS_H
