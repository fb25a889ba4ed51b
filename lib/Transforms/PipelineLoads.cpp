//===- PipelineLoads.cpp - loops over K read from a ring ------------------===//

#include "lib/Analysis/RingFields.h"
#include "lib/Layout/TileLayouts.h"
#include "lib/Transforms/TilePasses.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

namespace wna16 {
#define GEN_PASS_DEF_PIPELINELOADS
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using mlir::wna16::CopyEngine;
using mlir::wna16::ScheduleAttr;

namespace {

/// Computes `value`, an integer expression of the loop counter, anew for
/// another counter.
Value recompute(OpBuilder &builder, Value value, scf::ForOp loop, Value counter,
                IRMapping &mapping) {
  mapping.map(loop.getInductionVar(), counter);
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *def = value.getDefiningOp();
  if (!def || !loop->isProperAncestor(def))
    return value;
  for (Value operand : def->getOperands())
    recompute(builder, operand, loop, counter, mapping);
  builder.clone(*def, mapping);
  return mapping.lookup(value);
}

class LoopPipeliner {
public:
  LoopPipeliner(KernelOp kernel, ForEachWorkOp work, scf::ForOp loop,
                ScheduleAttr schedule)
      : kernel(kernel), work(work), loop(loop), schedule(schedule),
        stages(schedule.getStages()), copy(schedule.getCopy()), builder(loop),
        loc(loop.getLoc()) {}

  LogicalResult run() {
    for (auto load : loop.getBody()->getOps<LoadOp>())
      if (feedsProduct(load.getResult()))
        loads.push_back(load);
    for (auto load : loop.getBody()->getOps<LoadScalesOp>())
      scales.push_back(load);
    if (loads.empty())
      return success();
    if (llvm::any_of(loads,
                     [](LoadOp load) { return !load.getType().getLayout(); }))
      return loop.emitOpError(
          "expected layouts; run assign-layouts first [PIPE-C1]");
    // The stage of a step is its number modulo the stages: neighbouring steps
    // of a part must be that many parts apart.
    std::optional<int64_t> stride = constantOf(loop.getStep());
    if (stride != parts()) {
      InFlightDiagnostic diag = loop.emitOpError("expected a constant step of ")
                                << parts() << ", the parts of K, found ";
      if (stride)
        return diag << *stride << " [PIPE-C3]";
      return diag << "a computed one [PIPE-C3]";
    }
    for (LoadOp load : loads)
      if (!getKernelArgument(load.getSource()))
        return load.emitOpError(
            "expected to read an argument of the kernel [PIPE-C4]");
    for (LoadOp load : loads)
      if (failed(checkCoordinates(load, load.getRow())) ||
          failed(checkCoordinates(load, load.getColumn())))
        return failure();
    for (LoadScalesOp load : scales)
      if (failed(checkCoordinates(load, load.getK())) ||
          failed(checkCoordinates(load, load.getN())))
        return failure();
    if (failed(makeRing()))
      return failure();
    fillAhead();
    rebuildLoop();
    return success();
  }

private:
  int64_t parts() { return work.getParts(); }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// A name for the field that holds tiles of `source`.
  StringAttr nameFor(Value source, ArrayRef<FieldAttr> fields) {
    unsigned number = getKernelArgument(source).getArgNumber();
    auto name = cast<StringAttr>(kernel.getArgNames()[number]);
    if (llvm::none_of(fields,
                      [&](FieldAttr field) { return field.getName() == name; }))
      return name;
    return builder.getStringAttr(name.getValue() + Twine(fields.size()));
  }

  /// Blocks side by side along the columns fetch together what is the same for
  /// all of them.
  uint64_t multicastOf(LoadOp load) {
    if (engineFor(load, copy) != Engine::tensor ||
        dependsOnColumn(load.getRow()) || dependsOnColumn(load.getColumn()))
      return 1;
    return schedule.getMulticast();
  }

  bool dependsOnColumn(Value value) {
    if (value == work.getColumnCoordinate())
      return true;
    Operation *def = value.getDefiningOp();
    return def && work->isProperAncestor(def) &&
           llvm::any_of(def->getOperands(), [&](Value operand) {
             return dependsOnColumn(operand);
           });
  }

  /// One row of scales is one run of memory.
  bool scalesAreFields() { return copy != CopyEngine::CpAsync; }

  /// The value of products of constants, which split-k makes.
  static std::optional<int64_t> constantOf(Value value) {
    if (auto product = value.getDefiningOp<arith::MulIOp>()) {
      std::optional<int64_t> a = constantOf(product.getLhs());
      std::optional<int64_t> b = constantOf(product.getRhs());
      return a && b ? std::optional<int64_t>(*a * *b) : std::nullopt;
    }
    return getConstantIntValue(value);
  }

  /// Coordinates of a later step are computed from its counter alone.
  LogicalResult checkCoordinates(Operation *op, Value value) {
    if (llvm::is_contained(loop.getRegionIterArgs(), value))
      return op->emitOpError("expected coordinates that depend on the loop "
                             "counter, not on a carried value [PIPE-C2]");
    Operation *def = value.getDefiningOp();
    if (!def || !loop->isProperAncestor(def))
      return success();
    for (Value operand : def->getOperands())
      if (failed(checkCoordinates(op, operand)))
        return failure();
    return success();
  }

  LogicalResult makeRing() {
    MLIRContext *context = builder.getContext();
    SmallVector<FieldAttr> fields;
    for (LoadOp load : loads) {
      Engine engine = engineFor(load, copy);
      if (failed(addField(load, fieldStorage(load, engine, schedule), fields)))
        return failure();
      ValType plain = fields.back().getType();
      Shape2 shape{plain.getShape()[0], plain.getShape()[1]};
      LinearAttr threads;
      // A lane copies 16 bytes at a time, neighbours what is next to it.
      if (engine == Engine::cp_async)
        threads = LinearAttr::get(
            context, blockedLayout(getStorageLayout(load.getSource().getType()),
                                   shape, 128 / plain.getElementBits(),
                                   kernel.getWarps() / parts()));
      copies.push_back({fields.back().getName(), engine, threads});
    }
    if (scalesAreFields())
      for (LoadScalesOp load : scales) {
        if (failed(
                addField(load, load.getSource().getType().getLayout(), fields)))
          return failure();
        copies.push_back({fields.back().getName(), Engine::bulk, LinearAttr()});
      }
    ring = RingOp::create(builder, loc,
                          RingType::get(context, stages * parts(), fields),
                          IntegerAttr(), IntegerAttr());
    return success();
  }

  /// A tile of a matrix as it is stored: zero points are codes there.
  static ValType storedTile(Value source, ValType type) {
    return ValType::get(type.getContext(), type.getShape(),
                        cast<GlobalType>(source.getType()).getElementType(),
                        LinearAttr(), false);
  }

  template <typename OpTy>
  LogicalResult addField(OpTy load, Attribute storage,
                         SmallVectorImpl<FieldAttr> &fields) {
    FieldAttr field = FieldAttr::getChecked(
        [&] { return load.emitOpError("cannot be a field of a ring: "); },
        builder.getContext(), nameFor(load.getSource(), fields),
        storedTile(load.getSource(), load.getType()), storage);
    if (field)
      fields.push_back(field);
    return success(bool(field));
  }

  /// acquire, fill, commit of the step with counter `step`.
  void fill(Value step, Value inRange) {
    AcquireOp::create(builder, loc, ring, step);
    IRMapping mapping;
    auto at = [&](Value coordinate) {
      return recompute(builder, coordinate, loop, step, mapping);
    };
    auto *copy = copies.begin();
    for (LoadOp load : loads) {
      Value row = at(load.getRow()), column = at(load.getColumn());
      FillOp::create(builder, load.getLoc(), ring, step, copy->field,
                     load.getSource(), row, column, inRange, copy->threads,
                     copy->engine, multicastOf(load));
      ++copy;
    }
    if (scalesAreFields())
      for (LoadScalesOp load : scales) {
        Value k = at(load.getK()), n = at(load.getN());
        FillScalesOp::create(builder, load.getLoc(), ring, step, copy->field,
                             load.getSource(), k, n, load.getGroup(), inRange,
                             copy->threads, copy->engine);
        ++copy;
      }
    CommitOp::create(builder, loc, ring, step);
  }

  Value isInRange(Value step) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, step,
                                 loop.getUpperBound());
  }

  void fillAhead() {
    Value step = loop.getLowerBound();
    for (int64_t ahead = 0; ahead + 1 < stages; ++ahead) {
      if (ahead > 0)
        step = arith::AddIOp::create(builder, loc, step, loop.getStep());
      fill(step, isInRange(step));
    }
    distance = arith::MulIOp::create(builder, loc, loop.getStep(),
                                     constant(stages - 1));
    // Scales of a step past the end are those of the last step: loaded, but
    // never used.
    lastStep =
        arith::SubIOp::create(builder, loc, loop.getUpperBound(), constant(1));
  }

  /// Loads that the ring or the carried scales replace.
  bool mapped(Operation &op) {
    return isa<LoadScalesOp>(op) ||
           (isa<LoadOp>(op) && llvm::is_contained(loads, cast<LoadOp>(op)));
  }

  /// A product with activations of the ring: it is started, and waited for.
  bool multiplyInRing(Operation &op, Value step, IRMapping &mapping) {
    auto mma = dyn_cast<MmaOp>(op);
    auto load = mma ? mma.getB().getDefiningOp<LoadOp>() : LoadOp();
    auto found = llvm::find(loads, load);
    if (!load || found == loads.end() || !staysInRing(load, schedule))
      return false;
    Value started = MmaAsyncOp::create(
        builder, mma.getLoc(), mma.getType(),
        mapping.lookupOrDefault(mma.getA()), ring, step,
        copies[found - loads.begin()].field, ArrayRef<int64_t>{0, 0},
        mapping.lookupOrDefault(mma.getAcc()));
    mapping.map(mma.getResult(),
                MmaWaitOp::create(builder, mma.getLoc(), started.getType(),
                                  started, /*pending=*/0)
                    .getResult());
    return true;
  }

  Value loadScales(LoadScalesOp load, Value step) {
    Value inside = arith::MinSIOp::create(builder, loc, step, lastStep);
    IRMapping mapping;
    Value k = recompute(builder, load.getK(), loop, inside, mapping);
    Value n = recompute(builder, load.getN(), loop, inside, mapping);
    return LoadScalesOp::create(builder, load.getLoc(), load.getType(),
                                load.getSource(), k, n, load.getGroup());
  }

  void rebuildLoop() {
    SmallVector<Value> inits(loop.getInitArgs());
    // Scales that are no fields are carried, one step ahead.
    SmallVector<LoadScalesOp> carriedScales;
    if (!scalesAreFields())
      carriedScales = scales;
    for (LoadScalesOp load : carriedScales)
      inits.push_back(loadScales(load, loop.getLowerBound()));
    auto next = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                   loop.getUpperBound(), loop.getStep(), inits);
    builder.setInsertionPointToStart(next.getBody());
    Value step = next.getInductionVar();
    Value ahead = arith::AddIOp::create(builder, loc, step, distance);
    fill(ahead, isInRange(ahead));
    WaitOp::create(builder, loc, ring, step, IntegerAttr(), ScopeAttr());

    IRMapping mapping;
    mapping.map(loop.getInductionVar(), step);
    size_t carried = loop.getInitArgs().size();
    mapping.map(loop.getRegionIterArgs(),
                next.getRegionIterArgs().take_front(carried));
    Value following = arith::AddIOp::create(builder, loc, step, loop.getStep());
    SmallVector<Value> yielded;
    for (LoadScalesOp load : carriedScales)
      yielded.push_back(loadScales(load, following));
    for (auto [load, argument] :
         llvm::zip(carriedScales, next.getRegionIterArgs().drop_front(carried)))
      mapping.map(load.getResult(), argument);
    auto *copy = copies.begin();
    auto read = [&](auto load) {
      StringAttr field = (copy++)->field;
      auto tile = dyn_cast<LoadOp>(load.getOperation());
      if (tile && staysInRing(tile, schedule))
        return;
      mapping.map(load.getResult(),
                  ReadOp::create(builder, load.getLoc(), load.getType(), ring,
                                 step, field, ArrayRef<int64_t>{0, 0})
                      .getResult());
    };
    llvm::for_each(loads, read);
    if (scalesAreFields())
      llvm::for_each(scales, read);
    for (Operation &op : loop.getBody()->without_terminator())
      if (!multiplyInRing(op, step, mapping) && !mapped(op))
        builder.clone(op, mapping);
    ReleaseOp::create(builder, loc, ring, step, ScopeAttr());
    SmallVector<Value> results;
    for (Value value : loop.getYieldedValues())
      results.push_back(mapping.lookupOrDefault(value));
    results.append(yielded);
    scf::YieldOp::create(builder, loc, results);

    loop.replaceAllUsesWith(next.getResults().take_front(carried));
    loop.erase();
  }

  KernelOp kernel;
  ForEachWorkOp work;
  scf::ForOp loop;
  ScheduleAttr schedule;
  int64_t stages;
  CopyEngine copy;
  OpBuilder builder;
  Location loc;
  SmallVector<LoadOp> loads;
  SmallVector<LoadScalesOp> scales;
  /// How each field is filled, in the order of `loads`, then of `scales`.
  struct FieldCopy {
    StringAttr field;
    Engine engine;
    LinearAttr threads;
  };
  SmallVector<FieldCopy> copies;
  Value ring, distance, lastStep;
};

struct PipelineLoadsPass : ::wna16::impl::PipelineLoadsBase<PipelineLoadsPass> {
  void runOnOperation() override {
    ScheduleAttr schedule = getOperation().getScheduleAttr();
    if (!schedule)
      return;
    SmallVector<std::pair<ForEachWorkOp, scf::ForOp>> loops;
    getOperation().walk([&](scf::ForOp loop) {
      auto work = dyn_cast<ForEachWorkOp>(loop->getParentOp());
      if (work && !loop.getBody()->getOps<MmaOp>().empty())
        loops.push_back({work, loop});
    });
    for (auto [work, loop] : loops)
      if (failed(LoopPipeliner(getOperation(), work, loop, schedule).run()))
        return signalPassFailure();
  }
};

} // namespace
