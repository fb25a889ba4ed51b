//===- ShareRegisters.cpp - registers from producers to consumers ---------===//
//
// A kernel begins with the same number of registers for every thread. A thread
// that only starts copies needs few of them, so its warpgroup gives back what
// the others then take.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/TilePasses.h"

#include "lib/Target/GpuTarget.h"

namespace wna16 {
#define GEN_PASS_DEF_SHAREREGISTERS
#include "lib/Transforms/TilePasses.h.inc"
} // namespace wna16

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

/// Warps that change their registers together.
constexpr int64_t warpgroup = 4;

struct ShareRegistersPass
    : ::wna16::impl::ShareRegistersBase<ShareRegistersPass> {
  using ShareRegistersBase::ShareRegistersBase;

  void runOnOperation() override {
    const GpuTarget *gpu = findTarget(target);
    if (!gpu) {
      getOperation().emitOpError(unknownTargetMessage(target));
      return signalPassFailure();
    }
    if (gpu->registerReallocation)
      getOperation().walk([&](RolesOp roles) { share(roles, *gpu); });
  }

  static void share(RolesOp roles, const GpuTarget &gpu) {
    int64_t givers = 0, takers = 0;
    for (auto role : roles.getBody().getOps<RoleOp>()) {
      if (role.getRegisters() || role.getWarps() % warpgroup)
        return;
      (role.getSingleThread() ? givers : takers) += role.getWarps();
    }
    if (givers == 0 || takers == 0)
      return;
    RegisterShare share = gpu.shareRegisters(givers, takers);
    if (share.givers == share.takers)
      return;
    Builder builder(roles.getContext());
    for (auto role : roles.getBody().getOps<RoleOp>())
      role.setRegistersAttr(builder.getI64IntegerAttr(
          role.getSingleThread() ? share.givers : share.takers));
  }
};

} // namespace
