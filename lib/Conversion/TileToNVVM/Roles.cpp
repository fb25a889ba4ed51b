//===- Roles.cpp - roles and barriers of a kernel -------------------------===//

#include "lib/Conversion/TileToNVVM/Roles.h"

#include "lib/Conversion/TileToNVVM/Addressing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

Value compare(OpBuilder &builder, Location loc, LLVM::ICmpPredicate predicate,
              Value value, int64_t constant) {
  Value other = LLVM::ConstantOp::create(
      builder, loc, builder.getI32Type(),
      builder.getI32IntegerAttr(static_cast<int32_t>(constant)));
  return LLVM::ICmpOp::create(builder, loc, predicate, value, other);
}

class RoleBrancher {
public:
  RoleBrancher(RolesOp roles, KernelContext &context)
      : context(context), builder(roles), loc(roles.getLoc()),
        roles(roles.getBody().getOps<RoleOp>().begin(),
              roles.getBody().getOps<RoleOp>().end()) {}

  void run() { branch(0); }

private:
  /// if (warp < end of role `index`) the role, else the roles after it.
  void branch(size_t index) {
    RoleOp role = roles[index];
    if (index + 1 == roles.size())
      return fillBranch(role);
    int64_t end = role.getFirstWarp() + role.getWarps();
    Value isMine = compare(builder, loc, LLVM::ICmpPredicate::ult,
                           context.block.warp, end);
    auto branches =
        scf::IfOp::create(builder, loc, isMine, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branches.thenBlock());
    fillBranch(role);
    builder.setInsertionPointToStart(branches.elseBlock());
    branch(index + 1);
  }

  /// The body of `role` at the insertion point, for its threads.
  void fillBranch(RoleOp role) {
    OpBuilder::InsertionGuard guard(builder);
    int64_t first = role.getFirstWarp();
    if (std::optional<uint64_t> registers = role.getRegisters())
      // What a kernel begins with depends on the number of its threads; a
      // producer needs less than that, the others take what it gives back.
      NVVM::SetMaxRegisterOp::create(
          builder, loc, static_cast<uint32_t>(*registers),
          role.getSingleThread() ? NVVM::SetMaxRegisterAction::decrease
                                 : NVVM::SetMaxRegisterAction::increase);
    Threads threads = context.block;
    AddressBuilder address(builder, loc, context.block);
    threads.warps = role.getWarps();
    threads.parts = role.getParts();
    threads.barrier = role.getSingleThread() ? 0 : nextBarrier;
    nextBarrier += role.getBarriers();
    if (first != 0)
      threads.warp = LLVM::SubOp::create(builder, loc, context.block.warp,
                                         address.i32(first));
    int64_t perPart = threads.warps / threads.parts;
    threads.part =
        LLVM::UDivOp::create(builder, loc, threads.warp, address.i32(perPart));
    threads.partWarp = perPart == 1
                           ? address.i32(0)
                           : LLVM::URemOp::create(builder, loc, threads.warp,
                                                  address.i32(perPart))
                                 .getResult();
    if (Value part = role.getPart())
      part.replaceAllUsesWith(arith::IndexCastOp::create(
          builder, loc, builder.getIndexType(), threads.part));
    // A branch of its own even without a condition: patterns find the threads
    // of an op by the region that it stands in.
    Value enters =
        LLVM::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    if (role.getSingleThread()) {
      Value lane =
          compare(builder, loc, LLVM::ICmpPredicate::eq, context.block.lane, 0);
      enters = threads.warps == 1
                   ? lane
                   : address.both(lane,
                                  compare(builder, loc, LLVM::ICmpPredicate::eq,
                                          threads.warp, 0));
    }
    auto body = scf::IfOp::create(builder, loc, enters);
    context.roles[&body.getThenRegion()] = threads;
    Block &source = role.getBody().front();
    source.getTerminator()->erase();
    body.thenBlock()->getOperations().splice(body.thenBlock()->begin(),
                                             source.getOperations());
  }

  KernelContext &context;
  OpBuilder builder;
  Location loc;
  SmallVector<RoleOp> roles;
  int64_t nextBarrier = 1;
};

/// All threads of all blocks of the cluster meet. Lanes may come one by one: a
/// role of a single thread leaves the others of its warp behind.
void meetCluster(OpBuilder &builder, Location loc) {
  NVVM::ClusterArriveOp::create(builder, loc, UnitAttr());
  NVVM::ClusterWaitOp::create(builder, loc, UnitAttr());
}

/// Bytes of all fills between the acquire of a commit's step and the commit.
FailureOr<int64_t> bytesBefore(CommitOp commit) {
  int64_t bytes = 0;
  for (Operation *op = commit->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto acquire = dyn_cast<AcquireOp>(op);
        acquire && acquire.getRing() == commit.getRing())
      return bytes;
    if (auto fill = dyn_cast<FillOp>(op);
        fill && fill.getRing() == commit.getRing())
      bytes += fill.getBytes();
    if (auto fill = dyn_cast<FillScalesOp>(op);
        fill && fill.getRing() == commit.getRing())
      bytes += fill.getBytes();
  }
  return commit.emitOpError("expected the acquire of its step, and all fills, "
                            "in front of it in the same block");
}

} // namespace

namespace wna16 {

const Threads &KernelContext::threadsAt(Operation *op) const {
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion())
    if (auto found = roles.find(region); found != roles.end())
      return found->second;
  return block;
}

void branchToRoles(LLVM::LLVMFuncOp function, KernelContext &context) {
  SmallVector<RolesOp> all;
  function.walk([&](RolesOp roles) { all.push_back(roles); });
  for (RolesOp roles : all) {
    RoleBrancher(roles, context).run();
    roles.erase();
  }
}

LogicalResult createBarriers(LLVM::LLVMFuncOp function,
                             KernelContext &context) {
  SmallVector<RingOp> rings;
  function.walk([&](RingOp ring) { rings.push_back(ring); });
  Operation *last = nullptr;
  OpBuilder builder(function);
  for (RingOp ring : rings) {
    RingBarriers barriers;
    bool isUsed = false;
    for (Operation *user : ring->getUsers()) {
      bool byEngine = false;
      if (auto fill = dyn_cast<FillOp>(user))
        byEngine = fill.getEngine() != Engine::cp_async;
      if (auto fill = dyn_cast<FillScalesOp>(user))
        byEngine = fill.getEngine() != Engine::cp_async;
      isUsed |= byEngine;
      if (isa<ReleaseOp>(user)) {
        const Threads &threads = context.threadsAt(user);
        barriers.empty = threads.warps / threads.parts;
      }
      if (auto commit = dyn_cast<CommitOp>(user)) {
        barriers.full = 1;
        FailureOr<int64_t> bytes = bytesBefore(commit);
        if (failed(bytes))
          return failure();
        context.commitBytes[commit] = *bytes;
      }
    }
    if (!isUsed)
      continue;
    if (!ring.getBarriersOffset())
      return ring.emitOpError("expected a place for its barriers; run "
                              "allocate-shared first");
    barriers.offset = *ring.getBarriersOffset();
    barriers.multicast = ring.getMulticast();
    barriers.empty *= barriers.multicast;
    context.barriers[ring.getRing()] = barriers;

    // Thread i initialises barrier i.
    Location loc = ring.getLoc();
    builder.setInsertionPointAfter(ring);
    AddressBuilder address(builder, loc, context.block);
    int64_t stages = ring.getRing().getType().getStages();
    Value thread = address.add(address.mul(context.block.warp, address.i32(32)),
                               context.block.lane);
    auto branch = scf::IfOp::create(
        builder, loc,
        compare(builder, loc, LLVM::ICmpPredicate::ult, thread, 2 * stages));
    last = branch;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value isFull =
        compare(builder, loc, LLVM::ICmpPredicate::ult, thread, stages);
    Value count =
        LLVM::SelectOp::create(builder, loc, isFull, address.i32(barriers.full),
                               address.i32(barriers.empty));
    Value place = address.offset(
        address.offset(context.shared, address.mul(thread, address.i32(8))),
        barriers.offset);
    NVVM::MBarrierInitOp::create(builder, loc, place, count, Value());
  }
  if (!last)
    return success();
  // Copies of other engines, and all threads, see the barriers initialised.
  Location loc = last->getLoc();
  builder.setInsertionPointAfter(last);
  NVVM::FenceMbarrierInitOp::create(builder, loc);
  if (context.multicast == 1) {
    NVVM::BarrierOp::create(builder, loc);
    return success();
  }
  // So do the other blocks; and none ends while others still copy to it, or
  // tell it that a stage is free.
  meetCluster(builder, loc);
  builder.setInsertionPoint(function.getBody().front().getTerminator());
  meetCluster(builder, loc);
  return success();
}

} // namespace wna16
