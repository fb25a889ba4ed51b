//===- Addressing.cpp - from layouts to addresses -------------------------===//

#include "lib/Conversion/TileToNVVM/Addressing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::Basis;
using ::wna16::layout::LinearLayout;
using ::wna16::layout::StorageLayout;

//===----------------------------------------------------------------------===//
// TileAddressing
//===----------------------------------------------------------------------===//

FailureOr<TileAddressing> TileAddressing::get(Operation *op,
                                              const LinearLayout &layout,
                                              const StorageLayout &storage,
                                              bool dynamicStride, bool isPart) {
  TileAddressing result(layout, storage, dynamicStride);
  for (unsigned dim : {0u, 1u})
    if (!isPart && layout.outs()[dim].size() % storage.tileShape()[dim])
      return op->emitOpError("expected a tile of whole storage tiles of ")
             << storage.tileShape()[0] << "x" << storage.tileShape()[1]
             << ", found " << layout.outs()[0].size() << "x"
             << layout.outs()[1].size();
  // Inside a storage tile positions are XORs, between tiles sums.
  auto [tileRows, tileColumns] = storage.tileShape();
  int64_t used = 0;
  std::array<uint32_t, 2> registerTiles = {0, 0}, threadTiles = {0, 0};
  for (const layout::InDim &in : layout.ins()) {
    bool isThread = in.name != "register";
    auto &tiles = isThread ? threadTiles : registerTiles;
    for (const Basis &basis : in.bases) {
      int64_t at = result.inTile(basis[0], basis[1]);
      std::array<uint32_t, 2> tile = {basis[0] / uint32_t(tileRows),
                                      basis[1] / uint32_t(tileColumns)};
      result.swizzled |=
          (used & at) || (tiles[0] & tile[0]) || (tiles[1] & tile[1]);
      used |= at;
      result.threadBits |= isThread ? at : 0;
      for (unsigned dim : {0u, 1u})
        tiles[dim] |= tile[dim];
    }
  }
  if ((registerTiles[0] & threadTiles[0]) ||
      (registerTiles[1] & threadTiles[1]))
    return op->emitOpError("expected registers and threads to choose between "
                           "storage tiles by different bits of a coordinate");
  return result;
}

int64_t TileAddressing::inTile(int64_t row, int64_t column) const {
  auto [tileRows, tileColumns] = storage.tileShape();
  return storage.tileInverse().apply(
      {static_cast<uint32_t>(row % tileRows),
       static_cast<uint32_t>(column % tileColumns)})[0];
}

Position TileAddressing::positionOf(int64_t row, int64_t column) const {
  auto [tileRows, tileColumns] = storage.tileShape();
  Position position;
  position.elements = inTile(row, column);
  position.elements += column / tileColumns * storage.strides()[1];
  if (dynamicStride)
    position.rows = row / tileRows;
  else
    position.elements += row / tileRows * storage.strides()[0];
  return position;
}

std::array<int64_t, 2> TileAddressing::coordinates(unsigned index) const {
  std::array<int64_t, 2> result = {0, 0};
  for (size_t bit = 0; bit < registers.size(); ++bit)
    if (index >> bit & 1)
      for (unsigned dim : {0u, 1u})
        result[dim] ^= registers[bit][dim];
  return result;
}

Position TileAddressing::position(unsigned index,
                                  std::array<int64_t, 2> offsets) const {
  auto [row, column] = coordinates(index);
  row += offsets[0];
  column += offsets[1];
  Position result = positionOf(row, column);
  result.flip = inTile(row, column) & threadBits;
  result.elements -= result.flip;
  return result;
}

unsigned TileAddressing::contiguous(unsigned limit, bool withinRow) const {
  unsigned run = 1;
  for (size_t bit = 0; bit < registers.size() && run < limit; ++bit) {
    Position step = positionOf(registers[bit][0], registers[bit][1]);
    if (step.rows != 0 || step.elements != run ||
        (withinRow && registers[bit][0] != 0))
      break;
    run *= 2;
  }
  while (run > 1 && !startsAligned(run))
    run /= 2;
  return run;
}

bool TileAddressing::startsAligned(unsigned run) const {
  // Tiles begin at multiples of their size; a run-time row stride is a multiple
  // of 16 bytes by the launch record. Steps shorter than a run lie inside it.
  for (unsigned dim : {0u, 1u}) {
    bool isDynamic = dim == 0 && dynamicStride;
    int64_t stride = storage.strides()[dim];
    if (!isDynamic && stride >= run && stride % run != 0)
      return false;
  }
  for (const layout::InDim &in : layout.ins())
    for (const Basis &basis : in.bases) {
      Position step = positionOf(basis[0], basis[1]);
      if (step.elements >= run && step.elements % run != 0)
        return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// AddressBuilder
//===----------------------------------------------------------------------===//

Value AddressBuilder::i32(int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                  builder.getI32IntegerAttr(value));
}

Value AddressBuilder::i64(int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                  builder.getI64IntegerAttr(value));
}

Value AddressBuilder::add(Value a, Value b) {
  return LLVM::AddOp::create(builder, loc, a, b);
}

Value AddressBuilder::mul(Value a, Value b) {
  return LLVM::MulOp::create(builder, loc, a, b);
}

Value AddressBuilder::toI32(Value index) {
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
}

Value AddressBuilder::extend(Value value) {
  if (value.getType().isIndex())
    value = toI32(value);
  return LLVM::SExtOp::create(builder, loc, builder.getI64Type(), value);
}

Value AddressBuilder::warpFor(const LinearLayout &layout) {
  return int64_t(1) << layout.inBits("warp") == threads.warps
             ? threads.warp
             : threads.partWarp;
}

namespace {
/// Sum, or XOR, of weights of the set bits of numbers.
class WeightedBits {
public:
  WeightedBits(OpBuilder &builder, Location loc, bool isXor)
      : builder(builder), loc(loc), isXor(isXor) {}

  /// Runs of bits whose weights double become one shift, mask and
  /// multiplication.
  void add(Value number, ArrayRef<int64_t> weights) {
    for (size_t begin = 0; begin < weights.size();) {
      size_t end = begin + 1;
      int64_t used = weights[begin];
      while (end < weights.size() && weights[end] == 2 * weights[end - 1] &&
             weights[begin] != 0 && !(isXor && (used & weights[end])))
        used |= weights[end++];
      if (weights[begin] != 0)
        addTerm(term(number, begin, end - begin, weights[begin]), used);
      begin = end;
    }
  }

  Value get() { return total ? total : constant(0); }

private:
  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                    builder.getI32IntegerAttr(value));
  }

  Value term(Value number, size_t begin, size_t bits, int64_t weight) {
    if (begin > 0)
      number = LLVM::LShrOp::create(builder, loc, number, constant(begin));
    number = LLVM::AndOp::create(builder, loc, number,
                                 constant((int64_t(1) << bits) - 1));
    return LLVM::MulOp::create(builder, loc, number, constant(weight));
  }

  void addTerm(Value value, int64_t bits) {
    if (!total)
      total = value;
    else if (isXor && (bits & totalBits))
      total = LLVM::XOrOp::create(builder, loc, total, value);
    else
      total = LLVM::AddOp::create(builder, loc, total, value);
    totalBits |= bits;
  }

  OpBuilder &builder;
  Location loc;
  bool isXor;
  Value total;
  int64_t totalBits = 0;
};
} // namespace

static SmallVector<int64_t>
weightsOf(const LinearLayout &layout, const char *in,
          llvm::function_ref<int64_t(const Basis &)> weight) {
  SmallVector<int64_t> weights;
  for (const Basis &basis : layout.bases(in))
    weights.push_back(weight(basis));
  return weights;
}

Value AddressBuilder::sumOverThread(
    const LinearLayout &layout,
    llvm::function_ref<int64_t(const Basis &)> weight) {
  return overThread(layout, weight, /*isXor=*/false);
}

Value AddressBuilder::xorOverThread(
    const LinearLayout &layout,
    llvm::function_ref<int64_t(const Basis &)> weight) {
  return overThread(layout, weight, /*isXor=*/true);
}

Value AddressBuilder::overThread(
    const LinearLayout &layout,
    llvm::function_ref<int64_t(const Basis &)> weight, bool isXor) {
  WeightedBits total(builder, loc, isXor);
  total.add(threads.lane, weightsOf(layout, "lane", weight));
  total.add(warpFor(layout), weightsOf(layout, "warp", weight));
  if (layout.hasIn("block"))
    total.add(threads.block, weightsOf(layout, "block", weight));
  return total.get();
}

Value AddressBuilder::offset(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                             builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value AddressBuilder::offset(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return offset(pointer, bytes == int32_t(bytes) ? i32(bytes) : i64(bytes));
}

static int64_t toBytes(int64_t elements, unsigned bits) {
  return elements * bits / 8;
}

Value AddressBuilder::threadBytes(const TileAddressing &tile, unsigned bits) {
  const LinearLayout &layout = tile.getLayout();
  if (!tile.isSwizzled())
    return sumOverThread(layout, [&](const Basis &basis) {
      return toBytes(tile.positionOf(basis[0], basis[1]).elements, bits);
    });
  // XOR inside of a storage tile, and of the numbers of tiles.
  Value bytes = xorOverThread(layout, [&](const Basis &basis) {
    return toBytes(tile.inTile(basis[0], basis[1]), bits);
  });
  for (unsigned dim : {0u, 1u}) {
    uint32_t extent = tile.getStorage().tileShape()[dim];
    if (dim == 0 && tile.hasDynamicStride())
      continue;
    int64_t stride = toBytes(tile.getStorage().strides()[dim], bits);
    Value tiles = xorOverThread(
        layout, [&](const Basis &basis) { return basis[dim] / extent; });
    bytes = add(bytes, mul(tiles, i32(stride)));
  }
  return bytes;
}

Value AddressBuilder::tileStart(const StorageLayout &storage,
                                const GlobalMatrix &matrix, unsigned bits,
                                Value row, Value column) {
  auto scaled = [&](Value index, int64_t extent, Value stride) {
    Value count = extend(index);
    if (extent > 1)
      count =
          LLVM::LShrOp::create(builder, loc, count, i64(llvm::Log2_64(extent)));
    return mul(count, stride);
  };
  // In bytes: storage strides are multiples of whole bytes by construction.
  Value columnBytes = scaled(column, storage.tileShape()[1],
                             i64(toBytes(storage.strides()[1], bits)));
  return add(columnBytes, scaled(row, storage.tileShape()[0],
                                 rowBytes(storage, matrix, bits)));
}

Value AddressBuilder::rowBytes(const StorageLayout &storage,
                               const GlobalMatrix &matrix, unsigned bits) {
  return matrix.stride ? mul(extend(matrix.stride), i64(bits / 8))
                       : i64(toBytes(storage.strides()[0], bits));
}

Value AddressBuilder::globalThreadBytes(const TileAddressing &tile,
                                        unsigned bits) {
  const StorageLayout &storage = tile.getStorage();
  auto bytesOf = [&](uint32_t row, uint32_t column) {
    return toBytes(tile.positionOf(row, column).elements, bits);
  };
  int64_t most = 0;
  for (const layout::InDim &in : tile.getLayout().ins())
    if (in.name != "register")
      for (const Basis &basis : in.bases)
        most += bytesOf(basis[0], basis[1]);
  if (most <= INT32_MAX)
    return extend(threadBytes(tile, bits));
  // Rows of millions of columns: rows of storage tiles are counted apart.
  uint32_t tileRows = storage.tileShape()[0];
  Value rows = xorOverThread(tile.getLayout(), [&](const Basis &basis) {
    return int64_t(basis[0] / tileRows);
  });
  Value inRow = sumOverThread(tile.getLayout(), [&](const Basis &basis) {
    return bytesOf(basis[0] % tileRows, basis[1]);
  });
  Value rowBytes = i64(toBytes(storage.strides()[0], bits));
  return add(mul(extend(rows), rowBytes), extend(inRow));
}

Value AddressBuilder::globalAddress(const TileAddressing &tile,
                                    const GlobalMatrix &matrix, unsigned bits,
                                    Value row, Value column) {
  const StorageLayout &storage = tile.getStorage();
  Value bytes = tileStart(storage, matrix, bits, row, column);
  bytes = add(bytes, globalThreadBytes(tile, bits));
  if (matrix.stride) {
    Value rows = xorOverThread(tile.getLayout(), [&](const Basis &basis) {
      return tile.positionOf(basis[0], basis[1]).rows;
    });
    bytes = add(bytes, mul(extend(rows), rowBytes(storage, matrix, bits)));
  }
  return offset(matrix.pointer, bytes);
}

Value AddressBuilder::advance(Value pointer, Position position, unsigned bits,
                              Value stride) {
  if (position.flip) {
    // Shared memory only: a field begins at a multiple of its storage tile.
    Type type = pointer.getType();
    Value number =
        LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), pointer);
    number = LLVM::XOrOp::create(builder, loc, number,
                                 i32(toBytes(position.flip, bits)));
    pointer = LLVM::IntToPtrOp::create(builder, loc, type, number);
  }
  if (position.rows) {
    Value rowBytes = mul(extend(stride), i64(position.rows * (bits / 8)));
    pointer = offset(pointer, rowBytes);
  }
  return offset(pointer, toBytes(position.elements, bits));
}

bool AddressBuilder::hasBound(const TileAddressing &tile, GlobalType type,
                              const GlobalMatrix &matrix) {
  // Where whole tiles fill the rows, verify-tile has checked the coordinates.
  return matrix.rows ||
         type.getShape()[0] % tile.getLayout().outs()[0].size() != 0;
}

Value AddressBuilder::rowExists(const TileAddressing &tile, GlobalType type,
                                const GlobalMatrix &matrix, Value row,
                                int64_t extra) {
  if (!hasBound(tile, type, matrix))
    return {};
  Value bound = matrix.rows ? matrix.rows : i32(type.getShape()[0]);
  Value inTile = xorOverThread(
      tile.getLayout(), [](const Basis &basis) { return int64_t(basis[0]); });
  // Against a constant: one register for all rows of a thread.
  Value left =
      LLVM::SubOp::create(builder, loc, bound, add(toI32(row), inTile));
  return isGreater(left, extra);
}

Value AddressBuilder::columnsLeft(const TileAddressing &tile, GlobalType type,
                                  Value column) {
  Value inTile = xorOverThread(
      tile.getLayout(), [](const Basis &basis) { return int64_t(basis[1]); });
  return LLVM::SubOp::create(builder, loc, i32(type.getShape()[1]),
                             add(toI32(column), inTile));
}

Value AddressBuilder::isFirstHolder(const LinearLayout &layout) {
  auto noneSet = [&](Value number, uint32_t mask) -> Value {
    if (mask == 0)
      return {};
    Value bits = LLVM::AndOp::create(builder, loc, number, i32(mask));
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, bits,
                                i32(0));
  };
  return both(noneSet(threads.lane, layout.freeMask("lane")),
              noneSet(warpFor(layout), layout.freeMask("warp")));
}

Value AddressBuilder::isLess(Value a, Value b) {
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, a, b);
}

Value AddressBuilder::isGreater(Value a, int64_t b) {
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::sgt, a,
                              i32(b));
}

Value AddressBuilder::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return LLVM::AndOp::create(builder, loc, a, b);
}
