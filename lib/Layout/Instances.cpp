//===- Instances.cpp - the layouts that formats and instructions define ---===//
//
// Each instance is written as the list of its bases, lowest bit first: row(b)
// is bit b of dim0 (k, m or row), column(b) bit b of dim1 (n or column).
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/Instances.h"

#include <bit>
#include <stdexcept>

using namespace wna16::layout;

namespace {

[[noreturn]] void fail(const std::string &message) {
  throw std::invalid_argument(message);
}

Basis row(unsigned bit) { return {1u << bit, 0}; }
Basis column(unsigned bit) { return {0, 1u << bit}; }

std::vector<OutDim> matrix(unsigned rowBits, unsigned columnBits) {
  return {{"dim0", rowBits}, {"dim1", columnBits}};
}

LinearLayout storageTile(std::vector<Basis> bases, unsigned rowBits,
                         unsigned columnBits) {
  return LinearLayout({{"offset", std::move(bases)}},
                      matrix(rowBits, columnBits));
}

LinearLayout fragment(std::vector<Basis> registers, std::vector<Basis> lanes,
                      unsigned rowBits, unsigned columnBits) {
  return LinearLayout(
      {{"register", std::move(registers)}, {"lane", std::move(lanes)}},
      matrix(rowBits, columnBits));
}

/// One element: the tile of layouts that are strides only.
LinearLayout element() { return storageTile({}, 0, 0); }

/// A shape that must be known, e.g. checkShape("gptq", k, n).
void checkShape(const char *name, int64_t d0, int64_t d1) {
  if (d0 <= 0 || d1 <= 0)
    fail(std::string(name) + " layout: expected positive extents, found " +
         std::to_string(d0) + " x " + std::to_string(d1));
}

void checkMultiple(const char *name, const char *what, int64_t value,
                   int64_t factor) {
  if (value % factor != 0)
    fail(std::string(name) + " layout: expected " + what +
         " to be a multiple of " + std::to_string(factor) + ", found " +
         std::to_string(value));
}

/// The logarithm of the number of codes in a word.
unsigned wordBits(const char *name, unsigned bits) {
  if (bits != 1 && bits != 2 && bits != 4 && bits != 8)
    fail(std::string(name) +
         " layout: expected codes of 1, 2, 4 or 8 bits (others are stored in "
         "planes or as a bit stream), found " +
         std::to_string(bits));
  return std::countr_zero(32 / bits);
}

/// 32-bit words of codes along dim0, low bits first.
LinearLayout wordAlongRows(const char *name, int64_t k, unsigned bits) {
  unsigned codeBits = wordBits(name, bits);
  checkMultiple(name, "K", k, 32 / bits);
  std::vector<Basis> bases;
  for (unsigned bit = 0; bit < codeBits; ++bit)
    bases.push_back(row(bit));
  return storageTile(std::move(bases), codeBits, 0);
}

/// The same along dim1.
LinearLayout wordAlongColumns(const char *name, int64_t n, unsigned bits) {
  unsigned codeBits = wordBits(name, bits);
  checkMultiple(name, "N", n, 32 / bits);
  std::vector<Basis> bases;
  for (unsigned bit = 0; bit < codeBits; ++bit)
    bases.push_back(column(bit));
  return storageTile(std::move(bases), 0, codeBits);
}

/// Eight codes of 4 bits along dim1: columns 0, 2, 4, 6, 1, 3, 5, 7.
StorageLayout awq(const char *name, int64_t rows, int64_t n, unsigned bits) {
  checkShape(name, rows, n);
  if (bits != 4)
    fail(std::string(name) + " layout: expected codes of 4 bits, found " +
         std::to_string(bits));
  checkMultiple(name, "N", n, 8);
  return StorageLayout(storageTile({column(1), column(2), column(0)}, 0, 3),
                       {rows, n}, {n, 8});
}

} // namespace

namespace wna16::layout {

StorageLayout rowMajor(int64_t rows, int64_t columns, int64_t pitch) {
  if (pitch < 0)
    fail("row_major layout: expected a pitch of 0 (none) or more, found " +
         std::to_string(pitch));
  if (pitch == 0 && columns < 0)
    fail("row_major layout: a dynamic number of columns needs a pitch");
  return StorageLayout(element(), {rows, columns},
                       {pitch == 0 ? columns : pitch, 1});
}

StorageLayout compressedTensorsWeights(int64_t k, int64_t n, unsigned bits) {
  const char *name = "compressed_tensors";
  checkShape(name, k, n);
  return StorageLayout(wordAlongRows(name, k, bits), {k, n}, {32 / bits, k});
}

StorageLayout gptqWeights(int64_t k, int64_t n, unsigned bits) {
  const char *name = "gptq";
  checkShape(name, k, n);
  LinearLayout word = wordAlongRows(name, k, bits);
  int64_t codes = 32 / bits;
  return StorageLayout(std::move(word), {k, n}, {n * codes, codes});
}

std::vector<unsigned> planesOf(unsigned bits) {
  std::vector<unsigned> planes;
  for (unsigned width : {8u, 4u, 2u, 1u})
    if (bits & width)
      planes.push_back(width);
  return planes;
}

StorageLayout marlinWeights(int64_t k, int64_t n, unsigned bits) {
  const char *name = "marlin";
  checkShape(name, k, n);
  checkMultiple(name, "K", k, 16);
  checkMultiple(name, "N", n, 64);
  // Inside a word k + 8 is next and k + 1 half a word away, with as many blocks
  // of 8 columns between them as fit: one mask yields two codes 16 bits apart
  // that are neighbours in k, a register of the mma operand.
  unsigned blockBits = wordBits(name, bits) - 2;
  std::vector<Basis> bases = {row(3)};
  for (unsigned bit = 0; bit < blockBits; ++bit)
    bases.push_back(column(3 + bit));
  bases.push_back(row(0));
  // Words of a lane: the other columns; then the lanes of the mma operand.
  for (unsigned bit = blockBits; bit < 3; ++bit)
    bases.push_back(column(3 + bit));
  for (Basis basis : {row(1), row(2), column(0), column(1), column(2)})
    bases.push_back(basis);
  return StorageLayout(storageTile(std::move(bases), 4, 6), {k, n},
                       {16 * n, 16 * 64});
}

StorageLayout awqWeights(int64_t k, int64_t n, unsigned bits) {
  return awq("awq", k, n, bits);
}

StorageLayout awqZeros(int64_t groups, int64_t n, unsigned bits) {
  return awq("awq_zeros", groups, n, bits);
}

StorageLayout gptqZeros(int64_t groups, int64_t n, unsigned bits) {
  const char *name = "gptq_zeros";
  checkShape(name, groups, n);
  return StorageLayout(wordAlongColumns(name, n, bits), {groups, n},
                       {n, 32 / bits});
}

StorageLayout compressedTensorsZeros(int64_t groups, int64_t n, unsigned bits) {
  const char *name = "compressed_tensors_zeros";
  checkShape(name, groups, n);
  int64_t codes = 32 / bits;
  return StorageLayout(wordAlongColumns(name, n, bits), {groups, n},
                       {codes, groups * codes});
}

StorageLayout marlinZeros(int64_t groups, int64_t n, unsigned bits) {
  const char *name = "marlin_zeros";
  checkShape(name, groups, n);
  checkMultiple(name, "N", n, 64);
  // The order of marlin_scales, with the codes of a word interleaved.
  std::vector<Basis> bases;
  if (bits == 4)
    bases = {column(4), column(5), column(3)};
  else if (bits == 8)
    bases = {column(4), column(3), column(5)};
  else
    fail("marlin_zeros layout: expected codes of 4 or 8 bits, found " +
         std::to_string(bits));
  for (unsigned bit : {0, 1, 2})
    bases.push_back(column(bit));
  return StorageLayout(storageTile(std::move(bases), 0, 6), {groups, n},
                       {n, 64});
}

StorageLayout marlinGroupedScales(int64_t groups, int64_t n) {
  const char *name = "marlin_scales";
  checkShape(name, groups, n);
  checkMultiple(name, "N", n, 64);
  return StorageLayout(storageTile({column(3), column(4), column(5), column(0),
                                    column(1), column(2)},
                                   0, 6),
                       {groups, n}, {n, 64});
}

StorageLayout marlinChannelScales(int64_t groups, int64_t n) {
  const char *name = "marlin_channel_scales";
  checkShape(name, groups, n);
  checkMultiple(name, "N", n, 32);
  return StorageLayout(
      storageTile({column(0), column(3), column(4), column(1), column(2)}, 0,
                  5),
      {groups, n}, {n, 32});
}

StorageLayout compressedTensorsScales(int64_t groups, int64_t n) {
  checkShape("compressed_tensors_scales", groups, n);
  return StorageLayout(element(), {groups, n}, {1, groups});
}

LinearLayout mmaA16x16() {
  return fragment({column(0), row(3), column(3)},
                  {column(1), column(2), row(0), row(1), row(2)}, 4, 4);
}

LinearLayout mmaB16x8() {
  return fragment({row(0), row(3)},
                  {row(1), row(2), column(0), column(1), column(2)}, 4, 3);
}

LinearLayout mmaC16x8() {
  return fragment({column(0), row(3)},
                  {column(1), column(2), row(0), row(1), row(2)}, 4, 3);
}

LinearLayout ldmatrixX4() {
  return fragment({column(0), column(3), column(4)},
                  {column(1), column(2), row(0), row(1), row(2)}, 3, 5);
}

LinearLayout xorSwizzle(uint32_t rows, uint32_t columns, uint32_t span) {
  constexpr uint32_t chunk = 8; // 16 bytes of 16-bit elements
  if (!std::has_single_bit(rows) || !std::has_single_bit(columns) ||
      !std::has_single_bit(span) || columns < chunk || span > columns / chunk)
    fail("xor swizzle: expected powers of two with at least 8 columns and a "
         "span of at most columns / 8, found rows " +
         std::to_string(rows) + ", columns " + std::to_string(columns) +
         ", span " + std::to_string(span));
  unsigned rowBits = std::countr_zero(rows);
  unsigned columnBits = std::countr_zero(columns);
  std::vector<Basis> bases;
  for (unsigned bit = 0; bit < columnBits; ++bit)
    bases.push_back(column(bit));
  for (unsigned bit = 0; bit < rowBits; ++bit)
    bases.push_back({1u << bit, (1u << bit) < span ? chunk << bit : 0});
  return storageTile(std::move(bases), rowBits, columnBits);
}

StorageLayout swizzledPanels(int64_t rows, int64_t columns) {
  checkShape("swizzled", rows, columns);
  LinearLayout tile = xorSwizzle(8, swizzlePanelColumns, 8);
  int64_t tileElements = 8 * swizzlePanelColumns;
  return StorageLayout(std::move(tile), {rows, columns},
                       {tileElements, rows * swizzlePanelColumns});
}

} // namespace wna16::layout
