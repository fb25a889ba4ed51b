//===- InlinePtxTest.cpp - every row of the table through ptxas -----------===//
//
// Builds one kernel with every instruction of the table, checks that each row
// was used and is found again by `classify`, and emits and assembles it for
// every target. Without ptxas the last step is left out.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/TileToNVVM/InlinePtx.h"
#include "lib/Emit/EmitPtx.h"
#include "lib/Emit/Ptxas.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace wna16::ptx;

namespace {

/// A gpu.module with one kernel that holds every instruction.
class InlinePtxTest : public testing::Test {
protected:
  InlinePtxTest() : builder(&context), loc(builder.getUnknownLoc()) {
    context
        .loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect, gpu::GPUDialect>();
    module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    gpuModule = gpu::GPUModuleOp::create(builder, loc, "m");
    builder.setInsertionPointToEnd(gpuModule.getBody());
    Type global = LLVM::LLVMPointerType::get(&context, 1);
    Type shared = LLVM::LLVMPointerType::get(&context, 3);
    Type i32 = builder.getI32Type();
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&context),
                                            {global, shared, i32});
    kernel = LLVM::LLVMFuncOp::create(builder, loc, "k", type);
    kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
    Block *block = kernel.addEntryBlock(builder);
    builder.setInsertionPointToEnd(block);
    fill(block->getArgument(0), block->getArgument(1), block->getArgument(2));
    LLVM::ReturnOp::create(builder, loc, ValueRange());
  }

  void fill(Value global, Value shared, Value number) {
    Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                          builder.getI32IntegerAttr(0));
    Value predicate = LLVM::ICmpOp::create(
        builder, loc, LLVM::ICmpPredicate::sgt, number, zero);
    global = pinPointer(builder, loc, global);
    number = pinRegister(builder, loc, number);
    number = andOr(builder, loc, number, 0x000f000f, 0x64006400);
    number = andOr(builder, loc, number, 0x000f000f, number);
    number = transposeMatrix(builder, loc, number);
    for (unsigned bytes : {4, 8, 16}) {
      copyAsync(builder, loc, shared, global, bytes);
      copyAsync(builder, loc, shared, global, bytes, predicate);
      copyAsync(builder, loc, shared, global, bytes, predicate, number);
    }
    for (AccessWidth width : {AccessWidth::B16, AccessWidth::B32,
                              AccessWidth::B64, AccessWidth::B128})
      for (LoadPath path : {LoadPath::Plain, LoadPath::ReadOnly}) {
        auto loaded = loadGlobal(builder, loc, global, width, path);
        EXPECT_EQ(loaded.size(), registerCount(width));
        loaded =
            loadGlobal(builder, loc, global, width, path, predicate, loaded);
        storeGlobal(builder, loc, global, width, loaded);
        storeGlobal(builder, loc, global, width, loaded, predicate);
        storeShared(builder, loc, shared, width, loaded);
        storeShared(builder, loc, shared, width, loaded, predicate);
      }
    addReleaseGlobal(builder, loc, global, number);
    takeTicketGlobal(builder, loc, global, 4, predicate);
    barrierAny(builder, loc, 0, 32, predicate);
    Value cluster = NVVM::MapaOp::create(
        builder, loc, LLVM::LLVMPointerType::get(&context, 7), shared, zero);
    for (AccessWidth width :
         {AccessWidth::B32, AccessWidth::B64, AccessWidth::B128}) {
      SmallVector<Value> words(registerCount(width), number);
      storeAsyncCluster(builder, loc, cluster, cluster, width, words);
      storeAsyncCluster(builder, loc, cluster, cluster, width, words,
                        predicate);
    }
  }

  /// Leaves the rows that only targets with clusters have.
  void eraseClusterOps() {
    SmallVector<Operation *> ops;
    kernel.walk([&](LLVM::InlineAsmOp op) {
      if (classify(op)->capability)
        ops.push_back(op);
    });
    kernel.walk([&](NVVM::MapaOp op) { ops.push_back(op); });
    for (Operation *op : ops)
      op->erase();
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
  OwningOpRef<ModuleOp> module;
  gpu::GPUModuleOp gpuModule;
  LLVM::LLVMFuncOp kernel;
};

TEST_F(InlinePtxTest, TableMatchesOps) {
  std::set<std::string> used;
  kernel.walk([&](LLVM::InlineAsmOp op) {
    std::optional<InlinePtxInfo> info = classify(op);
    ASSERT_TRUE(info) << op.getAsmString().str();
    used.insert(info->name.str());
    bool pure = info->instructionClass == InstructionClass::Pure;
    EXPECT_EQ(op.getHasSideEffects(), !pure) << info->name.str();
    EXPECT_EQ(op.getConstraints().contains("~{memory}"), !pure)
        << info->name.str();
    for (unsigned index = 0; index < op->getNumOperands(); ++index) {
      bool pointer =
          isa<LLVM::LLVMPointerType>(op->getOperand(index).getType());
      EXPECT_EQ(info->isAddress(index), pointer && !pure)
          << info->name.str() << " operand " << index;
    }
    EXPECT_TRUE(!info->readsMemory || op->getNumResults() > 0);
  });
  EXPECT_EQ(used.size(), allInstructions().size());
}

TEST_F(InlinePtxTest, UnknownTextIsNotClassified) {
  LLVM::InlineAsmOp first;
  kernel.walk([&](LLVM::InlineAsmOp op) {
    first = op;
    return WalkResult::interrupt();
  });
  first.setConstraints("=l,r");
  EXPECT_FALSE(classify(first));
  first.setAsmString("mov.b64 $0, 0;");
  EXPECT_FALSE(classify(first));
}

TEST_F(InlinePtxTest, TargetsWithClustersAcceptEveryRow) {
  for (const wna16::GpuTarget &target : wna16::allTargets()) {
    SCOPED_TRACE(target.name.str());
    if (!target.hasClusters()) {
      ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
      EXPECT_TRUE(failed(wna16::emitPtx(gpuModule, target)));
      continue;
    }
    FailureOr<wna16::EmittedPtx> emitted = wna16::emitPtx(gpuModule, target);
    ASSERT_TRUE(succeeded(emitted));
    llvm::Expected<wna16::Assembly> assembly =
        wna16::assemblePtx(emitted->ptx, target);
    ASSERT_TRUE(static_cast<bool>(assembly))
        << llvm::toString(assembly.takeError());
    EXPECT_TRUE(!assembly->cubin || assembly->resources["k"].registers > 0);
  }
}

TEST_F(InlinePtxTest, TargetsWithoutClustersAcceptTheOtherRows) {
  eraseClusterOps();
  for (const wna16::GpuTarget &target : wna16::allTargets()) {
    SCOPED_TRACE(target.name.str());
    if (target.hasClusters())
      continue;
    FailureOr<wna16::EmittedPtx> emitted = wna16::emitPtx(gpuModule, target);
    ASSERT_TRUE(succeeded(emitted));
    llvm::Expected<wna16::Assembly> assembly =
        wna16::assemblePtx(emitted->ptx, target);
    ASSERT_TRUE(static_cast<bool>(assembly))
        << llvm::toString(assembly.takeError());
    EXPECT_TRUE(!assembly->cubin || assembly->resources["k"].registers > 0);
  }
}

} // namespace
