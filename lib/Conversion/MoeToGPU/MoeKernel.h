//===- MoeKernel.h - kernels of one op each -------------------------------===//
//
// What routing and sums have in common: the function around the op, the kernel
// that takes its place, the local expert of a slot.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_MOETOGPU_MOEKERNEL_H
#define WNA16_LIB_CONVERSION_MOETOGPU_MOEKERNEL_H

#include "lib/Launch/LaunchRecord.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace wna16 {

/// Whether `func` returns `op` of its arguments and does nothing else.
bool isAllOf(mlir::func::FuncOp func, mlir::Operation *op);

/// Numbers without a sign of 32 bits, if not said otherwise.
class MoeEmitter {
public:
  using Value = mlir::Value;

  explicit MoeEmitter(mlir::func::FuncOp func) : b(func.getLoc(), func) {}

  /// The kernel that `record` describes, in a module in front of the function.
  /// Inserts at its begin from now on. Scalars are i32, all else pointers.
  mlir::LLVM::LLVMFuncOp createKernel(const LaunchRecord &record);

  Value i32(int64_t value) {
    return mlir::arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }
  Value add(Value x, Value y) { return mlir::arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubIOp::create(b, x, y); }
  Value mul(Value x, Value y) { return mlir::arith::MulIOp::create(b, x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivUIOp::create(b, x, y); }
  Value rem(Value x, Value y) { return mlir::arith::RemUIOp::create(b, x, y); }
  Value min(Value x, Value y) { return mlir::arith::MinUIOp::create(b, x, y); }
  Value both(Value x, Value y) { return mlir::arith::AndIOp::create(b, x, y); }
  Value select(Value condition, Value then, Value otherwise) {
    return mlir::arith::SelectOp::create(b, condition, then, otherwise);
  }
  Value isBelow(Value x, Value bound) {
    return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::ult, x,
                                       bound);
  }
  /// In 64 bits.
  Value wide(Value x) {
    return mlir::arith::ExtUIOp::create(b, b.getI64Type(), x);
  }

  /// Address of element `index` of an array of `type`.
  Value at(Value pointer, mlir::Type type, Value index);
  /// A number of a table.
  Value number(Value table, Value index);

  using Body = llvm::function_ref<void()>;
  using Make = llvm::function_ref<Value()>;
  void when(Value condition, Body body);
  Value choose(Value condition, Make then, Make otherwise);

  /// Router ids, and what they mean.
  struct Routing {
    Value ids, map;
    int64_t mapSize, experts;
  };
  /// The local expert of a slot that exists, `experts` or more if dropped.
  Value localExpert(const Routing &routing, Value slot);

  mlir::ImplicitLocOpBuilder b;
};

} // namespace wna16

#endif // WNA16_LIB_CONVERSION_MOETOGPU_MOEKERNEL_H
