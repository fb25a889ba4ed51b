//===- OriginChecker.cpp - where tiles come from and go to ----------------===//

#include "lib/Analysis/OriginChecker.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

void OriginChecker::beginAgent() {
  products = ended = 0;
  continued.clear();
  storedElements = tileNumber = 0;
}

LogicalResult OriginChecker::endTile() {
  LogicalResult stored = checkStored();
  storedElements = 0;
  ++tileNumber;
  return stored;
}

LogicalResult OriginChecker::visitTiles(Operation *op) {
  if (failed(checkInFlight(op)))
    return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<LoadOp, LoadScalesOp, DequantOp, SliceOp, MmaOp, MmaWaitOp,
            ScaleAccOp, CombineOp, CombineByTicketOp, StoreOp>(
          [&](auto concrete) { return visitOp(concrete); })
      .Case([&](ConvertOp convert) {
        origin(convert.getResult()) = TileOrigin(origin(convert.getSource()));
        return success();
      })
      .Case([&](CastOp cast) {
        origin(cast.getResult()) = TileOrigin(origin(cast.getSource()));
        return checkWhole(cast, origin(cast.getSource()));
      })
      .Default([](Operation *) { return success(); });
}

LogicalResult OriginChecker::checkCombined() {
  for (auto &[op, sum] : combined)
    if (failed(checkWhole(op.first, sum)))
      return failure();
  return success();
}

TileOrigin OriginChecker::partOf(const TileOrigin &whole,
                                 ArrayRef<int64_t> offsets,
                                 ArrayRef<int64_t> shape) {
  TileOrigin result = whole;
  if (whole.group != wholeColumn) {
    // A row of scales stands for a group of rows.
    int64_t rows = whole.group ? whole.group : 1;
    result.rows.begin += offsets[0] * rows;
    result.rows.end = result.rows.begin + shape[0] * rows;
  }
  result.columns.begin += offsets[1];
  result.columns.end = result.columns.begin + shape[1];
  return result;
}

LogicalResult OriginChecker::checkInside(Operation *op, GlobalType matrix,
                                         int64_t row, int64_t column,
                                         ArrayRef<int64_t> shape,
                                         bool allColumns) {
  auto tile = getStorageLayout(matrix).tileShape();
  // Row-major storage is read and written 16 bytes at a time.
  if (!matrix.getLayout())
    tile[1] = std::min<int64_t>(shape[1],
                                128 / getElementBits(matrix.getElementType()));
  if (row % tile[0] || column % tile[1])
    return op->emitOpError("begins at row ")
           << row << ", column " << column << " inside of a storage tile of "
           << tile[0] << "x" << tile[1] << " [BOUND-V2]";
  int64_t rows = matrix.getShape()[0], columns = matrix.getShape()[1];
  // Where whole tiles fill the rows, nothing is checked at run time. Columns of
  // packed storage never are.
  int64_t lastRow = rows % shape[0] == 0 ? row + shape[0] - 1 : row;
  bool fits = (!matrix.getLayout() && !allColumns) ||
              column + shape[1] <= columns;
  if (row >= 0 && column >= 0 && fits &&
      (ShapedType::isDynamic(rows) || lastRow < rows))
    return success();
  InFlightDiagnostic diag = op->emitOpError("reaches row ")
                            << lastRow << ", columns " << column << " to "
                            << column + shape[1] - 1 << " of a matrix of ";
  if (!ShapedType::isDynamic(rows))
    diag << rows << " rows and ";
  return diag << columns << " columns [BOUND-V1]";
}

LogicalResult OriginChecker::loadTile(Operation *op, GlobalType matrix,
                                      int64_t row, int64_t column,
                                      ArrayRef<int64_t> shape,
                                      TileOrigin &result) {
  result.rows = {row, row + shape[0]};
  result.columns = {column, column + shape[1]};
  result.extentK = matrix.getShape()[0];
  result.extentColumns = matrix.getShape()[1];
  return checkInside(op, matrix, row, column, shape);
}

LogicalResult OriginChecker::loadScales(Operation *op, GlobalType matrix,
                                        int64_t k, int64_t n, int64_t group,
                                        ArrayRef<int64_t> shape,
                                        TileOrigin &result) {
  int64_t row = group == -1 ? 0 : k / group;
  if (shape[0] > 1 && k % group)
    return op->emitOpError("begins at row ")
           << k << " of K, inside of a group of " << group
           << "; several rows of scales are for whole groups [ORD4]";
  result.group = group == -1 ? wholeColumn : group;
  result.rows = group == -1
                    ? Interval{0, wholeColumn}
                    : Interval{row * group, (row + shape[0]) * group};
  result.columns = {n, n + shape[1]};
  return checkInside(op, matrix, row, n, shape, /*allColumns=*/true);
}

LogicalResult OriginChecker::visitOp(LoadOp op) {
  return loadTile(op, op.getSource().getType(), number(op.getRow()),
                  number(op.getColumn()), op.getType().getShape(),
                  origin(op.getResult()));
}

LogicalResult OriginChecker::visitOp(LoadScalesOp op) {
  return loadScales(op, op.getSource().getType(), number(op.getK()),
                    number(op.getN()), op.getGroup(), op.getType().getShape(),
                    origin(op.getResult()));
}

LogicalResult OriginChecker::visitOp(SliceOp op) {
  origin(op.getResult()) = partOf(TileOrigin(origin(op.getSource())),
                                  op.getOffsets(), op.getType().getShape());
  return success();
}

LogicalResult OriginChecker::checkScales(Operation *op, Interval k, Interval n,
                                         const TileOrigin &scales,
                                         StringRef what) {
  if (!scales.rows.contains(k) || scales.columns != n)
    return op->emitOpError("part ")
           << part << ": the weights are rows " << k.begin << " to "
           << k.end - 1 << ", columns " << n.begin << " to " << n.end - 1
           << ", but their " << what << " are for rows " << scales.rows.begin << " to "
           << scales.rows.end - 1 << ", columns " << scales.columns.begin
           << " to " << scales.columns.end - 1 << " [ORD4]";
  return success();
}

LogicalResult OriginChecker::visitOp(DequantOp op) {
  TileOrigin codes = origin(op.getCodes().front());
  origin(op.getResult()) = codes;
  for (Value plane : op.getCodes())
    if (origin(plane).rows != codes.rows ||
        origin(plane).columns != codes.columns)
      return op.emitOpError("part ")
             << part << ": its planes are of other codes, rows "
             << codes.rows.begin << " and " << origin(plane).rows.begin
             << ", columns " << codes.columns.begin << " and "
             << origin(plane).columns.begin << " [DEQUANT-V1]";
  int64_t rows = op.getRowsPerGroup();
  for (auto [scales, what] : {std::pair(op.getZeros(), "zero points"),
                              std::pair(op.getScales(), "scales")}) {
    if (!scales)
      continue;
    int64_t groups = codes.rows.size() / rows;
    for (int64_t group = 0; group < groups; ++group) {
      int64_t first = codes.rows.begin + group * rows;
      TileOrigin row = origin(scales);
      if (groups > 1)
        row = partOf(row, {group, 0}, {1, codes.columns.size()});
      if (failed(checkScales(op, {first, first + rows}, codes.columns, row,
                             what)))
        return failure();
    }
  }
  return success();
}

LogicalResult OriginChecker::checkInFlight(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (!isa<ValType>(operand.getType()))
      continue;
    int64_t product = origin(operand).product;
    if (product <= ended || isa<MmaWaitOp>(op))
      continue;
    if (!isa<MmaAsyncOp>(op))
      return op->emitOpError("uses a sum that a product still adds to: "
                             "tile.mma_wait comes first [ASYNC-V1]");
    if (!continued.insert(product).second)
      return op->emitOpError("adds to a sum in flight that another product "
                             "has added to already [ASYNC-V2]");
  }
  return success();
}

LogicalResult OriginChecker::visitOp(MmaOp op) {
  return addProduct(op, origin(op.getA()), origin(op.getB()), op.getAcc(),
                    op.getResult());
}

LogicalResult OriginChecker::visitOp(MmaWaitOp op) {
  ended = std::max<int64_t>(ended, products - int64_t(op.getPending()));
  origin(op.getResult()) = TileOrigin(origin(op.getAcc()));
  return success();
}

LogicalResult OriginChecker::addProduct(Operation *op, TileOrigin weights,
                                        TileOrigin acts, Value acc,
                                        Value result) {
  if (!(weights.rows == acts.columns))
    return op->emitOpError("part ")
           << part << ": multiplies rows " << weights.rows.begin << " to "
           << weights.rows.end - 1 << " of the weights by columns "
           << acts.columns.begin << " to " << acts.columns.end - 1
           << " of the activations [MMA-V1]";
  TileOrigin sum = origin(acc);
  if (!sum.summed.empty() &&
      (sum.columns != weights.columns || sum.rows != acts.rows))
    return op->emitOpError("part ")
           << part << ": adds rows " << acts.rows.begin << " to "
           << acts.rows.end - 1 << ", columns " << weights.columns.begin
           << " to " << weights.columns.end - 1
           << " to a sum of other outputs [MMA-V2]";
  sum.isProduct = true;
  // Weights may be padded.
  sum.extentK = std::min(weights.extentK, acts.extentColumns);
  sum.rows = acts.rows;
  sum.columns = weights.columns;
  sum.summed.push_back(weights.rows);
  origin(result) = std::move(sum);
  return success();
}

LogicalResult OriginChecker::visitOp(ScaleAccOp op) {
  TileOrigin part = origin(op.getPart()), sum = origin(op.getAcc());
  for (Interval k : part.summed)
    if (failed(checkScales(op, k, part.columns, origin(op.getScales()),
                           "scales")))
      return failure();
  sum.isProduct = part.isProduct;
  sum.extentK = part.extentK;
  sum.rows = part.rows;
  sum.columns = part.columns;
  sum.summed.insert(sum.summed.end(), part.summed.begin(), part.summed.end());
  origin(op.getResult()) = std::move(sum);
  return success();
}

int64_t OriginChecker::rowsToStore(const TileOrigin &sum) {
  LoadSegmentOp segment = findSegment(work);
  int64_t rows = segment          ? number(segment.getCount())
                 : work.getRows() ? number(work.getRows())
                                  : int64_t(*work.getStaticRows());
  return std::max<int64_t>(std::min(rows, sum.rows.end) - sum.rows.begin, 0);
}

LogicalResult OriginChecker::visitOp(CombineOp op) {
  return addShare(op, op.getSource(), op.getRows(), op.getResult());
}

LogicalResult OriginChecker::visitOp(CombineByTicketOp op) {
  int64_t rows =
      std::min(number(op.getRows()), op.getSource().getType().getShape()[1]);
  int64_t last = number(op.getRow()) + rows - 1;
  int64_t there = op.getShares().getType().getShape()[0];
  if (last >= there)
    return op.emitOpError("writes a share of row ")
           << last << " to a workspace of " << there << " rows [TICKET-V1]";
  return addShare(op, op.getSource(), op.getRows(), op.getResult());
}

LogicalResult OriginChecker::addShare(Operation *op, Value source, Value rows,
                                      Value sum) {
  TileOrigin share = origin(source);
  int64_t counted = std::max<int64_t>(rows ? number(rows) : INT64_MAX, 0);
  if (counted < rowsToStore(share))
    return op->emitOpError("sums ") << counted << " rows of a tile of which "
                                    << rowsToStore(share) << " exist [SUM-V2]";
  // Still a share of the blocks': the sum over them sees each part's rows.
  if (cast<ValType>(sum.getType()).isPartial()) {
    origin(sum) = std::move(share);
    return success();
  }
  TileOrigin &whole = combined[{op, tileNumber}];
  whole.extentK = std::max(whole.extentK, share.extentK);
  whole.summed.insert(whole.summed.end(), share.summed.begin(),
                      share.summed.end());
  // Checked once all parts of all blocks have run.
  TileOrigin result;
  result.isProduct = share.isProduct;
  result.rows = share.rows;
  result.columns = share.columns;
  origin(sum) = result;
  return success();
}

LogicalResult OriginChecker::visitOp(StoreOp op) {
  int64_t row = number(op.getRow()), column = number(op.getColumn());
  auto shape = op.getValue().getType().getShape();
  SmallVector<int64_t> extents(shape);
  if (op.getTransposed())
    std::swap(extents[0], extents[1]);
  if (failed(checkInside(op, op.getDest().getType(), row, column, extents)))
    return failure();
  const TileOrigin &value = origin(op.getValue());
  // A product is stored where its activations' rows and its weights' columns
  // say.
  Interval rows{row, row + extents[0]}, columns{column, column + extents[1]};
  storedElements += extents[0] * extents[1];
  if (value.isProduct && !op.getTransposed())
    return op.emitOpError(
        "stores a product, which is N x M, without transposed [STORE-V2]");
  if (value.isProduct && (value.columns != columns || value.rows != rows))
    return op.emitOpError("stores rows ")
           << value.rows.begin << " to " << value.rows.end - 1 << ", columns "
           << value.columns.begin << " to " << value.columns.end - 1
           << " of the product at rows " << rows.begin << " to " << rows.end - 1
           << ", columns " << columns.begin << " to " << columns.end - 1
           << " [STORE-V1]";
  return checkWhole(op, value);
}

LogicalResult OriginChecker::checkStored() {
  int64_t expected = work.getTile()[0] * work.getTile()[1];
  if (storedElements == 0 || storedElements % expected == 0)
    return success();
  return work.emitOpError("expected stores of the whole tile (")
         << expected << " elements), found " << storedElements << " [STORE-V3]";
}

LogicalResult OriginChecker::checkWhole(Operation *op, const TileOrigin &sum) {
  // What was loaded and not summed has no K to be complete in.
  if (sum.summed.empty())
    return success();
  std::vector<Interval> ranges = sum.summed;
  llvm::sort(ranges, [](Interval a, Interval b) { return a.begin < b.begin; });
  int64_t next = 0;
  for (Interval range : ranges) {
    if (range.begin < next)
      return op->emitOpError("row ")
             << range.begin << " of K is summed twice [SUM-V1]";
    if (range.begin > next)
      return op->emitOpError("row ")
             << next << " of K is never summed [SUM-V1]";
    next = range.end;
  }
  if (next < sum.extentK)
    return op->emitOpError("row ") << next << " of K is never summed [SUM-V1]";
  return success();
}
