//===- WgmmaLayouts.cpp - fragments of warpgroups -------------------------===//

#include "lib/Layout/WgmmaLayouts.h"

#include <algorithm>
#include <bit>

using namespace wna16;
using namespace wna16::layout;

namespace {

/// Which bit of a lane, a register or a warp adds how many columns.
struct Columns {
  /// Of lane bits 2 to 4.
  std::vector<uint32_t> lanes = {1, 2, 4};
  /// Of register bits above those of one instruction.
  std::vector<uint32_t> registers;
  std::vector<uint32_t> warps;
};

Columns columnsOf(int64_t n, int64_t warps) {
  Columns columns;
  uint32_t perGroup = n / (warps / warpgroupWarps);
  uint32_t blocks = perGroup / warpgroupColumns;
  // One word of Marlin's order holds 16 columns, 64 columns lie in a tile.
  uint32_t step = 16;
  for (; step < 16 * std::min<uint32_t>(blocks, 4); step *= 2)
    columns.registers.push_back(step);
  for (unsigned lane : {1u, 2u}) {
    columns.warps.push_back(step);
    if (step < warpgroupColumns)
      columns.lanes[lane] |= step;
    step *= 2;
  }
  for (; step < perGroup; step *= 2)
    columns.registers.push_back(step);
  for (; step < n; step *= 2)
    columns.warps.push_back(step);
  return columns;
}

/// A basis along n, which is output dimension `dim`.
Basis along(unsigned dim, uint32_t value) {
  Basis basis{0, 0};
  basis[dim] = value;
  return basis;
}

LinearLayout build(std::vector<Basis> registers, std::vector<Basis> lanes,
                   const Columns &columns, unsigned dim, int64_t rows,
                   int64_t columnCount) {
  for (uint32_t step : columns.lanes)
    lanes.push_back(along(dim, step));
  std::vector<Basis> warps;
  for (uint32_t step : columns.warps)
    warps.push_back(along(dim, step));
  auto bits = [](int64_t size) {
    return unsigned(std::countr_zero(uint64_t(size)));
  };
  return LinearLayout({{"register", std::move(registers)},
                       {"lane", std::move(lanes)},
                       {"warp", std::move(warps)}},
                      {{"dim0", bits(rows)}, {"dim1", bits(columnCount)}});
}

} // namespace

bool wna16::fitsWarpgroups(int64_t n, int64_t warps) {
  return warps % warpgroupWarps == 0 &&
         n % (warps / warpgroupWarps * warpgroupColumns) == 0;
}

LinearLayout wna16::warpgroupAccumulatorLayout(int64_t n, int64_t m,
                                               int64_t warps) {
  Columns columns = columnsOf(n, warps);
  // In the order of the instruction: pairs along m, g and g + 8, then m.
  std::vector<Basis> registers = {{0, 1}, {8, 0}};
  for (uint32_t step = 8; step < m; step *= 2)
    registers.push_back({0, step});
  for (uint32_t step : columns.registers)
    registers.push_back({step, 0});
  return build(std::move(registers), {{0, 2}, {0, 4}}, columns, 0, n, m);
}

LinearLayout wna16::warpgroupWeightsLayout(int64_t k, int64_t n,
                                           int64_t warps) {
  Columns columns = columnsOf(n, warps);
  std::vector<Basis> registers = {{1, 0}, {0, 8}, {8, 0}};
  for (uint32_t step : columns.registers)
    registers.push_back({0, step});
  for (uint32_t step = 16; step < k; step *= 2)
    registers.push_back({step, 0});
  return build(std::move(registers), {{2, 0}, {4, 0}}, columns, 1, k, n);
}
