//===- TensorMap.cpp - tensor maps of one launch --------------------------===//
//
// The 128 bytes are the driver's secret; it writes them on the host.
//
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Driver.h"
#include "lib/Runtime/Error.h"
#include "lib/Runtime/Function.h"
#include "lib/Runtime/TensorMapRules.h"

#include <bit>
#include <cstring>

using namespace wna16::runtime;

namespace {
/// The driver's enumerations count 0, 32, 64, 128 and 0, 64, 128, 256.
int step(uint32_t bytes, uint32_t first) {
  return bytes ? std::countr_zero(bytes / first) + 1 : 0;
}
} // namespace

wna16_status wna16_tensor_map_encode(const wna16_function *function,
                                     const wna16_tensor_map *map,
                                     void *encoded) {
  return guarded([&] {
    require(function && map && encoded,
            "wna16_tensor_map_encode: an argument is null");
    if (std::string error = checkTensorMap(*map); !error.empty())
      throw RuntimeError(WNA16_ERROR_ARGUMENT, error);
    const Driver &driver = Driver::get();
    if (!driver.encodeTiled)
      throw RuntimeError(WNA16_ERROR_NO_DRIVER,
                         "the CUDA driver is too old: it has no "
                         "cuTensorMapEncodeTiled; update NVIDIA's driver");
    CurrentContext current(driver, function->context);
    // The driver wants an aligned place, which `encoded` need not be.
    alignas(64) char bytes[WNA16_TENSOR_MAP_BYTES];
    driver.check(
        driver.encodeTiled(bytes, int(map->type), map->rank,
                           reinterpret_cast<void *>(map->address), map->dims,
                           map->strides, map->box, map->element_strides,
                           /*interleave=*/0, step(map->swizzle, 32),
                           step(map->l2_promotion, 64), int(map->fill_nan)),
        "making a tensor map");
    std::memcpy(encoded, bytes, sizeof(bytes));
  });
}
