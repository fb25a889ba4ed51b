//===- TileLayoutsTest.cpp - who holds what of a product ------------------===//
//
// A product needs no exchange between threads: a warp holds the weights of its
// columns and the activations of its rows, lanes as in mma.m16n8k16. Written as
// arithmetic on lane and warp numbers.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/TileLayouts.h"

#include "lib/Layout/Instances.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace wna16;
using namespace wna16::layout;

namespace {

using Place = std::vector<uint32_t>;

/// Calls f(lane, warp, place) for everything that `layout` says.
template <typename F> void forEach(const LinearLayout &layout, const F &f) {
  for (uint32_t warp = 0; warp < 1u << layout.inBits("warp"); ++warp)
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t reg = 0; reg < 1u << layout.inBits("register"); ++reg)
        f(lane, warp, layout.apply({reg, lane, warp}));
}

/// How many threads hold each element; all must be held equally often.
void expectHolders(const LinearLayout &layout, size_t expected) {
  std::map<Place, size_t> holders;
  forEach(layout, [&](uint32_t, uint32_t, const Place &at) { ++holders[at]; });
  EXPECT_EQ(holders.size(), layout.outs()[0].size() * layout.outs()[1].size());
  for (const auto &[at, count] : holders)
    ASSERT_EQ(count, expected) << "at (" << at[0] << ", " << at[1] << ")";
}

struct Case {
  int64_t n, m, k;
  WarpGrid warps;
};

class ProductLayouts : public testing::TestWithParam<Case> {};

TEST_P(ProductLayouts, WarpsHoldWhatTheyMultiply) {
  auto [n, m, k, warps] = GetParam();
  uint32_t columns = n / warps.n, rows = m / warps.m;
  size_t all = warps.n * warps.m;

  LinearLayout sums = accumulatorLayout(n, m, warps);
  EXPECT_TRUE(sums.isBijective());
  EXPECT_EQ(1u << sums.inBits("warp"), all);
  forEach(sums, [&](uint32_t lane, uint32_t warp, const Place &at) {
    ASSERT_EQ(at[0] / columns, warp % warps.n);
    ASSERT_EQ(at[1] / rows, warp / warps.n);
    ASSERT_EQ(at[0] % 8, lane / 4);
    ASSERT_EQ(at[1] % 8 / 2, lane % 4);
  });

  // Warps along m hold the same weights.
  LinearLayout weights = weightsLayout(k, n, warps);
  EXPECT_EQ(1u << weights.inBits("warp"), all);
  expectHolders(weights, warps.m);
  forEach(weights, [&](uint32_t lane, uint32_t warp, const Place &at) {
    ASSERT_EQ(at[1] / columns, warp % warps.n);
    ASSERT_EQ(at[1] % 8, lane / 4);
    ASSERT_EQ(at[0] % 8 / 2, lane % 4);
  });

  // Warps along n hold the same activations.
  LinearLayout activations = activationsLayout(m, k, warps);
  EXPECT_EQ(1u << activations.inBits("warp"), all);
  expectHolders(activations, warps.n);
  forEach(activations, [&](uint32_t lane, uint32_t warp, const Place &at) {
    ASSERT_EQ(at[0] / rows, warp / warps.n);
    ASSERT_EQ(at[0] % 8, lane / 4);
    ASSERT_EQ(at[1] % 8 / 2, lane % 4);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Tiles, ProductLayouts,
    testing::Values(Case{64, 8, 16, {1, 1}}, Case{64, 8, 128, {4, 1}},
                    Case{64, 32, 64, {1, 4}}, Case{128, 128, 64, {2, 2}},
                    Case{256, 64, 32, {2, 8}}, Case{128, 256, 16, {8, 1}}));

TEST(TileLayouts, MoreWarpsThanInstructionsHoldCopies) {
  // Two warps of 16 columns and two of 8 rows have all; eight are there.
  LinearLayout sums = accumulatorLayout(32, 16, {4, 2});
  EXPECT_EQ(sums.inBits("warp"), 3u);
  expectHolders(sums, 2);
  LinearLayout rows = activationsLayout(16, 16, {2, 4});
  EXPECT_EQ(rows.inBits("warp"), 3u);
  EXPECT_EQ(rows.freeMask("warp"), 0b101u);
}

TEST(TileLayouts, ScalesFollowColumnsOnly) {
  LinearLayout sums = accumulatorLayout(128, 64, {2, 2});
  LinearLayout scales = scalesLayout(sums, 0, rowMajor(1, 128));
  std::map<std::pair<uint32_t, uint32_t>, std::set<uint32_t>> wanted, found;
  forEach(sums, [&](uint32_t lane, uint32_t warp, const Place &at) {
    wanted[{lane, warp}].insert(at[0]);
  });
  forEach(scales, [&](uint32_t lane, uint32_t warp, const Place &at) {
    EXPECT_EQ(at[0], 0u);
    found[{lane, warp}].insert(at[1]);
  });
  EXPECT_EQ(wanted, found);
  // One register per column, however many rows.
  EXPECT_EQ(scales.inBits("register"), 3u);
}

} // namespace
