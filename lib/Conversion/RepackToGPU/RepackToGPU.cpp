//===- RepackToGPU.cpp - convert-repack-to-gpu ----------------------------===//
//
// The kernel around a repack: which item a thread makes, pointers, launch
// record. What an item is made of is in TargetElements.cpp.
//
//===----------------------------------------------------------------------===//
#include "dialect/Wna16/Wna16.h"
#include "lib/Conversion/RepackToGPU/Passes.h"
#include "lib/Conversion/RepackToGPU/TargetElements.h"
#include "lib/Conversion/TensorArgument.h"
#include "lib/Launch/LaunchRecord.h"
#include "lib/Layout/Instances.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace wna16 {
#define GEN_PASS_DEF_CONVERTREPACKTOGPU
#include "lib/Conversion/RepackToGPU/Passes.h.inc"
} // namespace wna16

using namespace mlir;
using mlir::wna16::RepackOp;

namespace wna16 {
namespace {

constexpr int32_t threadsPerBlock = 256;

/// The repack that `func` returns, or null when there is none; an error when
/// there is more in the function than that.
FailureOr<RepackOp> matchRepack(func::FuncOp func) {
  RepackOp repack;
  func.walk([&](RepackOp op) { repack = op; });
  if (!repack)
    return repack;
  Block &body = func.front();
  auto ret = dyn_cast<func::ReturnOp>(body.getTerminator());
  bool onlyRepack = llvm::hasSingleElement(func.getBody()) &&
                    body.getOperations().size() == 2 && ret &&
                    ret.getNumOperands() == 1 &&
                    ret.getOperand(0) == repack.getResult() &&
                    func.getNumArguments() == 1 &&
                    repack.getSource() == func.getArgument(0);
  if (!onlyRepack)
    return func.emitOpError("expected a function that returns one wna16.repack "
                            "of its argument and does nothing else "
                            "[REPACK-C4]");
  return repack;
}

layout::PackedStorage storageOf(RankedTensorType type) {
  if (mlir::wna16::getLayout(type))
    return mlir::wna16::getStorage(type);
  return {layout::rowMajor(type.getDimSize(0), type.getDimSize(1)), 16};
}

class RepackKernel {
public:
  RepackKernel(func::FuncOp func, RepackOp repack, StringRef target)
      : func(func), repack(repack), target(target), b(repack.getLoc(), func),
        from(storageOf(repack.getSource().getType())),
        to(storageOf(repack.getResult().getType())), elements(b, from, to) {}

  void build() {
    auto module =
        gpu::GPUModuleOp::create(b, func.getSymName().str() + "_module");
    b.setInsertionPointToStart(module.getBody());
    auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
    auto kernel = LLVM::LLVMFuncOp::create(
        b, func.getSymName(),
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    {pointer, pointer}));
    kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
    kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr({threadsPerBlock}));
    kernel->setAttr(launchAttributeName, b.getStringAttr(record().toJSON()));
    Block *entry = kernel.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    createBody(entry->getArgument(0), entry->getArgument(1));
    b.setInsertionPointToEnd(entry);
    LLVM::ReturnOp::create(b, ValueRange());
    func.erase();
  }

private:
  LaunchRecord record() {
    LaunchRecord record;
    record.kernel = func.getSymName();
    record.target = target;
    LaunchArgument y = describeTensor("y", repack.getResult().getType());
    y.access = LaunchArgument::Access::Write;
    record.arguments = {describeTensor("x", repack.getSource().getType()), y};
    record.grid[0] = GridDimension{elements.count(), threadsPerBlock};
    record.block = {threadsPerBlock, 1, 1};
    LaunchProblem problem;
    problem.op = "repack";
    problem.x = "x";
    problem.y = "y";
    record.problem = problem;
    return record;
  }

  void createBody(Value x, Value y) {
    Type i32 = b.getI32Type();
    IntegerType type = elements.indexType();
    auto wide = [&](Value value) -> Value {
      return type == i32 ? value
                         : arith::ExtUIOp::create(b, type, value).getResult();
    };
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
    };
    Value thread = wide(NVVM::ThreadIdXOp::create(b, i32));
    Value block = wide(NVVM::BlockIdXOp::create(b, i32));
    Value first = arith::MulIOp::create(b, block, constant(threadsPerBlock));
    Value item = arith::AddIOp::create(b, first, thread);
    Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, item,
                                         constant(elements.count()));
    auto guarded = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
    b.setInsertionPointToStart(guarded.thenBlock());
    Value value = elements.make(
        item, [&](Value item) { return load(x, item); });
    LLVM::StoreOp::create(b, value, address(y, item));
  }

  /// Words of codes, or 16-bit elements as they are.
  Type itemType() { return b.getIntegerType(from.bits() == 16 ? 16 : 32); }

  Value address(Value pointer, Value item) {
    return LLVM::GEPOp::create(b, pointer.getType(), itemType(), pointer,
                               ArrayRef<LLVM::GEPArg>{item});
  }

  Value load(Value pointer, Value item) {
    // No kernel writes what this one reads while it runs.
    return LLVM::LoadOp::create(b, itemType(), address(pointer, item),
                                /*alignment=*/0, /*isVolatile=*/false,
                                /*isNonTemporal=*/false, /*isInvariant=*/true);
  }

  func::FuncOp func;
  RepackOp repack;
  StringRef target;
  ImplicitLocOpBuilder b;
  layout::PackedStorage from, to;
  TargetElements elements;
};

struct ConvertRepackToGPU : impl::ConvertRepackToGPUBase<ConvertRepackToGPU> {
  using ConvertRepackToGPUBase::ConvertRepackToGPUBase;

  void runOnOperation() override {
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (func.isExternal())
        continue;
      FailureOr<RepackOp> repack = matchRepack(func);
      if (failed(repack))
        return signalPassFailure();
      if (*repack)
        RepackKernel(func, *repack, target).build();
    }
  }
};

} // namespace
} // namespace wna16
