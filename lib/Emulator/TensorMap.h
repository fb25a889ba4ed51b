//===- TensorMap.h - how a tensor copy finds its bytes --------------------===//
//
// What cuTensorMapEncodeTiled is told, as plain numbers. Hardware gets 128
// opaque bytes that only the driver can make; the emulator hands out 128 bytes
// of its own, which name an entry of a Device.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_TENSORMAP_H
#define WNA16_LIB_EMULATOR_TENSORMAP_H

#include <array>
#include <cstdint>
#include <string_view>

namespace wna16::emulator {

/// Dimension 0 is the innermost one, as everywhere in PTX.
struct TensorMap {
  /// In the order of CUtensorMapDataType.
  enum class Element : uint8_t {
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F64,
    BF16,
    F32Ftz,
    TF32,
    TF32Ftz
  };
  enum class Interleave : uint8_t { None, Bytes16, Bytes32 };
  enum class Swizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };
  /// What elements outside the tensor read as; NaN is for float types only.
  enum class Fill : uint8_t { Zero, Nan };

  static constexpr unsigned maxRank = 5;
  /// Size and alignment of the parameter.
  static constexpr unsigned bytes = 128, alignment = 64;

  Element element = Element::U8;
  unsigned rank = 1;
  /// Global address of the first element.
  uint64_t base = 0;
  /// In elements; 1 beyond `rank`.
  std::array<uint64_t, maxRank> dims{1, 1, 1, 1, 1};
  /// byteStrides[0] is the size of an element.
  std::array<uint64_t, maxRank> byteStrides{};
  /// Traversed by one copy, in elements of the tensor; 1 beyond `rank`. With an
  /// element stride s, ceil(box / s) elements are copied.
  std::array<uint32_t, maxRank> box{1, 1, 1, 1, 1};
  std::array<uint32_t, maxRank> elementStrides{1, 1, 1, 1, 1};
  Interleave interleave = Interleave::None;
  Swizzle swizzle = Swizzle::None;
  Fill fill = Fill::Zero;

  unsigned elementBytes() const { return elementBytes(element); }
  /// Bytes of the span within which the swizzle moves 16-byte units; 0 for
  /// none.
  unsigned swizzleBytes() const {
    return swizzle == Swizzle::None ? 0 : 16u << unsigned(swizzle);
  }

  static unsigned elementBytes(Element element);
  /// "u8", "bf16", "f32_ftz", ...
  static std::string_view name(Element element);
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_TENSORMAP_H
