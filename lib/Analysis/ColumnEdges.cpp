//===- ColumnEdges.cpp - tiles that reach past the columns ----------------===//

#include "lib/Analysis/ColumnEdges.h"

#include "lib/Analysis/TileTrace.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

/// A tile of a matrix: how wide it is, and where it begins.
struct TileAccess {
  GlobalType matrix;
  int64_t width;
  Value column;
};

/// The access of an op whose matrix has no packed layout.
std::optional<TileAccess> accessOf(Operation *op) {
  std::optional<TileAccess> access;
  if (auto load = dyn_cast<LoadOp>(op)) {
    access = {load.getSource().getType(), load.getType().getShape()[1],
              load.getColumn()};
  } else if (auto fill = dyn_cast<FillOp>(op)) {
    access = {fill.getSource().getType(),
              fill.getFieldInfo().getType().getShape()[1], fill.getColumn()};
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    auto shape = store.getValue().getType().getShape();
    access = {store.getDest().getType(),
              shape[store.getTransposed() ? 0 : 1], store.getColumn()};
  }
  return access && !access->matrix.getLayout() ? access : std::nullopt;
}

class EdgeFinder : public TileTrace {
public:
  explicit EdgeFinder(llvm::DenseSet<Operation *> &found) : found(found) {}

  LogicalResult find(ForEachWorkOp work) {
    int64_t height = work.getTile()[0], width = work.getTile()[1];
    int64_t lastRow =
        (work.getStaticRows().value_or(height) - 1) / height * height;
    for (TilePlace place :
         {TilePlace(), TilePlace{lastRow, int64_t(work.getColumns()) - width}})
      for (int64_t block = 0; block < int64_t(work.getBlocks()); ++block)
        for (Agent next : agentsOf(work, block))
          if (failed(run(work, next, place)))
            return failure();
    return success();
  }

private:
  LogicalResult visit(Operation *op) override {
    auto fill = dyn_cast<FillOp>(op);
    if (fill && fill.getPredicate() && !number(fill.getPredicate()))
      return success();
    if (std::optional<TileAccess> access = accessOf(op))
      if (number(access->column) + access->width >
          access->matrix.getShape()[1])
        found.insert(op);
    return success();
  }

  llvm::DenseSet<Operation *> &found;
};

} // namespace

namespace wna16 {
llvm::DenseSet<Operation *> opsPastColumns(KernelOp kernel) {
  llvm::DenseSet<Operation *> found;
  // What cannot be run is for verify-tile to report.
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) {});
  bool known = true;
  for (auto work : kernel.getBody().getOps<ForEachWorkOp>())
    known = known && succeeded(EdgeFinder(found).find(work));
  if (!known)
    kernel.walk([&](Operation *op) {
      if (accessOf(op))
        found.insert(op);
    });
  return found;
}
} // namespace wna16
