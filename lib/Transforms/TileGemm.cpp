//===- TileGemm.cpp - one gemm becomes one kernel -------------------------===//

#include "lib/Layout/Instances.h"
#include "lib/Schedule/ScheduleAttribute.h"
#include "lib/Transforms/TilePasses.h"

#include "mlir/IR/Builders.h"

namespace wna16 {
#define GEN_PASS_DEF_TILEGEMM
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using mlir::wna16::GemmOp;

namespace {

/// A tensor argument as a matrix in global memory.
GlobalType globalOf(RankedTensorType type, Access access) {
  return GlobalType::get(type.getContext(), type.getShape(),
                         type.getElementType(), access,
                         mlir::wna16::getLayout(type));
}

/// The gemm that `func` returns, or null when there is no gemm at all; an error
/// when there is more in the function than that.
FailureOr<GemmOp> matchGemm(func::FuncOp func) {
  GemmOp gemm;
  func.walk([&](GemmOp op) { gemm = op; });
  if (!gemm)
    return gemm;
  Block &body = func.front();
  auto isArgument = [](Value value) { return isa<BlockArgument>(value); };
  bool onlyGemm = llvm::hasSingleElement(func.getBody()) &&
                  body.getOperations().size() == 2 &&
                  llvm::all_of(gemm->getOperands(), isArgument) &&
                  func.getNumArguments() == gemm->getNumOperands();
  auto ret = dyn_cast<func::ReturnOp>(body.getTerminator());
  if (!onlyGemm || !ret || ret.getNumOperands() != 1 ||
      ret.getOperand(0) != gemm.getY())
    return func.emitOpError(
        "expected a function that returns one wna16.gemm of "
        "its arguments and does nothing else [TILE-C7]");
  if (!gemm.getSchedule())
    return gemm.emitOpError(
        "expected a schedule; run select-schedule first [TILE-C6]");
  if (!ShapedType::isDynamic(gemm.getM()) || !gemm.getMaxM())
    return gemm.emitOpError("expected a dynamic M with max_m; a static M is "
                            "written as max_m [TILE-C8]");
  return gemm;
}

/// Coordinates are 32-bit on the GPU, verify-tile runs every step of K, and a
/// grid has at most 65535 blocks along N.
constexpr int64_t maxExtent = 65535 * 64;

/// Rows of tiles that are walked together: about as many as columns when all
/// multiprocessors are busy, which needs the fewest different bytes.
constexpr int64_t rasterRows = 16;

/// The problems and schedules that kernels can be built for.
LogicalResult verifySupported(GemmOp gemm) {
  using namespace mlir::wna16;
  ScheduleAttr schedule = gemm.getScheduleAttr();
  ::wna16::ScheduleChoice choice = ::wna16::toChoice(schedule);
  std::string notBuilt = ::wna16::whyNotBuilt(choice);
  if (!notBuilt.empty())
    return gemm.emitOpError("expected a schedule with ")
           << notBuilt << "; found " << schedule << " [TILE-C1]";
  LayoutAttr weights = getLayout(gemm.getW().getType());
  if (weights.getKind() != LayoutKind::Marlin)
    return gemm.emitOpError("expected weights in the layout marlin, found ")
           << gemm.getW().getType()
           << "; wna16.repack changes the layout [TILE-C3]";
  int64_t n = gemm.getStoredN(), k = gemm.getStoredK();
  int64_t step = schedule.getTileK();
  if (std::max(n, k) > maxExtent)
    return gemm.emitOpError("expected N (")
           << n << ") and K (" << k << ") of at most " << maxExtent
           << "; split the layer [TILE-C9]";
  if (schedule.getTileN() < 64 || n % schedule.getTileN() || k % step)
    return gemm.emitOpError("expected N (")
           << n << ") and K (" << k
           << ") of the weights to be multiples of the tile ("
           << schedule.getTileN() << ", " << step
           << "), which is at least 64 along n [TILE-C4]";
  FailureOr<::wna16::GemmShape> shape = ::wna16::shapeOf(gemm);
  if (failed(shape))
    return failure();
  notBuilt = ::wna16::whyNotBuilt(choice, *shape);
  if (!notBuilt.empty())
    return gemm.emitOpError("expected a schedule with ")
           << notBuilt << "; found " << schedule << " [TILE-C5]";
  return success();
}

class KernelBuilder {
public:
  KernelBuilder(func::FuncOp func, GemmOp gemm)
      : func(func), gemm(gemm), schedule(gemm.getScheduleAttr()), builder(func),
        loc(gemm.getLoc()) {}

  void build() {
    MLIRContext *context = builder.getContext();
    SmallVector<Type> types;
    SmallVector<StringRef> names;
    auto matrix = [&](StringRef name, Value operand, Access access) {
      if (!operand)
        return;
      types.push_back(
          globalOf(cast<RankedTensorType>(operand.getType()), access));
      names.push_back(name);
    };
    matrix("x", gemm.getX(), Access::read);
    matrix("w", gemm.getW(), Access::read);
    matrix("s", gemm.getS(), Access::read);
    matrix("z", gemm.getZeros(), Access::read);
    matrix("b", gemm.getBias(), Access::read);
    matrix("y", gemm.getY(), Access::write);
    types.append(2, builder.getIndexType());
    names.append({"M", "ldx"});
    auto kernel = KernelOp::create(
        builder, loc, func.getSymName(), builder.getFunctionType(types, {}),
        builder.getStrArrayAttr(names),
        static_cast<uint64_t>(schedule.getWarps()),
        builder.getI64IntegerAttr(*gemm.getMaxM()), schedule,
        ReferenceAttr::get(context, gemm.getGroup()),
        /*shared_bytes=*/IntegerAttr(), /*arg_attrs=*/ArrayAttr(),
        /*res_attrs=*/ArrayAttr());
    Block *body = builder.createBlock(&kernel.getBody(), {}, types,
                                      SmallVector<Location>(types.size(), loc));
    buildBody(body->getArguments());
    ReturnOp::create(builder, loc);
  }

private:
  ValType tile(int64_t rows, int64_t columns, Type elementType) {
    return ValType::get(builder.getContext(), {rows, columns}, elementType,
                        LinearAttr(), false);
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// The kernel's arguments, by what they are in the product.
  struct Operands {
    Value x, s, zeros, bias, y;
    SmallVector<Value> planes;
  };

  void buildBody(ValueRange arguments) {
    // In the order of build().
    auto next = arguments.begin();
    auto take = [&](bool isThere) { return isThere ? *next++ : Value(); };
    Operands operands;
    Value x = take(true), w = take(true);
    operands.s = take(true);
    operands.zeros = take(bool(gemm.getZeros()));
    operands.bias = take(bool(gemm.getBias()));
    Value y = take(true), m = take(true), ldx = take(true);
    operands.x = BindOp::create(builder, loc, x, m, ldx);
    operands.y = BindOp::create(builder, loc, y, m, Value());
    operands.planes = planesOf(w);
    auto work = ForEachWorkOp::create(
        builder, loc, m, IntegerAttr(),
        static_cast<uint64_t>(gemm.getStoredN()),
        builder.getDenseI64ArrayAttr(
            {schedule.getTileM(), schedule.getTileN()}),
        /*parts=*/uint64_t(1), /*blocks=*/uint64_t(1), raster(),
        /*persistent=*/IntegerAttr());
    Type index = builder.getIndexType();
    Block *body =
        builder.createBlock(&work.getBody(), {}, {index, index}, {loc, loc});
    buildWork(body->getArgument(0), body->getArgument(1), operands);
    WorkEndOp::create(builder, loc);
    builder.setInsertionPointAfter(work);
  }

  /// The weights, plane by plane where codes are stored in planes.
  SmallVector<Value> planesOf(Value w) {
    size_t count =
        ::wna16::layout::planesOf(gemm.getCode().getWidth()).size();
    if (count == 1)
      return {w};
    SmallVector<Value> planes;
    auto type = cast<GlobalType>(w.getType());
    for (size_t index = 0; index < count; ++index)
      planes.push_back(PlaneOp::create(
          builder, loc, PlaneOp::planeType(type, index), w, index));
    return planes;
  }

  /// Tall outputs are walked in groups of rows. Not where blocks of a cluster
  /// are neighbours along columns: they would be dealt out to different rows.
  IntegerAttr raster() {
    int64_t rows = llvm::divideCeil(*gemm.getMaxM(), schedule.getTileM());
    int64_t columns = gemm.getStoredN() / schedule.getTileN();
    // Blocks are counted in 32 bits.
    bool countable = rows <= UINT32_MAX / columns;
    if (rows <= rasterRows || !countable || schedule.getMulticast() > 1)
      return {};
    return builder.getI64IntegerAttr(rasterRows);
  }

  void buildWork(Value im, Value in, const Operands &operands) {
    int64_t tileM = schedule.getTileM(), tileN = schedule.getTileN();
    int64_t tileK = schedule.getTileK();
    Type f32 = builder.getF32Type();
    Type out = gemm.getY().getType().getElementType();
    Value init = ZeroOp::create(builder, loc, tile(tileN, tileM, f32));
    auto loop = scf::ForOp::create(
        builder, loc, constant(0),
        constant(llvm::divideCeil(gemm.getK(), tileK)), constant(1), init,
        [&](OpBuilder &, Location, Value step, ValueRange carried) {
          Value k = arith::MulIOp::create(builder, loc, step, constant(tileK));
          scf::YieldOp::create(
              builder, loc,
              buildStep(k, im, in, operands, carried.front()));
        });
    Value result = loop.getResult(0);
    if (operands.bias) {
      Type type = cast<GlobalType>(operands.bias.getType()).getElementType();
      Value bias = LoadOp::create(builder, loc, tile(1, tileN, type),
                                  operands.bias, constant(0), in);
      result = AddBiasOp::create(builder, loc, result, bias);
    }
    if (out != f32)
      result = CastOp::create(builder, loc, tile(tileN, tileM, out), result);
    StoreOp::create(builder, loc, result, operands.y, im, in,
                    /*transposed=*/true, /*predicate=*/Value());
  }

  /// The product of `tileK` rows of K, added to `sum`.
  Value buildStep(Value k, Value im, Value in, const Operands &operands,
                  Value sum) {
    int64_t tileM = schedule.getTileM(), tileN = schedule.getTileN();
    int64_t tileK = schedule.getTileK(), group = gemm.getGroup();
    int64_t groups = llvm::divideCeil(tileK, group);
    Type act = gemm.getX().getType().getElementType();
    SmallVector<Value> codes;
    for (Value plane : operands.planes) {
      Type code = cast<GlobalType>(plane.getType()).getElementType();
      codes.push_back(LoadOp::create(builder, loc, tile(tileK, tileN, code),
                                     plane, k, in));
    }
    Value acts = LoadOp::create(builder, loc, tile(tileM, tileK, act),
                                operands.x, im, k);
    auto loadRows = [&](Value matrix, Type type) {
      return LoadScalesOp::create(builder, loc, tile(groups, tileN, type),
                                  matrix, k, in, group);
    };
    Value scales =
        loadRows(operands.s, gemm.getS().getType().getElementType());
    Value zeros = operands.zeros ? loadRows(operands.zeros, act) : Value();
    Value weights = DequantOp::create(builder, loc, tile(tileK, tileN, act),
                                      codes, zeros, scales);
    return MmaOp::create(builder, loc, weights, acts, sum);
  }

  func::FuncOp func;
  GemmOp gemm;
  mlir::wna16::ScheduleAttr schedule;
  OpBuilder builder;
  Location loc;
};

struct TileGemmPass : ::wna16::impl::TileGemmBase<TileGemmPass> {
  void runOnOperation() override {
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (func.isExternal())
        continue;
      FailureOr<GemmOp> gemm = matchGemm(func);
      if (failed(gemm))
        return signalPassFailure();
      if (!*gemm)
        continue;
      if (failed(verifySupported(*gemm)))
        return signalPassFailure();
      KernelBuilder(func, *gemm).build();
      func.erase();
    }
  }
};

} // namespace
