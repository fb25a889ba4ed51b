//===- TileTrace.h - runs the counters of a kernel ------------------------===//
//
// Executes the integer arithmetic, loops and ring ops of a tile kernel, without
// data, for one part of K of one block, and tells a visitor of every other op
// with the values of its operands. Tiles are represented by where they come
// from (TileOrigin). assign-waits and verify-tile are such visitors.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_ANALYSIS_TILETRACE_H
#define WNA16_LIB_ANALYSIS_TILETRACE_H

#include "dialect/Tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <optional>
#include <vector>

namespace wna16 {

/// A half-open range of rows or columns of a matrix.
struct Interval {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
  bool contains(Interval other) const {
    return begin <= other.begin && other.end <= end;
  }
  bool operator==(const Interval &) const = default;
};

/// The group of scales that are one per column.
inline constexpr int64_t wholeColumn = INT64_MAX;

/// What a tile stands for: a rectangle of a matrix (loaded tiles and what is
/// made of them element by element), and for sums the ranges of K that were
/// added up.
struct TileOrigin {
  Interval rows, columns;
  std::vector<Interval> summed;
  /// Scales or zero points: `rows` are the rows of K that they are for, this
  /// many per row of the tile; wholeColumn: all of them. 0 for all else.
  int64_t group = 0;
  /// Made by products: dimension 0 is a column of the output.
  bool isProduct = false;
  /// Rows of the weight matrix, and for sums those that the sum is over; 0 when
  /// nothing was added.
  int64_t extentK = 0;
  /// Columns of the matrix, for activations: there are no more rows of K.
  int64_t extentColumns = 0;
  /// The asynchronous product that adds to it, by its number from 1; 0: none.
  int64_t product = 0;
};

/// Warps that run together: one part of a role, or of the block where there
/// are no roles.
struct Agent {
  mlir::tile::RoleOp role;
  int64_t part = 0;
  /// Number of the block in its cluster.
  int64_t block = 0;
};

/// Where a tile of the output begins.
struct TilePlace {
  int64_t row = 0, column = 0;
};

/// The agents of one block of `work`; a role that only fills comes before those
/// that read.
std::vector<Agent> agentsOf(mlir::tile::ForEachWorkOp work, int64_t block);

class TileTrace {
public:
  virtual ~TileTrace() = default;

  /// Runs `work` for one agent and a tile, or the tiles that a persistent block
  /// computes one after the other. Fails when the visitor does, or when something
  /// cannot be executed.
  mlir::LogicalResult run(mlir::tile::ForEachWorkOp work, Agent agent,
                          llvm::ArrayRef<TilePlace> places = TilePlace());

protected:
  /// Called for every op of the tile dialect.
  virtual mlir::LogicalResult visit(mlir::Operation *op) = 0;
  /// Called after each tile of a persistent block.
  virtual mlir::LogicalResult endTile() { return mlir::success(); }

  int64_t number(mlir::Value value) const;
  TileOrigin &origin(mlir::Value value) { return origins[value]; }
  /// Who runs, and the number of its part.
  Agent agent;
  int64_t part = 0;

private:
  mlir::LogicalResult runBlock(mlir::Block &block);
  mlir::LogicalResult runTile(mlir::Operation *op);
  mlir::LogicalResult runLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult runRole(mlir::tile::RolesOp roles);
  mlir::LogicalResult runTiles(mlir::tile::ForEachTileOp tiles);
  mlir::LogicalResult runScalar(mlir::Operation *op);
  void assign(mlir::Value to, mlir::Value from);

  llvm::DenseMap<mlir::Value, int64_t> numbers;
  llvm::DenseMap<mlir::Value, TileOrigin> origins;
  llvm::SmallVector<TilePlace> places;
  int64_t executed = 0;
};

} // namespace wna16

#endif // WNA16_LIB_ANALYSIS_TILETRACE_H
