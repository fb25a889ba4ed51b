//===- TileGemm.cpp - one product becomes one kernel ----------------------===//
//
// A mixture of experts differs in what a block's tile is about: a segment of a
// table says which rows of x and y, and which matrices of the stacks. The rest
// of the kernel sees views of these, and is the same.
//
//===----------------------------------------------------------------------===//

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
using mlir::wna16::MoeGemmOp;
using mlir::wna16::ProductOpInterface;
using mlir::wna16::RowOrder;

namespace {

/// A tensor argument as a matrix in global memory.
GlobalType globalOf(RankedTensorType type, Access access) {
  return GlobalType::get(type.getContext(), type.getShape(),
                         type.getElementType(), access,
                         mlir::wna16::getLayout(type));
}

/// The product that `func` returns, or null when there is none at all; an error
/// when there is more in the function than that.
FailureOr<ProductOpInterface> matchProduct(func::FuncOp func) {
  ProductOpInterface product;
  func.walk([&](ProductOpInterface op) { product = op; });
  if (!product)
    return product;
  Block &body = func.front();
  auto isArgument = [](Value value) { return isa<BlockArgument>(value); };
  bool onlyProduct = llvm::hasSingleElement(func.getBody()) &&
                     body.getOperations().size() == 2 &&
                     llvm::all_of(product->getOperands(), isArgument) &&
                     func.getNumArguments() == product->getNumOperands();
  auto ret = dyn_cast<func::ReturnOp>(body.getTerminator());
  if (!onlyProduct || !ret || ret.getNumOperands() != 1 ||
      ret.getOperand(0) != product.getY())
    return func.emitOpError("expected a function that returns one wna16.gemm "
                            "or wna16.moe_gemm of its arguments and does "
                            "nothing else [TILE-C7]");
  if (!product.getScheduleAttr())
    return product->emitOpError(
        "expected a schedule; run select-schedule first [TILE-C6]");
  if (!ShapedType::isDynamic(product.getM()) || !product.getMaxM())
    return product->emitOpError("expected a dynamic M with max_m; a static M "
                                "is written as max_m [TILE-C8]");
  return product;
}

/// Coordinates are 32-bit on the GPU, verify-tile runs every step of K, and a
/// grid has at most 65535 blocks along N.
constexpr int64_t maxExtent = 65535 * 64;

/// Rows of tiles that are walked together: about as many as columns when all
/// multiprocessors are busy, which needs the fewest different bytes.
constexpr int64_t rasterRows = 16;

/// The problems and schedules that kernels can be built for.
LogicalResult verifySupported(ProductOpInterface product) {
  using namespace mlir::wna16;
  ScheduleAttr schedule = product.getScheduleAttr();
  ::wna16::ScheduleChoice choice = ::wna16::toChoice(schedule);
  std::string notBuilt = ::wna16::whyNotBuilt(choice);
  if (!notBuilt.empty())
    return product->emitOpError("expected a schedule with ")
           << notBuilt << "; found " << schedule << " [TILE-C1]";
  LayoutAttr weights = getLayout(product.getW().getType());
  if (weights.getKind() != LayoutKind::Marlin)
    return product->emitOpError("expected weights in the layout marlin, found ")
           << product.getW().getType()
           << "; wna16.repack changes the layout [TILE-C3]";
  int64_t n = product.getStoredN(), k = product.getStoredK();
  int64_t step = schedule.getTileK();
  if (std::max(n, k) > maxExtent)
    return product->emitOpError("expected N (")
           << n << ") and K (" << k << ") of at most " << maxExtent
           << "; split the layer [TILE-C9]";
  if (schedule.getTileN() < 64 || n % schedule.getTileN() || k % step)
    return product->emitOpError("expected N (")
           << n << ") and K (" << k
           << ") of the weights to be multiples of the tile ("
           << schedule.getTileN() << ", " << step
           << "), which is at least 64 along n [TILE-C4]";
  FailureOr<::wna16::GemmShape> shape = ::wna16::shapeOf(product);
  if (failed(shape))
    return failure();
  auto moe = dyn_cast<MoeGemmOp>(product.getOperation());
  if (moe && moe.getWeights())
    return moe.emitOpError("expected no router weights: kernels leave them to "
                           "wna16.moe_sum [TILE-C10]");
  notBuilt = ::wna16::whyNotBuilt(choice, *shape);
  if (!notBuilt.empty())
    return product->emitOpError("expected a schedule with ")
           << notBuilt << "; found " << schedule << " [TILE-C5]";
  return success();
}

class KernelBuilder {
public:
  KernelBuilder(func::FuncOp func, ProductOpInterface product)
      : func(func), product(product),
        moe(dyn_cast<MoeGemmOp>(product.getOperation())),
        schedule(product.getScheduleAttr()), builder(func),
        loc(product.getLoc()) {}

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
    matrix("x", product.getX(), Access::read);
    matrix("w", product.getW(), Access::read);
    matrix("s", product.getS(), Access::read);
    matrix("z", product.getZeros(), Access::read);
    matrix("b", product.getBias(), Access::read);
    if (moe) {
      types.push_back(tableOf(4));
      types.push_back(tableOf(1));
      names.append({"segments", "slots"});
    }
    matrix("y", product.getY(), Access::write);
    names.append({"M", "ldx"});
    if (moe)
      names.push_back("S");
    if (xHasTokens())
      names.push_back("T");
    types.resize(names.size(), builder.getIndexType());
    auto kernel = KernelOp::create(
        builder, loc, func.getSymName(), builder.getFunctionType(types, {}),
        builder.getStrArrayAttr(names),
        static_cast<uint64_t>(schedule.getWarps()),
        builder.getI64IntegerAttr(*product.getMaxM()), schedule,
        ReferenceAttr::get(context, product.getGroup()),
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
    Value x, w, s, zeros, bias, y;
    SmallVector<Value> planes;
  };

  /// Whether rows of x are tokens, of which there are fewer than rows of y.
  bool xHasTokens() { return moe && moe.getXRows() == RowOrder::Token; }

  /// The type of a table with a run-time number of rows.
  Type tableOf(int64_t columns) {
    return GlobalType::get(builder.getContext(),
                           {ShapedType::kDynamic, columns},
                           builder.getI32Type(), Access::read, Attribute());
  }

  void buildBody(ValueRange arguments) {
    // In the order of build().
    auto next = arguments.begin();
    auto take = [&](bool isThere) { return isThere ? *next++ : Value(); };
    Operands operands;
    Value x = take(true);
    operands.w = take(true);
    operands.s = take(true);
    operands.zeros = take(bool(product.getZeros()));
    operands.bias = take(bool(product.getBias()));
    Value segments = take(bool(moe)), slots = take(bool(moe));
    Value y = take(true), m = take(true), ldx = take(true);
    Value s = take(bool(moe)), tokens = take(xHasTokens());
    operands.x = BindOp::create(builder, loc, x, tokens ? tokens : m, ldx);
    operands.y = BindOp::create(builder, loc, y, m, Value());
    if (moe) {
      segments = BindOp::create(builder, loc, segments, s, Value());
      slots = BindOp::create(builder, loc, slots, m, Value());
    } else {
      operands.planes = planesOf(operands.w);
    }
    auto work = ForEachWorkOp::create(
        builder, loc, moe ? s : m, IntegerAttr(),
        static_cast<uint64_t>(product.getStoredN()),
        builder.getDenseI64ArrayAttr(
            {moe ? 1 : schedule.getTileM(), schedule.getTileN()}),
        /*parts=*/uint64_t(1), /*blocks=*/uint64_t(1), raster(),
        /*persistent=*/IntegerAttr());
    Type index = builder.getIndexType();
    Block *body =
        builder.createBlock(&work.getBody(), {}, {index, index}, {loc, loc});
    Value im = body->getArgument(0), in = body->getArgument(1);
    if (moe) {
      takeSegment(segments, im, slots, m, operands);
      operands.planes = planesOf(operands.w);
      im = constant(0);
    }
    buildWork(im, in, operands);
    WorkEndOp::create(builder, loc);
    builder.setInsertionPointAfter(work);
  }

  /// Makes the operands views of what row `row` of the table of segments is
  /// about.
  void takeSegment(Value segments, Value row, Value slots, Value positions,
                   Operands &operands) {
    auto segment =
        LoadSegmentOp::create(builder, loc, segments, row, positions,
                              static_cast<uint64_t>(moe.getExperts()),
                              static_cast<uint64_t>(moe.getSegmentRows()));
    for (Value *stack :
         {&operands.w, &operands.s, &operands.zeros, &operands.bias})
      if (*stack)
        *stack = ExpertOp::create(
            builder, loc,
            ExpertOp::matrixType(cast<GlobalType>(stack->getType())), *stack,
            segment.getExpert());
    for (auto [matrix, order] : {std::pair(&operands.x, moe.getXRows()),
                                 std::pair(&operands.y, moe.getYRows())})
      *matrix = RowsOp::create(
          builder, loc, *matrix, segment.getFirst(), segment.getCount(),
          order == RowOrder::Position ? Value() : slots,
          static_cast<uint64_t>(order == RowOrder::Token ? moe.getTopK() : 1));
  }

  /// The weights, plane by plane where codes are stored in planes.
  SmallVector<Value> planesOf(Value w) {
    size_t count =
        ::wna16::layout::planesOf(product.getCode().getWidth()).size();
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
  /// Segments of one expert are few.
  IntegerAttr raster() {
    if (moe)
      return {};
    int64_t rows = llvm::divideCeil(*product.getMaxM(), schedule.getTileM());
    int64_t columns = product.getStoredN() / schedule.getTileN();
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
    Type out = product.getY().getType().getElementType();
    Value init = ZeroOp::create(builder, loc, tile(tileN, tileM, f32));
    auto loop = scf::ForOp::create(
        builder, loc, constant(0),
        constant(llvm::divideCeil(product.getK(), tileK)), constant(1), init,
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
    int64_t tileK = schedule.getTileK(), group = product.getGroup();
    int64_t groups = llvm::divideCeil(tileK, group);
    Type act = product.getX().getType().getElementType();
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
        loadRows(operands.s, product.getS().getType().getElementType());
    Value zeros = operands.zeros ? loadRows(operands.zeros, act) : Value();
    Value weights = DequantOp::create(builder, loc, tile(tileK, tileN, act),
                                      codes, zeros, scales);
    return MmaOp::create(builder, loc, weights, acts, sum);
  }

  func::FuncOp func;
  ProductOpInterface product;
  /// Null for a product of one expert.
  MoeGemmOp moe;
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
      FailureOr<ProductOpInterface> product = matchProduct(func);
      if (failed(product))
        return signalPassFailure();
      if (!*product)
        continue;
      if (failed(verifySupported(*product)))
        return signalPassFailure();
      KernelBuilder(func, *product).build();
      func.erase();
    }
  }
};

} // namespace
