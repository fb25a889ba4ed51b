//===- CallTest.cpp - calls of device functions ---------------------------===//
//
// Calls are replaced by bodies: arguments, results, guards, nesting, divergent
// returns, line numbers of reports, and what is refused.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Harness.h"

using namespace wna16::emulator;

namespace {

const char *functions = R"(
.func (.param .b32 r) square(.param .b32 x)
{
.reg .b32 %r<4>;
.reg .pred %p<2>;
ld.param.b32 %r1, [x];
setp.gt.s32 %p1, %r1, 20;
@%p1 bra BIG;
mul.lo.s32 %r2, %r1, %r1;
st.param.b32 [r], %r2;
ret;
BIG:
st.param.b32 [r+0], 7;
ret;
}
.func (.param .b32 r) squares(.param .b32 a, .param .align 8 .b8 pair[8])
{
.reg .b32 %r<8>;
ld.param.b32 %r1, [a];
ld.param.b32 %r2, [pair+4];
{
.param .b32 in;
.param .b32 out;
st.param.b32 [in], %r1;
call.uni (out), square, (in);
ld.param.b32 %r3, [out];
}
{
.param .b32 in;
.param .b32 out;
st.param.b32 [in], %r2;
call.uni (out), square, (in);
ld.param.b32 %r4, [out];
}
add.s32 %r3, %r3, %r4;
st.param.b32 [r], %r3;
ret;
}
.func loop(.param .b32 x)
{
.param .b32 again;
call loop, (again);
ret;
}
.func store(.param .b64 where)
{
.reg .b64 %rd<2>;
.reg .b32 %r<2>;
ld.param.b64 %rd1, [where];
st.global.b32 [%rd1], %r1;
ret;
}
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
)";

/// The harness kernel with `functions` in front of it.
Outcome runWithFunctions(const std::string &body) {
  std::string text = kernelText(body);
  text.insert(text.find(".extern .shared"), functions);
  ParseResult parsed = parsePtx(text, "test.ptx");
  Outcome outcome;
  if (auto *diagnostic = std::get_if<Diagnostic>(&parsed)) {
    ADD_FAILURE() << diagnostic->str();
    return outcome;
  }
  Device device;
  Buffer &input = device.addBuffer("in", 4096, 16, true);
  Buffer &output = device.addBuffer("out", 4096, 16);
  output.poison();
  LaunchSpec launch;
  launch.entry = "k";
  launch.block = {32, 1, 1};
  launch.sharedBytes = 16384;
  launch.params = {paramBytes(input.base), paramBytes(output.base)};
  RunResult result = run(*std::get<0>(parsed), device, launch, Options());
  outcome.reports = std::move(result.reports);
  outcome.out.resize(1024);
  std::memcpy(outcome.out.data(), output.bytes.data(), output.bytes.size());
  return outcome;
}

TEST(Call, ArgumentsResultsAndNesting) {
  const Outcome outcome = runWithFunctions(R"(
{
.param .b32 first;
.param .align 8 .b8 second[8];
.param .b32 sum;
add.s32 %r6, %r1, 1;
st.param.b32 [first], %r1;
st.param.v2.b32 [second], {%r1, %r6};
call.uni (sum), squares, (first, second);
ld.param.b32 %r10, [sum];
}
st.global.b32 [%rd5], %r10;
)");
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  EXPECT_EQ(outcome.out[3], 9u + 16u);
  EXPECT_EQ(outcome.out[20], 400u + 7u); // 21 returns early
  EXPECT_EQ(outcome.out[25], 14u);
}

TEST(Call, GuardedCallsGoAround) {
  const Outcome outcome = runWithFunctions(R"(
.param .b32 given;
.param .b32 got;
setp.lt.u32 %p1, %r1, 4;
mov.u32 %r10, 1;
st.param.b32 [given], %r1;
@!%p1 call (got), square, (given);
@!%p1 ld.param.b32 %r10, [got];
st.global.b32 [%rd5], %r10;
)");
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  EXPECT_EQ(outcome.out[3], 1u);
  EXPECT_EQ(outcome.out[5], 25u);
}

TEST(Call, ReportsNameTheLineOfTheFunction) {
  const Outcome outcome = runWithFunctions(R"(
.param .b64 where;
st.param.b64 [where], %rd5;
call store, (where);
)");
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_EQ(outcome.reports[0].check, Check::Uninitialized);
  EXPECT_EQ(outcome.reports[0].instruction, "st.global.b32");
  const std::string text(functions);
  const size_t at = text.find("st.global.b32");
  // The functions begin on line 5, with an empty line.
  EXPECT_EQ(
      outcome.reports[0].line,
      5 + unsigned(std::count(text.begin(), text.begin() + long(at), '\n')));
}

TEST(Call, AResultThatWasNotStoredIsUndefined) {
  const Outcome outcome = runWithFunctions(R"(
.param .b32 result;
ld.param.b32 %r10, [result];
st.global.b32 [%rd5], %r10;
)");
  EXPECT_TRUE(outcome.has(Check::Uninitialized));
}

TEST(Call, WhatHasNoBodyIsRefused) {
  auto refusal = [](const std::string &text) {
    const Outcome outcome = runWithFunctions(text);
    return outcome.reports.empty() ? "accepted" : outcome.reports[0].message;
  };
  EXPECT_NE(refusal(".param .b64 a; .param .b32 r; call (r), vprintf, (a, a);")
                .find("'vprintf' has no body"),
            std::string::npos);
  EXPECT_NE(refusal(".param .b32 a; call loop, (a);").find("calls itself"),
            std::string::npos);
  EXPECT_NE(refusal("call %rd1, (), prototype;").find("indirect calls"),
            std::string::npos);
  EXPECT_NE(
      refusal(".param .b64 a; mov.b64 %rd9, a;").find("address of a parameter"),
      std::string::npos);
}

TEST(Call, ManyExpansionsEnd) {
  // Each function calls the next one twice and does nothing else.
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n"
                     ".func f40() { ret; }\n";
  for (int i = 39; i >= 0; --i) {
    const std::string call = "call f" + std::to_string(i + 1) + ", ();";
    text += ".func f" + std::to_string(i) + "() { " + call + call + " }\n";
  }
  text += ".visible .entry k() { call f0, (); ret; }\n";
  ParseResult parsed = parsePtx(text, "test.ptx");
  ASSERT_TRUE(
      std::holds_alternative<std::shared_ptr<const ast::Module>>(parsed));
  Device device;
  LaunchSpec launch;
  launch.entry = "k";
  launch.block = {32, 1, 1};
  const RunResult result = run(*std::get<0>(parsed), device, launch, Options());
  ASSERT_FALSE(result.reports.empty());
  EXPECT_NE(result.reports[0].message.find("is too large"), std::string::npos);
}

} // namespace
