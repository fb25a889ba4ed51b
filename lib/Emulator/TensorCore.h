//===- TensorCore.h - sums of products as tensor cores form them ----------===//
//
// mma and wgmma do not follow IEEE arithmetic, and the PTX document leaves
// their accuracy open. What Hopper does was found from an H200's answers and
// reproduces all of them bit for bit (test/Hardware):
//
// - All products of one instruction and C are added at once. A product is
//   exact and has the exponent eA + eB, the sum of its operands' exponents
//   (those of their leading bits; a subnormal number has that of the smallest
//   normal one). It is not normalised, although it may reach 4 * 2^(eA + eB).
// - The largest exponent among products and C that are not zero is e. Every
//   term loses its bits below 2^(e - f), towards zero: f is 25, but 13 for
//   wgmma on 8-bit floats. The sum of what is left is exact.
// - The sum is rounded to fp32 towards zero, or to fp16 to nearest even. wgmma
//   on 8-bit floats keeps 13 bits of mantissa in fp32.
// - A sum of zero is +0, NaN is 0x7fffffff or 0x7fff, and overflow infinity.
//
// So one large term hides small ones, and sums lean towards zero.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_TENSORCORE_H
#define WNA16_LIB_EMULATOR_TENSORCORE_H

#include <cstdint>

namespace wna16::emulator {

struct TensorCoreRule {
  bool half = false;   ///< C and the result are fp16
  bool coarse = false; ///< 13 bits: wgmma on 8-bit floats
};

/// Vectors that are multiplied together.
constexpr unsigned tensorVectors = 4;

/// A product of two matrices: `width` rows or columns of the one operand side
/// by side, `count` vectors along K of the other.
template <unsigned width, unsigned count, unsigned maxK> class TensorTile {
public:
  /// Operands, to be filled before prepare().
  alignas(64) float wide[maxK][width];
  float narrow[count][maxK];

  /// `leastWide` and `leastNarrow` are the exponents of the smallest normal
  /// numbers of the element types. Changes the operands.
  void prepare(unsigned k, unsigned vectors, int leastWide, int leastNarrow);

  /// For the four vectors v from `vector` on, row by row: bits of the rounded
  /// sum of wide[.][i] * narrow[v][.] and C, along `k` indices from `first` on.
  void sum(const TensorCoreRule &rule, unsigned first, unsigned k,
           unsigned vector, const float *c, uint32_t *out) const;

private:
  alignas(64) int32_t wideExponents[maxK][width];
  int32_t narrowExponents[count][maxK];
  /// All operands are finite, and so close to each other that their products
  /// are exact in fp32.
  bool fast = false;
  /// Operands were divided by 2^shift, both together.
  int32_t shift = 0;
};

/// Rows of A along K, eight columns of B side by side.
using MmaSums = TensorTile<8, 16, 32>;
/// Columns of B along K, the 16 rows of a warp side by side.
using WarpgroupSums = TensorTile<16, 256, 32>;

/// Exponents of the smallest normal numbers.
constexpr int leastExponentF32 = -126, leastExponentF16 = -14,
              leastExponentE4M3 = -6;

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_TENSORCORE_H
