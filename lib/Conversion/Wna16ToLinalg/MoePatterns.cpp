//===- MoePatterns.cpp - mixtures of experts as plain loops ---------------===//
//
// Rows are found through tables, so there are loops here and no linalg.generic.
// Every number of a table is compared with its bound before it is an index.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/Wna16ToLinalg/Elements.h"
#include "lib/Conversion/Wna16ToLinalg/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::wna16;

namespace {

/// Short names for what loops over tables are made of. Numbers are of type
/// index, those in tables i32.
class LoopEmitter {
public:
  LoopEmitter(OpBuilder &builder, Location loc) : b(loc, builder) {}

  Value index(int64_t value) { return indexConstant(b, b.getLoc(), value); }
  Value f32(double value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivUIOp::create(b, x, y); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  /// 0 <= x < bound.
  Value isBelow(Value x, Value bound) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, bound);
  }
  Value extent(Value tensor, int64_t dim) {
    return tensor::DimOp::create(b, tensor, dim);
  }
  Value at(Value tensor, ValueRange indices) {
    return tensor::ExtractOp::create(b, tensor, indices);
  }
  /// An i32 of a table as an index; negative numbers stay negative.
  Value number(Value table, ValueRange indices) {
    return arith::IndexCastOp::create(b, b.getIndexType(), at(table, indices));
  }
  Value insert(Value scalar, Value tensor, ValueRange indices) {
    if (scalar.getType().isIndex())
      scalar = arith::IndexCastOp::create(b, b.getI32Type(), scalar);
    return tensor::InsertOp::create(b, scalar, tensor, indices);
  }
  /// A table of i32 full of `value`; `rows` for a dynamic extent.
  Value filled(RankedTensorType type, Value value, Value rows) {
    Value scalar = arith::IndexCastOp::create(b, b.getI32Type(), value);
    return linalg::FillOp::create(b, scalar,
                                  emitEmpty(b, b.getLoc(), type, rows))
        .getResult(0);
  }

  using Body = function_ref<SmallVector<Value>(Value, ValueRange)>;
  /// for i in 0 .. count - 1, with carried values.
  SmallVector<Value> loop(Value count, ValueRange init, Body body) {
    auto loop = scf::ForOp::create(
        b, index(0), count, index(1), init,
        [&](OpBuilder &, Location, Value i, ValueRange carried) {
          scf::YieldOp::create(b, body(i, carried));
        });
    return SmallVector<Value>(loop.getResults());
  }
  /// `then` under `condition`, else `otherwise`.
  SmallVector<Value> when(Value condition, ValueRange otherwise,
                          function_ref<SmallVector<Value>()> then) {
    auto branch = scf::IfOp::create(
        b, condition,
        [&](OpBuilder &, Location) { scf::YieldOp::create(b, then()); },
        [&](OpBuilder &, Location) { scf::YieldOp::create(b, otherwise); });
    return SmallVector<Value>(branch.getResults());
  }

  /// The nested builders of loops insert where this one does.
  ImplicitLocOpBuilder b;
};

/// The local expert of slot (t, j), and whether there is one.
std::pair<Value, Value> localExpert(LoopEmitter &emit, Value ids, Value map,
                                    int64_t experts, Value t, Value j) {
  Value id = emit.number(ids, {t, j}), bound = emit.index(experts);
  if (!map)
    return {id, emit.isBelow(id, bound)};
  Value none = bound;
  Value local =
      emit.when(emit.isBelow(id, emit.extent(map, 0)), none,
                [&] { return SmallVector<Value>{emit.number(map, id)}; })
          .front();
  return {local, emit.isBelow(local, bound)};
}

/// A counting sort: slots per expert, where each expert begins, then the slots
/// in order.
struct MoeRouteToLoops : OpConversionPattern<MoeRouteOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MoeRouteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LoopEmitter emit(rewriter, op.getLoc());
    Value ids = adaptor.getIds(), map = adaptor.getMap();
    int64_t experts = op.getExperts(), rows = op.getSegmentRows();
    Value topK = emit.extent(ids, 1), tokens = emit.extent(ids, 0);
    Value slots = emit.mul(tokens, topK);
    auto perExpert = RankedTensorType::get({experts}, rewriter.getI32Type());

    using Values = SmallVector<Value>;
    // For every slot that is kept, `body` of its expert and number.
    auto forKept = [&](Value init,
                       function_ref<Values(Value, Value, ValueRange)> body,
                       ValueRange more = {}) {
      Values inits{init};
      inits.append(more.begin(), more.end());
      return emit.loop(tokens, inits, [&](Value t, ValueRange outer) {
        return emit.loop(topK, outer, [&](Value j, ValueRange carried) {
          auto [e, isKept] = localExpert(emit, ids, map, experts, t, j);
          Value slot = emit.add(emit.mul(t, topK), j);
          return emit.when(isKept, carried,
                           [&, e = e] { return body(e, slot, carried); });
        });
      });
    };
    Value counts = emit.filled(perExpert, emit.index(0), {});
    counts = forKept(counts, [&](Value e, Value, ValueRange carried) {
               Value count = emit.number(carried[0], e);
               return Values{
                   emit.insert(emit.add(count, emit.index(1)), carried[0], e)};
             }).front();

    // Segments, and the first position of every expert.
    Value busy = emit.min(slots, emit.index(experts)), r = emit.index(rows);
    Value bound = emit.add(busy, emit.div(emit.sub(slots, busy), r));
    Value table = emit.filled(op.getSegments().getType(), emit.index(0), bound);
    Value firsts = emit.filled(perExpert, emit.index(0), {});
    Values begun = emit.loop(
        emit.index(experts), {table, firsts, emit.index(0), emit.index(0)},
        [&](Value e, ValueRange carried) {
          Value first = carried[2], used = carried[3];
          Value count = emit.number(counts, e);
          Value more = emit.div(emit.add(count, emit.index(rows - 1)), r);
          Value written =
              emit.loop(more, carried[0],
                        [&](Value i, ValueRange tables) {
                          Value row = emit.add(used, i);
                          Value done = emit.mul(i, r);
                          Value left = emit.sub(count, done);
                          Value numbers[] = {e, emit.add(first, done),
                                             emit.min(left, r)};
                          Value result = tables[0];
                          for (auto [column, number] : llvm::enumerate(numbers))
                            result = emit.insert(number, result,
                                                 {row, emit.index(column)});
                          return Values{result};
                        })
                  .front();
          return Values{written, emit.insert(first, carried[1], e),
                        emit.add(first, count), emit.add(used, more)};
        });

    Value list = emit.filled(op.getSlots().getType(), slots, slots);
    list = forKept(
               list,
               [&](Value e, Value slot, ValueRange carried) {
                 Value position = emit.number(carried[1], e);
                 Value next = emit.add(position, emit.index(1));
                 return Values{emit.insert(slot, carried[0], position),
                               emit.insert(next, carried[1], e)};
               },
               begun[1])
               .front();
    rewriter.replaceOp(op, {begun[0], list});
    return success();
  }
};

struct MoeGemmToLoops : OpConversionPattern<MoeGemmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MoeGemmOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LoopEmitter emit(rewriter, op.getLoc());
    using Values = SmallVector<Value>;
    RankedTensorType type = op.getY().getType();
    Value segments = adaptor.getSegments(), slots = adaptor.getSlots();
    Value p = emit.extent(slots, 0);
    Value init = emitEmpty(rewriter, op.getLoc(), type, p);
    Values y = emit.loop(
        emit.extent(segments, 0), init, [&](Value i, ValueRange carried) {
          auto field = [&](int64_t column) {
            return emit.number(segments, {i, emit.index(column)});
          };
          Value e = field(0), first = field(1);
          Value count = emit.min(field(2), emit.index(op.getSegmentRows()));
          Value isExpert = emit.isBelow(e, emit.index(op.getExperts()));
          return emit.when(isExpert, carried, [&] {
            return emit.loop(count, carried, [&](Value row, ValueRange inner) {
              Value position = emit.add(first, row);
              return emit.when(emit.isBelow(position, p), inner, [&] {
                Value slot = emit.number(slots, position);
                return emit.when(emit.isBelow(slot, p), inner, [&] {
                  return Values{
                      emitRow(op, adaptor, emit, inner[0], e, position, slot)};
                });
              });
            });
          });
        });
    rewriter.replaceOp(op, y);
    return success();
  }

private:
  /// The matrix of expert `e`.
  static Stored expertOf(LoopEmitter &emit, Value stack, Value converted,
                         Value e) {
    auto type = cast<RankedTensorType>(stack.getType());
    RankedTensorType matrix = getMatrixType(type);
    auto slice = [&](RankedTensorType result, ArrayRef<OpFoldResult> offsets,
                     ArrayRef<OpFoldResult> sizes) -> Value {
      SmallVector<OpFoldResult> strides(sizes.size(), emit.b.getIndexAttr(1));
      return tensor::ExtractSliceOp::create(emit.b, result, converted, offsets,
                                            sizes, strides);
    };
    auto number = [&](int64_t value) -> OpFoldResult {
      return emit.b.getIndexAttr(value);
    };
    if (!getLayout(type))
      return {matrix, slice(matrix, {e, number(0), number(0)},
                            {number(1), number(matrix.getDimSize(0)),
                             number(matrix.getDimSize(1))})};
    RankedTensorType storage = getStorageType(matrix);
    int64_t size = storage.getDimSize(0);
    Value begin = emit.mul(e, emit.index(size));
    return {matrix, slice(storage, {begin}, {number(size)})};
  }

  static Value rowOf(LoopEmitter &emit, MoeGemmOp op, RowOrder order,
                     Value position, Value slot) {
    switch (order) {
    case RowOrder::Token:
      return emit.div(slot, emit.index(op.getTopK()));
    case RowOrder::Slot:
      return slot;
    case RowOrder::Position:
      return position;
    }
    llvm_unreachable("all orders are listed");
  }

  /// `y` with the row of `position`.
  static Value emitRow(MoeGemmOp op, OpAdaptor adaptor, LoopEmitter &emit,
                       Value y, Value e, Value position, Value slot) {
    Location loc = op.getLoc();
    OpBuilder &b = emit.b;
    Value xRow = rowOf(emit, op, op.getXRows(), position, slot);
    Value yRow = rowOf(emit, op, op.getYRows(), position, slot);
    StoredWeights weights{expertOf(emit, op.getW(), adaptor.getW(), e),
                          expertOf(emit, op.getS(), adaptor.getS(), e),
                          {}};
    if (op.getZeros())
      weights.zeros = expertOf(emit, op.getZeros(), adaptor.getZeros(), e);
    Stored bias;
    if (op.getBias())
      bias = expertOf(emit, op.getBias(), adaptor.getBias(), e);
    Value factor;
    if (Value list = adaptor.getWeights()) {
      Value topK = emit.index(op.getTopK());
      Value j = arith::RemUIOp::create(b, loc, slot, topK);
      factor = emit.at(list, {emit.div(slot, topK), j});
    }
    auto column = [&](Value n, ValueRange carried) -> SmallVector<Value> {
      Value sum =
          emit.loop(emit.index(op.getK()), emit.f32(0),
                    [&](Value k, ValueRange sums) -> SmallVector<Value> {
                      Value x =
                          emitWiden(b, loc, emit.at(adaptor.getX(), {xRow, k}));
                      Value weight = emitWeight(b, loc, weights, k, n);
                      Value product = arith::MulFOp::create(b, loc, x, weight);
                      return {arith::AddFOp::create(b, loc, sums[0], product)};
                    })
              .front();
      if (bias.value)
        sum = arith::AddFOp::create(b, loc, sum,
                                    emitScale(b, loc, bias, emit.index(0), n));
      if (factor)
        sum = arith::MulFOp::create(b, loc, sum, factor);
      Type element = op.getY().getType().getElementType();
      return {
          emit.insert(emitRound(b, loc, element, sum), carried[0], {yRow, n})};
    };
    return emit.loop(emit.index(op.getN()), y, column).front();
  }
};

struct MoeSumToLoops : OpConversionPattern<MoeSumOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MoeSumOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LoopEmitter emit(rewriter, op.getLoc());
    Location loc = op.getLoc();
    RankedTensorType type = op.getY().getType();
    Value ids = adaptor.getIds(), h = adaptor.getH();
    Value tokens = emit.extent(ids, 0), topK = emit.extent(ids, 1);
    using Values = SmallVector<Value>;
    auto term = [&](Value t, Value j, Value n, Value sum) {
      Value row = emit.add(emit.mul(t, topK), j);
      Value value = emitWiden(emit.b, loc, emit.at(h, {row, n}));
      if (Value weights = adaptor.getWeights())
        value = arith::MulFOp::create(emit.b, value, emit.at(weights, {t, j}));
      return Values{arith::AddFOp::create(emit.b, sum, value)};
    };
    Value init = emitEmpty(rewriter, loc, type, tokens);
    Values y = emit.loop(tokens, init, [&](Value t, ValueRange outer) {
      return emit.loop(emit.extent(h, 1), outer, [&](Value n, ValueRange in) {
        Values sum =
            emit.loop(topK, emit.f32(0), [&](Value j, ValueRange carried) {
              Value isKept = localExpert(emit, ids, adaptor.getMap(),
                                         op.getExperts(), t, j)
                                 .second;
              return emit.when(isKept, carried,
                               [&] { return term(t, j, n, carried[0]); });
            });
        Value rounded =
            emitRound(emit.b, loc, type.getElementType(), sum.front());
        return Values{emit.insert(rounded, in[0], {t, n})};
      });
    });
    rewriter.replaceOp(op, y);
    return success();
  }
};

} // namespace

void mlir::wna16::populateMoePatterns(const TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<MoeRouteToLoops, MoeGemmToLoops, MoeSumToLoops>(
      converter, patterns.getContext());
}
