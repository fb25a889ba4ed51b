//===- KElements.cpp - elements and slices moved along K ------------------===//

#include "lib/Analysis/KTracer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::wna16;

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

Counter Tracer::nameOf(OpFoldResult index) {
  if (std::optional<int64_t> number = getConstantIntValue(index))
    return {nullptr, unsigned(*number)};
  Value value = cast<Value>(index);
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  if (auto iterator = value.getDefiningOp<linalg::IndexOp>())
    return {iterator->getParentOp(), unsigned(iterator.getDim())};
  if (auto argument = dyn_cast<BlockArgument>(value))
    return {argument.getOwner(), argument.getArgNumber()};
  return {value.getAsOpaquePointer(), ~0u};
}

bool Tracer::isChosen(OpFoldResult index, int64_t extent, int64_t size,
                      Operation *op, const Place &place) {
  if (!intersect(place.choices, place.counters) || extent == size ||
      place.indices.count(nameOf(index)))
    return false;
  auto value = dyn_cast<Value>(index);
  if (!value || getConstantIntValue(index))
    return true;
  // What varies with other loops only, such as the ids of rows, is the same
  // for every k.
  CounterSet counters = originOf(value, op).counters;
  return counters.empty() || intersect(counters, place.choices) ||
         intersect(counters, place.counters);
}

//===----------------------------------------------------------------------===//
// Slices and elements moved in loops
//===----------------------------------------------------------------------===//

void Tracer::stepExtractSlice(tensor::ExtractSliceOp op, const Item &item) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  DimMask dims = 0;
  unsigned resultDim = 0;
  for (unsigned d = 0; d < offsets.size(); ++d) {
    bool isK = !dropped.test(d) && has(item.dims, resultDim);
    resultDim += !dropped.test(d);
    if (isK)
      dims |= bit(d);
    auto offset = dyn_cast<Value>(offsets[d]);
    if (!offset)
      continue;
    IndexOrigin origin = originOf(offset, op);
    bool alongK = isK ? !origin.counters.empty()
                      : intersect(origin.counters, item.place.counters);
    if (alongK && origin.variesByData())
      return report(op, describe(origin, byLoadedOffset));
  }
  for (unsigned d = 0; d < offsets.size() && !item.place.indices.empty(); ++d)
    if (isChosen(offsets[d], op.getSourceType().getDimSize(d),
                 op.getStaticSizes()[d], op, item.place))
      return report(op, byChoice);
  push(op.getSource(), dims, {item.place.counters, {}, {}});
}

template <typename InsertSlice>
void Tracer::stepInsertSlice(InsertSlice op, Value dest, const Item &item) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  Place place = item.place;
  place.indices = namesOf(offsets);
  DimMask dims = 0;
  unsigned sourceDim = 0;
  for (unsigned d = 0; d < offsets.size(); ++d) {
    bool isK = has(item.dims, d);
    if (isK && !dropped.test(d))
      dims |= bit(sourceDim);
    sourceDim += !dropped.test(d);
    auto offset = dyn_cast<Value>(offsets[d]);
    if (!isK || !offset)
      continue;
    IndexOrigin origin = originOf(offset, op);
    if (origin.variesByData())
      return report(op, describe(origin, byLoadedOffset));
    place.counters.insert(origin.counters.begin(), origin.counters.end());
  }
  push(op.getSource(), dims, place);
  push(dest, item.dims, item.place);
}

template void Tracer::stepInsertSlice(tensor::InsertSliceOp, Value,
                                      const Item &);

void Tracer::stepForall(scf::ForallOp op, const Item &item) {
  OpOperand *init = op.getTiedOpOperand(cast<OpResult>(item.value));
  BlockArgument output = op.getTiedBlockArgument(init);
  push(init->get(), item.dims, item.place);
  for (Operation *writer : output.getUsers())
    if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(writer)) {
      user = insert->getBlock();
      stepInsertSlice(insert, init->get(), item);
    }
}

void Tracer::stepInsert(tensor::InsertOp op, const Item &item) {
  Place place = item.place;
  place.indices = namesOf(op.getIndices());
  for (auto [d, index] : llvm::enumerate(op.getIndices())) {
    if (!has(item.dims, d))
      continue;
    IndexOrigin origin = originOf(index, op);
    if (origin.variesByData())
      return report(op, describe(origin, byLoadedIndex));
    place.counters.insert(origin.counters.begin(), origin.counters.end());
  }
  stepScalar(op.getScalar(), nullptr, place, item);
  push(op.getDest(), item.dims, item.place);
}

//===----------------------------------------------------------------------===//
// Bodies that compute elements
//===----------------------------------------------------------------------===//

void Tracer::stepReader(Operation *op, ValueRange indices, Operation *scope,
                        const Place &place) {
  DimMask dims = 0;
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  Operation *reader = scope && scope->isAncestor(op) ? scope : op;
  for (auto [d, index] : llvm::enumerate(indices)) {
    if (extract && isChosen(index, extract.getTensor().getType().getDimSize(d),
                            1, op, place))
      return report(reader, byChoice);
    if (!index.getType().isIntOrIndex())
      continue;
    IndexOrigin origin = originOf(index, op);
    if (!intersect(origin.counters, place.counters))
      continue;
    if (origin.variesByData())
      return report(reader, describe(origin, byLoadedIndex));
    dims |= bit(d);
  }
  if (!extract)
    return;
  for (auto [d, index] : llvm::enumerate(indices))
    if (isChosen(index, extract.getTensor().getType().getDimSize(d), 1, op,
                 place))
      return report(reader, byChoice);
  push(extract.getTensor(), dims, {place.counters, {}, {}});
}

void Tracer::stepScalar(Value scalar, Operation *scope, const Place &place,
                        const Item &item) {
  // Each scalar with where it is used, and what chooses it.
  std::set<std::pair<void *, Place>> seen;
  SmallVector<std::tuple<Value, Block *, Place>> scalars{
      {scalar, scalar.getParentBlock(), place}};
  while (!scalars.empty() && !found) {
    auto [value, usedIn, at] = scalars.pop_back_val();
    Place unchosen = at;
    addChoice(value, usedIn, at);
    if (!seen.insert({value.getAsOpaquePointer(), at}).second)
      continue;
    Block *here = value.getParentBlock();
    auto goOn = [&](ValueRange sources) {
      for (Value source : sources)
        if (!isa<ShapedType>(source.getType()))
          scalars.push_back({source, here, at});
    };
    SmallVector<Value> called = origins.getCallSources(value);
    for (Value source : called)
      scalars.push_back({source, source.getParentBlock(), at});
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(scope);
      if (linalgOp && here->getParentOp() == scope) {
        OpOperand &operand = scope->getOpOperand(argument.getArgNumber());
        AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
        DimMask dims = 0;
        bool inPlace = true;
        for (auto [d, expr] : llvm::enumerate(map.getResults())) {
          for (const Counter &counter : at.counters)
            if (counter.first == scope && expr.isFunctionOfDim(counter.second))
              dims |= bit(d);
          auto iterator = dyn_cast<AffineDimExpr>(expr);
          inPlace &=
              !has(dims, d) ||
              (iterator && at.indices.count({scope, iterator.getPosition()}));
        }
        if (!inPlace && intersect(at.choices, at.counters))
          return report(scope, byChoice);
        push(operand.get(), dims, item.place);
      }
      goOn(getControlFlowSources(value));
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      stepReader(op, extract.getIndices(), scope, at);
      continue;
    }
    SmallVector<Value> sources = getControlFlowSources(value);
    if (!sources.empty()) {
      goOn(sources);
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      goOn({select.getTrueValue(), select.getFalseValue()});
      scalars.push_back({select.getCondition(), here, unchosen});
    } else if (called.empty()) {
      // An op that gets a tensor and integers reads it where they say, for all
      // that is known.
      if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>))
        stepReader(op, op->getOperands(), scope, at);
      goOn(op->getOperands());
    }
  }
}

void Tracer::stepLinalg(linalg::LinalgOp op, const Item &item) {
  unsigned number = cast<OpResult>(item.value).getResultNumber();
  OpOperand *init = op.getDpsInitOperand(number);
  AffineMap map = op.getMatchingIndexingMap(init);
  Place place{item.place.counters, {}, {}};
  for (auto [d, expr] : llvm::enumerate(map.getResults())) {
    if (auto iterator = dyn_cast<AffineDimExpr>(expr))
      place.indices.insert({op.getOperation(), iterator.getPosition()});
    if (has(item.dims, d))
      for (unsigned i = 0; i < map.getNumDims(); ++i)
        if (expr.isFunctionOfDim(i))
          place.counters.insert({op.getOperation(), i});
  }
  Operation *yield = op.getBlock()->getTerminator();
  stepScalar(yield->getOperand(number), op, place, item);
}

void Tracer::stepGenerate(tensor::GenerateOp op, const Item &item) {
  Block &body = op.getBody().front();
  Place place{item.place.counters, {}, {}};
  for (unsigned d = 0; d < body.getNumArguments(); ++d) {
    place.indices.insert({&body, d});
    if (has(item.dims, d))
      place.counters.insert({&body, d});
  }
  stepScalar(body.getTerminator()->getOperand(0), op, place, item);
}
