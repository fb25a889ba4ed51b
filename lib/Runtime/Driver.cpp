//===- Driver.cpp - open the CUDA driver and resolve its functions --------===//
#include "lib/Runtime/Driver.h"

#include "lib/Runtime/Error.h"

#include <dlfcn.h>

#include <string>

using namespace wna16::runtime;

namespace {

/// The driver, or the reason why there is none; made once per process.
struct LoadedDriver {
  Driver functions = {};
  std::string failure;

  LoadedDriver() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      failure = std::string("no CUDA driver on this machine (") +
                (reason ? reason : "libcuda.so.1 not found") +
                "); install NVIDIA's driver, or run on the emulator";
      return;
    }
    resolveAll(library);
    if (!failure.empty())
      return;
    // cuInit fails on machines that have the library but no usable device.
    if (CUresult result = functions.init(0)) {
      const char *name = nullptr;
      functions.getErrorName(result, &name);
      failure =
          std::string("the CUDA driver does not start: cuInit returned ") +
          (name ? name : std::to_string(result).c_str()) +
          "; check that nvidia-smi lists a device";
    }
  }

  template <typename Function>
  void resolve(void *library, Function &function, const char *name,
               bool optional = false) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (!function && !optional && failure.empty())
      failure = std::string("the CUDA driver is too old: it has no ") + name +
                "; update NVIDIA's driver";
  }

  void resolveAll(void *library) {
    Driver &f = functions;
    resolve(library, f.init, "cuInit");
    resolve(library, f.driverGetVersion, "cuDriverGetVersion");
    resolve(library, f.deviceGetCount, "cuDeviceGetCount");
    resolve(library, f.deviceGet, "cuDeviceGet");
    resolve(library, f.deviceGetName, "cuDeviceGetName");
    resolve(library, f.deviceGetAttribute, "cuDeviceGetAttribute");
    resolve(library, f.primaryRetain, "cuDevicePrimaryCtxRetain");
    resolve(library, f.primaryRelease, "cuDevicePrimaryCtxRelease_v2");
    resolve(library, f.contextGet, "cuCtxGetCurrent");
    resolve(library, f.contextPush, "cuCtxPushCurrent_v2");
    resolve(library, f.contextPop, "cuCtxPopCurrent_v2");
    resolve(library, f.moduleLoad, "cuModuleLoadDataEx");
    resolve(library, f.moduleUnload, "cuModuleUnload");
    resolve(library, f.moduleGetFunction, "cuModuleGetFunction");
    resolve(library, f.functionGetAttribute, "cuFuncGetAttribute");
    resolve(library, f.functionSetAttribute, "cuFuncSetAttribute");
    resolve(library, f.streamIsCapturing, "cuStreamIsCapturing");
    resolve(library, f.streamSynchronize, "cuStreamSynchronize");
    resolve(library, f.memoryAllocate, "cuMemAlloc_v2");
    resolve(library, f.memoryFree, "cuMemFree_v2");
    resolve(library, f.memorySet, "cuMemsetD8_v2");
    resolve(library, f.launch, "cuLaunchKernel");
    resolve(library, f.getErrorName, "cuGetErrorName");
    resolve(library, f.getErrorString, "cuGetErrorString");
    resolve(library, f.launchEx, "cuLaunchKernelEx", /*optional=*/true);
    resolve(library, f.functionLoad, "cuFuncLoad", /*optional=*/true);
    resolve(library, f.functionParameter, "cuFuncGetParamInfo",
            /*optional=*/true);
    resolve(library, f.encodeTiled, "cuTensorMapEncodeTiled",
            /*optional=*/true);
  }
};

} // namespace

const Driver &Driver::get() {
  static const LoadedDriver loaded;
  if (!loaded.failure.empty())
    throw RuntimeError(WNA16_ERROR_NO_DRIVER, loaded.failure);
  return loaded.functions;
}

void Driver::check(CUresult result, const char *what,
                   const char *detail) const {
  if (result == 0)
    return;
  const char *name = nullptr;
  const char *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  std::string message =
      std::string(what) + " failed: " + (name ? name : "unknown code") + " (" +
      std::to_string(result) + (text ? ", " : "") + (text ? text : "") + ")";
  if (detail && *detail)
    message += std::string("; ") + detail;
  throw RuntimeError(WNA16_ERROR_DRIVER, message, result);
}

CurrentContext::CurrentContext(const Driver &driver, CUcontext context)
    : driver(driver) {
  CUcontext current = nullptr;
  driver.check(driver.contextGet(&current), "asking for the current context");
  if (current == context)
    return;
  driver.check(driver.contextPush(context), "making the context current");
  pushed = true;
}

CurrentContext::~CurrentContext() {
  CUcontext popped = nullptr;
  if (pushed)
    driver.contextPop(&popped);
}
