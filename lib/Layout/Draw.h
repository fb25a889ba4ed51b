//===- Draw.h - pictures of layouts ---------------------------------------===//
//
// Draws which input index (lane and register, word and code, ...) holds each
// element of a matrix, as text or as SVG.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAYOUT_DRAW_H
#define WNA16_LIB_LAYOUT_DRAW_H

#include "lib/Layout/LinearLayout.h"

namespace wna16::layout {

struct DrawOptions {
  /// What the two output dimensions are called in the picture.
  std::string rows = "dim0", columns = "dim1";
  /// Longest line of a text picture; a wider matrix is drawn as several panels
  /// of columns, one below the other.
  unsigned width = 120;
  /// Draws only this many columns, the first ones; 0 draws all.
  uint32_t firstColumns = 0;
};

/// One cell per element, holding the indices of its owner with the outermost
/// input dimension first, e.g. lane:register. Neighbours along a row (or else
/// along a column) that differ in the lowest bits of the first input dimension
/// only share a cell, e.g. lane:0-1. The layout must have one or two output
/// dimensions and at most 2^16 inputs and elements (throws
/// std::invalid_argument).
std::string drawOwners(const LinearLayout &layout,
                       const DrawOptions &options = {});

/// The same cells as an SVG document, coloured by the outermost input
/// dimension.
std::string drawOwnersSvg(const LinearLayout &layout,
                          const DrawOptions &options = {});

} // namespace wna16::layout

#endif // WNA16_LIB_LAYOUT_DRAW_H
