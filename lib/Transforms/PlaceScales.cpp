//===- PlaceScales.cpp - scales on weights or on sums ---------------------===//

#include "lib/Transforms/TilePasses.h"

namespace wna16 {
#define GEN_PASS_DEF_PLACESCALES
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using mlir::wna16::ScalePlace;
using mlir::wna16::ScheduleAttr;

namespace {
struct PlaceScalesPass : ::wna16::impl::PlaceScalesBase<PlaceScalesPass> {
  void runOnOperation() override {
    ScheduleAttr schedule = getOperation().getScheduleAttr();
    if (!schedule || schedule.getScales() != ScalePlace::Accumulator)
      return;
    SmallVector<MmaOp> products;
    getOperation().walk([&](MmaOp op) { products.push_back(op); });
    for (MmaOp product : products)
      place(product);
  }

  /// mma(dequant(w, s), x, acc) -> scale_acc(acc, mma(dequant(w), x, 0), s)
  static void place(MmaOp product) {
    auto dequant = product.getA().getDefiningOp<DequantOp>();
    if (!dequant || !dequant.getScales())
      return;
    auto load = dequant.getScales().getDefiningOp<LoadScalesOp>();
    int64_t step = dequant.getType().getShape()[0];
    // One row of scales must serve the whole product.
    if (!load || (int64_t(load.getGroup()) != -1 && load.getGroup() % step != 0))
      return;
    OpBuilder builder(product);
    Location loc = product.getLoc();
    Value codes =
        DequantOp::create(builder, dequant.getLoc(), dequant.getType(),
                          dequant.getCodes(), dequant.getZeros(), Value());
    Value zero = ZeroOp::create(builder, loc, product.getType());
    Value part = MmaOp::create(builder, loc, codes, product.getB(), zero);
    Value sum = ScaleAccOp::create(builder, loc, product.getAcc(), part,
                                   dequant.getScales());
    product.replaceAllUsesWith(sum);
    product.erase();
    if (dequant->use_empty())
      dequant.erase();
  }
};
} // namespace
