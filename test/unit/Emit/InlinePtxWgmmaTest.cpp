//===- InlinePtxWgmmaTest.cpp - asynchronous products through ptxas -------===//
//
// One kernel per width: a first product and a sum of both types, and a wait.
// Every row of the table is used, found again by `classify`, and assembled
// without a note that products are serialised. Without ptxas the last step is
// left out.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/TileToNVVM/InlinePtxWgmma.h"
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

class InlinePtxWgmmaTest : public testing::Test {
protected:
  InlinePtxWgmmaTest() : builder(&context), loc(builder.getUnknownLoc()) {
    context
        .loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect, gpu::GPUDialect>();
  }

  OwningOpRef<ModuleOp> makeKernel(unsigned columns, bool isBf16) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    auto gpuModule = gpu::GPUModuleOp::create(builder, loc, "m");
    builder.setInsertionPointToEnd(gpuModule.getBody());
    Type global = LLVM::LLVMPointerType::get(&context, 1);
    Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&context),
                                            {global, i32, i64});
    auto kernel = LLVM::LLVMFuncOp::create(builder, loc, "k", type);
    kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
    kernel->setAttr("nvvm.reqntid", builder.getDenseI32ArrayAttr({128}));
    Block *block = kernel.addEntryBlock(builder);
    builder.setInsertionPointToEnd(block);
    Value number = block->getArgument(1), b = block->getArgument(2);
    SmallVector<Value> a(4, number);
    NVVM::WgmmaFenceAlignedOp::create(builder, loc);
    SmallVector<Value> sums =
        multiplyAsync(builder, loc, columns, isBf16, a, b, {});
    sums = multiplyAsync(builder, loc, columns, isBf16, a, b, sums);
    NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
    NVVM::WgmmaWaitGroupSyncOp::create(builder, loc,
                                       builder.getI64IntegerAttr(0));
    sums = holdRegisters(builder, loc, sums);
    EXPECT_EQ(sums.size(), columns / 2);
    Value pointer = block->getArgument(0);
    for (Value sum : sums) {
      LLVM::StoreOp::create(builder, loc, sum, pointer);
      pointer = LLVM::GEPOp::create(builder, loc, global, builder.getF32Type(),
                                    pointer, ArrayRef<LLVM::GEPArg>{128});
    }
    LLVM::ReturnOp::create(builder, loc, ValueRange());
    return module;
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
};

TEST_F(InlinePtxWgmmaTest, EveryRowIsBuiltAndAssembled) {
  const wna16::GpuTarget *target = wna16::findTarget("sm_90a");
  ASSERT_TRUE(target);
  std::set<std::string> used;
  for (bool isBf16 : {false, true})
    for (unsigned columns = 8; columns <= 256; columns += 8) {
      SCOPED_TRACE(columns);
      OwningOpRef<ModuleOp> module = makeKernel(columns, isBf16);
      module->walk([&](LLVM::InlineAsmOp op) {
        std::optional<InlinePtxInfo> info = classify(op);
        ASSERT_TRUE(info) << op.getAsmString().str();
        EXPECT_TRUE(op.getHasSideEffects());
        EXPECT_TRUE(op.getConstraints().contains("~{memory}"));
        if (op.getAsmString().empty())
          return;
        used.insert(info->name.str());
        // The descriptor is an address, and nothing else is.
        for (unsigned index = 0; index < op->getNumOperands(); ++index)
          EXPECT_EQ(info->isAddress(index),
                    op->getOperand(index).getType().isInteger(64));
      });
      // One of a kind is enough for the assembler.
      if (columns % 64)
        continue;
      auto gpuModule = *module->getOps<gpu::GPUModuleOp>().begin();
      FailureOr<wna16::EmittedPtx> emitted = wna16::emitPtx(gpuModule, *target);
      ASSERT_TRUE(succeeded(emitted));
      llvm::Expected<wna16::Assembly> assembly =
          wna16::assemblePtx(emitted->ptx, *target);
      ASSERT_TRUE(static_cast<bool>(assembly))
          << llvm::toString(assembly.takeError());
      EXPECT_TRUE(assembly->notes.empty()) << assembly->notes.front();
    }
  EXPECT_EQ(used.size(), allWgmmaInstructions().size());
}

} // namespace
