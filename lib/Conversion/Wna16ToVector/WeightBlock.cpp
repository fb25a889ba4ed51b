//===- WeightBlock.cpp - expands a block of weights into f32 --------------===//
//
// weight = code * scale + (-zero point * scale), with one fma. Both products
// have at most 20 significant bits, so the sum is exact: it is (code - zero
// point) * scale to the bit, for every finite scale.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/Wna16ToVector/WeightBlock.h"

#include "lib/Conversion/Wna16ToVector/CodeReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using mlir::wna16::GemmOp;

namespace wna16 {

/// Rows whose reading is written out at once: all of a word's in most layouts.
static constexpr int64_t unrolledRows = 16;

int64_t stepRows(GemmOp gemm) {
  int64_t group = gemm.getGroup();
  return std::min(blockRows, group & -group);
}

namespace {

class WeightBlockEmitter {
public:
  WeightBlockEmitter(ImplicitLocOpBuilder &builder, GemmOp gemm,
                     const WeightOperands &operands, bool inside, Value target)
      : b(builder), gemm(gemm), operands(operands), inside(inside),
        target(target) {
    rows = std::min(stepRows(gemm), unrolledRows);
    columns = blockColumns;
    if (!inside || !canRead()) {
      rows = 1;
      columns = 1;
    }
  }

  void emit(Value k, Value height, Value n) {
    Value end = index(blockColumns);
    if (!inside)
      end = arith::SubIOp::create(b, index(gemm.getStoredN()), n);
    loop(index(0), height, stepRows(gemm), [&](Value first) {
      Value group =
          arith::DivUIOp::create(b, add(k, first), index(gemm.getGroup()));
      loop(index(0), end, columns, [&](Value column) {
        emitStep(add(k, first), first, group, add(n, column), column);
      });
    });
  }

private:
  RankedTensorType wType() { return gemm.getW().getType(); }
  RankedTensorType sType() { return gemm.getS().getType(); }
  RankedTensorType zerosType() {
    return cast<RankedTensorType>(gemm.getZeros().getType());
  }

  bool canRead() {
    return CodeReader::canRead(wType(), rows, columns) &&
           BlockReader::canRead(getElementLayout(sType()), 1, 1, columns) &&
           (!gemm.getZeros() || CodeReader::canRead(zerosType(), 1, columns));
  }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value a, Value c) { return arith::AddIOp::create(b, a, c); }
  VectorType floats() {
    return VectorType::get({std::min(columns, vectorLanes)}, b.getF32Type());
  }

  void loop(Value from, Value to, int64_t step,
            llvm::function_ref<void(Value)> body) {
    auto op = scf::ForOp::create(b, from, to, index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.getBody());
    body(op.getInductionVar());
  }

  /// Scales of a step, and what weights of code 0 are.
  void emitScales(Value group, Value n, SmallVectorImpl<Value> &scales,
                  SmallVectorImpl<Value> &starts) {
    BlockReader scaleReader(b, getElementLayout(sType()), operands.s, 1, 1,
                            columns);
    scaleReader.begin(group, n);
    std::optional<CodeReader> zeroReader;
    if (gemm.getZeros()) {
      zeroReader.emplace(b, zerosType(), operands.zeros, 1, columns);
      zeroReader->begin(group, n);
    }
    for (int64_t at = 0; at < columns; at += vectorLanes) {
      Value scale =
          arith::ExtFOp::create(b, floats(), scaleReader.read(0, at).items);
      Value negated;
      if (zeroReader) {
        Value zero =
            arith::SIToFPOp::create(b, floats(), zeroReader->read(0, at));
        negated = arith::NegFOp::create(b, zero);
      } else {
        float offset = static_cast<float>(*gemm.getCode().getOffset());
        negated = arith::ConstantOp::create(
            b, DenseElementsAttr::get(floats(), -offset));
      }
      scales.push_back(scale);
      starts.push_back(arith::MulFOp::create(b, scale, negated));
    }
  }

  /// stepRows() rows of `columns` columns; (row, column) is their place in the
  /// block.
  void emitStep(Value k, Value row, Value group, Value n, Value column) {
    SmallVector<Value> scales, starts;
    emitScales(group, n, scales, starts);
    loop(index(0), index(stepRows(gemm)), rows, [&](Value step) {
      CodeReader reader(b, wType(), operands.w, rows, columns);
      reader.begin(add(k, step), n);
      Value first = add(row, step);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t at = 0; at < columns; at += vectorLanes) {
          int64_t vector = at / vectorLanes;
          Value code = arith::SIToFPOp::create(b, floats(), reader.read(r, at));
          Value weight =
              vector::FMAOp::create(b, code, scales[vector], starts[vector]);
          vector::StoreOp::create(
              b, weight, target,
              ValueRange{add(first, index(r)), add(column, index(at))});
        }
    });
  }

  ImplicitLocOpBuilder &b;
  GemmOp gemm;
  const WeightOperands &operands;
  bool inside;
  Value target;
  /// Of what is read at once.
  int64_t rows, columns;
};

} // namespace

void emitWeightBlock(ImplicitLocOpBuilder &builder, GemmOp gemm,
                     const WeightOperands &operands, Value k, Value rows,
                     Value n, bool inside, Value target) {
  WeightBlockEmitter(builder, gemm, operands, inside, target).emit(k, rows, n);
}

} // namespace wna16
