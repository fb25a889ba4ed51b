//===- Views.cpp - what ops on matrices work on ---------------------------===//
//
// Binds, planes, experts and rows become facts of the conversion: where a matrix
// begins, how many rows it has, which ones. Patterns look them up.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TileToNVVM/Views.h"

#include "lib/Conversion/TileToNVVM/GlobalAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

class ViewMaker {
public:
  ViewMaker(LLVM::LLVMFuncOp function, KernelContext &context)
      : function(function), context(context), builder(function),
        loc(function.getLoc()) {}

  /// In the order in which they stand: views are of what comes before.
  LogicalResult run() {
    SmallVector<Operation *> views;
    function.walk([&](Operation *op) {
      if (getViewSource(op) || isa<LoadSegmentOp>(op))
        views.push_back(op);
    });
    for (Operation *op : views) {
      builder.setInsertionPointAfter(op);
      LogicalResult made =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case<BindOp, PlaneOp, ExpertOp, RowsOp, LoadSegmentOp>(
                  [&](auto view) { return makeView(view); });
      if (failed(made))
        return failure();
    }
    return success();
  }

private:
  LogicalResult makeView(BindOp bind) {
    AddressBuilder address(builder, loc, context.block);
    GlobalMatrix matrix = context.globals.lookup(bind.getSource());
    matrix.rows = address.toI32(bind.getRows());
    if (bind.getStride())
      matrix.stride = address.toI32(bind.getStride());
    context.globals[bind.getResult()] = matrix;
    return success();
  }

  /// Planes lie one after the other.
  LogicalResult makeView(PlaneOp plane) {
    GlobalMatrix matrix = context.globals.lookup(plane.getSource());
    AddressBuilder address(builder, loc, context.block);
    matrix.pointer = address.offset(matrix.pointer, plane.getByteOffset());
    context.globals[plane.getResult()] = matrix;
    return success();
  }

  LogicalResult makeView(ExpertOp expert) {
    GlobalMatrix matrix = context.globals.lookup(expert.getSource());
    AddressBuilder address(builder, loc, context.block);
    matrix.expert = address.toI32(expert.getExpert());
    Value bytes = address.mul(address.extend(matrix.expert),
                              address.i64(expert.getMatrixBytes()));
    matrix.pointer = address.offset(matrix.pointer, bytes);
    context.globals[expert.getResult()] = matrix;
    return success();
  }

  /// Numbers of a table, which the kernel in front may still write.
  ptx::LoadPath tablePath() {
    return context.overlaps ? ptx::LoadPath::Plain : ptx::LoadPath::ReadOnly;
  }

  LogicalResult makeView(RowsOp rows) {
    GlobalMatrix matrix = context.globals.lookup(rows.getSource());
    AddressBuilder address(builder, loc, context.block);
    Value first = address.toI32(rows.getFirst());
    Value rowsOfMatrix = matrix.rows;
    matrix.rows = address.toI32(rows.getCount());
    if (!rows.getMap()) {
      GlobalType type = rows.getType();
      matrix.firstRow = first;
      matrix.pointer = address.offset(
          matrix.pointer,
          address.tileStart(getStorageLayout(type), matrix,
                            getElementBits(type.getElementType()), first,
                            address.i32(0)));
      context.globals[rows.getResult()] = matrix;
      return success();
    }
    Value entries =
        address.offset(context.globals.lookup(rows.getMap()).pointer,
                       address.mul(address.extend(first), address.i64(4)));
    matrix.map = {entries, static_cast<int64_t>(rows.getDivisor()),
                  rowsOfMatrix, tablePath()};
    context.globals[rows.getResult()] = matrix;
    return findRowsOfUsers(builder, rows, context);
  }

  /// The ids of a block's work, made safe. What follows runs for positions
  /// only.
  LogicalResult makeView(LoadSegmentOp segment) {
    AddressBuilder address(builder, loc, context.block);
    Value row = address.mul(address.extend(segment.getRow()), address.i64(16));
    Value entry =
        address.offset(context.globals.lookup(segment.getTable()).pointer, row);
    SmallVector<Value> ids =
        ptx::loadIds(builder, loc, entry, ptx::AccessWidth::B128, tablePath());
    Value expert = ids[0], first = ids[1], count = ids[2];
    auto isBelow = [&](Value id, Value end) -> Value {
      return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, id,
                                  end);
    };
    Value positions = address.toI32(segment.getPositions());
    Value isSafe =
        address.both(isBelow(expert, address.i32(segment.getExperts())),
                     isBelow(first, positions));
    count = LLVM::SMinOp::create(builder, loc, count,
                                 address.i32(segment.getMost()));
    count = LLVM::SMinOp::create(
        builder, loc, count,
        LLVM::SubOp::create(builder, loc, positions, first));
    Value safe[] = {expert, first, count};
    for (auto [result, id] : llvm::zip_equal(segment.getResults(), safe))
      result.replaceAllUsesWith(
          arith::IndexCastOp::create(builder, loc, builder.getIndexType(), id));
    auto branch = scf::IfOp::create(
        builder, loc, address.both(isSafe, address.isGreater(count, 0)));
    Block &body = *segment->getBlock();
    Block *then = branch.thenBlock();
    then->getOperations().splice(then->begin(), body.getOperations(),
                                 std::next(branch->getIterator()),
                                 std::prev(body.end()));
    segment.erase();
    return success();
  }

  LLVM::LLVMFuncOp function;
  KernelContext &context;
  OpBuilder builder;
  Location loc;
};

} // namespace

namespace wna16 {
LogicalResult makeViews(LLVM::LLVMFuncOp function, KernelContext &context) {
  return ViewMaker(function, context).run();
}
} // namespace wna16
