//===- GpuTarget.cpp - table of GPU targets -------------------------------===//
//
// The only file that knows what each architecture number stands for.
//
//===----------------------------------------------------------------------===//
#include "lib/Target/GpuTarget.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using llvm::StringRef;

namespace wna16 {

static constexpr int64_t kib = 1024;
static constexpr int64_t mib = 1024 * kib;

/// Sources: the CUDA programming guide's table of technical specifications for
/// limits, the PTX manual's target notes for versions and capabilities, data
/// sheets for the typical sizes. Of the rates, those of sm_90a were measured on
/// an H200 (docs/performance.md): an empty kernel, copies of all
/// multiprocessors, products at 700 W. mma on it reaches 0.62 of wgmma (as
/// published by others who measured it). Of the other targets, matrix rates and
/// clocks follow from the data sheets (flops / multiprocessors / clock; a tenth
/// off the boost clock), bandwidth of L2, latencies and multiprocessors for
/// large clusters are estimates, which no measurement has met yet.
static constexpr GpuTarget targets[] = {
    {/*name=*/"sm_80",
     /*product=*/"A100",
     /*llvmCpu=*/"sm_80",
     /*ptxFeature=*/"+ptx80",
     /*ptxVersion=*/80,
     /*lowestPtxVersion=*/70,
     /*cpAsync=*/true,
     /*mbarrier=*/true,
     /*bulkCopy=*/false,
     /*tensorCopy=*/false,
     /*wgmma=*/false,
     /*clusters=*/false,
     /*registerReallocation=*/false,
     /*dependentLaunch=*/false,
     /*maxSharedBytesPerBlock=*/163 * kib,
     /*sharedBytesPerSm=*/164 * kib,
     /*reservedSharedBytesPerBlock=*/1 * kib,
     /*registersPerSm=*/65536,
     /*maxRegistersPerThread=*/255,
     /*maxThreadsPerBlock=*/1024,
     /*maxWarpsPerSm=*/64,
     /*maxBlocksPerSm=*/32,
     /*maxClusterBlocks=*/1,
     /*smCount=*/108,
     /*memoryGigabytesPerSecond=*/2039,
     /*l2Bytes=*/40 * mib,
     /*l2GigabytesPerSecond=*/4500,
     /*clockMegahertz=*/1350,
     /*mmaFlopsPerClock=*/2048,
     /*wgmmaFlopsPerClock=*/0,
     /*sustainedTeraflops=*/0,
     /*memoryLatencyNanoseconds=*/1000,
     /*launchNanoseconds=*/1300,
     /*largeClusterSmCount=*/0},
    {/*name=*/"sm_86",
     /*product=*/"RTX A6000",
     /*llvmCpu=*/"sm_86",
     /*ptxFeature=*/"+ptx80",
     /*ptxVersion=*/80,
     /*lowestPtxVersion=*/71,
     /*cpAsync=*/true,
     /*mbarrier=*/true,
     /*bulkCopy=*/false,
     /*tensorCopy=*/false,
     /*wgmma=*/false,
     /*clusters=*/false,
     /*registerReallocation=*/false,
     /*dependentLaunch=*/false,
     /*maxSharedBytesPerBlock=*/99 * kib,
     /*sharedBytesPerSm=*/100 * kib,
     /*reservedSharedBytesPerBlock=*/1 * kib,
     /*registersPerSm=*/65536,
     /*maxRegistersPerThread=*/255,
     /*maxThreadsPerBlock=*/1024,
     /*maxWarpsPerSm=*/48,
     /*maxBlocksPerSm=*/16,
     /*maxClusterBlocks=*/1,
     /*smCount=*/84,
     /*memoryGigabytesPerSecond=*/768,
     /*l2Bytes=*/6 * mib,
     /*l2GigabytesPerSecond=*/2300,
     /*clockMegahertz=*/1600,
     /*mmaFlopsPerClock=*/1024,
     /*wgmmaFlopsPerClock=*/0,
     /*sustainedTeraflops=*/0,
     /*memoryLatencyNanoseconds=*/900,
     /*launchNanoseconds=*/1300,
     /*largeClusterSmCount=*/0},
    {/*name=*/"sm_89",
     /*product=*/"L40S",
     /*llvmCpu=*/"sm_89",
     /*ptxFeature=*/"+ptx80",
     /*ptxVersion=*/80,
     /*lowestPtxVersion=*/78,
     /*cpAsync=*/true,
     /*mbarrier=*/true,
     /*bulkCopy=*/false,
     /*tensorCopy=*/false,
     /*wgmma=*/false,
     /*clusters=*/false,
     /*registerReallocation=*/false,
     /*dependentLaunch=*/false,
     /*maxSharedBytesPerBlock=*/99 * kib,
     /*sharedBytesPerSm=*/100 * kib,
     /*reservedSharedBytesPerBlock=*/1 * kib,
     /*registersPerSm=*/65536,
     /*maxRegistersPerThread=*/255,
     /*maxThreadsPerBlock=*/1024,
     /*maxWarpsPerSm=*/48,
     /*maxBlocksPerSm=*/24,
     /*maxClusterBlocks=*/1,
     /*smCount=*/142,
     /*memoryGigabytesPerSecond=*/864,
     /*l2Bytes=*/96 * mib,
     /*l2GigabytesPerSecond=*/5000,
     /*clockMegahertz=*/2200,
     /*mmaFlopsPerClock=*/1024,
     /*wgmmaFlopsPerClock=*/0,
     /*sustainedTeraflops=*/0,
     /*memoryLatencyNanoseconds=*/900,
     /*launchNanoseconds=*/1300,
     /*largeClusterSmCount=*/0},
    {/*name=*/"sm_90a",
     /*product=*/"H200",
     /*llvmCpu=*/"sm_90a",
     /*ptxFeature=*/"+ptx86",
     /*ptxVersion=*/86,
     /*lowestPtxVersion=*/80,
     /*cpAsync=*/true,
     /*mbarrier=*/true,
     /*bulkCopy=*/true,
     /*tensorCopy=*/true,
     /*wgmma=*/true,
     /*clusters=*/true,
     /*registerReallocation=*/true,
     /*dependentLaunch=*/true,
     /*maxSharedBytesPerBlock=*/227 * kib,
     /*sharedBytesPerSm=*/228 * kib,
     /*reservedSharedBytesPerBlock=*/1 * kib,
     /*registersPerSm=*/65536,
     /*maxRegistersPerThread=*/255,
     /*maxThreadsPerBlock=*/1024,
     /*maxWarpsPerSm=*/64,
     /*maxBlocksPerSm=*/32,
     /*maxClusterBlocks=*/8,
     /*smCount=*/132,
     /*memoryGigabytesPerSecond=*/4800,
     /*l2Bytes=*/50 * mib,
     /*l2GigabytesPerSecond=*/8000,
     /*clockMegahertz=*/1850,
     /*mmaFlopsPerClock=*/2560,
     /*wgmmaFlopsPerClock=*/4096,
     /*sustainedTeraflops=*/760,
     /*memoryLatencyNanoseconds=*/1060,
     /*launchNanoseconds=*/660,
     /*largeClusterSmCount=*/120},
    {/*name=*/"sm_100a",
     /*product=*/"B200",
     /*llvmCpu=*/"sm_100a",
     /*ptxFeature=*/"+ptx86",
     /*ptxVersion=*/86,
     /*lowestPtxVersion=*/86,
     /*cpAsync=*/true,
     /*mbarrier=*/true,
     /*bulkCopy=*/true,
     /*tensorCopy=*/true,
     /*wgmma=*/false,
     /*clusters=*/true,
     /*registerReallocation=*/true,
     /*dependentLaunch=*/true,
     /*maxSharedBytesPerBlock=*/227 * kib,
     /*sharedBytesPerSm=*/228 * kib,
     /*reservedSharedBytesPerBlock=*/1 * kib,
     /*registersPerSm=*/65536,
     /*maxRegistersPerThread=*/255,
     /*maxThreadsPerBlock=*/1024,
     /*maxWarpsPerSm=*/64,
     /*maxBlocksPerSm=*/32,
     /*maxClusterBlocks=*/8,
     /*smCount=*/148,
     /*memoryGigabytesPerSecond=*/8000,
     /*l2Bytes=*/126 * mib,
     /*l2GigabytesPerSecond=*/10000,
     /*clockMegahertz=*/1850,
     /*mmaFlopsPerClock=*/2560,
     /*wgmmaFlopsPerClock=*/0,
     /*sustainedTeraflops=*/0,
     /*memoryLatencyNanoseconds=*/1060,
     /*launchNanoseconds=*/660,
     /*largeClusterSmCount=*/120},
    {/*name=*/"sm_120a",
     /*product=*/"RTX 5090",
     /*llvmCpu=*/"sm_120a",
     /*ptxFeature=*/"+ptx87",
     /*ptxVersion=*/87,
     /*lowestPtxVersion=*/87,
     /*cpAsync=*/true,
     /*mbarrier=*/true,
     /*bulkCopy=*/true,
     /*tensorCopy=*/true,
     /*wgmma=*/false,
     /*clusters=*/true,
     /*registerReallocation=*/true,
     /*dependentLaunch=*/true,
     /*maxSharedBytesPerBlock=*/99 * kib,
     /*sharedBytesPerSm=*/100 * kib,
     /*reservedSharedBytesPerBlock=*/1 * kib,
     /*registersPerSm=*/65536,
     /*maxRegistersPerThread=*/255,
     /*maxThreadsPerBlock=*/1024,
     /*maxWarpsPerSm=*/48,
     /*maxBlocksPerSm=*/24,
     /*maxClusterBlocks=*/8,
     /*smCount=*/170,
     /*memoryGigabytesPerSecond=*/1792,
     /*l2Bytes=*/96 * mib,
     /*l2GigabytesPerSecond=*/6500,
     /*clockMegahertz=*/2400,
     /*mmaFlopsPerClock=*/512,
     /*wgmmaFlopsPerClock=*/0,
     /*sustainedTeraflops=*/0,
     /*memoryLatencyNanoseconds=*/1000,
     /*launchNanoseconds=*/1000,
     /*largeClusterSmCount=*/120},
};

RegisterShare GpuTarget::shareRegisters(int64_t giverWarps,
                                        int64_t takerWarps) const {
  // What setmaxnreg can ask for; 32 are enough for a loop over copies.
  constexpr int64_t step = 8, most = 240, left = 32;
  int64_t warps = giverWarps + takerWarps;
  int64_t all = std::min(registersPerSm / (warps * 32), maxRegistersPerThread);
  int64_t atEntry = all / step * step;
  RegisterShare none = {atEntry, atEntry, atEntry};
  if (!registerReallocation || atEntry >= most)
    return none;
  int64_t pool = atEntry * warps - left * giverWarps;
  int64_t taken = std::min(most, pool / takerWarps / step * step);
  return taken > atEntry ? RegisterShare{atEntry, left, taken} : none;
}

int64_t GpuTarget::residentBlocks(int64_t threads, int64_t registersPerThread,
                                  int64_t sharedBytes) const {
  if (threads <= 0 || threads > maxThreadsPerBlock ||
      sharedBytes > maxSharedBytesPerBlock ||
      registersPerThread > maxRegistersPerThread)
    return 0;
  int64_t warps = (threads + 31) / 32;
  // Registers are handed out to warps in units of 256, that is 8 per thread.
  int64_t registersPerWarp =
      (std::max<int64_t>(registersPerThread, 1) + 7) / 8 * 8 * 32;
  int64_t byWarps = maxWarpsPerSm / warps;
  // Each quarter of a multiprocessor has its own registers, and warps are
  // dealt out to the quarters in turn.
  constexpr int64_t quarters = 4;
  int64_t warpsOfQuarter = (warps + quarters - 1) / quarters;
  int64_t byRegisters =
      registersPerSm / quarters / registersPerWarp / warpsOfQuarter;
  int64_t byShared =
      sharedBytesPerSm / (sharedBytes + reservedSharedBytesPerBlock);
  return std::min({maxBlocksPerSm, byWarps, byRegisters, byShared});
}

const GpuTarget *findTarget(StringRef name) {
  const GpuTarget *row = llvm::find_if(
      targets, [&](const GpuTarget &target) { return target.name == name; });
  return row == std::end(targets) ? nullptr : row;
}

const GpuTarget *findTargetOfCapability(int major, int minor) {
  // Features that no later GPU has to offer are behind the names with an 'a'.
  std::string name = "sm_" + std::to_string(major * 10 + minor);
  const GpuTarget *row = findTarget(name + "a");
  return row ? row : findTarget(name);
}

llvm::ArrayRef<GpuTarget> allTargets() { return targets; }

std::vector<StringRef> targetNames() {
  std::vector<StringRef> names;
  for (const GpuTarget &target : targets)
    names.push_back(target.name);
  return names;
}

std::string unknownTargetMessage(StringRef name) {
  std::string known = llvm::join(targetNames(), ", ");
  if (name.empty())
    return "no target given; known targets: " + known;
  std::string message =
      "unknown target '" + name.str() + "'; known targets: " + known;
  StringRef best;
  unsigned bestDistance = 4;
  for (const GpuTarget &target : targets) {
    unsigned distance = name.edit_distance(
        target.name, /*AllowReplacements=*/true, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = target.name;
    }
  }
  if (!best.empty())
    message += "; did you mean '" + best.str() + "'?";
  return message;
}

} // namespace wna16
