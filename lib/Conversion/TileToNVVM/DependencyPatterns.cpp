//===- DependencyPatterns.cpp - overlap with other kernels ----------------===//

#include "lib/Conversion/TileToNVVM/Patterns.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

template <typename OpTy, NVVM::GridDepActionKind kind>
struct DependencyPattern : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::GriddepcontrolOp>(op, kind);
    return success();
  }
};

} // namespace

void ::wna16::populateDependencyPatterns(RewritePatternSet &patterns,
                                         const TypeConverter &converter) {
  patterns
      .add<DependencyPattern<DependencyWaitOp, NVVM::GridDepActionKind::wait>,
           DependencyPattern<DependencyLaunchOp,
                             NVVM::GridDepActionKind::launch_dependents>>(
          converter, patterns.getContext());
}
