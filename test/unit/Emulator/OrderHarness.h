//===- OrderHarness.h - kernels for the order check -----------------------===//
//
// A loop around a body given as text, with numbers, data and an output in
// global memory, and the path that the one report names.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_TEST_UNIT_EMULATOR_ORDERHARNESS_H
#define WNA16_TEST_UNIT_EMULATOR_ORDERHARNESS_H

#include "lib/Emulator/Emulator.h"

#include <cstring>
#include <gtest/gtest.h>

namespace wna16::emulator {

/// A loop of eight rounds: %r2 is k. %rd1 to %rd3 point to the numbers (group
/// of k, 0..7), to data and to the output; %rd5 to this thread's output.
inline std::vector<Report> runLoop(const std::string &body,
                                   Buffer::Ids ids = Buffer::Ids::None,
                                   const std::string &before = "",
                                   const std::string &after = "") {
  const std::string text = R"(
.version 8.0
.target sm_90
.address_size 64
.const .align 4 .b32 table[8] = {0, 1, 2, 3, 4, 5, 6, 7};
.extern .shared .align 1024 .b8 smem[];
.visible .entry k(.param .u64 idx, .param .u64 data, .param .u64 out)
{
.reg .pred %p<20>;
.reg .b16 %rs<40>;
.reg .b32 %r<100>;
.reg .f32 %f<40>;
.reg .b64 %rd<40>;
ld.param.u64 %rd1, [idx];
ld.param.u64 %rd2, [data];
ld.param.u64 %rd3, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd4, %r1, 4;
add.s64 %rd5, %rd3, %rd4;
mov.u32 %r3, smem;
shl.b32 %r90, %r1, 2;
add.s32 %r4, %r3, %r90;
mov.u32 %r2, 0;
)" + before + R"(
LOOP:
mul.wide.u32 %rd6, %r2, 4;
add.s64 %rd7, %rd1, %rd6;
add.s64 %rd8, %rd2, %rd6;
)" + body + R"(
NEXT:
add.s32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, 8;
@%p1 bra LOOP;
)" + after + "\nret;\n}\n";
  ParseResult parsed = parsePtx(text, "test.ptx");
  if (auto *diagnostic = std::get_if<Diagnostic>(&parsed)) {
    ADD_FAILURE() << diagnostic->str();
    return {};
  }
  Device device;
  std::vector<uint32_t> numbers(256);
  for (uint32_t i = 0; i < numbers.size(); ++i)
    numbers[i] = (i + 3) % 8;
  std::vector<uint8_t> bytes(numbers.size() * 4);
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  Buffer &index = device.addBuffer("idx", bytes, 16, true);
  index.ids = ids;
  Buffer &data = device.addBuffer("data", bytes, 16, true);
  Buffer &out = device.addBuffer("out", 4096, 16);
  LaunchSpec launch;
  launch.entry = "k";
  launch.block = {32, 1, 1};
  launch.sharedBytes = 4096;
  launch.params = {paramBytes(index.base), paramBytes(data.base),
                   paramBytes(out.base)};
  Options options;
  options.checkOrder = true;
  options.checks[unsigned(Check::Uninitialized)] = false;
  return run(*std::get<0>(parsed), device, launch, options).reports;
}

/// The one report, without what follows the path; empty if there is none.
inline std::string path(const std::vector<Report> &reports) {
  for (const Report &report : reports)
    if (report.check != Check::Order)
      ADD_FAILURE() << report.str();
  if (reports.empty())
    return "";
  const std::string &text = reports[0].message;
  const size_t begin = text.find(": ") + 2;
  std::string out = text.substr(begin, text.find("; ") - begin);
  // Line numbers off: they are tested elsewhere.
  std::string plain;
  for (size_t at = 0; at < out.size();) {
    size_t end = out.find(" -> ", at);
    end = end == std::string::npos ? out.size() : end;
    plain += (at ? " -> " : "") +
             out.substr(out.find(' ', at) + 1, end - out.find(' ', at) - 1);
    at = end == out.size() ? end : end + 4;
  }
  return plain;
}

/// Without the reports of other checks.
inline std::vector<Report> orderOnly(std::vector<Report> reports) {
  std::erase_if(reports,
                [](const Report &r) { return r.check != Check::Order; });
  return reports;
}

/// Loads data by the number in %r5.
inline const char *const use = R"(
mul.wide.u32 %rd20, %r5, 4;
add.s64 %rd21, %rd2, %rd20;
ld.global.u32 %r6, [%rd21];
)";
inline const std::string usePath =
    " -> mul.wide.u32 -> add.s64 -> ld.global.u32";
} // namespace wna16::emulator

#endif // WNA16_TEST_UNIT_EMULATOR_ORDERHARNESS_H
