//===- MoeRouteToGPU.cpp - convert-moe-route-to-gpu -----------------------===//
//
// A counting sort in one block. Each of some warps has a run of slots: it
// counts them by expert, then, when it is known where its slots of each expert
// begin, writes them in the same order. A table in shared memory has a number
// per warp and expert, which nobody but that warp touches between barriers: no
// atomics, and the order is that of slots.
//
//===----------------------------------------------------------------------===//
#include "dialect/Wna16/Wna16.h"
#include "lib/Conversion/MoeToGPU/MoeKernel.h"
#include "lib/Conversion/MoeToGPU/Passes.h"
#include "lib/Conversion/TensorArgument.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wna16 {
#define GEN_PASS_DEF_CONVERTMOEROUTETOGPU
#include "lib/Conversion/MoeToGPU/Passes.h.inc"
} // namespace wna16

using namespace mlir;
using mlir::wna16::MoeRouteOp;

namespace wna16 {
namespace {

/// Every expert has a thread.
constexpr int64_t threads = 1024, lanes = 32, warps = threads / lanes;
/// Numbers in shared memory that warps count in: together with the rest less
/// than 48 KiB, which every target has without asking.
constexpr int64_t mostCounts = 8192;
constexpr int64_t mostSlots = int64_t(1) << 20;
constexpr StringLiteral sharedName = "moe_route_shared";

class RouteKernel {
public:
  RouteKernel(func::FuncOp func, MoeRouteOp op, StringRef target)
      : func(func), op(op), target(target), emit(func),
        experts(op.getExperts()), rows(op.getSegmentRows()),
        topK(op.getIds().getType().getDimSize(1)),
        sorters(std::min(warps, mostCounts / experts)) {}

  void build() {
    const LaunchRecord launch = record();
    LLVM::LLVMFuncOp kernel = emit.createKernel(launch);
    auto next = kernel.getBody().args_begin();
    routing = {*next++, {}, 0, experts};
    if (op.getMap()) {
      routing.map = *next++;
      routing.mapSize = op.getMap().getType().getDimSize(0);
    }
    segments = *next++;
    list = *next++;
    createShared(kernel);
    createBody(*next);
    func.erase();
  }

private:
  LaunchRecord record() {
    LaunchRecord record;
    record.kernel = func.getSymName();
    record.target = target;
    using Access = LaunchArgument::Access;
    using Ids = LaunchArgument::Ids;
    auto describe = [&](StringRef name, RankedTensorType type, const char *rows,
                        Ids ids, Access access) {
      LaunchArgument argument = describeTensor(name, type);
      if (type.isDynamicDim(0))
        argument.shape[0] = rows;
      argument.ids = ids;
      argument.access = access;
      record.arguments.push_back(std::move(argument));
    };
    describe("ids", op.getIds().getType(), "T", Ids::Expert, Access::Read);
    if (op.getMap())
      describe("map", op.getMap().getType(), "", Ids::Expert, Access::Read);
    describe("segments", op.getSegments().getType(), "B", Ids::Expert,
             Access::Write);
    record.arguments.back().alignment = 16;
    describe("slots", op.getSlots().getType(), "P", Ids::Row, Access::Write);
    LaunchArgument tokens;
    tokens.name = "T";
    tokens.kind = LaunchArgument::Kind::Scalar;
    tokens.dtype = "i32";
    tokens.value = "T";
    record.arguments.push_back(tokens);
    record.symbols["T"].max = mostSlots / topK;
    record.symbols["P"].max = mostSlots;
    record.symbols["B"].max = mostSlots;
    record.block = {threads, 1, 1};
    record.sharedBytes = 4 * (sorters * experts + 3 * experts + 2 * warps);
    LaunchRouting routing;
    routing.ids = "ids";
    routing.map = op.getMap() ? "map" : "";
    routing.segments = "segments";
    routing.slots = "slots";
    routing.experts = experts;
    routing.topK = topK;
    routing.segmentRows = rows;
    LaunchProblem problem;
    problem.op = "moe_route";
    problem.routing = routing;
    record.problem = problem;
    return record;
  }

  void createShared(LLVM::LLVMFuncOp kernel) {
    ImplicitLocOpBuilder &b = emit.b;
    LLVM::GlobalOp shared;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(kernel);
      // External and of no size: the launch gives the bytes.
      shared = LLVM::GlobalOp::create(
          b, LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
          LLVM::Linkage::External, sharedName, Attribute(), /*alignment=*/16,
          /*addrSpace=*/3);
    }
    Value base = LLVM::AddressOfOp::create(b, shared);
    int64_t used = 0;
    auto take = [&](int64_t count) {
      Value array = emit.at(base, b.getI32Type(), emit.i32(used));
      used += count;
      return array;
    };
    counts = take(sorters * experts);
    firsts = take(experts);
    firstRows = take(experts);
    totals = take(experts);
    warpPositions = take(warps);
    warpRows = take(warps);
  }

  void createBody(Value tokens) {
    ImplicitLocOpBuilder &b = emit.b;
    Type i32 = b.getI32Type();
    thread = NVVM::ThreadIdXOp::create(b, i32);
    lane = emit.rem(thread, emit.i32(lanes));
    warp = emit.div(thread, emit.i32(lanes));
    all = emit.i32(-1);
    slots = emit.mul(tokens, emit.i32(topK));
    // Of whole warps, the same number for each that sorts.
    Value perWarp =
        emit.mul(emit.div(emit.add(slots, emit.i32(lanes * sorters - 1)),
                          emit.i32(lanes * sorters)),
                 emit.i32(lanes));
    begin = emit.mul(warp, perWarp);
    // Warps that do not sort begin behind all slots.
    end = emit.min(emit.add(begin, perWarp), slots);

    everyThread(emit.i32(0), emit.i32(sorters * experts),
                [&](Value i) { store(emit.i32(0), counts, i); });
    meet();
    forSlots([&](Value, Value e, Value same, Value isFirst) {
      emit.when(isFirst, [&] {
        Value index = countOf(e);
        store(emit.add(emit.number(counts, index), ones(same)), counts, index);
      });
    });
    meet();
    auto [positions, usedRows] = placeExperts();
    forSlots([&](Value slot, Value e, Value same, Value isFirst) {
      writeSlot(slot, e, same, isFirst);
    });
    everyThread(positions, slots, [&](Value i) { store(slots, list, i); });
    Value busy = emit.min(slots, emit.i32(experts));
    Value bound =
        emit.add(busy, emit.div(emit.sub(slots, busy), emit.i32(rows)));
    Value zero = emit.i32(0);
    everyThread(usedRows, bound, [&](Value row) {
      storeRow(row, {zero, zero, zero, zero});
    });
  }

  using Body = llvm::function_ref<void(Value)>;

  void loop(Value from, Value to, Value step, Body body) {
    auto loop = scf::ForOp::create(emit.b, from, to, step);
    OpBuilder::InsertionGuard guard(emit.b);
    emit.b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  /// `body` of from .. to - 1, by all threads of the block.
  void everyThread(Value from, Value to, Body body) {
    loop(emit.add(from, thread), to, emit.i32(threads), body);
  }

  void store(Value number, Value table, Value index) {
    LLVM::StoreOp::create(emit.b, number,
                          emit.at(table, emit.b.getI32Type(), index));
  }

  void storeRow(Value row, ArrayRef<Value> numbers) {
    ImplicitLocOpBuilder &b = emit.b;
    auto type = VectorType::get({4}, b.getI32Type());
    Value vector = LLVM::PoisonOp::create(b, type);
    for (auto [i, number] : llvm::enumerate(numbers))
      vector = LLVM::InsertElementOp::create(b, vector, number, emit.i32(i));
    LLVM::StoreOp::create(b, vector, emit.at(segments, type, row),
                          /*alignment=*/16);
  }

  void meet() { NVVM::BarrierOp::create(emit.b); }
  /// Orders what the lanes of a warp do to its numbers.
  void meetInWarp() { NVVM::SyncWarpOp::create(emit.b, all); }

  Value ones(Value mask) {
    return LLVM::CtPopOp::create(emit.b, emit.b.getI32Type(), mask);
  }

  Value isEqual(Value x, Value y) {
    return arith::CmpIOp::create(emit.b, arith::CmpIPredicate::eq, x, y);
  }

  /// Where the warp counts slots of expert `e`.
  Value countOf(Value e) {
    return emit.add(emit.mul(warp, emit.i32(experts)), e);
  }

  /// `body` of each slot of the warp, its expert, the lanes with that expert,
  /// and whether the lane is the first of these. `body` is for kept slots; all
  /// lanes are there before and behind it.
  void forSlots(llvm::function_ref<void(Value, Value, Value, Value)> body) {
    ImplicitLocOpBuilder &b = emit.b;
    Value none = emit.i32(experts);
    loop(begin, end, emit.i32(lanes), [&](Value first) {
      Value slot = emit.add(first, lane);
      Value e = emit.choose(
          emit.isBelow(slot, slots),
          [&] { return emit.min(emit.localExpert(routing, slot), none); },
          [&] { return none; });
      Value same = NVVM::MatchSyncOp::create(b, b.getI32Type(), all, e,
                                             NVVM::MatchSyncKind::any);
      Value before =
          emit.both(same, NVVM::LaneMaskLtOp::create(b, b.getI32Type()));
      Value isFirst =
          emit.both(isEqual(before, emit.i32(0)), emit.isBelow(e, none));
      body(slot, e, same, isFirst);
      meetInWarp();
    });
  }

  /// Where each expert begins, in both tables; and, for each warp, which of the
  /// expert's positions is its first. Returns how many positions and segments
  /// there are.
  std::pair<Value, Value> placeExperts() {
    ImplicitLocOpBuilder &b = emit.b;
    Value isExpert = emit.isBelow(thread, emit.i32(experts));
    Value total = emit.choose(
        isExpert,
        [&]() -> Value {
          auto sum = scf::ForOp::create(b, emit.i32(0), emit.i32(sorters),
                                        emit.i32(1), ValueRange{emit.i32(0)});
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(sum.getBody());
          Value index = emit.add(
              emit.mul(sum.getInductionVar(), emit.i32(experts)), thread);
          Value before = sum.getRegionIterArg(0);
          Value count = emit.number(counts, index);
          store(before, counts, index);
          scf::YieldOp::create(b, emit.add(before, count));
          return sum.getResult(0);
        },
        [&] { return emit.i32(0); });
    Value needed =
        emit.div(emit.add(total, emit.i32(rows - 1)), emit.i32(rows));
    Value position = sumInWarp(total), row = sumInWarp(needed);
    emit.when(isEqual(lane, emit.i32(lanes - 1)), [&] {
      store(position, warpPositions, warp);
      store(row, warpRows, warp);
    });
    meet();
    // Every warp adds up all warps.
    Value positions = sumInWarp(emit.number(warpPositions, lane));
    Value usedRows = sumInWarp(emit.number(warpRows, lane));
    Value previous = emit.sub(warp, emit.i32(1));
    Value isFirst = isEqual(warp, emit.i32(0));
    auto begins = [&](Value sums, Value mine, Value count) {
      Value offset =
          emit.select(isFirst, emit.i32(0),
                      shuffle(sums, emit.rem(previous, emit.i32(lanes)),
                              NVVM::ShflKind::idx, lanes - 1));
      return emit.add(offset, emit.sub(mine, count));
    };
    Value first = begins(positions, position, total);
    Value firstRow = begins(usedRows, row, needed);
    emit.when(isExpert, [&] {
      store(first, firsts, thread);
      store(firstRow, firstRows, thread);
      store(total, totals, thread);
    });
    meet();
    auto last = [&](Value sums) {
      return shuffle(sums, emit.i32(lanes - 1), NVVM::ShflKind::idx, lanes - 1);
    };
    return {last(positions), last(usedRows)};
  }

  Value shuffle(Value value, Value by, NVVM::ShflKind kind, int64_t clamp) {
    return NVVM::ShflOp::create(emit.b, emit.b.getI32Type(), all, value, by,
                                emit.i32(clamp), kind, UnitAttr());
  }

  /// The sum of lanes 0 .. this one.
  Value sumInWarp(Value value) {
    for (int64_t step = 1; step < lanes; step *= 2) {
      Value moved = shuffle(value, emit.i32(step), NVVM::ShflKind::up, 0);
      Value none = emit.isBelow(lane, emit.i32(step));
      moved = arith::SelectOp::create(emit.b, none, emit.i32(0), moved);
      value = emit.add(value, moved);
    }
    return value;
  }

  void writeSlot(Value slot, Value e, Value same, Value isFirst) {
    ImplicitLocOpBuilder &b = emit.b;
    Value isKept = emit.isBelow(e, emit.i32(experts));
    Value earlier = emit.choose(
        isKept, [&] { return emit.number(counts, countOf(e)); },
        [&] { return emit.i32(0); });
    // All lanes have read it.
    meetInWarp();
    emit.when(isFirst, [&] {
      store(emit.add(earlier, ones(same)), counts, countOf(e));
    });
    emit.when(isKept, [&] {
      Value lower =
          emit.both(same, NVVM::LaneMaskLtOp::create(b, b.getI32Type()));
      Value rank = emit.add(earlier, ones(lower));
      Value position = emit.add(emit.number(firsts, e), rank);
      store(slot, list, position);
      Value begins = isEqual(emit.rem(rank, emit.i32(rows)), emit.i32(0));
      emit.when(begins, [&] {
        Value left = emit.sub(emit.number(totals, e), rank);
        Value row =
            emit.add(emit.number(firstRows, e), emit.div(rank, emit.i32(rows)));
        storeRow(row,
                 {e, position, emit.min(left, emit.i32(rows)), emit.i32(0)});
      });
    });
  }

  func::FuncOp func;
  MoeRouteOp op;
  StringRef target;
  MoeEmitter emit;
  int64_t experts, rows, topK;
  /// Warps that have slots.
  int64_t sorters;
  MoeEmitter::Routing routing;
  /// In global memory.
  Value segments, list;
  /// In shared memory: a number per sorter and expert; per expert its first
  /// position, first segment and number of positions; sums of warps.
  Value counts, firsts, firstRows, totals, warpPositions, warpRows;
  Value thread, lane, warp, all;
  /// How many slots there are, and the run of this warp.
  Value slots, begin, end;
};

struct ConvertMoeRouteToGPU
    : impl::ConvertMoeRouteToGPUBase<ConvertMoeRouteToGPU> {
  using ConvertMoeRouteToGPUBase::ConvertMoeRouteToGPUBase;

  void runOnOperation() override {
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      MoeRouteOp op;
      func.walk([&](MoeRouteOp found) { op = found; });
      if (!op)
        continue;
      if (!isAllOf(func, op)) {
        func.emitOpError("expected a function that returns both tables of one "
                         "wna16.moe_route of its arguments, in their order, "
                         "and does nothing else [ROUTE-C7]");
        return signalPassFailure();
      }
      RouteKernel(func, op, target).build();
    }
  }
};

} // namespace
} // namespace wna16
