//===- CheckResources.cpp - needs of a kernel against limits of a target --===//
//
// Reads the launch record and the nvvm attributes of every kernel. Registers
// and spills are ptxas's to report; this pass checks what is known before.
//
//===----------------------------------------------------------------------===//
#include "lib/Transforms/KernelPasses.h"

#include "lib/Launch/LaunchRecord.h"
#include "lib/Target/GpuTarget.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

namespace wna16 {

#define GEN_PASS_DEF_CHECKRESOURCES
#include "lib/Transforms/KernelPasses.h.inc"

namespace {

/// The check of one kernel.
class ResourceCheck {
public:
  ResourceCheck(LLVM::LLVMFuncOp kernel, StringRef targetName)
      : kernel(kernel), targetName(targetName) {}

  LogicalResult run() {
    if (failed(readRecord()) || failed(findTheTarget()))
      return failure();
    if (failed(checkThreads()) || failed(checkCluster()) ||
        failed(checkShared()) || failed(checkRegisters()))
      return failure();
    return success();
  }

private:
  InFlightDiagnostic error() {
    return kernel.emitError("kernel '") << kernel.getName() << "' ";
  }

  LogicalResult readRecord() {
    auto text = kernel->getAttrOfType<StringAttr>(launchAttributeName);
    if (!text)
      return success();
    llvm::Expected<LaunchRecord> parsed = LaunchRecord::fromJSON(text);
    if (!parsed)
      return kernel.emitError() << llvm::toString(parsed.takeError());
    record = std::move(*parsed);
    return success();
  }

  LogicalResult findTheTarget() {
    if (targetName.empty() && record)
      targetName = record->target;
    target = findTarget(targetName);
    if (!target)
      return kernel.emitError() << unknownTargetMessage(targetName);
    return success();
  }

  /// Product of a dense i32 array attribute; 0 if it is absent.
  int64_t product(StringRef name) {
    auto sizes = kernel->getAttrOfType<DenseI32ArrayAttr>(name);
    if (!sizes)
      return 0;
    int64_t result = 1;
    for (int32_t size : sizes.asArrayRef())
      result *= size;
    return result;
  }

  LogicalResult checkThreads() {
    int64_t required = product(NVVM::NVVMDialect::getReqntidAttrName());
    int64_t most = product(NVVM::NVVMDialect::getMaxntidAttrName());
    threads = record ? record->threadsPerBlock() : required;
    if (record && required && required != threads)
      return error() << "requires blocks of " << required
                     << " threads, but its launch record says " << threads
                     << " [RES-C1]";
    if (most && threads > most)
      return error() << "is launched with " << threads
                     << " threads per block, but promises at most " << most
                     << " [RES-C1]";
    threads = std::max(threads, most);
    if (threads > target->maxThreadsPerBlock)
      return error() << "uses " << threads << " threads per block; target "
                     << target->name << " has " << target->maxThreadsPerBlock
                     << " [RES-C1]";
    return success();
  }

  LogicalResult checkCluster() {
    int64_t blocks = std::max<int64_t>(
        product(NVVM::NVVMDialect::getClusterDimAttrName()), 1);
    if (record)
      blocks = std::max(blocks, record->cluster[0] * record->cluster[1] *
                                    record->cluster[2]);
    if (blocks == 1)
      return success();
    if (!target->hasClusters())
      return error() << "uses clusters of " << blocks << " blocks; target "
                     << target->name << " has no clusters [RES-C2]";
    if (blocks > target->maxClusterBlocks)
      return error() << "uses clusters of " << blocks << " blocks; target "
                     << target->name << " has " << target->maxClusterBlocks
                     << " [RES-C2]";
    return success();
  }

  /// Bytes of the shared globals in the kernel's module that have a size.
  int64_t staticSharedBytes() {
    int64_t bytes = 0;
    auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
    if (!module)
      return 0;
    DataLayout layout(module);
    for (auto global : module.getOps<LLVM::GlobalOp>())
      if (global.getAddrSpace() == NVVM::NVVMMemorySpace::Shared)
        bytes += layout.getTypeSize(global.getGlobalType());
    return bytes;
  }

  LogicalResult checkShared() {
    shared = staticSharedBytes() + (record ? record->sharedBytes : 0);
    if (shared > target->maxSharedBytesPerBlock)
      return error() << "uses " << shared << " bytes of shared memory; target "
                     << target->name << " has "
                     << target->maxSharedBytesPerBlock
                     << " for one block; use fewer stages or a smaller tile "
                        "[RES-C3]";
    return success();
  }

  LogicalResult checkRegisters() {
    int64_t registers = 0;
    if (auto limit = kernel->getAttrOfType<IntegerAttr>(
            NVVM::NVVMDialect::getMaxnregAttrName()))
      registers = limit.getInt();
    if (registers > target->maxRegistersPerThread)
      return error() << "asks for " << registers
                     << " registers per thread; target " << target->name
                     << " has " << target->maxRegistersPerThread
                     << " [RES-C4]";
    auto resident = kernel->getAttrOfType<IntegerAttr>(
        NVVM::NVVMDialect::getMinctasmAttrName());
    if (!resident || threads == 0)
      return success();
    int64_t fit = target->residentBlocks(threads, registers, shared);
    if (resident.getInt() > fit)
      return error() << "promises " << resident.getInt()
                     << " resident blocks; a multiprocessor of target "
                     << target->name << " holds " << fit
                     << " of them [RES-C5]";
    return success();
  }

  LLVM::LLVMFuncOp kernel;
  StringRef targetName;
  std::optional<LaunchRecord> record;
  const GpuTarget *target = nullptr;
  int64_t threads = 0;
  int64_t shared = 0;
};

struct CheckResources : public impl::CheckResourcesBase<CheckResources> {
  using CheckResourcesBase::CheckResourcesBase;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](LLVM::LLVMFuncOp function) {
      if (!function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
        return WalkResult::advance();
      if (failed(ResourceCheck(function, target).run()))
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
