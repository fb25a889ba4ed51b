//===- PtxasTest.cpp - reading the assembler's report ---------------------===//
#include "lib/Emit/Ptxas.h"

#include "gtest/gtest.h"

using namespace wna16;

namespace {

TEST(Ptxas, Report) {
  Assembly assembly;
  parsePtxasReport(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'one' for 'sm_90a'
ptxas info    : Function properties for one
    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 82 registers, used 3 barriers, 8 bytes cumulative stack size, 2048 bytes smem
ptxas info    : Compile time = 12.345 ms
ptxas info    : Compiling entry function 'two' for 'sm_90a'
ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored
ptxas info    : Function properties for two
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
ptxas warning : something
)",
                   assembly);
  ASSERT_EQ(assembly.resources.size(), 2u);
  const EntryResources &one = assembly.resources["one"];
  EXPECT_EQ(one.registers, 82);
  EXPECT_EQ(one.barriers, 3);
  EXPECT_EQ(one.staticSharedBytes, 2048);
  EXPECT_EQ(one.stackBytes, 8);
  EXPECT_EQ(one.forLaunch(), (LaunchResources{82, 28, 2048}));
  EXPECT_EQ(assembly.resources["two"].registers, 8);
  ASSERT_EQ(assembly.notes.size(), 2u);
  EXPECT_NE(assembly.notes[0].find("C7508"), std::string::npos);
  EXPECT_EQ(assembly.notes[1], "ptxas warning : something");
}

} // namespace
