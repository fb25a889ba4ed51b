//===- StoredMatrix.h - elements of packed operands -----------------------===//
//
// Finds the elements of weights, zero points, scales and biases in the buffers
// of a run, by the storage that the record names.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUN_STOREDMATRIX_H
#define WNA16_LIB_RUN_STOREDMATRIX_H

#include "lib/Layout/PackedStorage.h"
#include "lib/Run/Data.h"

namespace wna16::run {

/// offset(i, j) of a storage layout with the inside of a tile tabulated.
class OffsetTable {
public:
  explicit OffsetTable(const layout::StorageLayout &storage);
  int64_t operator()(int64_t i, int64_t j) const {
    return inside[size_t(i % tile[0] * tile[1] + j % tile[1])] +
           i / tile[0] * strides[0] + j / tile[1] * strides[1];
  }

private:
  std::array<int64_t, 2> tile, strides;
  std::vector<int64_t> inside;
};

/// A matrix in the buffer of an argument.
class StoredMatrix {
public:
  /// The error names the argument: an unknown layout, one that does not allow
  /// the shape, or a buffer that is smaller.
  static llvm::Expected<StoredMatrix> get(const ArgumentData &data);

  /// Matrices of a stack; 1 for a matrix.
  int64_t experts() const { return matrices; }
  /// One matrix of a stack.
  StoredMatrix expert(int64_t number) const;

  int64_t rows() const { return extents[0]; }
  int64_t columns() const { return extents[1]; }

  /// A code of 1 to 8 bits.
  uint64_t code(const ArgumentData &data, int64_t i, int64_t j) const;
  void setCode(ArgumentData &data, int64_t i, int64_t j, uint64_t code) const;
  /// A number of the argument's dtype.
  double number(const ArgumentData &data, int64_t i, int64_t j) const {
    return elementAt(data, firstElement + planes.front().offset(i, j));
  }

private:
  struct Plane {
    OffsetTable offset;
    unsigned bits, firstBit;
    int64_t firstWord;
  };
  std::array<int64_t, 2> extents;
  /// Of one matrix, all of its planes.
  int64_t words = 0;
  int64_t matrices = 1, firstElement = 0;
  std::vector<Plane> planes;
};

} // namespace wna16::run

#endif // WNA16_LIB_RUN_STOREDMATRIX_H
