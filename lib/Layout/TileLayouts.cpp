//===- TileLayouts.cpp - which thread holds what --------------------------===//

#include "lib/Layout/TileLayouts.h"

#include "lib/Layout/Instances.h"

#include <algorithm>
#include <bit>

using namespace wna16;
using namespace wna16::layout;

namespace {

/// Bases under construction, by input dimension.
struct Builder {
  std::vector<Basis> registers, lanes, warps, blocks;

  LinearLayout build(Shape2 shape) const {
    auto bits = [](int64_t extent) {
      return static_cast<unsigned>(std::countr_zero(uint64_t(extent)));
    };
    std::vector<InDim> ins = {
        {"register", registers}, {"lane", lanes}, {"warp", warps}};
    if (!blocks.empty())
      ins.push_back({"block", blocks});
    return LinearLayout(std::move(ins),
                        {{"dim0", bits(shape[0])}, {"dim1", bits(shape[1])}});
  }
};

unsigned bitsOf(int64_t value) {
  return static_cast<unsigned>(std::countr_zero(uint64_t(value)));
}

Shape2 shapeOf(const LinearLayout &layout) {
  return {int64_t(layout.outs()[0].size()), int64_t(layout.outs()[1].size())};
}

/// `fragment` maps (register, lane) to (row, column) of one instruction;
/// `swap` exchanges rows and columns.
Builder fromFragment(const LinearLayout &fragment, bool swap) {
  Builder builder{fragment.bases("register"), fragment.bases("lane"), {}, {}};
  if (swap)
    for (std::vector<Basis> *bases : {&builder.registers, &builder.lanes})
      for (Basis &basis : *bases)
        std::swap(basis[0], basis[1]);
  return builder;
}

/// Registers (or warps) that repeat along `dim` from `from` to `to`.
void repeat(std::vector<Basis> &bases, unsigned dim, int64_t from, int64_t to) {
  for (int64_t step = from; step < to; step *= 2) {
    Basis basis{0, 0};
    basis[dim] = static_cast<uint32_t>(step);
    bases.push_back(basis);
  }
}

/// What one of `warps` warps along a dimension has of `extent`, in whole
/// instructions of `step`.
int64_t perWarp(int64_t extent, int64_t warps, int64_t step) {
  return std::max(step, extent / warps);
}

void padWithCopies(std::vector<Basis> &bases, unsigned bits) {
  while (bases.size() < bits)
    bases.push_back({0, 0});
}

/// One bit of a tile's coordinates and the distance in storage that it makes.
struct StorageBit {
  int64_t distance;
  Basis basis;
};

/// The bits of a tile of `shape`, nearest addresses first.
std::vector<StorageBit> bitsByAddress(const StorageLayout &storage,
                                      Shape2 shape) {
  std::vector<StorageBit> bits;
  const std::vector<Basis> &inTile = storage.tile().bases("offset");
  for (size_t bit = 0; bit < inTile.size(); ++bit)
    if (inTile[bit][0] < shape[0] && inTile[bit][1] < shape[1])
      bits.push_back({int64_t(1) << bit, inTile[bit]});
  for (unsigned dim : {1u, 0u}) {
    int64_t tile = storage.tileShape()[dim];
    // A run-time row stride is at least the number of columns.
    int64_t stride = storage.strides()[dim];
    for (int64_t step = tile; step < shape[dim]; step *= 2) {
      Basis basis{0, 0};
      basis[dim] = static_cast<uint32_t>(step);
      bits.push_back({step / tile * stride, basis});
    }
  }
  std::stable_sort(bits.begin(), bits.end(),
                   [](const StorageBit &a, const StorageBit &b) {
                     return a.distance < b.distance;
                   });
  return bits;
}

bool contains(const std::vector<Basis> &bases, const Basis &basis) {
  return std::find(bases.begin(), bases.end(), basis) != bases.end();
}

} // namespace

LinearLayout wna16::accumulatorLayout(int64_t n, int64_t m, WarpGrid warps) {
  Builder builder = fromFragment(mmaC16x8(), /*swap=*/false);
  int64_t columns = perWarp(n, warps.n, 16), rows = perWarp(m, warps.m, 8);
  repeat(builder.registers, 0, 16, columns);
  repeat(builder.registers, 1, 8, rows);
  repeat(builder.warps, 0, columns, n);
  padWithCopies(builder.warps, bitsOf(warps.n));
  repeat(builder.warps, 1, rows, m);
  padWithCopies(builder.warps, bitsOf(warps.n * warps.m));
  return builder.build({n, m});
}

LinearLayout wna16::weightsLayout(int64_t k, int64_t n, WarpGrid warps) {
  Builder builder = fromFragment(mmaA16x16(), /*swap=*/true);
  int64_t columns = perWarp(n, warps.n, 16);
  repeat(builder.registers, 1, 16, columns);
  repeat(builder.registers, 0, 16, k);
  repeat(builder.warps, 1, columns, n);
  padWithCopies(builder.warps, bitsOf(warps.n * warps.m));
  return builder.build({k, n});
}

LinearLayout wna16::activationsLayout(int64_t m, int64_t k, WarpGrid warps) {
  Builder builder = fromFragment(mmaB16x8(), /*swap=*/true);
  int64_t rows = perWarp(m, warps.m, 8);
  repeat(builder.registers, 1, 16, k);
  repeat(builder.registers, 0, 8, rows);
  padWithCopies(builder.warps, bitsOf(warps.n));
  repeat(builder.warps, 0, rows, m);
  padWithCopies(builder.warps, bitsOf(warps.n * warps.m));
  return builder.build({m, k});
}

LinearLayout wna16::inStorageOrder(const LinearLayout &values,
                                   const StorageLayout &storage) {
  const std::vector<Basis> &wanted = values.bases("register");
  Builder builder{{}, values.bases("lane"), values.bases("warp"), {}};
  for (const StorageBit &bit : bitsByAddress(storage, shapeOf(values)))
    if (contains(wanted, bit.basis))
      builder.registers.push_back(bit.basis);
  // Bits that storage does not have one by one keep their order at the end.
  for (const Basis &basis : wanted)
    if (!contains(builder.registers, basis))
      builder.registers.push_back(basis);
  return builder.build(shapeOf(values));
}

LinearLayout wna16::codesLayout(const LinearLayout &values,
                                const StorageLayout &storage,
                                unsigned codesPerWord) {
  LinearLayout ordered = inStorageOrder(values, storage);
  const std::vector<Basis> &wanted = ordered.bases("register");
  const std::vector<Basis> &stored = storage.tile().bases("offset");
  Builder builder{{}, ordered.bases("lane"), ordered.bases("warp"), {}};
  for (size_t bit = 0; bit < stored.size() && 1u << bit < codesPerWord; ++bit)
    builder.registers.push_back(contains(wanted, stored[bit]) ? stored[bit]
                                                              : Basis{0, 0});
  for (const Basis &basis : wanted)
    if (!contains(builder.registers, basis))
      builder.registers.push_back(basis);
  return builder.build(shapeOf(values));
}

LinearLayout wna16::unpackedLayout(const LinearLayout &codes,
                                   unsigned codesPerWord) {
  Builder builder{
      codes.bases("register"), codes.bases("lane"), codes.bases("warp"), {}};
  unsigned half = bitsOf(codesPerWord) - 1;
  // A lane without a whole word keeps its order; its layout is refused later.
  if (half < builder.registers.size())
    std::rotate(builder.registers.begin(), builder.registers.begin() + half,
                builder.registers.begin() + half + 1);
  return builder.build(shapeOf(codes));
}

LinearLayout wna16::scalesLayout(const LinearLayout &values, unsigned dim,
                                 const StorageLayout &storage,
                                 int64_t rowsPerGroup) {
  Shape2 extents = shapeOf(values);
  int64_t rows = rowsPerGroup ? extents[1 - dim] / rowsPerGroup : 1;
  // Rows of a group have the same scale: below it, a coordinate is dropped.
  auto scaleOf = [&](const Basis &basis) -> Basis {
    uint32_t row = rows == 1 ? 0 : basis[1 - dim] / rowsPerGroup;
    return {row, basis[dim]};
  };
  Builder builder;
  for (const Basis &basis : values.bases("register"))
    if (scaleOf(basis) != Basis{0, 0})
      builder.registers.push_back(scaleOf(basis));
  for (const Basis &basis : values.bases("lane"))
    builder.lanes.push_back(scaleOf(basis));
  for (const Basis &basis : values.bases("warp"))
    builder.warps.push_back(scaleOf(basis));
  return inStorageOrder(builder.build({rows, extents[dim]}), storage);
}

LinearLayout wna16::blockedLayout(const StorageLayout &storage, Shape2 shape,
                                  int64_t vector, int64_t warps,
                                  int64_t blocks) {
  std::vector<StorageBit> bits = bitsByAddress(storage, shape);
  Builder builder;
  size_t owned = bits.size() - std::min<size_t>(bits.size(), bitsOf(blocks));
  for (size_t bit = owned; bit < bits.size(); ++bit)
    builder.blocks.push_back(bits[bit].basis);
  bits.resize(owned);
  size_t next = 0;
  for (; next < bits.size() && next < bitsOf(vector); ++next) {
    if (bits[next].distance != int64_t(1) << next)
      break;
    builder.registers.push_back(bits[next].basis);
  }
  for (; next < bits.size() && builder.lanes.size() < 5; ++next)
    builder.lanes.push_back(bits[next].basis);
  for (; next < bits.size() && builder.warps.size() < bitsOf(warps); ++next)
    builder.warps.push_back(bits[next].basis);
  for (; next < bits.size(); ++next)
    builder.registers.push_back(bits[next].basis);
  padWithCopies(builder.lanes, 5);
  padWithCopies(builder.warps, bitsOf(warps));
  return builder.build(shape);
}

LinearLayout wna16::transposedLayout(const LinearLayout &layout) {
  Builder builder{
      layout.bases("register"), layout.bases("lane"), layout.bases("warp"), {}};
  if (layout.hasIn("block"))
    builder.blocks = layout.bases("block");
  for (std::vector<Basis> *bases :
       {&builder.registers, &builder.lanes, &builder.warps, &builder.blocks})
    for (Basis &basis : *bases)
      std::swap(basis[0], basis[1]);
  Shape2 shape = shapeOf(layout);
  return builder.build({shape[1], shape[0]});
}

std::optional<LinearLayout> wna16::sliceLayout(const LinearLayout &layout,
                                               Shape2 shape) {
  auto inside = [&](const Basis &basis) {
    return basis[0] < shape[0] && basis[1] < shape[1];
  };
  Builder builder{{}, layout.bases("lane"), layout.bases("warp"), {}};
  if (!std::all_of(builder.lanes.begin(), builder.lanes.end(), inside) ||
      !std::all_of(builder.warps.begin(), builder.warps.end(), inside))
    return std::nullopt;
  for (const Basis &basis : layout.bases("register"))
    if (inside(basis))
      builder.registers.push_back(basis);
  return builder.build(shape);
}
