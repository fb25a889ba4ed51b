//===- BlockReader.cpp - blocks of a stored matrix as vectors -------------===//
//
// Items that lie side by side are loaded whole. Where neighbours in memory are
// no neighbours in a row, lanes of two registers change places, one bit of the
// item's number at a time, until every wanted vector lies in one register. What
// cannot be had that way is gathered.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/Wna16ToVector/BlockReader.h"

#include "lib/Conversion/Wna16ToLinalg/IndexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <set>

using namespace mlir;

namespace wna16 {

static const char *const dimensionNames[] = {"dim0", "dim1"};

/// What bit `bit` of coordinate `dim` adds to the offset.
static int64_t contribution(const layout::StorageLayout &layout, unsigned dim,
                            unsigned bit) {
  const auto &bases = layout.tileInverse().bases(dimensionNames[dim]);
  if (bit < bases.size())
    return bases[bit][0];
  return layout.strides()[dim] << (bit - bases.size());
}

BlockReader::BlockReader(ImplicitLocOpBuilder &builder,
                         const layout::StorageLayout &layout, Value storage,
                         int64_t perItem, int64_t rows, int64_t columns,
                         int64_t first)
    : builder(builder), layout(layout), storage(storage), perItem(perItem),
      rows(rows), columns(columns), first(first) {}

bool BlockReader::canRead(const layout::StorageLayout &layout, int64_t perItem,
                          int64_t rows, int64_t columns) {
  if (rows == 1 && columns == 1)
    return true;
  const int64_t extents[] = {rows, columns};
  for (unsigned dim : {0u, 1u}) {
    // Tiles begin with an item.
    if (layout.shape()[dim] != layout.tileShape()[dim] &&
        layout.strides()[dim] % perItem)
      return false;
    // Bits that move alone cannot carry into one another.
    for (const layout::Basis &image :
         layout.tileInverse().bases(dimensionNames[dim]))
      if (!llvm::isPowerOf2_32(image[0]))
        return false;
    for (unsigned bit = 0; (int64_t(1) << bit) < extents[dim]; ++bit) {
      int64_t moved = contribution(layout, dim, bit);
      if (moved % perItem && !llvm::isPowerOf2_64(moved))
        return false;
    }
  }
  return true;
}

int64_t BlockReader::lanes() const { return std::min(columns, vectorLanes); }

int64_t BlockReader::relative(int64_t row, int64_t column) const {
  int64_t sum = 0;
  const int64_t coordinates[] = {row, column};
  for (unsigned dim : {0u, 1u})
    for (unsigned bit = 0; coordinates[dim] >> bit; ++bit)
      if (coordinates[dim] >> bit & 1)
        sum += contribution(layout, dim, bit);
  return sum;
}

std::vector<int64_t> BlockReader::itemsOf(int64_t row, int64_t column) const {
  std::vector<int64_t> items;
  for (int64_t lane = 0; lane < lanes(); ++lane)
    items.push_back(relative(row, column + lane) / perItem);
  return items;
}

void BlockReader::begin(Value row, Value column) {
  known.clear();
  registers.clear();
  Location loc = builder.getLoc();
  Value offset =
      mlir::wna16::emitElementOffset(builder, loc, layout, row, column);
  // Bits of the place in an item that the block does not run through.
  int64_t within = perItem - 1;
  const int64_t extents[] = {rows, columns};
  for (unsigned dim : {0u, 1u})
    for (unsigned bit = 0; (int64_t(1) << bit) < extents[dim]; ++bit)
      within &= ~contribution(layout, dim, bit);
  place = {};
  if (within)
    place = arith::AndIOp::create(
        builder, offset, arith::ConstantIndexOp::create(builder, within));
  firstItem = offset;
  if (perItem > 1)
    firstItem = arith::ShRUIOp::create(
        builder, offset,
        arith::ConstantIndexOp::create(builder, llvm::Log2_64(perItem)));
  if (first)
    firstItem = arith::AddIOp::create(
        builder, firstItem, arith::ConstantIndexOp::create(builder, first));
  loadRegisters();
  exchangeLanes();
}

Value BlockReader::indexOf(int64_t item) {
  if (item == 0)
    return firstItem;
  return arith::AddIOp::create(builder, firstItem,
                               arith::ConstantIndexOp::create(builder, item));
}

/// Loads the whole block if it consists of full vectors of neighbours.
void BlockReader::loadRegisters() {
  if (lanes() != vectorLanes)
    return;
  std::set<int64_t> items;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; column += vectorLanes)
      for (int64_t item : itemsOf(row, column))
        items.insert(item);
  if (items.size() % vectorLanes)
    return;
  std::vector<int64_t> ordered(items.begin(), items.end());
  for (size_t at = 0; at < ordered.size(); at += vectorLanes)
    if (ordered[at + vectorLanes - 1] - ordered[at] != vectorLanes - 1)
      return;
  Type element = cast<MemRefType>(storage.getType()).getElementType();
  auto type = VectorType::get({vectorLanes}, element);
  for (size_t at = 0; at < ordered.size(); at += vectorLanes) {
    Value value = vector::LoadOp::create(builder, type, storage,
                                         ValueRange{indexOf(ordered[at])});
    registers.push_back(
        {value, {ordered.begin() + at, ordered.begin() + at + vectorLanes}});
  }
}

/// Makes the item bits that run along a row bits of the lane.
void BlockReader::exchangeLanes() {
  if (registers.empty())
    return;
  std::vector<int64_t> row = itemsOf(0, 0);
  int64_t running = 0;
  for (int64_t item : row)
    running |= item ^ row[0];
  std::vector<int64_t> unused;
  for (int64_t bit = 1; bit < vectorLanes; bit *= 2)
    if (!(running & bit))
      unused.push_back(bit);
  for (int64_t bit = vectorLanes; bit <= running; bit *= 2) {
    if (!(running & bit))
      continue;
    if (unused.empty() || !exchange(bit, unused.front()))
      return;
    unused.erase(unused.begin());
  }
}

/// Exchanges bit `low` of the lane with bit `high` of the item's number: in
/// pairs of registers, half of the lanes change places.
bool BlockReader::exchange(int64_t high, int64_t low) {
  std::map<int64_t, size_t> byFirst;
  for (auto [index, each] : llvm::enumerate(registers))
    byFirst[each.items[0]] = index;
  std::vector<Register> next = registers;
  for (auto [index, each] : llvm::enumerate(registers)) {
    if (each.items[0] & high)
      continue;
    auto partner = byFirst.find(each.items[0] + high);
    if (partner == byFirst.end())
      return false;
    const Register &other = registers[partner->second];
    SmallVector<int64_t> lower, upper;
    Register &a = next[index], &b = next[partner->second];
    for (int64_t lane = 0; lane < vectorLanes; ++lane) {
      // Lanes of `other` count from vectorLanes on.
      int64_t forA = lane & low ? vectorLanes + (lane & ~low) : lane;
      int64_t forB = lane & low ? vectorLanes + lane : lane | low;
      lower.push_back(forA);
      upper.push_back(forB);
      auto item = [&](int64_t from) {
        return from < vectorLanes ? each.items[from]
                                  : other.items[from - vectorLanes];
      };
      a.items[lane] = item(forA);
      b.items[lane] = item(forB);
    }
    a.value =
        vector::ShuffleOp::create(builder, each.value, other.value, lower);
    b.value =
        vector::ShuffleOp::create(builder, each.value, other.value, upper);
  }
  registers = std::move(next);
  return true;
}

Value BlockReader::permute(const std::vector<int64_t> &items) {
  for (const Register &each : registers) {
    SmallVector<int64_t> from;
    for (int64_t item : items) {
      auto found = std::find(each.items.begin(), each.items.end(), item);
      if (found == each.items.end())
        break;
      from.push_back(found - each.items.begin());
    }
    if (from.size() != items.size())
      continue;
    if (each.items == items)
      return each.value;
    return vector::ShuffleOp::create(builder, each.value, each.value, from);
  }
  return {};
}

Value BlockReader::gather(const std::vector<int64_t> &items) {
  Type element = cast<MemRefType>(storage.getType()).getElementType();
  std::map<int64_t, Value> loaded;
  SmallVector<Value> elements;
  for (int64_t item : items) {
    Value &value = loaded[item];
    if (!value)
      value =
          memref::LoadOp::create(builder, storage, ValueRange{indexOf(item)});
    elements.push_back(value);
  }
  auto type = VectorType::get({static_cast<int64_t>(items.size())}, element);
  if (loaded.size() == 1)
    return vector::BroadcastOp::create(builder, type, elements[0]);
  return vector::FromElementsOp::create(builder, type, elements);
}

BlockReader::Lanes BlockReader::read(int64_t row, int64_t column) {
  Lanes result;
  std::vector<int64_t> items = itemsOf(row, column);
  Value &value = known[items];
  if (!value)
    value = permute(items);
  if (!value)
    value = gather(items);
  result.items = value;
  for (int64_t lane = 0; lane < lanes(); ++lane)
    result.places.push_back(relative(row, column + lane) % perItem);
  result.place = place;
  return result;
}

} // namespace wna16
