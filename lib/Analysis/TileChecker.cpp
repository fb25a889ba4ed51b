//===- TileChecker.cpp - runs the ring protocol of a kernel ---------------===//
//
// One visitor per part of every block follows every ring step through acquire,
// fill, commit, wait, read and release; OriginChecker follows the tiles. Labels
// are those of docs/spec.md.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/TileChecker.h"

#include "lib/Analysis/OriginChecker.h"
#include "lib/Analysis/RingOrder.h"

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

class Checker : public OriginChecker {
public:
  explicit Checker(ForEachWorkOp work) : OriginChecker(work) {}

  LogicalResult check() {
    // The first and the last tile. Run-time rows have no last one: a row far
    // away shows whatever depends on it and should not.
    int64_t height = work.getTile()[0], width = work.getTile()[1];
    int64_t rows = work.getStaticRows().value_or(farRow);
    int64_t lastRow = (rows - 1) / height * height;
    TilePlace first, last{lastRow, work.getColumns() - width};
    // Persistent blocks go from one to the other, until the ring has come round.
    if (work.getPersistent())
      return checkTiles(SmallVector<TilePlace>{first, last, first, last});
    if (failed(checkTiles(first)))
      return failure();
    return checkTiles(last);
  }

private:
  static constexpr int64_t farRow = 1 << 20;

  LogicalResult checkTiles(ArrayRef<TilePlace> places) {
    beginTile();
    for (int64_t block = 0; block < static_cast<int64_t>(work.getBlocks());
         ++block)
      if (failed(checkBlock(block, places)))
        return failure();
    return checkCombined();
  }

  LogicalResult checkBlock(int64_t block, ArrayRef<TilePlace> places) {
    steps.clear();
    order = RingOrder();
    for (Agent next : agentsOf(work, block)) {
      // Roles meet in the steps of rings.
      if (!next.role)
        steps.clear();
      occupants.clear();
      commits = 0;
      beginAgent();
      order.beginAgent();
      if (failed(run(work, next, places)) || failed(checkStored()))
        return failure();
    }
    return order.check();
  }

  using Step = std::pair<Value, int64_t>;

  LogicalResult visit(Operation *op) override {
    if (failed(visitTiles(op)))
      return failure();
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<AcquireOp, FillOp, FillScalesOp, CommitOp, WaitOp, ReadOp,
              MmaAsyncOp, ReleaseOp>(
            [&](auto concrete) { return visitOp(concrete); })
        .Default([](Operation *) { return success(); });
  }

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

  llvm::DenseMap<Step, StepState> steps;
  /// The last step of every stage.
  llvm::DenseMap<Step, int64_t> occupants;
  int64_t commits = 0;
  RingOrder order;
};

} // namespace

namespace wna16 {
LogicalResult checkByRunning(ForEachWorkOp work) {
  return Checker(work).check();
}
} // namespace wna16
