//===- Gallery.cpp - layouts to look at, by name --------------------------===//
//
// A table of exhibits. Each knows its default shape and how the bits of a
// storage offset are named, lowest first.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/Gallery.h"

#include "lib/Layout/Instances.h"
#include "lib/Layout/StorageNames.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string_view>

using namespace wna16::layout;

namespace {

/// Names a field of the offset, from its lowest bit on.
struct Field {
  std::string name;
  unsigned bits;
};

using Fields = std::vector<Field>;

/// How codes lie in words, for weights of `bits` bits.
unsigned codeBits(unsigned bits) { return std::countr_zero(32 / bits); }

struct Entry {
  const char *name, *description, *rows, *columns;
  /// Instruction operands: the layout. Storage: null.
  LinearLayout (*operand)();
  /// Storage: the default shape and the fields below the outermost one, which
  /// is called `outermost`.
  int64_t defaultRows = 0, defaultColumns = 0;
  Fields (*fields)(unsigned bits) = nullptr;
  const char *outermost = nullptr;
};

Fields codes(unsigned bits) { return {{"code", codeBits(bits)}}; }

const Entry entries[] = {
    {"row_major", "row-major codes, 32-bit words along n", "k", "n", nullptr, 4,
     32, codes, "word"},
    {"marlin",
     "Marlin weights: one 16 x 64 tile is one 16-byte vector per lane", "k",
     "n", nullptr, 16, 64,
     [](unsigned bits) {
       return Fields{
           {"code", codeBits(bits)}, {"word", 5 - codeBits(bits)}, {"lane", 5}};
     },
     "tile"},
    {"gptq", "GPTQ weights: int32 [K * bits / 32][N], codes along k", "k", "n",
     nullptr, 32, 8, codes, "word"},
    {"compressed_tensors",
     "compressed-tensors weights: int32 [N][K * bits / 32], codes along k", "k",
     "n", nullptr, 32, 8, codes, "word"},
    {"awq", "AWQ weights: int32 [K][N / 8], codes along n, interleaved", "k",
     "n", nullptr, 4, 16, codes, "word"},
    {"marlin_zeros",
     "Marlin zero points: its scales' order, interleaved like weights", "group",
     "n", nullptr, 1, 64, codes, "word"},
    {"gptq_zeros", "GPTQ zero points: int32 [groups][N * bits / 32]", "group",
     "n", nullptr, 4, 16, codes, "word"},
    {"compressed_tensors_zeros",
     "compressed-tensors zero points: int32 [N * bits / 32][groups]", "group",
     "n", nullptr, 4, 16, codes, "word"},
    {"awq_zeros", "AWQ zero points: int32 [groups][N / 8], interleaved",
     "group", "n", nullptr, 4, 16, codes, "word"},
    {"marlin_scales", "Marlin scales of groups: 8 x 8 transpose of 64 columns",
     "group", "n", nullptr, 1, 64,
     [](unsigned) {
       return Fields{{"element", 3}, {"vector", 3}};
     },
     "tile"},
    {"marlin_channel_scales",
     "Marlin scales of columns, and a bias: pairs eight apart in 32 columns",
     "group", "n", nullptr, 1, 32,
     [](unsigned) {
       return Fields{{"element", 3}, {"vector", 2}};
     },
     "tile"},
    {"compressed_tensors_scales", "compressed-tensors scales: [N][groups]",
     "group", "n", nullptr, 4, 16, [](unsigned) { return Fields{}; }, "offset"},
    {"mma_a", "operand A of an m16n8k16 mma, 16-bit elements", "row", "k",
     mmaA16x16},
    {"mma_b", "operand B of an m16n8k16 mma, 16-bit elements", "k", "column",
     mmaB16x8},
    {"mma_c", "operands C and D of an m16n8k16 mma, fp32", "row", "column",
     mmaC16x8},
    {"ldmatrix", "result of ldmatrix x4 on an 8 x 32 block of 16-bit elements",
     "row", "column", ldmatrixX4},
    {"xor_swizzle",
     "8 rows of 64 16-bit elements in shared memory, 16-byte chunks swizzled",
     "row", "column",
     [] {
       return xorSwizzle(8, 64, 8)
           .renameIn("offset", "element")
           .splitIn("element", 3, "chunk")
           .splitIn("chunk", 3, "line");
     }},
};

/// Splits "offset" into the fields; what is left above them is `outermost`.
LinearLayout splitOffset(LinearLayout layout, const Fields &fields,
                         const std::string &outermost) {
  std::string rest = "offset";
  layout = layout.renameIn("offset", rest);
  for (const Field &field : fields) {
    if (field.bits == 0)
      continue;
    // The field keeps the low bits, the rest moves on under a new name.
    unsigned bits = std::min(field.bits, layout.inBits(rest));
    layout = layout.splitIn(rest, bits, rest + "'").renameIn(rest, field.name);
    rest += "'";
  }
  return layout.renameIn(rest, outermost);
}

} // namespace

LinearLayout wna16::layout::linearize(const StorageLayout &storage) {
  std::array<int64_t, 2> shape = storage.shape();
  std::string text =
      std::to_string(shape[0]) + " x " + std::to_string(shape[1]);
  for (int i : {0, 1})
    if (shape[i] <= 0 || shape[i] > 1 << 20 ||
        !std::has_single_bit(uint64_t(shape[i])))
      throw std::invalid_argument(
          "expected a shape of powers of two (at most 2^20) to show a storage "
          "as one linear layout, found " +
          text);
  if (storage.span() != shape[0] * shape[1])
    throw std::invalid_argument("the storage of shape " + text +
                                " has gaps, so it is not one linear layout");
  // Dense and powers of two: all strides are distinct powers of two.
  unsigned rowBits = std::countr_zero(uint64_t(shape[0]));
  unsigned columnBits = std::countr_zero(uint64_t(shape[1]));
  InDim rows{"dim0", {}}, columns{"dim1", {}};
  for (unsigned bit = 0; bit < rowBits; ++bit)
    rows.bases.push_back({uint32_t(storage.offset(int64_t(1) << bit, 0))});
  for (unsigned bit = 0; bit < columnBits; ++bit)
    columns.bases.push_back({uint32_t(storage.offset(0, int64_t(1) << bit))});
  return LinearLayout({rows, columns}, {{"offset", rowBits + columnBits}})
      .rightInverse();
}

std::string wna16::layout::listExhibits() {
  std::string text;
  for (const Entry &entry : entries) {
    std::string name = entry.name;
    text +=
        name + std::string(28 - name.size(), ' ') + entry.description + "\n";
  }
  return text;
}

Exhibit wna16::layout::makeExhibit(const std::string &name,
                                   const ExhibitShape &shape) {
  std::string wanted = name, known;
  std::replace(wanted.begin(), wanted.end(), '-', '_');
  for (const Entry &entry : entries) {
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
    if (wanted != entry.name)
      continue;
    Exhibit exhibit{entry.name, entry.description, {}, {}};
    exhibit.options.rows = entry.rows;
    exhibit.options.columns = entry.columns;
    if (entry.operand) {
      if (shape.rows || shape.columns)
        throw std::invalid_argument(std::string(entry.name) +
                                    " is an instruction operand, its shape "
                                    "cannot be chosen");
      exhibit.layout = entry.operand();
      return exhibit;
    }
    if (shape.bits != 1 && shape.bits != 2 && shape.bits != 4 &&
        shape.bits != 8)
      throw std::invalid_argument(
          "expected codes of 1, 2, 4 or 8 bits, found " +
          std::to_string(shape.bits));
    StorageLayout storage = *storageLayoutByName(
        entry.name, shape.rows ? shape.rows : entry.defaultRows,
        shape.columns ? shape.columns : entry.defaultColumns,
        std::string_view(entry.name).ends_with("scales") ? 16 : shape.bits);
    exhibit.layout = splitOffset(linearize(storage), entry.fields(shape.bits),
                                 entry.outermost);
    return exhibit;
  }
  throw std::invalid_argument("unknown layout '" + name +
                              "', expected one of " + known);
}
