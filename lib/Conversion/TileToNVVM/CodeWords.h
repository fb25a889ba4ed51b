//===- CodeWords.h - packed codes as exact 16-bit numbers -----------------===//
//
// A rule, not a table: the bits of a code are placed in the mantissa of a
// number whose exponent makes its last place worth 1 (1024 for f16, 128 for
// bf16) or, when the code sits `s` bits higher in its half-word, 2^-s; then the
// exponent and the offset of the code are subtracted, which is exact. Two codes
// that lie 16 bits apart share one register and all of its instructions.
// The constants follow from the format: f16 has 10 mantissa bits, so codes of 4
// bits fit at two places; bf16 has 7, so they fit at one, and are shifted
// there. Codes of 8 bits do not fit bf16: they go through f32, one by one.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_CODEWORDS_H
#define WNA16_LIB_CONVERSION_TILETONVVM_CODEWORDS_H

#include "lib/Conversion/TileToNVVM/Patterns.h"

#include <map>

namespace wna16 {

/// A floating-point format of 16 bits.
class Format16 {
public:
  explicit Format16(mlir::FloatType type);

  /// Two numbers in a register.
  const mlir::VectorType pair;
  /// Stored ones, without the leading 1.
  const unsigned mantissaBits;

  /// Bits of the number 2^(mantissaBits - shift), in both halves.
  uint32_t exponentOf(unsigned shift) const;
  /// `value`, in both halves of a register.
  mlir::Value constant(mlir::OpBuilder &builder, mlir::Location loc,
                       double value) const;
};

/// The registers that hold one plane of codes of `width` bits.
struct CodePlane {
  mlir::ValueRange words;
  unsigned width;
};

/// Two codes: their number among those of the thread, in each plane.
struct CodePair {
  llvm::SmallVector<std::array<unsigned, 2>, 3> places;
};

/// Codes of a thread, plane by plane, and their shifted copies made on demand.
class CodeWords {
public:
  CodeWords(mlir::OpBuilder &builder, mlir::Location loc,
            llvm::ArrayRef<CodePlane> planes, const Format16 &format);

  /// Both codes less `offset`, exactly: a pair of the format.
  mlir::Value difference(const CodePair &codes, int64_t offset);
  /// Both codes less `zeros`, a pair of integers of the format.
  mlir::Value difference(const CodePair &codes, mlir::Value zeros);

private:
  /// Codes in a mantissa, and how far above its last bit they are.
  struct Placed {
    mlir::Value bits;
    unsigned place;
  };
  bool fitsMantissa() const { return width <= format.mantissaBits; }
  Placed place(const CodePair &codes);
  /// The places of a pair whose codes are 16 bits apart in every plane.
  std::optional<unsigned> commonPlace(const CodePair &codes) const;
  /// Through f32: the code alone as 2^23 + code.
  mlir::Value single(const CodePair &codes, unsigned half);
  /// The code alone, in the low bits of a register.
  mlir::Value integer(const CodePair &codes, unsigned half);
  mlir::Value f32(double value);
  /// words[index] >> amount, or << when negative.
  mlir::Value shifted(unsigned plane, unsigned index, int amount);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::SmallVector<CodePlane, 3> planes;
  const Format16 &format;
  /// Of the whole code.
  unsigned width = 0;
  std::map<std::array<int, 3>, mlir::Value> copies;
  /// Zeros plus the exponent of a place.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> biased;
};

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TILETONVVM_CODEWORDS_H
