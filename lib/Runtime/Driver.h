//===- Driver.h - the CUDA driver, opened at run time ---------------------===//
//
// The few driver entry points that launching needs, with the types they take.
// cuda.h is not included: this library builds and loads on machines without a
// CUDA toolkit. A unit test compares these declarations with cuda.h.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUNTIME_DRIVER_H
#define WNA16_LIB_RUNTIME_DRIVER_H

#include <cstddef>
#include <cstdint>

namespace wna16::runtime {

using CUresult = int;
using CUdevice = int;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;

/// Values of the driver's enumerations that are used here.
enum : int {
  kInvalidValue = 1,
  kDeviceMultiprocessors = 16,
  kDeviceComputeMajor = 75,
  kDeviceComputeMinor = 76,
  kDeviceMaxSharedOptin = 97,
  kFunctionMaxThreads = 0,
  kFunctionSharedBytes = 1,
  kFunctionLocalBytes = 3,
  kFunctionRegisters = 4,
  kFunctionMaxDynamicShared = 8,
  kFunctionLargeClusters = 14,
  kJitErrorLog = 5,
  kJitErrorLogBytes = 6,
  kLaunchCooperative = 2,
  kLaunchClusterDimension = 4,
  kLaunchDependent = 6,
};

/// CUlaunchAttribute: an id, padding to 8 bytes, a union of 64 bytes.
struct LaunchAttribute {
  int id;
  int padding;
  union {
    char raw[64];
    struct {
      unsigned x, y, z;
    } cluster;
    int flag; ///< of kLaunchCooperative and kLaunchDependent
  };
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  CUstream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// The driver's functions. get() opens libcuda.so.1 on first use and throws
/// RuntimeError (WNA16_ERROR_NO_DRIVER) as long as there is none.
struct Driver {
  static const Driver &get();

  /// Throws WNA16_ERROR_DRIVER naming `what`, the code and the driver's own
  /// text unless `result` is success. `detail` is appended if not empty.
  void check(CUresult result, const char *what, const char *detail = "") const;

  CUresult (*init)(unsigned);
  CUresult (*driverGetVersion)(int *);
  CUresult (*deviceGetCount)(int *);
  CUresult (*deviceGet)(CUdevice *, int);
  CUresult (*deviceGetName)(char *, int, CUdevice);
  CUresult (*deviceGetAttribute)(int *, int, CUdevice);
  CUresult (*primaryRetain)(CUcontext *, CUdevice);
  CUresult (*primaryRelease)(CUdevice);
  CUresult (*contextGet)(CUcontext *);
  CUresult (*contextPush)(CUcontext);
  CUresult (*contextPop)(CUcontext *);
  CUresult (*moduleLoad)(CUmodule *, const void *, unsigned, int *, void **);
  CUresult (*moduleUnload)(CUmodule);
  CUresult (*moduleGetFunction)(CUfunction *, CUmodule, const char *);
  CUresult (*functionGetAttribute)(int *, int, CUfunction);
  CUresult (*functionSetAttribute)(CUfunction, int, int);
  CUresult (*streamIsCapturing)(CUstream, int *);
  CUresult (*streamSynchronize)(CUstream);
  CUresult (*memoryAllocate)(uint64_t *, size_t);
  CUresult (*memoryFree)(uint64_t);
  CUresult (*memorySet)(uint64_t, unsigned char, size_t);
  CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned,
                     unsigned, unsigned, unsigned, CUstream, void **, void **);
  CUresult (*getErrorName)(CUresult, const char **);
  CUresult (*getErrorString)(CUresult, const char **);
  /// Newer drivers only; null otherwise.
  CUresult (*launchEx)(const LaunchConfig *, CUfunction, void **, void **);
  CUresult (*functionLoad)(CUfunction);
  /// Place and size of a parameter; kInvalidValue past the last one.
  CUresult (*functionParameter)(CUfunction, size_t, size_t *, size_t *);
  CUresult (*encodeTiled)(void *, int, uint32_t, void *, const uint64_t *,
                          const uint64_t *, const uint32_t *, const uint32_t *,
                          int, int, int, int);
};

/// Makes a context current for a scope, if it is not already.
class CurrentContext {
public:
  CurrentContext(const Driver &driver, CUcontext context);
  ~CurrentContext();
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

private:
  const Driver &driver;
  bool pushed = false;
};

} // namespace wna16::runtime

#endif // WNA16_LIB_RUNTIME_DRIVER_H
