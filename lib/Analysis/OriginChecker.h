//===- OriginChecker.h - where tiles come from and go to ------------------===//
//
// Follows every tile from where it was loaded to the sum that it ends up in.
// Rings are not known here: who reads them gives the tiles their origin.
// Labels are those of docs/spec.md.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_ANALYSIS_ORIGINCHECKER_H
#define WNA16_LIB_ANALYSIS_ORIGINCHECKER_H

#include "lib/Analysis/TileTrace.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace wna16 {

class OriginChecker : public TileTrace {
protected:
  explicit OriginChecker(mlir::tile::ForEachWorkOp work) : work(work) {}

  /// Forgets the sums of another tile of work.
  void beginTile() { combined.clear(); }
  /// The stores of a tile are whole; the next one of a persistent block follows.
  mlir::LogicalResult endTile() override;
  /// Forgets the products and stores of another agent.
  void beginAgent();
  /// Checks every op but those of rings.
  mlir::LogicalResult visitTiles(mlir::Operation *op);
  /// The stores of the agent cover the tile of work.
  mlir::LogicalResult checkStored();
  /// The sums over all parts and blocks are whole.
  mlir::LogicalResult checkCombined();

  static TileOrigin partOf(const TileOrigin &whole,
                           llvm::ArrayRef<int64_t> offsets,
                           llvm::ArrayRef<int64_t> shape);
  /// `result` is the tile of `matrix` at (row, column).
  mlir::LogicalResult loadTile(mlir::Operation *op,
                               mlir::tile::GlobalType matrix, int64_t row,
                               int64_t column, llvm::ArrayRef<int64_t> shape,
                               TileOrigin &result);
  /// Scales stand for the rows of K that they scale.
  mlir::LogicalResult loadScales(mlir::Operation *op,
                                 mlir::tile::GlobalType matrix, int64_t k,
                                 int64_t n, int64_t group,
                                 llvm::ArrayRef<int64_t> shape,
                                 TileOrigin &result);
  mlir::LogicalResult addProduct(mlir::Operation *op, TileOrigin weights,
                                 TileOrigin acts, mlir::Value acc,
                                 mlir::Value result);

  mlir::LogicalResult addShare(mlir::Operation *op, mlir::Value source,
                               mlir::Value rows, mlir::Value sum);

  mlir::tile::ForEachWorkOp work;
  /// Asynchronous products started, and known to have ended.
  int64_t products = 0, ended = 0;

private:
  /// Rows past the end are a matter of the op, and so are columns of matrices
  /// without a layout unless `allColumns` must exist; a tile begins where a tile
  /// of the storage does.
  mlir::LogicalResult checkInside(mlir::Operation *op,
                                  mlir::tile::GlobalType matrix, int64_t row,
                                  int64_t column, llvm::ArrayRef<int64_t> shape,
                                  bool allColumns = false);
  mlir::LogicalResult visitOp(mlir::tile::LoadOp op);
  mlir::LogicalResult visitOp(mlir::tile::LoadScalesOp op);
  mlir::LogicalResult visitOp(mlir::tile::SliceOp op);
  mlir::LogicalResult checkScales(mlir::Operation *op, Interval k, Interval n,
                                  const TileOrigin &scales,
                                  llvm::StringRef what);
  mlir::LogicalResult visitOp(mlir::tile::DequantOp op);
  /// Until a wait covers it, a sum is the hardware's.
  mlir::LogicalResult checkInFlight(mlir::Operation *op);
  mlir::LogicalResult visitOp(mlir::tile::MmaOp op);
  mlir::LogicalResult visitOp(mlir::tile::MmaWaitOp op);
  mlir::LogicalResult visitOp(mlir::tile::ScaleAccOp op);
  /// Rows of the output in a tile of sums; at run time, with the largest M.
  int64_t rowsToStore(const TileOrigin &sum);
  mlir::LogicalResult visitOp(mlir::tile::CombineOp op);
  mlir::LogicalResult visitOp(mlir::tile::CombineByTicketOp op);
  mlir::LogicalResult visitOp(mlir::tile::StoreOp op);
  /// Every row of K was added exactly once.
  mlir::LogicalResult checkWhole(mlir::Operation *op, const TileOrigin &sum);

  /// By op, and by the tile of a persistent block.
  llvm::MapVector<std::pair<mlir::Operation *, int64_t>, TileOrigin> combined;
  int64_t tileNumber = 0;
  /// Products whose sum in flight another one has taken.
  llvm::DenseSet<int64_t> continued;
  int64_t storedElements = 0;
};

} // namespace wna16

#endif // WNA16_LIB_ANALYSIS_ORIGINCHECKER_H
