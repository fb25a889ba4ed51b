//===- GlobalAccess.cpp - a thread's elements of a tile of a matrix -------===//

#include "lib/Conversion/TileToNVVM/GlobalAccess.h"

#include "lib/Conversion/TileToNVVM/InlinePtx.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::Basis;

static Value isBelow(OpBuilder &builder, Location loc, Value a, Value b) {
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, a, b);
}

namespace wna16 {

MappedRows findRows(OpBuilder &builder, AddressBuilder &address, Location loc,
                    const TileAddressing &tile, const GlobalMatrix &matrix,
                    unsigned bits, int64_t row) {
  const RowMap &map = *matrix.map;
  Value inTile = address.xorOverThread(
      tile.getLayout(), [](const Basis &basis) { return int64_t(basis[0]); });
  Value stride = matrix.stride ? address.extend(matrix.stride)
                               : address.i64(tile.getStorage().strides()[0]);
  Value rowBytes = address.mul(stride, address.i64(bits / 8));
  MappedRows rows;
  for (unsigned index = 0; index < tile.elements(); ++index) {
    int64_t extra = tile.coordinates(index)[0];
    if (rows.contains(extra))
      continue;
    Value position = address.add(inTile, address.i32(row + extra));
    Value isInside = isBelow(builder, loc, position, matrix.rows);
    Value at = address.offset(
        map.entries, address.mul(address.extend(position), address.i64(4)));
    Value entry = ptx::loadIds(builder, loc, at, ptx::AccessWidth::B32,
                               map.path, isInside)
                      .front();
    if (map.divisor > 1)
      entry =
          LLVM::UDivOp::create(builder, loc, entry, address.i32(map.divisor));
    Value exists =
        address.both(isInside, isBelow(builder, loc, entry, map.rows));
    // Nothing is read there where no row exists, but it is an address.
    entry = LLVM::SelectOp::create(builder, loc, exists, entry, address.i32(0));
    Value number =
        LLVM::ZExtOp::create(builder, loc, builder.getI64Type(), entry);
    rows[extra] = {
        address.offset(matrix.pointer, address.mul(number, rowBytes)), isInside,
        exists};
  }
  return rows;
}

LogicalResult findRowsOfUsers(OpBuilder &builder, RowsOp rows,
                              KernelContext &context) {
  GlobalMatrix matrix = context.globals.lookup(rows.getResult());
  GlobalType type = rows.getType();
  unsigned bits = getElementBits(type.getElementType());
  // Fills of the first steps and of the loop have the same rows.
  llvm::DenseMap<std::pair<Attribute, int64_t>, MappedRows> known;
  AddressBuilder address(builder, rows.getLoc(), context.block);
  for (Operation *user : rows->getUsers()) {
    LinearAttr threads;
    Value row;
    if (auto fill = dyn_cast<FillOp>(user)) {
      threads = fill.getThreadsAttr();
      row = fill.getRow();
    } else if (auto load = dyn_cast<LoadOp>(user)) {
      threads = load.getType().getLayout();
      row = load.getRow();
    }
    if (!threads)
      continue;
    std::optional<int64_t> begin = getConstantIntValue(row);
    if (!begin || user->getParentOfType<RoleOp>())
      return user->emitOpError(
          "expected a constant row, and all warps of the block, where a map "
          "names rows: they are found in front of the loop [ROWS-C5]");
    auto [entry, isNew] = known.try_emplace({threads, *begin});
    if (isNew) {
      auto tile =
          TileAddressing::get(user, threads.getLayout(), getStorageLayout(type),
                              bool(matrix.stride));
      if (failed(tile))
        return failure();
      entry->second = findRows(builder, address, rows.getLoc(), *tile, matrix,
                               bits, *begin);
    }
    context.mappedRows[user] = entry->second;
  }
  return success();
}

GlobalAccess::GlobalAccess(OpBuilder &builder, Operation *op,
                           const KernelContext &context,
                           const TileAddressing &tile, Value source,
                           unsigned bits, Value row, Value column, bool pinned)
    : builder(builder), op(op), context(context), tile(tile),
      matrix(context.globals.lookup(source)),
      type(cast<GlobalType>(source.getType())), bits(bits), row(row),
      column(column), pinned(pinned), address(builder, op, context) {}

Value GlobalAccess::pin(Value pointer) {
  return pinned ? ptx::pinPointer(builder, op->getLoc(), pointer) : pointer;
}

LogicalResult GlobalAccess::prepare() {
  if (!matrix.map) {
    base = pin(address.globalAddress(tile, matrix, bits, row, column));
    return success();
  }
  auto found = context.mappedRows.find(op);
  if (found != context.mappedRows.end()) {
    rows = found->second;
  } else {
    std::optional<int64_t> begin = getConstantIntValue(row);
    if (!begin)
      return op->emitOpError(
          "expected a constant row where a map names rows [ROWS-C5]");
    rows = findRows(builder, address, op->getLoc(), tile, matrix, bits, *begin);
  }
  Value inTile = address.xorOverThread(
      tile.getLayout(), [](const Basis &basis) { return int64_t(basis[1]); });
  Value bytes =
      address.mul(address.extend(address.add(address.toI32(column), inTile)),
                  address.i64(bits / 8));
  for (auto &[number, mapped] : rows)
    mapped.pointer = pin(address.offset(mapped.pointer, bytes));
  return success();
}

Value GlobalAccess::pointer(unsigned index) {
  if (!matrix.map)
    return address.advance(base, tile.position(index), bits, matrix.stride);
  auto [extraRow, extraColumn] = tile.coordinates(index);
  return address.offset(rows.lookup(extraRow).pointer, extraColumn * bits / 8);
}

Value GlobalAccess::rowExists(unsigned index) {
  int64_t extra = tile.coordinates(index)[0];
  return matrix.map ? rows.lookup(extra).exists
                    : address.rowExists(tile, type, matrix, row, extra);
}

Value GlobalAccess::rowIsInside(unsigned index) {
  return matrix.map ? rows.lookup(tile.coordinates(index)[0]).isInside
                    : rowExists(index);
}

Value GlobalAccess::rowIsNamed(unsigned index) {
  return matrix.map ? rows.lookup(tile.coordinates(index)[0]).exists : Value();
}

} // namespace wna16
