//===- LinearLayoutTest.cpp - the algebra of linear layouts ---------------===//
//
// apply, product, composition, right inverse, rank, free bits, restructuring,
// printing and the errors, on small hand-made layouts and on random ones.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/LinearLayout.h"

#include "gtest/gtest.h"

#include <random>
#include <stdexcept>

using namespace wna16::layout;

namespace {

/// A 4 x 4 matrix over two registers and four lanes; lane bit 1 also moves the
/// column (a swizzle), register bit 1 is a copy.
LinearLayout sample() {
  return LinearLayout(
      {{"register", {{0, 1}, {0, 0}}}, {"lane", {{1, 0}, {2, 1}, {0, 2}}}},
      {{"dim0", 2}, {"dim1", 2}});
}

/// Runs `body` and returns the message of the exception that it must throw.
template <typename Body> std::string errorOf(const Body &body) {
  try {
    body();
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
  return "no error";
}

LinearLayout randomLayout(std::mt19937 &rng, std::vector<unsigned> inBits,
                          std::vector<unsigned> outBits) {
  std::vector<OutDim> outs;
  for (size_t i = 0; i < outBits.size(); ++i)
    outs.push_back({"out" + std::to_string(i), outBits[i]});
  std::vector<InDim> ins;
  for (size_t i = 0; i < inBits.size(); ++i) {
    InDim in{"in" + std::to_string(i), {}};
    for (unsigned bit = 0; bit < inBits[i]; ++bit) {
      Basis basis;
      for (const OutDim &out : outs)
        basis.push_back(rng() % out.size());
      in.bases.push_back(basis);
    }
    ins.push_back(in);
  }
  return LinearLayout(ins, outs);
}

TEST(LinearLayout, ApplyXorsBases) {
  LinearLayout layout = sample();
  EXPECT_EQ(layout.apply({0, 0}), (std::vector<uint32_t>{0, 0}));
  EXPECT_EQ(layout.apply({1, 0}), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(layout.apply({2, 0}), (std::vector<uint32_t>{0, 0}));
  EXPECT_EQ(layout.apply({0, 3}), (std::vector<uint32_t>{3, 1}));
  // The swizzle: 1 ^ 1 == 0, not 2.
  EXPECT_EQ(layout.apply({1, 3}), (std::vector<uint32_t>{3, 0}));
  EXPECT_EQ(layout.apply({1, 7}), (std::vector<uint32_t>{3, 2}));
}

TEST(LinearLayout, ApplyFlatPutsFirstDimensionLowest) {
  LinearLayout layout = sample();
  for (uint32_t reg = 0; reg < 4; ++reg)
    for (uint32_t lane = 0; lane < 8; ++lane) {
      std::vector<uint32_t> coords = layout.apply({reg, lane});
      EXPECT_EQ(layout.applyFlat(reg | lane << 2), coords[0] | coords[1] << 2);
    }
}

TEST(LinearLayout, Queries) {
  LinearLayout layout = sample();
  EXPECT_TRUE(layout.hasIn("lane"));
  EXPECT_FALSE(layout.hasIn("dim0"));
  EXPECT_EQ(layout.inBits("lane"), 3u);
  EXPECT_EQ(layout.inBits("warp"), 0u);
  EXPECT_EQ(layout.outBits("dim1"), 2u);
  EXPECT_EQ(layout.outBits("lane"), 0u);
  EXPECT_EQ(layout.totalInBits(), 5u);
  EXPECT_EQ(layout.totalOutBits(), 4u);
  EXPECT_EQ(layout.rank(), 4u);
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_FALSE(layout.isInjective());
  EXPECT_EQ(layout.freeMask("register"), 2u);
  EXPECT_EQ(layout.freeMask("lane"), 0u);
  LinearLayout narrow = layout.withIns({"lane"});
  EXPECT_EQ(narrow.rank(), 3u);
  EXPECT_TRUE(narrow.isInjective());
  EXPECT_FALSE(narrow.isSurjective());
}

TEST(LinearLayout, RankCountsDependentBasesOnce) {
  LinearLayout layout({{"in", {{1}, {2}, {3}}}}, {{"out", 2}});
  EXPECT_EQ(layout.rank(), 2u);
  EXPECT_EQ(layout.freeMask("in"), 0u);
  EXPECT_FALSE(layout.isInjective());
}

TEST(LinearLayout, IdentityAndZeros) {
  LinearLayout identity = LinearLayout::identity(3, "in", "out");
  EXPECT_TRUE(identity.isBijective());
  for (uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(identity.apply({i}), std::vector<uint32_t>{i});
  LinearLayout zeros = LinearLayout::zeros(3, "in", "out");
  EXPECT_EQ(zeros.inBits("in"), 3u);
  EXPECT_EQ(zeros.outs()[0].size(), 1u);
  EXPECT_EQ(zeros.freeMask("in"), 7u);
  EXPECT_EQ(zeros.apply({5}), std::vector<uint32_t>{0});
}

TEST(LinearLayout, ProductConcatenatesDimensionsOfOneName) {
  LinearLayout inner = LinearLayout::identity(1, "register", "dim1") *
                       LinearLayout::identity(2, "lane", "dim0");
  LinearLayout outer = LinearLayout::identity(2, "warp", "dim0") *
                       LinearLayout::identity(1, "register", "dim0");
  LinearLayout both = inner * outer;
  EXPECT_EQ(both.str(), "{register = [[1, 0], [0, 16]], lane = [[0, 1], [0, 2]]"
                        ", warp = [[0, 4], [0, 8]]} -> {dim1 = 2, dim0 = 32}");
}

TEST(LinearLayout, ProductWithBroadcastKeepsTheImage) {
  LinearLayout layout = sample() * LinearLayout::zeros(2, "warp", "dim0");
  EXPECT_EQ(layout.outs(), sample().outs());
  EXPECT_EQ(layout.freeMask("warp"), 3u);
  EXPECT_EQ(layout.apply({1, 7, 3}), sample().apply({1, 7}));
}

TEST(LinearLayout, ComposeIsOuterAfterInner) {
  std::mt19937 rng(1);
  for (int round = 0; round < 50; ++round) {
    LinearLayout inner = randomLayout(rng, {3, 2}, {2, 4});
    // The outer one takes its inputs in another order, one of them wider.
    LinearLayout outer = randomLayout(rng, {4, 3}, {3, 1, 2})
                             .renameIn("in0", "out1")
                             .renameIn("in1", "out0");
    LinearLayout both = inner.compose(outer);
    EXPECT_EQ(both.outs(), outer.outs());
    for (uint32_t a = 0; a < 8; ++a)
      for (uint32_t b = 0; b < 4; ++b) {
        std::vector<uint32_t> middle = inner.apply({a, b});
        EXPECT_EQ(both.apply({a, b}), outer.apply({middle[1], middle[0]}));
      }
  }
}

TEST(LinearLayout, RightInverseOfRandomLayouts) {
  std::mt19937 rng(2);
  int inverted = 0;
  for (int round = 0; round < 200; ++round) {
    LinearLayout layout = randomLayout(rng, {3, 4}, {2, 3});
    if (!layout.isSurjective()) {
      EXPECT_THROW(layout.rightInverse(), std::invalid_argument);
      continue;
    }
    ++inverted;
    LinearLayout inverse = layout.rightInverse();
    EXPECT_EQ(inverse.compose(layout),
              LinearLayout({{"out0", {{1, 0}, {2, 0}}},
                            {"out1", {{0, 1}, {0, 2}, {0, 4}}}},
                           layout.outs()));
  }
  EXPECT_GT(inverted, 100);
}

TEST(LinearLayout, RightInverseOfBijectionIsTheInverse) {
  std::mt19937 rng(3);
  int inverted = 0;
  for (int round = 0; round < 200; ++round) {
    LinearLayout layout = randomLayout(rng, {2, 3}, {4, 1});
    if (!layout.isBijective())
      continue;
    ++inverted;
    LinearLayout inverse = layout.rightInverse();
    EXPECT_EQ(inverse.rightInverse(), layout);
    for (uint64_t i = 0; i < 32; ++i)
      EXPECT_EQ(inverse.applyFlat(layout.applyFlat(i)), i);
  }
  EXPECT_GT(inverted, 20);
}

TEST(LinearLayout, RightInverseLeavesUnneededBitsZero) {
  LinearLayout inverse = sample().rightInverse();
  EXPECT_EQ(inverse.outs(),
            (std::vector<OutDim>{{"register", 2}, {"lane", 3}}));
  for (uint32_t i = 0; i < 4; ++i)
    for (uint32_t j = 0; j < 4; ++j) {
      std::vector<uint32_t> index = inverse.apply({i, j});
      EXPECT_EQ(index[0] & 2, 0u);
      EXPECT_EQ(sample().apply(index), (std::vector<uint32_t>{i, j}));
    }
  // A dependent basis that comes later is not used either.
  LinearLayout dependent({{"in", {{1}, {2}, {3}}}}, {{"out", 2}});
  EXPECT_EQ(dependent.rightInverse().str(), "{out = [[1], [2]]} -> {in = 8}");
}

TEST(LinearLayout, Restructuring) {
  LinearLayout layout = sample();
  LinearLayout split = layout.splitIn("lane", 1, "warp");
  EXPECT_EQ(split.str(), "{register = [[0, 1], [0, 0]], lane = [[1, 0]], "
                         "warp = [[2, 1], [0, 2]]} -> {dim0 = 4, dim1 = 4}");
  LinearLayout appended = layout.splitIn("lane", 2, "register");
  EXPECT_EQ(appended.bases("register").back(), (Basis{0, 2}));
  EXPECT_EQ(appended.inBits("lane"), 2u);
  EXPECT_EQ(layout.renameIn("lane", "thread").ins()[1].name, "thread");
  EXPECT_EQ(layout.renameOut("dim0", "k").outs()[0].name, "k");
  LinearLayout swapped = layout.withIns({"lane", "register"});
  EXPECT_EQ(swapped.apply({7, 1}), layout.apply({1, 7}));
}

TEST(LinearLayout, EqualityAndHash) {
  EXPECT_EQ(sample(), sample());
  EXPECT_EQ(sample().hash(), sample().hash());
  LinearLayout renamed = sample().renameIn("lane", "thread");
  EXPECT_NE(sample(), renamed);
  EXPECT_NE(sample().hash(), renamed.hash());
  EXPECT_NE(sample().hash(), sample().splitIn("lane", 1, "warp").hash());
}

TEST(LinearLayout, Printing) {
  EXPECT_EQ(sample().str(),
            "{register = [[0, 1], [0, 0]], lane = [[1, 0], [2, 1], [0, 2]]} "
            "-> {dim0 = 4, dim1 = 4}");
  EXPECT_EQ(LinearLayout({{"offset", {}}}, {{"dim0", 0}}).str(),
            "{offset = []} -> {dim0 = 1}");
  EXPECT_EQ(LinearLayout().str(), "{} -> {}");
}

TEST(LinearLayout, Errors) {
  auto make = [](std::vector<InDim> ins, std::vector<OutDim> outs) {
    return errorOf([&] { LinearLayout(ins, outs); });
  };
  EXPECT_EQ(make({{"in", {{1, 0}}}}, {{"out", 1}}),
            "linear layout: basis 0 of 'in' has 2 coordinates, expected one "
            "for each of the 1 output dimensions");
  EXPECT_EQ(make({{"in", {{1}, {2}}}}, {{"out", 1}}),
            "linear layout: basis 1 of 'in' is 2 along 'out', expected less "
            "than its size 2");
  EXPECT_EQ(make({{"in", {}}, {"in", {}}}, {}),
            "linear layout: dimension 'in' is given twice");
  EXPECT_EQ(make({}, {{"out", 32}}),
            "linear layout: output dimension 'out' has 32 bits, at most 31 are "
            "possible");
  EXPECT_EQ(make({}, {{"a", 31}, {"b", 31}, {"c", 2}}),
            "linear layout: more than 63 input or output bits in all");
  EXPECT_EQ(make({{"in", std::vector<Basis>(32, Basis{})}}, {}),
            "linear layout: input dimension 'in' has 32 bits, at most 31 are "
            "possible");

  LinearLayout layout = sample();
  EXPECT_EQ(errorOf([&] { layout.apply({0}); }),
            "linear layout: applied to 1 indices, expected one for each of the "
            "2 input dimensions");
  EXPECT_EQ(errorOf([&] {
              layout.apply({4, 0});
            }),
            "linear layout: index 4 of 'register' is not below its size 4");
  EXPECT_EQ(errorOf([&] { layout.applyFlat(32); }),
            "linear layout: flat index 32 is not below the size 32");
  EXPECT_EQ(errorOf([&] { layout.bases("warp"); }),
            "linear layout: no input dimension 'warp', there are 'register', "
            "'lane'");
  EXPECT_EQ(errorOf([&] {
              layout.withIns({"lane", "lane"});
            }),
            "linear layout: dimension 'lane' is given twice");
  EXPECT_EQ(errorOf([&] { layout.renameIn("warp", "x"); }),
            "linear layout: no input dimension 'warp' to rename, there are "
            "'register', 'lane'");
  EXPECT_EQ(errorOf([&] { layout.renameOut("dim0", "dim1"); }),
            "linear layout: dimension 'dim1' is given twice");
  EXPECT_EQ(errorOf([&] { layout.splitIn("lane", 4, "warp"); }),
            "linear layout: cannot split 'lane' after 4 bits, it has 3");
  EXPECT_EQ(errorOf([&] { layout.splitIn("lane", 1, "lane"); }),
            "linear layout: cannot split 'lane' into itself");
  EXPECT_EQ(errorOf([&] { layout.compose(layout); }),
            "linear layout: cannot compose: the outer layout needs 'register', "
            "the inner one yields 'dim0', 'dim1'");
  EXPECT_EQ(
      errorOf([&] { layout.compose(LinearLayout::identity(2, "dim0", "x")); }),
      "linear layout: cannot compose: the inner layout yields 'dim1', "
      "the outer one takes 'dim0'");
  EXPECT_EQ(errorOf([&] {
              layout.compose(LinearLayout::identity(1, "dim0", "x") *
                             LinearLayout::identity(2, "dim1", "x"));
            }),
            "linear layout: cannot compose: 'dim0' has 2 bits in the inner "
            "layout, only 1 in the outer one");
  EXPECT_EQ(errorOf([] {
              LinearLayout({{"in", {{1}}}}, {{"out", 2}}).rightInverse();
            }),
            "linear layout: no right inverse: only 2^1 of 2^2 coordinates are "
            "reached by {in = [[1]]} -> {out = 4}");
}

} // namespace
