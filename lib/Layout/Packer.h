//===- Packer.h - from any storage layout to any other --------------------===//
//
// Repacks weight codes and 16-bit elements between two storage layouts of the
// same matrix. What goes where is read off the layout objects; there is no code
// per format. All functions are safe to call from several threads at once and
// throw std::invalid_argument on arguments that do not fit.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_PACKER_H
#define WNA16_LIB_LAYOUT_PACKER_H

#include "lib/Layout/StorageLayout.h"
#include "lib/Layout/StorageNames.h"

namespace wna16::layout {

/// Number of 32-bit words that hold the storage of `bits`-wide codes.
int64_t storageWords(const StorageLayout &layout, unsigned bits);

/// Copies the codes of a matrix stored as `from` at `src` to `dst`, stored as
/// `to`. Codes are 1, 2, 4 or 8 bits wide, the lowest code of a word in its
/// lowest bits. Both layouts must have the same static shape and be made of
/// whole words (a row-major matrix of 4-bit codes: a multiple of 8 columns).
/// The buffers hold storageWords() words and must not overlap; words that `to`
/// does not use (padding of a pitch) are left alone.
/// At most `threads` threads work, 0 meaning one per core.
void repackCodes(const StorageLayout &from, const uint32_t *src,
                 const StorageLayout &to, uint32_t *dst, unsigned bits,
                 unsigned threads = 0);

/// The same for matrices of 16-bit elements (scales); the buffers hold span()
/// elements.
void repackElements16(const StorageLayout &from, const uint16_t *src,
                      const StorageLayout &to, uint16_t *dst,
                      unsigned threads = 0);

} // namespace wna16::layout

#endif // WNA16_LIB_LAYOUT_PACKER_H
