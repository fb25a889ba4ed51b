//===- RingScope.cpp - who must meet at a ring op -------------------------===//

#include "lib/Analysis/RingScope.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::Basis;
using ::wna16::layout::LinearLayout;

/// The threads that must meet between the copies of `fill` and `read`.
static Scope scopeBetween(FillOp fill, ReadOp read, Scope widest) {
  const LinearLayout &copy = fill.getThreads()->getLayout();
  auto readType = cast<ValType>(read.getResult().getType());
  const LinearLayout &use = readType.getLayout().getLayout();
  // Who copied the element that bit `index` of a reader's number leads to?
  LinearLayout holder = copy.rightInverse();
  unsigned regBits = copy.inBits("register");
  unsigned laneBits = copy.inBits("lane");
  unsigned rowBits = holder.ins()[0].bases.size();
  auto holderOf = [&](const Basis &at) {
    uint64_t flat = holder.applyFlat(at[0] | (uint64_t(at[1]) << rowBits));
    return std::pair<uint64_t, uint64_t>((flat >> regBits) &
                                             ((1u << laneBits) - 1),
                                         flat >> (regBits + laneBits));
  };
  Scope scope = Scope::lane;
  auto compare = [&](const std::vector<Basis> &bases, uint64_t lane,
                     uint64_t warp) {
    for (const Basis &basis : bases) {
      auto [copyLane, copyWarp] = holderOf(basis);
      if (copyWarp != warp)
        scope = widest;
      else if (copyLane != lane)
        scope = std::max(scope, Scope::warp);
      lane <<= 1;
      warp <<= 1;
    }
  };
  compare(use.bases("register"), 0, 0);
  compare(use.bases("lane"), 1, 0);
  compare(use.bases("warp"), 0, 1);
  // The rest of the field, of which a sliced read names a part.
  compare({{static_cast<uint32_t>(read.getOffsets()[0]),
            static_cast<uint32_t>(read.getOffsets()[1])}},
          0, 0);
  // Threads that hold copies of an element read what another one copied.
  if (copy.freeMask("lane") != 0)
    scope = std::max(scope, Scope::warp);
  if (copy.freeMask("warp") != 0)
    scope = widest;
  return scope;
}

namespace wna16 {
Scope requiredScope(ForEachWorkOp work, RingOp ring) {
  auto [warps, parts] = getWarpGroup(work);
  Scope widest = warps == parts ? Scope::warp
                 : parts > 1    ? Scope::part
                                : Scope::block;
  Scope scope = Scope::lane;
  for (Operation *user : ring->getUsers()) {
    // It reads what all warps have copied.
    if (isa<MmaAsyncOp>(user))
      return widest;
    for (Operation *other : ring->getUsers()) {
      auto fill = dyn_cast<FillOp>(user);
      auto read = dyn_cast<ReadOp>(other);
      if (fill && read && fill.getField() == read.getField() &&
          cast<ValType>(read.getResult().getType()).getLayout())
        scope = std::max(scope, scopeBetween(fill, read, widest));
    }
  }
  return scope;
}
} // namespace wna16
