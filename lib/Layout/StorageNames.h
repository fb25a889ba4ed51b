//===- StorageNames.h - storage layouts by name ---------------------------===//
//
// The only list of the names under which storage layouts are known to the
// tools, the launch record, the C ABI and Python.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_STORAGENAMES_H
#define WNA16_LIB_LAYOUT_STORAGENAMES_H

#include "lib/Layout/StorageLayout.h"

#include <optional>

namespace wna16::layout {

/// All names, in the order in which they are listed to people.
const std::vector<std::string> &storageLayoutNames();

/// The storage called `name` of a d0 x d1 matrix ((K, N) for weights, (groups,
/// N) for scales); nothing when there is no such name. `bits` is the width of a
/// weight code and ignored by layouts that are not of weights. Throws
/// std::invalid_argument when the layout does not allow this shape or width.
std::optional<StorageLayout> storageLayoutByName(const std::string &name,
                                                 int64_t d0, int64_t d1,
                                                 unsigned bits);

} // namespace wna16::layout

#endif // WNA16_LIB_LAYOUT_STORAGENAMES_H
