//===- Packer.h - from any storage to any other ---------------------------===//
//
// Repacks weight codes, zero points and scales between two ways of storing the
// same matrix. What goes where is read off the storage objects; there is no
// code per format.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_PACKER_H
#define WNA16_LIB_LAYOUT_PACKER_H

#include "lib/Layout/PackedStorage.h"

namespace wna16::layout {

/// Copies a matrix of `shape` from `src`, stored as `from`, to `dst`, stored as
/// `to`. Both storages may be larger than the matrix: what `from` has beyond it
/// is not read, elements of `to` beyond it become 0. Elements may become wider;
/// where they become narrower, a value that does not fit is an error, and `dst`
/// is unspecified. Bits of `dst` that belong to no element may become 0.
/// The buffers hold words() words and must not overlap. At most `threads`
/// threads work, 0 meaning one per core. Safe to call from several threads at
/// once; throws std::invalid_argument on arguments that do not fit.
void repack(const PackedStorage &from, const uint32_t *src,
            const PackedStorage &to, uint32_t *dst,
            std::array<int64_t, 2> shape, unsigned threads = 0);

} // namespace wna16::layout

#endif // WNA16_LIB_LAYOUT_PACKER_H
