//===- OpenLoads.h - loads from shared memory whose results nobody used ---===//
//
// A warp issues its loads in order, but waits for their bytes only where it
// needs them. Stores that come later are carried out later; a bulk or tensor
// copy is the work of another engine and may overtake a load. So a load is open
// until an instruction uses its result or overwrites that register, or its
// lanes execute fence.proxy.async. When an arrival at an mbarrier gives its
// bytes away before that, a copy into them is reported (Conflict::Unfinished).
//
// Copying a register is no use: ptxas removes that. A barrier of the block or
// the cluster counts as the end of the loads before it.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_OPENLOADS_H
#define WNA16_LIB_EMULATOR_OPENLOADS_H

#include "lib/Emulator/Program.h"

#include <array>

namespace wna16::emulator {

class Block;
struct Resolved;

/// A load by the lanes of `mask`.
struct OpenLoad {
  uint32_t pc = 0, mask = 0, bytes = 0;
  uint32_t time = 0; ///< when it was executed
  std::array<uint32_t, warpSize> offset{};
  std::array<Block *, warpSize> owner{};
  /// Registers with its result, by Value::index.
  std::vector<uint32_t> results;
  /// An arrival has given its bytes away, and the lane that arrived.
  bool published = false;
  uint32_t lane = 0;
};

/// Sets Instr::tracksLoads where instructions have to do with open loads;
/// nowhere in programs without copies into shared memory or mbarriers.
void findTrackedLoads(Program &program);

/// `instr` is about to be executed: ends the loads whose results it uses.
void useLoads(Warp &warp, const Instr &instr);
/// `instr` has loaded `bytes` bytes from shared memory in each lane of `from`:
/// opens a load if that is to be tracked.
void openLoad(Warp &warp, const Instr &instr, const Resolved &from,
              uint32_t bytes);
/// A lane has arrived at an mbarrier.
void publishLoads(Warp &warp, uint32_t lane);
/// The loads of these lanes are over.
void endLoads(Warp &warp, uint32_t mask);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_OPENLOADS_H
