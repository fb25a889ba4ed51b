//===- StorageLayoutTest.cpp - tiles on a strided grid --------------------===//
//
// Offsets, spans and the checks on tiles, shapes and strides.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/Instances.h"
#include "lib/Layout/StorageNames.h"

#include "gtest/gtest.h"

#include <stdexcept>

using namespace wna16::layout;

namespace {

/// 2 x 2 tile, column by column.
LinearLayout tile2x2() {
  return LinearLayout({{"offset", {{1, 0}, {0, 1}}}},
                      {{"dim0", 1}, {"dim1", 1}});
}

template <typename Body> std::string errorOf(const Body &body) {
  try {
    body();
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
  return "no error";
}

TEST(StorageLayout, OffsetsAndSpan) {
  StorageLayout layout(tile2x2(), {4, 6}, {20, 4});
  EXPECT_EQ(layout.tileShape(), (std::array<int64_t, 2>{2, 2}));
  EXPECT_EQ(layout.offset(0, 0), 0);
  EXPECT_EQ(layout.offset(1, 0), 1);
  EXPECT_EQ(layout.offset(0, 1), 2);
  EXPECT_EQ(layout.offset(0, 2), 4);
  EXPECT_EQ(layout.offset(2, 0), 20);
  EXPECT_EQ(layout.offset(3, 5), 20 + 2 * 4 + 3);
  EXPECT_EQ(layout.span(), 32); // 20 + 8 + one tile
  EXPECT_EQ(layout.tileInverse().apply({1, 0}), std::vector<uint32_t>{1});
}

TEST(StorageLayout, OffsetsAre64Bit) {
  int64_t k = 1 << 20, n = 1 << 17;
  StorageLayout layout = marlinWeights(k, n, 4);
  EXPECT_EQ(layout.offset(k - 1, n - 1), k * n - 1);
  EXPECT_EQ(layout.span(), int64_t(1) << 37);
}

TEST(StorageLayout, DynamicExtents) {
  StorageLayout layout = rowMajor(-1, 4096, 5000);
  EXPECT_EQ(layout.offset(7, 3), 7 * 5000 + 3);
  EXPECT_EQ(errorOf([&] { layout.span(); }),
            "storage layout: the span of a layout with a dynamic extent (-1 x "
            "4096) is not known");
}

TEST(StorageLayout, EmptyMatrix) {
  EXPECT_EQ(rowMajor(0, 64).span(), 0);
  EXPECT_EQ(rowMajor(64, 0).span(), 0);
}

TEST(StorageLayout, Errors) {
  EXPECT_EQ(errorOf([] {
              StorageLayout(tile2x2(), {3, 4}, {8, 4});
            }),
            "storage layout: the shape 3 x 4 is not a multiple of the tile 2 x "
            "2");
  EXPECT_EQ(errorOf([] {
              StorageLayout(tile2x2(), {4, 4}, {8, 3});
            }),
            "storage layout: tiles of 4 elements overlap at strides 8 x 3");
  EXPECT_EQ(errorOf([] {
              StorageLayout(tile2x2(), {4, 4}, {7, 4});
            }),
            "storage layout: tiles overlap at strides 7 x 4: the outer one "
            "must be at least 8 for the shape 4 x 4");
  EXPECT_EQ(errorOf([] {
              StorageLayout(LinearLayout::identity(1, "offset", "dim0"), {2, 2},
                            {2, 1});
            }),
            "storage layout: expected a tile from {offset} to {dim0, dim1}, "
            "found {offset = [[1]]} -> {dim0 = 2}");
  EXPECT_EQ(errorOf([] {
              StorageLayout(LinearLayout({{"offset", {{1, 0}, {1, 0}}}},
                                         {{"dim0", 1}, {"dim1", 1}}),
                            {2, 2}, {4, 4});
            }),
            "storage layout: expected a tile that stores every element once, "
            "found {offset = [[1, 0], [1, 0]]} -> {dim0 = 2, dim1 = 2}");
}

TEST(StorageLayout, InstanceErrors) {
  EXPECT_EQ(errorOf([] { marlinWeights(24, 64, 4); }),
            "marlin layout: expected K to be a multiple of 16, found 24");
  EXPECT_EQ(errorOf([] { marlinWeights(16, 96, 4); }),
            "marlin layout: expected N to be a multiple of 64, found 96");
  EXPECT_EQ(errorOf([] { marlinWeights(16, 64, 3); }),
            "marlin layout: expected codes of 1, 2, 4 or 8 bits (others are "
            "stored in planes or as a bit stream), found 3");
  EXPECT_EQ(errorOf([] { marlinWeights(0, 64, 4); }),
            "marlin layout: expected positive extents, found 0 x 64");
  EXPECT_EQ(errorOf([] { marlinGroupedScales(1, 32); }),
            "marlin_scales layout: expected N to be a multiple of 64, found "
            "32");
  EXPECT_EQ(errorOf([] { gptqWeights(12, 8, 4); }),
            "gptq layout: expected K to be a multiple of 8, found 12");
  EXPECT_EQ(errorOf([] { compressedTensorsWeights(32, 8, 3); }),
            "compressed_tensors layout: expected codes of 1, 2, 4 or 8 bits "
            "(others are stored in planes or as a bit stream), found 3");
  EXPECT_EQ(errorOf([] { awqWeights(32, 8, 8); }),
            "awq layout: expected codes of 4 bits, found 8");
  EXPECT_EQ(errorOf([] { awqZeros(32, 12, 4); }),
            "awq_zeros layout: expected N to be a multiple of 8, found 12");
  EXPECT_EQ(errorOf([] { gptqZeros(4, 12, 4); }),
            "gptq_zeros layout: expected N to be a multiple of 8, found 12");
  EXPECT_EQ(errorOf([] { marlinZeros(4, 64, 2); }),
            "marlin_zeros layout: expected codes of 4 or 8 bits, found 2");
  EXPECT_EQ(errorOf([] { marlinChannelScales(1, 48); }),
            "marlin_channel_scales layout: expected N to be a multiple of 32, "
            "found 48");
  EXPECT_EQ(errorOf([] { rowMajor(4, 8, 7); }),
            "storage layout: tiles overlap at strides 7 x 1: the outer one "
            "must be at least 8 for the shape 4 x 8");
  EXPECT_EQ(errorOf([] { rowMajor(4, -1); }),
            "row_major layout: a dynamic number of columns needs a pitch");
}

TEST(StorageLayout, ByName) {
  for (const std::string &name : storageNames()) {
    bool scales = name.ends_with("scales");
    unsigned bits = scales ? 16 : 4;
    auto layout = storageLayoutByName(name, 32, 128, bits);
    ASSERT_TRUE(layout) << name;
    EXPECT_EQ(layout->shape(), (std::array<int64_t, 2>{32, 128})) << name;
    EXPECT_EQ(layout->span(), 32 * 128) << name;
    EXPECT_NE(errorOf([&] { storageByName(name, 32, 128, 9); }), "no error");
    EXPECT_NE(errorOf([&] { storageByName(name, 32, 128, 0); }), "no error");
  }
  EXPECT_EQ(*storageLayoutByName("marlin", 32, 128, 4),
            marlinWeights(32, 128, 4));
  EXPECT_EQ(*storageLayoutByName("gptq", 32, 128, 4), gptqWeights(32, 128, 4));
  EXPECT_FALSE(storageLayoutByName("Marlin", 32, 128, 4));
}

TEST(StorageLayout, PlanesAndStreamsByName) {
  PackedStorage marlin = *storageByName("marlin", 32, 128, 5);
  ASSERT_EQ(marlin.planes().size(), 2u);
  EXPECT_EQ(marlin.planes()[0], (Plane{4, 0, marlinWeights(32, 128, 4), 0}));
  EXPECT_EQ(marlin.planes()[1], (Plane{1, 4, marlinWeights(32, 128, 1), 512}));
  EXPECT_FALSE(marlin.bitStreams());
  EXPECT_EQ(storageByName("gptq", 32, 10, 3)->bitStreams(),
            (BitStreams{0, 10, 1}));
  EXPECT_EQ(storageByName("compressed_tensors", 12, 10, 4)->bitStreams(),
            (BitStreams{0, 1, 2}));
  EXPECT_EQ(storageByName("gptq_zeros", 7, 32, 3)->bitStreams(),
            (BitStreams{1, 1, 3}));
  EXPECT_EQ(storageByName("compressed_tensors_zeros", 7, 11, 3)->bitStreams(),
            (BitStreams{1, 7, 1}));
  EXPECT_EQ(errorOf([] { storageLayoutByName("marlin", 32, 128, 3); }),
            "marlin layout: codes of 3 bits are stored in planes or as a bit "
            "stream, not in one layout");
  EXPECT_EQ(errorOf([] { storageByName("gptq", 48, 10, 3); }),
            "gptq layout: expected K to be a multiple of 32, found 48");
  EXPECT_EQ(errorOf([] { storageByName("gptq", 24, 10, 6); }),
            "gptq layout: expected K to be a multiple of 16, found 24");
  EXPECT_EQ(errorOf([] { storageByName("gptq_zeros", 3, 12, 4); }),
            "gptq_zeros layout: expected N to be a multiple of 8, found 12");
}

TEST(StorageLayout, PlanesOf) {
  using Widths = std::vector<unsigned>;
  for (unsigned bits : {1, 2, 4, 8})
    EXPECT_EQ(planesOf(bits), Widths{bits});
  EXPECT_EQ(planesOf(3), (Widths{2, 1}));
  EXPECT_EQ(planesOf(5), (Widths{4, 1}));
  EXPECT_EQ(planesOf(6), (Widths{4, 2}));
  EXPECT_EQ(planesOf(7), (Widths{4, 2, 1}));
}

} // namespace
