//===- wna16_runtime.h - C ABI: load and launch kernels, repack weights ---===//
//
// The whole interface of libwna16rt.so. Plain C, so that Python (ctypes) and
// any other host can call it. The CUDA driver is opened at run time: without
// one, everything but the functions that need a device works.
//
// Every function returns a wna16_status unless stated otherwise; after a
// failure wna16_last_error() has one sentence about it, per thread. All
// functions may be called from several threads at once. Launching allocates
// nothing and never synchronises.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUNTIME_WNA16_RUNTIME_H
#define WNA16_LIB_RUNTIME_WNA16_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WNA16_API __attribute__((visibility("default")))
#else
#define WNA16_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Raised whenever a function or struct below changes incompatibly.
#define WNA16_RUNTIME_ABI 5

typedef enum wna16_status {
  WNA16_OK = 0,
  /// The caller passed something wrong: null, unknown name, bad size.
  WNA16_ERROR_ARGUMENT = 1,
  /// There is no CUDA driver on this machine, or it is too old to be used.
  WNA16_ERROR_NO_DRIVER = 2,
  /// The driver refused; wna16_last_driver_code() has its CUresult.
  WNA16_ERROR_DRIVER = 3,
  /// Memory ran out, or another failure inside this library.
  WNA16_ERROR_INTERNAL = 4
} wna16_status;

/// The WNA16_RUNTIME_ABI that this library was built with.
WNA16_API int wna16_abi_version(void);

/// What went wrong in the last failed call of this thread; never null. The text
/// stays valid until the next failing call of the same thread.
WNA16_API const char *wna16_last_error(void);

/// CUresult of the last WNA16_ERROR_DRIVER of this thread, 0 if there was none.
WNA16_API int wna16_last_driver_code(void);

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// CUDA version that the driver supports, as 1000 * major + 10 * minor.
WNA16_API wna16_status wna16_driver_version(int *version);

WNA16_API wna16_status wna16_device_count(int *count);

typedef struct wna16_device_info {
  char name[128];
  int32_t compute_major;
  int32_t compute_minor;
  int32_t multiprocessors;
  /// Largest dynamic shared memory of one block after opting in, in bytes.
  int32_t max_shared_bytes;
} wna16_device_info;

WNA16_API wna16_status wna16_device_query(int device, wna16_device_info *info);

/// Whether work put on `stream` is being recorded into a graph (1) or not (0).
WNA16_API wna16_status wna16_stream_capturing(int device, void *stream,
                                              int *capturing);

/// Memory of a device for the workspace of launches, filled with zeros before
/// this returns. Not while a stream is being captured. It stays until it is
/// freed, and keeps the device's primary context alive.
WNA16_API wna16_status wna16_memory_allocate(int device, size_t bytes,
                                             uint64_t *address);

/// Frees it; the caller sees to it that no launch that uses it is in flight.
WNA16_API wna16_status wna16_memory_free(int device, uint64_t address);

//===----------------------------------------------------------------------===//
// Modules and functions
//===----------------------------------------------------------------------===//

typedef struct wna16_module wna16_module;
typedef struct wna16_function wna16_function;

/// Loads a cubin or PTX text into the primary context of `device`. `image` is
/// copied by the driver; PTX need not end in a zero. With PTX the driver's
/// compiler runs, and its log is part of the error text.
WNA16_API wna16_status wna16_module_load(int device, const void *image,
                                         size_t bytes, wna16_module **module);

/// Frees the module and every function taken from it. The caller sees to it
/// that no launch of them is in flight.
WNA16_API void wna16_module_unload(wna16_module *module);

/// Looks up an entry point and allows it `shared_bytes` of dynamic shared
/// memory. The function belongs to the module. Also loads the code onto the
/// device, so that a first launch may be recorded into a graph.
WNA16_API wna16_status wna16_module_function(wna16_module *module,
                                             const char *name,
                                             uint32_t shared_bytes,
                                             wna16_function **function);

typedef struct wna16_function_info {
  int32_t registers;
  int32_t local_bytes;
  int32_t static_shared_bytes;
  int32_t max_threads;
} wna16_function_info;

WNA16_API wna16_status wna16_function_query(const wna16_function *function,
                                            wna16_function_info *info);

/// All blocks run at the same time, or the launch is refused.
#define WNA16_LAUNCH_COOPERATIVE 1u
/// Blocks may start before the kernel in front of this one in the stream has
/// ended; what that one writes is there after griddepcontrol.wait.
#define WNA16_LAUNCH_DEPENDENT 2u

typedef struct wna16_launch_config {
  uint32_t grid[3];    ///< blocks; a zero means that there is nothing to do
  uint32_t block[3];   ///< threads
  uint32_t cluster[3]; ///< blocks of one cluster; {1, 1, 1} for none
  uint32_t shared_bytes;
  uint32_t flags; ///< WNA16_LAUNCH_...
  void *stream;   ///< CUstream of the function's device; null: default stream
} wna16_launch_config;

/// Most parameters that a launch may have.
#define WNA16_MAX_PARAMETERS 128

/// Puts one launch on the stream. The kernel's parameter i begins `offsets[i]`
/// bytes into `arguments`, which has `bytes` bytes and is read before this
/// returns. The offsets are the caller's own, in any order and at any
/// alignment: where the parameters lie on the device, the driver knows.
/// Parameters beyond WNA16_MAX_PARAMETERS, an offset that is not below `bytes`,
/// and (with drivers from CUDA 12.4 on, which tell how many parameters a kernel
/// has and their sizes) a wrong `count` or a parameter that ends after `bytes`
/// are WNA16_ERROR_ARGUMENT.
WNA16_API wna16_status wna16_launch(const wna16_function *function,
                                    const wna16_launch_config *config,
                                    const void *arguments, size_t bytes,
                                    const uint32_t *offsets, uint32_t count);

#define WNA16_TENSOR_MAP_RANK 5
#define WNA16_TENSOR_MAP_BYTES 128

/// What cuTensorMapEncodeTiled is told; dimension 0 is the innermost one.
typedef struct wna16_tensor_map {
  uint64_t address;                            ///< on the device
  uint64_t dims[WNA16_TENSOR_MAP_RANK];        ///< elements
  uint64_t strides[WNA16_TENSOR_MAP_RANK - 1]; ///< bytes, from dimension 1 on
  uint32_t box[WNA16_TENSOR_MAP_RANK];
  uint32_t element_strides[WNA16_TENSOR_MAP_RANK];
  uint32_t rank;
  uint32_t type;         ///< CUtensorMapDataType
  uint32_t swizzle;      ///< bytes: 0 (none), 32, 64, 128
  uint32_t l2_promotion; ///< bytes: 0 (none), 64, 128, 256
  uint32_t fill_nan;     ///< elements outside the tensor: 0 zeros, 1 NaN
} wna16_tensor_map;

/// Writes the WNA16_TENSOR_MAP_BYTES bytes that a launch of `function` passes
/// by value. A map that the driver would refuse is WNA16_ERROR_ARGUMENT, and
/// the error names the field.
WNA16_API wna16_status wna16_tensor_map_encode(const wna16_function *function,
                                               const wna16_tensor_map *map,
                                               void *encoded);

//===----------------------------------------------------------------------===//
// Packing (host memory; no driver needed)
//===----------------------------------------------------------------------===//

/// One way of storing a matrix. The shape is logical, (K, N) of weights,
/// (K / group, N) of scales and zero points, whatever the order in memory.
typedef struct wna16_storage {
  /// "row_major"; weights: "marlin", "gptq", "compressed_tensors", "awq";
  /// zero points: "marlin_zeros", "gptq_zeros", "compressed_tensors_zeros",
  /// "awq_zeros"; scales: "marlin_scales", "marlin_channel_scales",
  /// "compressed_tensors_scales".
  const char *layout;
  int64_t rows;
  int64_t columns;
  int32_t bits; ///< of an element: 1 to 8 for codes, 16 for scales
} wna16_storage;

/// Bytes of a storage; always whole 32-bit words.
WNA16_API wna16_status wna16_storage_bytes(const wna16_storage *storage,
                                           size_t *bytes);

/// Copies a matrix of `rows` x `columns` elements from one storage to another.
/// Both may be larger than the matrix: what the source has beyond it is not
/// read, what the target has beyond it becomes 0. Codes may become wider; where
/// they become narrower, a code that does not fit is an error. Sizes in bytes
/// are checked. threads = 0 uses all cores.
WNA16_API wna16_status wna16_repack(
    const wna16_storage *source, const void *source_data, size_t source_bytes,
    const wna16_storage *target, void *target_data, size_t target_bytes,
    int64_t rows, int64_t columns, int32_t threads);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // WNA16_LIB_RUNTIME_WNA16_RUNTIME_H
