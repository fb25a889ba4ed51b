//===- WgmmaPatterns.cpp - products that read shared memory ---------------===//
//
// A warpgroup multiplies 64 columns of weights, which it holds in registers, by
// the activations of a stage. The four warps and the rows of their fragments
// may stand for the columns in any order, as long as weights and sums agree.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TileToNVVM/Addressing.h"
#include "lib/Conversion/TileToNVVM/InlinePtxWgmma.h"
#include "lib/Conversion/TileToNVVM/RegisterMap.h"
#include "lib/Conversion/TileToNVVM/RingAddress.h"
#include "lib/Layout/Instances.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::Basis;
using ::wna16::layout::LinearLayout;

namespace {

/// Rows of K of one instruction.
constexpr int64_t instructionK = 16;
/// Columns that one instruction takes from each warp: fragment rows g, g + 8.
constexpr int64_t warpColumns = 16;

/// Whether lanes 0 and 1 step along `dim` as in a fragment, and the other lanes
/// and all warps along the other dimension.
bool isFragmentAlong(ValType type, unsigned dim) {
  const LinearLayout &layout = type.getLayout().getLayout();
  auto step = [&](uint32_t value) {
    Basis basis{0, 0};
    basis[dim] = value;
    return basis;
  };
  const std::vector<Basis> &lanes = layout.bases("lane");
  auto isAcross = [&](const Basis &basis) { return basis[dim] == 0; };
  return lanes[0] == step(2) && lanes[1] == step(4) &&
         std::all_of(lanes.begin() + 2, lanes.end(), isAcross) &&
         llvm::all_of(layout.bases("warp"), isAcross) &&
         layout.inBits("warp") >= 2;
}

/// The matrix descriptor of a field in a 128-byte swizzle, and its parts.
class Descriptor {
public:
  Descriptor(OpBuilder &builder, AddressBuilder &address, Location loc,
             Value start)
      : builder(builder), address(address), loc(loc) {
    // Bits 0 to 13: address / 16. Bits 16 to 29: not used for a swizzled field
    // of one panel, 1 by convention.
    Value number =
        LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), start);
    low = LLVM::OrOp::create(
        builder, loc,
        LLVM::LShrOp::create(builder, loc, number, address.i32(4)),
        address.i32(1 << 16));
  }

  /// At `bytes` from the start.
  Value at(int64_t bytes) {
    // Bits 32 to 45: from 8 rows to the next 8, / 16. Bits 62 and 63: swizzle.
    constexpr uint64_t high =
        uint64_t(layout::swizzlePatternBytes / 16) << 32 | uint64_t(1) << 62;
    Value word =
        LLVM::ZExtOp::create(builder, loc, builder.getI64Type(),
                             address.add(low, address.i32(bytes / 16)));
    return LLVM::OrOp::create(builder, loc, word, address.i64(high));
  }

private:
  OpBuilder &builder;
  AddressBuilder &address;
  Location loc;
  Value low;
};

struct MmaAsyncPattern : KernelPattern<MmaAsyncOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(MmaAsyncOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ValType aType = op.getA().getType(), accType = op.getType();
    RegisterMap a(aType), acc(accType);
    if (!isFragmentAlong(aType, 0) || !isFragmentAlong(accType, 1) ||
        !a.sameThreadsAlong(1, acc, 0))
      return op.emitOpError("expected weights and sums on the lanes and warps "
                            "of warpgroups; leave their layouts to "
                            "assign-layouts");
    if (failed(expectPlace(op, op.getRing())))
      return failure();
    Location loc = op.getLoc();
    AddressBuilder address(rewriter, op, context);
    FieldAttr field =
        cast<RingType>(op.getRing().getType()).getField(op.getField());
    layout::StorageLayout storage = getStorageLayout(field);
    Descriptor descriptor(rewriter, address, loc,
                          fieldAddress(rewriter, op, context, op.getRing(),
                                       op.getStep(), op.getField(),
                                       address.i32(0)));
    int64_t k = aType.getShape()[0], m = accType.getShape()[1];
    bool isBf16 = aType.getElementType().isBF16();
    // The first product of a sum needs no zeros.
    bool isFirst = bool(op.getAcc().getDefiningOp<ZeroOp>());
    SmallVector<Value> sums(adaptor.getAcc());
    // Where LLVM must copy them, it does so before the fence.
    if (!isFirst)
      sums = ptx::holdRegisters(rewriter, loc, sums);
    NVVM::WgmmaFenceAlignedOp::create(rewriter, loc);
    for (int64_t atK = 0; atK < k; atK += instructionK) {
      // Within a row of a pattern, 16 k lie side by side before the swizzle.
      int64_t row = op.getOffsets()[0], column = op.getOffsets()[1] + atK;
      Value b = descriptor.at(storage.offset(row, column) * 2);
      for (int64_t atN : a.starts(1, warpColumns)) {
        FailureOr<SmallVector<Value>> weights =
            fragmentOf(op, a, adaptor.getA(), atK, atN);
        FailureOr<SmallVector<unsigned>> places = placesOf(op, acc, atN, m);
        if (failed(weights) || failed(places))
          return failure();
        SmallVector<Value> before;
        for (unsigned place : *places)
          if (!isFirst || atK > 0)
            before.push_back(sums[place]);
        SmallVector<Value> after =
            ptx::multiplyAsync(rewriter, loc, static_cast<unsigned>(m), isBf16,
                               *weights, b, before);
        for (auto [place, value] : llvm::zip(*places, after))
          sums[place] = value;
      }
    }
    NVVM::WgmmaGroupSyncAlignedOp::create(rewriter, loc);
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }

private:
  static LogicalResult refuse(MmaAsyncOp op) {
    return op.emitOpError("expected registers in the order of fragments of 64 "
                          "columns; leave their layouts to assign-layouts");
  }

  static FailureOr<SmallVector<Value>> fragmentOf(MmaAsyncOp op,
                                                  const RegisterMap &map,
                                                  ValueRange registers,
                                                  int64_t k, int64_t n) {
    SmallVector<Value> result;
    for (int64_t atK : {k, k + 8})
      for (int64_t atN : {n, n + 8}) {
        std::optional<unsigned> element = map.find(atK, atN);
        std::optional<unsigned> next = map.find(atK + 1, atN);
        if (!element || *element % 2 || !next || *next != *element + 1)
          return refuse(op);
        result.push_back(registers[*element / 2]);
      }
    return result;
  }

  static FailureOr<SmallVector<unsigned>>
  placesOf(MmaAsyncOp op, const RegisterMap &map, int64_t n, int64_t m) {
    SmallVector<unsigned> result;
    for (int64_t group = 0; group < m; group += 8)
      for (int64_t atN : {n, n + 8})
        for (int64_t atM : {group, group + 1}) {
          std::optional<unsigned> element = map.find(atN, atM);
          if (!element)
            return refuse(op);
          result.push_back(*element);
        }
    return result;
  }
};

struct MmaWaitPattern : KernelPattern<MmaWaitOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(MmaWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::WgmmaWaitGroupSyncOp::create(
        rewriter, op.getLoc(), rewriter.getI64IntegerAttr(op.getPending()));
    // LLVM does not know that the sums change until here.
    rewriter.replaceOpWithMultiple(
        op, {ptx::holdRegisters(rewriter, op.getLoc(), adaptor.getAcc())});
    return success();
  }
};

} // namespace

void ::wna16::populateWgmmaPatterns(RewritePatternSet &patterns,
                                    const TypeConverter &converter,
                                    const KernelContext &context) {
  patterns.add<MmaAsyncPattern, MmaWaitPattern>(converter, context);
}
