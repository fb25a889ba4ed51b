//===- Emulator.h - run a PTX kernel on the CPU ---------------------------===//
//
// The public interface: parse a module, fill a Device with buffers, run an
// entry. Numbers are real, memory is watched byte by byte, and whatever is
// wrong comes back as a value. Nothing here prints, exits or throws on bad PTX.
//
//   auto parsed = parsePtx(text, "k.ptx");
//   Device device;
//   Buffer &x = device.addBuffer("x", 1024);
//   LaunchSpec launch{.entry = "k", .grid = {4, 1, 1}, .block = {32, 1, 1}};
//   launch.params = {paramBytes(x.base)};
//   RunResult result = run(*std::get<0>(parsed), device, launch, Options());
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_EMULATOR_H
#define WNA16_LIB_EMULATOR_EMULATOR_H

#include "lib/Emulator/Counters.h"
#include "lib/Emulator/Device.h"
#include "lib/Emulator/Options.h"
#include "lib/Emulator/Parser.h"
#include "lib/Emulator/Report.h"

namespace wna16::emulator {

using Dim3 = std::array<uint32_t, 3>;

struct LaunchSpec {
  std::string entry;
  Dim3 grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  /// Dynamic shared memory.
  uint32_t sharedBytes = 0;
  /// All blocks are resident at once, whatever Options::resident says.
  bool cooperative = false;
  /// The bytes of each parameter, in order, little-endian.
  std::vector<std::vector<uint8_t>> params;
};

struct RunResult {
  std::vector<Report> reports;
  Counters counters;
  bool ok() const { return reports.empty(); }
};

/// Runs every block of the launch. Buffers of `device` are changed in place.
RunResult run(const ast::Module &module, Device &device,
              const LaunchSpec &launch, const Options &options);

/// Entry names of a module, in order.
std::vector<std::string> entryNames(const ast::Module &module);

/// Little-endian bytes of a parameter.
template <typename T> std::vector<uint8_t> paramBytes(T value) {
  const auto *begin = reinterpret_cast<const uint8_t *>(&value);
  return {begin, begin + sizeof(T)};
}

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_EMULATOR_H
