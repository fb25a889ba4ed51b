//===- ZeroPoints.h - stored zero points as numbers -----------------------===//
//
// Zero points are codes, eight of 4 bits or four of 8 in a word. A thread wants
// those of its columns, which may be a part of a word that only its warp knows:
// it loads words, and shifts its first code down.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_ZEROPOINTS_H
#define WNA16_LIB_CONVERSION_TILETONVVM_ZEROPOINTS_H

#include "lib/Conversion/TileToNVVM/Addressing.h"

namespace wna16 {

/// The code type of stored zero points that become numbers of `result`; null
/// when elements are loaded as they are stored.
mlir::wna16::CodeType zeroPointsOf(mlir::Type stored,
                                   mlir::tile::ValType result);

/// Bytes, i32, from the tile to the first word of a thread.
mlir::Value threadWordBytes(AddressBuilder &address, const TileAddressing &tile,
                            unsigned width);

/// The registers of `type`, f16 or bf16, for a thread's codes of `width` bits at
/// `tile` and the constant `offsets` in it. `loadWord` loads the word that lies
/// that many bytes after the thread's first.
llvm::SmallVector<mlir::Value>
zeroNumbers(mlir::OpBuilder &builder, mlir::Location loc,
            AddressBuilder &address, const TileAddressing &tile,
            mlir::tile::ValType type, unsigned width,
            std::array<int64_t, 2> offsets,
            llvm::function_ref<mlir::Value(int64_t)> loadWord);

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_TILETONVVM_ZEROPOINTS_H
