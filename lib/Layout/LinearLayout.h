//===- LinearLayout.h - GF(2)-linear index maps ---------------------------===//
//
// A linear layout maps named input dimensions ("register", "lane", "warp", or
// "offset" for storage) to logical coordinates. Every dimension has a size that
// is a power of two, and the map is linear over GF(2): the image of an index is
// the XOR of the images of its set bits (the "bases"). Swizzles are XORs of
// bases, broadcasts are zero bases, so the matrix need not be a permutation.
//
// This is the only description of a layout in the project: the packer, the
// repack, dequantisation, ldmatrix lowering and the pictures all read it.
// It knows nothing of MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_LINEARLAYOUT_H
#define WNA16_LIB_LAYOUT_LINEARLAYOUT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace wna16::layout {

/// Image of one input bit: one coordinate per output dimension.
using Basis = std::vector<uint32_t>;

/// One input dimension: its bases, lowest bit first; its size is
/// 2^bases.size().
struct InDim {
  std::string name;
  std::vector<Basis> bases;
  bool operator==(const InDim &) const = default;
};

/// One output dimension of size 2^bits.
struct OutDim {
  std::string name;
  unsigned bits = 0;
  uint32_t size() const { return 1u << bits; }
  bool operator==(const OutDim &) const = default;
};

class LinearLayout {
public:
  LinearLayout() = default;

  /// Every basis must have one coordinate per output dimension, each below that
  /// dimension's size; violated preconditions throw std::invalid_argument.
  LinearLayout(std::vector<InDim> ins, std::vector<OutDim> outs);

  /// in (2^bits values) mapped one to one to out.
  static LinearLayout identity(unsigned bits, const std::string &in,
                               const std::string &out);
  /// 2^bits values of `in`, all at coordinate 0 of `out` (size 1): a broadcast.
  static LinearLayout zeros(unsigned bits, const std::string &in,
                            const std::string &out);

  const std::vector<InDim> &ins() const { return inDims; }
  const std::vector<OutDim> &outs() const { return outDims; }
  bool hasIn(const std::string &name) const;
  /// Number of bits of an input dimension; 0 when it does not exist.
  unsigned inBits(const std::string &name) const;
  unsigned outBits(const std::string &name) const;
  unsigned totalInBits() const;
  unsigned totalOutBits() const;
  const std::vector<Basis> &bases(const std::string &in) const;

  /// Coordinates of one input index; values in the order of ins()/outs().
  std::vector<uint32_t> apply(const std::vector<uint32_t> &index) const;
  /// The same, with all inputs flattened into one index (first dimension in the
  /// lowest bits) and all outputs flattened likewise.
  uint64_t applyFlat(uint64_t index) const;

  /// Direct product: dimensions of the same name are concatenated, those of
  /// `this` in the lower bits.
  LinearLayout operator*(const LinearLayout &other) const;

  /// `outer` after `this`: the outputs of `this` must be the inputs of `outer`
  /// by name, with sizes that fit.
  LinearLayout compose(const LinearLayout &outer) const;

  /// An index of every reachable coordinate: outputs become inputs and vice
  /// versa; input bits that the map does not need (zero or dependent bases) are
  /// 0 in the result. Requires surjectivity (throws std::invalid_argument).
  /// For a bijection it is the inverse.
  LinearLayout rightInverse() const;

  bool isInjective() const;
  bool isSurjective() const;
  bool isBijective() const { return isInjective() && isSurjective(); }
  unsigned rank() const;

  /// Bits of `in` whose basis is zero: indices that differ only there hold
  /// copies of the same element.
  uint32_t freeMask(const std::string &in) const;

  /// Keeps only the named inputs (the others fixed at 0), in the given order.
  LinearLayout withIns(const std::vector<std::string> &names) const;
  LinearLayout renameIn(const std::string &from, const std::string &to) const;
  LinearLayout renameOut(const std::string &from, const std::string &to) const;
  /// Splits `in` after its lowest `bits` bits: those stay in `in`, the upper
  /// ones become (or are appended to) input `upper`.
  LinearLayout splitIn(const std::string &in, unsigned bits,
                       const std::string &upper) const;

  bool operator==(const LinearLayout &) const = default;
  size_t hash() const;

  /// `{register = [[0, 1], [8, 0]], lane = [...]} -> {dim0 = 16, dim1 = 8}`
  std::string str() const;

private:
  std::vector<InDim> inDims;
  std::vector<OutDim> outDims;
};

} // namespace wna16::layout

#endif // WNA16_LIB_LAYOUT_LINEARLAYOUT_H
