//===- Wna16ToVector.cpp - convert-wna16-to-vector ------------------------===//
//
// The function around a product: arguments in memory, bounds, launch record.
// The loops are in ProductLoops.cpp.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/Wna16ToVector/Passes.h"
#include "lib/Conversion/Wna16ToVector/ProductLoops.h"
#include "lib/Conversion/Wna16ToVector/ProductRecord.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace wna16 {
#define GEN_PASS_DEF_CONVERTWNA16TOVECTOR
#include "lib/Conversion/Wna16ToVector/Passes.h.inc"
} // namespace wna16

using namespace mlir;
using mlir::wna16::GemmOp;

namespace wna16 {
namespace {

/// The gemm that `func` returns, or null when there is none; an error when
/// there is more in the function than that.
FailureOr<GemmOp> matchProduct(func::FuncOp func) {
  GemmOp gemm;
  func.walk([&](GemmOp op) { gemm = op; });
  if (!gemm)
    return gemm;
  Block &body = func.front();
  auto ret = dyn_cast<func::ReturnOp>(body.getTerminator());
  bool onlyGemm =
      llvm::hasSingleElement(func.getBody()) &&
      body.getOperations().size() == 2 && ret && ret.getNumOperands() == 1 &&
      ret.getOperand(0) == gemm.getY() &&
      llvm::all_of(gemm->getOperands(), llvm::IsaPred<BlockArgument>);
  if (!onlyGemm)
    return func.emitOpError("expected a function that returns one wna16.gemm "
                            "of its arguments and does nothing else [CPU-C1]");
  return gemm;
}

/// One dimension, all elements of storage.
MemRefType storageOf(RankedTensorType type) {
  RankedTensorType plain =
      mlir::wna16::getLayout(type) ? mlir::wna16::getStorageType(type) : type;
  return MemRefType::get(plain.getShape(), plain.getElementType());
}

class ProductFunction {
public:
  ProductFunction(func::FuncOp func, GemmOp gemm, const CpuTarget &target)
      : func(func), gemm(gemm), target(target), b(gemm.getLoc(), func) {}

  void build() {
    std::string record =
        makeProductRecord(gemm, func.getSymName(), target.name).toJSON();
    auto product = func::FuncOp::create(
        b, func.getSymName(), b.getFunctionType(argumentTypes(), TypeRange()));
    product->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                     b.getUnitAttr());
    product->setAttr(launchAttributeName, b.getStringAttr(record));
    b.setInsertionPointToStart(product.addEntryBlock());
    unsigned taken = 0;
    auto next = [&]() -> Value { return product.getArgument(taken++); };
    ProductArguments arguments;
    arguments.x = next();
    arguments.weights.w = flat(next());
    arguments.weights.s = flat(next());
    if (gemm.getZeros())
      arguments.weights.zeros = flat(next());
    if (gemm.getBias())
      arguments.bias = flat(next());
    arguments.y = next();
    for (Value *bound :
         {&arguments.m0, &arguments.m1, &arguments.n0, &arguments.n1})
      *bound = next();
    emitProduct(b, gemm, arguments, target);
    func::ReturnOp::create(b);
    func.erase();
  }

private:
  SmallVector<Type> argumentTypes() {
    RankedTensorType x = gemm.getX().getType(), y = gemm.getY().getType();
    auto rows = StridedLayoutAttr::get(b.getContext(), /*offset=*/0,
                                       {ShapedType::kDynamic, 1});
    SmallVector<Type> types = {MemRefType::get(
        {ShapedType::kDynamic, x.getDimSize(1)}, x.getElementType(), rows)};
    for (Value stored : gemm->getOperands().drop_front())
      types.push_back(storageOf(cast<RankedTensorType>(stored.getType())));
    types.push_back(MemRefType::get({ShapedType::kDynamic, y.getDimSize(1)},
                                    y.getElementType()));
    types.append(4, b.getIndexType());
    return types;
  }

  /// Rows that lie one after the other, as one dimension.
  Value flat(Value value) {
    auto type = cast<MemRefType>(value.getType());
    if (type.getRank() == 1)
      return value;
    return memref::CollapseShapeOp::create(
        b, value, ArrayRef<ReassociationIndices>{{0, 1}});
  }

  func::FuncOp func;
  GemmOp gemm;
  const CpuTarget &target;
  ImplicitLocOpBuilder b;
};

struct ConvertWna16ToVector
    : impl::ConvertWna16ToVectorBase<ConvertWna16ToVector> {
  using ConvertWna16ToVectorBase::ConvertWna16ToVectorBase;

  void runOnOperation() override {
    const CpuTarget *cpu = findCpuTarget(target);
    if (!cpu) {
      getOperation().emitError() << unknownCpuTargetMessage(target);
      return signalPassFailure();
    }
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (func.isExternal())
        continue;
      FailureOr<GemmOp> gemm = matchProduct(func);
      if (failed(gemm))
        return signalPassFailure();
      if (*gemm)
        ProductFunction(func, *gemm, *cpu).build();
    }
  }
};

} // namespace
} // namespace wna16
