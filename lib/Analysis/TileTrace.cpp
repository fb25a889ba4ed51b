//===- TileTrace.cpp - runs the counters of a kernel ----------------------===//

#include "lib/Analysis/TileTrace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

/// More than any schedule needs; a loop that does not end stops here.
static constexpr int64_t maxExecuted = 4'000'000;

int64_t TileTrace::number(Value value) const { return numbers.lookup(value); }

void TileTrace::assign(Value to, Value from) {
  if (isa<ValType>(to.getType()))
    origins[to] = TileOrigin(origins[from]);
  else
    numbers[to] = number(from);
}

namespace wna16 {
std::vector<Agent> agentsOf(ForEachWorkOp work, int64_t block) {
  std::vector<Agent> agents;
  work.walk([&](RoleOp role) {
    for (int64_t part = 0; part < static_cast<int64_t>(role.getParts()); ++part)
      agents.push_back({role, part, block});
  });
  if (agents.empty())
    for (int64_t part = 0; part < static_cast<int64_t>(work.getParts()); ++part)
      agents.push_back({RoleOp(), part, block});
  auto fillsOnly = [](Agent agent) {
    return agent.role &&
           !agent.role.walk([](WaitOp) { return WalkResult::interrupt(); })
                .wasInterrupted();
  };
  std::stable_partition(agents.begin(), agents.end(), fillsOnly);
  return agents;
}
} // namespace wna16

LogicalResult TileTrace::run(ForEachWorkOp work, Agent agent,
                             ArrayRef<TilePlace> places) {
  this->agent = agent;
  this->places.assign(places.begin(), places.end());
  part = agent.part;
  executed = 0;
  numbers.clear();
  origins.clear();
  auto kernel = work->getParentOfType<KernelOp>();
  // Run-time sizes: the largest M; strides do not matter to coordinates.
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (argument.getType().isIndex())
      numbers[argument] = kernel.getMaxM().value_or(64);
  for (Operation &op : kernel.getBody().front())
    if (isa<arith::ArithDialect>(op.getDialect()) && failed(runScalar(&op)))
      return failure();
  if (!work.getPersistent()) {
    numbers[work.getRowCoordinate()] = places.front().row;
    numbers[work.getColumnCoordinate()] = places.front().column;
  }
  if (work.getPart())
    numbers[work.getPart()] = part;
  if (agent.role && agent.role.getPart())
    numbers[agent.role.getPart()] = part;
  if (work.getBlockNumber())
    numbers[work.getBlockNumber()] = agent.block;
  return runBlock(work.getBody().front());
}

LogicalResult TileTrace::runBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (++executed > maxExecuted)
      return op.emitOpError("expected the kernel to end within ")
             << maxExecuted
             << " executed ops; split the work or take larger steps";
    LogicalResult result = success();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      result = runLoop(loop);
    else if (auto roles = dyn_cast<RolesOp>(op))
      result = runRole(roles);
    else if (auto tiles = dyn_cast<ForEachTileOp>(op))
      result = runTiles(tiles);
    else if (isa<arith::ArithDialect>(op.getDialect()))
      result = runScalar(&op);
    else if (isa<TileDialect>(op.getDialect()))
      result = runTile(&op);
    else
      result = op.emitOpError("expected tile, arith and scf.for in a kernel");
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult TileTrace::runTile(Operation *op) {
  // The fullest segment; which expert and positions does not matter to views.
  if (auto segment = dyn_cast<LoadSegmentOp>(op)) {
    numbers[segment.getExpert()] = numbers[segment.getFirst()] = 0;
    numbers[segment.getCount()] = segment.getMost();
  }
  return visit(op);
}

LogicalResult TileTrace::runRole(RolesOp roles) {
  for (auto role : roles.getBody().getOps<RoleOp>())
    if (role == agent.role)
      return runBlock(role.getBody().front());
  return success();
}

LogicalResult TileTrace::runTiles(ForEachTileOp tiles) {
  int64_t first = 0;
  for (TilePlace place : places) {
    numbers[tiles.getRowCoordinate()] = place.row;
    numbers[tiles.getColumnCoordinate()] = place.column;
    numbers[tiles.getFirstStep()] = first;
    if (failed(runBlock(tiles.getBody().front())) || failed(endTile()))
      return failure();
    first += tiles.getSteps();
  }
  return success();
}

LogicalResult TileTrace::runLoop(scf::ForOp loop) {
  int64_t step = number(loop.getStep());
  if (step <= 0)
    return loop.emitOpError("expected a positive step, found ") << step;
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    assign(argument, init);
  for (int64_t counter = number(loop.getLowerBound()),
               end = number(loop.getUpperBound());
       counter < end; counter += step) {
    numbers[loop.getInductionVar()] = counter;
    if (failed(runBlock(*loop.getBody())))
      return failure();
    // All yields are read before any argument changes.
    SmallVector<int64_t> nextNumbers;
    SmallVector<TileOrigin> nextOrigins;
    for (Value value : loop.getYieldedValues()) {
      nextNumbers.push_back(number(value));
      nextOrigins.push_back(origins[value]);
    }
    for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
      numbers[argument] = nextNumbers[index];
      origins[argument] = nextOrigins[index];
    }
  }
  for (auto [result, argument] :
       llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
    assign(result, argument);
  return success();
}

LogicalResult TileTrace::runScalar(Operation *op) {
  for (Value operand : op->getOperands())
    if (operand.getType().isIntOrIndex() && !numbers.contains(operand))
      return op->emitOpError("depends on a value that is not computed in the "
                             "kernel's work");
  auto at = [&](unsigned index) { return number(op->getOperand(index)); };
  auto binary = [&](auto function) {
    numbers[op->getResult(0)] = function(at(0), at(1));
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp constant) -> LogicalResult {
        auto value = dyn_cast<IntegerAttr>(constant.getValue());
        if (!value)
          return op->emitOpError("expected an integer constant in a kernel");
        numbers[constant] = value.getType().isInteger(1)
                                ? int64_t(!value.getValue().isZero())
                                : value.getInt();
        return success();
      })
      .Case([&](arith::AddIOp) { return binary(std::plus<int64_t>()); })
      .Case([&](arith::SubIOp) { return binary(std::minus<int64_t>()); })
      .Case([&](arith::MulIOp) { return binary(std::multiplies<int64_t>()); })
      .Case([&](arith::AndIOp) { return binary(std::bit_and<int64_t>()); })
      .Case([&](arith::OrIOp) { return binary(std::bit_or<int64_t>()); })
      .Case([&](arith::XOrIOp) { return binary(std::bit_xor<int64_t>()); })
      .Case([&](arith::MinSIOp) {
        return binary([](int64_t a, int64_t b) { return std::min(a, b); });
      })
      .Case([&](arith::MaxSIOp) {
        return binary([](int64_t a, int64_t b) { return std::max(a, b); });
      })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](Operation *) -> LogicalResult {
        if (at(1) == 0)
          return op->emitOpError("divides by zero");
        return binary(std::divides<int64_t>());
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *) -> LogicalResult {
        if (at(1) == 0)
          return op->emitOpError("divides by zero");
        return binary(std::modulus<int64_t>());
      })
      .Case([&](arith::SelectOp select) {
        assign(select.getResult(), number(select.getCondition())
                                       ? select.getTrueValue()
                                       : select.getFalseValue());
        return success();
      })
      .Case([&](arith::CmpIOp compare) {
        numbers[compare] = arith::applyCmpPredicate(compare.getPredicate(),
                                                    APInt(64, at(0), true),
                                                    APInt(64, at(1), true));
        return success();
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](Operation *cast) {
        numbers[cast->getResult(0)] = at(0);
        return success();
      })
      .Default([](Operation *other) {
        return other->emitOpError("is not supported in a tile kernel");
      });
}
