//===- CheckEmittable.cpp - what must not reach LLVM ----------------------===//
//
// LLVM aborts, drops or silently miscompiles some input of the NVPTX back end.
// Everything known of that kind is refused here, with a sentence that says what
// to write instead.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/TileToNVVM/InlinePtx.h"
#include "lib/Emit/EmitPtx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace wna16 {

/// Ops that only some targets have, by the start of their name.
namespace {
struct OpCapability {
  StringRef prefix;
  bool GpuTarget::*capability;
};
} // namespace

static constexpr OpCapability opCapabilities[] = {
    {"nvvm.cp.async.bulk.tensor", &GpuTarget::tensorCopy},
    {"nvvm.cp.async.bulk", &GpuTarget::bulkCopy},
    {"nvvm.mbarrier.arrive.expect_tx", &GpuTarget::bulkCopy},
    {"nvvm.mbarrier.try_wait", &GpuTarget::bulkCopy},
    {"nvvm.fence.mbarrier.init", &GpuTarget::bulkCopy},
    {"nvvm.fence.proxy", &GpuTarget::bulkCopy},
    {"nvvm.cluster", &GpuTarget::clusters},
    {"nvvm.mapa", &GpuTarget::clusters},
    {"nvvm.elect.sync", &GpuTarget::clusters},
    {"nvvm.stmatrix", &GpuTarget::clusters},
    {"nvvm.wgmma", &GpuTarget::wgmma},
    {"nvvm.setmaxregister", &GpuTarget::registerReallocation},
    {"nvvm.griddepcontrol", &GpuTarget::dependentLaunch},
    {"nvvm.mbarrier", &GpuTarget::mbarrier},
    {"nvvm.cp.async", &GpuTarget::cpAsync},
};

static LogicalResult checkCapability(Operation *op, const GpuTarget &target) {
  StringRef name = op->getName().getStringRef();
  for (const OpCapability &row : opCapabilities) {
    if (!name.starts_with(row.prefix))
      continue;
    if (target.*row.capability)
      return success();
    return op->emitOpError("target ")
           << target.name << " does not have this instruction [EMIT-C1]";
  }
  return success();
}

static LogicalResult checkInlineAsm(LLVM::InlineAsmOp op,
                                    const GpuTarget &target) {
  std::optional<ptx::InlinePtxInfo> info = ptx::classify(op);
  if (!info)
    return success();
  if (info->capability && !(target.*info->capability))
    return op.emitOpError() << "target " << target.name << " does not have '"
                            << info->name << "' [EMIT-C1]";
  if (info->ptxVersion <= target.ptxVersion)
    return success();
  return op.emitOpError() << "'" << info->name << "' needs PTX "
                          << info->ptxVersion / 10 << "."
                          << info->ptxVersion % 10 << "; for " << target.name
                          << " PTX " << target.ptxVersion / 10 << "."
                          << target.ptxVersion % 10 << " is emitted [EMIT-C1]";
}

static LogicalResult checkAtomic(LLVM::AtomicRMWOp op) {
  if (op.getOrdering() == LLVM::AtomicOrdering::monotonic)
    return success();
  return op.emitOpError("LLVM prints this as a relaxed atomic whatever its "
                        "order; use 'monotonic' with an llvm.fence before or "
                        "after it");
}

/// Shared memory must be an external symbol: LLVM sees the stores of this
/// thread only, and folds reads of data that a copy engine or a peer wrote.
static LogicalResult checkGlobal(LLVM::GlobalOp op) {
  if (op.getAddrSpace() != 3 || op.getLinkage() == LLVM::Linkage::External)
    return success();
  return op.emitOpError("shared memory must have external linkage, found '")
         << LLVM::linkage::stringifyLinkage(op.getLinkage())
         << "'; LLVM would fold reads of it that no visible store feeds";
}

/// LLVM prints names as they are; ptxas then stops at the first odd character.
static LogicalResult checkName(LLVM::LLVMFuncOp function) {
  StringRef name = function.getName();
  bool fits = !name.empty() && !llvm::isDigit(name.front()) &&
              llvm::all_of(name, [](char c) {
                return llvm::isAlnum(c) || c == '_' || c == '$';
              });
  if (fits || name.starts_with("llvm."))
    return success();
  return function.emitError("'")
         << name
         << "' cannot be the name of a kernel in PTX: letters, digits, '_' and "
            "'$' only, and no digit first";
}

/// With read-only promises LLVM merges loads across the wait for the previous
/// kernel, whose output they may be.
static LogicalResult checkDependentLaunch(LLVM::LLVMFuncOp function) {
  Operation *wait = nullptr;
  function.walk([&](NVVM::GriddepcontrolOp op) {
    if (op.getKind() == NVVM::GridDepActionKind::wait)
      wait = op;
  });
  if (!wait)
    return success();
  StringRef remedy =
      "use a plain pointer, and an ordered read-only load for data that no "
      "kernel writes";
  for (unsigned index = 0, end = function.getNumArguments(); index < end;
       ++index) {
    if (!function.getArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName()) ||
        !function.getArgAttr(index, LLVM::LLVMDialect::getReadonlyAttrName()))
      continue;
    InFlightDiagnostic diagnostic =
        function.emitOpError("argument #")
        << index
        << " is noalias and readonly in a kernel that waits for the previous "
           "one; loads from it would move above the wait; "
        << remedy;
    diagnostic.attachNote(wait->getLoc()) << "the wait is here";
    return diagnostic;
  }
  WalkResult result = function.walk([&](LLVM::LoadOp load) {
    if (!load.getInvariant())
      return WalkResult::advance();
    InFlightDiagnostic diagnostic =
        load.emitOpError("invariant load in a kernel that waits for the "
                         "previous one; it would move above the wait; ")
        << remedy;
    diagnostic.attachNote(wait->getLoc()) << "the wait is here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checkEmittable(gpu::GPUModuleOp module, const GpuTarget &target) {
  WalkResult result = module.walk([&](Operation *op) {
    if (failed(checkCapability(op, target)))
      return WalkResult::interrupt();
    // The name under which LLVM's dialect looks for it has no prefix.
    if (op->getDiscardableAttr("llvm.loop_annotation")) {
      op->emitOpError("attribute 'llvm.loop_annotation' is ignored by the "
                      "translation; spell it 'loop_annotation'");
      return WalkResult::interrupt();
    }
    LogicalResult checked = success();
    if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
      checked = checkInlineAsm(assembly, target);
    else if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op))
      checked = checkAtomic(atomic);
    else if (auto global = dyn_cast<LLVM::GlobalOp>(op))
      checked = checkGlobal(global);
    else if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
      checked = success(succeeded(checkName(function)) &&
                        succeeded(checkDependentLaunch(function)));
    return failed(checked) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace wna16
