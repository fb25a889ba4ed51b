//===- Padding.h - room between rows in shared memory ---------------------===//
//
// Rows of tiles whose length is a multiple of 128 bytes begin in the same bank;
// a little more room brings neighbouring rows into different ones. Used where
// buffers are made and where a schedule estimates their size.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_PADDING_H
#define WNA16_LIB_LAYOUT_PADDING_H

#include <cstdint>

namespace wna16::layout {

/// After a row of activations: eight rows of one 16-byte chunk then lie in
/// different banks.
inline constexpr int64_t rowPaddingBytes = 16;

/// After a row of fp32 shares of a sum, in numbers.
inline constexpr int64_t sharePadding = 4;

} // namespace wna16::layout

#endif // WNA16_LIB_LAYOUT_PADDING_H
