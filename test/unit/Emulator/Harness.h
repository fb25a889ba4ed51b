//===- Harness.h - run a few lines of PTX ---------------------------------===//
//
// A kernel with one input and one output buffer of 32-bit words around a body
// given as text. In the body %rd4 and %rd5 point to this thread's word of input
// and output, %r1 is the thread, %r4 this thread's word of shared memory; zeros
// is a variable of 64 words in global memory.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_TEST_UNIT_EMULATOR_HARNESS_H
#define WNA16_TEST_UNIT_EMULATOR_HARNESS_H

#include "lib/Emulator/Emulator.h"

#include <cstring>
#include <gtest/gtest.h>

namespace wna16::emulator {

struct Outcome {
  std::vector<uint32_t> out;
  std::vector<Report> reports;
  Counters counters;

  bool has(Check check) const {
    for (const Report &report : reports)
      if (report.check == check)
        return true;
    return false;
  }
};

inline void expectClean(const Outcome &outcome) {
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
}

inline std::string kernelText(const std::string &body) {
  return R"(
.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 1024 .b8 smem[]; .global .align 4 .b32 zeros[64];
.visible .entry k(.param .u64 in, .param .u64 out)
{
.reg .pred %p<20>;
.reg .b16 %rs<40>;
.reg .b32 %r<100>;
.reg .f32 %f<40>;
.reg .b64 %rd<40>;
.reg .f64 %fd<20>;
ld.param.u64 %rd1, [in];
ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd4, %rd1, %rd3;
add.s64 %rd5, %rd2, %rd3;
mov.u32 %r2, smem;
shl.b32 %r3, %r1, 2;
add.s32 %r4, %r2, %r3;
)" + body +
         "\nret;\n}\n";
}

inline Outcome runBody(const std::string &body, std::vector<uint32_t> in = {},
                       uint32_t threads = 32, Options options = Options(),
                       uint32_t blocks = 1, uint32_t clusterBlocks = 1,
                       bool cooperative = false) {
  in.resize(4096);
  ParseResult parsed = parsePtx(kernelText(body), "test.ptx");
  Outcome outcome;
  if (auto *diagnostic = std::get_if<Diagnostic>(&parsed)) {
    ADD_FAILURE() << diagnostic->str();
    return outcome;
  }
  Device device;
  Buffer &input = device.addBuffer("in", in.size() * 4, 16, true);
  std::memcpy(input.bytes.data(), in.data(), input.bytes.size());
  Buffer &output = device.addBuffer("out", 4096 * 4, 16);
  output.poison();
  LaunchSpec launch;
  launch.entry = "k";
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  launch.cluster = {clusterBlocks, 1, 1};
  launch.sharedBytes = 16384;
  launch.cooperative = cooperative;
  launch.params = {paramBytes(input.base), paramBytes(output.base)};
  RunResult result = run(*std::get<0>(parsed), device, launch, options);
  outcome.reports = std::move(result.reports);
  outcome.counters = std::move(result.counters);
  outcome.out.resize(4096);
  std::memcpy(outcome.out.data(), output.bytes.data(), output.bytes.size());
  return outcome;
}

/// The value that `body` leaves in %r10, with up to 32 input words of which
/// each lane gets its own in %r5; all lanes' results.
inline std::vector<uint32_t> lanes(const std::string &body,
                                   std::vector<uint32_t> in = {}) {
  Outcome outcome = runBody("ld.global.u32 %r5, [%rd4];\n" + body +
                                "\nst.global.u32 [%rd5], %r10;",
                            std::move(in));
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  outcome.out.resize(32);
  return outcome.out;
}
inline uint32_t lane0(const std::string &body, std::vector<uint32_t> in = {}) {
  return lanes(body, std::move(in))[0];
}

} // namespace wna16::emulator

#endif // WNA16_TEST_UNIT_EMULATOR_HARNESS_H
