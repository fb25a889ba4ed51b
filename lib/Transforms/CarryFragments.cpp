//===- CarryFragments.cpp - weights are converted a step ahead ------------===//
//
// Each iteration of a loop with an asynchronous product is taken apart: what
// makes its fragment of weights (wait, reads, dequant) moves to the iteration
// before, where it runs beside the product. The first fragment is made before
// the loop, the last product comes after it.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/TilePasses.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace wna16 {
#define GEN_PASS_DEF_CARRYFRAGMENTS
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

/// Rows of activations from which on a product takes longer than the making of
/// the next fragment, whose registers then are worth having twice.
constexpr int64_t longProductRows = 128;
/// Registers of a thread: the most there can be, those of a multiprocessor, and
/// what addresses and words need beside fragments and sums.
constexpr int64_t maxRegisters = 255, allRegisters = 65536, otherRegisters = 64;

std::optional<int64_t> constantOf(Value value) {
  if (auto product = value.getDefiningOp<arith::MulIOp>()) {
    std::optional<int64_t> a = constantOf(product.getLhs());
    std::optional<int64_t> b = constantOf(product.getRhs());
    return a && b ? std::optional<int64_t>(*a * *b) : std::nullopt;
  }
  return getConstantIntValue(value);
}

class FragmentCarrier {
public:
  explicit FragmentCarrier(scf::ForOp loop)
      : loop(loop), group(getWarpGroup(loop)), builder(loop),
        loc(loop.getLoc()) {}

  /// Changes the loop if it has the form that this is for.
  void run() {
    if (!findProduct() || !findSlice() || !hasWholeRounds())
      return;
    if (isWorthTwoBuffers())
      buildTwoBuffers();
    else
      buildOneBuffer();
    loop.erase();
  }

private:
  //===--------------------------------------------------------------------===//
  // The parts of an iteration
  //===--------------------------------------------------------------------===//

  bool findProduct() {
    SmallVector<MmaAsyncOp> products(loop.getBody()->getOps<MmaAsyncOp>());
    if (products.size() != 1 || products[0].getStep() != step())
      return false;
    product = products[0];
    dequant = product.getA().getDefiningOp<DequantOp>();
    return dequant && dequant->getBlock() == loop.getBody() &&
           dequant->hasOneUse();
  }

  /// Everything that the fragment is made from, and the carried values that
  /// nothing else uses.
  bool findSlice() {
    SmallVector<Value> work = {product.getA()};
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        if (argument.getOwner() != loop.getBody() || argument == step() ||
            !early.insert(argument))
          continue;
        work.push_back(loop.getTiedLoopYieldedValue(argument)->get());
        continue;
      }
      Operation *def = value.getDefiningOp();
      if (def->getBlock() == loop.getBody() && slice.insert(def))
        llvm::append_range(work, def->getOperands());
    }
    for (Value argument : early) {
      // The loop's result would be a step late.
      if (!loop.getTiedLoopResult(cast<BlockArgument>(argument)).use_empty())
        return false;
      for (Operation *user : argument.getUsers())
        if (!slice.contains(user))
          return false;
    }
    for (Operation *op : slice)
      for (Operation *user : op->getUsers())
        if (isa<TileDialect>(op->getDialect()) && user != product &&
            !slice.contains(user) && !isa<scf::YieldOp>(user))
          return false;
    return llvm::all_of(*loop.getBody(),
                        [](Operation &op) { return op.getNumRegions() == 0; });
  }

  /// Every part takes the same number of steps, at least one.
  bool hasWholeRounds() {
    std::optional<int64_t> end = constantOf(loop.getUpperBound());
    stride = constantOf(loop.getStep()).value_or(0);
    bool known =
        end && stride > 0 &&
        (constantOf(loop.getLowerBound()) == 0 || stride == group.parts);
    if (!known || *end < stride || *end % stride)
      return false;
    rounds = *end / stride;
    return true;
  }

  /// Two fragments and the sums fit the registers, the product is long, and
  /// nothing but products touches the sums from one step to the next.
  bool isWorthTwoBuffers() {
    if (rounds % 2 || product.getType().getShape()[1] < longProductRows)
      return false;
    int64_t registers = product.getType().getNumRegisters() +
                        2 * product.getA().getType().getNumRegisters();
    int64_t budget = std::min(maxRegisters, allRegisters / (group.warps * 32)) -
                     otherRegisters;
    if (registers > budget)
      return false;
    auto sum = dyn_cast<BlockArgument>(product.getAcc());
    if (!sum || sum.getOwner() != loop.getBody() || !product->hasOneUse())
      return false;
    wait = dyn_cast<MmaWaitOp>(*product->user_begin());
    if (!wait || !wait->hasOneUse() ||
        loop.getTiedLoopYieldedValue(sum)->get() != wait.getResult())
      return false;
    // The sum is all that is carried beside what makes fragments.
    if (loop.getRegionIterArgs().size() != early.size() + 1)
      return false;
    return llvm::all_of(*loop.getBody(), [&](Operation &op) {
      return isEarly(op) || isFill(op) || isScalar(op) ||
             isa<MmaAsyncOp, MmaWaitOp, ReleaseOp, scf::YieldOp>(op);
    });
  }

  Value step() { return loop.getInductionVar(); }
  static bool isFill(Operation &op) {
    return isa<AcquireOp, FillOp, CommitOp>(op);
  }
  static bool isScalar(Operation &op) {
    return isa<arith::ArithDialect>(op.getDialect());
  }
  /// What comes a step ahead: waits, and what makes the fragment.
  bool isEarly(Operation &op) {
    return isa<WaitOp>(op) || (slice.contains(&op) && !isScalar(op));
  }

  //===--------------------------------------------------------------------===//
  // Copies of one step
  //===--------------------------------------------------------------------===//

  /// A mapping for the step with number `number`.
  IRMapping at(Value number) {
    IRMapping mapping;
    mapping.map(step(), number);
    return mapping;
  }

  /// Numbers are computed where they are needed.
  void clone(Operation &op, IRMapping &mapping) {
    for (Value operand : op.getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (def && def->getBlock() == loop.getBody() && isScalar(*def) &&
          !mapping.contains(operand))
        clone(*def, mapping);
    }
    builder.clone(op, mapping);
  }

  template <typename Predicate>
  void cloneAll(IRMapping &mapping, Predicate wanted) {
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isScalar(op) && wanted(op))
        clone(op, mapping);
  }

  void fill(IRMapping &mapping) { cloneAll(mapping, isFill); }
  void read(IRMapping &mapping) {
    cloneAll(mapping, [&](Operation &op) {
      return isEarly(op) && &op != dequant.getOperation();
    });
  }
  void convert(IRMapping &mapping) { clone(*dequant, mapping); }
  /// The product, and before it what starts its sum.
  void multiply(IRMapping &mapping) {
    if (Operation *zero = product.getAcc().getDefiningOp<ZeroOp>())
      if (zero->getBlock() == loop.getBody())
        clone(*zero, mapping);
    clone(*product, mapping);
  }
  void finish(IRMapping &mapping) {
    cloneAll(mapping, [&](Operation &op) {
      return !isEarly(op) && !isFill(op) && &op != product.getOperation() &&
             !(isa<ZeroOp>(op) && mapping.contains(op.getResult(0)));
    });
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, int64_t b) {
    return arith::AddIOp::create(builder, loc, a, constant(b));
  }

  /// Carried values after the step of `mapping`: those of `early` or the
  /// others.
  SmallVector<Value> next(IRMapping &mapping, bool isEarlyValue) {
    SmallVector<Value> values;
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (early.contains(argument) == isEarlyValue)
        values.push_back(mapping.lookupOrDefault(
            loop.getTiedLoopYieldedValue(argument)->get()));
    return values;
  }

  SmallVector<Value> inits(bool isEarlyValue) {
    SmallVector<Value> values;
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (early.contains(argument) == isEarlyValue)
        values.push_back(loop.getTiedLoopInit(argument)->get());
    return values;
  }

  void setCarried(IRMapping &mapping, ValueRange values, bool isEarlyValue) {
    size_t index = 0;
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (early.contains(argument) == isEarlyValue)
        mapping.map(argument, values[index++]);
  }

  void replaceResults(ValueRange values) {
    size_t index = 0;
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (!early.contains(argument))
        loop.getTiedLoopResult(argument).replaceAllUsesWith(values[index++]);
  }

  //===--------------------------------------------------------------------===//
  // One buffer: words are read beside the product, converted after it
  //===--------------------------------------------------------------------===//

  void buildOneBuffer() {
    IRMapping first = at(loop.getLowerBound());
    setCarried(first, inits(true), true);
    read(first);
    convert(first);

    SmallVector<Value> carried = inits(false);
    size_t sums = carried.size();
    llvm::append_range(carried, next(first, true));
    size_t scales = carried.size() - sums;
    carried.push_back(first.lookup(product.getA()));
    Value end = arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                                      constant(stride));
    auto body = scf::ForOp::create(builder, loc, loop.getLowerBound(), end,
                                   loop.getStep(), carried);
    builder.setInsertionPointToStart(body.getBody());
    ValueRange arguments = body.getRegionIterArgs();
    IRMapping now = at(body.getInductionVar());
    setCarried(now, arguments.take_front(sums), false);
    now.map(product.getA(), arguments.back());
    multiply(now);
    fill(now);
    IRMapping later = at(add(body.getInductionVar(), stride));
    setCarried(later, arguments.slice(sums, scales), true);
    read(later);
    finish(now);
    convert(later);
    SmallVector<Value> yielded = next(now, false);
    llvm::append_range(yielded, next(later, true));
    yielded.push_back(later.lookup(product.getA()));
    scf::YieldOp::create(builder, loc, yielded);

    builder.setInsertionPointAfter(body);
    IRMapping last = at(add(loop.getLowerBound(), (rounds - 1) * stride));
    setCarried(last, body.getResults().take_front(sums), false);
    last.map(product.getA(), body.getResults().back());
    multiply(last);
    finish(last);
    replaceResults(next(last, false));
  }

  //===--------------------------------------------------------------------===//
  // Two buffers: a fragment is made while the product of the other one runs
  //===--------------------------------------------------------------------===//

  /// Waits for all products of this loop but `pending`, and gives the stage of
  /// the step before back.
  Value finishBefore(Value sum, IRMapping &before, int64_t pending) {
    Value result = MmaWaitOp::create(builder, wait.getLoc(), sum.getType(), sum,
                                     static_cast<uint64_t>(pending));
    cloneAll(before, [](Operation &op) { return isa<ReleaseOp>(op); });
    return result;
  }

  /// The product of the step of `mapping`, with the sum and the fragment given.
  Value multiply(IRMapping &mapping, Value sum) {
    mapping.map(product.getAcc(), sum);
    clone(*product, mapping);
    return mapping.lookup(product.getResult());
  }

  /// Makes the fragment of the step of `mapping`.
  void make(IRMapping &mapping, ValueRange carried) {
    setCarried(mapping, carried, true);
    read(mapping);
    convert(mapping);
  }

  void buildTwoBuffers() {
    Value lower = loop.getLowerBound();
    IRMapping first = at(lower), second = at(add(lower, stride));
    make(first, inits(true));
    Value sum = multiply(first, inits(false)[0]);
    fill(first);
    make(second, next(first, true));

    SmallVector<Value> carried = {sum, second.lookup(product.getA())};
    llvm::append_range(carried, next(second, true));
    Value end = arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                                      constant(2 * stride));
    auto body = scf::ForOp::create(builder, loc, lower, end,
                                   constant(2 * stride), carried);
    builder.setInsertionPointToStart(body.getBody());
    Value number = body.getInductionVar();
    ValueRange arguments = body.getRegionIterArgs();
    IRMapping before = at(number), now = at(add(number, stride));
    now.map(product.getA(), arguments[1]);
    sum = multiply(now, arguments[0]);
    sum = finishBefore(sum, before, 1);
    fill(now);
    IRMapping even = at(add(number, 2 * stride));
    make(even, arguments.drop_front(2));
    sum = multiply(even, sum);
    sum = finishBefore(sum, now, 1);
    fill(even);
    IRMapping odd = at(add(number, 3 * stride));
    make(odd, next(even, true));
    SmallVector<Value> yielded = {sum, odd.lookup(product.getA())};
    llvm::append_range(yielded, next(odd, true));
    scf::YieldOp::create(builder, loc, yielded);

    builder.setInsertionPointAfter(body);
    IRMapping lastButOne = at(add(lower, (rounds - 2) * stride));
    IRMapping last = at(add(lower, (rounds - 1) * stride));
    last.map(product.getA(), body.getResult(1));
    sum = multiply(last, body.getResult(0));
    sum = finishBefore(sum, lastButOne, 0);
    cloneAll(last, [](Operation &op) { return isa<ReleaseOp>(op); });
    replaceResults({sum});
  }

  scf::ForOp loop;
  WarpGroup group;
  int64_t stride = 0, rounds = 0;
  OpBuilder builder;
  Location loc;
  MmaAsyncOp product;
  MmaWaitOp wait;
  DequantOp dequant;
  /// Carried values that only the making of fragments uses.
  llvm::SetVector<Value> early;
  llvm::SetVector<Operation *> slice;
};

struct CarryFragmentsPass
    : ::wna16::impl::CarryFragmentsBase<CarryFragmentsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      FragmentCarrier(loop).run();
  }
};

} // namespace
