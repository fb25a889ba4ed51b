//===- TileChecker.cpp - runs the ring protocol of a kernel ---------------===//
//
// One visitor per part of every block follows every ring step through acquire,
// fill, commit, wait, read and release, and every tile from where it was loaded
// to the sum that it ends up in. Labels are those of docs/spec.md.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/TileChecker.h"

#include "lib/Analysis/RingOrder.h"
#include "lib/Analysis/TileTrace.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

/// One step of a ring, from its acquire on.
struct StepState {
  bool committed = false, waited = false, released = false;
  int64_t commitIndex = 0;
  /// The last asynchronous product that reads it; 0: none.
  int64_t product = 0;
  llvm::StringMap<TileOrigin> fields;
};

class Checker : public TileTrace {
public:
  explicit Checker(ForEachWorkOp work) : work(work) {}

  LogicalResult check() {
    // The first and the last tile. Run-time rows have no last one: a row far
    // away shows whatever depends on it and should not.
    int64_t height = work.getTile()[0], width = work.getTile()[1];
    int64_t rows = work.getStaticRows().value_or(farRow);
    int64_t lastRow = (rows - 1) / height * height;
    if (failed(checkTileAt(0, 0)))
      return failure();
    return checkTileAt(lastRow, work.getColumns() - width);
  }

private:
  static constexpr int64_t farRow = 1 << 20;

  LogicalResult checkTileAt(int64_t row, int64_t column) {
    combined.clear();
    for (int64_t block = 0; block < static_cast<int64_t>(work.getBlocks());
         ++block)
      if (failed(checkBlock(block, row, column)))
        return failure();
    for (auto &[op, sum] : combined)
      if (failed(checkWhole(op, sum)))
        return failure();
    return success();
  }

  LogicalResult checkBlock(int64_t block, int64_t row, int64_t column) {
    steps.clear();
    order = RingOrder();
    for (Agent next : agentsOf(work, block)) {
      // Roles meet in the steps of rings.
      if (!next.role)
        steps.clear();
      occupants.clear();
      commits = 0;
      products = ended = 0;
      continued.clear();
      storedElements = 0;
      order.beginAgent();
      if (failed(run(work, next, row, column)) || failed(checkStored()))
        return failure();
    }
    return order.check();
  }

  /// The stores of one tile of work cover it.
  LogicalResult checkStored() {
    int64_t expected = work.getTile()[0] * work.getTile()[1];
    if (storedElements == 0 || storedElements % expected == 0)
      return success();
    return work.emitOpError("expected stores of the whole tile (")
           << expected << " elements), found " << storedElements
           << " [STORE-V3]";
  }

  /// Rows past the end are a matter of the op; columns must exist, and a tile
  /// begin where a tile of the storage does.
  LogicalResult checkInside(Operation *op, GlobalType matrix, int64_t row,
                            int64_t column, ArrayRef<int64_t> shape) {
    auto tile = getStorageLayout(matrix).tileShape();
    // Row-major storage is read and written 16 bytes at a time.
    if (!matrix.getLayout())
      tile[1] = std::min<int64_t>(
          shape[1], 128 / getElementBits(matrix.getElementType()));
    if (row % tile[0] || column % tile[1])
      return op->emitOpError("begins at row ")
             << row << ", column " << column << " inside of a storage tile of "
             << tile[0] << "x" << tile[1] << " [BOUND-V2]";
    int64_t rows = matrix.getShape()[0], columns = matrix.getShape()[1];
    // Where whole tiles fill the rows, nothing is checked at run time.
    int64_t lastRow = rows % shape[0] == 0 ? row + shape[0] - 1 : row;
    if (row >= 0 && column >= 0 && column + shape[1] <= columns &&
        (ShapedType::isDynamic(rows) || lastRow < rows))
      return success();
    InFlightDiagnostic diag = op->emitOpError("reaches row ")
                              << lastRow << ", columns " << column << " to "
                              << column + shape[1] - 1 << " of a matrix of ";
    if (!ShapedType::isDynamic(rows))
      diag << rows << " rows and ";
    return diag << columns << " columns [BOUND-V1]";
  }

  using Step = std::pair<Value, int64_t>;

  LogicalResult visit(Operation *op) override {
    if (failed(checkInFlight(op)))
      return failure();
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<AcquireOp, FillOp, FillScalesOp, CommitOp, WaitOp, ReadOp,
              ReleaseOp, LoadOp, LoadScalesOp, DequantOp, SliceOp, MmaOp,
              MmaAsyncOp, MmaWaitOp, ScaleAccOp, CombineOp, StoreOp>(
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

  //===--------------------------------------------------------------------===//
  // The protocol
  //===--------------------------------------------------------------------===//

  template <typename OpTy> StepState *find(OpTy op) {
    auto found = steps.find(Step(op.getRing(), number(op.getStep())));
    return found == steps.end() ? nullptr : &found->second;
  }

  template <typename OpTy> InFlightDiagnostic error(OpTy op) {
    return op.emitOpError("step ")
           << number(op.getStep()) << " of part " << part << ": ";
  }

  static bool hasBarriers(Value ring) {
    return ring.getDefiningOp<RingOp>().hasBarriers();
  }

  /// A stage belongs to one part of those that read.
  template <typename OpTy> LogicalResult checkPart(OpTy op) {
    int64_t step = number(op.getStep());
    int64_t stages = cast<RingType>(op.getRing().getType()).getStages();
    int64_t parts = getWarpGroup(op).parts;
    if (stages % parts != 0)
      return error(op) << "expected the stages (" << stages
                       << ") to be a multiple of the parts (" << parts
                       << ") [RING-V1]";
    if (step % parts != part)
      return error(op) << "is a step of another part [RING-V1]";
    return success();
  }

  LogicalResult visitOp(AcquireOp op) {
    bool byBarrier = hasBarriers(op.getRing());
    if (!byBarrier && failed(checkPart(op)))
      return failure();
    int64_t step = number(op.getStep());
    if (!steps.insert({Step(op.getRing(), step), StepState()}).second)
      return error(op) << "was acquired before [RING-V2]";
    if (byBarrier) {
      order.record(op, op.getRing(), step);
      return success();
    }
    int64_t stages = cast<RingType>(op.getRing().getType()).getStages();
    auto [occupant, isFirst] =
        occupants.insert({Step(op.getRing(), step % stages), step});
    if (!isFirst && !steps[Step(op.getRing(), occupant->second)].released)
      return error(op) << "its stage still holds step " << occupant->second
                       << ", which was not released [RING-V2]";
    occupant->second = step;
    return success();
  }

  /// The field that a fill writes; null, after an error, outside of acquire and
  /// commit, and null for a predicate that is false.
  template <typename OpTy> FailureOr<TileOrigin *> fieldOf(OpTy op) {
    StepState *state = find(op);
    if (!state || state->committed)
      return error(op)
             << "expected a fill between acquire and commit [RING-V3]";
    if (op.getPredicate() && !number(op.getPredicate()))
      return nullptr;
    return &state->fields[op.getField()];
  }

  LogicalResult visitOp(FillOp op) {
    FailureOr<TileOrigin *> field = fieldOf(op);
    if (failed(field) || !*field)
      return field;
    return loadTile(op, op.getSource().getType(), number(op.getRow()),
                    number(op.getColumn()),
                    op.getFieldInfo().getType().getShape(), **field);
  }

  LogicalResult visitOp(FillScalesOp op) {
    FailureOr<TileOrigin *> field = fieldOf(op);
    if (failed(field) || !*field)
      return field;
    return loadScales(op, op.getSource().getType(), number(op.getK()),
                      number(op.getN()), op.getGroup(),
                      op.getFieldInfo().getType().getShape(), **field);
  }

  LogicalResult visitOp(CommitOp op) {
    StepState *state = find(op);
    if (!state || state->committed)
      return error(op) << "expected one commit after its acquire [RING-V3]";
    state->committed = true;
    state->commitIndex = commits++;
    if (hasBarriers(op.getRing()))
      order.record(op, op.getRing(), number(op.getStep()));
    return success();
  }

  LogicalResult visitOp(WaitOp op) {
    StepState *state = find(op);
    if (!state || !state->committed)
      return error(op) << "is waited for but was never committed [RING-V4]";
    state->waited = true;
    if (hasBarriers(op.getRing())) {
      order.record(op, op.getRing(), number(op.getStep()));
      return checkPart(op);
    }
    int64_t later = commits - state->commitIndex - 1;
    if (op.getPending() && static_cast<int64_t>(*op.getPending()) > later)
      return error(op)
             << "its wait lets " << *op.getPending()
             << " commits be under way, but only " << later
             << " came after it, so the data may be missing [RING-V5]";
    return success();
  }

  LogicalResult visitOp(ReadOp op) {
    StepState *state = find(op);
    if (!state || !state->waited || state->released)
      return error(op) << "expected a read between wait and release [RING-V6]";
    auto field = state->fields.find(op.getField());
    if (field == state->fields.end())
      return error(op) << "field '" << op.getField()
                       << "' is read but was not filled [RING-V7]";
    origin(op.getResult()) =
        partOf(field->second, op.getOffsets(),
               cast<ValType>(op.getResult().getType()).getShape());
    return success();
  }

  LogicalResult visitOp(ReleaseOp op) {
    StepState *state = find(op);
    if (!state || !state->waited || state->released)
      return error(op) << "expected one release after its wait [RING-V6]";
    if (state->product > ended)
      return error(op) << "is released while a product still reads it: "
                          "tile.mma_wait comes first [ASYNC-V3]";
    state->released = true;
    if (hasBarriers(op.getRing()))
      order.record(op, op.getRing(), number(op.getStep()));
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Where tiles come from
  //===--------------------------------------------------------------------===//

  static TileOrigin partOf(const TileOrigin &whole, ArrayRef<int64_t> offsets,
                           ArrayRef<int64_t> shape) {
    TileOrigin result = whole;
    if (!whole.isScales) {
      result.rows.begin += offsets[0];
      result.rows.end = result.rows.begin + shape[0];
    }
    result.columns.begin += offsets[1];
    result.columns.end = result.columns.begin + shape[1];
    return result;
  }

  /// `result` is the tile of `matrix` at (row, column).
  LogicalResult loadTile(Operation *op, GlobalType matrix, int64_t row,
                         int64_t column, ArrayRef<int64_t> shape,
                         TileOrigin &result) {
    result.rows = {row, row + shape[0]};
    result.columns = {column, column + shape[1]};
    result.extentK = matrix.getShape()[0];
    return checkInside(op, matrix, row, column, shape);
  }

  /// Scales stand for the rows of K that they scale.
  LogicalResult loadScales(Operation *op, GlobalType matrix, int64_t k,
                           int64_t n, int64_t group, ArrayRef<int64_t> shape,
                           TileOrigin &result) {
    int64_t row = group == -1 ? 0 : k / group;
    result.isScales = true;
    result.rows = group == -1 ? Interval{0, INT64_MAX}
                              : Interval{row * group, (row + 1) * group};
    result.columns = {n, n + shape[1]};
    return checkInside(op, matrix, row, n, shape);
  }

  LogicalResult visitOp(LoadOp op) {
    return loadTile(op, op.getSource().getType(), number(op.getRow()),
                    number(op.getColumn()), op.getType().getShape(),
                    origin(op.getResult()));
  }

  LogicalResult visitOp(LoadScalesOp op) {
    return loadScales(op, op.getSource().getType(), number(op.getK()),
                      number(op.getN()), op.getGroup(), op.getType().getShape(),
                      origin(op.getResult()));
  }

  LogicalResult visitOp(SliceOp op) {
    origin(op.getResult()) = partOf(TileOrigin(origin(op.getSource())),
                                    op.getOffsets(), op.getType().getShape());
    return success();
  }

  LogicalResult checkScales(Operation *op, Interval k, Interval n,
                            const TileOrigin &scales) {
    if (!scales.rows.contains(k) || scales.columns != n)
      return op->emitOpError("part ")
             << part << ": the weights are rows " << k.begin << " to "
             << k.end - 1 << ", columns " << n.begin << " to " << n.end - 1
             << ", but their scales are for rows " << scales.rows.begin
             << " to " << scales.rows.end - 1 << ", columns "
             << scales.columns.begin << " to " << scales.columns.end - 1
             << " [ORD4]";
    return success();
  }

  LogicalResult visitOp(DequantOp op) {
    TileOrigin codes = origin(op.getCodes());
    origin(op.getResult()) = codes;
    if (!op.getScales())
      return success();
    return checkScales(op, codes.rows, codes.columns, origin(op.getScales()));
  }

  /// Until a wait covers it, a sum is the hardware's.
  LogicalResult checkInFlight(Operation *op) {
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

  LogicalResult visitOp(MmaOp op) {
    return addProduct(op, origin(op.getA()), origin(op.getB()), op.getAcc(),
                      op.getResult());
  }

  LogicalResult visitOp(MmaAsyncOp op) {
    StepState *state = find(op);
    if (!state || !state->waited || state->released)
      return error(op)
             << "expected a product between wait and release [RING-V6]";
    auto field = state->fields.find(op.getField());
    if (field == state->fields.end())
      return error(op) << "field '" << op.getField()
                       << "' is read but was not filled [RING-V7]";
    TileOrigin acts =
        partOf(field->second, op.getOffsets(),
               {op.getType().getShape()[1], op.getA().getType().getShape()[0]});
    if (failed(addProduct(op, origin(op.getA()), acts, op.getAcc(),
                          op.getResult())))
      return failure();
    state->product = origin(op.getResult()).product = ++products;
    return success();
  }

  LogicalResult visitOp(MmaWaitOp op) {
    ended = std::max<int64_t>(ended, products - int64_t(op.getPending()));
    origin(op.getResult()) = TileOrigin(origin(op.getAcc()));
    return success();
  }

  LogicalResult addProduct(Operation *op, TileOrigin weights, TileOrigin acts,
                           Value acc, Value result) {
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
    sum.extentK = weights.extentK;
    sum.rows = acts.rows;
    sum.columns = weights.columns;
    sum.summed.push_back(weights.rows);
    origin(result) = std::move(sum);
    return success();
  }

  LogicalResult visitOp(ScaleAccOp op) {
    TileOrigin part = origin(op.getPart()), sum = origin(op.getAcc());
    for (Interval k : part.summed)
      if (failed(checkScales(op, k, part.columns, origin(op.getScales()))))
        return failure();
    sum.isProduct = part.isProduct;
    sum.extentK = part.extentK;
    sum.rows = part.rows;
    sum.columns = part.columns;
    sum.summed.insert(sum.summed.end(), part.summed.begin(), part.summed.end());
    origin(op.getResult()) = std::move(sum);
    return success();
  }

  /// Rows of the output in a tile of sums; at run time, with the largest M.
  int64_t rowsToStore(const TileOrigin &sum) {
    int64_t rows = work.getRows() ? number(work.getRows())
                                  : int64_t(*work.getStaticRows());
    return std::max<int64_t>(std::min(rows, sum.rows.end) - sum.rows.begin, 0);
  }

  LogicalResult visitOp(CombineOp op) {
    TileOrigin share = origin(op.getSource());
    int64_t counted =
        std::max<int64_t>(op.getRows() ? number(op.getRows()) : INT64_MAX, 0);
    if (counted < rowsToStore(share))
      return op.emitOpError("sums ") << counted << " rows of a tile of which "
                                     << rowsToStore(share) << " exist [SUM-V2]";
    // Still a share of the blocks': the sum over them sees each part's rows.
    if (op.getType().isPartial()) {
      origin(op.getResult()) = std::move(share);
      return success();
    }
    TileOrigin &whole = combined[op];
    whole.extentK = std::max(whole.extentK, share.extentK);
    whole.summed.insert(whole.summed.end(), share.summed.begin(),
                        share.summed.end());
    // Checked once all parts of all blocks have run.
    TileOrigin result;
    result.isProduct = share.isProduct;
    result.rows = share.rows;
    result.columns = share.columns;
    origin(op.getResult()) = result;
    return success();
  }

  LogicalResult visitOp(StoreOp op) {
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
             << " of the product at rows " << rows.begin << " to "
             << rows.end - 1 << ", columns " << columns.begin << " to "
             << columns.end - 1 << " [STORE-V1]";
    return checkWhole(op, value);
  }

  /// Every row of K was added exactly once.
  LogicalResult checkWhole(Operation *op, const TileOrigin &sum) {
    // What was loaded and not summed has no K to be complete in.
    if (sum.summed.empty())
      return success();
    std::vector<Interval> ranges = sum.summed;
    llvm::sort(ranges,
               [](Interval a, Interval b) { return a.begin < b.begin; });
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
    if (next != sum.extentK)
      return op->emitOpError("row ")
             << next << " of K is never summed [SUM-V1]";
    return success();
  }

  ForEachWorkOp work;
  llvm::DenseMap<Step, StepState> steps;
  /// The last step of every stage.
  llvm::DenseMap<Step, int64_t> occupants;
  llvm::MapVector<Operation *, TileOrigin> combined;
  int64_t commits = 0, storedElements = 0;
  RingOrder order;
  /// Asynchronous products started, and known to have ended.
  int64_t products = 0, ended = 0;
  /// Products whose sum in flight another one has taken.
  llvm::DenseSet<int64_t> continued;
};

} // namespace

namespace wna16 {
LogicalResult checkByRunning(ForEachWorkOp work) {
  return Checker(work).check();
}
} // namespace wna16
