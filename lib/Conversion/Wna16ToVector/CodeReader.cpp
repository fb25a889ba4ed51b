//===- CodeReader.cpp - blocks of packed codes as vectors -----------------===//
//
// Per plane a vector of words, shifted lane by lane and masked; planes are put
// together. A code in a stream comes from the one or two words it lies in.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/Wna16ToVector/CodeReader.h"

#include "dialect/Wna16/Wna16.h"
#include "lib/Layout/Instances.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using mlir::wna16::getStorage;

namespace wna16 {

layout::StorageLayout getElementLayout(RankedTensorType type) {
  if (mlir::wna16::getLayout(type))
    return *getStorage(type).singleLayout();
  return layout::rowMajor(type.getDimSize(0), type.getDimSize(1));
}

CodeReader::CodeReader(ImplicitLocOpBuilder &builder, RankedTensorType type,
                       Value words, int64_t rows, int64_t columns)
    : builder(builder), storage(getStorage(type)), words(words) {
  for (const layout::Plane &plane : storage.planes())
    readers.emplace_back(builder, plane.layout, words, 32 / plane.bits, rows,
                         columns, plane.firstWord);
}

bool CodeReader::canRead(RankedTensorType type, int64_t rows, int64_t columns) {
  layout::PackedStorage storage = getStorage(type);
  if (storage.bitStreams())
    return rows == 1 && columns == 1;
  return llvm::all_of(storage.planes(), [&](const layout::Plane &plane) {
    return BlockReader::canRead(plane.layout, 32 / plane.bits, rows, columns);
  });
}

void CodeReader::begin(Value row, Value column) {
  firstRow = row;
  firstColumn = column;
  for (BlockReader &reader : readers)
    reader.begin(row, column);
}

Value CodeReader::read(int64_t row, int64_t column) {
  if (storage.bitStreams())
    return readStream();
  Value code;
  for (size_t index = 0; index < readers.size(); ++index) {
    Value part = readPlane(index, row, column);
    code = code ? arith::OrIOp::create(builder, code, part).getResult() : part;
  }
  return code;
}

Value CodeReader::readPlane(size_t index, int64_t row, int64_t column) {
  const layout::Plane &plane = storage.planes()[index];
  BlockReader::Lanes lanes = readers[index].read(row, column);
  auto type = cast<VectorType>(lanes.items.getType());
  auto splat = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(type, static_cast<int32_t>(value)));
  };
  SmallVector<int32_t> shifts;
  for (int64_t place : lanes.places)
    shifts.push_back(static_cast<int32_t>(place * plane.bits));
  Value shift = arith::ConstantOp::create(
      builder, DenseElementsAttr::get(type, ArrayRef(shifts)));
  if (lanes.place) {
    Value place =
        arith::IndexCastOp::create(builder, builder.getI32Type(), lanes.place);
    place = vector::BroadcastOp::create(builder, type, place);
    place = arith::MulIOp::create(builder, place, splat(plane.bits));
    shift = arith::AddIOp::create(builder, shift, place);
  }
  Value part = arith::ShRUIOp::create(builder, lanes.items, shift);
  part = arith::AndIOp::create(builder, part, splat((1 << plane.bits) - 1));
  if (plane.firstBit)
    part = arith::ShLIOp::create(builder, part, splat(plane.firstBit));
  return part;
}

/// The first code of the block, which has no other.
Value CodeReader::readStream() {
  const layout::BitStreams &streams = *storage.bitStreams();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  auto mul = [&](Value value, int64_t factor) -> Value {
    return arith::MulIOp::create(builder, value, index(factor));
  };
  Value along = streams.along == 0 ? firstRow : firstColumn;
  Value start =
      mul(streams.along == 0 ? firstColumn : firstRow, streams.streamStride);
  Value bit = mul(along, storage.bits());
  Value last = arith::AddIOp::create(builder, bit, index(storage.bits() - 1));
  Type i64 = builder.getI64Type();
  auto load = [&](Value bit) -> Value {
    Value at = arith::ShRUIOp::create(builder, bit, index(5));
    at = arith::AddIOp::create(builder, start, mul(at, streams.wordStride));
    Value word = memref::LoadOp::create(builder, words, at);
    return arith::ExtUIOp::create(builder, i64, word);
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, i64, value);
  };
  // Of a code that does not cross into the next word, both are the same.
  Value high = arith::ShLIOp::create(builder, load(last), constant(32));
  Value pair = arith::OrIOp::create(builder, high, load(bit));
  Value shift = arith::AndIOp::create(builder, bit, index(31));
  shift = arith::IndexCastOp::create(builder, i64, shift);
  pair = arith::ShRUIOp::create(builder, pair, shift);
  pair =
      arith::AndIOp::create(builder, pair, constant((1 << storage.bits()) - 1));
  Value code = arith::TruncIOp::create(builder, builder.getI32Type(), pair);
  return vector::BroadcastOp::create(
      builder, VectorType::get({1}, builder.getI32Type()), code);
}

} // namespace wna16
