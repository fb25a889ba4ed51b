//===- Launch.cpp - devices, modules, functions and launches --------------===//
//
// The C entry points that need the driver. A module keeps its device's primary
// context alive, the one that PyTorch and the CUDA runtime use too, so pointers
// and streams of theirs are valid here.
//
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Error.h"
#include "lib/Runtime/Function.h"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace wna16::runtime;

struct wna16_module {
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule handle = nullptr;
  std::mutex mutex;
  /// A deque, because callers hold pointers to its elements.
  std::deque<wna16_function> functions;
};

namespace {

/// The primary context of a device, held until release() or the end of scope.
class PrimaryContext {
public:
  PrimaryContext(const Driver &driver, int ordinal) : driver(driver) {
    driver.check(driver.deviceGet(&device, ordinal), "opening the device",
                 "the device number must be below the device count");
    driver.check(driver.primaryRetain(&context, device),
                 "opening the device's primary context");
  }
  ~PrimaryContext() {
    if (held)
      driver.primaryRelease(device);
  }
  PrimaryContext(const PrimaryContext &) = delete;
  PrimaryContext &operator=(const PrimaryContext &) = delete;

  /// The caller keeps the context alive from here on.
  void keep() { held = false; }

  CUdevice device = 0;
  CUcontext context = nullptr;

private:
  const Driver &driver;
  bool held = true;
};

int attribute(const Driver &driver, CUdevice device, int which) {
  int value = 0;
  driver.check(driver.deviceGetAttribute(&value, which, device),
               "reading a device attribute");
  return value;
}

int attribute(const Driver &driver, CUfunction function, int which) {
  int value = 0;
  driver.check(driver.functionGetAttribute(&value, which, function),
               "reading a kernel attribute");
  return value;
}

std::optional<std::vector<size_t>> parameterSizes(const Driver &driver,
                                                  CUfunction function) {
  if (!driver.functionParameter)
    return std::nullopt;
  std::vector<size_t> sizes;
  while (sizes.size() <= WNA16_MAX_PARAMETERS) { // one more is too many
    size_t place = 0, size = 0;
    const CUresult result =
        driver.functionParameter(function, sizes.size(), &place, &size);
    if (result == kInvalidValue)
      return sizes;
    if (result != 0)
      return std::nullopt;
    sizes.push_back(size);
  }
  return sizes;
}

[[noreturn]] void badParameter(const std::string &what) {
  throw RuntimeError(WNA16_ERROR_ARGUMENT, "wna16_launch: " + what);
}

/// The parameters of a launch, one pointer each. The driver puts them where the
/// kernel has them: ptxas need not place them as C would place the members of a
/// struct (it aligns the address in constant memory, which parameters begin in
/// the middle of), so one buffer with all of them would be wrong for some.
class Parameters {
public:
  Parameters(const wna16_function &function, const void *arguments,
             size_t bytes, const uint32_t *offsets, uint32_t count) {
    const auto &sizes = function.parameters;
    if (count > WNA16_MAX_PARAMETERS)
      badParameter("expected at most " + std::to_string(WNA16_MAX_PARAMETERS) +
                   " parameters, found " + std::to_string(count));
    if (sizes && sizes->size() != count)
      badParameter("the kernel has " + std::to_string(sizes->size()) +
                   " parameters, found " + std::to_string(count) +
                   "; the launch record is not that of this kernel");
    for (uint32_t i = 0; i < count; ++i) {
      const size_t size = sizes ? (*sizes)[i] : 1;
      if (offsets[i] >= bytes || size > bytes - offsets[i])
        badParameter("parameter " + std::to_string(i) + " at byte " +
                     std::to_string(offsets[i]) + " with " +
                     (sizes ? "" : "at least ") + std::to_string(size) +
                     " bytes ends after the " + std::to_string(bytes) +
                     " bytes of all arguments");
      pointers[i] =
          const_cast<char *>(static_cast<const char *>(arguments)) + offsets[i];
    }
  }

  void *pointers[WNA16_MAX_PARAMETERS];
};

} // namespace

wna16_status wna16_driver_version(int *version) {
  return guarded([&] {
    require(version, "wna16_driver_version: version is null");
    const Driver &driver = Driver::get();
    driver.check(driver.driverGetVersion(version), "cuDriverGetVersion");
  });
}

wna16_status wna16_device_count(int *count) {
  return guarded([&] {
    require(count, "wna16_device_count: count is null");
    const Driver &driver = Driver::get();
    driver.check(driver.deviceGetCount(count), "cuDeviceGetCount");
  });
}

wna16_status wna16_device_query(int device, wna16_device_info *info) {
  return guarded([&] {
    require(info, "wna16_device_query: info is null");
    const Driver &driver = Driver::get();
    CUdevice handle = 0;
    driver.check(driver.deviceGet(&handle, device), "opening the device");
    *info = {};
    driver.check(driver.deviceGetName(info->name, sizeof(info->name), handle),
                 "cuDeviceGetName");
    info->compute_major = attribute(driver, handle, kDeviceComputeMajor);
    info->compute_minor = attribute(driver, handle, kDeviceComputeMinor);
    info->multiprocessors = attribute(driver, handle, kDeviceMultiprocessors);
    info->max_shared_bytes = attribute(driver, handle, kDeviceMaxSharedOptin);
  });
}

wna16_status wna16_stream_capturing(int device, void *stream, int *capturing) {
  return guarded([&] {
    require(capturing, "wna16_stream_capturing: capturing is null");
    const Driver &driver = Driver::get();
    PrimaryContext primary(driver, device);
    CurrentContext current(driver, primary.context);
    int status = 0;
    driver.check(
        driver.streamIsCapturing(static_cast<CUstream>(stream), &status),
        "asking whether the stream is being captured");
    *capturing = status != 0;
  });
}

wna16_status wna16_memory_allocate(int device, size_t bytes,
                                   uint64_t *address) {
  return guarded([&] {
    require(address, "wna16_memory_allocate: address is null");
    *address = 0;
    require(bytes, "wna16_memory_allocate: expected at least one byte");
    const Driver &driver = Driver::get();
    PrimaryContext primary(driver, device);
    CurrentContext current(driver, primary.context);
    uint64_t memory = 0;
    driver.check(driver.memoryAllocate(&memory, bytes), "allocating workspace",
                 (std::to_string(bytes) + " bytes asked for").c_str());
    // The caller's stream need not wait for the default stream.
    CUresult result = driver.memorySet(memory, 0, bytes);
    if (result == 0)
      result = driver.streamSynchronize(nullptr);
    if (result != 0)
      driver.memoryFree(memory);
    driver.check(result, "clearing workspace");
    primary.keep();
    *address = memory;
  });
}

wna16_status wna16_memory_free(int device, uint64_t address) {
  return guarded([&] {
    if (!address)
      return;
    const Driver &driver = Driver::get();
    PrimaryContext primary(driver, device);
    {
      CurrentContext current(driver, primary.context);
      driver.check(driver.memoryFree(address), "freeing workspace");
    }
    // The allocation's own hold on the context.
    driver.primaryRelease(primary.device);
  });
}

wna16_status wna16_module_load(int device, const void *image, size_t bytes,
                               wna16_module **module) {
  return guarded([&] {
    require(module, "wna16_module_load: module is null");
    *module = nullptr;
    require(image && bytes, "wna16_module_load: the image is empty");
    const Driver &driver = Driver::get();
    PrimaryContext primary(driver, device);
    CurrentContext current(driver, primary.context);

    // The driver takes PTX as a zero-terminated string.
    std::string text(static_cast<const char *>(image), bytes);
    char log[4096] = {};
    int options[] = {kJitErrorLog, kJitErrorLogBytes};
    void *values[] = {log,
                      reinterpret_cast<void *>(uintptr_t(sizeof(log) - 1))};
    auto result = std::make_unique<wna16_module>();
    driver.check(
        driver.moduleLoad(&result->handle, text.c_str(), 2, options, values),
        "loading the kernel", log);
    result->device = primary.device;
    result->context = primary.context;
    primary.keep();
    *module = result.release();
  });
}

void wna16_module_unload(wna16_module *module) {
  if (!module)
    return;
  (void)guarded([&] {
    const Driver &driver = Driver::get();
    {
      CurrentContext current(driver, module->context);
      driver.moduleUnload(module->handle);
    }
    driver.primaryRelease(module->device);
  });
  delete module;
}

wna16_status wna16_module_function(wna16_module *module, const char *name,
                                   uint32_t shared_bytes,
                                   wna16_function **function) {
  return guarded([&] {
    require(module && name && function,
            "wna16_module_function: an argument is null");
    *function = nullptr;
    const Driver &driver = Driver::get();
    CurrentContext current(driver, module->context);
    wna16_function result;
    result.context = module->context;
    driver.check(driver.moduleGetFunction(&result.handle, module->handle, name),
                 "looking up the kernel", name);
    driver.check(driver.functionSetAttribute(result.handle,
                                             kFunctionMaxDynamicShared,
                                             int(shared_bytes)),
                 "setting the kernel's shared memory",
                 (std::to_string(shared_bytes) + " bytes asked for").c_str());
    if (driver.functionLoad)
      driver.check(driver.functionLoad(result.handle),
                   "putting the kernel on the device", name);
    result.parameters = parameterSizes(driver, result.handle);
    std::lock_guard<std::mutex> lock(module->mutex);
    module->functions.push_back(std::move(result));
    *function = &module->functions.back();
  });
}

wna16_status wna16_function_query(const wna16_function *function,
                                  wna16_function_info *info) {
  return guarded([&] {
    require(function && info, "wna16_function_query: an argument is null");
    const Driver &driver = Driver::get();
    CurrentContext current(driver, function->context);
    CUfunction handle = function->handle;
    info->registers = attribute(driver, handle, kFunctionRegisters);
    info->local_bytes = attribute(driver, handle, kFunctionLocalBytes);
    info->static_shared_bytes = attribute(driver, handle, kFunctionSharedBytes);
    info->max_threads = attribute(driver, handle, kFunctionMaxThreads);
  });
}

wna16_status wna16_launch(const wna16_function *function,
                          const wna16_launch_config *config,
                          const void *arguments, size_t bytes,
                          const uint32_t *offsets, uint32_t count) {
  return guarded([&] {
    require(function && config && (arguments || bytes == 0) &&
                (offsets || count == 0),
            "wna16_launch: an argument is null");
    require((config->flags &
             ~(WNA16_LAUNCH_COOPERATIVE | WNA16_LAUNCH_DEPENDENT)) == 0,
            "wna16_launch: an unknown flag is set");
    const uint32_t *grid = config->grid;
    const uint32_t *block = config->block;
    const uint32_t *cluster = config->cluster;
    Parameters parameters(*function, arguments, bytes, offsets, count);
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
      return;
    const Driver &driver = Driver::get();
    CurrentContext current(driver, function->context);
    auto stream = static_cast<CUstream>(config->stream);
    LaunchAttribute attributes[3] = {};
    unsigned used = 0;
    if (cluster[0] != 1 || cluster[1] != 1 || cluster[2] != 1) {
      attributes[used].id = kLaunchClusterDimension;
      attributes[used++].cluster = {cluster[0], cluster[1], cluster[2]};
      // What fits every device needs no permission.
      if (uint64_t(cluster[0]) * cluster[1] * cluster[2] > 8)
        driver.check(driver.functionSetAttribute(function->handle,
                                                 kFunctionLargeClusters, 1),
                     "allowing clusters of more than 8 blocks");
    }
    if (config->flags & WNA16_LAUNCH_COOPERATIVE) {
      attributes[used].id = kLaunchCooperative;
      attributes[used++].flag = 1;
    }
    if (config->flags & WNA16_LAUNCH_DEPENDENT) {
      attributes[used].id = kLaunchDependent;
      attributes[used++].flag = 1;
    }
    if (used == 0) {
      driver.check(driver.launch(function->handle, grid[0], grid[1], grid[2],
                                 block[0], block[1], block[2],
                                 config->shared_bytes, stream,
                                 parameters.pointers, nullptr),
                   "launching the kernel");
      return;
    }
    if (!driver.launchEx)
      throw RuntimeError(WNA16_ERROR_NO_DRIVER,
                         "the CUDA driver is too old: it has no "
                         "cuLaunchKernelEx, which clusters, cooperative and "
                         "dependent launches need; update NVIDIA's driver");
    LaunchConfig full = {grid[0],
                         grid[1],
                         grid[2],
                         block[0],
                         block[1],
                         block[2],
                         config->shared_bytes,
                         stream,
                         attributes,
                         used};
    driver.check(
        driver.launchEx(&full, function->handle, parameters.pointers, nullptr),
        "launching the kernel with attributes");
  });
}
