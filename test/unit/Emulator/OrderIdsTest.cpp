//===- OrderIdsTest.cpp - row and expert ids ------------------------------===//
//
// What buffers that the launch tags may decide, and what not.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/OrderHarness.h"

using namespace wna16::emulator;

namespace {

const char *const copy = R"(
mul.wide.u32 %rd20, %r5, 4;
add.s64 %rd21, %rd2, %rd20;
cp.async.ca.shared.global [%r4], [%rd21], 4;
cp.async.wait_all;
)";

TEST(Order, IdsLoadedBeforeTheLoop) {
  for (Buffer::Ids ids : {Buffer::Ids::Row, Buffer::Ids::Expert})
    EXPECT_EQ(path(runLoop(copy, ids, "ld.global.u32 %r5, [%rd1];")), "");
  EXPECT_NE(
      path(runLoop(copy, Buffer::Ids::None, "ld.global.u32 %r5, [%rd1];")), "");
}

TEST(Order, IdsThroughSharedMemory) {
  EXPECT_EQ(path(runLoop(std::string("ld.shared.u32 %r5, [%r4+128];") + copy,
                         Buffer::Ids::Row,
                         "ld.global.u32 %r9, [%rd1];\n"
                         "st.shared.u32 [%r4+128], %r9;")),
            "");
}

TEST(Order, IdsLoadedInEveryRound) {
  const auto reports = runLoop(std::string("ld.global.u32 %r5, [%rd7];") + copy,
                               Buffer::Ids::Row);
  EXPECT_EQ(path(reports), "ld.global.u32 of 'idx' -> mul.wide.u32 -> add.s64 "
                           "-> cp.async.ca.shared.global");
  ASSERT_FALSE(reports.empty());
  EXPECT_NE(reports[0].message.find("every round of this loop loads"),
            std::string::npos);
  EXPECT_NE(reports[0].message.find("(ORD5b)"), std::string::npos);
}

TEST(Order, IdsLoadedInAnotherLoop) {
  EXPECT_EQ(path(runLoop(R"(
ld.global.u32 %r5, [%rd7];
cp.async.ca.shared.global [%r4], [%rd8], 4;
cp.async.wait_all;
)",
                         Buffer::Ids::Row, "",
                         std::string("mov.u32 %r10, 0;\nAGAIN:") + copy + R"(
add.s32 %r10, %r10, 1;
setp.lt.u32 %p1, %r10, 8;
@%p1 bra AGAIN;
)")),
            "");
}

TEST(Order, IdsLoadedWhenTheWorkChanges) {
  // A persistent loop over (item, k): ids are loaded now and then.
  EXPECT_EQ(path(runLoop(std::string(R"(
and.b32 %r8, %r2, 3;
setp.ne.u32 %p5, %r8, 0;
@%p5 bra SAME;
ld.global.u32 %r5, [%rd7];
SAME:
)") + copy,
                         Buffer::Ids::Expert)),
            "");
  EXPECT_EQ(path(runLoop(std::string(R"(
and.b32 %r8, %r2, 3;
setp.eq.u32 %p5, %r8, 0;
@%p5 ld.global.u32 %r5, [%rd7];
)") + copy,
                         Buffer::Ids::Expert)),
            "");
}

TEST(Order, IdsInALoopThatIsNotForK) {
  // An epilogue: rows of the output, factors by row.
  EXPECT_EQ(path(runLoop(R"(
ld.global.u32 %r5, [%rd7];
mul.wide.u32 %rd20, %r5, 4;
add.s64 %rd21, %rd2, %rd20;
ld.global.u32 %r6, [%rd21];
add.s64 %rd22, %rd3, %rd20;
st.global.u32 [%rd22], %r6;
)",
                         Buffer::Ids::Row)),
            "");
}

TEST(Order, DataCountsMoreThanIds) {
  EXPECT_EQ(path(runLoop(std::string(R"(
ld.global.u32 %r9, [%rd8];
add.u32 %r5, %r8, %r9;
and.b32 %r5, %r5, 7;
)") + use,
                         Buffer::Ids::Row, "ld.global.u32 %r8, [%rd1];")),
            "ld.global.u32 of 'data' -> add.u32 -> and.b32" + usePath);
}

TEST(Order, IdsFoundThroughDataAreIds) {
  EXPECT_EQ(path(runLoop(use, Buffer::Ids::Expert, R"(
ld.global.u32 %r8, [%rd2];
mul.wide.u32 %rd10, %r8, 4;
add.s64 %rd11, %rd1, %rd10;
ld.global.u32 %r5, [%rd11];
)")),
            "");
}

TEST(Order, OffByDefault) {
  Options options;
  EXPECT_FALSE(options.checkOrder);
}

} // namespace
