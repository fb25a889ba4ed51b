//===- MoeSumToGPU.cpp - convert-moe-sum-to-gpu ---------------------------===//
//
// A block per token and part of its columns. All rows that a thread needs are
// asked for before the first is added.
//
//===----------------------------------------------------------------------===//
#include "dialect/Wna16/Wna16.h"
#include "lib/Conversion/MoeToGPU/MoeKernel.h"
#include "lib/Conversion/MoeToGPU/Passes.h"
#include "lib/Conversion/TensorArgument.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <limits>
#include <numeric>

namespace wna16 {
#define GEN_PASS_DEF_CONVERTMOESUMTOGPU
#include "lib/Conversion/MoeToGPU/Passes.h.inc"
} // namespace wna16

using namespace mlir;
using mlir::wna16::MoeSumOp;

namespace wna16 {
namespace {

constexpr int64_t mostThreads = 256, accessBytes = 16;

class SumKernel {
public:
  SumKernel(func::FuncOp func, MoeSumOp op, StringRef target)
      : func(func), op(op), target(target), emit(func),
        hElement(op.getH().getType().getElementType()),
        yElement(op.getY().getType().getElementType()),
        columns(op.getY().getType().getDimSize(1)),
        topK(op.getIds().getType().getDimSize(1)) {
    const unsigned bits = std::max(hElement.getIntOrFloatBitWidth(),
                                   yElement.getIntOrFloatBitWidth());
    width = std::gcd(columns, 8 * accessBytes / bits);
    threads =
        std::min(mostThreads, int64_t(llvm::alignTo(columns / width, 32)));
  }

  void build() {
    LLVM::LLVMFuncOp kernel = emit.createKernel(record());
    auto next = kernel.getBody().args_begin();
    Value h = *next++;
    MoeEmitter::Routing routing{*next++, {}, 0, op.getExperts()};
    if (op.getMap()) {
      routing.map = *next++;
      routing.mapSize = op.getMap().getType().getDimSize(0);
    }
    Value weights = op.getWeights() ? Value(*next++) : Value();
    createBody(h, routing, weights, *next);
    func.erase();
  }

private:
  LaunchRecord record() {
    LaunchRecord record;
    record.kernel = func.getSymName();
    record.target = target;
    auto describe = [&](StringRef name, RankedTensorType type,
                        const char *rows) -> LaunchArgument & {
      LaunchArgument argument = describeTensor(name, type);
      if (type.isDynamicDim(0))
        argument.shape[0] = rows;
      return record.arguments.emplace_back(std::move(argument));
    };
    auto vectors = [&](LaunchArgument &argument) -> LaunchArgument & {
      argument.alignment = width * dtypeBytes(argument.dtype);
      return argument;
    };
    LaunchProblem problem;
    LaunchRouting routing;
    vectors(describe("h", op.getH().getType(), "P"));
    describe("ids", op.getIds().getType(), "T").ids =
        LaunchArgument::Ids::Expert;
    if (op.getMap()) {
      describe("map", op.getMap().getType(), "").ids =
          LaunchArgument::Ids::Expert;
      routing.map = "map";
    }
    if (op.getWeights()) {
      describe("weights", op.getWeights().getType(), "T");
      routing.weights = "weights";
    }
    vectors(describe("y", op.getY().getType(), "T")).access =
        LaunchArgument::Access::Write;
    const int64_t most = std::numeric_limits<int32_t>::max() / topK;
    record.symbols["T"].max = most;
    if (op.getH().getType().isDynamicDim(0))
      record.symbols["P"].max = most * topK;
    record.grid[0] = GridDimension{"T", 1};
    record.grid[1] = GridDimension{columns / width, threads};
    record.block = {threads, 1, 1};
    routing.ids = "ids";
    routing.experts = op.getExperts();
    routing.topK = topK;
    problem.op = "moe_sum";
    problem.x = "h";
    problem.y = "y";
    problem.routing = routing;
    record.problem = problem;
    return record;
  }

  void createBody(Value h, const MoeEmitter::Routing &routing, Value weights,
                  Value y) {
    ImplicitLocOpBuilder &b = emit.b;
    Type i32 = b.getI32Type();
    Value token = NVVM::BlockIdXOp::create(b, i32);
    Value part = emit.mul(NVVM::BlockIdYOp::create(b, i32), emit.i32(threads));
    Value vector = emit.add(part, NVVM::ThreadIdXOp::create(b, i32));
    emit.when(emit.isBelow(vector, emit.i32(columns / width)), [&] {
      Value column = emit.wide(emit.mul(vector, emit.i32(width)));
      Value result = sum(h, routing, weights, token, column);
      LLVM::StoreOp::create(b, result, address(y, yElement, token, column),
                            alignment(yElement));
    });
  }

  /// The thread's columns of y.
  Value sum(Value h, const MoeEmitter::Routing &routing, Value weights,
            Value token, Value column) {
    ImplicitLocOpBuilder &b = emit.b;
    Value first = emit.mul(token, emit.i32(topK));
    SmallVector<Value> slots, kept;
    Value any, readable;
    for (int64_t j = 0; j < topK; ++j) {
      Value slot = emit.add(first, emit.i32(j));
      Value isKept = emit.isBelow(emit.localExpert(routing, slot),
                                  emit.i32(routing.experts));
      any = j ? arith::OrIOp::create(b, any, isKept).getResult() : isKept;
      readable = j ? emit.select(isKept, slot, readable) : slot;
      slots.push_back(slot);
      kept.push_back(isKept);
    }
    return emit.choose(
        any, [&] { return sumOf(h, weights, slots, kept, readable, column); },
        [&] { return zeros(VectorType::get({width}, yElement)); });
  }

  /// The row of a dropped slot is not read: that of a slot that is kept, which
  /// is `readable`, is read again, so that no read waits for a branch.
  Value sumOf(Value h, Value weights, ArrayRef<Value> slots,
              ArrayRef<Value> kept, Value readable, Value column) {
    ImplicitLocOpBuilder &b = emit.b;
    auto stored = VectorType::get({width}, hElement);
    auto wide = VectorType::get({width}, b.getF32Type());
    SmallVector<Value> values;
    for (auto [slot, isKept] : llvm::zip_equal(slots, kept))
      values.push_back(LLVM::LoadOp::create(
          b, stored,
          address(h, hElement, emit.select(isKept, slot, readable), column),
          alignment(hElement)));
    Value sum = zeros(wide);
    for (auto [slot, isKept, value] : llvm::zip_equal(slots, kept, values)) {
      if (hElement != b.getF32Type())
        value = arith::ExtFOp::create(b, wide, value);
      if (weights) {
        Value weight = LLVM::LoadOp::create(
            b, b.getF32Type(), emit.at(weights, b.getF32Type(), slot));
        value = arith::MulFOp::create(b, value, splat(weight, wide));
      }
      // Not by a weight of 0: that of a dropped slot may be anything.
      sum = emit.select(isKept, arith::AddFOp::create(b, sum, value), sum);
    }
    if (yElement == b.getF32Type())
      return sum;
    return arith::TruncFOp::create(b, VectorType::get({width}, yElement), sum);
  }

  Value zeros(VectorType type) {
    return arith::ConstantOp::create(emit.b, emit.b.getZeroAttr(type));
  }

  Value splat(Value scalar, VectorType type) {
    Value result = LLVM::PoisonOp::create(emit.b, type);
    for (int64_t lane = 0; lane < width; ++lane)
      result =
          LLVM::InsertElementOp::create(emit.b, result, scalar, emit.i32(lane));
    return result;
  }

  /// Rows lie `columns` apart; there may be more than 2^31 elements.
  Value address(Value pointer, Type element, Value row, Value column) {
    ImplicitLocOpBuilder &b = emit.b;
    Value pitch = arith::ConstantOp::create(b, b.getI64IntegerAttr(columns));
    return emit.at(pointer, element,
                   emit.add(emit.mul(emit.wide(row), pitch), column));
  }

  unsigned alignment(Type element) {
    return unsigned(width * element.getIntOrFloatBitWidth() / 8);
  }

  func::FuncOp func;
  MoeSumOp op;
  StringRef target;
  MoeEmitter emit;
  Type hElement, yElement;
  int64_t columns, topK;
  /// Columns of a thread, and threads of a block.
  int64_t width, threads;
};

struct ConvertMoeSumToGPU : impl::ConvertMoeSumToGPUBase<ConvertMoeSumToGPU> {
  using ConvertMoeSumToGPUBase::ConvertMoeSumToGPUBase;

  void runOnOperation() override {
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      MoeSumOp op;
      func.walk([&](MoeSumOp found) { op = found; });
      if (!op)
        continue;
      if (!isAllOf(func, op)) {
        func.emitOpError("expected a function that returns one wna16.moe_sum "
                         "of its arguments, in their order, and does nothing "
                         "else [SUM-C8]");
        return signalPassFailure();
      }
      SumKernel(func, op, target).build();
    }
  }
};

} // namespace
} // namespace wna16
