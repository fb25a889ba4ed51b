//===- Matrix.cpp - the product inside mma --------------------------------===//
//
// An mma on 8-bit floats becomes two on fp16: of every four elements along K
// the first two go to the first one, the others to the second.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Matrix.h"

#include "lib/Emulator/HalfRows.h"
#include "lib/Emulator/NarrowFloats.h"

#include <array>
#include <cstring>

namespace wna16::emulator {
namespace {

/// 16-bit elements: the four lanes of a row hold 8 neighbours along K, in
/// memory order.
template <bool bfloat>
[[gnu::always_inline]] inline void load16(const uint32_t *const *a,
                                          const uint32_t *const *b, unsigned k,
                                          MmaSums &tile) {
  alignas(64) float rows[8 * 8];
  auto unpack = [&](const uint32_t *registers) {
    if constexpr (!bfloat)
      return halvesToFloats(registers, rows);
    for (unsigned i = 0; i < 32; ++i) {
      rows[2 * i] = bfloatToFloat(registers[i] & 0xffff);
      rows[2 * i + 1] = bfloatToFloat(registers[i] >> 16);
    }
  };
  for (unsigned i = 0; i < k / 4; ++i) {
    unpack(a[i]);
    for (unsigned row = 0; row < 8; ++row)
      for (unsigned j = 0; j < 8; ++j)
        tile.narrow[row + i % 2 * 8][j + i / 2 * 8] = rows[row * 8 + j];
  }
  for (unsigned i = 0; i < k / 8; ++i) {
    unpack(b[i]);
    for (unsigned j = 0; j < 8; ++j)
      for (unsigned column = 0; column < 8; ++column)
        tile.wide[j + i * 8][column] = rows[column * 8 + j];
  }
}

__attribute__((target_clones("arch=x86-64-v3", "default"))) void
loadHalf(const uint32_t *const *a, const uint32_t *const *b, unsigned k,
         MmaSums &tile) {
  load16<false>(a, b, k, tile);
}
__attribute__((target_clones("arch=x86-64-v3", "default"))) void
loadBfloat(const uint32_t *const *a, const uint32_t *const *b, unsigned k,
           MmaSums &tile) {
  load16<true>(a, b, k, tile);
}

/// All 256 values of a narrow type, in its container.
std::array<float, 256> narrowTable(Narrow type, unsigned shift) {
  std::array<float, 256> out;
  for (unsigned bits = 0; bits < 256; ++bits)
    out[bits] = float(narrowToDouble(type, bits >> shift));
  return out;
}
const std::array<float, 256> &narrowValues(MmaElement element) {
  static const std::array<float, 256> tables[] = {
      narrowTable(Narrow::E4M3, 0), narrowTable(Narrow::E5M2, 0),
      narrowTable(Narrow::E3M2, 0), narrowTable(Narrow::E2M3, 0),
      narrowTable(Narrow::E2M1, 2)};
  return tables[unsigned(element) - unsigned(MmaElement::E4M3)];
}

float decodeElement(MmaElement element, uint32_t bits) {
  switch (element) {
  case MmaElement::F16:
    return halfToFloat(bits & 0xffff);
  case MmaElement::BF16:
    return bfloatToFloat(bits & 0xffff);
  case MmaElement::TF32:
    return tf32ToFloat(bits);
  default:
    return narrowValues(element)[bits & 0xff];
  }
}

/// Elements of 32 or 8 bits.
void loadElements(const uint32_t *const *a, const uint32_t *const *b,
                  unsigned k, MmaElement elementA, MmaElement elementB,
                  MmaSums &tile) {
  const unsigned e = elementsPerRegister(elementA), bits = 32 / e;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned j = 0; j < e; ++j) {
      const unsigned step = e == 4 ? 2 : 1; // to the same half of K
      const unsigned at =
          lane % 4 * (e / step) + j % (e / step) + j / (e / step) * (k / 2);
      const unsigned next = 4 * e / step;
      for (unsigned i = 0; i < k / (2 * e); ++i)
        tile.narrow[lane / 4 + i % 2 * 8][at + i / 2 * next] =
            decodeElement(elementA, a[i][lane] >> (bits * j));
      for (unsigned i = 0; i < k / (4 * e); ++i)
        tile.wide[at + i * next][lane / 4] =
            decodeElement(elementB, b[i][lane] >> (bits * j));
    }
}

/// Exponent of the smallest normal number. The fp16 that 8-bit floats become
/// has a lower one, and all of their values as normal numbers.
int leastExponent(MmaElement element) {
  return element == MmaElement::BF16 || element == MmaElement::TF32
             ? leastExponentF32
             : leastExponentF16;
}

} // namespace

unsigned elementsPerRegister(MmaElement element) {
  return element <= MmaElement::BF16 ? 2 : element == MmaElement::TF32 ? 1 : 4;
}

void loadFragments(const uint32_t *const *a, const uint32_t *const *b,
                   unsigned k, MmaElement elementA, MmaElement elementB,
                   MmaSums &tile) {
  if (elementA == MmaElement::F16)
    loadHalf(a, b, k, tile);
  else if (elementA == MmaElement::BF16)
    loadBfloat(a, b, k, tile);
  else
    loadElements(a, b, k, elementA, elementB, tile);
  tile.prepare(k, 16, leastExponent(elementB), leastExponent(elementA));
}

void multiplyAdd(const MmaSums &tile, unsigned k, MmaElement elementA,
                 bool half, const float *c, uint32_t *d) {
  constexpr unsigned rows = tensorVectors, size = rows * 8;
  if (elementA < MmaElement::E4M3) {
    for (unsigned row = 0; row < 16; row += rows)
      tile.sum({half, false}, 0, k, row, c + row * 8, d + row * 8);
    return;
  }
  // Two fp16 instructions that start from zero, then an addition.
  constexpr float zeros[size] = {};
  for (unsigned row = 0; row < 16; row += rows) {
    uint32_t bits[size];
    float sums[size];
    tile.sum({}, 0, k / 2, row, zeros, bits);
    std::memcpy(sums, bits, sizeof(sums));
    tile.sum({}, k / 2, k / 2, row, sums, bits);
    std::memcpy(sums, bits, sizeof(sums));
    for (unsigned i = 0; i < size; ++i) {
      const float sum = canonicalize(sums[i] + c[row * 8 + i]);
      d[row * 8 + i] = half ? floatToHalf(sum) : std::bit_cast<uint32_t>(sum);
    }
  }
}

} // namespace wna16::emulator
