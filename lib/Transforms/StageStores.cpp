//===- StageStores.cpp - rows of the output in long runs ------------------===//

#include "lib/Layout/Instances.h"
#include "lib/Layout/TileLayouts.h"
#include "lib/Transforms/TilePasses.h"

namespace wna16 {
#define GEN_PASS_DEF_STAGESTORES
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::LinearLayout;

namespace {

/// Shorter runs waste most of each sector of 32 bytes.
constexpr int64_t goodBytes = 8;
constexpr int64_t bestBytes = 16;

/// Neighbours along the columns of the output that a lane holds.
int64_t runAlongColumns(const LinearLayout &layout) {
  int64_t run = 1;
  for (const layout::Basis &basis : layout.bases("register")) {
    if (basis[0] != 0 || basis[1] != run)
      break;
    run *= 2;
  }
  return run;
}

struct StageStoresPass : ::wna16::impl::StageStoresBase<StageStoresPass> {
  void runOnOperation() override {
    getOperation().walk([](StoreOp store) { stage(store); });
  }

  static void stage(StoreOp store) {
    int64_t warps = getWarpGroup(store).warps;
    auto type = cast<ValType>(store.getValue().getType());
    // A value that blocks share out lies along rows already.
    if (!store.getTransposed() || !type.getLayout() ||
        type.getLayout().getLayout().hasIn("block") ||
        type.getElementBits() != 16 ||
        type.getLayout().getLayout().inBits("warp") !=
            llvm::Log2_64(static_cast<uint64_t>(warps)))
      return;
    int64_t bytes = type.getElementBits() / 8;
    LinearLayout rows = transposedLayout(type.getLayout().getLayout());
    if (runAlongColumns(rows) * bytes >= goodBytes)
      return;
    Shape2 shape{type.getShape()[1], type.getShape()[0]};
    LinearLayout blocked = blockedLayout(layout::rowMajor(shape[0], shape[1]),
                                         shape, bestBytes / bytes, warps);
    if (runAlongColumns(blocked) * bytes < goodBytes)
      return;
    OpBuilder builder(store);
    auto layout =
        LinearAttr::get(store.getContext(), transposedLayout(blocked));
    Value converted =
        ConvertOp::create(builder, store.getLoc(), type.withLayout(layout),
                          store.getValue(), IntegerAttr(), UnitAttr());
    store.getValueMutable().assign(converted);
  }
};

} // namespace
