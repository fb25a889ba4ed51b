//===- Counters.cpp - what a run did --------------------------------------===//
//
// Sums over workers.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Counters.h"

#include <numeric>

namespace wna16::emulator {

std::string_view instrClassName(InstrClass cls) {
  constexpr std::string_view names[numInstrClasses] = {
      "integer", "float",   "convert", "move",       "control",
      "load",    "store",   "atomic",  "async-copy", "matrix-load",
      "matrix",  "shuffle", "barrier", "other"};
  return names[unsigned(cls)];
}

uint64_t Counters::totalWarpInstructions() const {
  return std::accumulate(warpInstructions.begin(), warpInstructions.end(),
                         uint64_t(0));
}

uint64_t Counters::totalLaneInstructions() const {
  return std::accumulate(laneInstructions.begin(), laneInstructions.end(),
                         uint64_t(0));
}

void Counters::add(const Counters &other) {
  for (unsigned i = 0; i < numInstrClasses; ++i) {
    warpInstructions[i] += other.warpInstructions[i];
    laneInstructions[i] += other.laneInstructions[i];
  }
  globalRead += other.globalRead;
  globalWritten += other.globalWritten;
  sharedRead += other.sharedRead;
  sharedWritten += other.sharedWritten;
  blocks += other.blocks;
  for (const auto &[name, bytes] : other.globalReadByBuffer)
    globalReadByBuffer[name] += bytes;
  for (const auto &[line, count] : other.banks) {
    BankCount &mine = banks[line];
    mine.instruction = count.instruction;
    mine.executions += count.executions;
    mine.passes += count.passes;
    mine.ideal += count.ideal;
  }
}

} // namespace wna16::emulator
