//===- Gallery.h - layouts to look at, by name ----------------------------===//
//
// Everything that wna16-layout can show: the storage layouts at a given small
// shape, and the operands of instructions. Storage offsets are split into what
// a reader wants to see (lane, word, code, ...).
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_GALLERY_H
#define WNA16_LIB_LAYOUT_GALLERY_H

#include "lib/Layout/Draw.h"
#include "lib/Layout/StorageLayout.h"

namespace wna16::layout {

/// A layout with what to write beside its picture.
struct Exhibit {
  std::string name, description;
  LinearLayout layout;
  DrawOptions options;
};

/// Shape of a storage layout; 0 takes the default of the exhibit.
struct ExhibitShape {
  int64_t rows = 0, columns = 0;
  unsigned bits = 4;
};

/// The whole storage as one map from "offset" to {"dim0", "dim1"}. Possible
/// when extents and strides are powers of two and nothing is padded; throws
/// std::invalid_argument otherwise.
LinearLayout linearize(const StorageLayout &storage);

/// One line for each exhibit: name and description.
std::string listExhibits();

/// Finds an exhibit, '-' and '_' being the same. Throws std::invalid_argument
/// for an unknown name or a shape that the layout does not have.
Exhibit makeExhibit(const std::string &name, const ExhibitShape &shape = {});

} // namespace wna16::layout

#endif // WNA16_LIB_LAYOUT_GALLERY_H
