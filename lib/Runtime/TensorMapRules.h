//===- TensorMapRules.h - what a tensor map may be ------------------------===//
//
// The requirements of cuTensorMapEncodeTiled, which itself says no more than
// "invalid value". Shared by the runtime, the launch record and the emulator's
// front end.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUNTIME_TENSORMAPRULES_H
#define WNA16_LIB_RUNTIME_TENSORMAPRULES_H

#include "lib/Runtime/wna16_runtime.h"

#include <array>
#include <string>
#include <string_view>

namespace wna16::runtime {

struct TensorMapType {
  std::string_view name;
  unsigned bytes;
  bool isFloat;
};

/// By value of CUtensorMapDataType; sub-byte types are not supported.
inline constexpr std::array<TensorMapType, 13> tensorMapTypes = {{
    {"u8", 1, false},
    {"u16", 2, false},
    {"u32", 4, false},
    {"s32", 4, false},
    {"u64", 8, false},
    {"s64", 8, false},
    {"f16", 2, true},
    {"f32", 4, true},
    {"f64", 8, true},
    {"bf16", 2, true},
    {"f32_ftz", 4, true},
    {"tf32", 4, true},
    {"tf32_ftz", 4, true},
}};

/// The first requirement that `map` breaks: the field, what is expected and
/// what was found, as in "box[0]: expected 1 to 256, found 0". Empty if none.
std::string checkTensorMap(const wna16_tensor_map &map);

/// Bytes from the address to the end of the last element.
uint64_t tensorMapSpan(const wna16_tensor_map &map);

} // namespace wna16::runtime

#endif // WNA16_LIB_RUNTIME_TENSORMAPRULES_H
