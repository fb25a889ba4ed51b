//===- LoopsTest.cpp - the loops of an entry ------------------------------===//
//
// Graphs by hand: nests, shared headers, irreducible cycles, ways around.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Loops.h"

#include <gtest/gtest.h>

using namespace wna16::emulator;

TEST(Loops, StraightLine) {
  const LoopForest forest(FlowGraph{{1}, {2}, {}});
  EXPECT_TRUE(forest.loops().empty());
  EXPECT_EQ(forest.depth(1), 0u);
}

TEST(Loops, OneInstruction) {
  const LoopForest forest(FlowGraph{{1}, {1, 2}, {}});
  ASSERT_EQ(forest.loops().size(), 1u);
  EXPECT_EQ(forest.depth(1), 1u);
  EXPECT_EQ(forest.depth(2), 0u);
}

TEST(Loops, NestInRotatedText) {
  // The inner loop stands before the header of the outer one in the text:
  // 0 -> 3 (outer header) -> 1 (inner) -> 1, 2; 2 -> 3, 4
  const LoopForest forest(FlowGraph{{3}, {1, 2}, {3, 4}, {1}, {}});
  ASSERT_EQ(forest.loops().size(), 2u);
  EXPECT_EQ(forest.loops()[0].header, 3u);
  EXPECT_EQ(forest.loops()[1].header, 1u);
  EXPECT_EQ(forest.loops()[1].parent, 0);
  EXPECT_EQ(forest.depth(1), 2u);
  EXPECT_EQ(forest.depth(2), 1u);
  EXPECT_TRUE(forest.contains(0, 1));
  EXPECT_FALSE(forest.contains(1, 2));
}

TEST(Loops, Siblings) {
  // Two inner loops, 2 and 4, in an outer one, 1..5.
  const LoopForest forest(FlowGraph{{1}, {2}, {2, 3}, {4}, {4, 5}, {1, 6}, {}});
  ASSERT_EQ(forest.loops().size(), 3u);
  EXPECT_EQ(forest.innermost(3), 0);
  EXPECT_NE(forest.innermost(2), forest.innermost(4));
  EXPECT_EQ(forest.loops()[size_t(forest.innermost(4))].parent, 0);
}

TEST(Loops, OneHeaderIsOneLoop) {
  // 1 -> 2 -> 1 and 1 -> 3 -> 1.
  const LoopForest forest(FlowGraph{{1}, {2, 3}, {1}, {1, 4}, {}});
  EXPECT_EQ(forest.loops().size(), 1u);
  EXPECT_EQ(forest.innermost(2), forest.innermost(3));
}

TEST(Loops, TwoEntriesAreALoop) {
  const LoopForest forest(FlowGraph{{1, 2}, {2}, {1, 3}, {}});
  ASSERT_EQ(forest.loops().size(), 1u);
  EXPECT_EQ(forest.depth(1), 1u);
  EXPECT_EQ(forest.depth(2), 1u);
}

TEST(Loops, WhatIsNotReachedIsInNone) {
  const LoopForest forest(FlowGraph{{3}, {2}, {1}, {}});
  EXPECT_TRUE(forest.loops().empty());
}

TEST(Loops, WaysAround) {
  // 1 -> 2 -> 3 -> 1, 1 -> 3: node 2 can be gone around, 3 cannot.
  const FlowGraph graph{{1}, {2, 3}, {3}, {1, 4}, {}};
  const LoopForest forest(graph);
  EXPECT_TRUE(forest.avoidable(0, 2, graph));
  EXPECT_FALSE(forest.avoidable(0, 3, graph));
  EXPECT_FALSE(forest.avoidable(0, 1, graph));
}
