//===- ExecuteGpu.cpp - one launch on a GPU -------------------------------===//
//
// Loading and launching go through the runtime's C interface. The runtime
// allocates no memory, so the few driver functions for that are looked up here;
// without a driver the error says so.
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Execute.h"
#include "lib/Run/Parameters.h"

#include "lib/Runtime/wna16_runtime.h"

#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <cstring>
#include <dlfcn.h>

using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace wna16::run {
namespace {

/// Memory functions of the driver, on the primary context of device 0.
class DeviceMemory {
public:
  static Expected<std::unique_ptr<DeviceMemory>> create();
  ~DeviceMemory() {
    for (uint64_t pointer : pointers)
      free(pointer);
    if (context)
      release(0);
  }
  Expected<uint64_t> allocate(size_t bytes) {
    uint64_t pointer = 0;
    if (int code = alloc(&pointer, std::max<size_t>(bytes, 1)))
      return failure("allocating " + std::to_string(bytes) + " bytes", code);
    pointers.push_back(pointer);
    return pointer;
  }
  Error toDevice(uint64_t to, const std::vector<uint8_t> &from) {
    if (int code = from.empty() ? 0 : up(to, from.data(), from.size()))
      return failure("copying to the device", code);
    return Error::success();
  }
  Error toHost(std::vector<uint8_t> &to, uint64_t from) {
    if (int code = to.empty() ? 0 : down(to.data(), from, to.size()))
      return failure("copying from the device", code);
    return Error::success();
  }
  Error synchronize() {
    if (int code = sync())
      return failure("running the kernel", code);
    return Error::success();
  }

private:
  static Error failure(const std::string &what, int code) {
    return createStringError(what + " failed with driver error " +
                             llvm::Twine(code));
  }
  template <typename F> bool look(const char *name, F &function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function;
  }
  void *library = nullptr;
  void *context = nullptr;
  std::vector<uint64_t> pointers;
  int (*init)(unsigned) = nullptr;
  int (*retain)(void **, int) = nullptr;
  int (*release)(int) = nullptr;
  int (*setCurrent)(void *) = nullptr;
  int (*alloc)(uint64_t *, size_t) = nullptr;
  int (*free)(uint64_t) = nullptr;
  int (*up)(uint64_t, const void *, size_t) = nullptr;
  int (*down)(void *, uint64_t, size_t) = nullptr;
  int (*sync)() = nullptr;
};

Expected<std::unique_ptr<DeviceMemory>> DeviceMemory::create() {
  auto memory = std::make_unique<DeviceMemory>();
  DeviceMemory &m = *memory;
  m.library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!m.library)
    return createStringError("no CUDA driver (libcuda.so.1) on this machine: "
                             "use --device emulator");
  if (!m.look("cuInit", m.init) ||
      !m.look("cuDevicePrimaryCtxRetain", m.retain) ||
      !m.look("cuDevicePrimaryCtxRelease_v2", m.release) ||
      !m.look("cuCtxSetCurrent", m.setCurrent) ||
      !m.look("cuMemAlloc_v2", m.alloc) || !m.look("cuMemFree_v2", m.free) ||
      !m.look("cuMemcpyHtoD_v2", m.up) || !m.look("cuMemcpyDtoH_v2", m.down) ||
      !m.look("cuCtxSynchronize", m.sync))
    return createStringError("the CUDA driver is too old");
  int count = 0;
  if (wna16_device_count(&count) != WNA16_OK)
    return createStringError(wna16_last_error());
  if (count == 0)
    return createStringError("no GPU on this machine: use --device emulator");
  if (int code = m.init(0))
    return failure("starting the driver", code);
  if (int code = m.retain(&m.context, 0))
    return failure("opening device 0", code);
  if (int code = m.setCurrent(m.context))
    return failure("opening device 0", code);
  return memory;
}

struct ModuleHandle {
  wna16_module *module = nullptr;
  ~ModuleHandle() {
    if (module)
      wna16_module_unload(module);
  }
};

/// The buffers of a launch on the device.
class GpuDevice : public ParameterDevice {
public:
  explicit GpuDevice(const wna16_function *function) : function(function) {}

  Error add(DeviceMemory &memory, const ArgumentData &data) {
    places.push_back({0, data.bytes.size()});
    if (!data.isBuffer())
      return Error::success();
    Expected<uint64_t> pointer = memory.allocate(data.bytes.size());
    if (!pointer)
      return pointer.takeError();
    places.back().address = *pointer;
    return memory.toDevice(*pointer, data.bytes);
  }

  uint64_t address(size_t index) override { return places[index].address; }
  uint64_t size(size_t index) override { return places[index].size; }
  Expected<std::vector<uint8_t>> encode(const wna16_tensor_map &map) override {
    std::vector<uint8_t> bytes(WNA16_TENSOR_MAP_BYTES);
    if (wna16_tensor_map_encode(function, &map, bytes.data()) != WNA16_OK)
      return createStringError(wna16_last_error());
    return bytes;
  }

private:
  struct Place {
    uint64_t address, size;
  };
  const wna16_function *function;
  std::vector<Place> places;
};

/// The kernel's own parameter list, as far as the PTX can be read.
Error checkOffsetsInPtx(const KernelInput &input) {
  emulator::ParseResult parsed = emulator::parsePtx(input.ptx, input.ptxName);
  if (auto *module = std::get_if<0>(&parsed))
    if (const auto *entry = (*module)->findEntry(input.record.kernel))
      return checkOffsets(input.record, *entry);
  return Error::success();
}

} // namespace

Expected<Execution> runOnGpu(const KernelInput &input,
                             const SymbolValues &symbols,
                             std::array<int64_t, 3> grid,
                             std::vector<ArgumentData> &arguments) {
  auto memoryOrError = DeviceMemory::create();
  if (!memoryOrError)
    return memoryOrError.takeError();
  DeviceMemory &memory = **memoryOrError;

  const LaunchRecord &record = input.record;
  std::string image = input.ptx;
  if (!input.cubin.empty()) {
    image = input.cubin;
  } else if (!input.cubinPath.empty() &&
             llvm::sys::fs::exists(input.cubinPath)) {
    Expected<std::string> cubin = readFile(input.cubinPath);
    if (!cubin)
      return cubin.takeError();
    image = std::move(*cubin);
  }
  ModuleHandle handle;
  wna16_function *function = nullptr;
  if (wna16_module_load(0, image.data(), image.size(), &handle.module) !=
          WNA16_OK ||
      wna16_module_function(handle.module, record.kernel.c_str(),
                            uint32_t(record.sharedBytes),
                            &function) != WNA16_OK)
    return createStringError(wna16_last_error());

  if (Error error = checkOffsetsInPtx(input))
    return error;
  GpuDevice device(function);
  for (const ArgumentData &data : arguments)
    if (Error error = device.add(memory, data))
      return error;
  auto parts = makeParameters(record, symbols, device);
  if (!parts)
    return parts.takeError();
  // One after the other: the driver knows where the kernel has them.
  std::vector<uint8_t> parameters;
  std::vector<uint32_t> offsets;
  for (const std::vector<uint8_t> &part : *parts) {
    offsets.push_back(uint32_t(parameters.size()));
    parameters.insert(parameters.end(), part.begin(), part.end());
  }

  wna16_launch_config config{};
  for (unsigned i = 0; i < 3; ++i) {
    config.grid[i] = uint32_t(grid[i]);
    config.block[i] = uint32_t(record.block[i]);
    config.cluster[i] = uint32_t(record.cluster[i]);
  }
  config.shared_bytes = uint32_t(record.sharedBytes);
  config.flags = (record.cooperative ? WNA16_LAUNCH_COOPERATIVE : 0) |
                 (record.dependentLaunch ? WNA16_LAUNCH_DEPENDENT : 0);
  const auto start = std::chrono::steady_clock::now();
  if (wna16_launch(function, &config, parameters.data(), parameters.size(),
                   offsets.data(), uint32_t(offsets.size())) != WNA16_OK)
    return createStringError(wna16_last_error());
  if (Error error = memory.synchronize())
    return error;
  Execution execution;
  execution.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].isWritten()) {
      if (Error error = memory.toHost(arguments[i].bytes, device.address(i)))
        return error;
      // A GPU does not say what it left alone: the NaN pattern does.
      arguments[i].undefined.clear();
    }
  return execution;
}

} // namespace wna16::run
