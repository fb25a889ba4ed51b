//===- ModelTest.cpp - predicted against measured times -------------------===//
//
// The constants of the model were fitted to these very times, so this is no
// proof that it predicts other kernels; it keeps a change of the model from
// making it worse, and says how good the fit is.
//
//===----------------------------------------------------------------------===//
#include "lib/Schedule/Model.h"
#include "lib/Schedule/MeasuredChoices.h"
#include "test/unit/Schedule/Measured.h"

#include "llvm/ADT/ArrayRef.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

using namespace wna16;

namespace {

const GpuTarget &h200() { return *findTarget("sm_90a"); }

GemmShape shapeOf(const MeasuredTime &row) {
  return {row.m, row.n, row.k, 128, row.activations};
}

double predicted(const MeasuredTime &row) {
  return predictMicroseconds(shapeOf(row), row.choice, h200());
}

struct List {
  const char *name;
  llvm::ArrayRef<MeasuredTime> rows;
  /// Largest factor between predicted and measured, and its typical size.
  double most, typical;
};

const List lists[] = {
    {"decode", measuredDecode, 1.25, 1.12},
    {"uniform", measuredUniform, 1.20, 1.08},
    {"middle", measuredMiddle, 1.25, 1.12},
    {"tall", measuredTall, 1.35, 1.12},
};

TEST(Model, TimesAreWithinAFactor) {
  for (const List &list : lists) {
    double sum = 0;
    for (const MeasuredTime &row : list.rows) {
      double error = std::log(predicted(row) / row.microseconds);
      sum += error * error;
      EXPECT_LT(std::abs(error), std::log(list.most))
          << list.name << ": " << row.n << " x " << row.k << ", M = " << row.m
          << ", " << describe(row.choice) << ": predicted " << predicted(row)
          << ", measured " << row.microseconds;
    }
    double typical = std::exp(std::sqrt(sum / list.rows.size()));
    EXPECT_LT(typical, list.typical) << list.name;
    if (std::getenv("WNA16_PRINT_MODEL"))
      printf("%-8s typical factor %.3f\n", list.name, typical);
  }
}

/// Of kernels that were measured side by side, the model takes one that is
/// hardly slower than the best.
TEST(Model, TheBestIsFound) {
  double losses = 0;
  int count = 0;
  for (const List &list : lists) {
    std::map<std::tuple<int64_t, int64_t, int64_t, Activations>,
             std::vector<const MeasuredTime *>>
        groups;
    for (const MeasuredTime &row : list.rows)
      groups[{row.n, row.k, row.m, row.activations}].push_back(&row);
    for (const auto &[key, rows] : groups) {
      const MeasuredTime *best = rows.front(), *taken = rows.front();
      for (const MeasuredTime *row : rows) {
        if (row->microseconds < best->microseconds)
          best = row;
        if (predicted(*row) < predicted(*taken))
          taken = row;
      }
      double loss = taken->microseconds / best->microseconds - 1;
      EXPECT_LT(loss, 0.15)
          << list.name << ": " << best->n << " x " << best->k
          << ", M = " << best->m << ": took " << describe(taken->choice)
          << ", the best is " << describe(best->choice);
      losses += loss;
      count += rows.size() > 1;
    }
  }
  ASSERT_GT(count, 50);
  EXPECT_LT(losses / count, 0.02);
}

/// Compiled kernels whose times no constant was fitted to.
TEST(Model, HoldsForKernelsThatCameLater) {
  double squares = 0, losses = 0;
  int count = 0, groups = 0;
  for (auto [n, k] : {std::pair<int64_t, int64_t>{4096, 4096},
                      {6144, 4096},
                      {28672, 4096},
                      {4096, 14336},
                      {8192, 8192}})
    for (int64_t m : {1, 8, 16, 32, 64, 128}) {
      GemmShape shape{m, n, k, 128, Activations::F16};
      double best = 1e9, least = 1e9, taken = 0;
      int measuredHere = 0;
      for (ScheduleChoice choice :
           candidates(shape, std::max<int64_t>(m, 8), h200())) {
        choice.dependent = false;
        auto measured = measuredMicroseconds(shape, m, choice, h200());
        if (!measured)
          continue;
        double time = predict(shape, m, choice, h200()).total;
        double error = std::log(time / *measured);
        squares += error * error;
        ++measuredHere;
        best = std::min(best, *measured);
        if (time < least) {
          least = time;
          taken = *measured;
        }
      }
      count += measuredHere;
      if (measuredHere > 1) {
        losses += taken / best - 1;
        ++groups;
      }
    }
  ASSERT_GT(count, 50);
  ASSERT_GT(groups, 15);
  EXPECT_LT(std::exp(std::sqrt(squares / count)), 1.20);
  EXPECT_LT(losses / groups, 0.10);
  if (std::getenv("WNA16_PRINT_MODEL"))
    printf("later    typical factor %.3f, loss %.3f\n",
           std::exp(std::sqrt(squares / count)), losses / groups);
}

TEST(Model, MoreWorkTakesLonger) {
  for (const List &list : lists)
    for (const MeasuredTime &row : list.rows) {
      GemmShape shape = shapeOf(row);
      double base = predictMicroseconds(shape, row.choice, h200());
      shape.k *= 2;
      EXPECT_GT(predictMicroseconds(shape, row.choice, h200()), base);
      shape.k /= 2;
      shape.maxM *= 4;
      EXPECT_GE(predictMicroseconds(shape, row.choice, h200()), base);
    }
}

TEST(Model, PartsExplainTheTotal) {
  GemmShape shape{16, 57344, 8192, 128, Activations::F16};
  Prediction p = predict(shape, 16, ring(16, 256, 1, 4), h200());
  double largest = std::max({p.memory, p.cache, p.shared, p.issue, p.tensor});
  EXPECT_GE(p.total, largest + p.latency);
  EXPECT_LE(p.total,
            p.memory + p.cache + p.shared + p.issue + p.tensor + p.latency);
  EXPECT_STREQ(p.limit(), "memory");
  // 242 MB at the speed of a kernel that only reads.
  EXPECT_NEAR(p.memory, 55.4, 1.5);
}

TEST(Model, WhatDoesNotFitTakesForever) {
  GemmShape shape{8, 4096, 4096, 128, Activations::F16};
  ScheduleChoice large = uniform(8, 256, 4, 64);
  Prediction p = predict(shape, 8, large, h200());
  EXPECT_EQ(p.residentBlocks, 0);
  EXPECT_TRUE(std::isinf(p.total));
}

/// Four blocks on a cluster reach fewer multiprocessors: a grid that fills the
/// device needs a second wave, and nothing is won over two.
TEST(Model, LargeClustersNeedAnotherWave) {
  GemmShape shape{64, 8192, 8192, 128, Activations::F16};
  double four = predict(shape, 16, ring(16, 256, 4, 2, 4), h200()).tilesPerSm;
  double two = predict(shape, 16, ring(16, 256, 4, 2, 2), h200()).tilesPerSm;
  EXPECT_DOUBLE_EQ(four, 2.0 / 4);
  EXPECT_DOUBLE_EQ(two, 1.0 / 2);
}

/// Register estimates against what ptxas reported. A kernel that is expected to
/// need more than a thread can have is not built.
TEST(Model, Registers) {
  GemmShape layer{1 << 20, 4096, 4096, 128};
  EXPECT_NEAR(registersPerThread(uniform(8, 64, 8, 2), layer), 80, 4);
  EXPECT_NEAR(registersPerThread(uniform(16, 64, 8, 2), layer), 120, 4);
  EXPECT_NEAR(registersPerThread(ring(8, 256, 1, 3), layer), 62, 4);
  EXPECT_NEAR(registersPerThread(ring(16, 128, 4, 3), layer), 96, 4);
  EXPECT_NEAR(registersPerThread(wgmma(128, 32, 128, 8, 3, 1, 1), layer), 89, 4);
  EXPECT_NEAR(registersPerThread(wgmma(256, 64, 128, 16, 3, 1, 1), layer), 90, 4);
  EXPECT_NEAR(registersPerThread(wgmma(128, 128, 128, 8, 3, 1, 1), layer), 125, 4);
  // 232 registers for each of eight warps when a producer gives its own away.
  EXPECT_TRUE(isBuilt(wgmma(256, 64, 128, 16, 3, 1, 1), layer, h200()));
  EXPECT_TRUE(isBuilt(wgmma(128, 256, 64, 8, 3, 1, 1), layer, h200()));
  EXPECT_FALSE(isBuilt(wgmma(256, 256, 64, 8, 3, 1, 1), layer, h200()));
}

} // namespace
