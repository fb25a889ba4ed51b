//===- OrderTest.cpp - no address in a loop depends on data ---------------===//
//
// Small kernels that find data by loaded numbers, in many disguises: registers,
// predicates, branches; and kernels that load much and address by counters
// only. The reports with their lines are in test/Emulator/order-*.ptx.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/OrderHarness.h"

using namespace wna16::emulator;

namespace {

TEST(Order, GroupIndex) {
  EXPECT_EQ(path(runLoop(std::string("ld.global.u32 %r5, [%rd7];") + use)),
            "ld.global.u32 of 'idx'" + usePath);
}

TEST(Order, LoadedOutsideTheLoop) {
  EXPECT_EQ(path(runLoop(use, Buffer::Ids::None, "ld.global.u32 %r5, [%rd1];")),
            "ld.global.u32 of 'idx'" + usePath);
}

TEST(Order, UsedOutsideTheLoop) {
  EXPECT_EQ(
      path(runLoop("ld.global.u32 %r5, [%rd7];", Buffer::Ids::None, "", use)),
      "");
}

TEST(Order, CountersAndParameters) {
  EXPECT_EQ(path(runLoop(R"(
ld.global.u32 %r5, [%rd7];
ld.global.u32 %r6, [%rd8];
mad.lo.u32 %r7, %r5, %r6, %r7;
st.shared.u32 [%r4], %r7;
ld.shared.u32 %r8, [%r4];
st.global.u32 [%rd5], %r8;
)")),
            "");
}

TEST(Order, ThroughBits) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.nc.u32 %r10, [%rd7];
prmt.b32 %r11, %r10, 0, 0x4440;
cvt.u16.u32 %rs1, %r11;
cvt.u32.u16 %r12, %rs1;
shfl.sync.idx.b32 %r13, %r12, 0, 31, -1;
mad.lo.u32 %r5, %r13, 1, 0;
)") + use)),
            "ld.global.nc.u32 of 'idx' -> prmt.b32 -> cvt.u16.u32 -> "
            "cvt.u32.u16 -> shfl.sync.idx.b32 -> mad.lo.u32" +
                usePath);
}

TEST(Order, ShuffleTakesOneLane) {
  // Lane 0 holds a constant, the others the index.
  const std::string mixed = R"(
setp.ne.u32 %p5, %r1, 0;
mov.u32 %r8, 2;
@%p5 ld.global.u32 %r8, [%rd7];
)";
  EXPECT_EQ(
      path(runLoop(mixed + "shfl.sync.idx.b32 %r5, %r8, 0, 31, -1;" + use)),
      "");
  EXPECT_NE(
      path(runLoop(mixed + "shfl.sync.idx.b32 %r5, %r8, 1, 31, -1;" + use)),
      "");
}

TEST(Order, CarriedOverTheLoop) {
  // Loaded in one round, used in the next.
  EXPECT_EQ(path(runLoop(std::string(use) + "ld.global.u32 %r9, [%rd7];\n"
                                            "mov.u32 %r5, %r9;",
                         Buffer::Ids::None, "mov.u32 %r5, 0;")),
            "ld.global.u32 of 'idx' -> mov.u32" + usePath);
}

TEST(Order, SumOverTheLoopHasABoundedPath) {
  EXPECT_EQ(path(runLoop(std::string("ld.global.u32 %r9, [%rd7];\n"
                                     "and.b32 %r9, %r9, 1;\n"
                                     "add.u32 %r5, %r5, %r9;") +
                             use,
                         Buffer::Ids::None, "mov.u32 %r5, 0;")),
            "ld.global.u32 of 'idx' -> and.b32 -> add.u32" + usePath);
}

TEST(Order, LongPathsAreCut) {
  std::string sum = "ld.global.u32 %r9, [%rd7];\nand.b32 %r9, %r9, 0;\n";
  for (int i = 0; i < 50; ++i)
    sum += "add.u32 %r9, %r9, 0;\n";
  const std::string found = path(runLoop(sum + "mov.u32 %r5, %r9;" + use));
  EXPECT_NE(found.find("and.b32 -> add.u32"), std::string::npos);
  EXPECT_NE(found.find(" -> 16 more -> "), std::string::npos) << found;
  EXPECT_NE(found.find("add.u32 -> mov.u32" + usePath), std::string::npos);
}

TEST(Order, SelectedByData) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
setp.gt.u32 %p5, %r8, 3;
selp.b32 %r5, 1, 0, %p5;
)") + use)),
            "ld.global.u32 of 'idx' -> setp.gt.u32 -> selp.b32" + usePath);
}

TEST(Order, GuardedMove) {
  // Lanes that keep their value because of data depend on the data too.
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
setp.gt.u32 %p5, %r8, 100;
mov.u32 %r5, 0;
@%p5 mov.u32 %r5, 1;
)") + use)),
            "ld.global.u32 of 'idx' -> setp.gt.u32 -> mov.u32" + usePath);
}

TEST(Order, BranchedByData) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
setp.gt.u32 %p5, %r8, 3;
mov.u32 %r5, 0;
@%p5 bra JOIN;
mov.u32 %r5, 1;
JOIN:
)") + use)),
            "ld.global.u32 of 'idx' -> setp.gt.u32 -> bra -> mov.u32" +
                usePath);
}

TEST(Order, WorkUnderABranch) {
  // What is made and used under the branch is the same whenever it is run.
  EXPECT_EQ(path(runLoop(R"(
ld.global.u32 %r8, [%rd7];
setp.gt.u32 %p5, %r8, 3;
@%p5 bra NEXT;
add.s64 %rd21, %rd8, 4;
ld.global.u32 %r6, [%rd21];
)")),
            "");
}

TEST(Order, StoredUnderABranch) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
setp.gt.u32 %p5, %r8, 3;
mov.u32 %r9, 0;
st.shared.u32 [%r4], %r9;
@%p5 st.shared.u32 [%r4], %r2;
ld.shared.u32 %r5, [%r4];
)") + use)),
            "ld.global.u32 of 'idx' -> setp.gt.u32 -> st.shared.u32 -> "
            "ld.shared.u32" +
                usePath);
}

TEST(Order, StoredOnOneWay) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
setp.gt.u32 %p5, %r8, 3;
@%p5 bra OTHER;
st.shared.u32 [%r4], %r2;
bra JOIN;
OTHER:
mov.u32 %r9, 0;
st.shared.u32 [%r4], %r9;
JOIN:
ld.shared.u32 %r5, [%r4];
)") + use)),
            "ld.global.u32 of 'idx' -> setp.gt.u32 -> bra -> st.shared.u32 -> "
            "ld.shared.u32" +
                usePath);
}

/// Counts to the loaded number: %r5 ends as that.
const char *const count = R"(
ld.global.u32 %r8, [%rd7];
mov.u32 %r5, 0;
INNER:
setp.ge.u32 %p5, %r5, %r8;
@%p5 bra FOUND;
add.u32 %r5, %r5, 1;
bra INNER;
FOUND:
)";

TEST(Order, CountedUpToData) {
  EXPECT_EQ(path(runLoop(std::string(count) + use)),
            "ld.global.u32 of 'idx' -> setp.ge.u32 -> bra -> add.u32" +
                usePath);
}

TEST(Order, CountedUpToIds) {
  // A ring goes on where the last piece of work, of any length, left it.
  EXPECT_EQ(path(runLoop(std::string(count) + use, Buffer::Ids::Row)), "");
}

TEST(Order, AddressesInALoopThatDataEnd) {
  EXPECT_EQ(path(runLoop(R"(
ld.global.u32 %r8, [%rd7];
mov.u32 %r9, 0;
mov.u32 %r5, 0;
INNER:
mul.wide.u32 %rd20, %r5, 4;
add.s64 %rd21, %rd2, %rd20;
ld.global.u32 %r6, [%rd21];
st.shared.u32 [%r4], %r6;
add.u32 %r5, %r5, 1;
and.b32 %r5, %r5, 3;
add.u32 %r9, %r9, 1;
setp.lt.u32 %p5, %r9, %r8;
@%p5 bra INNER;
)")),
            "");
}

TEST(Order, StoredInALoopThatDataEnd) {
  // The counter goes through shared memory.
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r8, [%rd7];
mov.u32 %r9, 0;
INNER:
st.shared.u32 [%r4], %r9;
add.u32 %r9, %r9, 1;
setp.lt.u32 %p5, %r9, %r8;
@%p5 bra INNER;
ld.shared.u32 %r5, [%r4];
)") + use)),
            "ld.global.u32 of 'idx' -> setp.lt.u32 -> bra -> st.shared.u32 -> "
            "ld.shared.u32" +
                usePath);
}

TEST(Order, DataThatEndsTheLoop) {
  // How often a loop runs is no order of what it does ...
  const char *const body = R"(
ld.global.u32 %r8, [%rd7];
ld.global.u32 %r6, [%rd8];
setp.gt.u32 %p5, %r8, 6;
@%p5 bra OUT;
)";
  EXPECT_EQ(path(runLoop(body, Buffer::Ids::None, "", "OUT:\n")), "");
  // ... but what it ends with is data, in the next loop.
  EXPECT_EQ(path(runLoop(body, Buffer::Ids::None, "", R"(
OUT:
mul.wide.u32 %rd20, %r2, 4;
add.s64 %rd21, %rd2, %rd20;
mov.u32 %r9, 0;
AGAIN:
ld.global.u32 %r6, [%rd21];
add.u32 %r9, %r9, 1;
setp.lt.u32 %p6, %r9, 3;
@%p6 bra AGAIN;
)")),
            "ld.global.u32 of 'idx' -> setp.gt.u32 -> bra -> add.s32 -> "
            "mul.wide.u32 -> add.s64 -> ld.global.u32");
}

TEST(Order, AddressOfAStore) {
  EXPECT_EQ(path(runLoop(R"(
ld.global.u32 %r5, [%rd7];
mul.wide.u32 %rd20, %r5, 4;
add.s64 %rd21, %rd3, %rd20;
st.global.u32 [%rd21], %r2;
)")),
            "ld.global.u32 of 'idx' -> mul.wide.u32 -> add.s64 -> "
            "st.global.u32");
}

} // namespace
