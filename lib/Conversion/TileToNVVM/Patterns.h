//===- Patterns.h - what the conversion patterns share --------------------===//
//
// Facts of one kernel that are known before any op is converted, and the
// functions that add the patterns of each op family. Patterns have no state of
// their own.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_PATTERNS_H
#define WNA16_LIB_CONVERSION_TILETONVVM_PATTERNS_H

#include "dialect/Tile/Tile.h"
#include "lib/Conversion/TileToNVVM/InlinePtx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace wna16 {

/// Which rows of a matrix are rows of a view.
struct RowMap {
  /// !llvm.ptr<1>: the entries of the view's rows.
  mlir::Value entries;
  /// Row = entry / divisor.
  int64_t divisor = 1;
  /// i32, rows of the matrix.
  mlir::Value rows;
  ptx::LoadPath path = ptx::LoadPath::Plain;
};

/// A row that a map names: its first element, !llvm.ptr<1>; whether the view
/// has it, and whether there is one, i1 each.
struct MappedRow {
  mlir::Value pointer, isInside, exists;
};
/// Keyed by what the number of a thread's element adds to its row in the tile;
/// in the order in which they were found.
using MappedRows = llvm::MapVector<int64_t, MappedRow>;

/// A matrix in global memory.
struct GlobalMatrix {
  /// !llvm.ptr<1>
  mlir::Value pointer;
  /// i32; null when the number of rows is static.
  mlir::Value rows;
  /// Distance of rows in elements, i32; null when it is static.
  mlir::Value stride;
  /// Of a view, i32: its first row in the argument, and its matrix in a stack;
  /// null when it begins where the argument does.
  mlir::Value firstRow, expert;
  /// Rows that do not follow each other.
  std::optional<RowMap> map;
};

/// The warps that run an op together: all of the block, or those of a role.
struct Threads {
  int64_t warps = 1, parts = 1;
  /// Number of the named barrier at which all of them meet; part p meets at the
  /// p-th after it. Barrier 0 is the block's.
  int64_t barrier = 0;
  /// Whether they are all warps of the block.
  bool isBlock() const { return barrier == 0; }
  /// i32 each: lane, warp within its part, warp within the group, part.
  mlir::Value lane, partWarp, warp, part;
  /// i32, the block's number among those that share K; null when it is alone.
  mlir::Value block;
};

/// A ring whose stages are handed over at barriers in shared memory.
struct RingBarriers {
  /// Byte offset of the full barriers, which the empty ones follow.
  int64_t offset = 0;
  /// Arrivals that complete a phase of a full and of an empty barrier.
  int64_t full = 0, empty = 0;
  /// Blocks of the cluster that fill stages together; a release arrives at all.
  int64_t multicast = 1;
};

/// A tensor copy: the parameter that holds its map, and the boxes of one fill.
struct TensorCopy {
  /// Number of the map's parameter among the tensor maps.
  unsigned parameter = 0;
  /// That parameter, !llvm.ptr.
  mlir::Value map;
  /// Elements of the matrix per element of the map, along both dimensions.
  int64_t rowUnit = 1, columnUnit = 1;
  /// Elements of the map per `columnUnit` columns of the matrix.
  int64_t columnWords = 1;
  /// Boxes side by side along the columns: how many, how far apart in the
  /// matrix (elements of the map) and in the stage (bytes).
  int64_t boxes = 1, boxColumns = 0, boxBytes = 0;
  /// The outermost dimension of the map numbers the matrices of a stack.
  bool isStack = false;
  /// A multicast: rows (elements of the map) and bytes of a block's share.
  int64_t shareRows = 0, shareBytes = 0;
};

/// Values at the entry of a kernel, and what its arguments are.
struct KernelContext {
  Threads block;
  /// Blocks that share K.
  int64_t blocks = 1;
  /// Tiles of the work along the columns.
  int64_t tileColumns = 1;
  /// Extents of a tile of the work.
  std::array<int64_t, 2> tile = {1, 1};
  /// Whether kernels overlap: what the one in front writes is no constant.
  bool overlaps = false;
  /// !llvm.ptr<3>, first byte of dynamic shared memory.
  mlir::Value shared;
  /// Keyed by the !tile.global value that ops use.
  llvm::DenseMap<mlir::Value, GlobalMatrix> globals;

  /// Blocks along the columns that fetch together, all of a cluster, and the
  /// number of this one, i32; null when it is alone.
  int64_t multicast = 1;
  mlir::Value multicastBlock;
  /// The bodies of roles and the threads that run them.
  llvm::DenseMap<mlir::Region *, Threads> roles;
  /// Keyed by the ring; rings that wait by copy groups are not there.
  llvm::DenseMap<mlir::Value, RingBarriers> barriers;
  /// Keyed by the fill.
  llvm::DenseMap<mlir::Operation *, TensorCopy> tensors;
  /// Loads, fills and stores that reach past the columns of a matrix.
  llvm::DenseSet<mlir::Operation *> pastColumns;
  /// Rows that were found in front of loops, keyed by the load or fill.
  llvm::DenseMap<mlir::Operation *, MappedRows> mappedRows;
  /// Bytes that the fills of a step announce, keyed by its commit.
  llvm::DenseMap<mlir::Operation *, int64_t> commitBytes;

  /// The threads that run `op`.
  const Threads &threadsAt(mlir::Operation *op) const;
};

/// A pattern that knows its kernel.
template <typename OpTy>
struct KernelPattern : mlir::OpConversionPattern<OpTy> {
  const KernelContext &context;
  KernelPattern(const mlir::TypeConverter &converter,
                const KernelContext &context)
      : mlir::OpConversionPattern<OpTy>(converter, context.shared.getContext()),
        context(context) {}
};

/// Makes all of `threads` meet; shared memory is ordered between them.
void meetAll(mlir::OpBuilder &builder, mlir::Location loc,
             const Threads &threads);

/// The same, and whether `predicate` (i1) holds for any of them: i1.
mlir::Value meetAny(mlir::OpBuilder &builder, mlir::Location loc,
                    const Threads &threads, mlir::Value predicate);

/// Makes scratch in shared memory writable for `op`; `aliases`: it lies where a
/// ring does.
void freeScratch(mlir::OpBuilder &builder, mlir::Operation *op, bool aliases,
                 const Threads &threads);

/// The row of scales for row `k` of K: index.
mlir::Value scaleRow(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value k, int64_t group);

/// Where the stage of step `step` begins, without the offset of the ring: i32,
/// all that shared memory needs; LLVM's pointers take two registers.
mlir::Value stageAddress(mlir::OpBuilder &builder, mlir::Location loc,
                         const KernelContext &context, mlir::Value ring,
                         mlir::Value step);

/// The full barrier of the stage of `step`: !llvm.ptr<3>; the empty one with
/// `isEmpty`.
mlir::Value barrierAddress(mlir::OpBuilder &builder, mlir::Location loc,
                           const KernelContext &context, mlir::Value ring,
                           mlir::Value step, bool isEmpty);

/// The type of the 32-bit registers that hold a value.
mlir::Type getRegisterType(mlir::tile::ValType type);

/// Adds `count` runs of `run` fp32 numbers in shared memory, the first at
/// `pointer`, each `distance` bytes behind the one before, in this order.
llvm::SmallVector<mlir::Value> addShares(mlir::OpBuilder &builder,
                                         mlir::Location loc,
                                         mlir::Value pointer, unsigned run,
                                         int64_t count, int64_t distance);

void populateCopyPatterns(mlir::RewritePatternSet &patterns,
                          const mlir::TypeConverter &converter,
                          const KernelContext &context);
void populateEnginePatterns(mlir::RewritePatternSet &patterns,
                            const mlir::TypeConverter &converter,
                            const KernelContext &context);
void populateLoadStorePatterns(mlir::RewritePatternSet &patterns,
                               const mlir::TypeConverter &converter,
                               const KernelContext &context);
void populateComputePatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter);
void populateDependencyPatterns(mlir::RewritePatternSet &patterns,
                                const mlir::TypeConverter &converter);
void populateDequantPatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter);
void populateBarrierPatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter,
                             const KernelContext &context);
void populateClusterPatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter,
                             const KernelContext &context);
/// Prepares, before the first loop of `work`, what sums over the cluster need.
mlir::LogicalResult prepareClusterSums(mlir::OpBuilder &builder,
                                       mlir::tile::ForEachWorkOp work,
                                       const KernelContext &context);
void populateCombinePatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter,
                             const KernelContext &context);
void populateTicketPatterns(mlir::RewritePatternSet &patterns,
                            const mlir::TypeConverter &converter,
                            const KernelContext &context);
void populateConvertPatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter,
                             const KernelContext &context);
void populateWgmmaPatterns(mlir::RewritePatternSet &patterns,
                           const mlir::TypeConverter &converter,
                           const KernelContext &context);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TILETONVVM_PATTERNS_H
