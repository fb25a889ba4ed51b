//===- Types.cpp - PTX scalar types and state spaces ----------------------===//
//
// One table serves names, widths and kinds.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Types.h"

namespace wna16::emulator {
namespace {
struct TypeInfo {
  std::string_view name;
  unsigned bits;
  bool isFloat, isSigned;
};
constexpr TypeInfo infos[] = {
    {"none", 0, false, false},   {"pred", 1, false, false},
    {"b8", 8, false, false},     {"b16", 16, false, false},
    {"b32", 32, false, false},   {"b64", 64, false, false},
    {"b128", 128, false, false}, {"u8", 8, false, false},
    {"u16", 16, false, false},   {"u32", 32, false, false},
    {"u64", 64, false, false},   {"s8", 8, false, true},
    {"s16", 16, false, true},    {"s32", 32, false, true},
    {"s64", 64, false, true},    {"f16", 16, true, true},
    {"f16x2", 32, true, true},   {"bf16", 16, true, true},
    {"bf16x2", 32, true, true},  {"f32", 32, true, true},
    {"f64", 64, true, true},     {"f32x2", 64, true, true},
    {"u16x2", 32, false, false}, {"s16x2", 32, false, true}};
const TypeInfo &info(Type type) { return infos[static_cast<unsigned>(type)]; }
} // namespace

std::optional<Type> parseType(std::string_view name) {
  for (unsigned i = 1; i < std::size(infos); ++i)
    if (infos[i].name == name)
      return static_cast<Type>(i);
  return std::nullopt;
}

unsigned bitWidth(Type type) { return info(type).bits; }
bool isFloat(Type type) { return info(type).isFloat; }
bool isSigned(Type type) { return info(type).isSigned; }
std::string_view typeName(Type type) { return info(type).name; }

std::string_view spaceName(Space space) {
  constexpr std::string_view names[] = {"generic", "param",           "global",
                                        "shared",  "shared::cluster", "local",
                                        "const"};
  return names[static_cast<unsigned>(space)];
}

} // namespace wna16::emulator
