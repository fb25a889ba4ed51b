//===- VerifyKernelOrder.cpp - no address in a loop depends on data -------===//
//
// Rule ORD5a on the finished kernel: a forward data flow over one flat
// function. Each value that depends on memory remembers one load that it comes
// from, also where a branch on loaded data chose it; then every address in a
// loop is looked at.
//
//===----------------------------------------------------------------------===//
#include "lib/Transforms/KernelPasses.h"

#include "lib/Analysis/ControlDependence.h"
#include "lib/Conversion/TileToNVVM/InlinePtx.h"
#include "lib/Launch/LaunchRecord.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SCCIterator.h"

using namespace mlir;

namespace wna16 {

#define GEN_PASS_DEF_VERIFYKERNELORDER
#include "lib/Transforms/KernelPasses.h.inc"

namespace {

/// Blocks that lie on a cycle of the control flow.
llvm::DenseSet<Block *> findLoopBlocks(Region &region) {
  llvm::DenseSet<Block *> blocks;
  for (auto component = llvm::scc_begin(&region); !component.isAtEnd();
       ++component)
    if (component.hasCycle())
      blocks.insert(component->begin(), component->end());
  return blocks;
}

/// True if `pointer` points into a kernel parameter that is passed by value.
bool isParameter(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (!isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp, LLVM::BitcastOp>(op))
      return false;
    pointer = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(pointer);
  auto function =
      dyn_cast<LLVM::LLVMFuncOp>(argument.getOwner()->getParentOp());
  return function && argument.getOwner()->isEntryBlock() &&
         function.getArgAttr(argument.getArgNumber(),
                             LLVM::LLVMDialect::getByValAttrName());
}

/// True if the results of `op` are data from memory.
bool readsMemory(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return !isParameter(load.getAddr());
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op)) {
    if (std::optional<ptx::InlinePtxInfo> info = ptx::classify(assembly))
      return info->readsMemory;
    // Unknown text: what may touch memory may read it.
    return assembly.getHasSideEffects();
  }
  // An intrinsic that gets a pointer reads through it, for all we know.
  if (isa<LLVM::CallIntrinsicOp>(op))
    return llvm::any_of(op->getOperandTypes(),
                        llvm::IsaPred<LLVM::LLVMPointerType>);
  return isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp, LLVM::CallOp,
             LLVM::MaskedLoadOp, LLVM::masked_gather, LLVM::masked_expandload,
             NVVM::LdMatrixOp, NVVM::WMMALoadOp, NVVM::InlinePtxOp>(op);
}

/// Operands of `op` that say where in memory it works.
SmallVector<Value> addressesOf(Operation *op) {
  SmallVector<Value> addresses;
  auto addPointers = [&](ValueRange values, bool integersToo = false) {
    for (Value value : values)
      if (isa<LLVM::LLVMPointerType>(value.getType()) ||
          (integersToo && value.getType().isIntOrIndex()))
        addresses.push_back(value);
  };
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    addresses.push_back(store.getAddr());
  } else if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op)) {
    std::optional<ptx::InlinePtxInfo> info = ptx::classify(assembly);
    if (!info && assembly.getHasSideEffects())
      addPointers(op->getOperands(), /*integersToo=*/true);
    for (unsigned index = 0; info && index < op->getNumOperands(); ++index)
      if (info->isAddress(index))
        addresses.push_back(op->getOperand(index));
  } else if (isa<LLVM::CallOp, NVVM::InlinePtxOp>(op) ||
             op->getName().getStringRef().starts_with("nvvm.cp.async.bulk")) {
    addPointers(op->getOperands(), /*integersToo=*/true);
  } else if (!isa<BranchOpInterface>(op) && !isMemoryEffectFree(op)) {
    addPointers(op->getOperands());
  }
  return addresses;
}

/// Whether, by the launch record, the kernel reaches nothing but ids of rows
/// and experts: it sorts them, and has no K.
bool hasOnlyIds(LLVM::LLVMFuncOp function) {
  auto text = function->getAttrOfType<StringAttr>(launchAttributeName);
  if (!text)
    return false;
  llvm::Expected<LaunchRecord> record = LaunchRecord::fromJSON(text);
  if (!record) {
    // check-resources reports it.
    llvm::consumeError(record.takeError());
    return false;
  }
  using Kind = LaunchArgument::Kind;
  return llvm::all_of(record->arguments, [](const LaunchArgument &argument) {
    return argument.kind == Kind::Scalar ||
           (argument.isBuffer() && argument.ids != LaunchArgument::Ids::None);
  });
}

/// The check of one function.
class OrderCheck {
public:
  explicit OrderCheck(LLVM::LLVMFuncOp function)
      : region(function.getBody()), loopBlocks(findLoopBlocks(region)) {}

  LogicalResult run() {
    if (failed(findSources()))
      return failure();
    propagate();
    while (followBranches())
      propagate();
    return checkAddresses();
  }

private:
  bool inLoop(Operation *op) const {
    return loopBlocks.contains(op->getBlock());
  }

  bool mark(Value value, Operation *source) {
    bool isNew = sources.try_emplace(value, source).second;
    if (isNew)
      worklist.push_back(value);
    return isNew;
  }

  /// Marks what comes from memory, except ids of rows and experts.
  LogicalResult findSources() {
    for (Operation &op : region.getOps()) {
      if (op.getNumRegions() != 0)
        return op.emitOpError(
            "verify-kernel-order expects branches, found structured control "
            "flow; run it after the conversion to the LLVM dialect");
      bool tagged = op.hasAttr(rowIdsAttributeName);
      if (tagged && inLoop(&op))
        return op.emitOpError("carries '")
               << rowIdsAttributeName
               << "' in a loop (ORD5a); row and expert ids are loaded before "
                  "the loops of the kernel";
      if (tagged || !readsMemory(&op))
        continue;
      for (Value result : op.getResults())
        mark(result, &op);
    }
    return success();
  }

  void propagate() {
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      Operation *source = sources.lookup(value);
      for (OpOperand &use : value.getUses()) {
        Operation *user = use.getOwner();
        if (auto branch = dyn_cast<BranchOpInterface>(user)) {
          if (auto argument =
                  branch.getSuccessorBlockArgument(use.getOperandNumber()))
            mark(*argument, source);
          continue;
        }
        // Tagged loads keep their meaning wherever the ids were found.
        if (user->hasAttr(rowIdsAttributeName))
          continue;
        for (Value result : user->getResults())
          mark(result, source);
      }
    }
  }

  /// Marks what branches on marked conditions choose: arguments of blocks in
  /// which ways meet, and values that leave a loop whose rounds data count.
  /// Inside of the loop they depend on the counter only. True if any is new.
  bool followBranches() {
    for (Block &block : region) {
      Operation *source = nullptr;
      for (Value condition : ControlDependence::conditionsOf(&block))
        if (Operation *found = sources.lookup(condition))
          source = found;
      if (!source || !followed.insert(&block).second)
        continue;
      Operation *branch = block.getTerminator();
      for (BlockArgument argument : ControlDependence::chosenBy(&block))
        choose(argument, source, branch);
      for (CFGLoop *loop = control.innermostLoop(&block);
           loop && loop->isLoopExiting(&block); loop = loop->getParentLoop())
        followExit(*loop, source, branch);
    }
    return !worklist.empty();
  }

  void choose(Value value, Operation *source, Operation *branch) {
    if (mark(value, source))
      choices.try_emplace(value, branch);
  }

  /// Marks what the rounds of `loop` change and blocks behind it use.
  void followExit(CFGLoop &loop, Operation *source, Operation *branch) {
    auto follow = [&](Value value) {
      if (llvm::any_of(value.getUsers(),
                       [&](Operation *user) {
                         return !loop.contains(user->getBlock());
                       }) &&
          changesIn(loop, value))
        choose(value, source, branch);
    };
    for (Block *block : loop.getBlocks()) {
      llvm::for_each(block->getArguments(), follow);
      for (Operation &op : *block) {
        llvm::for_each(op.getResults(), follow);
        // Also what a branch takes along.
        if (auto leaving = dyn_cast<BranchOpInterface>(op))
          for (OpOperand &operand : op.getOpOperands())
            if (auto argument = leaving.getSuccessorBlockArgument(
                    operand.getOperandNumber()))
              if (!loop.contains(argument->getOwner()) &&
                  changesIn(loop, operand.get()))
                choose(*argument, source, branch);
      }
    }
  }

  /// Whether `value` may differ from round to round of `loop`: it depends on an
  /// argument of a block in it, or on memory.
  static bool changesIn(CFGLoop &loop, Value value) {
    SmallVector<Value> values{value};
    llvm::SmallPtrSet<Value, 8> seen;
    while (!values.empty()) {
      Value next = values.pop_back_val();
      if (!loop.contains(next.getParentBlock()) || !seen.insert(next).second)
        continue;
      Operation *op = next.getDefiningOp();
      if (!op || !isMemoryEffectFree(op))
        return true;
      llvm::append_range(values, op->getOperands());
    }
    return false;
  }

  LogicalResult checkAddresses() {
    for (Operation &op : region.getOps()) {
      if (!inLoop(&op))
        continue;
      for (Value address : addressesOf(&op)) {
        auto found = sources.find(address);
        if (found == sources.end())
          continue;
        InFlightDiagnostic diagnostic = op.emitOpError(
            "address in a loop depends on a loaded value (ORD5a); the order of "
            "K is static, addresses are functions of loop counters");
        diagnostic.attachNote(found->second->getLoc())
            << "the value is loaded here; ids of rows or experts are loaded "
               "before the loop and carry '"
            << rowIdsAttributeName << "'";
        noteChoice(address, diagnostic);
        return diagnostic;
      }
    }
    return success();
  }

  /// Where a branch stands between the load and the address, says which.
  void noteChoice(Value address, InFlightDiagnostic &diagnostic) {
    SmallVector<Value> values{address};
    llvm::SmallPtrSet<Value, 8> seen;
    while (!values.empty()) {
      Value value = values.pop_back_val();
      if (!sources.contains(value) || !seen.insert(value).second)
        continue;
      if (Operation *branch = choices.lookup(value)) {
        diagnostic.attachNote(branch->getLoc())
            << "this branch on it chooses the address";
        return;
      }
      if (Operation *op = value.getDefiningOp())
        llvm::append_range(values, op->getOperands());
    }
  }

  Region &region;
  llvm::DenseSet<Block *> loopBlocks;
  /// For every value that depends on memory one op that loaded it.
  llvm::DenseMap<Value, Operation *> sources;
  /// For values that a branch chose, that branch.
  llvm::DenseMap<Value, Operation *> choices;
  llvm::SmallPtrSet<Block *, 8> followed;
  ControlDependence control;
  SmallVector<Value> worklist;
};

struct VerifyKernelOrder
    : public impl::VerifyKernelOrderBase<VerifyKernelOrder> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](LLVM::LLVMFuncOp function) {
      if (!function.isExternal() && !hasOnlyIds(function) &&
          failed(OrderCheck(function).run()))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace wna16
