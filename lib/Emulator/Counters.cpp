//===- Counters.cpp - what a run did --------------------------------------===//
//
// Names, sums and rankings.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Counters.h"

#include <algorithm>
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

uint64_t Counters::matrixCount() const {
  uint64_t sum = 0;
  for (const auto &[shape, count] : matrix)
    sum += count.count;
  return sum;
}

uint64_t Counters::flop() const {
  uint64_t sum = 0;
  for (const auto &[shape, count] : matrix)
    sum += count.flop;
  return sum;
}

const std::pair<const unsigned, BankCount> *
Counters::worstBank(bool inLoop) const {
  const std::pair<const unsigned, BankCount> *worst = nullptr;
  for (const auto &bank : banks)
    if ((bank.second.loop.depth > 0) == inLoop &&
        bank.second.passes > bank.second.ideal &&
        (!worst || bank.second.degree() > worst->second.degree()))
      worst = &bank;
  return worst;
}

std::vector<LineCount> Counters::hottest(size_t count) const {
  std::vector<LineCount> sorted = lines;
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const LineCount &a, const LineCount &b) { return a.warps > b.warps; });
  sorted.resize(std::min(count, sorted.size()));
  return sorted;
}

} // namespace wna16::emulator
