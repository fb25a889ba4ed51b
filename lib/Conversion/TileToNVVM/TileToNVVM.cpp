//===- TileToNVVM.cpp - tiles to threads ----------------------------------===//
//
// Per kernel: the launch record; a gpu.module with an llvm.func that computes
// lane, warp and part and holds the kernel's body; then the patterns of each op
// family, by dialect conversion from one tile to many registers.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TileToNVVM/TileToNVVM.h"

#include "lib/Analysis/ColumnEdges.h"
#include "lib/Analysis/Dependency.h"
#include "lib/Conversion/TileToNVVM/Addressing.h"
#include "lib/Conversion/TileToNVVM/KernelLaunch.h"
#include "lib/Conversion/TileToNVVM/Roles.h"
#include "lib/Conversion/TileToNVVM/TensorMaps.h"
#include "lib/Conversion/TileToNVVM/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

namespace wna16 {
#define GEN_PASS_DEF_CONVERTTILETONVVM
#include "lib/Conversion/TileToNVVM/Passes.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace wna16 {
Type getRegisterType(ValType type) {
  Type i32 = IntegerType::get(type.getContext(), 32);
  return type.getElementType().isF32() ? type.getElementType() : i32;
}
} // namespace wna16

namespace {

constexpr StringLiteral sharedName = "dynamic_shared";
/// The widest that any copy or swizzle needs.
constexpr int64_t sharedAlignment = 1024;

class KernelConversion {
public:
  KernelConversion(KernelOp kernel, StringRef target)
      : kernel(kernel), target(target), builder(kernel), loc(kernel.getLoc()) {}

  LogicalResult run() {
    FailureOr<LaunchRecord> record = makeLaunchRecord(kernel, target);
    if (failed(record))
      return failure();
    FailureOr<TensorMaps> maps = describeTensorMaps(kernel, *record);
    if (failed(maps))
      return failure();
    llvm::append_range(record->arguments, maps->parameters);
    context.pastColumns = opsPastColumns(kernel);
    createFunction(*record, maps->parameters.size());
    createEntry();
    if (failed(moveBody()))
      return failure();
    branchToRoles(function, context);
    if (failed(createBarriers(function, context)))
      return failure();
    passMaps(*maps);
    if (failed(convert()))
      return failure();
    kernel.erase();
    return success();
  }

private:
  void createFunction(const LaunchRecord &record, size_t numMaps) {
    auto module = gpu::GPUModuleOp::create(
        builder, loc, kernel.getSymName().str() + "_module");
    builder.setInsertionPointToStart(module.getBody());
    // External and of no size: LLVM must not conclude that nobody else writes
    // it, and the launch gives the bytes.
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    shared = LLVM::GlobalOp::create(builder, loc, bytes, /*isConstant=*/false,
                                    LLVM::Linkage::External, sharedName,
                                    Attribute(), /*alignment=*/sharedAlignment,
                                    /*addrSpace=*/3);
    SmallVector<Type> types;
    for (Type type : kernel.getArgumentTypes())
      types.push_back(isa<GlobalType>(type) ? globalPointer()
                                            : Type(builder.getI32Type()));
    Type map = LLVM::LLVMPointerType::get(builder.getContext());
    types.append(numMaps, map);
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(builder.getContext()), types);
    function =
        LLVM::LLVMFuncOp::create(builder, loc, kernel.getSymName(), type);
    function->setAttr("nvvm.kernel", builder.getUnitAttr());
    // Passed by value, and not to be copied: copies read them where they are.
    Type mapBytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 128);
    for (size_t index = types.size() - numMaps; index < types.size(); ++index) {
      function.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(),
                          TypeAttr::get(mapBytes));
      function.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(),
                          builder.getUnitAttr());
      function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(64));
    }
    function->setAttr("nvvm.reqntid", builder.getDenseI32ArrayAttr(
                                          {int32_t(kernel.getWarps()) * 32}));
    // ptxas heeds the registers of roles only if the number of blocks is set.
    bool movesRegisters = false;
    kernel.walk([&](RoleOp role) {
      movesRegisters |= role.getRegisters().has_value();
    });
    if (movesRegisters)
      function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        builder.getI32IntegerAttr(1));
    if (record.cluster != std::array<int64_t, 3>{1, 1, 1})
      function->setAttr(
          NVVM::NVVMDialect::getClusterDimAttrName(),
          builder.getDenseI32ArrayAttr({int32_t(record.cluster[0]),
                                        int32_t(record.cluster[1]),
                                        int32_t(record.cluster[2])}));
    function->setAttr(launchAttributeName,
                      builder.getStringAttr(record.toJSON()));
  }

  /// Tells the patterns which parameter a tensor copy uses.
  void passMaps(const TensorMaps &maps) {
    unsigned first = function.getNumArguments() - maps.parameters.size();
    for (auto [fill, copy] : maps.copies) {
      context.tensors[fill] = copy;
      context.tensors[fill].map = function.getArgument(first + copy.parameter);
    }
  }

  Type globalPointer() {
    return LLVM::LLVMPointerType::get(builder.getContext(), 1);
  }

  /// Lane, warp, part and shared memory at the entry.
  void createEntry() {
    Block *entry = function.addEntryBlock(builder);
    builder.setInsertionPointToStart(entry);
    for (auto work : kernel.getBody().getOps<ForEachWorkOp>()) {
      context.block.parts = work.getParts();
      context.blocks = work.getBlocks();
      context.tile = {work.getTile()[0], work.getTile()[1]};
      context.tileColumns = work.getColumns() / context.tile[1];
    }
    kernel.walk([&](RingOp ring) {
      context.multicast = std::max(context.multicast, ring.getMulticast());
    });
    context.overlaps = bool(findDependencyWait(kernel));
    Threads &threads = context.block;
    threads.warps = kernel.getWarps();
    AddressBuilder address(builder, loc, threads);
    Value thread =
        NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
    threads.lane = LLVM::AndOp::create(builder, loc, thread, address.i32(31));
    threads.warp = LLVM::LShrOp::create(builder, loc, thread, address.i32(5));
    int64_t warpsPerPart = threads.warps / threads.parts;
    threads.partWarp = warpsPerPart == 1
                           ? address.i32(0)
                           : LLVM::URemOp::create(builder, loc, threads.warp,
                                                  address.i32(warpsPerPart))
                                 .getResult();
    threads.part = LLVM::UDivOp::create(builder, loc, threads.warp,
                                        address.i32(warpsPerPart));
    // Blocks that share K lie along z, all of them.
    if (context.blocks > 1)
      threads.block =
          NVVM::BlockIdZOp::create(builder, loc, builder.getI32Type());
    // Those that fetch together lie side by side along the columns.
    if (context.multicast > 1)
      context.multicastBlock =
          NVVM::BlockInClusterIdYOp::create(builder, loc, builder.getI32Type());
    context.shared = LLVM::AddressOfOp::create(builder, loc, shared);
  }

  /// The kernel's ops, with the body of its work in their midst, after the
  /// entry's.
  LogicalResult moveBody() {
    Block &body = kernel.getBody().front();
    Block *entry = &function.getBody().front();
    for (auto [argument, value] :
         llvm::zip(body.getArguments(), entry->getArguments())) {
      if (argument.getType().isIndex()) {
        argument.replaceAllUsesWith(arith::IndexCastOp::create(
            builder, loc, builder.getIndexType(), value));
        continue;
      }
      Value matrix = UnrealizedConversionCastOp::create(
                         builder, loc, argument.getType(), value)
                         .getResult(0);
      context.globals[matrix] = {.pointer = value};
      argument.replaceAllUsesWith(matrix);
    }
    body.getTerminator()->erase();
    entry->getOperations().splice(entry->end(), body.getOperations());
    builder.setInsertionPointToEnd(entry);
    LLVM::ReturnOp::create(builder, loc, ValueRange());
    for (auto work : llvm::make_early_inc_range(
             function.getBody().getOps<ForEachWorkOp>())) {
      if (failed(prepareClusterSums(builder, work, context)))
        return failure();
      inlineWork(work);
    }
    return makeViews(function, context);
  }

  /// The tile of a block, along rows and columns; i32 each. The block index is
  /// the tile index, but for a raster.
  std::pair<Value, Value> tileOfBlock(ForEachWorkOp work) {
    Type i32 = builder.getI32Type();
    Value x = NVVM::BlockIdXOp::create(builder, loc, i32);
    Value y = NVVM::BlockIdYOp::create(builder, loc, i32);
    if (!work.getRaster())
      return {x, y};
    AddressBuilder address(builder, loc, context.block);
    Value rows = NVVM::GridDimXOp::create(builder, loc, i32);
    return tileOfNumber(work, address.add(x, address.mul(y, rows)), rows);
  }

  /// The tile with this number, i32, of which `rows` lie along the rows. Tiles
  /// are counted along rows first; with a raster they are dealt out anew to
  /// groups of its rows, of which the last may have fewer.
  std::pair<Value, Value> tileOfNumber(ForEachWorkOp work, Value number,
                                       Value rows) {
    AddressBuilder address(builder, loc, context.block);
    auto divide = [&](Value a, Value b) -> std::pair<Value, Value> {
      return {LLVM::UDivOp::create(builder, loc, a, b),
              LLVM::URemOp::create(builder, loc, a, b)};
    };
    if (!work.getRaster()) {
      auto [column, row] = divide(number, rows);
      return {row, column};
    }
    Value columns = address.i32(work.getColumns() / work.getTile()[1]);
    Value raster = address.i32(*work.getRaster());
    auto [group, inGroup] = divide(number, address.mul(raster, columns));
    Value first = address.mul(group, raster);
    Value height = LLVM::UMinOp::create(
        builder, loc, LLVM::SubOp::create(builder, loc, rows, first), raster);
    auto [column, row] = divide(inGroup, height);
    return {address.add(first, row), column};
  }

  Value toIndex(Value number) {
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      number);
  }

  /// First row and column of a tile.
  SmallVector<Value> coordinates(ForEachWorkOp work,
                                 std::pair<Value, Value> tile) {
    auto coordinate = [&](Value number, int64_t extent) -> Value {
      Value size = arith::ConstantIndexOp::create(builder, loc, extent);
      return arith::MulIOp::create(builder, loc, toIndex(number), size);
    };
    return {coordinate(tile.first, work.getTile()[0]),
            coordinate(tile.second, work.getTile()[1])};
  }

  /// The tiles of a persistent block, as a loop that carries the number of the
  /// first ring step.
  void loopOverTiles(ForEachWorkOp work, ForEachTileOp tiles) {
    builder.setInsertionPoint(tiles);
    AddressBuilder address(builder, loc, context.block);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    int64_t height = work.getTile()[0];
    Value rows = work.getRows() ? work.getRows()
                                : constant(int64_t(*work.getStaticRows()));
    rows = arith::CeilDivUIOp::create(builder, loc, rows, constant(height));
    Value total = arith::MulIOp::create(
        builder, loc, rows, constant(work.getColumns() / work.getTile()[1]));
    Value block = toIndex(
        NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type()));
    auto loop = scf::ForOp::create(builder, loc, block, total,
                                   constant(int64_t(*work.getPersistent())),
                                   ValueRange{constant(0)});
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> values = coordinates(
        work, tileOfNumber(work, address.toI32(loop.getInductionVar()),
                           address.toI32(rows)));
    values.push_back(loop.getRegionIterArg(0));
    Block &body = tiles.getBody().front();
    for (auto [argument, value] : llvm::zip(body.getArguments(), values))
      argument.replaceAllUsesWith(value);
    body.getTerminator()->erase();
    loop.getBody()->getOperations().splice(loop.getBody()->end(),
                                           body.getOperations());
    builder.setInsertionPointToEnd(loop.getBody());
    Value next = arith::AddIOp::create(
        builder, loc, loop.getRegionIterArg(0),
        constant(static_cast<int64_t>(tiles.getSteps())));
    scf::YieldOp::create(builder, loc, next);
    tiles.erase();
  }

  void inlineWork(ForEachWorkOp work) {
    builder.setInsertionPoint(work);
    SmallVector<Value> values;
    if (work.getPersistent())
      work.walk([&](ForEachTileOp tiles) { loopOverTiles(work, tiles); });
    else
      values = coordinates(work, tileOfBlock(work));
    if (work.getPart())
      values.push_back(arith::IndexCastOp::create(
          builder, loc, builder.getIndexType(), context.block.part));
    if (work.getBlockNumber())
      values.push_back(arith::IndexCastOp::create(
          builder, loc, builder.getIndexType(), context.block.block));
    Block &body = work.getBody().front();
    for (auto [argument, value] : llvm::zip(body.getArguments(), values))
      argument.replaceAllUsesWith(value);
    body.getTerminator()->erase();
    work->getBlock()->getOperations().splice(work->getIterator(),
                                             body.getOperations());
    work.erase();
  }

  LogicalResult convert() {
    MLIRContext *mlirContext = builder.getContext();
    // Loops over K have run-time bounds for LLVM; unrolled, they spill.
    auto unroll = LLVM::LoopUnrollAttr::get(
        mlirContext, builder.getBoolAttr(true), {}, {}, {}, {}, {}, {});
    auto annotation =
        LLVM::LoopAnnotationAttr::get(mlirContext, {}, {}, {}, unroll, {}, {},
                                      {}, {}, {}, {}, {}, {}, {}, {}, {});
    function.walk(
        [&](scf::ForOp loop) { loop->setAttr("loop_annotation", annotation); });

    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion(
        [](ValType type, SmallVectorImpl<Type> &types) -> LogicalResult {
          if (!type.getLayout())
            return failure();
          types.append(type.getNumRegisters(), getRegisterType(type));
          return success();
        });
    ConversionTarget conversionTarget(*mlirContext);
    conversionTarget.addLegalDialect<arith::ArithDialect, LLVM::LLVMDialect,
                                     NVVM::NVVMDialect>();
    conversionTarget.addLegalOp<scf::ConditionOp>();
    conversionTarget.addIllegalDialect<TileDialect>();
    // Read by the patterns of their users, and erased afterwards.
    conversionTarget.addLegalOp<UnrealizedConversionCastOp, BindOp, PlaneOp,
                                ExpertOp, RowsOp, RingOp>();
    RewritePatternSet patterns(mlirContext);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         conversionTarget);
    populateCopyPatterns(patterns, converter, context);
    populateEnginePatterns(patterns, converter, context);
    populateLoadStorePatterns(patterns, converter, context);
    populateComputePatterns(patterns, converter);
    populateDependencyPatterns(patterns, converter);
    populateDequantPatterns(patterns, converter);
    populateBarrierPatterns(patterns, converter, context);
    populateClusterPatterns(patterns, converter, context);
    populateCombinePatterns(patterns, converter, context);
    populateTicketPatterns(patterns, converter, context);
    populateConvertPatterns(patterns, converter, context);
    populateWgmmaPatterns(patterns, converter, context);
    if (failed(applyQuietly(conversionTarget, std::move(patterns))))
      return failure();
    eraseDead<PlaneOp>();
    eraseDead<ExpertOp>();
    eraseDead<RowsOp>();
    eraseDead<BindOp>();
    eraseDead<RingOp>();
    eraseDead<UnrealizedConversionCastOp>();
    return success();
  }

  /// A pattern that fails says why; the driver's own error after it would only
  /// repeat the name of the op.
  LogicalResult applyQuietly(const ConversionTarget &conversionTarget,
                             RewritePatternSet patterns) {
    bool reported = false;
    ScopedDiagnosticHandler handler(
        builder.getContext(), [&](Diagnostic &diagnostic) {
          bool repeats =
              reported &&
              StringRef(diagnostic.str()).starts_with("failed to legalize");
          reported |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
          return success(repeats);
        });
    return applyPartialConversion(function, conversionTarget,
                                  std::move(patterns));
  }

  template <typename OpTy> void eraseDead() {
    function.walk([](OpTy op) {
      if (op->use_empty())
        op->erase();
    });
  }

  KernelOp kernel;
  StringRef target;
  OpBuilder builder;
  Location loc;
  LLVM::GlobalOp shared;
  LLVM::LLVMFuncOp function;
  KernelContext context;
};

struct ConvertTileToNVVMPass
    : ::wna16::impl::ConvertTileToNVVMBase<ConvertTileToNVVMPass> {
  using ConvertTileToNVVMBase::ConvertTileToNVVMBase;

  void runOnOperation() override {
    for (KernelOp kernel :
         llvm::make_early_inc_range(getOperation().getOps<KernelOp>()))
      if (failed(KernelConversion(kernel, target).run()))
        return signalPassFailure();
  }
};

} // namespace
