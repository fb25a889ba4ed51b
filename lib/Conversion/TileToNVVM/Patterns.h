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

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/DenseMap.h"

namespace wna16 {

/// A matrix in global memory.
struct GlobalMatrix {
  /// !llvm.ptr<1>
  mlir::Value pointer;
  /// i32; null when the number of rows is static.
  mlir::Value rows;
  /// Distance of rows in elements, i32; null when it is static.
  mlir::Value stride;
};

/// The warps that run an op together: all of the block, or those of a role.
struct Threads {
  int64_t warps = 1, parts = 1;
  /// i32 each: lane, warp within its part, warp within the group, part.
  mlir::Value lane, partWarp, warp, part;
};

/// Values at the entry of a kernel, and what its arguments are.
struct KernelContext {
  Threads block;
  /// !llvm.ptr<3>, first byte of dynamic shared memory.
  mlir::Value shared;
  /// Keyed by the !tile.global value that ops use.
  llvm::DenseMap<mlir::Value, GlobalMatrix> globals;

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

/// The type of the 32-bit registers that hold a value.
mlir::Type getRegisterType(mlir::tile::ValType type);

void populateCopyPatterns(mlir::RewritePatternSet &patterns,
                          const mlir::TypeConverter &converter,
                          const KernelContext &context);
void populateLoadStorePatterns(mlir::RewritePatternSet &patterns,
                               const mlir::TypeConverter &converter,
                               const KernelContext &context);
void populateComputePatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter);
void populateDequantPatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter);
void populateBarrierPatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter,
                             const KernelContext &context);
void populateCombinePatterns(mlir::RewritePatternSet &patterns,
                             const mlir::TypeConverter &converter,
                             const KernelContext &context);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TILETONVVM_PATTERNS_H
