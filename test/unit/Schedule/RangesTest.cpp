//===- RangesTest.cpp - schedules for ranges of M -------------------------===//
#include "lib/Schedule/Ranges.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <bit>

using namespace wna16;

namespace {

const GpuTarget &h200() { return *findTarget("sm_90a"); }

std::vector<RangeChoice> rangesOf(const GemmShape &shape,
                                  const GpuTarget &target,
                                  bool batchInvariant = false) {
  std::string reason;
  auto ranges = chooseRanges(shape, target, {batchInvariant}, reason);
  EXPECT_EQ(reason, "");
  return ranges;
}

/// Layers of Llama-3-8B, and small and odd ones.
const GemmShape shapes[] = {{1 << 20, 6144, 4096, 128},
                            {1 << 20, 4096, 14336, 128},
                            {1 << 20, 28672, 4096, 128},
                            {1 << 20, 64, 128, 128},
                            {1 << 20, 192, 2176, 128}};

TEST(Ranges, CoverEveryMOnce) {
  for (const GpuTarget &target : allTargets())
    for (const GemmShape &shape : shapes)
      for (bool invariant : {false, true}) {
        SCOPED_TRACE(target.name.str() + " " + std::to_string(shape.n));
        std::vector<RangeChoice> ranges = rangesOf(shape, target, invariant);
        ASSERT_FALSE(ranges.empty());
        EXPECT_LE(ranges.size(), rangeBounds().size());
        EXPECT_LE(ranges.size(), 9u);
        EXPECT_EQ(ranges.back().maxM, 1 << 20);
        for (size_t i = 0; i < ranges.size(); ++i) {
          const ScheduleChoice &choice = ranges[i].taken.choice;
          EXPECT_TRUE(isBuilt(choice, shape, target)) << describe(choice);
          EXPECT_EQ(shape.n % choice.tileN, 0);
          EXPECT_EQ(shape.k % choice.tileK, 0);
          if (i == 0)
            continue;
          EXPECT_LT(ranges[i - 1].maxM, ranges[i].maxM);
          // Neighbours with one schedule are one range.
          EXPECT_FALSE(ranges[i - 1].taken.choice == choice);
        }
      }
}

TEST(Ranges, TheBoundEndsThem) {
  GemmShape shape = shapes[0];
  for (auto [maxM, last] : {std::pair<int64_t, int64_t>{1, 8},
                            {8, 8},
                            {9, 16},
                            {16, 16},
                            {17, 32},
                            {1025, 1 << 20}}) {
    shape.maxM = maxM;
    auto ranges = rangesOf(shape, h200());
    EXPECT_EQ(ranges.back().maxM, last) << maxM;
    std::string reason;
    EXPECT_EQ(chooseSchedule(shape, h200(), {}, reason),
              ranges.back().taken.choice);
  }
}

/// A smaller bound never changes what a range gets, so kernels are shared.
TEST(Ranges, DoNotDependOnTheBound) {
  for (bool invariant : {false, true})
    for (const GemmShape &shape : shapes) {
      auto all = rangesOf(shape, h200(), invariant);
      for (int64_t bound : {8, 16, 256}) {
        GemmShape cut = shape;
        cut.maxM = bound;
        auto some = rangesOf(cut, h200(), invariant);
        for (const RangeChoice &range : some) {
          auto same =
              std::find_if(all.begin(), all.end(), [&](const RangeChoice &r) {
                return r.maxM >= range.maxM;
              });
          ASSERT_NE(same, all.end());
          EXPECT_EQ(same->taken.choice, range.taken.choice);
        }
      }
    }
}

TEST(Ranges, BatchInvariantHasOneSummation) {
  for (const GpuTarget &target : allTargets())
    for (const GemmShape &shape : shapes) {
      auto ranges = rangesOf(shape, target, true);
      for (const RangeChoice &range : ranges) {
        EXPECT_TRUE(
            sameSummation(range.taken.choice, ranges.front().taken.choice))
            << describe(range.taken.choice);
        EXPECT_GE(range.invariantCost, 1);
      }
    }
  // And that is a restriction: without it, ranges differ.
  auto free = rangesOf(shapes[2], h200());
  EXPECT_FALSE(
      sameSummation(free.front().taken.choice, free.back().taken.choice));
}

TEST(Ranges, WhatChangesBits) {
  ScheduleChoice base{64, 8, 128, 1, 8, 2};
  auto like = [&](auto change) {
    ScheduleChoice other = base;
    change(other);
    return sameSummation(base, other);
  };
  using C = ScheduleChoice;
  EXPECT_TRUE(like([](C &c) { c.tileM = 16; }));
  EXPECT_TRUE(like([](C &c) { c.tileN = 128, c.warpsN = 2; }));
  EXPECT_TRUE(like([](C &c) { c.stages = 4; }));
  EXPECT_FALSE(like([](C &c) { c.warpsK = 4; }));
  EXPECT_FALSE(like([](C &c) { c.tileK = 64; }));
  EXPECT_FALSE(like([](C &c) { c.scales = ScalePlace::Weights; }));
  EXPECT_FALSE(like([](C &c) { c.math = MathEngine::Wgmma; }));
  EXPECT_FALSE(like([](C &c) { c.split = SplitKind::Cluster, c.blocks = 2; }));
  // One warp along K that scales weights adds product after product, whatever
  // its step is.
  ScheduleChoice stream{64, 64, 128, 1, 1, 2}, halfSteps = stream;
  stream.scales = halfSteps.scales = ScalePlace::Weights;
  halfSteps.tileK = 64;
  EXPECT_TRUE(sameSummation(stream, halfSteps));
  // Blocks add their shares in their order, in a cluster and by ticket.
  ScheduleChoice ticket = base;
  ticket.split = SplitKind::Ticket;
  ticket.blocks = 2;
  EXPECT_FALSE(sameSummation(base, ticket));
  ScheduleChoice cluster = ticket;
  cluster.split = SplitKind::Cluster;
  EXPECT_TRUE(sameSummation(cluster, ticket));
}

TEST(Ranges, MeasurementsCount) {
  // A row of the table, with and without overlap.
  GemmShape shape{16, 4096, 4096, 128};
  ScheduleChoice choice{64, 8, 128, 1, 8, 2};
  choice.split = SplitKind::Cluster;
  choice.blocks = 2;
  auto measured = measuredMicroseconds(shape, 1, choice, h200());
  ASSERT_TRUE(measured.has_value());
  choice.dependent = true;
  EXPECT_EQ(measuredMicroseconds(shape, 1, choice, h200()), measured);
  // Other groups, M and GPUs were not measured.
  GemmShape groups = shape;
  groups.group = 256;
  EXPECT_FALSE(measuredMicroseconds(groups, 1, choice, h200()));
  EXPECT_FALSE(measuredMicroseconds(shape, 2, choice, h200()));
  EXPECT_FALSE(measuredMicroseconds(shape, 1, choice, *findTarget("sm_80")));

  // What is taken was measured as the best, or promises more by the error of
  // the model.
  auto range = rangesOf(shape, h200()).back();
  double best = 1e9;
  for (const ScheduleChoice &other : candidates(shape, 16, h200()))
    if (auto time = measuredMicroseconds(shape, 16, other, h200()))
      best = std::min(best, *time);
  ASSERT_LT(best, 100);
  double taken =
      range.taken.measured.value_or(1.1 * range.taken.prediction.total);
  EXPECT_LE(taken, best * 1.02);
}

TEST(Ranges, WhatWasMeasuredIsTaken) {
  for (auto [n, k] : {std::pair(4096, 4096), {6144, 4096}, {28672, 4096},
                      {4096, 14336}, {8192, 8192}, {57344, 8192},
                      {8192, 28672}, {5120, 5120}, {11008, 4096}})
    for (const RangeChoice &range : rangesOf({largestM, n, k, 128}, h200()))
      EXPECT_TRUE(range.taken.measured.has_value())
          << n << " x " << k << ", M = " << range.ratedM << ": "
          << describe(range.taken.choice);
}

TEST(Ranges, OtherShapesCorrectTheModel) {
  GemmShape shape{64, 9216, 3072, 128};
  ScheduleChoice choice{64, 64, 128, 4, 2, 4};
  choice.math = MathEngine::Wgmma;
  choice.copy = CopyEngine::Tensor;
  choice.scales = ScalePlace::Weights;
  choice.roles = RoleKind::ProducerConsumer;
  // This structure was measured, but for no such shape.
  EXPECT_FALSE(measuredMicroseconds(shape, 64, choice, h200()));
  auto factor = measuredOverPredicted(64, choice, h200());
  ASSERT_TRUE(factor.has_value());
  EXPECT_GT(*factor, 0.5);
  EXPECT_LT(*factor, 2);
  choice.dependent = true;
  EXPECT_EQ(measuredOverPredicted(64, choice, h200()), factor);
  // Not with so many rows, nor on that GPU.
  EXPECT_FALSE(measuredOverPredicted(63, choice, h200()));
  EXPECT_FALSE(measuredOverPredicted(64, choice, *findTarget("sm_80")));

  // What is taken was measured with other shapes, or promises a lot more.
  for (const RangeChoice &range : rangesOf(shape, h200())) {
    auto corrected = [&](const RatedChoice &rated) {
      return rated.prediction.total *
             measuredOverPredicted(range.ratedM, rated.choice, h200())
                 .value_or(1.2);
    };
    for (const RatedChoice &other : range.alternatives)
      EXPECT_LE(corrected(range.taken), 1.03 * corrected(other));
  }
}

TEST(Ranges, Reasons) {
  auto reasonOf = [](GemmShape shape) {
    std::string reason;
    EXPECT_TRUE(chooseRanges(shape, h200(), {}, reason).empty());
    return reason;
  };
  EXPECT_EQ(reasonOf({0, 64, 128, 128}),
            "expected max_m between 1 and 1048576, found 0");
  EXPECT_EQ(reasonOf({1048577, 64, 128, 128}),
            "expected max_m between 1 and 1048576, found 1048577");
  EXPECT_EQ(reasonOf({8, 96, 128, 128}),
            "expected N to be a multiple of 64, found 96");
  EXPECT_EQ(reasonOf({8, 64, 72, 72}),
            "expected K to be a multiple of 16, found 72");
  EXPECT_EQ(reasonOf({8, 64, 128, 8}), "expected a group that is a multiple "
                                       "of 16 and divides K (128), found 8");
  EXPECT_EQ(reasonOf({8, 64, 128, 48}), "expected a group that is a multiple "
                                        "of 16 and divides K (128), found 48");
}

/// A product of 256 experts, 8 of them for each token.
GemmShape expertsShape(int64_t rows) {
  GemmShape shape{1 << 20, 4096, 7168, 128, Activations::BF16};
  shape.segmentRows = rows;
  shape.experts = 256;
  shape.topK = 8;
  shape.mapsRows = true;
  return shape;
}

TEST(Ranges, RowsOfExperts) {
  // Every row of one product is next to the one before.
  RowWork dense = rowWorkOf(shapes[0], 40, 16);
  EXPECT_EQ(dense.matrices, 1);
  EXPECT_EQ(dense.tiles, 3);
  EXPECT_EQ(dense.rows, 16);
  // The experts of one token differ.
  RowWork token = rowWorkOf(expertsShape(8), 8, 8);
  EXPECT_NEAR(token.matrices, 8, 1e-9);
  EXPECT_EQ(token.tiles, 8);
  EXPECT_NEAR(token.rows, 1, 1e-9);
  // 64 tokens: 223 experts, as random routings have.
  RowWork tokens = rowWorkOf(expertsShape(8), 512, 8);
  EXPECT_NEAR(tokens.matrices, 222.5, 1);
  EXPECT_EQ(tokens.tiles, 223);
  // 16 rows each: two segments and a half on average.
  EXPECT_EQ(rowWorkOf(expertsShape(8), 4096, 8).tiles, 640);
  EXPECT_EQ(rowWorkOf(expertsShape(64), 4096, 64).tiles, 256);
  GemmShape one = expertsShape(16);
  one.experts = one.topK = 1;
  EXPECT_EQ(rowWorkOf(one, 1, 16).tiles, 1);
  EXPECT_EQ(rowWorkOf(one, 1, 16).matrices, 1);
}

TEST(Ranges, SegmentsAreTiles) {
  for (const GpuTarget &target : allTargets())
    for (int64_t rows : {1, 5, 8, 16, 32, 64}) {
      SCOPED_TRACE(target.name.str() + " " + std::to_string(rows));
      GemmShape shape = expertsShape(rows);
      std::vector<RangeChoice> ranges = rangesOf(shape, target);
      ASSERT_FALSE(ranges.empty());
      EXPECT_EQ(ranges.back().maxM, 1 << 20);
      for (const RangeChoice &range : ranges) {
        const ScheduleChoice &choice = range.taken.choice;
        EXPECT_EQ(choice.tileM,
                  std::max<int64_t>(8, std::bit_ceil<uint64_t>(rows)));
        EXPECT_EQ(choice.copy, CopyEngine::CpAsync);
        EXPECT_NE(choice.split, SplitKind::Ticket);
        EXPECT_EQ(choice.persistent, 0);
        EXPECT_FALSE(range.taken.measured);
      }
    }
  // Rows that follow each other can be copied by engines.
  GemmShape shape = expertsShape(32);
  shape.mapsRows = false;
  EXPECT_NE(rangesOf(shape, h200()).back().taken.choice.copy,
            CopyEngine::CpAsync);
}

TEST(Ranges, TimeOfExperts) {
  // Bytes of those that have rows, not of all.
  GemmShape shape = expertsShape(8);
  ScheduleChoice choice = rangesOf(shape, h200()).front().taken.choice;
  auto memory = [&](int64_t slots) {
    return predict(shape, slots, choice, h200()).memory;
  };
  EXPECT_NEAR(memory(128) / memory(8), 102.6 / 8, 1.5);
  EXPECT_NEAR(memory(4096) / memory(2048), 1, 0.05);
}

} // namespace
