//===- StorageLayout.cpp - where an element of a matrix is stored ---------===//
//
// Checks that a tile and its grid address every element once, and evaluates
// element offsets.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/StorageLayout.h"

#include <stdexcept>

using namespace wna16::layout;

namespace {

[[noreturn]] void fail(const std::string &message) {
  throw std::invalid_argument("storage layout: " + message);
}

std::string pair(std::array<int64_t, 2> values) {
  return std::to_string(values[0]) + " x " + std::to_string(values[1]);
}

/// The inverse of a tile that is what StorageLayout asks for.
LinearLayout invertTile(const LinearLayout &tile) {
  if (tile.ins().size() != 1 || tile.ins()[0].name != "offset" ||
      tile.outs().size() != 2 || tile.outs()[0].name != "dim0" ||
      tile.outs()[1].name != "dim1")
    fail("expected a tile from {offset} to {dim0, dim1}, found " + tile.str());
  if (!tile.isBijective())
    fail("expected a tile that stores every element once, found " + tile.str());
  return tile.rightInverse();
}

} // namespace

StorageLayout::StorageLayout(LinearLayout tile, std::array<int64_t, 2> shape,
                             std::array<int64_t, 2> strides)
    : tileLayout(std::move(tile)), inverse(invertTile(tileLayout)),
      extents(shape), gridStrides(strides) {
  std::array<int64_t, 2> tiles = tileShape();
  for (int i : {0, 1})
    if (extents[i] >= 0 && extents[i] % tiles[i] != 0)
      fail("the shape " + pair(extents) + " is not a multiple of the tile " +
           pair(tiles));

  if (extents[0] == 0 || extents[1] == 0)
    return;

  // Tiles must not overlap: the inner stride (the smaller one) must cover a
  // tile, the outer one a whole row of tiles.
  int inner = gridStrides[1] <= gridStrides[0] ? 1 : 0, outer = 1 - inner;
  auto needsStride = [&](int i) {
    return extents[i] < 0 || extents[i] > tiles[i];
  };
  int64_t covered = tiles[0] * tiles[1];
  if (needsStride(inner)) {
    if (gridStrides[inner] < covered)
      fail("tiles of " + std::to_string(covered) +
           " elements overlap at strides " + pair(gridStrides));
    if (extents[inner] > 0)
      covered += (extents[inner] / tiles[inner] - 1) * gridStrides[inner];
  }
  if (needsStride(outer) && gridStrides[outer] < covered)
    fail("tiles overlap at strides " + pair(gridStrides) + ": the outer one " +
         "must be at least " + std::to_string(covered) + " for the shape " +
         pair(extents));
}

std::array<int64_t, 2> StorageLayout::tileShape() const {
  return {int64_t(tileLayout.outs()[0].size()),
          int64_t(tileLayout.outs()[1].size())};
}

int64_t StorageLayout::offset(int64_t i, int64_t j) const {
  std::array<int64_t, 2> tiles = tileShape();
  uint64_t index = uint64_t(i % tiles[0]) | uint64_t(j % tiles[1])
                                                << tileLayout.outs()[0].bits;
  int64_t inTile = inverse.applyFlat(index);
  return i / tiles[0] * gridStrides[0] + j / tiles[1] * gridStrides[1] + inTile;
}

int64_t StorageLayout::span() const {
  if (extents[0] < 0 || extents[1] < 0)
    fail("the span of a layout with a dynamic extent (" + pair(extents) +
         ") is not known");
  if (extents[0] == 0 || extents[1] == 0)
    return 0;
  std::array<int64_t, 2> tiles = tileShape();
  return (extents[0] / tiles[0] - 1) * gridStrides[0] +
         (extents[1] / tiles[1] - 1) * gridStrides[1] + tiles[0] * tiles[1];
}
