//===- BanksTest.cpp - bank conflicts by instruction ----------------------===//
//
// The degree of conflicts of each kind of shared access, and its loop.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Harness.h"

using namespace wna16::emulator;

namespace {

Counters count(const std::string &body, Options options = Options(),
               uint32_t threads = 32, uint32_t blocks = 1) {
  Outcome outcome = runBody(body, {}, threads, options, blocks);
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  return std::move(outcome.counters);
}

const BankCount &onlyBank(const Counters &counters) {
  static const BankCount none;
  EXPECT_EQ(counters.banks.size(), 1u);
  return counters.banks.empty() ? none : counters.banks.begin()->second;
}

/// Degree of a store of `type` at %r2 + lane * stride.
double storeDegree(const char *type, const char *values, int stride) {
  return onlyBank(count("mad.lo.u32 %r6, %r1, " + std::to_string(stride) +
                        ", %r2;\nst.shared." + type + " [%r6], " + values +
                        ";"))
      .degree();
}

TEST(Banks, BankConflictsOfStores) {
  EXPECT_EQ(storeDegree("u32", "%r1", 4), 1);
  EXPECT_EQ(storeDegree("u32", "%r1", 8), 2);
  EXPECT_EQ(storeDegree("u32", "%r1", 128), 32);
  EXPECT_EQ(storeDegree("u32", "%r1", 132), 1);
  EXPECT_EQ(storeDegree("u16", "%r1", 2), 1);
  EXPECT_EQ(storeDegree("v4.u32", "{%r1, %r1, %r1, %r1}", 16), 1);
  EXPECT_EQ(storeDegree("v4.u32", "{%r1, %r1, %r1, %r1}", 32), 2);
  EXPECT_EQ(storeDegree("v2.u32", "{%r1, %r1}", 8), 1);
  EXPECT_EQ(storeDegree("v2.u32", "{%r1, %r1}", 16), 2);
}

TEST(Banks, OneWordForAllIsNoConflict) {
  EXPECT_EQ(onlyBank(count("st.shared.u32 [%r2], %r2;")).degree(), 1);
}

/// Rows of 16 bytes for ldmatrix and stmatrix, or destinations of cp.async.
double rowDegree(const std::string &instruction, int stride) {
  Options options;
  options.checks[unsigned(Check::Race)] = false;
  options.checks[unsigned(Check::Uninitialized)] = false;
  return onlyBank(count("and.b32 %r5, %r1, 15;\nmad.lo.u32 %r6, %r5, " +
                            std::to_string(stride) + ", %r2;\n" + instruction,
                        options))
      .degree();
}

TEST(Banks, BankConflictsOfMatrixRows) {
  for (const char *instruction :
       {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r7, %r8}, [%r6];",
        "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r6], {%r1, %r1};"}) {
    EXPECT_EQ(rowDegree(instruction, 16), 1);
    EXPECT_EQ(rowDegree(instruction, 128), 8);
    EXPECT_EQ(rowDegree(instruction, 144), 1);
    EXPECT_EQ(rowDegree(instruction, 64), 4);
  }
}

TEST(Banks, BankConflictsOfCopies) {
  const std::string copy = R"(
setp.lt.u32 %p1, %r1, 16;
@%p1 cp.async.cg.shared.global [%r6], [%rd1], 16;
cp.async.wait_all;
)";
  EXPECT_EQ(rowDegree(copy, 16), 1);
  EXPECT_EQ(rowDegree(copy, 128), 8);
}

TEST(Banks, PatternsThatChangeFromRoundToRound) {
  // Strides of 4, 8 and 16 bytes: 1 + 2 + 4 passes.
  const Counters counters = count(R"(
mov.u32 %r5, 4;
L:
mad.lo.u32 %r6, %r1, %r5, %r2;
st.shared.u32 [%r6], %r1;
bar.warp.sync -1;
add.u32 %r5, %r5, %r5;
setp.le.u32 %p1, %r5, 16;
@%p1 bra L;
)");
  const BankCount &bank = onlyBank(counters);
  EXPECT_EQ(bank.executions, 3u);
  EXPECT_EQ(bank.ideal, 3u);
  EXPECT_EQ(bank.passes, 7u);
}

TEST(Banks, ShiftedPatternsAreTheSame) {
  // The same conflicts, 4 bytes further each round; an odd shift of halves
  // changes which word they lie in.
  const Counters counters = count(R"(
mov.u32 %r5, 0;
mad.lo.u32 %r6, %r1, 8, %r2;
L:
st.shared.u32 [%r6], %r1;
bar.warp.sync -1;
add.u32 %r6, %r6, 4;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 4;
@%p1 bra L;
)");
  EXPECT_EQ(onlyBank(counters).passes, 8u);
  const Counters halves = count(R"(
mov.u32 %r5, 0;
mad.lo.u32 %r6, %r1, 66, %r2;
L:
st.shared.u16 [%r6], %r1;
bar.warp.sync -1;
add.u32 %r6, %r6, 2;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 2;
@%p1 bra L;
)");
  // Lane i is in word 16.5 i rounded down: all banks differ. Two bytes further
  // on lane 31 meets lane 0 in bank 0.
  EXPECT_EQ(onlyBank(halves).ideal, 2u);
  EXPECT_EQ(onlyBank(halves).passes, 3u);
}

TEST(Banks, LoopOfAnAccess) {
  const Counters counters = count(R"(
st.shared.u32 [%r4], %r2;
mov.u32 %r5, 0;
OUTER:
mov.u32 %r6, 0;
INNER:
st.shared.u32 [%r4], %r2;
add.u32 %r6, %r6, 1;
setp.lt.u32 %p1, %r6, 2;
@%p1 bra INNER;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 2;
@%p1 bra OUTER;
)");
  ASSERT_EQ(counters.banks.size(), 2u);
  const auto &[firstLine, outside] = *counters.banks.begin();
  const auto &[secondLine, inside] = *counters.banks.rbegin();
  EXPECT_EQ(outside.loop.depth, 0u);
  EXPECT_EQ(inside.loop.depth, 2u);
  EXPECT_EQ(inside.loop.line, secondLine); // the label's first instruction
  EXPECT_EQ(inside.executions, 4u);
  EXPECT_EQ(counters.worstBank(true), nullptr);
}

TEST(Banks, WorstBank) {
  const Counters counters = count(R"(
mad.lo.u32 %r6, %r1, 8, %r2;
mad.lo.u32 %r7, %r1, 16, %r2;
st.shared.u32 [%r6], %r1;
bar.warp.sync -1;
st.shared.u32 [%r7], %r1;
mov.u32 %r5, 0;
L:
bar.warp.sync -1;
st.shared.u32 [%r6], %r1;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 4;
@%p1 bra L;
)");
  ASSERT_NE(counters.worstBank(false), nullptr);
  EXPECT_EQ(counters.worstBank(false)->second.degree(), 4);
  ASSERT_NE(counters.worstBank(true), nullptr);
  EXPECT_EQ(counters.worstBank(true)->second.degree(), 2);
}

} // namespace
