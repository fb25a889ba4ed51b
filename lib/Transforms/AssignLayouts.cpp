//===- AssignLayouts.cpp - who holds which element ------------------------===//
//
// Values that must share a layout (the accumulator around a loop, both sides of
// a cast) form a class; every op that cares about a layout gives one to the
// class of its operand or result. What is left over lies along addresses.
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Instances.h"
#include "lib/Layout/TileLayouts.h"
#include "lib/Layout/WgmmaLayouts.h"
#include "lib/Transforms/TilePasses.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

namespace wna16 {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::LinearLayout;
using ::wna16::layout::StorageLayout;

namespace {

Shape2 shapeOf(Value value) {
  auto shape = cast<ValType>(value.getType()).getShape();
  return {shape[0], shape[1]};
}

class Assignment {
public:
  explicit Assignment(KernelOp kernel) : kernel(kernel) {}

  LogicalResult run() {
    kernel.walk([&](Operation *op) { collect(op); });
    uniteAll();
    // Products decide first, then what feeds them, then everything else.
    if (failed(forAll<MmaOp>()) || failed(forAll<MmaAsyncOp>()) ||
        failed(forAll<CombineOp>()) || failed(forAll<DequantOp>()) ||
        failed(forAll<ScaleAccOp>()) || failed(forAll<AddBiasOp>()) ||
        failed(forAll<LoadOp>()) ||
        failed(forAll<DequantOp>()) || failed(forAll<StoreOp>()))
      return failure();
    for (Value value : values) {
      auto type = cast<ValType>(value.getType());
      LinearAttr layout = type.getLayout();
      if (!layout)
        layout = lookup(value);
      if (!layout)
        return emitError(
            value.getLoc(),
            "cannot find a layout for this value: no product, "
            "load or store says how it is spread over threads [LAYOUT-C1]");
      unsigned elements = 1u << layout.getLayout().inBits("register");
      if (elements * type.getElementBits() < 32)
        return emitError(value.getLoc())
               << "cannot give every lane whole 32-bit registers of " << type
               << ": it would hold " << elements << " elements of "
               << type.getElementBits() << " bits [LAYOUT-C5]";
      value.setType(type.withLayout(layout));
    }
    return success();
  }

private:
  //===--------------------------------------------------------------------===//
  // Classes
  //===--------------------------------------------------------------------===//

  void add(Value value) {
    if (!isa<ValType>(value.getType()))
      return;
    values.insert(value);
    classes.insert(value.getAsOpaquePointer());
    // Layouts written by hand stay.
    if (LinearAttr layout = cast<ValType>(value.getType()).getLayout())
      chosen[leader(value)] = layout;
  }

  void unite(Value a, Value b) {
    if (!isa<ValType>(a.getType()) || !isa<ValType>(b.getType()))
      return;
    LinearAttr layout = lookup(a) ? lookup(a) : lookup(b);
    classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
    if (layout)
      chosen[leader(a)] = layout;
  }

  void collect(Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          add(argument);
    for (Value result : op->getResults())
      add(result);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [init, argument, yielded, result] :
           llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(),
                     loop.getYieldedValues(), loop.getResults())) {
        loops.push_back({init, argument});
        loops.push_back({yielded, argument});
        loops.push_back({result, argument});
      }
    }
  }

  void uniteAll() {
    for (auto [a, b] : loops)
      unite(a, b);
    kernel.walk([&](MmaOp mma) { unite(mma.getAcc(), mma.getResult()); });
    kernel.walk([&](MmaAsyncOp mma) { unite(mma.getAcc(), mma.getResult()); });
    kernel.walk(
        [&](MmaWaitOp wait) { unite(wait.getAcc(), wait.getResult()); });
    kernel.walk([&](ScaleAccOp scale) {
      unite(scale.getAcc(), scale.getResult());
      unite(scale.getPart(), scale.getResult());
    });
    kernel.walk(
        [&](AddBiasOp add) { unite(add.getSum(), add.getResult()); });
    kernel.walk(
        [&](CastOp cast) { unite(cast.getSource(), cast.getResult()); });
    kernel.walk([&](CombineByTicketOp combine) {
      unite(combine.getSource(), combine.getResult());
    });
  }

  void *leader(Value value) {
    return *classes.findLeader(value.getAsOpaquePointer());
  }

  LinearAttr lookup(Value value) { return chosen.lookup(leader(value)); }

  bool known(Value value) { return bool(lookup(value)); }

  LogicalResult choose(Operation *op, Value value, const LinearLayout &layout) {
    auto attr = LinearAttr::get(kernel.getContext(), layout);
    LinearAttr &slot = chosen[leader(value)];
    if (slot && slot != attr) {
      InFlightDiagnostic diag = op->emitOpError(
          "needs a value in another layout than other users do [LAYOUT-C2]");
      diag.attachNote(value.getLoc()) << "the value has the layout " << slot;
      diag.attachNote(op->getLoc()) << "wanted here: " << attr;
      return diag;
    }
    slot = attr;
    return success();
  }

  //===--------------------------------------------------------------------===//
  // What each op wants
  //===--------------------------------------------------------------------===//

  /// Warps that run an op together: those of one part of K inside of split
  /// work, else the block's.
  int64_t warpsAt(Operation *op) {
    auto work = op->getParentOfType<ForEachWorkOp>();
    if (!work || isAfterCombine(work, op))
      return kernel.getWarps();
    return kernel.getWarps() / work.getParts();
  }

  /// `warps` warps as the schedule arranges them for a product.
  WarpGrid productWarps(int64_t warps) {
    mlir::wna16::ScheduleAttr schedule = kernel.getScheduleAttr();
    int64_t alongM = schedule ? schedule.getWarpsM() : 1;
    return {std::max<int64_t>(1, warps / alongM), std::min(alongM, warps)};
  }

  static bool isAfterCombine(ForEachWorkOp work, Operation *op) {
    Operation *ancestor = work.getBody().findAncestorOpInRegion(*op);
    return llvm::any_of(
        work.getBody().getOps<CombineOp>(),
        [&](CombineOp combine) { return combine->isBeforeInBlock(ancestor); });
  }

  template <typename OpTy> LogicalResult forAll() {
    WalkResult result = kernel.walk([&](OpTy op) {
      return failed(want(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult want(MmaOp op) {
    auto [k, n] = shapeOf(op.getA());
    int64_t m = shapeOf(op.getB())[0];
    auto schedule = kernel.getScheduleAttr();
    if (schedule && schedule.getMath() == mlir::wna16::MathEngine::Wgmma)
      return wantWarpgroups(op, op.getA(), op.getResult(), warpsAt(op));
    WarpGrid warps = productWarps(warpsAt(op));
    if (failed(choose(op, op.getResult(), accumulatorLayout(n, m, warps))) ||
        failed(choose(op, op.getB(), activationsLayout(m, k, warps))))
      return failure();
    return choose(op, op.getA(), weightsLayout(k, n, warps));
  }

  LogicalResult want(MmaAsyncOp op) {
    return wantWarpgroups(op, op.getA(), op.getResult(), warpsAt(op));
  }

  /// Activations are read by the instruction, and need no layout.
  LogicalResult wantWarpgroups(Operation *op, Value weights, Value sum,
                               int64_t warps) {
    auto [k, n] = shapeOf(weights);
    int64_t m = shapeOf(sum)[1];
    if (!fitsWarpgroups(n, warps))
      return op->emitOpError("expected whole warpgroups with ")
             << warpgroupColumns << " columns or more each, found " << warps
             << " warps for " << n << " columns [LAYOUT-C6]";
    if (failed(choose(op, sum, warpgroupAccumulatorLayout(n, m, warps))))
      return failure();
    return choose(op, weights, warpgroupWeightsLayout(k, n, warps));
  }

  /// The sum is used by a store: lay it along the rows of the output. Over a
  /// cluster every block owns some of these rows.
  LogicalResult want(CombineOp op) {
    if (known(op.getResult()))
      return success();
    auto [n, m] = shapeOf(op.getResult());
    auto work = op->getParentOfType<ForEachWorkOp>();
    int64_t blocks = op.getOverCluster() ? work.getBlocks() : 1;
    int64_t threads = kernel.getWarps() * 32 * blocks;
    // Stores want 8 bytes; what goes on to the cluster wants all threads.
    bool isStored =
        !op.getType().isPartial() ||
        llvm::any_of(op.getResult().getUsers(), [](Operation *user) {
          return isa<CombineByTicketOp>(user);
        });
    int64_t least = isStored ? 4 : 2;
    int64_t vector = std::clamp<int64_t>(n * m / threads, least, 8);
    StorageLayout rows = layout::rowMajor(m, n);
    return choose(op, op.getResult(),
                  transposedLayout(blockedLayout(rows, {m, n}, vector,
                                                 kernel.getWarps(), blocks)));
  }

  static FailureOr<StorageLayout> storageOf(Operation *op, Value loaded) {
    if (auto load = loaded.getDefiningOp<LoadOp>())
      return getStorageLayout(load.getSource().getType());
    if (auto load = loaded.getDefiningOp<LoadScalesOp>())
      return getStorageLayout(load.getSource().getType());
    return op->emitOpError(
        "expected its operand to come from a load [LAYOUT-C3]");
  }

  LogicalResult want(DequantOp op) {
    for (Value plane : op.getCodes())
      if (failed(wantCodes(op, plane)))
        return failure();
    if (!known(op.getResult()))
      return success();
    for (Value rows : {op.getZeros(), op.getScales()})
      if (rows && !known(rows) &&
          failed(wantScales(op, rows, op.getResult(), 1, op.getRowsPerGroup())))
        return failure();
    return success();
  }

  /// Codes lie on the lanes of their result, or the other way round.
  LogicalResult wantCodes(DequantOp op, Value plane) {
    FailureOr<StorageLayout> storage = storageOf(op, plane);
    if (failed(storage))
      return failure();
    unsigned codesPerWord =
        32 / cast<ValType>(plane.getType()).getElementBits();
    if (known(op.getResult()) && !known(plane))
      return choose(op, plane,
                    codesLayout(lookup(op.getResult()).getLayout(), *storage,
                                codesPerWord));
    if (known(op.getResult()) || !known(plane))
      return success();
    return choose(op, op.getResult(),
                  unpackedLayout(lookup(plane).getLayout(), codesPerWord));
  }

  /// Rows of scales follow the columns of `values`, which are along `dim`.
  LogicalResult wantScales(Operation *op, Value scales, Value values,
                           unsigned dim, int64_t rowsPerGroup) {
    FailureOr<StorageLayout> storage = storageOf(op, scales);
    if (failed(storage))
      return failure();
    return choose(op, scales,
                  scalesLayout(lookup(values).getLayout(), dim, *storage,
                               rowsPerGroup));
  }

  LogicalResult want(ScaleAccOp op) {
    if (!known(op.getResult()))
      return op.emitOpError(
          "expected a product of tile.mma as operand [LAYOUT-C4]");
    return wantScales(op, op.getScales(), op.getResult(), 0, /*all rows*/ 0);
  }

  LogicalResult want(AddBiasOp op) {
    if (!known(op.getResult()))
      return success();
    return wantScales(op, op.getBias(), op.getResult(), 0, /*all rows*/ 0);
  }

  LogicalResult want(LoadOp op) {
    if (known(op.getResult()))
      return success();
    int64_t vector = 128 / op.getType().getElementBits();
    return choose(op, op.getResult(),
                  blockedLayout(getStorageLayout(op.getSource().getType()),
                                shapeOf(op.getResult()), vector, warpsAt(op)));
  }

  /// A stored value that nothing else places (a tile of zeros).
  LogicalResult want(StoreOp op) {
    if (known(op.getValue()))
      return success();
    int64_t vector =
        128 / cast<ValType>(op.getValue().getType()).getElementBits();
    Shape2 shape = shapeOf(op.getValue());
    if (op.getTransposed())
      std::swap(shape[0], shape[1]);
    LinearLayout layout =
        blockedLayout(getStorageLayout(op.getDest().getType()), shape, vector,
                      kernel.getWarps());
    return choose(op, op.getValue(),
                  op.getTransposed() ? transposedLayout(layout) : layout);
  }

  KernelOp kernel;
  llvm::SetVector<Value> values;
  llvm::SmallVector<std::pair<Value, Value>> loops;
  llvm::EquivalenceClasses<void *> classes;
  llvm::DenseMap<void *, LinearAttr> chosen;
};

struct AssignLayoutsPass : ::wna16::impl::AssignLayoutsBase<AssignLayoutsPass> {
  void runOnOperation() override {
    if (failed(Assignment(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
