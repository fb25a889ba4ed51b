//===- PartialWords.h - codes of which a thread wants a part of a word ----===//
//
// A word may hold codes of several warps: zero points always do, and narrow
// weights where a warp has 16 columns. Which of them are its own only the
// thread knows: it loads words, and shifts its first code down.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_PARTIALWORDS_H
#define WNA16_LIB_CONVERSION_TILETONVVM_PARTIALWORDS_H

#include "lib/Conversion/TileToNVVM/Addressing.h"

namespace wna16 {

/// The code type of stored zero points that become numbers of `result`; null
/// when elements are loaded as they are stored.
mlir::wna16::CodeType zeroPointsOf(mlir::Type stored,
                                   mlir::tile::ValType result);

/// Whether lanes or warps choose between codes of a word.
bool threadsShareWords(const TileAddressing &tile, unsigned width);

/// Bytes, i32, from the tile to the first word of a thread.
mlir::Value threadWordBytes(AddressBuilder &address, const TileAddressing &tile,
                            unsigned width);

/// Bits, i32, in front of the first code of a thread in its words.
mlir::Value threadShift(AddressBuilder &address, const TileAddressing &tile,
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

#endif // WNA16_LIB_CONVERSION_TILETONVVM_PARTIALWORDS_H
