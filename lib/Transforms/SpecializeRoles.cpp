//===- SpecializeRoles.cpp - a producer role and a consumer role ----------===//
//
// The loop over K that fills a ring ahead and reads it becomes two: one thread
// of an additional role fills step after step, the other warps keep the loop
// without its fills. The ring's barriers then say what the distance between
// fill and wait said before, so there is no prologue, and nothing is filled
// past the end.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/TilePasses.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

namespace wna16 {
#define GEN_PASS_DEF_SPECIALIZEROLES
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using mlir::wna16::RoleKind;
using mlir::wna16::ScheduleAttr;

namespace {

/// Warps.
constexpr int64_t warpgroup = 4;

bool fillsRing(Operation &op) {
  return isa<AcquireOp, FillOp, FillScalesOp, CommitOp>(op);
}

class RoleSplitter {
public:
  RoleSplitter(KernelOp kernel, ForEachWorkOp work, scf::ForOp loop)
      : kernel(kernel), work(work), loop(loop), builder(loop),
        loc(loop.getLoc()) {}

  LogicalResult run() {
    for (Operation &op : *loop.getBody())
      if (fillsRing(op))
        fills.push_back(&op);
    auto acquire = dyn_cast<AcquireOp>(fills.front());
    if (!acquire || acquire.getRing().getParentRegion() != &work.getBody())
      return loop.emitOpError("expected to begin with the acquire of a ring of "
                              "the same work [ROLES-C1]");
    step = acquire.getStep();

    // Rings, and numbers that are the same for all, stay in front of the roles;
    // all else goes to the consumer, from where the producer copies what it
    // needs.
    Block &body = work.getBody().front();
    builder.setInsertionPoint(body.getTerminator());
    auto roles = RolesOp::create(builder, loc);
    Block *list = builder.createBlock(&roles.getBody());
    int64_t parts = work.getParts(), warps = kernel.getWarps();
    RoleOp consumer = addRole("consumer", warps, parts, false);
    int64_t producerWarps = hasWarpgroups() ? warpgroup : 1;
    RoleOp producer = addRole("producer", producerWarps, 1, true);
    builder.setInsertionPointToEnd(list);
    RoleEndOp::create(builder, loc);

    builder.setInsertionPointToStart(&producer.getBody().front());
    produce();
    moveBody(consumer, roles);
    kernel.setWarps(warps + producerWarps);
    return success();
  }

private:
  /// Warpgroups hold so much that registers are shared out, which goes by whole
  /// groups of four warps.
  bool hasWarpgroups() {
    return loop.getBody()
        ->walk([](MmaAsyncOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  RoleOp addRole(StringRef name, int64_t warps, int64_t parts, bool single) {
    builder.setInsertionPointToEnd(&lastRoleBlock());
    auto role = RoleOp::create(
        builder, loc, builder.getStringAttr(name), static_cast<uint64_t>(warps),
        static_cast<uint64_t>(parts), single, IntegerAttr());
    Block *block = builder.createBlock(&role.getBody());
    if (parts > 1)
      block->addArgument(builder.getIndexType(), loc);
    builder.setInsertionPointToEnd(block);
    RoleEndOp::create(builder, loc);
    return role;
  }

  Block &lastRoleBlock() {
    RolesOp roles;
    work.walk([&](RolesOp op) { roles = op; });
    return roles.getBody().front();
  }

  /// Whether `op` computes a number, or makes a view, that is the same for all
  /// warps.
  bool isShared(Operation *op) {
    auto isSharedValue = [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      if (!def || !work->isProperAncestor(def))
        return operand != work.getPart();
      return isShared(def);
    };
    bool isNumberOrView = isa<arith::ArithDialect>(op->getDialect()) ||
                          isa<LoadSegmentOp>(op) || getViewSource(op);
    return isNumberOrView && op->getParentRegion() == &work.getBody() &&
           llvm::all_of(op->getOperands(), isSharedValue);
  }

  /// `value`, an integer expression of the work, computed anew where the
  /// producer stands.
  Value recompute(Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *def = value.getDefiningOp();
    if (!def || !work->isProperAncestor(def) || isa<RingOp>(def) ||
        isShared(def))
      return value;
    for (Value operand : def->getOperands())
      recompute(operand);
    builder.clone(*def, mapping);
    return mapping.lookup(value);
  }

  /// Every step in order: parts of the consumers take turns.
  void produce() {
    int64_t parts = work.getParts();
    if (Value part = work.getPart())
      mapping.map(part, arith::ConstantIndexOp::create(builder, loc, 0));
    Value first = recompute(loop.getLowerBound());
    Value end = recompute(loop.getUpperBound());
    Value stride = recompute(loop.getStep());
    if (parts > 1)
      stride = arith::DivUIOp::create(
          builder, loc, stride,
          arith::ConstantIndexOp::create(builder, loc, parts));
    auto next = scf::ForOp::create(builder, loc, first, end, stride);
    builder.setInsertionPointToStart(next.getBody());
    mapping.map(step, next.getInductionVar());
    for (Operation *op : fills) {
      // Every step of this loop exists.
      for (Value operand : op->getOperands())
        if (!operand.getType().isInteger(1))
          recompute(operand);
      Operation *copy = builder.clone(*op, mapping);
      if (auto fill = dyn_cast<FillOp>(copy))
        fill.getPredicateMutable().clear();
      if (auto fill = dyn_cast<FillScalesOp>(copy))
        fill.getPredicateMutable().clear();
    }
  }

  void moveBody(RoleOp consumer, RolesOp roles) {
    Block &body = work.getBody().front();
    Operation *end = consumer.getBody().front().getTerminator();
    for (Operation &op :
         llvm::make_early_inc_range(body.without_terminator())) {
      if (&op == roles.getOperation() || isa<RingOp>(op) || isShared(&op))
        continue;
      if (fillsRing(op))
        op.erase();
      else
        op.moveBefore(end);
    }
    for (Operation *op : fills)
      op->erase();
    if (Value part = work.getPart()) {
      part.replaceAllUsesWith(consumer.getPart());
      work.getBody().eraseArgument(2);
      work.setParts(1);
    }
  }

  KernelOp kernel;
  ForEachWorkOp work;
  scf::ForOp loop;
  OpBuilder builder;
  Location loc;
  /// Of the loop, in order.
  SmallVector<Operation *> fills;
  /// The step that they fill.
  Value step;
  IRMapping mapping;
};

struct SpecializeRolesPass
    : ::wna16::impl::SpecializeRolesBase<SpecializeRolesPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    ScheduleAttr schedule = kernel.getScheduleAttr();
    if (!schedule || schedule.getRoles() != RoleKind::ProducerConsumer)
      return;
    SmallVector<ForEachWorkOp> works(kernel.getBody().getOps<ForEachWorkOp>());
    for (ForEachWorkOp work : works) {
      if (!work.getBody().getOps<RolesOp>().empty())
        continue;
      SmallVector<scf::ForOp> loops;
      for (auto loop : work.getBody().getOps<scf::ForOp>())
        if (!loop.getBody()->getOps<AcquireOp>().empty())
          loops.push_back(loop);
      if (loops.empty())
        continue;
      if (loops.size() > 1) {
        work.emitOpError("expected one loop that fills a ring, found ")
            << loops.size() << " [ROLES-C2]";
        return signalPassFailure();
      }
      if (failed(RoleSplitter(kernel, work, loops.front()).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
