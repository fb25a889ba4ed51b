//===- Warp.h - registers and lanes of one warp ---------------------------===//
//
// The state that instruction handlers work on, and the small helpers they
// share: rows of 32 lanes in and out of the register file with the bookkeeping
// of what is defined, reports, and the decision whether undefined data matters.
//
// Definedness has two levels. `defined` has one bit per register and lane that
// says whether all of it is defined: handlers look no further where it is set.
// Where it is clear, `shadow` has the undefined bits of that lane.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_WARP_H
#define WNA16_LIB_EMULATOR_WARP_H

#include "lib/Emulator/Copies.h"
#include "lib/Emulator/Divergence.h"
#include "lib/Emulator/MemoryOrder.h"
#include "lib/Emulator/OpenLoads.h"
#include "lib/Emulator/Ordering.h"
#include "lib/Emulator/Program.h"
#include "lib/Emulator/Report.h"
#include "lib/Emulator/Warpgroup.h"

#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace wna16::emulator {

class Block;
struct Mbarrier;

/// Width class of a special register such as %tid.x; nullopt if unknown.
std::optional<RegClass> specialRegisterClass(std::string_view name);

/// The first lane of a mask.
inline unsigned firstLane(uint32_t mask) {
  return unsigned(__builtin_ctz(mask));
}

/// Calls `f(lane)` for each lane of a mask.
template <typename F> inline void forLanes(uint32_t mask, F &&f) {
  for (; mask; mask &= mask - 1)
    f(firstLane(mask));
}

struct Warp {
  enum class State : uint8_t { Runnable, Waiting, Done };

  Warp(Block &block, const Program &program) : block(block), program(program) {}

  /// Prepares warp `id` of a new block.
  void start(uint32_t id);
  /// Executes until the warp blocks, ends, yields or has executed `quantum`
  /// instructions; returns the number executed.
  uint64_t run(uint64_t quantum);

  //===--- register rows
  //----------------------------------------------------===//

  /// The 32 lanes of a Word register or immediate.
  const uint32_t *words(const Value &v) const {
    return reinterpret_cast<const uint32_t *>(bank[v.bank] + v.offset);
  }
  const uint64_t *wides(const Value &v) const {
    return reinterpret_cast<const uint64_t *>(bank[v.bank] + v.offset);
  }
  /// One lane of a register of either width, zero-extended.
  uint64_t lane(const Value &v, unsigned i) const {
    return v.cls == RegClass::Wide ? wides(v)[i] : words(v)[i];
  }
  uint32_t predicate(const Value &v) const {
    return v.negated ? ~predicates[v.offset] : predicates[v.offset];
  }
  /// Lanes in which all bits of a value are defined.
  uint32_t definedLanes(const Value &v) const { return defined[v.index]; }
  /// Lanes in which the bits of `field` are defined.
  uint32_t definedLanes(const Value &v, uint64_t field) const {
    uint32_t lanes = defined[v.index];
    if (lanes != fullMask) [[unlikely]]
      for (unsigned i = 0; i < warpSize; ++i)
        lanes |= uint32_t(!(undefinedBits(v, i) & field)) << i;
    return lanes;
  }
  /// The bits of a lane that are undefined. Not for predicates.
  uint64_t undefinedBits(const Value &v, unsigned i) const {
    if (defined[v.index] >> i & 1)
      return 0;
    const uint8_t *row = shadow.data() + v.offset;
    return v.cls == RegClass::Wide ? reinterpret_cast<const uint64_t *>(row)[i]
                                   : reinterpret_cast<const uint32_t *>(row)[i];
  }

  template <typename S>
  void write(const Value &v, const S *row, uint32_t mask, uint32_t isDefined) {
    S *to = reinterpret_cast<S *>(bank[0] + v.offset);
    if (mask == fullMask) {
      std::memcpy(to, row, sizeof(S) * warpSize);
    } else {
      for (unsigned i = 0; i < warpSize; ++i)
        to[i] = mask >> i & 1 ? row[i] : to[i];
    }
    markDefined(v, mask, isDefined);
  }
  /// Writes to a register of either width.
  void writeAny(const Value &v, const uint64_t *row, uint32_t mask,
                uint32_t isDefined);
  /// The same with the undefined bits of each lane.
  template <typename S>
  void writePartly(const Value &v, const S *row, uint32_t mask,
                   const S *undefined) {
    write(v, row, mask, fullMask);
    forLanes(mask, [&](unsigned i) { markLane(v, i, undefined[i]); });
  }
  void writeAnyPartly(const Value &v, const uint64_t *row, uint32_t mask,
                      const uint64_t *undefined) {
    writeAny(v, row, mask, fullMask);
    forLanes(mask, [&](unsigned i) { markLane(v, i, undefined[i]); });
  }
  void writePredicate(const Value &v, uint32_t lanes, uint32_t mask,
                      uint32_t isDefined) {
    predicates[v.offset] = (predicates[v.offset] & ~mask) | (lanes & mask);
    defined[v.index] = (defined[v.index] & ~mask) | (isDefined & mask);
  }
  /// Lanes of `mask` become defined or undefined as a whole.
  void markDefined(const Value &v, uint32_t mask, uint32_t isDefined) {
    defined[v.index] = (defined[v.index] & ~mask) | (isDefined & mask);
    if (mask & ~isDefined) [[unlikely]]
      spoil(v, mask & ~isDefined);
  }
  /// One lane, bit by bit.
  void markLane(const Value &v, unsigned i, uint64_t undefined);

  //===--- checks
  //-----------------------------------------------------------===//

  /// Reports at `instr`; `message` (a string or a callable that makes one) is
  /// only evaluated for a new finding.
  template <typename M>
  void report(Check check, const Instr &instr, int laneIndex, M &&message) {
    if constexpr (std::is_invocable_v<M>)
      reportImpl(check, instr, laneIndex, message);
    else
      reportImpl(check, instr, laneIndex, [&] { return std::string(message); });
  }
  /// Reports lanes of `mask` in which `v` is undefined; `use` completes "... is
  /// used as". Returns the lanes that may go on. Only the bits of `field`
  /// matter.
  uint32_t requireDefined(const Instr &instr, const Value &v, uint32_t mask,
                          const char *use, uint64_t field = ~uint64_t(0));
  /// For .sync instructions: reports lanes of `members` that are not here.
  /// Returns false when the instruction cannot be executed.
  bool requireTogether(const Instr &instr, uint32_t members, uint32_t mask);
  /// For .aligned instructions: every live lane must be here.
  bool requireWhole(const Instr &instr, uint32_t mask);
  /// Lanes of `mask` have met: orders their shared-memory accesses.
  void syncLanes(uint32_t mask);

  std::string registerName(const Value &v) const {
    return program.registerNames[v.index];
  }
  uint32_t pc(const Instr &instr) const {
    return uint32_t(&instr - program.instrs.data());
  }

  Block &block;
  const Program &program;
  uint32_t id = 0;
  State state = State::Runnable;
  Divergence lanes;
  WarpClock clock;
  MemoryOrder order;
  CopyQueue copies;
  std::vector<OpenLoad> openLoads;
  uint32_t initialLanes = 0;
  uint32_t executing = 0; ///< lanes that execute the current instruction
  uint32_t backEdges = 0;
  /// The barrier.red that waits for its result.
  const Instr *voting = nullptr;
  /// While Waiting: what for, and where.
  std::string (*describeWait)(const Warp &) = nullptr;
  uint32_t waitBarrier = 0, waitLine = 0;
  std::set<uint32_t> gaveUp; ///< program counters of waits that have once
  Mbarrier *waitMbarrier = nullptr;
  /// The cluster barrier: lanes that have arrived and not yet waited, and the
  /// phases waited for.
  uint32_t clusterArrived = 0, clusterPhases = 0;
  bool waitsForCluster = false;
  /// Bulk groups committed by each lane.
  std::array<uint32_t, warpSize> bulkGroups{};
  /// Null until the first wgmma instruction.
  std::unique_ptr<WgmmaState> wgmma;

  uint8_t *bank[2] = {nullptr, nullptr};
  std::vector<uint32_t> predicates, defined;
  /// Local memory, lane by lane, with one byte per byte: 1 = undefined.
  std::vector<uint8_t> local, localUndefined;

private:
  void reportImpl(Check check, const Instr &instr, int laneIndex,
                  const std::function<std::string()> &message);
  void setSpecialRegisters();
  std::string partText(const Value &v, unsigned lane) const;
  /// All bits of these lanes are undefined from now on.
  void spoil(const Value &v, uint32_t mask);
  /// Both of Program::registerBytes: a register and its shadow have the same
  /// offset.
  std::vector<uint8_t> registers, shadow;
};

/// File, line, source position and opcode of an instruction.
Report placeOf(const Program &program, uint32_t pc);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_WARP_H
