//===- StoredCodes.cpp - reading and writing packed codes -----------------===//
//
// A code is put together from its planes, or taken from the one or two words
// of a stream that it lies in.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/Wna16ToLinalg/StoredCodes.h"

#include "dialect/Wna16/Wna16.h"
#include "lib/Conversion/Wna16ToLinalg/IndexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::wna16;
namespace layout = ::wna16::layout;

namespace {

/// Place of the code of a plane: which word, and how far to shift. Words are
/// counted in the type of the coordinates.
struct PlanePlace {
  Value word;
  Value shift; // i32
};

/// Place of a code in a stream. The second word is the first one again when
/// the code does not cross into the next.
struct StreamPlace {
  Value words[2];
  Value shift; // i64, in the two words together
};

class Emitter {
public:
  /// `type`: of coordinates.
  Emitter(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  Value index(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                        value);
  }
  template <typename Op> Value make(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }
  template <typename Op> Value convert(Type type, Value value) {
    return Op::create(builder, loc, type, value);
  }
  Value extract(Value words, Value at) {
    return tensor::ExtractOp::create(builder, loc, words, at);
  }
  /// words[at] |= bits
  Value merge(Value words, Value at, Value bits) {
    Value word = make<arith::OrIOp>(extract(words, at), bits);
    return tensor::InsertOp::create(builder, loc, word, words, at);
  }

  PlanePlace place(const layout::Plane &plane, Value row, Value column) {
    int64_t perWord = 32 / plane.bits;
    Value offset = emitElementOffset(builder, loc, plane.layout, row, column);
    Value word = make<arith::ShRUIOp>(offset, index(llvm::Log2_64(perWord)));
    if (plane.firstWord)
      word = make<arith::AddIOp>(word, index(plane.firstWord));
    Value inWord = make<arith::AndIOp>(offset, index(perWord - 1));
    Value shift = make<arith::MulIOp>(inWord, index(plane.bits));
    return {word, fromIndex(builder.getI32Type(), shift)};
  }

  StreamPlace place(const layout::BitStreams &streams, unsigned bits, Value row,
                    Value column) {
    Value along = streams.along == 0 ? row : column;
    Value stream = streams.along == 0 ? column : row;
    Value start = make<arith::MulIOp>(stream, index(streams.streamStride));
    Value bit = make<arith::MulIOp>(along, index(bits));
    Value last = make<arith::AddIOp>(bit, index(bits - 1));
    auto wordOf = [&](Value bit) {
      Value word = make<arith::ShRUIOp>(bit, index(5));
      word = make<arith::MulIOp>(word, index(streams.wordStride));
      return make<arith::AddIOp>(start, word);
    };
    Value shift = make<arith::AndIOp>(bit, index(31));
    return {{wordOf(bit), wordOf(last)},
            fromIndex(builder.getI64Type(), shift)};
  }

  Value wide(Value word) {
    return convert<arith::ExtUIOp>(builder.getI64Type(), word);
  }
  Value narrow(Value pair) {
    return convert<arith::TruncIOp>(builder.getI32Type(), pair);
  }
  Value thirtyTwo() {
    return arith::ConstantIntOp::create(builder, loc, builder.getI64Type(), 32);
  }

private:
  /// A small number that was computed in the type of the coordinates.
  Value fromIndex(IntegerType to, Value value) {
    if (type.isIndex())
      return convert<arith::IndexCastOp>(to, value);
    if (type.getIntOrFloatBitWidth() == to.getWidth())
      return value;
    return type.getIntOrFloatBitWidth() < to.getWidth()
               ? convert<arith::ExtUIOp>(to, value)
               : convert<arith::TruncIOp>(to, value);
  }

  OpBuilder &builder;
  Location loc;
  Type type;
};

} // namespace

Value mlir::wna16::emitReadCode(OpBuilder &builder, Location loc,
                                const layout::PackedStorage &storage, Value row,
                                Value column,
                                function_ref<Value(Value)> load) {
  Emitter emit(builder, loc, row.getType());
  auto mask = [&](Value value, unsigned bits) {
    return emit.make<arith::AndIOp>(value,
                                    emit.integer((int64_t(1) << bits) - 1));
  };
  if (const auto &streams = storage.bitStreams()) {
    StreamPlace place = emit.place(*streams, storage.bits(), row, column);
    Value low = emit.wide(load(place.words[0]));
    Value high = emit.wide(load(place.words[1]));
    high = emit.make<arith::ShLIOp>(high, emit.thirtyTwo());
    Value pair = emit.make<arith::OrIOp>(high, low);
    pair = emit.make<arith::ShRUIOp>(pair, place.shift);
    return mask(emit.narrow(pair), storage.bits());
  }
  Value code;
  for (const layout::Plane &plane : storage.planes()) {
    PlanePlace place = emit.place(plane, row, column);
    Value word = load(place.word);
    Value part = mask(emit.make<arith::ShRUIOp>(word, place.shift), plane.bits);
    if (plane.firstBit)
      part = emit.make<arith::ShLIOp>(part, emit.integer(plane.firstBit));
    code = code ? emit.make<arith::OrIOp>(code, part) : part;
  }
  return code;
}

Value mlir::wna16::emitReadCode(OpBuilder &builder, Location loc,
                                RankedTensorType type, Value words, Value row,
                                Value column) {
  return emitReadCode(builder, loc, getStorage(type), row, column,
                      [&](Value word) -> Value {
                        return tensor::ExtractOp::create(builder, loc, words,
                                                         word);
                      });
}

Value mlir::wna16::emitWriteCode(OpBuilder &builder, Location loc,
                                 RankedTensorType type, Value words, Value row,
                                 Value column, Value code) {
  Emitter emit(builder, loc, row.getType());
  layout::PackedStorage storage = getStorage(type);
  if (const auto &streams = storage.bitStreams()) {
    StreamPlace place = emit.place(*streams, storage.bits(), row, column);
    Value pair = emit.make<arith::ShLIOp>(emit.wide(code), place.shift);
    Value high = emit.make<arith::ShRUIOp>(pair, emit.thirtyTwo());
    words = emit.merge(words, place.words[0], emit.narrow(pair));
    return emit.merge(words, place.words[1], emit.narrow(high));
  }
  for (const layout::Plane &plane : storage.planes()) {
    PlanePlace place = emit.place(plane, row, column);
    Value part = code;
    if (plane.firstBit)
      part = emit.make<arith::ShRUIOp>(part, emit.integer(plane.firstBit));
    if (storage.planes().size() > 1)
      part = emit.make<arith::AndIOp>(
          part, emit.integer((int64_t(1) << plane.bits) - 1));
    part = emit.make<arith::ShLIOp>(part, place.shift);
    words = emit.merge(words, place.word, part);
  }
  return words;
}
