//===- MbarrierInstructions.h - lanes and the mbarriers they name ---------===//
//
// What instructions that name an mbarrier share: from addresses to objects.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_MBARRIERINSTRUCTIONS_H
#define WNA16_LIB_EMULATOR_MBARRIERINSTRUCTIONS_H

#include "lib/Emulator/MemoryAccess.h"

namespace wna16::emulator {

/// The mbarrier at a shared, shared::cluster or generic address (see
/// Instr::space); null and a report if there is none, or if its initialisation
/// is not visible to the lane.
Mbarrier *findMbarrier(Warp &warp, const Instr &instr, unsigned lane,
                       uint64_t address);

/// Calls `f(mbarrier, lanes)` for each mbarrier that lanes of `mask` name.
/// Returns the lanes that named one.
template <typename F>
uint32_t forEachMbarrier(Warp &warp, const Instr &instr, uint32_t mask,
                         const LaneAddresses &addresses, F &&f) {
  uint32_t found = 0;
  while (mask) {
    const unsigned lane = firstLane(mask);
    uint32_t same = 0;
    forLanes(mask, [&](unsigned other) {
      same |= uint32_t(addresses[other] == addresses[lane]) << other;
    });
    mask &= ~same;
    if (Mbarrier *mbarrier = findMbarrier(warp, instr, lane, addresses[lane])) {
      found |= same;
      f(*mbarrier, same);
    }
  }
  return found;
}

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_MBARRIERINSTRUCTIONS_H
