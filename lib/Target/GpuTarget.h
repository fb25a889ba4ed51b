//===- GpuTarget.h - what the compiler knows about each GPU ---------------===//
//
// One table row per GPU target. Everything else in the compiler asks a row for
// a capability or a limit; the table in GpuTarget.cpp is the only place that
// knows which number an architecture has. A new GPU is a new row.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_TARGET_GPUTARGET_H
#define WNA16_LIB_TARGET_GPUTARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wna16 {

/// Registers per thread: what all begin with, what is left to those that only
/// start copies, and what the others can have. Where nothing can be moved, or
/// there is no need to, all three are the same.
struct RegisterShare {
  int64_t atEntry = 0, givers = 0, takers = 0;
};

/// Capabilities, limits and typical sizes of one GPU target.
struct GpuTarget {
  /// Name as users write it and as `#nvvm.target<chip = ...>` has it.
  llvm::StringRef name;
  /// A product that has it, for messages and tables.
  llvm::StringRef product;

  /// \name Code generation
  /// @{
  /// CPU name for LLVM's NVPTX target.
  llvm::StringRef llvmCpu;
  /// PTX version that is emitted, as an LLVM feature string ("+ptx86").
  llvm::StringRef ptxFeature;
  /// The same version as 10 * major + minor.
  unsigned ptxVersion;
  /// Lowest PTX version in which this target exists, 10 * major + minor.
  unsigned lowestPtxVersion;
  /// @}

  /// \name Capabilities
  /// @{
  /// Copies global to shared memory without registers (4, 8, 16 bytes).
  bool cpAsync;
  /// 64-bit barriers in shared memory with phases.
  bool mbarrier;
  /// Transaction bytes on mbarriers and bulk copies that arrive on them.
  bool bulkCopy;
  /// Copies of boxes described by a tensor map.
  bool tensorCopy;
  /// Matrix products of a warpgroup with operands in shared memory.
  bool wgmma;
  /// Clusters of blocks with distributed shared memory.
  bool clusters;
  /// Moving registers between warpgroups at run time.
  bool registerReallocation;
  /// Launch that overlaps the end of the previous kernel.
  bool dependentLaunch;
  /// @}

  /// \name Limits
  /// @{
  /// Shared memory of one block, after opting in.
  int64_t maxSharedBytesPerBlock;
  /// Shared memory of one multiprocessor. A block also costs
  /// `reservedSharedBytesPerBlock`.
  int64_t sharedBytesPerSm;
  int64_t reservedSharedBytesPerBlock;
  int64_t registersPerSm;
  int64_t maxRegistersPerThread;
  int64_t maxThreadsPerBlock;
  int64_t maxWarpsPerSm;
  int64_t maxBlocksPerSm;
  /// Largest portable cluster; 1 without clusters.
  int64_t maxClusterBlocks;
  /// @}

  /// \name Typical sizes, for the schedule model only
  /// @{
  int64_t smCount;
  int64_t memoryGigabytesPerSecond;
  int64_t l2Bytes;
  /// From L2 to all multiprocessors, when all read.
  int64_t l2GigabytesPerSecond;
  /// While a matrix product runs; the boost clock is higher.
  int64_t clockMegahertz;
  /// 16-bit factors, 32-bit sums, per clock and multiprocessor: the instruction
  /// of one warp, and that of a warpgroup (0 without it).
  int64_t mmaFlopsPerClock;
  int64_t wgmmaFlopsPerClock;
  /// What the power limit leaves of the above for long; 0: not measured.
  int64_t sustainedTeraflops;
  /// From a request to its data with memory busy.
  int64_t memoryLatencyNanoseconds;
  /// From one empty kernel of a graph to the next.
  int64_t launchNanoseconds;
  /// Multiprocessors that clusters of more than two blocks reach; 0 without.
  int64_t largeClusterSmCount;
  /// @}

  /// Registers per thread of warps that give some back and of warps that take
  /// them, both whole warpgroups; see RegisterShare.
  RegisterShare shareRegisters(int64_t giverWarps, int64_t takerWarps) const;

  bool hasCpAsync() const { return cpAsync; }
  bool hasMbarrier() const { return mbarrier; }
  bool hasBulkCopy() const { return bulkCopy; }
  bool hasTensorCopy() const { return tensorCopy; }
  bool hasWgmma() const { return wgmma; }
  bool hasClusters() const { return clusters; }
  bool hasRegisterReallocation() const { return registerReallocation; }
  bool hasDependentLaunch() const { return dependentLaunch; }

  /// Blocks of this size that one multiprocessor holds at the same time; 0 if
  /// not even one fits. `sharedBytes` is static plus dynamic.
  int64_t residentBlocks(int64_t threads, int64_t registersPerThread,
                         int64_t sharedBytes) const;
};

/// The row of `name`, or null.
const GpuTarget *findTarget(llvm::StringRef name);

/// The row for devices of a compute capability, or null.
const GpuTarget *findTargetOfCapability(int major, int minor);

/// What is compiled when no target is named and there is no GPU to ask.
inline constexpr llvm::StringLiteral defaultTargetName = "sm_90a";

/// All rows, in the order of the table.
llvm::ArrayRef<GpuTarget> allTargets();

/// Names of all rows, in the order of the table.
std::vector<llvm::StringRef> targetNames();

/// The error text for a name that `findTarget` does not know: lists the known
/// names and suggests the nearest one.
std::string unknownTargetMessage(llvm::StringRef name);

} // namespace wna16

#endif // WNA16_LIB_TARGET_GPUTARGET_H
