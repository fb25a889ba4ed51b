//===- Explain.cpp - what was compiled, for people ------------------------===//
#include "lib/Emit/Compile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using llvm::StringRef;

namespace wna16 {

static std::string show(const Extent &extent) {
  return extent.isSymbol() ? extent.symbol : std::to_string(extent.value);
}

static std::string show(const GridDimension &dimension) {
  if (dimension.tile == 1)
    return show(dimension.size);
  return "ceil(" + show(dimension.size) + " / " +
         std::to_string(dimension.tile) + ")";
}

static void row(llvm::raw_ostream &out, StringRef name,
                const llvm::Twine &text) {
  out << "  " << llvm::left_justify(name, 11) << text << "\n";
}

static void explainResources(const CompiledKernel &kernel,
                             llvm::raw_ostream &out) {
  const LaunchRecord &record = kernel.record;
  auto found = kernel.assembly.resources.find(kernel.name);
  if (found == kernel.assembly.resources.end()) {
    row(out, "resources", "unknown without ptxas");
    return;
  }
  const EntryResources &resources = found->second;
  row(out, "resources",
      llvm::Twine(resources.registers) + " registers, " +
          llvm::Twine(resources.spillStoreBytes + resources.spillLoadBytes) +
          " bytes spilled, " + llvm::Twine(resources.barriers) +
          " block barriers");
  const GpuTarget *target = findTarget(record.target);
  if (!target)
    return;
  int64_t blocks =
      target->residentBlocks(record.threadsPerBlock(), resources.registers,
                             record.sharedBytes + resources.staticSharedBytes);
  row(out, "occupancy",
      llvm::Twine(blocks) + " blocks, " +
          llvm::Twine(blocks * ((record.threadsPerBlock() + 31) / 32)) +
          " of " + llvm::Twine(target->maxWarpsPerSm) +
          " warps per multiprocessor");
}

void explainKernel(const CompiledKernel &kernel, llvm::raw_ostream &out) {
  const LaunchRecord &record = kernel.record;
  out << "kernel " << kernel.name << " for " << record.target << "\n";
  if (!record.schedule.empty())
    row(out, "schedule", record.schedule);
  row(out, "grid",
      show(record.grid[0]) + " x " + show(record.grid[1]) + " x " +
          show(record.grid[2]) + " blocks of " +
          llvm::Twine(record.threadsPerBlock()) + " threads");
  row(out, "shared", llvm::Twine(record.sharedBytes) + " bytes");
  explainResources(kernel, out);
}

void printTimes(llvm::ArrayRef<PhaseTime> times, llvm::raw_ostream &out) {
  double sum = 0;
  for (const PhaseTime &time : times) {
    out << llvm::format("%-10s %8.1f ms\n", time.name.c_str(),
                        time.milliseconds);
    sum += time.milliseconds;
  }
  out << llvm::format("%-10s %8.1f ms\n", "total", sum);
}

} // namespace wna16
