//===- InlinePtxWgmma.h - asynchronous products in inline PTX -------------===//
//
// MLIR has no op for wgmma with an operand in registers. There is one text for
// each width, type and kind of sum, so this table is made by a program; its
// rows are as those of InlinePtx.h.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_INLINEPTXWGMMA_H
#define WNA16_LIB_CONVERSION_TILETONVVM_INLINEPTXWGMMA_H

#include "lib/Conversion/TileToNVVM/InlinePtx.h"

namespace wna16::ptx {

/// All rows: sums and first products of f16 and bf16 with 8 to 256 columns.
llvm::ArrayRef<InlinePtxInfo> allWgmmaInstructions();

/// The row that `op` was built from, `holdRegisters` included.
std::optional<InlinePtxInfo> classifyWgmma(mlir::LLVM::InlineAsmOp op);

/// D = A * B (+ D) of 64 x `columns` x 16: `sums` are the columns / 2 f32 of a
/// thread; without them the product is not added to anything. `a` are four
/// registers of pairs, `b` the descriptor (i64) of B in shared memory.
llvm::SmallVector<mlir::Value> multiplyAsync(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             unsigned columns, bool isBf16,
                                             mlir::ValueRange a, mlir::Value b,
                                             mlir::ValueRange sums);

/// The same values of one 32-bit type, from here on: what uses the results
/// stays behind everything that is ordered and came before. Place it after a
/// wait for products whose registers these are.
llvm::SmallVector<mlir::Value> holdRegisters(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::ValueRange values);

} // namespace wna16::ptx

#endif // WNA16_LIB_CONVERSION_TILETONVVM_INLINEPTXWGMMA_H
