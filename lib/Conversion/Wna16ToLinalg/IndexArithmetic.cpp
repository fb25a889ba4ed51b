//===- IndexArithmetic.cpp - a storage layout as arith ops ----------------===//
//
// offset = grid part + tile part. The grid part is tile index times stride; the
// tile part is an XOR of moved bit fields, one per run of coordinate bits whose
// images are neighbouring offset bits. The way back divides by the strides, the
// larger one first, and moves bits of what is left.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/Wna16ToLinalg/IndexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
namespace layout = ::wna16::layout;

namespace {
/// Builds index arithmetic and leaves out what does nothing.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }
  Value shiftRight(Value value, unsigned bits) {
    return bits ? arith::ShRUIOp::create(builder, loc, value, constant(bits))
                      .getResult()
                : value;
  }
  Value mask(Value value, int64_t bits) {
    return arith::AndIOp::create(builder, loc, value, constant(bits));
  }
  Value multiply(Value value, int64_t factor) {
    return factor == 1
               ? value
               : arith::MulIOp::create(builder, loc, value, constant(factor))
                     .getResult();
  }
  /// `sum` may be null (zero).
  Value add(Value sum, Value value) {
    return sum ? arith::AddIOp::create(builder, loc, sum, value).getResult()
               : value;
  }
  Value exclusiveOr(Value sum, Value value) {
    return sum ? arith::XOrIOp::create(builder, loc, sum, value).getResult()
               : value;
  }
  std::pair<Value, Value> divide(Value value, int64_t divisor) {
    Value by = constant(divisor);
    return {arith::DivUIOp::create(builder, loc, value, by),
            arith::RemUIOp::create(builder, loc, value, by)};
  }
  /// `sum` XOR the images of the set bits of `value`, of which the lowest has
  /// the first image. `sum` may be null (zero), and so may the result.
  Value moveBits(Value sum, Value value, ArrayRef<uint32_t> images) {
    for (unsigned bit = 0; bit < images.size();) {
      uint32_t image = images[bit];
      // Only fields whose image is one bit can be moved together.
      unsigned run = 1;
      bool oneBit = (image & (image - 1)) == 0;
      while (oneBit && bit + run < images.size() &&
             images[bit + run] == image << run)
        ++run;
      if (image != 0)
        sum = exclusiveOr(
            sum, multiply(mask(shiftRight(value, bit), (int64_t(1) << run) - 1),
                          image));
      bit += run;
    }
    return sum;
  }

private:
  OpBuilder &builder;
  Location loc;
  Type type;
};

/// One coordinate of the images of a dimension's bits.
SmallVector<uint32_t> imagesOf(const std::vector<layout::Basis> &bases,
                               unsigned coordinate) {
  return llvm::map_to_vector(
      bases, [&](const layout::Basis &basis) { return basis[coordinate]; });
}
} // namespace

Value mlir::wna16::emitElementOffset(OpBuilder &builder, Location loc,
                                     const layout::StorageLayout &layout,
                                     Value row, Value column) {
  Emitter emit(builder, loc, row.getType());
  const Value coordinates[] = {row, column};
  const char *const names[] = {"dim0", "dim1"};

  Value inTile, grid;
  for (unsigned dim : {0u, 1u}) {
    Value coordinate = coordinates[dim];
    const auto &bases = layout.tileInverse().bases(names[dim]);
    unsigned bits = bases.size();

    // Tile part.
    inTile = emit.moveBits(inTile, coordinate, imagesOf(bases, 0));

    // Grid part; there is none when one tile covers the dimension.
    int64_t extent = layout.shape()[dim];
    if (extent < 0 || extent > (int64_t(1) << bits))
      grid = emit.add(grid, emit.multiply(emit.shiftRight(coordinate, bits),
                                          layout.strides()[dim]));
  }
  if (!inTile && !grid)
    return emit.constant(0);
  return inTile && grid ? emit.add(grid, inTile) : (grid ? grid : inTile);
}

std::pair<Value, Value>
mlir::wna16::emitElementPlace(OpBuilder &builder, Location loc,
                              const layout::StorageLayout &layout,
                              Value offset) {
  assert(layout.span() == layout.shape()[0] * layout.shape()[1] &&
         "an offset in a gap is no element's");
  Emitter emit(builder, loc, offset.getType());
  std::array<int64_t, 2> tile = layout.tileShape();
  SmallVector<unsigned, 2> repeated;
  for (unsigned dim : {0u, 1u})
    if (layout.shape()[dim] > tile[dim])
      repeated.push_back(dim);
  llvm::sort(repeated, [&](unsigned a, unsigned b) {
    return layout.strides()[a] > layout.strides()[b];
  });

  Value grid[2], inTile = offset;
  for (unsigned dim : repeated)
    std::tie(grid[dim], inTile) = emit.divide(inTile, layout.strides()[dim]);
  Value place[2];
  for (unsigned dim : {0u, 1u}) {
    Value inside = emit.moveBits(
        {}, inTile, imagesOf(layout.tile().bases("offset"), dim));
    if (grid[dim])
      grid[dim] = emit.multiply(grid[dim], tile[dim]);
    place[dim] = inside ? emit.add(grid[dim], inside) : grid[dim];
    if (!place[dim])
      place[dim] = emit.constant(0);
  }
  return {place[0], place[1]};
}
