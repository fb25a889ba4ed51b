//===- TileGemm.cpp - one gemm becomes one kernel -------------------------===//

#include "lib/Transforms/ScheduleChoices.h"
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
                  func.getNumArguments() == 3;
  auto ret = dyn_cast<func::ReturnOp>(body.getTerminator());
  if (!onlyGemm || !ret || ret.getNumOperands() != 1 ||
      ret.getOperand(0) != gemm.getY())
    return func.emitOpError(
        "expected a function that returns one wna16.gemm of "
        "its three arguments and does nothing else [TILE-C7]");
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
  std::string notBuilt = ::wna16::whyNotBuilt(::wna16::toChoice(schedule));
  if (!notBuilt.empty())
    return gemm.emitOpError("expected a schedule with ")
           << notBuilt << "; found " << schedule << " [TILE-C1]";
  LayoutAttr weights = getLayout(gemm.getW().getType());
  if (weights.getKind() != LayoutKind::Marlin || gemm.getCode().getWidth() != 4)
    return gemm.emitOpError("expected weights of 4 bits in the layout marlin, "
                            "found ")
           << gemm.getW().getType()
           << "; wna16.repack changes the layout [TILE-C3]";
  int64_t n = gemm.getN(), k = gemm.getK(), group = gemm.getGroup();
  if (std::max(n, k) > maxExtent)
    return gemm.emitOpError("expected N (")
           << n << ") and K (" << k << ") of at most " << maxExtent
           << "; split the layer [TILE-C9]";
  if (schedule.getTileN() < 64 || n % schedule.getTileN() ||
      k % schedule.getTileK())
    return gemm.emitOpError("expected N (")
           << n << ") and K (" << k << ") to be multiples of the tile ("
           << schedule.getTileN() << ", " << schedule.getTileK()
           << "), which is at least 64 along n [TILE-C4]";
  if (group % schedule.getTileK())
    return gemm.emitOpError("expected the step of K (")
           << schedule.getTileK() << ") to divide the group (" << group
           << ") [TILE-C5]";
  return success();
}

class KernelBuilder {
public:
  KernelBuilder(func::FuncOp func, GemmOp gemm)
      : func(func), gemm(gemm), schedule(gemm.getScheduleAttr()), builder(func),
        loc(gemm.getLoc()) {}

  void build() {
    Type index = builder.getIndexType();
    SmallVector<Type> types = {globalOf(gemm.getX().getType(), Access::read),
                               globalOf(gemm.getW().getType(), Access::read),
                               globalOf(gemm.getS().getType(), Access::read),
                               globalOf(gemm.getY().getType(), Access::write),
                               index,
                               index};
    auto names = builder.getStrArrayAttr({"x", "w", "s", "y", "M", "ldx"});
    auto kernel = KernelOp::create(
        builder, loc, func.getSymName(), builder.getFunctionType(types, {}),
        names, static_cast<uint64_t>(schedule.getWarps()),
        builder.getI64IntegerAttr(*gemm.getMaxM()), schedule,
        ReferenceAttr::get(builder.getContext(), gemm.getGroup()),
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

  void buildBody(ValueRange arguments) {
    // Operands of the gemm are arguments of the function, in any order.
    Value x = arguments[0], w = arguments[1], s = arguments[2];
    Value y = arguments[3], m = arguments[4], ldx = arguments[5];
    Value xBound = BindOp::create(builder, loc, x, m, ldx);
    Value yBound = BindOp::create(builder, loc, y, m, Value());
    auto work = ForEachWorkOp::create(
        builder, loc, m, IntegerAttr(), static_cast<uint64_t>(gemm.getN()),
        builder.getDenseI64ArrayAttr(
            {schedule.getTileM(), schedule.getTileN()}),
        /*parts=*/uint64_t(1), /*blocks=*/uint64_t(1), raster());
    Type index = builder.getIndexType();
    Block *body =
        builder.createBlock(&work.getBody(), {}, {index, index}, {loc, loc});
    buildWork(body->getArgument(0), body->getArgument(1), xBound, w, s, yBound);
    WorkEndOp::create(builder, loc);
    builder.setInsertionPointAfter(work);
  }

  /// Tall outputs are walked in groups of rows. Not where blocks of a cluster
  /// are neighbours along columns: they would be dealt out to different rows.
  IntegerAttr raster() {
    int64_t rows = llvm::divideCeil(*gemm.getMaxM(), schedule.getTileM());
    int64_t columns = gemm.getN() / schedule.getTileN();
    // Blocks are counted in 32 bits.
    bool countable = rows <= UINT32_MAX / columns;
    if (rows <= rasterRows || !countable || schedule.getMulticast() > 1)
      return {};
    return builder.getI64IntegerAttr(rasterRows);
  }

  void buildWork(Value im, Value in, Value x, Value w, Value s, Value y) {
    int64_t tileM = schedule.getTileM(), tileN = schedule.getTileN(),
            tileK = schedule.getTileK();
    Type f32 = builder.getF32Type();
    Type act = gemm.getX().getType().getElementType();
    Value init = ZeroOp::create(builder, loc, tile(tileN, tileM, f32));
    auto loop = scf::ForOp::create(
        builder, loc, constant(0), constant(gemm.getK() / tileK), constant(1),
        init, [&](OpBuilder &, Location, Value step, ValueRange carried) {
          Value k = arith::MulIOp::create(builder, loc, step, constant(tileK));
          Value codes = LoadOp::create(
              builder, loc, tile(tileK, tileN, gemm.getCode()), w, k, in);
          Value acts =
              LoadOp::create(builder, loc, tile(tileM, tileK, act), x, im, k);
          Value scales = LoadScalesOp::create(
              builder, loc,
              tile(1, tileN, gemm.getS().getType().getElementType()), s, k, in,
              gemm.getGroup());
          Value weights = DequantOp::create(
              builder, loc, tile(tileK, tileN, act), codes, scales);
          Value sum =
              MmaOp::create(builder, loc, weights, acts, carried.front());
          scf::YieldOp::create(builder, loc, sum);
        });
    Value result = CastOp::create(builder, loc, tile(tileN, tileM, act),
                                  loop.getResult(0));
    StoreOp::create(builder, loc, result, y, im, in, /*transposed=*/true);
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
