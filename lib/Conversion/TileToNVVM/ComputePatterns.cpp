//===- ComputePatterns.cpp - arithmetic on tiles in registers -------------===//
//
// Registers are found by coordinate: a pattern asks for the register that holds
// (i, j), and every layout with the right lanes works, whatever the order of
// its registers.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TileToNVVM/RegisterMap.h"
#include "lib/Layout/Instances.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::Basis;
using ::wna16::layout::LinearLayout;

namespace {

struct ZeroPattern : OpConversionPattern<ZeroOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ZeroOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<ValType>(op.getResult().getType());
    Value zero =
        LLVM::ZeroOp::create(rewriter, op.getLoc(), getRegisterType(type));
    rewriter.replaceOpWithMultiple(
        op, {SmallVector<Value>(type.getNumRegisters(), zero)});
    return success();
  }
};

struct SlicePattern : OpConversionPattern<SliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SliceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ValType from = op.getSource().getType(), to = op.getType();
    if (!sameThreads(from, to))
      return op.emitOpError("expected source and result on the same lanes");
    RegisterMap source(from), result(to);
    unsigned perRegister = 32 / to.getElementBits();
    SmallVector<Value> registers;
    for (unsigned element = 0; element < result.elements();
         element += perRegister) {
      auto [row, column] = result.coordinates(element);
      std::optional<unsigned> found =
          source.find(row + op.getOffsets()[0], column + op.getOffsets()[1]);
      if (!found || *found % perRegister)
        return op.emitOpError("expected a part made of whole registers");
      registers.push_back(adaptor.getSource()[*found / perRegister]);
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

struct CastPattern : OpConversionPattern<CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getSource().getType().getLayout() != op.getType().getLayout())
      return op.emitOpError("expected source and result in the same layout");
    Location loc = op.getLoc();
    auto half = VectorType::get({2}, op.getType().getElementType());
    auto wide = VectorType::get({2}, rewriter.getF32Type());
    Type i32 = rewriter.getI32Type();
    SmallVector<Value> registers;
    for (size_t index = 0; index < adaptor.getSource().size(); index += 2) {
      Value pair = LLVM::UndefOp::create(rewriter, loc, wide);
      for (unsigned lane : {0u, 1u}) {
        Value at = LLVM::ConstantOp::create(rewriter, loc, i32,
                                            rewriter.getI32IntegerAttr(lane));
        pair = LLVM::InsertElementOp::create(
            rewriter, loc, pair, adaptor.getSource()[index + lane], at);
      }
      Value rounded = LLVM::FPTruncOp::create(rewriter, loc, half, pair);
      registers.push_back(LLVM::BitcastOp::create(rewriter, loc, i32, rounded));
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// Whether the lanes of `layout` are those of an instruction operand whose
/// (row, column) are the tile's dimensions, exchanged with `swap`.
bool hasLanesOf(ValType type, const LinearLayout &fragment, bool swap) {
  std::vector<Basis> lanes = fragment.bases("lane");
  if (swap)
    for (Basis &basis : lanes)
      std::swap(basis[0], basis[1]);
  return type.getLayout().getLayout().bases("lane") == lanes;
}

struct MmaPattern : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ValType aType = op.getA().getType(), bType = op.getB().getType(),
            accType = op.getType();
    if (!hasLanesOf(aType, layout::mmaA16x16(), true) ||
        !hasLanesOf(bType, layout::mmaB16x8(), true) ||
        !hasLanesOf(accType, layout::mmaC16x8(), false))
      return op.emitOpError("expected operands on the lanes of mma.m16n8k16; "
                            "leave their layouts to assign-layouts");
    RegisterMap a(aType), b(bType), acc(accType);
    SmallVector<Value> sums(adaptor.getAcc());
    int64_t k = aType.getShape()[0];
    // A warp's tile begins at coordinate 0 of the register part; other warps
    // see the same numbers shifted.
    for (int64_t atK = 0; atK < k; atK += 16)
      for (int64_t atN : a.starts(1, 16))
        for (int64_t atM : acc.starts(1, 8))
          if (failed(
                  emit(op, rewriter, a, b, acc, adaptor, sums, atK, atN, atM)))
            return failure();
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }

private:
  static LogicalResult emit(MmaOp op, ConversionPatternRewriter &rewriter,
                            const RegisterMap &a, const RegisterMap &b,
                            const RegisterMap &acc, OneToNOpAdaptor adaptor,
                            SmallVectorImpl<Value> &sums, int64_t k, int64_t n,
                            int64_t m) {
    Location loc = op.getLoc();
    // NVVM takes pairs of f16 as vectors and of bf16 as plain registers.
    bool isF16 = op.getA().getType().getElementType().isF16();
    auto pair = VectorType::get({2}, rewriter.getF16Type());
    std::optional<std::array<NVVM::MMATypes, 2>> types;
    if (!isF16)
      types = {NVVM::MMATypes::bf16, NVVM::MMATypes::bf16};
    bool complete = true;
    auto operand = [&](const RegisterMap &map, ValueRange registers,
                       int64_t row, int64_t column) -> Value {
      std::optional<unsigned> element = map.find(row, column);
      if (!element || *element % 2) {
        complete = false;
        return {};
      }
      Value found = registers[*element / 2];
      return isF16 ? LLVM::BitcastOp::create(rewriter, loc, pair, found)
                   : found;
    };
    SmallVector<Value> aRegs, bRegs;
    for (int64_t atK : {k, k + 8})
      for (int64_t atN : {n, n + 8})
        aRegs.push_back(operand(a, adaptor.getA(), atK, atN));
    for (int64_t atK : {k, k + 8})
      bRegs.push_back(operand(b, adaptor.getB(), m, atK));
    SmallVector<unsigned> places;
    for (int64_t atN : {n, n + 8})
      for (int64_t atM : {m, m + 1}) {
        std::optional<unsigned> element = acc.find(atN, atM);
        complete &= element.has_value();
        places.push_back(element.value_or(0));
      }
    if (!complete)
      return op.emitOpError("expected registers in the order of mma.m16n8k16; "
                            "leave their layouts to assign-layouts");
    SmallVector<Value> cRegs;
    for (unsigned place : places)
      cRegs.push_back(sums[place]);
    Type f32 = rewriter.getF32Type();
    auto resultType = LLVM::LLVMStructType::getLiteral(
        rewriter.getContext(), SmallVector<Type>(4, f32));
    Value product = NVVM::MmaOp::create(
        rewriter, loc, resultType, aRegs, bRegs, cRegs,
        ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt, types,
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                       NVVM::MMALayout::col});
    for (auto [index, place] : llvm::enumerate(places))
      sums[place] = LLVM::ExtractValueOp::create(rewriter, loc, product, index);
    return success();
  }
};

struct ScaleAccPattern : OpConversionPattern<ScaleAccOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ScaleAccOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ValType accType = op.getType(), scaleType = op.getScales().getType();
    RegisterMap acc(accType), scales(scaleType);
    if (!acc.sameThreadsAlong(0, scales, 1))
      return op.emitOpError("expected every lane to hold the scales of its "
                            "columns");
    Location loc = op.getLoc();
    llvm::DenseMap<unsigned, Value> wide;
    SmallVector<Value> results;
    for (unsigned element = 0; element < acc.elements(); ++element) {
      std::optional<unsigned> at = scales.find(0, acc.coordinates(element)[0]);
      if (!at)
        return op.emitOpError("expected every lane to hold the scales of its "
                              "columns");
      Value &scale = wide[*at];
      if (!scale)
        scale = LLVM::FPExtOp::create(rewriter, loc, rewriter.getF32Type(),
                                      extractHalf(rewriter, loc,
                                                  scaleType.getElementType(),
                                                  adaptor.getScales(), *at));
      results.push_back(LLVM::FMAOp::create(rewriter, loc, scale,
                                            adaptor.getPart()[element],
                                            adaptor.getAcc()[element]));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct AddBiasPattern : OpConversionPattern<AddBiasOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AddBiasOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ValType biasType = op.getBias().getType();
    RegisterMap sum(op.getType()), bias(biasType);
    if (!sum.sameThreadsAlong(0, bias, 1))
      return op.emitOpError("expected every lane to hold the bias of its "
                            "columns");
    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type();
    SmallVector<Value> results;
    for (unsigned element = 0; element < sum.elements(); ++element) {
      std::optional<unsigned> at = bias.find(0, sum.coordinates(element)[0]);
      if (!at)
        return op.emitOpError("expected every lane to hold the bias of its "
                              "columns");
      Value number =
          biasType.getElementType().isF32()
              ? adaptor.getBias()[*at]
              : LLVM::FPExtOp::create(rewriter, loc, f32,
                                      extractHalf(rewriter, loc,
                                                  biasType.getElementType(),
                                                  adaptor.getBias(), *at))
                    .getResult();
      results.push_back(LLVM::FAddOp::create(rewriter, loc,
                                             adaptor.getSum()[element], number));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void ::wna16::populateComputePatterns(RewritePatternSet &patterns,
                                      const TypeConverter &converter) {
  patterns.add<ZeroPattern, SlicePattern, CastPattern, MmaPattern,
               ScaleAccPattern, AddBiasPattern>(converter,
                                                patterns.getContext());
}
