//===- Completions.h - tests of what copies may and may not do ------------===//
//
// When asynchronous operations land is a choice; what the checks say must not
// depend on it. These helpers run a body with every kind of choice.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_TEST_UNIT_EMULATOR_COMPLETIONS_H
#define WNA16_TEST_UNIT_EMULATOR_COMPLETIONS_H

#include "test/unit/Emulator/Harness.h"

namespace wna16::emulator {

/// `text` with its first `from` replaced.
inline std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The beginning of a body for two warps: mbarriers for so many arrivals at
/// bytes 1024 ("full") and 1032 ("empty"), 4 bytes per lane at %r7; warp 0 goes
/// to CONSUMER.
inline std::string twoWarps(unsigned full, unsigned empty) {
  return "setp.eq.u32 %p1, %r1, 0;\n"
         "@%p1 mbarrier.init.shared.b64 [%r2+1024], " +
         std::to_string(full) +
         ";\n"
         "@%p1 mbarrier.init.shared.b64 [%r2+1032], " +
         std::to_string(empty) +
         ";\n"
         "bar.sync 0;\n"
         "and.b32 %r6, %r3, 127;\n"
         "add.s32 %r7, %r2, %r6;\n"
         "setp.lt.u32 %p2, %r1, 32;\n"
         "@%p2 bra CONSUMER;\n";
}

/// Late, early and eight times random.
inline std::vector<Options> completions() {
  std::vector<Options> all(10);
  all[1].completion = Completion::Early;
  for (size_t i = 2; i < all.size(); ++i) {
    all[i].completion = Completion::Random;
    all[i].seed = i;
  }
  return all;
}

/// Runs `body` in every way of completion.
template <typename F>
void inEveryWay(const std::string &body, uint32_t threads, uint32_t blocks,
                uint32_t clusterBlocks, F &&check) {
  std::vector<uint32_t> in(4096);
  for (uint32_t i = 0; i < in.size(); ++i)
    in[i] = 1000 + i;
  for (const Options &options : completions())
    check(runBody(body, in, threads, options, blocks, clusterBlocks));
}

/// No report and, if it is given, the output of thread 5.
inline void expectRight(const std::string &body, uint32_t threads,
                        uint32_t result = 0, uint32_t blocks = 1,
                        uint32_t clusterBlocks = 1) {
  inEveryWay(body, threads, blocks, clusterBlocks, [&](const Outcome &outcome) {
    expectClean(outcome);
    if (result) {
      EXPECT_EQ(outcome.out[5], result);
    }
  });
}

/// The first report is one of `check`.
inline void expectFirst(const std::string &body, Check check, uint32_t threads,
                        uint32_t blocks = 1, uint32_t clusterBlocks = 1) {
  inEveryWay(body, threads, blocks, clusterBlocks, [&](const Outcome &outcome) {
    ASSERT_FALSE(outcome.reports.empty()) << checkName(check) << body;
    EXPECT_EQ(outcome.reports[0].check, check) << outcome.reports[0].str();
  });
}

} // namespace wna16::emulator

#endif // WNA16_TEST_UNIT_EMULATOR_COMPLETIONS_H
