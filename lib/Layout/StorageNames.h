//===- StorageNames.h - storage by name -----------------------------------===//
//
// The only list of the names under which ways of storing a matrix are known to
// the dialect, the tools, the launch record, the C ABI and Python.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_STORAGENAMES_H
#define WNA16_LIB_LAYOUT_STORAGENAMES_H

#include "lib/Layout/PackedStorage.h"

#include <optional>

namespace wna16::layout {

/// All names, in the order in which they are listed to people.
const std::vector<std::string> &storageNames();

/// The storage called `name` of a d0 x d1 matrix ((K, N) for weights, (groups,
/// N) for scales and zero points); nothing when there is no such name. `bits`
/// is the width of an element, 16 for scales. Throws std::invalid_argument when
/// the storage does not allow this shape or width.
std::optional<PackedStorage> storageByName(const std::string &name, int64_t d0,
                                           int64_t d1, unsigned bits);

/// The same where elements are whole in one layout; throws
/// std::invalid_argument for planes and streams.
std::optional<StorageLayout> storageLayoutByName(const std::string &name,
                                                 int64_t d0, int64_t d1,
                                                 unsigned bits);

} // namespace wna16::layout

#endif // WNA16_LIB_LAYOUT_STORAGENAMES_H
