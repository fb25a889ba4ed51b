//===- StoredMatrix.cpp - elements of packed operands ---------------------===//
#include "lib/Run/StoredMatrix.h"

#include "lib/Layout/Instances.h"
#include "lib/Layout/StorageNames.h"

using llvm::createStringError;
using llvm::Expected;

namespace wna16::run {

OffsetTable::OffsetTable(const layout::StorageLayout &storage)
    : tile(storage.tileShape()), strides(storage.strides()) {
  for (int64_t i = 0; i < tile[0]; ++i)
    for (int64_t j = 0; j < tile[1]; ++j)
      inside.push_back(storage.offset(i, j));
}

Expected<StoredMatrix> StoredMatrix::get(const ArgumentData &data) {
  const LaunchArgument &argument = *data.argument;
  auto error = [&](const llvm::Twine &message) {
    return createStringError("argument '" + argument.name + "': " + message);
  };
  std::vector<int64_t> shape = argument.logicalShape;
  if (shape.empty() && argument.layout == "row_major")
    shape = data.shape;
  if (shape.size() != 2 && shape.size() != 3)
    return error("logical_shape must have two sizes, or three for a stack");
  StoredMatrix result;
  if (shape.size() == 3) {
    result.matrices = shape.front();
    shape.erase(shape.begin());
  }
  unsigned bits =
      unsigned(argument.bits.value_or(int64_t(dtypeBytes(argument.dtype)) * 8));
  result.extents = {shape[0], shape[1]};
  int64_t &words = result.words;
  try {
    if (argument.layout == "row_major") {
      // Numbers of any width; what is packed has names for its layouts.
      layout::StorageLayout rows = layout::rowMajor(shape[0], shape[1]);
      words = (rows.span() * bits + 31) / 32;
      result.planes.push_back({OffsetTable(rows), bits, 0, 0});
    } else {
      auto storage =
          layout::storageByName(argument.layout, shape[0], shape[1], bits);
      if (!storage)
        return error("unknown layout '" + argument.layout + "'");
      if (storage->planes().empty())
        return error("'" + argument.layout + "' is no layout of kernels");
      words = storage->words();
      for (const layout::Plane &plane : storage->planes())
        result.planes.push_back({OffsetTable(plane.layout), plane.bits,
                                 plane.firstBit, plane.firstWord});
    }
  } catch (const std::exception &exception) {
    return error(exception.what());
  }
  // Matrices of numbers are as many elements, those of codes whole words.
  const int64_t bytes =
      argument.bits ? 4 * words
                    : shape[0] * shape[1] * int64_t(dtypeBytes(argument.dtype));
  if (int64_t(data.bytes.size()) < bytes * result.matrices)
    return error("the buffer is smaller than its logical shape");
  return result;
}

StoredMatrix StoredMatrix::expert(int64_t number) const {
  StoredMatrix result = *this;
  result.firstElement = number * extents[0] * extents[1];
  for (Plane &plane : result.planes)
    plane.firstWord += number * words;
  return result;
}

uint64_t StoredMatrix::code(const ArgumentData &data, int64_t i,
                            int64_t j) const {
  uint64_t code = 0;
  for (const Plane &plane : planes) {
    const int64_t bit =
        plane.firstWord * 32 + plane.offset(i, j) * int64_t(plane.bits);
    uint64_t part = data.bytes[size_t(bit / 8)] >> (bit % 8);
    code |= (part & ((1u << plane.bits) - 1)) << plane.firstBit;
  }
  return code;
}

void StoredMatrix::setCode(ArgumentData &data, int64_t i, int64_t j,
                           uint64_t code) const {
  for (const Plane &plane : planes) {
    const int64_t bit =
        plane.firstWord * 32 + plane.offset(i, j) * int64_t(plane.bits);
    const unsigned shift = unsigned(bit % 8);
    const unsigned mask = (1u << plane.bits) - 1;
    uint8_t &byte = data.bytes[size_t(bit / 8)];
    byte = uint8_t((byte & ~(mask << shift)) |
                   (code >> plane.firstBit & mask) << shift);
  }
}

} // namespace wna16::run
