//===- IndexArithmetic.cpp - a storage layout as arith ops ----------------===//
//
// offset = grid part + tile part. The grid part is tile index times stride; the
// tile part is an XOR of moved bit fields, one per run of coordinate bits whose
// images are neighbouring offset bits.
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
  Emitter(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
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

private:
  OpBuilder &builder;
  Location loc;
};
} // namespace

Value mlir::wna16::emitElementOffset(OpBuilder &builder, Location loc,
                                     const layout::StorageLayout &layout,
                                     Value row, Value column) {
  Emitter emit(builder, loc);
  const Value coordinates[] = {row, column};
  const char *const names[] = {"dim0", "dim1"};

  Value inTile, grid;
  for (unsigned dim : {0u, 1u}) {
    Value coordinate = coordinates[dim];
    const auto &bases = layout.tileInverse().bases(names[dim]);
    unsigned bits = bases.size();

    // Tile part.
    for (unsigned bit = 0; bit < bits;) {
      uint32_t image = bases[bit][0];
      // Only fields whose image is one bit can be moved together.
      unsigned run = 1;
      bool oneBit = (image & (image - 1)) == 0;
      while (oneBit && bit + run < bits && bases[bit + run][0] == image << run)
        ++run;
      Value field =
          emit.mask(emit.shiftRight(coordinate, bit), (int64_t(1) << run) - 1);
      if (image != 0)
        inTile = emit.exclusiveOr(inTile, emit.multiply(field, image));
      bit += run;
    }

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
