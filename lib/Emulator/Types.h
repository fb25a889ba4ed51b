//===- Types.h - PTX scalar types and state spaces ------------------------===//
//
// The fundamental types (.u32, .f16x2, .pred, ...) and state spaces of PTX with
// the few facts the decoder asks about them.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_TYPES_H
#define WNA16_LIB_EMULATOR_TYPES_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace wna16::emulator {

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F64,
  F32x2,
  U16x2,
  S16x2
};

enum class Space : uint8_t {
  Generic,
  Param,
  Global,
  Shared, ///< of the own block
  SharedCluster,
  Local,
  Const
};
inline bool isShared(Space space) {
  return space == Space::Shared || space == Space::SharedCluster;
}

/// Memory semantics and scopes of PTX, from narrow to wide. Volatile accesses
/// are relaxed ones of the system.
enum class Semantics : uint8_t {
  Weak,
  Relaxed,
  Acquire,
  Release,
  AcquireRelease
};
enum class Scope : uint8_t { Block, Cluster, Gpu, System };

/// The type named by a suffix without its dot ("u32"), if it is one.
std::optional<Type> parseType(std::string_view name);
/// Bits of one value; 1 for predicates, 0 for None.
unsigned bitWidth(Type type);
bool isFloat(Type type);
bool isSigned(Type type);
std::string_view typeName(Type type);
std::string_view spaceName(Space space);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_TYPES_H
