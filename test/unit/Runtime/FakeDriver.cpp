//===- FakeDriver.cpp - a stand-in for libcuda.so.1 -----------------------===//
//
// Two devices, contexts, modules and launches that are remembered instead of
// done. A kernel exists if its name starts with "wna16"; its parameters are
// what the PTX of the image declares, none without PTX. The compute capability
// is 9.0, or what the environment variable FAKE_CUDA_CAPABILITY says ("8.0").
// Memory is host memory. FAKE_CUDA_LOG names a file that gets a line for each
// allocation, tensor map and launch, for programs that cannot ask.
//
// Launches must come with one pointer per parameter. A buffer that holds all of
// them is refused, as a real driver does if ptxas placed them in another way.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Runtime/FakeDriver.h"

#include "lib/Runtime/Driver.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <regex>
#include <string>
#include <vector>

using namespace wna16::runtime;

namespace {

constexpr int kDevices = 2;
constexpr int kInvalidDevice = 101, kInvalidImage = 200, kNotFound = 500;
constexpr int kOutOfResources = 701, kNotSupported = 801;

std::mutex mutex;
std::map<std::string, int> failures;
FakeLaunch lastLaunch;
int launches = 0;
FakeTensorMap lastTensorMap;
int tensorMaps = 0;
int largeClusters = 0;
int retained[kDevices];
char contexts[kDevices];
std::string lastImage;
/// What CUfunction and CUmodule point to: sizes of parameters, images.
std::deque<std::vector<size_t>> functions;
std::deque<std::string> modules;
std::atomic<int> tellParameters{1};
int sharedLimit = 0;
std::atomic<int> capturing{0};
thread_local std::vector<CUcontext> stack;

/// The injected failure of an entry point, once; 0 if there is none.
int injected(const char *function) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = failures.find(function);
  if (found == failures.end())
    return 0;
  int code = found->second;
  failures.erase(found);
  return code;
}

/// Appends a line to the log, if there is one.
void note(const std::string &line) {
  const char *name = std::getenv("FAKE_CUDA_LOG");
  if (std::FILE *file = name ? std::fopen(name, "a") : nullptr) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

template <typename T> std::string list(const T *values, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? "," : "") + std::to_string(values[i]);
  return text;
}

/// The sizes of an entry point's parameters, read from PTX.
std::vector<size_t> declaredParameters(const std::string &ptx,
                                       const std::string &name) {
  static const std::regex declaration(
      R"(\.param\s+(\.align\s+\d+\s+)?\.[a-z](\d+)[^,)\[]*(\[(\d+)\])?)");
  std::vector<size_t> sizes;
  const size_t begin = ptx.find(".entry " + name + "(");
  if (begin == std::string::npos)
    return sizes;
  const std::string list = ptx.substr(begin, ptx.find(')', begin) - begin);
  for (std::sregex_iterator i(list.begin(), list.end(), declaration), end;
       i != end; ++i)
    sizes.push_back(std::stoul((*i)[2]) / 8 *
                    ((*i)[4].matched ? std::stoul((*i)[4]) : 1));
  return sizes;
}

void noteLaunch(const std::vector<size_t> &sizes) {
  std::string bytes;
  const unsigned char *next = lastLaunch.arguments;
  for (size_t size : sizes) {
    bytes += bytes.empty() ? "" : ",";
    for (const unsigned char *end = next + size; next != end; ++next)
      for (unsigned digit : {*next >> 4, *next & 15})
        bytes += "0123456789abcdef"[digit];
  }
  note("launch grid " + list(lastLaunch.grid, 3) + " block " +
       list(lastLaunch.block, 3) + " cluster " + list(lastLaunch.cluster, 3) +
       " shared " + std::to_string(lastLaunch.sharedBytes) + " cooperative " +
       std::to_string(lastLaunch.cooperative) + " dependent " +
       std::to_string(lastLaunch.dependent) + " arguments " + bytes);
}

int remember(const unsigned *shape, const LaunchConfig *config, unsigned shared,
             void *stream, const void *function, void **parameters,
             void **extra) {
  const auto &sizes = *static_cast<const std::vector<size_t> *>(function);
  if (extra)
    return kOutOfResources;
  std::lock_guard<std::mutex> lock(mutex);
  ++launches;
  lastLaunch = {};
  std::memcpy(lastLaunch.grid, shape, sizeof(lastLaunch.grid));
  std::memcpy(lastLaunch.block, shape + 3, sizeof(lastLaunch.block));
  for (unsigned i = 0; i < 3; ++i)
    lastLaunch.cluster[i] = 1;
  for (unsigned i = 0; config && i < config->numAttributes; ++i) {
    const LaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == kLaunchClusterDimension)
      std::memcpy(lastLaunch.cluster, &attribute.cluster,
                  sizeof(lastLaunch.cluster));
    else if (attribute.id == kLaunchCooperative)
      lastLaunch.cooperative = attribute.flag;
    else if (attribute.id == kLaunchDependent)
      lastLaunch.dependent = attribute.flag;
  }
  lastLaunch.sharedBytes = shared;
  lastLaunch.stream = stream;
  lastLaunch.context = stack.empty() ? nullptr : stack.back();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (lastLaunch.argumentBytes + sizes[i] > sizeof(lastLaunch.arguments))
      return kInvalidValue;
    std::memcpy(lastLaunch.arguments + lastLaunch.argumentBytes, parameters[i],
                sizes[i]);
    lastLaunch.argumentBytes += sizes[i];
  }
  noteLaunch(sizes);
  return 0;
}

} // namespace

extern "C" {

int fakeLaunches(FakeLaunch *last) {
  std::lock_guard<std::mutex> lock(mutex);
  if (last)
    *last = lastLaunch;
  return launches;
}
int fakeTensorMaps(FakeTensorMap *last) {
  std::lock_guard<std::mutex> lock(mutex);
  if (last)
    *last = lastTensorMap;
  return tensorMaps;
}
int fakeLargeClusters() { return largeClusters; }
void fakeFailNext(const char *function, int code) {
  std::lock_guard<std::mutex> lock(mutex);
  failures[function] = code;
}
int fakeRetained() {
  std::lock_guard<std::mutex> lock(mutex);
  return retained[0] + retained[1];
}
int fakeStackDepth() { return int(stack.size()); }
void *fakePrimaryContext(int device) { return &contexts[device]; }
const char *fakeLastImage() { return lastImage.c_str(); }
int fakeSharedLimit() { return sharedLimit; }
void fakeSetCapturing(int value) { capturing = value; }
void fakeTellParameters(int tell) { tellParameters = tell; }

int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}
int cuDeviceGetCount(int *count) {
  *count = kDevices;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  if (ordinal < 0 || ordinal >= kDevices)
    return kInvalidDevice;
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char *name, int size, int device) {
  std::string text = "Fake GPU " + std::to_string(device);
  std::strncpy(name, text.c_str(), size_t(size));
  return 0;
}
int cuDeviceGetAttribute(int *value, int which, int) {
  const char *capability = std::getenv("FAKE_CUDA_CAPABILITY");
  if (!capability)
    capability = "9.0";
  if (which == kDeviceComputeMajor)
    *value = std::atoi(capability);
  else if (which == kDeviceComputeMinor)
    *value = std::atoi(std::strchr(capability, '.') + 1);
  else if (which == kDeviceMultiprocessors)
    *value = 132;
  else if (which == kDeviceMaxSharedOptin)
    *value = 232448;
  else
    return kInvalidValue;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  std::lock_guard<std::mutex> lock(mutex);
  ++retained[device];
  *context = &contexts[device];
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  std::lock_guard<std::mutex> lock(mutex);
  --retained[device];
  return 0;
}
int cuCtxGetCurrent(CUcontext *context) {
  *context = stack.empty() ? nullptr : stack.back();
  return 0;
}
int cuCtxPushCurrent_v2(CUcontext context) {
  stack.push_back(context);
  return 0;
}
int cuCtxPopCurrent_v2(CUcontext *context) {
  if (stack.empty())
    return kInvalidValue;
  *context = stack.back();
  stack.pop_back();
  return 0;
}
int cuCtxSetCurrent(CUcontext context) {
  stack.assign(1, context);
  return 0;
}
int cuCtxSynchronize() { return 0; }
int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  if (int code = injected("cuMemAlloc"))
    return code;
  *pointer = reinterpret_cast<uintptr_t>(
      std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  note("memory " + std::to_string(*pointer) + " bytes " +
       std::to_string(bytes));
  return 0;
}
int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t bytes) {
  if (int code = injected("cuMemsetD8"))
    return code;
  std::memset(reinterpret_cast<void *>(uintptr_t(to)), value, bytes);
  return 0;
}
int cuStreamSynchronize(void *) { return 0; }
int cuMemFree_v2(uint64_t pointer) {
  std::free(reinterpret_cast<void *>(uintptr_t(pointer)));
  return 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(uintptr_t(to)), from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<void *>(uintptr_t(from)), bytes);
  return 0;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  std::lock_guard<std::mutex> lock(mutex);
  lastImage = static_cast<const char *>(image);
  if (lastImage == "bad") {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == kJitErrorLog)
        std::strcpy(static_cast<char *>(values[i]), "line 1: no such opcode");
    return kInvalidImage;
  }
  modules.push_back(lastImage);
  *module = &modules.back();
  return 0;
}
int cuModuleUnload(void *) { return 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) {
  if (std::strncmp(name, "wna16", 5) != 0)
    return kNotFound;
  std::lock_guard<std::mutex> lock(mutex);
  functions.push_back(
      declaredParameters(*static_cast<std::string *>(module), name));
  *function = &functions.back();
  return 0;
}
int cuFuncGetParamInfo(void *function, size_t index, size_t *offset,
                       size_t *size) {
  const auto &sizes = *static_cast<const std::vector<size_t> *>(function);
  if (!tellParameters)
    return kNotSupported;
  if (index >= sizes.size())
    return kInvalidValue;
  *offset = 0; // nothing asks for it
  *size = sizes[index];
  return 0;
}
int cuFuncGetAttribute(int *value, int which, void *) {
  *value = which == kFunctionRegisters    ? 82
           : which == kFunctionMaxThreads ? 256
                                          : 0;
  return 0;
}
int cuFuncSetAttribute(void *, int which, int value) {
  if (int code = injected("cuFuncSetAttribute"))
    return code;
  if (which == kFunctionMaxDynamicShared)
    sharedLimit = value;
  if (which == kFunctionLargeClusters)
    largeClusters = value;
  return 0;
}
int cuFuncLoad(void *) { return 0; }
int cuStreamIsCapturing(void *, int *status) {
  *status = capturing;
  return 0;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **parameters, void **extra) {
  if (int code = injected("cuLaunchKernel"))
    return code;
  unsigned shape[] = {gx, gy, gz, bx, by, bz};
  return remember(shape, nullptr, shared, stream, function, parameters, extra);
}
int cuLaunchKernelEx(const LaunchConfig *config, void *function,
                     void **parameters, void **extra) {
  unsigned shape[] = {config->gridX,  config->gridY,  config->gridZ,
                      config->blockX, config->blockY, config->blockZ};
  return remember(shape, config, config->sharedBytes, config->stream, function,
                  parameters, extra);
}
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address,
                           const uint64_t *dims, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *elementStrides,
                           int interleave, int swizzle, int l2Promotion,
                           int fill) {
  if (int code = injected("cuTensorMapEncodeTiled"))
    return code;
  if (reinterpret_cast<uintptr_t>(map) % 64 != 0 || rank == 0 || rank > 5)
    return kInvalidValue;
  std::lock_guard<std::mutex> lock(mutex);
  ++tensorMaps;
  lastTensorMap = {};
  lastTensorMap.type = type;
  lastTensorMap.rank = rank;
  for (uint32_t i = 0; i < rank; ++i) {
    lastTensorMap.dims[i] = dims[i];
    lastTensorMap.box[i] = box[i];
    lastTensorMap.elementStrides[i] = elementStrides[i];
    if (i + 1 < rank)
      lastTensorMap.strides[i] = strides[i];
  }
  lastTensorMap.interleave = interleave;
  lastTensorMap.swizzle = swizzle;
  lastTensorMap.l2Promotion = l2Promotion;
  lastTensorMap.fill = fill;
  lastTensorMap.context = stack.empty() ? nullptr : stack.back();
  note("map type " + std::to_string(type) + " address " +
       std::to_string(reinterpret_cast<uintptr_t>(address)) + " dims " +
       list(dims, rank) + " strides " + list(strides, rank - 1) + " box " +
       list(box, rank) + " steps " + list(elementStrides, rank) + " swizzle " +
       std::to_string(swizzle) + " promotion " + std::to_string(l2Promotion) +
       " fill " + std::to_string(fill));
  std::memset(map, 0, 128);
  std::memcpy(map, &address, sizeof(address));
  return 0;
}
int cuGetErrorName(int code, const char **name) {
  *name = code == kNotFound       ? "CUDA_ERROR_NOT_FOUND"
          : code == kInvalidImage ? "CUDA_ERROR_INVALID_IMAGE"
                                  : "CUDA_ERROR_FAKE";
  return 0;
}
int cuGetErrorString(int, const char **text) {
  *text = "text of the fake driver";
  return 0;
}
}
