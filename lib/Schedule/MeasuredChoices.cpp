//===- MeasuredChoices.cpp - times of compiled kernels --------------------===//
//
// Every row is one line of a table in docs/performance.md: medians of graph
// replays with cold weights on the product that the target names, f16,
// groups of 128. A row that a later compiler makes
// untrue is to be measured again or removed.
//
//===----------------------------------------------------------------------===//

#include "lib/Schedule/MeasuredChoices.h"

using namespace wna16;

namespace {

struct Row {
  int64_t n, k, m;
  /// Tile along n, warps along k, stages; a warp per 64 columns, steps of 128,
  /// 8 rows up to M = 8 and 16 beyond; copies by all warps, no split.
  int64_t tileN, warpsK, stages;
  double microseconds;
};

} // namespace

/// H200: docs/performance.md, "Results" and what was tried there.
static constexpr Row h200[] = {
    {6144, 4096, 1, 64, 8, 2, 7.47},     {6144, 4096, 8, 64, 8, 2, 9.1},
    {6144, 4096, 16, 64, 8, 2, 10.88},   {4096, 4096, 1, 64, 8, 2, 6.22},
    {4096, 4096, 8, 64, 8, 2, 6.96},     {4096, 4096, 16, 64, 8, 2, 8.49},
    {28672, 4096, 1, 128, 4, 2, 21.75},  {28672, 4096, 8, 128, 4, 2, 24.98},
    {28672, 4096, 16, 256, 2, 3, 27.27}, {4096, 14336, 1, 64, 8, 2, 14.7},
    {4096, 14336, 8, 64, 8, 2, 17.2},    {4096, 14336, 16, 64, 8, 2, 21.54},
    {8192, 8192, 1, 64, 8, 2, 13.66},    {8192, 8192, 8, 64, 8, 2, 17.84},
    {8192, 8192, 16, 64, 8, 2, 22.22},   {57344, 8192, 1, 128, 4, 2, 73.24},
    {57344, 8192, 8, 128, 4, 2, 85.77},  {57344, 8192, 16, 256, 2, 3, 98.79},
    {8192, 28672, 1, 64, 8, 2, 40.97},   {8192, 28672, 8, 64, 8, 2, 50.87},
    {8192, 28672, 16, 64, 8, 2, 64.22},  {4096, 4096, 1, 64, 8, 3, 6.65},
    {4096, 4096, 1, 64, 8, 4, 7.04},     {4096, 4096, 1, 64, 16, 2, 7.06},
    {4096, 4096, 1, 64, 4, 3, 7.88},     {4096, 4096, 1, 128, 4, 2, 9.49},
    {6144, 4096, 8, 64, 8, 3, 9.27},     {6144, 4096, 8, 64, 16, 2, 9.42},
    {6144, 4096, 8, 64, 8, 4, 9.78},     {6144, 4096, 8, 128, 4, 2, 10.24},
    {28672, 4096, 1, 256, 4, 2, 20.22},  {28672, 4096, 1, 256, 2, 4, 21.99},
    {28672, 4096, 1, 64, 8, 2, 22.61},   {28672, 4096, 16, 128, 4, 2, 29.46},
    {28672, 4096, 16, 128, 4, 3, 31.18}, {28672, 4096, 16, 64, 8, 2, 37.13},
    {57344, 8192, 8, 256, 4, 2, 77.98},  {57344, 8192, 8, 256, 2, 4, 84.1},
    {57344, 8192, 8, 64, 8, 2, 98.95},   {57344, 8192, 16, 128, 4, 2, 101.92},
    {57344, 8192, 16, 64, 8, 2, 120.15}, {8192, 28672, 1, 64, 16, 2, 39.57},
    {8192, 28672, 1, 64, 8, 4, 41.61},   {8192, 28672, 1, 128, 8, 2, 48.57},
};

std::optional<double> wna16::measuredMicroseconds(const GemmShape &shape,
                                                  int64_t m,
                                                  const ScheduleChoice &choice,
                                                  const GpuTarget &target) {
  if (target.product != "H200" || shape.group != 128 ||
      shape.activations != Activations::F16)
    return std::nullopt;
  for (const Row &row : h200) {
    if (row.n != shape.n || row.k != shape.k || row.m != m)
      continue;
    ScheduleChoice measured{row.tileN,      m <= 8 ? 8 : 16, 128,
                            row.tileN / 64, row.warpsK,      row.stages};
    if (measured == choice)
      return row.microseconds;
  }
  return std::nullopt;
}
