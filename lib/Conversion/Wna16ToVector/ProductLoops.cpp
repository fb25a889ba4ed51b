//===- ProductLoops.cpp - the loops of a product on a CPU -----------------===//
//
//   for 128 rows of x
//     for 64 columns of y
//       sums = 0
//       for 128 rows of k
//         weights, activations = this part of w and x in f32
//         sums += activations * weights, a few rows at a time in registers
//       y = sums, rounded
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/Wna16ToVector/ProductLoops.h"

#include "lib/Conversion/Wna16ToLinalg/IndexArithmetic.h"
#include "lib/Conversion/Wna16ToVector/CodeReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using mlir::wna16::GemmOp;

namespace wna16 {
namespace {

/// Rows of x that one pass over a block of weights multiplies.
constexpr int64_t tileRows = 4;

class ProductEmitter {
public:
  ProductEmitter(ImplicitLocOpBuilder &builder, GemmOp gemm,
                 const ProductArguments &arguments, const CpuTarget &target)
      : b(builder), gemm(gemm), arguments(arguments), target(target),
        laneType(VectorType::get({vectorLanes}, builder.getF32Type())) {}

  void emit() {
    weights = scratch(blockRows, blockColumns);
    activations = scratch(chunkRows, blockRows);
    sums = scratch(chunkRows, blockColumns);
    if (arguments.bias)
      biases = scratch(1, blockColumns);
    loop(arguments.m0, arguments.m1, chunkRows, [&](Value m) {
      Value left = arith::SubIOp::create(b, arguments.m1, m);
      rows = arith::MinUIOp::create(b, left, index(chunkRows));
      emitColumns(m);
    });
  }

private:
  int64_t columns() { return gemm.getN(); }
  int64_t depth() { return gemm.getK(); }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value a, Value c) { return arith::AddIOp::create(b, a, c); }
  Value add(Value a, int64_t c) { return c ? add(a, index(c)) : a; }

  Value scratch(int64_t height, int64_t width) {
    auto type = MemRefType::get({height, width}, b.getF32Type());
    // A line of the cache, and the widest vector.
    return memref::AllocaOp::create(b, type, b.getI64IntegerAttr(64));
  }

  void loop(Value from, Value to, int64_t step,
            llvm::function_ref<void(Value)> body) {
    auto op = scf::ForOp::create(b, from, to, index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.getBody());
    body(op.getInductionVar());
  }

  /// The biases of `width` columns from n on, in f32.
  void emitBias(Value n, int64_t width) {
    auto type = cast<RankedTensorType>(gemm.getBias().getType());
    loop(index(0), index(width), 1, [&](Value at) {
      Value place = mlir::wna16::emitElementOffset(
          b, b.getLoc(), getElementLayout(type), index(0), add(n, at));
      Value one = memref::LoadOp::create(b, arguments.bias, place);
      if (!type.getElementType().isF32())
        one = arith::ExtFOp::create(b, b.getF32Type(), one);
      memref::StoreOp::create(b, one, biases, ValueRange{index(0), at});
    });
  }

  /// All columns of the rows from m on. The last block is written apart if it
  /// is not a whole one.
  void emitColumns(Value m) {
    int64_t whole = columns() / blockColumns * blockColumns;
    Value end = arguments.n1;
    if (whole != columns())
      end = arith::MinUIOp::create(b, end, index(whole));
    if (whole)
      loop(arguments.n0, end, blockColumns,
           [&](Value n) { emitBlock(m, n, blockColumns); });
    if (whole == columns())
      return;
    Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt,
                                         arguments.n1, index(whole));
    auto last = scf::IfOp::create(b, isLast, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(last.thenBlock());
    emitBlock(m, index(whole), columns() - whole);
  }

  /// `width` columns from n on.
  void emitBlock(Value m, Value n, int64_t width) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(laneType));
    loop(index(0), rows, 1, [&](Value row) {
      for (int64_t at = 0; at < blockColumns; at += vectorLanes)
        vector::StoreOp::create(b, zero, sums, ValueRange{row, index(at)});
    });
    if (arguments.bias)
      emitBias(n, width);
    // A block that is not whole in y may be so in memory.
    bool inside = width == blockColumns ||
                  int64_t(llvm::alignTo(columns(), blockColumns)) <= gemm.getStoredN();
    loop(index(0), index(depth()), blockRows, [&](Value k) {
      Value left = arith::SubIOp::create(b, index(depth()), k);
      Value height = arith::MinUIOp::create(b, left, index(blockRows));
      Value expanded = height;
      if (int64_t step = stepRows(gemm); depth() % step)
        expanded = arith::MinUIOp::create(
            b, arith::SubIOp::create(b, index(llvm::alignTo(depth(), step)), k),
            index(blockRows));
      emitWeightBlock(b, gemm, arguments.weights, k, expanded, n, inside,
                      weights);
      emitActivations(m, k, height);
      emitRows(height);
    });
    loop(index(0), rows, 1,
         [&](Value row) { emitResult(row, add(m, row), n, width); });
  }

  /// x[m : m + rows, k : k + height] in f32.
  void emitActivations(Value m, Value k, Value height) {
    Type narrow = gemm.getX().getType().getElementType();
    Value whole = height;
    if (depth() % vectorLanes)
      whole = arith::AndIOp::create(b, height, index(-vectorLanes));
    loop(index(0), rows, 1, [&](Value row) {
      Value from = add(m, row);
      loop(index(0), whole, vectorLanes, [&](Value at) {
        Value part =
            vector::LoadOp::create(b, VectorType::get({vectorLanes}, narrow),
                                   arguments.x, ValueRange{from, add(k, at)});
        part = arith::ExtFOp::create(b, laneType, part);
        vector::StoreOp::create(b, part, activations, ValueRange{row, at});
      });
      if (whole == height)
        return;
      loop(whole, height, 1, [&](Value at) {
        Value one = memref::LoadOp::create(b, arguments.x,
                                           ValueRange{from, add(k, at)});
        one = arith::ExtFOp::create(b, b.getF32Type(), one);
        memref::StoreOp::create(b, one, activations, ValueRange{row, at});
      });
    });
  }

  /// sums += activations * weights.
  void emitRows(Value height) {
    Value whole = arith::AndIOp::create(b, rows, index(-tileRows));
    loop(index(0), whole, tileRows, [&](Value row) {
      emitTile(row, height, tileRows, target.tileVectors);
    });
    // One row does not fill the registers, so it takes all columns at once.
    loop(whole, rows, 1, [&](Value row) {
      emitTile(row, height, 1, blockColumns / vectorLanes);
    });
  }

  /// The same for `count` rows, `vectors` vectors of columns at a time.
  void emitTile(Value row, Value height, int64_t count, int64_t vectors) {
    for (int64_t column = 0; column < blockColumns;
         column += vectors * vectorLanes)
      emitTile(row, height, count, column, vectors);
  }

  void emitTile(Value row, Value height, int64_t count, int64_t column,
                int64_t vectors) {
    auto place = [&](int64_t r, int64_t v) -> SmallVector<Value> {
      return {add(row, r), index(column + v * vectorLanes)};
    };
    SmallVector<Value> before;
    for (int64_t r = 0; r < count; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        before.push_back(
            vector::LoadOp::create(b, laneType, sums, place(r, v)));
    auto inner = scf::ForOp::create(b, index(0), height, index(1), before);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(inner.getBody());
      Value k = inner.getInductionVar();
      SmallVector<Value> factors, after;
      for (int64_t v = 0; v < vectors; ++v)
        factors.push_back(vector::LoadOp::create(
            b, laneType, weights,
            ValueRange{k, index(column + v * vectorLanes)}));
      for (int64_t r = 0; r < count; ++r) {
        Value activation =
            memref::LoadOp::create(b, activations, ValueRange{add(row, r), k});
        activation = vector::BroadcastOp::create(b, laneType, activation);
        for (int64_t v = 0; v < vectors; ++v)
          after.push_back(
              vector::FMAOp::create(b, activation, factors[v],
                                    inner.getRegionIterArg(r * vectors + v)));
      }
      scf::YieldOp::create(b, after);
    }
    for (int64_t r = 0; r < count; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        vector::StoreOp::create(b, inner.getResult(r * vectors + v), sums,
                                place(r, v));
  }

  /// y[m, n : n + width] = sums[row] + biases.
  void emitResult(Value row, Value m, Value n, int64_t width) {
    Type narrow = gemm.getY().getType().getElementType();
    auto round = [&](Value sum, Value bias, Type type) -> Value {
      if (bias)
        sum = arith::AddFOp::create(b, sum, bias);
      if (narrow.isF32())
        return sum;
      return arith::TruncFOp::create(b, type, sum);
    };
    int64_t whole = width / vectorLanes * vectorLanes;
    for (int64_t at = 0; at < whole; at += vectorLanes) {
      Value sum =
          vector::LoadOp::create(b, laneType, sums, ValueRange{row, index(at)});
      Value bias;
      if (biases)
        bias = vector::LoadOp::create(b, laneType, biases,
                                      ValueRange{index(0), index(at)});
      Value result = round(sum, bias, VectorType::get({vectorLanes}, narrow));
      vector::StoreOp::create(b, result, arguments.y,
                              ValueRange{m, add(n, at)});
    }
    if (whole == width)
      return;
    loop(index(whole), index(width), 1, [&](Value at) {
      Value sum = memref::LoadOp::create(b, sums, ValueRange{row, at});
      Value bias;
      if (biases)
        bias = memref::LoadOp::create(b, biases, ValueRange{index(0), at});
      memref::StoreOp::create(b, round(sum, bias, narrow), arguments.y,
                              ValueRange{m, add(n, at)});
    });
  }

  ImplicitLocOpBuilder &b;
  GemmOp gemm;
  const ProductArguments &arguments;
  const CpuTarget &target;
  VectorType laneType;
  Value weights, activations, sums, biases;
  /// Rows of this chunk.
  Value rows;
};

} // namespace

void emitProduct(ImplicitLocOpBuilder &builder, GemmOp gemm,
                 const ProductArguments &arguments, const CpuTarget &target) {
  ProductEmitter(builder, gemm, arguments, target).emit();
}

} // namespace wna16
