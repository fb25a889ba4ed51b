//===- Ordering.h - happens-before inside a block -------------------------===//
//
// One clock per block ticks at every synchronisation. An access is stamped with
// the time, the warp, the lane and the instruction; it is ordered before
// another lane's access when that lane has synchronised with the first one
// after the stamp. Warps know each other through barriers, lanes of one warp
// through bar.warp.sync and the collective instructions.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_ORDERING_H
#define WNA16_LIB_EMULATOR_ORDERING_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace wna16::emulator {

/// Who accessed a byte, when and where. Zero: nobody.
class Stamp {
public:
  enum Flag : uint64_t {
    Async = 1,  ///< written by an asynchronous copy that this lane issued
    Strong = 2, ///< atomic or volatile: two such accesses do not race
    Lanes = 4,  ///< several lanes of the warp (readers)
    Warps = 8,  ///< several warps (readers)
    Same = 16   ///< lanes of one store that all wrote the same value
  };

  Stamp() = default;
  Stamp(uint32_t time, uint32_t warp, uint32_t lane, uint32_t pc,
        uint64_t flags)
      : bits(uint64_t(time) | uint64_t(pc & maxTime) << 24 |
             uint64_t(lane) << 48 | uint64_t(warp) << 53 | flags << 58) {}

  static constexpr uint32_t maxTime = (1u << 24) - 1;
  uint32_t time() const { return uint32_t(bits) & maxTime; }
  uint32_t pc() const { return uint32_t(bits >> 24) & maxTime; }
  uint32_t lane() const { return uint32_t(bits >> 48) & 31; }
  uint32_t warp() const { return uint32_t(bits >> 53) & 31; }
  bool has(Flag flag) const { return (bits >> 58) & flag; }
  bool none() const { return bits == 0; }
  Stamp without(Flag flag) const {
    Stamp copy = *this;
    copy.bits &= ~(uint64_t(flag) << 58);
    return copy;
  }
  bool operator==(const Stamp &) const = default;

private:
  uint64_t bits = 0;
};

/// What one warp knows of the others.
struct WarpClock {
  uint32_t id = 0;
  /// All lanes have seen each other's accesses stamped before this time.
  uint32_t lanesSynced = 0;
  /// Accesses of warp v stamped before known[v] are ordered before ours.
  std::array<uint32_t, 32> known{};
  /// lanes[a][b]: lane a has seen accesses of lane b stamped before this time;
  /// exists only after a bar.warp.sync of a part of the warp.
  std::unique_ptr<std::array<std::array<uint32_t, 32>, 32>> lanes;
  /// Shared memory was accessed since the lanes last synchronised.
  bool touched = false;
};

class BlockClock {
public:
  uint32_t now() const { return time; }
  /// Everything stamped before is ordered for everybody.
  uint32_t everyone() const { return safe; }
  /// False after 2^24 synchronisations: stamps have run out and races are no
  /// longer reported.
  bool exact() const { return !exhausted; }

  /// Lanes `mask` of a warp, out of the live lanes `alive`, synchronise.
  void syncLanes(WarpClock &warp, uint32_t mask, uint32_t alive) {
    if (!warp.touched && !warp.lanes && mask == alive)
      return;
    const uint32_t t = tick();
    if (mask == alive) {
      warp.lanesSynced = t;
      warp.lanes.reset();
      warp.touched = false;
      return;
    }
    if (!warp.lanes)
      warp.lanes = std::make_unique<std::array<std::array<uint32_t, 32>, 32>>();
    auto &table = *warp.lanes;
    std::array<uint32_t, 32> merged{};
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1)
        for (uint32_t other = 0; other < 32; ++other)
          merged[other] = std::max(merged[other], table[lane][other]);
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1) {
        for (uint32_t other = 0; other < 32; ++other)
          if (mask >> other & 1)
            merged[other] = t;
      }
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1)
        table[lane] = merged;
  }

  /// A warp arrives at a barrier: `joined` collects what arrivers know.
  void arrive(WarpClock &warp, std::array<uint32_t, 32> &joined) {
    const uint32_t t = tick();
    warp.lanesSynced = t;
    warp.lanes.reset();
    warp.touched = false;
    for (unsigned i = 0; i < 32; ++i)
      joined[i] = std::max(joined[i], warp.known[i]);
    joined[warp.id] = t;
  }
  /// A waiting warp leaves the barrier.
  void leave(WarpClock &warp, const std::array<uint32_t, 32> &joined) {
    for (unsigned i = 0; i < 32; ++i)
      warp.known[i] = std::max(warp.known[i], joined[i]);
  }
  /// A barrier of all live warps completed.
  void syncAll() { safe = tick(); }

  bool ordered(Stamp stamp, const WarpClock &warp, uint32_t lane) const {
    if (stamp.none() || stamp.time() < safe)
      return true;
    if (stamp.warp() != warp.id)
      return stamp.time() < warp.known[stamp.warp()];
    if (stamp.time() < warp.lanesSynced || stamp.has(Stamp::Same))
      return true;
    if (stamp.has(Stamp::Lanes))
      return false;
    return stamp.lane() == lane ||
           (warp.lanes && stamp.time() < (*warp.lanes)[lane][stamp.lane()]);
  }

private:
  uint32_t tick() {
    if (time < Stamp::maxTime)
      ++time;
    else
      exhausted = true;
    return time;
  }
  uint32_t time = 1, safe = 0;
  bool exhausted = false;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_ORDERING_H
