//===- ExecuteEmulator.cpp - one launch on the emulator -------------------===//
//
// Arguments become buffers of an emulated device; outputs are copied back with
// the marks of what was never written.
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Execute.h"
#include "lib/Run/Parameters.h"

#include <chrono>

using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace wna16::run {

namespace {

/// Where buffers lie on an emulated device, and tensor maps of its own.
class EmulatedDevice : public ParameterDevice {
public:
  explicit EmulatedDevice(emulator::Device &device) : device(device) {}

  /// Takes the contents away from `data` until take().
  void add(ArgumentData &data) {
    using Ids = emulator::Buffer::Ids;
    if (!data.isBuffer()) {
      buffers.push_back(nullptr);
      return;
    }
    const LaunchArgument &argument = *data.argument;
    emulator::Buffer &buffer = device.addBuffer(
        argument.name, std::move(data.bytes), uint64_t(argument.alignment),
        argument.access == LaunchArgument::Access::Read);
    buffer.undefined.swap(data.undefined);
    buffer.afterDependency = argument.afterDependency;
    buffer.scratch =
        argument.access == LaunchArgument::Access::ReadWrite &&
        argument.initialContents() == LaunchArgument::Initial::Undefined;
    buffer.ids = argument.ids == LaunchArgument::Ids::Row      ? Ids::Row
                 : argument.ids == LaunchArgument::Ids::Expert ? Ids::Expert
                                                               : Ids::None;
    buffers.push_back(&buffer);
  }
  void take(std::vector<ArgumentData> &arguments) {
    for (auto [data, buffer] : llvm::zip_equal(arguments, buffers))
      if (buffer) {
        data.bytes.swap(buffer->bytes);
        data.undefined.swap(buffer->undefined);
      }
  }

  uint64_t address(size_t index) override { return buffers[index]->base; }
  uint64_t size(size_t index) override { return buffers[index]->bytes.size(); }
  Expected<std::vector<uint8_t>> encode(const wna16_tensor_map &map) override {
    using emulator::TensorMap;
    TensorMap to;
    to.element = TensorMap::Element(map.type);
    to.rank = map.rank;
    to.base = map.address;
    to.byteStrides[0] = to.elementBytes();
    for (unsigned i = 0; i < map.rank; ++i) {
      to.dims[i] = map.dims[i];
      to.box[i] = map.box[i];
      to.elementStrides[i] = map.element_strides[i];
      if (i > 0)
        to.byteStrides[i] = map.strides[i - 1];
    }
    to.swizzle = map.swizzle == 32    ? TensorMap::Swizzle::Bytes32
                 : map.swizzle == 64  ? TensorMap::Swizzle::Bytes64
                 : map.swizzle == 128 ? TensorMap::Swizzle::Bytes128
                                      : TensorMap::Swizzle::None;
    to.fill = map.fill_nan ? TensorMap::Fill::Nan : TensorMap::Fill::Zero;
    return emulator::Device::tensorMapBytes(device.addTensorMap(to));
  }

private:
  emulator::Device &device;
  std::vector<emulator::Buffer *> buffers; // null for other arguments
};

} // namespace

Expected<Execution> runOnEmulator(const KernelInput &input,
                                  const emulator::ast::Module &module,
                                  const SymbolValues &symbols,
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
  launch.cooperative = record.cooperative;
  if (const auto *entry = module.findEntry(record.kernel))
    if (Error error = checkOffsets(record, *entry))
      return error;
  EmulatedDevice target(device);
  for (ArgumentData &data : arguments)
    target.add(data);
  auto parameters = makeParameters(record, symbols, target);
  if (!parameters)
    return parameters.takeError();
  launch.params = std::move(*parameters);

  Execution execution;
  const auto start = std::chrono::steady_clock::now();
  emulator::RunResult result = emulator::run(module, device, launch, options);
  execution.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  execution.reports = std::move(result.reports);
  execution.counters = std::move(result.counters);
  target.take(arguments);
  return execution;
}

} // namespace wna16::run
