//===- CopyPatterns.cpp - fills and reads of a ring -----------------------===//

#include "lib/Conversion/TileToNVVM/GlobalAccess.h"
#include "lib/Conversion/TileToNVVM/InlinePtx.h"
#include "lib/Conversion/TileToNVVM/PartialWords.h"
#include "lib/Conversion/TileToNVVM/RingAddress.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::Basis;
using ::wna16::layout::LinearLayout;

namespace {

/// The first row and column of the source.
std::pair<Value, Value> sourceCoordinates(FillOp op, OpBuilder &) {
  return {op.getRow(), op.getColumn()};
}
std::pair<Value, Value> sourceCoordinates(FillScalesOp op, OpBuilder &builder) {
  return {scaleRow(builder, op.getLoc(), op.getK(), op.getGroup()), op.getN()};
}

/// Bytes of a run of `run` elements that are there when `left` are; i32.
Value bytesLeft(OpBuilder &builder, AddressBuilder &address, Value left,
                int64_t extra, unsigned run, unsigned bits) {
  Location loc = left.getLoc();
  left = LLVM::SubOp::create(builder, loc, left, address.i32(extra));
  left = LLVM::SMaxOp::create(builder, loc, left, address.i32(0));
  left = LLVM::SMinOp::create(builder, loc, left, address.i32(run));
  return address.mul(left, address.i32(bits / 8));
}

template <typename OpTy> struct FillPattern : KernelPattern<OpTy> {
  using KernelPattern<OpTy>::KernelPattern;
  using KernelPattern<OpTy>::context;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getEngine() != Engine::cp_async)
      return failure();
    if (failed(expectPlace(op, op.getRing())))
      return failure();
    auto [row, column] = sourceCoordinates(op, rewriter);
    GlobalMatrix matrix = context.globals.lookup(op.getSource());
    GlobalType sourceType = op.getSource().getType();
    FieldAttr field = op.getRing().getType().getField(op.getField());
    unsigned bits = field.getType().getElementBits();
    const LinearLayout &threads = op.getThreads()->getLayout();
    auto source = TileAddressing::get(op, threads, getStorageLayout(sourceType),
                                      bool(matrix.stride));
    auto dest =
        TileAddressing::get(op, threads, getStorageLayout(field), false);
    if (failed(source) || failed(dest))
      return failure();
    unsigned limit = 128 / bits;
    bool pastColumns = context.pastColumns.contains(op);
    bool bounded = pastColumns ||
                   AddressBuilder::hasBound(*source, sourceType, matrix);
    unsigned run =
        std::min(source->contiguous(limit, bounded), dest->contiguous(limit));
    // Rows shorter than a run; a run-time stride is a multiple of 16 bytes.
    int64_t columns = sourceType.getShape()[1];
    if (pastColumns && !matrix.stride)
      run = std::min<int64_t>(run, columns & -columns);
    unsigned bytes = run * bits / 8;
    if (bytes < 4)
      return op.emitOpError("expected runs of at least 4 bytes that are "
                            "contiguous in global and shared memory, found ")
             << bytes;

    Location loc = op.getLoc();
    AddressBuilder address(rewriter, op, context);
    Value to = fieldAddress(rewriter, op, context, op.getRing(), op.getStep(),
                            op.getField(), address.threadBytes(*dest, bits));
    // One pointer per step; the rest are constants from it.
    GlobalAccess access(rewriter, op, context, *source, op.getSource(), bits,
                        row, column, /*pinned=*/true);
    if (failed(access.prepare()))
      return failure();
    Value enabled =
        address.both(op.getPredicate(), address.isFirstHolder(threads));
    Value left =
        pastColumns ? address.columnsLeft(*source, sourceType, column) : Value();
    for (unsigned first = 0; first < source->elements(); first += run) {
      Value isInside = access.rowIsInside(first);
      Value sourceBytes;
      if (pastColumns)
        sourceBytes = bytesLeft(rewriter, address, left,
                                source->coordinates(first)[1], run, bits);
      // Zeros for a row of the view that its map does not name: it may be
      // stored.
      if (Value isNamed = access.rowIsNamed(first))
        sourceBytes = LLVM::SelectOp::create(
            rewriter, loc, isNamed,
            sourceBytes ? sourceBytes : address.i32(bytes), address.i32(0));
      ptx::copyAsync(rewriter, loc,
                     address.advance(to, dest->position(first), bits, {}),
                     access.pointer(first), bytes,
                     address.both(enabled, isInside), sourceBytes);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// How ldmatrix can serve a tile: lanes own pairs along one dimension of 8x8
/// blocks, of which each stored row is 16 aligned bytes.
enum class MatrixLoad { Plain, Transposed };

std::optional<MatrixLoad> matchMatrixLoad(const TileAddressing &tile) {
  const LinearLayout &layout = tile.getLayout();
  const std::vector<Basis> &lanes = layout.bases("lane");
  const std::vector<Basis> &registers = layout.bases("register");
  if (registers.size() < 2 || lanes.size() != 5)
    return std::nullopt;
  auto along = [](unsigned dim, uint32_t value) {
    Basis basis{0, 0};
    basis[dim] = value;
    return basis;
  };
  for (uint32_t step : {1u, 2u, 4u})
    if (tile.positionOf(0, step).elements != step)
      return std::nullopt;
  if (tile.getStorage().strides()[0] % 8 != 0)
    return std::nullopt;
  for (MatrixLoad load : {MatrixLoad::Plain, MatrixLoad::Transposed}) {
    unsigned pairDim = load == MatrixLoad::Plain ? 1 : 0, rowDim = 1 - pairDim;
    bool pairs = registers[0] == along(pairDim, 1) &&
                 lanes[0] == along(pairDim, 2) && lanes[1] == along(pairDim, 4);
    bool rows = lanes[2] == along(rowDim, 1) && lanes[3] == along(rowDim, 2) &&
                lanes[4] == along(rowDim, 4);
    if (pairs && rows)
      return load;
  }
  return std::nullopt;
}

struct ReadPattern : KernelPattern<ReadOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ReadOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(expectPlace(op, op.getRing())))
      return failure();
    auto type = cast<ValType>(op.getResult().getType());
    unsigned bits = type.getElementBits();
    auto ring = cast<RingType>(op.getRing().getType());
    auto tile = TileAddressing::get(
        op, type.getLayout().getLayout(),
        getStorageLayout(ring.getField(op.getField())), false,
        /*isPart=*/true);
    if (failed(tile))
      return failure();
    AddressBuilder address(rewriter, op, context);
    Type stored =
        ring.getField(op.getField()).getType().getElementType();
    if (auto code = zeroPointsOf(stored, type)) {
      rewriter.replaceOpWithMultiple(
          op, {readZeros(op, rewriter, address, *tile, type, code.getWidth())});
      return success();
    }
    if (bits < 16 && threadsShareWords(*tile, bits)) {
      rewriter.replaceOpWithMultiple(
          op, {readPartialWords(op, rewriter, address, *tile, bits)});
      return success();
    }
    auto matrix = bits == 16 ? matchMatrixLoad(*tile) : std::nullopt;
    auto addresses = matrix ? rowsOf(op, *tile) : tile;
    if (failed(addresses))
      return failure();
    Value field =
        fieldAddress(rewriter, op, context, op.getRing(), op.getStep(),
                     op.getField(), address.threadBytes(*addresses, bits));
    SmallVector<Value> registers;
    if (matrix)
      registers = readMatrices(op, rewriter, address, *tile, *addresses, field,
                               *matrix);
    else if (failed(readRuns(op, rewriter, address, *tile, field, type,
                             registers)))
      return failure();
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }

private:
  static std::array<int64_t, 2> offsetsOf(ReadOp op) {
    return {op.getOffsets()[0], op.getOffsets()[1]};
  }

  /// Registers whose codes are those of the thread; between them lie others.
  SmallVector<Value> readPartialWords(ReadOp op, OpBuilder &builder,
                                      AddressBuilder &address,
                                      const TileAddressing &tile,
                                      unsigned width) const {
    Location loc = op.getLoc();
    int64_t perWord = 32 / width;
    Value field =
        fieldAddress(builder, op, context, op.getRing(), op.getStep(),
                     op.getField(), threadWordBytes(address, tile, width));
    Value shift = threadShift(address, tile, width);
    SmallVector<Value> registers;
    for (unsigned first = 0; first < tile.elements(); first += perWord) {
      int64_t code = tile.position(first, offsetsOf(op)).elements;
      Value word = LLVM::LoadOp::create(
          builder, loc, builder.getI32Type(),
          address.offset(field, code / perWord * 4), /*alignment=*/4);
      registers.push_back(LLVM::LShrOp::create(builder, loc, word, shift));
    }
    return registers;
  }

  SmallVector<Value> readZeros(ReadOp op, OpBuilder &builder,
                               AddressBuilder &address,
                               const TileAddressing &tile, ValType type,
                               unsigned width) const {
    Location loc = op.getLoc();
    Value field =
        fieldAddress(builder, op, context, op.getRing(), op.getStep(),
                     op.getField(), threadWordBytes(address, tile, width));
    return zeroNumbers(
        builder, loc, address, tile, type, width, offsetsOf(op),
        [&](int64_t at) -> Value {
          return LLVM::LoadOp::create(builder, loc, builder.getI32Type(),
                                      address.offset(field, at),
                                      /*alignment=*/4);
        });
  }

  static unsigned blocksAtOnce(const TileAddressing &tile) {
    return tile.elements() >= 8 ? 4 : 2;
  }

  /// ldmatrix: four (or two) 8x8 blocks at a time, one per 32-bit register.
  SmallVector<Value> readMatrices(ReadOp op, OpBuilder &builder,
                                  AddressBuilder &address,
                                  const TileAddressing &tile,
                                  const TileAddressing &rows, Value field,
                                  MatrixLoad load) const {
    Location loc = op.getLoc();
    unsigned blocks = blocksAtOnce(tile);
    Type i32 = builder.getI32Type();
    auto resultType = LLVM::LLVMStructType::getLiteral(
        builder.getContext(), SmallVector<Type>(blocks, i32));
    auto shape = NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8);
    SmallVector<Value> registers;
    for (unsigned group = 0; group < rows.elements(); ++group) {
      Value pointer =
          address.advance(field, rows.position(group, offsetsOf(op)), 16, {});
      Value loaded = NVVM::LdMatrixOp::create(
          builder, loc, resultType, pointer, blocks,
          load == MatrixLoad::Transposed ? NVVM::MMALayout::col
                                         : NVVM::MMALayout::row,
          shape, NVVM::LdStMatrixEltType::B16);
      for (unsigned index = 0; index < blocks; ++index)
        registers.push_back(
            LLVM::ExtractValueOp::create(builder, loc, loaded, index));
    }
    return registers;
  }

  /// The rows whose addresses lanes give: lane bits 0..2 are the row of a
  /// block, the bits above choose the block (the next register bits); register
  /// bits above those number the instructions.
  static FailureOr<TileAddressing> rowsOf(ReadOp op,
                                          const TileAddressing &tile) {
    const LinearLayout &layout = tile.getLayout();
    std::vector<Basis> lanes;
    for (uint32_t step : {1u, 2u, 4u}) {
      Basis basis{0, 0};
      basis[0] = step; // rows of the stored matrix
      lanes.push_back(basis);
    }
    std::vector<Basis> registers = layout.bases("register");
    // Bit 0 counts the halves of a register.
    unsigned used = blocksAtOnce(tile) == 4 ? 3 : 2;
    lanes.insert(lanes.end(), registers.begin() + 1, registers.begin() + used);
    registers.erase(registers.begin(), registers.begin() + used);
    while (lanes.size() < 5)
      lanes.push_back({0, 0});
    LinearLayout rows({{"register", registers},
                       {"lane", lanes},
                       {"warp", layout.bases("warp")}},
                      layout.outs());
    return TileAddressing::get(op, rows, tile.getStorage(), false,
                               /*isPart=*/true);
  }

  /// Plain loads of the longest runs.
  LogicalResult readRuns(ReadOp op, OpBuilder &builder, AddressBuilder &address,
                         const TileAddressing &tile, Value field, ValType type,
                         SmallVectorImpl<Value> &registers) const {
    Location loc = op.getLoc();
    unsigned bits = type.getElementBits();
    unsigned run = tile.contiguous(128 / bits);
    unsigned count = run * bits / 32;
    if (count == 0)
      return op.emitOpError("expected whole 32-bit words per lane; ")
             << type << " has runs of " << run << " elements of " << bits
             << " bits in this storage. Repack the weights to a layout in "
                "matrix instruction order (wna16.repack)";
    Type element = getRegisterType(type);
    Type loadType =
        count == 1 ? element : Type(VectorType::get({int64_t(count)}, element));
    for (unsigned first = 0; first < tile.elements(); first += run) {
      Value pointer =
          address.advance(field, tile.position(first, offsetsOf(op)), bits, {});
      Value loaded = LLVM::LoadOp::create(builder, loc, loadType, pointer,
                                          /*alignment=*/count * 4);
      if (count == 1) {
        registers.push_back(loaded);
        continue;
      }
      for (unsigned index = 0; index < count; ++index)
        registers.push_back(LLVM::ExtractElementOp::create(builder, loc, loaded,
                                                           address.i32(index)));
    }
    return success();
  }
};

} // namespace

namespace wna16 {
Value stageAddress(OpBuilder &builder, Location loc,
                   const KernelContext &context, Value ring, Value step) {
  auto type = cast<RingType>(ring.getType());
  AddressBuilder address(builder, loc, context.block);
  Value stages = arith::ConstantIndexOp::create(builder, loc, type.getStages());
  Value slot = arith::RemUIOp::create(builder, loc, step, stages);
  Value start = LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(),
                                         context.shared);
  // One address per step; without the pin LLVM carries one per access.
  return ptx::pinRegister(
      builder, loc,
      address.add(start, address.mul(address.toI32(slot),
                                     address.i32(type.getStageBytes()))));
}
} // namespace wna16

void ::wna16::populateCopyPatterns(RewritePatternSet &patterns,
                                   const TypeConverter &converter,
                                   const KernelContext &context) {
  patterns.add<FillPattern<FillOp>, FillPattern<FillScalesOp>, ReadPattern>(
      converter, context);
}
