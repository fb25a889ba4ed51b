//===- Draw.cpp - pictures of layouts -------------------------------------===//
//
// A picture is made in two steps: the grid of cells with their labels, then its
// rendering as text or SVG.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/Draw.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <stdexcept>

using namespace wna16::layout;

namespace {

struct Cell {
  std::string label = ".";
  uint32_t outermost = 0;
  bool owned = false;
};

/// The matrix cut into cells of spanRows x spanColumns elements.
struct OwnerGrid {
  uint32_t rows = 1, columns = 1, spanRows = 1, spanColumns = 1;
  /// Columns of cells to draw.
  uint32_t drawnColumns = 1;
  std::vector<Cell> cells;
  std::string legend;
  uint32_t outermostSize = 1;

  uint32_t gridRows() const { return rows / spanRows; }
  uint32_t gridColumns() const { return columns / spanColumns; }
  const Cell &at(uint32_t row, uint32_t column) const {
    return cells[row * gridColumns() + column];
  }
};

/// "4-7" for a span of 4 from 4, "4" for a span of 1.
std::string range(uint32_t first, uint32_t span) {
  std::string text = std::to_string(first);
  return span == 1 ? text : text + "-" + std::to_string(first + span - 1);
}

void checkDrawable(const LinearLayout &layout) {
  size_t dims = layout.outs().size();
  if (dims < 1 || dims > 2)
    throw std::invalid_argument("cannot draw a layout with " +
                                std::to_string(dims) +
                                " output dimensions, expected one or two");
  if (layout.totalInBits() > 16 || layout.totalOutBits() > 16)
    throw std::invalid_argument(
        "cannot draw a layout of 2^" + std::to_string(layout.totalInBits()) +
        " inputs and 2^" + std::to_string(layout.totalOutBits()) +
        " elements, at most 2^16 are possible; draw a smaller part of it");
}

/// Number of lowest bits of the first input that count along `dim`.
unsigned contiguousBits(const LinearLayout &layout, size_t dim) {
  if (layout.ins().empty())
    return 0;
  const std::vector<Basis> &bases = layout.ins()[0].bases;
  unsigned bits = 0;
  Basis expected(layout.outs().size(), 0);
  for (; bits < bases.size(); ++bits) {
    expected[dim] = 1u << bits;
    if (bases[bits] != expected)
      break;
  }
  return bits;
}

OwnerGrid makeGrid(const LinearLayout &layout, const DrawOptions &options) {
  checkDrawable(layout);
  OwnerGrid grid;
  size_t columnDim = layout.outs().size() - 1;
  if (columnDim == 1)
    grid.rows = layout.outs()[0].size();
  grid.columns = layout.outs()[columnDim].size();
  if (unsigned bits = contiguousBits(layout, columnDim))
    grid.spanColumns = 1u << bits;
  else if (columnDim == 1)
    grid.spanRows = 1u << contiguousBits(layout, 0);
  grid.drawnColumns = grid.gridColumns();
  if (options.firstColumns)
    grid.drawnColumns = std::min(
        grid.drawnColumns, (options.firstColumns - 1) / grid.spanColumns + 1);
  uint32_t span = grid.spanRows * grid.spanColumns;
  grid.cells.resize(grid.gridRows() * grid.gridColumns());

  // Dimensions of one value say nothing; the others, outermost first.
  std::vector<size_t> shown;
  std::string names, sizes;
  for (size_t i = layout.ins().size(); i-- > 0;) {
    const InDim &in = layout.ins()[i];
    if (in.bases.empty())
      continue;
    names += (shown.empty() ? "" : ":") + in.name;
    sizes += (shown.empty() ? "" : " x ") +
             std::to_string(size_t(1) << in.bases.size());
    shown.push_back(i);
  }
  if (!shown.empty())
    grid.outermostSize = 1u << layout.ins()[shown[0]].bases.size();

  // From the last input to the first, so that the lowest owner stays.
  for (uint32_t flat = 1u << layout.totalInBits(); flat-- > 0;) {
    std::vector<uint32_t> index;
    uint32_t rest = flat;
    for (const InDim &in : layout.ins()) {
      index.push_back(rest & ((1u << in.bases.size()) - 1));
      rest >>= in.bases.size();
    }
    if (!index.empty() && index[0] % span != 0)
      continue;
    std::vector<uint32_t> coords = layout.apply(index);
    uint32_t row = columnDim == 1 ? coords[0] : 0, column = coords[columnDim];
    Cell &cell = grid.cells[row / grid.spanRows * grid.gridColumns() +
                            column / grid.spanColumns];
    cell.owned = true;
    cell.label.clear();
    for (size_t i : shown)
      cell.label +=
          (i == shown[0] ? "" : ":") + range(index[i], i == 0 ? span : 1);
    cell.outermost = shown.empty() ? 0 : index[shown[0]];
  }

  grid.legend =
      options.rows + " x " + options.columns + " = " +
      std::to_string(grid.rows) + " x " + std::to_string(grid.columns) +
      ", cell = " + (names.empty() ? "owner" : names + " (" + sizes + ")");
  if (grid.drawnColumns < grid.gridColumns())
    grid.legend += ", the first " +
                   std::to_string(grid.drawnColumns * grid.spanColumns) +
                   " columns";
  unsigned rank = layout.rank();
  if (rank < layout.totalInBits())
    grid.legend += ", the lowest of " +
                   std::to_string(1u << (layout.totalInBits() - rank)) +
                   " owners of each element";
  if (rank < layout.totalOutBits())
    grid.legend += ", . = no owner";
  return grid;
}

std::string padLeft(const std::string &text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string escapeXml(const std::string &text) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '&':
      result += "&amp;";
      break;
    default:
      result += c;
    }
  return result;
}

} // namespace

std::string wna16::layout::drawOwners(const LinearLayout &layout,
                                      const DrawOptions &options) {
  OwnerGrid grid = makeGrid(layout, options);
  std::string corner = options.rows + "\\" + options.columns;
  size_t labelWidth = corner.size(), cellWidth = 1;
  for (uint32_t row = 0; row < grid.gridRows(); ++row)
    labelWidth =
        std::max(labelWidth, range(row * grid.spanRows, grid.spanRows).size());
  for (uint32_t column = 0; column < grid.drawnColumns; ++column)
    cellWidth = std::max(
        cellWidth, range(column * grid.spanColumns, grid.spanColumns).size());
  for (const Cell &cell : grid.cells)
    cellWidth = std::max(cellWidth, cell.label.size());

  // As many columns as fit, rounded down to a power of two.
  size_t available = options.width > labelWidth + 2
                         ? (options.width - labelWidth - 2) / (cellWidth + 1)
                         : 0;
  uint32_t perPanel = std::min<size_t>(
      grid.drawnColumns, std::bit_floor(std::max<size_t>(available, 1)));

  std::string text = grid.legend + "\n";
  for (uint32_t first = 0; first < grid.drawnColumns; first += perPanel) {
    uint32_t last = std::min(first + perPanel, grid.drawnColumns);
    text += "\n" + padLeft(corner, labelWidth) + " |";
    for (uint32_t column = first; column < last; ++column)
      text += " " + padLeft(range(column * grid.spanColumns, grid.spanColumns),
                            cellWidth);
    text += "\n" + std::string(labelWidth + 1, '-') + "+" +
            std::string((last - first) * (cellWidth + 1), '-') + "\n";
    for (uint32_t row = 0; row < grid.gridRows(); ++row) {
      text +=
          padLeft(range(row * grid.spanRows, grid.spanRows), labelWidth) + " |";
      for (uint32_t column = first; column < last; ++column)
        text += " " + padLeft(grid.at(row, column).label, cellWidth);
      text += "\n";
    }
  }
  return text;
}

std::string wna16::layout::drawOwnersSvg(const LinearLayout &layout,
                                         const DrawOptions &options) {
  OwnerGrid grid = makeGrid(layout, options);
  constexpr size_t charWidth = 7, height = 18, margin = 8;
  size_t longest = 1, labelChars = options.rows.size();
  for (const Cell &cell : grid.cells)
    longest = std::max(longest, cell.label.size());
  for (uint32_t column = 0; column < grid.drawnColumns; ++column)
    longest = std::max(
        longest, range(column * grid.spanColumns, grid.spanColumns).size());
  for (uint32_t row = 0; row < grid.gridRows(); ++row)
    labelChars =
        std::max(labelChars, range(row * grid.spanRows, grid.spanRows).size());
  size_t cellWidth = longest * charWidth + 6;
  size_t left = margin + labelChars * charWidth + 6, top = margin + 2 * height;
  size_t total = std::max(left + grid.drawnColumns * cellWidth,
                          2 * margin + grid.legend.size() * charWidth) +
                 margin;
  size_t totalHeight = top + grid.gridRows() * height + margin;

  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
      std::to_string(total) + "\" height=\"" + std::to_string(totalHeight) +
      "\" font-family=\"monospace\" font-size=\"11\" text-anchor=\"middle\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  auto label = [&](size_t x, size_t y, const std::string &text,
                   const char *more = "") {
    svg += "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
           "\"" + more + ">" + escapeXml(text) + "</text>\n";
  };
  label(margin, margin + 12, grid.legend, " text-anchor=\"start\"");
  for (uint32_t column = 0; column < grid.drawnColumns; ++column)
    label(left + column * cellWidth + cellWidth / 2, top - 5,
          range(column * grid.spanColumns, grid.spanColumns), " fill=\"#666\"");
  for (uint32_t row = 0; row < grid.gridRows(); ++row) {
    size_t y = top + row * height;
    label(left - 6, y + 13, range(row * grid.spanRows, grid.spanRows),
          " text-anchor=\"end\" fill=\"#666\"");
    for (uint32_t column = 0; column < grid.drawnColumns; ++column) {
      const Cell &cell = grid.at(row, column);
      size_t x = left + column * cellWidth;
      std::string colour =
          cell.owned ? "hsl(" +
                           std::to_string(360 * uint64_t(cell.outermost) /
                                          grid.outermostSize) +
                           ",70%,82%)"
                     : "white";
      svg += "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
             "\" width=\"" + std::to_string(cellWidth) + "\" height=\"" +
             std::to_string(height) + "\" fill=\"" + colour +
             "\" stroke=\"#999\" stroke-width=\"0.5\"/>\n";
      label(x + cellWidth / 2, y + 13, cell.label);
    }
  }
  return svg + "</svg>\n";
}
