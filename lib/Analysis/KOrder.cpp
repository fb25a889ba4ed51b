//===- KOrder.cpp - find a reordering along K -----------------------------===//

#include "lib/Analysis/KOrder.h"

#include "dialect/Wna16/Wna16.h"
#include "lib/Analysis/KTracer.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::wna16;

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void Tracer::stepArgument(BlockArgument argument, const Item &item) {
  for (Value source : getControlFlowSources(argument))
    push(source, item.dims, item.place);
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto forall = dyn_cast<scf::ForallOp>(parent)) {
    if (OpOperand *init = forall.getTiedOpOperand(argument))
      push(init->get(), item.dims, item.place);
    return;
  }
  for (Value source : origins.getCallSources(argument)) {
    user = source.getParentBlock();
    push(source, item.dims, item.place);
  }
}

void Tracer::stepCall(func::CallOp op, const Item &item) {
  for (Value source : origins.getCallSources(item.value)) {
    user = source.getParentBlock();
    push(source, item.dims, item.place);
  }
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

void Tracer::stepGather(tensor::GatherOp op, const Item &item) {
  // The result has the dimensions of the indices but the last, then those of
  // the source, with the gathered ones of extent 1 or left out.
  unsigned batch = op.getIndicesType().getRank() - 1;
  unsigned sourceRank = op.getSourceType().getRank();
  ArrayRef<int64_t> gathered = op.getGatherDims();
  bool reduced = op.getResultType().getRank() != batch + sourceRank;

  DimMask dims = 0;
  unsigned resultDim = batch;
  for (unsigned d = 0; d < sourceRank; ++d) {
    bool isGathered = llvm::is_contained(gathered, int64_t(d));
    if (isGathered && reduced)
      continue;
    if (has(item.dims, resultDim++) && !isGathered)
      dims |= bit(d);
  }
  if (item.dims & (bit(batch) - 1)) {
    if (gathered.size() != 1 || !isIdentityConstant(op.getIndices()))
      return report(op, byLoadedIndex);
    dims |= bit(gathered[0]);
  }
  push(op.getSource(), dims, item.place);
}

void Tracer::stepScatter(tensor::ScatterOp op, const Item &item) {
  for (int64_t d : op.getScatterDims())
    if (has(item.dims, d) && !isIdentityConstant(op.getIndices()))
      return report(op, byLoadedIndex);
  push(op.getDest(), item.dims, item.place);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

void Tracer::stepReshape(Value source, ArrayRef<ReassociationIndices> groups,
                         bool expands, const Item &item) {
  DimMask dims = 0;
  for (auto [one, many] : llvm::enumerate(groups))
    for (int64_t d : many)
      if (has(item.dims, expands ? d : one))
        dims |= bit(expands ? one : d);
  push(source, dims, item.place);
}

void Tracer::step(const Item &item) {
  if (auto argument = dyn_cast<BlockArgument>(item.value))
    return stepArgument(argument, item);
  Operation *definition = item.value.getDefiningOp();
  llvm::TypeSwitch<Operation *>(definition)
      .Case([&](func::CallOp op) { stepCall(op, item); })
      .Case([&](tensor::GatherOp op) { stepGather(op, item); })
      .Case([&](tensor::ScatterOp op) { stepScatter(op, item); })
      .Case([&](tensor::ExtractSliceOp op) { stepExtractSlice(op, item); })
      .Case([&](tensor::InsertSliceOp op) {
        stepInsertSlice(op, op.getDest(), item);
      })
      .Case([&](tensor::InsertOp op) { stepInsert(op, item); })
      .Case([&](tensor::GenerateOp op) { stepGenerate(op, item); })
      .Case([&](scf::ForallOp op) { stepForall(op, item); })
      .Case([&](tensor::ExpandShapeOp op) {
        stepReshape(op.getSrc(), op.getReassociationIndices(), true, item);
      })
      .Case([&](tensor::CollapseShapeOp op) {
        stepReshape(op.getSrc(), op.getReassociationIndices(), false, item);
      })
      .Case([&](tensor::ReshapeOp op) {
        // Which dimensions K went to is not known: any may be.
        auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
        auto result = cast<RankedTensorType>(item.value.getType());
        if (!source)
          return;
        DimMask dims = item.dims;
        if (source.getShape() != result.getShape())
          dims = bit(source.getRank()) - 1;
        push(op.getSource(), dims, item.place);
      })
      .Case<tensor::CastOp, tensor::BitcastOp, tensor::PadOp, tensor::ConcatOp,
            RepackOp>([&](Operation *op) {
        for (Value operand : op->getOperands())
          push(operand, item.dims, item.place);
      })
      .Case([&](linalg::LinalgOp op) { stepLinalg(op, item); })
      .Default([&](Operation *op) {
        for (Value source : getControlFlowSources(item.value))
          push(source, item.dims, item.place);
        if (op->hasTrait<OpTrait::Elementwise>())
          for (Value operand : op->getOperands())
            push(operand, item.dims, item.place);
      });
}

std::optional<Reordering>
mlir::wna16::findReordering(ModuleOp module, SymbolTableCollection &symbols,
                            OpOperand &operand, unsigned dim) {
  return Tracer(module, symbols).run(operand, dim);
}
