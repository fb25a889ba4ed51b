//===- Addressing.h - from layouts to addresses ---------------------------===//
//
// A thread's elements of a tile lie at (where the tile begins) + (what lane and
// warp add) + (what the register number adds). The first two are computed at
// run time, the last is a constant. A position counts elements, plus rows of a
// matrix whose row stride is known at run time only. Inside a storage tile the
// parts are XORed: in a swizzle a constant may flip bits that a thread has set.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_ADDRESSING_H
#define WNA16_LIB_CONVERSION_TILETONVVM_ADDRESSING_H

#include "lib/Conversion/TileToNVVM/Patterns.h"

namespace wna16 {

/// A constant position. `flip` is XORed into the address of a thread, which
/// begins at a multiple of the storage tile; the rest is added.
struct Position {
  int64_t elements = 0, rows = 0, flip = 0;
};

/// Positions of the registers of one tile in one storage.
class TileAddressing {
public:
  /// With `dynamicStride` the first coordinate of row-major storage is counted
  /// in rows. Fails, with an error at `op`, when the tile is smaller than one
  /// tile of the storage (but for a part that a position's offsets name), or
  /// when registers and threads share bits of a coordinate that choose between
  /// storage tiles.
  static mlir::FailureOr<TileAddressing>
  get(mlir::Operation *op, const layout::LinearLayout &layout,
      const layout::StorageLayout &storage, bool dynamicStride,
      bool isPart = false);

  /// Coordinates that element `index` of a thread adds.
  std::array<int64_t, 2> coordinates(unsigned index) const;
  /// Position of register element `index`, shifted by `offsets` that are
  /// multiples of what registers and threads address.
  Position position(unsigned index, std::array<int64_t, 2> offsets = {}) const;
  /// Position of a coordinate, as if no thread added to it.
  Position positionOf(int64_t row, int64_t column) const;
  /// Element number inside of a storage tile.
  int64_t inTile(int64_t row, int64_t column) const;
  /// Whether parts of a position are XORed and not added.
  bool isSwizzled() const { return swizzled; }
  bool hasDynamicStride() const { return dynamicStride; }

  /// Elements 0 .. 2^n - 1 of a thread are contiguous, and all such runs begin
  /// at multiples of their length; the largest such 2^n up to `limit`. With
  /// `withinRow` a run stays in one row: one bound serves it all.
  unsigned contiguous(unsigned limit, bool withinRow = false) const;

  unsigned elements() const { return 1u << registers.size(); }
  const layout::LinearLayout &getLayout() const { return layout; }
  const layout::StorageLayout &getStorage() const { return storage; }

private:
  bool startsAligned(unsigned run) const;

  TileAddressing(const layout::LinearLayout &layout,
                 const layout::StorageLayout &storage, bool dynamicStride)
      : layout(layout), storage(storage), dynamicStride(dynamicStride),
        registers(layout.bases("register")) {}

  layout::LinearLayout layout;
  layout::StorageLayout storage;
  bool dynamicStride, swizzled = false;
  /// Bits inside a storage tile that lanes and warps set.
  int64_t threadBits = 0;
  std::vector<layout::Basis> registers;
};

/// Emits the run-time side.
class AddressBuilder {
public:
  /// For the threads that run `op`, at its location.
  AddressBuilder(mlir::OpBuilder &builder, mlir::Operation *op,
                 const KernelContext &context)
      : AddressBuilder(builder, op->getLoc(), context.threadsAt(op)) {}
  AddressBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                 const Threads &threads)
      : builder(builder), loc(loc), threads(threads) {}

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  /// i32 or index to i64, signed.
  mlir::Value extend(mlir::Value value);
  /// index to i32.
  mlir::Value toI32(mlir::Value index);

  /// The warp number that `layout` counts: within the part or the block.
  mlir::Value warpFor(const layout::LinearLayout &layout);

  /// Sum over the set bits of lane, warp and block of `weight(basis)`; i32.
  mlir::Value
  sumOverThread(const layout::LinearLayout &layout,
                llvm::function_ref<int64_t(const layout::Basis &)> weight);
  /// The same with XOR in place of the sum.
  mlir::Value
  xorOverThread(const layout::LinearLayout &layout,
                llvm::function_ref<int64_t(const layout::Basis &)> weight);

  /// Bytes, i64, from the first element of a matrix to its tile at (row,
  /// column), both index and multiples of the storage tile.
  mlir::Value tileStart(const layout::StorageLayout &storage,
                        const GlobalMatrix &matrix, unsigned bits,
                        mlir::Value row, mlir::Value column);
  /// Byte address, without registers, of a thread's part of the tile of a
  /// matrix that begins at (row, column), both index: !llvm.ptr<1>.
  mlir::Value globalAddress(const TileAddressing &tile,
                            const GlobalMatrix &matrix, unsigned bits,
                            mlir::Value row, mlir::Value column);
  /// The address of register position `position` from there.
  mlir::Value advance(mlir::Value pointer, Position position, unsigned bits,
                      mlir::Value stride);
  /// Bytes, i32, that lane and warp add in storage without dynamic stride.
  mlir::Value threadBytes(const TileAddressing &tile, unsigned bits);
  /// `pointer` + `bytes` (i32 or i64 value, or a constant).
  mlir::Value offset(mlir::Value pointer, mlir::Value bytes);
  mlir::Value offset(mlir::Value pointer, int64_t bytes);

  /// Whether rows of `type` may lie beyond its end.
  static bool hasBound(const TileAddressing &tile, mlir::tile::GlobalType type,
                       const GlobalMatrix &matrix);
  /// Whether row `row` + (thread) + `extra` exists; null when all rows do.
  mlir::Value rowExists(const TileAddressing &tile, mlir::tile::GlobalType type,
                        const GlobalMatrix &matrix, mlir::Value row,
                        int64_t extra);
  /// Columns of `type` from the one of a thread in the tile at `column` on; i32,
  /// not positive beyond the last one.
  mlir::Value columnsLeft(const TileAddressing &tile,
                          mlir::tile::GlobalType type, mlir::Value column);
  /// Whether this thread is the first of those that hold copies; null when
  /// there are no copies.
  mlir::Value isFirstHolder(const layout::LinearLayout &layout);
  /// a < b, a > b of signed i32 values.
  mlir::Value isLess(mlir::Value a, mlir::Value b);
  mlir::Value isGreater(mlir::Value a, int64_t b);
  /// Conjunction of i1 values that may be null.
  mlir::Value both(mlir::Value a, mlir::Value b);

private:
  mlir::Value
  overThread(const layout::LinearLayout &layout,
             llvm::function_ref<int64_t(const layout::Basis &)> weight,
             bool isXor);
  /// Bytes, i64, that lane, warp and block add in a matrix without dynamic
  /// stride.
  mlir::Value globalThreadBytes(const TileAddressing &tile, unsigned bits);
  /// Bytes, i64, from one row of storage tiles to the next.
  mlir::Value rowBytes(const layout::StorageLayout &storage,
                       const GlobalMatrix &matrix, unsigned bits);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const Threads &threads;
};

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TILETONVVM_ADDRESSING_H
