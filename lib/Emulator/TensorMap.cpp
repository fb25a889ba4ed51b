//===- TensorMap.cpp - how a tensor copy finds its bytes ------------------===//
//
// Facts about element types. What the bytes of a map look like is known to
// Device alone.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/TensorMap.h"

namespace wna16::emulator {
namespace {
struct ElementInfo {
  std::string_view name;
  unsigned bytes;
};
constexpr ElementInfo infos[] = {
    {"u8", 1},      {"u16", 2},  {"u32", 4},     {"s32", 4}, {"u64", 8},
    {"s64", 8},     {"f16", 2},  {"f32", 4},     {"f64", 8}, {"bf16", 2},
    {"f32_ftz", 4}, {"tf32", 4}, {"tf32_ftz", 4}};
} // namespace

unsigned TensorMap::elementBytes(Element element) {
  return infos[unsigned(element)].bytes;
}

std::string_view TensorMap::name(Element element) {
  return infos[unsigned(element)].name;
}

} // namespace wna16::emulator
