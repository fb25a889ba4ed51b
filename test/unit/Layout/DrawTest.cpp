//===- DrawTest.cpp - pictures --------------------------------------------===//
//
// Small pictures in full, panels, broadcasts, gaps, SVG, and linearized
// storage.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/Gallery.h"
#include "lib/Layout/Instances.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <stdexcept>

using namespace wna16::layout;

namespace {

TEST(Draw, OwnersOfASmallLayout) {
  LinearLayout layout({{"register", {{1, 0}}}, {"lane", {{0, 1}, {1, 2}}}},
                      {{"dim0", 1}, {"dim1", 2}});
  EXPECT_EQ(drawOwners(layout),
            R"(dim0 x dim1 = 2 x 4, cell = lane:register (4 x 2)

dim0\dim1 |     0     1     2     3
----------+------------------------
      0-1 | 0:0-1 1:0-1 2:0-1 3:0-1
)");
}

TEST(Draw, SwizzleIsSeen) {
  LinearLayout layout({{"lane", {{0, 1}, {1, 1}}}}, {{"m", 1}, {"n", 1}});
  EXPECT_EQ(drawOwners(layout, {"m", "n", 80}),
            R"(m x n = 2 x 2, cell = lane (4)

m\n | 0-1
----+----
  0 | 0-1
  1 | 2-3
)");
}

TEST(Draw, BroadcastAndGaps) {
  LinearLayout layout({{"lane", {{2}, {0}}}}, {{"n", 2}});
  EXPECT_EQ(
      drawOwners(layout, {"m", "n", 80}),
      R"(m x n = 1 x 4, cell = lane (4), the lowest of 2 owners of each element, . = no owner

m\n | 0 1 2 3
----+--------
  0 | 0 . 1 .
)");
}

TEST(Draw, WideMatrixBecomesPanels) {
  LinearLayout layout({{"lane", {{0, 4}, {0, 2}, {0, 1}}}},
                      {{"m", 0}, {"n", 3}});
  EXPECT_EQ(drawOwners(layout, {"m", "n", 14}),
            R"(m x n = 1 x 8, cell = lane (8)

m\n | 0 1 2 3
----+--------
  0 | 0 4 2 6

m\n | 4 5 6 7
----+--------
  0 | 1 5 3 7
)");
}

TEST(Draw, FirstColumnsOnly) {
  LinearLayout layout({{"lane", {{0, 4}, {0, 2}, {0, 1}}}},
                      {{"m", 0}, {"n", 3}});
  EXPECT_EQ(drawOwners(layout, {"m", "n", 10, 3}),
            R"(m x n = 1 x 8, cell = lane (8), the first 3 columns

m\n | 0 1
----+----
  0 | 0 4

m\n | 2
----+--
  0 | 2
)");
  std::string svg = drawOwnersSvg(layout, {"m", "n", 0, 3});
  EXPECT_NE(svg.find(">2</text>"), std::string::npos);
  EXPECT_EQ(svg.find(">6</text>"), std::string::npos);
}

TEST(Draw, Svg) {
  std::string svg = drawOwnersSvg(mmaC16x8(), {"row", "column", 0});
  EXPECT_EQ(svg.rfind("<svg xmlns=", 0), 0u);
  // 16 rows of 4 cells, and the background.
  size_t rectangles = 0;
  for (size_t at = svg.find("<rect"); at != std::string::npos;
       at = svg.find("<rect", at + 1))
    ++rectangles;
  EXPECT_EQ(rectangles, 16u * 4 + 1);
  EXPECT_NE(svg.find(">31:2-3</text>"), std::string::npos);
  EXPECT_EQ(svg.find(">31:4"), std::string::npos);
  std::string escaped = drawOwnersSvg(mmaC16x8(), {"<a>", "&", 0});
  EXPECT_NE(escaped.find("&lt;a&gt; x &amp; = "), std::string::npos);
}

TEST(Draw, Errors) {
  EXPECT_THROW(drawOwners(LinearLayout()), std::invalid_argument);
  EXPECT_THROW(drawOwners(LinearLayout::identity(17, "in", "out")),
               std::invalid_argument);
  EXPECT_THROW(drawOwnersSvg(LinearLayout({}, {{"a", 1}, {"b", 1}, {"c", 1}})),
               std::invalid_argument);
}

TEST(Gallery, LinearizedStorageEqualsItsOffsets) {
  for (const StorageLayout &storage :
       {marlinWeights(32, 128, 4), gptqWeights(32, 16, 4), rowMajor(8, 1),
        compressedTensorsWeights(32, 4, 8), compressedTensorsScales(4, 8),
        marlinGroupedScales(4, 128)}) {
    LinearLayout linear = linearize(storage);
    EXPECT_TRUE(linear.isBijective());
    for (uint32_t offset = 0; offset < storage.span(); ++offset) {
      std::vector<uint32_t> coords = linear.apply({offset});
      EXPECT_EQ(storage.offset(coords[0], coords[1]), offset);
    }
  }
  EXPECT_THROW(linearize(rowMajor(8, 8, 16)), std::invalid_argument);
  EXPECT_THROW(linearize(rowMajor(8, 12)), std::invalid_argument);
  EXPECT_THROW(linearize(rowMajor(-1, 8)), std::invalid_argument);
}

TEST(Gallery, ExhibitsAreFoundAndDrawn) {
  std::string list = listExhibits();
  for (size_t at = 0; at < list.size(); at = list.find('\n', at) + 1) {
    std::string name = list.substr(at, list.find(' ', at) - at);
    Exhibit exhibit = makeExhibit(name);
    EXPECT_EQ(exhibit.name, name);
    EXPECT_TRUE(exhibit.layout.isBijective()) << name;
    EXPECT_FALSE(drawOwners(exhibit.layout, exhibit.options).empty());
  }
  EXPECT_EQ(makeExhibit("mma-a").layout, mmaA16x16());
  EXPECT_EQ(makeExhibit("marlin", {32, 64, 4}).layout.inBits("tile"), 1u);
  EXPECT_THROW(makeExhibit("nothing"), std::invalid_argument);
  EXPECT_THROW(makeExhibit("mma_a", {16, 0, 4}), std::invalid_argument);
  EXPECT_THROW(makeExhibit("row_major", {4, 32, 0}), std::invalid_argument);
}

} // namespace
