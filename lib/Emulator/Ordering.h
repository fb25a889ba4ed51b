//===- Ordering.h - happens-before inside a cluster -----------------------===//
//
// One clock per cluster ticks at every synchronisation. An access is stamped
// with the time, the agent, the lane and the instruction; it is ordered before
// another one when the agent of that one has synchronised with the first agent
// after the stamp. Agents are the warps of the cluster and its mbarriers: bytes
// that an asynchronous copy brings belong to the mbarrier which it signals, and
// whoever waits for the phase knows them.
//
// Warps learn of each other through barriers, mbarriers, release and acquire;
// lanes of one warp through bar.warp.sync and the collective instructions.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_ORDERING_H
#define WNA16_LIB_EMULATOR_ORDERING_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace wna16::emulator {

/// Who accessed a byte, when and where. Zero: nobody.
class Stamp {
public:
  enum Flag : uint64_t {
    Async = 1,  ///< written by an asynchronous copy
    Strong = 2, ///< atomic or volatile: two such accesses do not race
    Lanes = 4,  ///< several lanes of the warp (readers)
    Warps = 8,  ///< several warps (readers)
    Same = 16,  ///< lanes of one store that all wrote the same value
    Alone = 16, ///< read while other lanes of the warp were elsewhere
    Proxy = 32  ///< made by the async proxy
  };

  Stamp() = default;
  Stamp(uint32_t time, uint32_t agent, uint32_t lane, uint32_t pc,
        uint64_t flags)
      : bits(uint64_t(time) | uint64_t(std::min(pc, maxPc)) << 25 |
             uint64_t(lane) << 43 | uint64_t(agent) << 48 | flags << 58) {}

  static constexpr uint32_t maxTime = (1u << 25) - 1, maxPc = (1u << 18) - 1,
                            maxAgents = 1u << 10;
  uint32_t time() const { return uint32_t(bits) & maxTime; }
  uint32_t pc() const { return uint32_t(bits >> 25) & maxPc; }
  uint32_t lane() const { return uint32_t(bits >> 43) & 31; }
  uint32_t agent() const { return uint32_t(bits >> 48) & (maxAgents - 1); }
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

/// A time per agent: everything an agent did before it has been seen.
class Times {
public:
  uint32_t of(uint32_t agent) const {
    return agent < times.size() ? times[agent] : 0;
  }
  void raise(uint32_t agent, uint32_t time) {
    if (agent >= times.size())
      times.resize(agent + 1);
    times[agent] = std::max(times[agent], time);
  }
  void join(const Times &other) {
    if (times.size() < other.times.size())
      times.resize(other.times.size());
    for (size_t i = 0; i < other.times.size(); ++i)
      times[i] = std::max(times[i], other.times[i]);
  }
  void clear() { times.clear(); }

private:
  std::vector<uint32_t> times;
};

/// What is known of other clusters, by their number in the grid. Immutable and
/// shared: it is rarely there and often copied.
using Foreign = std::map<uint32_t, Times>;
using ForeignRef = std::shared_ptr<const Foreign>;
ForeignRef joinForeign(const ForeignRef &a, const ForeignRef &b);

/// What an agent has seen of all others.
struct View {
  Times known;
  /// The part of it that is also visible to the async proxy: what was written
  /// before a fence.proxy.async that we have seen.
  Times fenced;
  ForeignRef foreign;
  /// griddepcontrol.wait is over.
  bool dependency = false;

  void join(const View &other) {
    known.join(other.known);
    fenced.join(other.fenced);
    if (other.foreign && other.foreign != foreign)
      foreign = joinForeign(foreign, other.foreign);
    dependency |= other.dependency;
  }
  void clear() { *this = View(); }
};

/// The clock of one warp.
struct WarpClock {
  uint32_t id = 0; ///< agent number
  /// All lanes have seen each other's accesses stamped before this time.
  uint32_t lanesSynced = 0;
  View view; ///< of all lanes
  /// What the lanes of `some` have seen in addition, until the lanes meet.
  View someView;
  uint32_t some = 0;
  /// lanes[a][b]: lane a has seen accesses of lane b stamped before this time;
  /// exists only after a bar.warp.sync of a part of the warp.
  std::unique_ptr<std::array<std::array<uint32_t, 32>, 32>> lanes;
  /// Memory was accessed since the lanes last synchronised.
  bool touched = false;
};

class ClusterClock {
public:
  explicit ClusterClock(uint32_t warps = 0) : warps(warps), agents(warps) {}

  uint32_t now() const { return time; }
  /// Everything that warps did before is ordered for everybody.
  uint32_t everyone() const { return safe; }
  /// False once times or agents have run out: races are no longer reported.
  bool exact() const { return !exhausted; }
  uint32_t numWarps() const { return warps; }

  /// A new agent that is no warp.
  uint32_t addAgent() {
    if (agents + 1 < Stamp::maxAgents)
      return agents++;
    exhausted = true;
    return agents - 1;
  }

  /// Lanes `mask` of a warp, out of the live lanes `alive`, synchronise.
  void syncLanes(WarpClock &warp, uint32_t mask, uint32_t alive);

  /// Lanes of a warp publish what they did and what they know to `joined`.
  void release(WarpClock &warp, uint32_t mask, uint32_t alive, View &joined);
  /// Lanes of a warp have seen `joined`.
  void acquire(WarpClock &warp, uint32_t mask, uint32_t alive,
               const View &joined);
  /// fence.proxy.async by some lanes.
  void fenceProxy(WarpClock &warp, uint32_t mask, uint32_t alive);
  /// A barrier of all live warps of the cluster completed.
  void syncAll() { safe = tick(); }
  uint32_t tick() {
    if (time < Stamp::maxTime)
      ++time;
    else
      exhausted = true;
    return time;
  }

  /// What a lane knows of an agent.
  uint32_t known(const WarpClock &warp, uint32_t lane, uint32_t agent) const {
    const uint32_t time = warp.view.known.of(agent);
    return warp.some >> lane & 1 ? std::max(time, warp.someView.known.of(agent))
                                 : time;
  }
  bool ordered(Stamp stamp, const WarpClock &warp, uint32_t lane) const {
    if (stamp.none())
      return true;
    if (stamp.agent() >= warps)
      return stamp.time() < known(warp, lane, stamp.agent());
    if (stamp.time() < safe)
      return true;
    if (stamp.agent() == warp.id) {
      if (stamp.time() < warp.lanesSynced || stamp.has(Stamp::Same))
        return true;
      if (!stamp.has(Stamp::Lanes) &&
          (stamp.lane() == lane ||
           (warp.lanes && stamp.time() < (*warp.lanes)[lane][stamp.lane()])))
        return true;
    }
    return stamp.time() < known(warp, lane, stamp.agent()) ||
           laneOrdered(stamp, warp, lane);
  }
  /// A write that the async proxy may see when a lane starts an operation of
  /// it: made by the async proxy itself, or fenced.
  bool visibleToProxy(Stamp stamp, const WarpClock &warp, uint32_t lane) const {
    return stamp.none() || stamp.has(Stamp::Proxy) ||
           stamp.time() < warp.view.fenced.of(stamp.agent()) ||
           (warp.some >> lane & 1 &&
            stamp.time() < warp.someView.fenced.of(stamp.agent()));
  }

  /// What one lane of another warp has done has been seen without the others.
  bool laneSeen(uint32_t other, uint32_t otherLane, uint32_t otherTime,
                const WarpClock &warp, uint32_t lane) const {
    if (laneAgents.empty())
      return false;
    const uint16_t agent = laneAgents[other * 32 + otherLane];
    return agent && otherTime < known(warp, lane, agent);
  }

private:
  /// The agent that stands for one lane of a warp which has published something
  /// without the others; made on demand.
  uint32_t laneAgent(uint32_t warp, uint32_t lane);
  bool laneOrdered(Stamp stamp, const WarpClock &warp, uint32_t lane) const {
    return !stamp.has(Stamp::Lanes) &&
           laneSeen(stamp.agent(), stamp.lane(), stamp.time(), warp, lane);
  }

  uint32_t warps, agents;
  std::vector<uint16_t> laneAgents; ///< by warp and lane; 0: none
  uint32_t time = 1, safe = 0;
  bool exhausted = false;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_ORDERING_H
