//===- MoeKernel.cpp - kernels of one op each -----------------------------===//
#include "lib/Conversion/MoeToGPU/MoeKernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace wna16 {

bool isAllOf(func::FuncOp func, Operation *op) {
  if (!llvm::hasSingleElement(func.getBody()))
    return false;
  Block &body = func.front();
  Operation *end = body.getTerminator();
  return body.getOperations().size() == 2 && op->getBlock() == &body &&
         llvm::equal(op->getOperands(), func.getArguments()) &&
         llvm::equal(end->getOperands(), op->getResults());
}

LLVM::LLVMFuncOp MoeEmitter::createKernel(const LaunchRecord &record) {
  auto module = gpu::GPUModuleOp::create(b, record.kernel + "_module");
  b.setInsertionPointToStart(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  SmallVector<Type> types;
  for (const LaunchArgument &argument : record.arguments)
    types.push_back(argument.isBuffer() ? Type(pointer) : b.getI32Type());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), types);
  auto kernel = LLVM::LLVMFuncOp::create(b, record.kernel, type);
  kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                  b.getDenseI32ArrayAttr({int32_t(record.threadsPerBlock())}));
  kernel->setAttr(launchAttributeName, b.getStringAttr(record.toJSON()));
  Block *entry = kernel.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  LLVM::ReturnOp::create(b, ValueRange());
  b.setInsertionPointToStart(entry);
  return kernel;
}

Value MoeEmitter::at(Value pointer, Type type, Value index) {
  if (index.getType() == b.getI32Type())
    index = wide(index);
  return LLVM::GEPOp::create(b, pointer.getType(), type, pointer,
                             ArrayRef<LLVM::GEPArg>{index});
}

Value MoeEmitter::number(Value table, Value index) {
  return LLVM::LoadOp::create(b, b.getI32Type(),
                              at(table, b.getI32Type(), index));
}

void MoeEmitter::when(Value condition, Body body) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value MoeEmitter::choose(Value condition, Make then, Make otherwise) {
  auto yield = [&](Make make) {
    return [this, make](OpBuilder &builder, Location) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(builder.getInsertionBlock(),
                          builder.getInsertionPoint());
      scf::YieldOp::create(b, make());
    };
  };
  return scf::IfOp::create(b, condition, yield(then), yield(otherwise))
      .getResult(0);
}

Value MoeEmitter::localExpert(const Routing &routing, Value slot) {
  Value id = number(routing.ids, slot);
  if (!routing.map)
    return id;
  // No branch, so that the look-ups of several slots do not wait for each
  // other: there always is a first entry.
  Value isKnown = isBelow(id, i32(routing.mapSize));
  Value local = number(routing.map, select(isKnown, id, i32(0)));
  return select(isKnown, local, i32(routing.experts));
}

} // namespace wna16
