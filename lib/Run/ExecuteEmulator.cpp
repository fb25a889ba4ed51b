//===- ExecuteEmulator.cpp - one launch on the emulator -------------------===//
//
// Arguments become buffers of an emulated device; outputs are copied back with
// the marks of what was never written.
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Execute.h"

#include <chrono>
#include <cstring>

using llvm::createStringError;
using llvm::Expected;

namespace wna16::run {

std::vector<uint8_t> scalarBytes(const ArgumentData &data) {
  const std::string &dtype = data.argument->dtype;
  uint64_t bits = uint64_t(data.value);
  if (dtype == "f32")
    bits = std::bit_cast<uint32_t>(float(data.value));
  if (dtype == "f64")
    bits = std::bit_cast<uint64_t>(double(data.value));
  std::vector<uint8_t> bytes(dtypeBytes(dtype));
  std::memcpy(bytes.data(), &bits, bytes.size());
  return bytes;
}

Expected<Execution> runOnEmulator(const KernelInput &input,
                                  const emulator::ast::Module &module,
                                  std::array<int64_t, 3> grid,
                                  const emulator::Options &options,
                                  std::vector<ArgumentData> &arguments) {
  const LaunchRecord &record = input.record;
  emulator::Device device;
  emulator::LaunchSpec launch;
  launch.entry = record.kernel;
  for (unsigned i = 0; i < 3; ++i) {
    if (grid[i] > INT32_MAX || record.block[i] > 1024)
      return createStringError("grid or block of kernel '" + record.kernel +
                               "' is too large");
    launch.grid[i] = uint32_t(grid[i]);
    launch.block[i] = uint32_t(record.block[i]);
    launch.cluster[i] = uint32_t(record.cluster[i]);
  }
  launch.sharedBytes = uint32_t(record.sharedBytes);
  for (ArgumentData &data : arguments) {
    if (!data.isBuffer()) {
      launch.params.push_back(scalarBytes(data));
      continue;
    }
    emulator::Buffer &buffer =
        device.addBuffer(data.argument->name, std::move(data.bytes),
                         uint64_t(data.argument->alignment),
                         data.argument->access == LaunchArgument::Access::Read);
    buffer.undefined.swap(data.undefined);
    launch.params.push_back(emulator::paramBytes(buffer.base));
  }

  Execution execution;
  const auto start = std::chrono::steady_clock::now();
  emulator::RunResult result = emulator::run(module, device, launch, options);
  execution.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  execution.reports = std::move(result.reports);
  execution.counters = std::move(result.counters);
  for (ArgumentData &data : arguments)
    if (data.isBuffer()) {
      emulator::Buffer *buffer = device.find(data.argument->name);
      data.bytes.swap(buffer->bytes);
      data.undefined.swap(buffer->undefined);
    }
  return execution;
}

} // namespace wna16::run
