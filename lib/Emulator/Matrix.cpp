//===- Matrix.cpp - the product inside mma --------------------------------===//
//
// Compiled with fused multiply-adds where the machine has them: the products
// are exact, so that the result is the same with and without.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Matrix.h"

#include "lib/Emulator/HalfRows.h"
#include "lib/Emulator/NarrowFloats.h"

#include <array>

namespace wna16::emulator {
namespace {

/// A row of 8 columns; compilers split it to what the machine has.
typedef double Row __attribute__((vector_size(64), may_alias));

/// 16-bit elements: the four lanes of a row hold 8 neighbours along K, in
/// memory order.
template <bool bfloat>
[[gnu::always_inline]] inline void load16(const uint32_t *const *a,
                                          const uint32_t *const *b, unsigned k,
                                          MmaTile &tile) {
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
        tile.a[row + i % 2 * 8][j + i / 2 * 8] = double(rows[row * 8 + j]);
  }
  for (unsigned i = 0; i < k / 8; ++i) {
    unpack(b[i]);
    for (unsigned j = 0; j < 8; ++j)
      for (unsigned column = 0; column < 8; ++column)
        tile.b[j + i * 8][column] = double(rows[column * 8 + j]);
  }
}

__attribute__((target_clones("arch=haswell", "default"))) void
loadHalf(const uint32_t *const *a, const uint32_t *const *b, unsigned k,
         MmaTile &tile) {
  load16<false>(a, b, k, tile);
}
__attribute__((target_clones("arch=haswell", "default"))) void
loadBfloat(const uint32_t *const *a, const uint32_t *const *b, unsigned k,
           MmaTile &tile) {
  load16<true>(a, b, k, tile);
}

/// All 256 values of a narrow type, in its container.
std::array<double, 256> narrowTable(Narrow type, unsigned shift) {
  std::array<double, 256> out;
  for (unsigned bits = 0; bits < 256; ++bits)
    out[bits] = narrowToDouble(type, bits >> shift);
  return out;
}
const std::array<double, 256> &narrowValues(MmaElement element) {
  static const std::array<double, 256> tables[] = {
      narrowTable(Narrow::E4M3, 0), narrowTable(Narrow::E5M2, 0),
      narrowTable(Narrow::E3M2, 0), narrowTable(Narrow::E2M3, 0),
      narrowTable(Narrow::E2M1, 2)};
  return tables[unsigned(element) - unsigned(MmaElement::E4M3)];
}

double decodeElement(MmaElement element, uint32_t bits) {
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

} // namespace

unsigned elementsPerRegister(MmaElement element) {
  return element <= MmaElement::BF16 ? 2 : element == MmaElement::TF32 ? 1 : 4;
}

void loadFragments(const uint32_t *const *a, const uint32_t *const *b,
                   unsigned k, MmaElement elementA, MmaElement elementB,
                   MmaTile &tile) {
  if (elementA == MmaElement::F16)
    return loadHalf(a, b, k, tile);
  if (elementA == MmaElement::BF16)
    return loadBfloat(a, b, k, tile);
  const unsigned e = elementsPerRegister(elementA), bits = 32 / e;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned j = 0; j < e; ++j) {
      const unsigned at = lane % 4 * e + j;
      for (unsigned i = 0; i < k / (2 * e); ++i)
        tile.a[lane / 4 + i % 2 * 8][at + i / 2 * 4 * e] =
            decodeElement(elementA, a[i][lane] >> (bits * j));
      for (unsigned i = 0; i < k / (4 * e); ++i)
        tile.b[at + i * 4 * e][lane / 4] =
            decodeElement(elementB, b[i][lane] >> (bits * j));
    }
}

__attribute__((target_clones("arch=skylake-avx512", "arch=haswell",
                             "default"))) void
multiply(MmaTile &tile, unsigned k) {
  // Four rows at a time share the loads of B.
  for (unsigned row = 0; row < 16; row += 4) {
    Row sum[4] = {};
    for (unsigned i = 0; i < k; ++i) {
      const Row b = *reinterpret_cast<const Row *>(tile.b[i]);
      for (unsigned r = 0; r < 4; ++r)
        sum[r] += tile.a[row + r][i] * b;
    }
    for (unsigned r = 0; r < 4; ++r)
      *reinterpret_cast<Row *>(tile.sum + (row + r) * 8) = sum[r];
  }
}

__attribute__((target_clones("arch=haswell", "default"))) void
addAccumulator(const MmaTile &tile, unsigned i, const uint32_t *c,
               uint32_t *d) {
  // Register i of lane l is element 2 l + i % 2 of half i / 2, row by row.
  const double *sum = tile.sum + i / 2 * 64 + i % 2;
  for (unsigned lane = 0; lane < 32; ++lane)
    d[lane] = std::bit_cast<uint32_t>(canonicalize(
        float(sum[2 * lane] + double(std::bit_cast<float>(c[lane])))));
}

} // namespace wna16::emulator
