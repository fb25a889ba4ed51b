//===- BarrierInstructions.cpp - bar, barrier, fence ----------------------===//
//
// Block barriers, warp barriers and fences. Memory is sequentially consistent
// here: fences change no value, they say what is ordered and what the async
// proxy sees.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Block.h"
#include "lib/Emulator/ClusterInstructions.h"
#include "lib/Emulator/Decoder.h"

#include <utility>

namespace wna16::emulator {
namespace {

/// A barrier operand has to be the same in all lanes.
bool uniform(Warp &warp, const Instr &instr, const Value &value, uint32_t mask,
             const char *what, uint32_t &out) {
  warp.requireDefined(instr, value, mask, what);
  const uint32_t *row = warp.words(value);
  out = row[firstLane(mask)];
  bool same = true;
  forLanes(mask, [&](unsigned lane) { same &= row[lane] == out; });
  if (!same)
    warp.report(Check::Barrier, instr, int(firstLane(mask)),
                std::string(what) + " differs between the lanes of a warp");
  return same;
}

/// Number and thread count of a barrier; 0 threads: all of the block.
bool barrierOperands(Warp &warp, const Instr &instr, uint32_t mask,
                     bool hasCount, uint32_t &number, uint32_t &count) {
  if (!warp.requireWhole(instr, mask))
    return false;
  count = 0;
  if (!uniform(warp, instr, instr.src[0], mask, "the number of a barrier",
               number) ||
      (hasCount && !uniform(warp, instr, instr.src[1], mask,
                            "the thread count of a barrier", count)))
    return false;
  if (number > 15) {
    warp.report(Check::Barrier, instr, -1, [&] {
      return "barrier " + std::to_string(number) +
             " does not exist; expected 0 to 15";
    });
    return false;
  }
  if (hasCount && (count == 0 || count % warpSize)) {
    warp.report(Check::Barrier, instr, -1, [&] {
      return "a barrier for " + std::to_string(count) +
             " threads; expected a positive multiple of 32";
    });
    return false;
  }
  return true;
}

/// Instr::flag: wait (sync), otherwise arrive.
Step runBarrier(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t number, count;
  if (!barrierOperands(warp, instr, mask, instr.numSrc > 1, number, count))
    return Step::Stop;
  return warp.block.arriveAtBarrier(warp, instr, number, count, instr.flag);
}

enum class Vote : uint8_t { Popc, And, Or };

/// barrier.red: the predicate is the last source.
Step runBarrierVote(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t number, count;
  if (!barrierOperands(warp, instr, mask, instr.numSrc > 2, number, count))
    return Step::Stop;
  const Value &vote = instr.src[instr.numSrc - 1];
  warp.voting = &instr;
  warp.block.voteAtBarrier(
      number, unsigned(__builtin_popcount(warp.predicate(vote) & mask)),
      unsigned(__builtin_popcount(mask)), !(mask & ~warp.definedLanes(vote)));
  return warp.block.arriveAtBarrier(warp, instr, number, count, true);
}

Step runWarpSync(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.requireDefined(instr, instr.src[0], mask, "a member mask");
  const uint32_t members = warp.words(instr.src[0])[firstLane(mask)];
  if (!warp.requireTogether(instr, members, mask))
    return Step::Stop;
  warp.syncLanes(mask);
  return Step::Next;
}

Step runFence(Warp &warp, const Instr &instr, uint32_t mask) {
  fence(warp, mask, instr.scope);
  return Step::Next;
}

/// fence.proxy.async: what these lanes know becomes visible to the async proxy,
/// and what they loaded is there.
Step runProxyFence(Warp &warp, const Instr &, uint32_t mask) {
  endLoads(warp, mask);
  warp.block.clock.fenceProxy(warp.clock, mask, warp.lanes.alive());
  return Step::Next;
}

/// fence.mbarrier_init: the mbarriers that this warp has initialised become
/// visible with its next arrival at the cluster barrier, also a relaxed one.
Step runInitFence(Warp &warp, const Instr &, uint32_t) {
  for (const auto &[offset, mbarrier] : warp.block.mbarriers())
    if (mbarrier->init.agent() == warp.clock.id)
      mbarrier->fenced = true;
  return Step::Next;
}

Step runNothing(Warp &, const Instr &, uint32_t) { return Step::Next; }

bool decodeVote(Decoder &d) {
  const int vote = d.takeOne({"popc", "and", "or"});
  d.skip({"aligned"});
  const Type type = vote == int(Vote::Popc) ? Type::U32 : Type::Pred;
  if (vote < 0 || !d.take(typeName(type)))
    return d.fail("expected .red.popc.u32, .red.and.pred or .red.or.pred");
  d.instr.sub = uint8_t(vote);
  d.instr.handler = runBarrierVote;
  if (!d.end() || !d.expectOperands(3, 4) || !d.dst(d.operand(0), type))
    return false;
  const size_t last = d.numOperands() - 1;
  for (size_t i = 1; i < last; ++i)
    if (!d.src(d.operand(i), Type::U32))
      return false;
  return d.srcPredicate(d.operand(last));
}

bool decodeBar(Decoder &d) {
  d.instr.cls = InstrClass::Barrier;
  if (d.take("warp")) {
    d.instr.handler = runWarpSync;
    return d.take("sync") && d.end() && d.expectOperands(1) &&
           d.src(d.operand(0), Type::U32);
  }
  if (d.take("cluster"))
    return decodeClusterBarrier(d);
  d.skip({"cta"});
  const int form = d.takeOne({"sync", "arrive", "red"});
  if (form < 0)
    return d.fail("expected .sync, .arrive, .red or .warp.sync");
  if (form == 2)
    return decodeVote(d);
  d.skip({"aligned"});
  d.instr.flag = form == 0;
  d.instr.handler = runBarrier;
  if (!d.end() || !d.expectOperands(form == 0 ? 1 : 2, 2))
    return false;
  for (size_t i = 0; i < d.numOperands(); ++i)
    if (!d.src(d.operand(i), Type::U32))
      return false;
  return true;
}

bool decodeFence(Decoder &d) {
  d.instr.cls = InstrClass::Barrier;
  if (d.take("mbarrier_init")) {
    d.instr.handler = runInitFence;
    return d.take("release") && d.take("cluster") && d.end() &&
           d.expectOperands(0);
  }
  if (d.take("proxy")) {
    // Other proxies (tensormap, alias) are not told apart from the generic one.
    d.instr.handler = d.take("async") ? runProxyFence : runNothing;
    return d.expectOperands(0, 2);
  }
  d.instr.handler = runFence;
  d.takeOne({"sc", "acq_rel", "acquire", "release"});
  d.instr.scope = takeScope(d, Scope::System);
  d.skip({"sync_restrict::shared::cta", "sync_restrict::shared::cluster"});
  return d.end() && d.expectOperands(0);
}

bool decodeMembar(Decoder &d) {
  d.instr.cls = InstrClass::Barrier;
  if (d.has("proxy"))
    return d.take("proxy") && decodeFence(d);
  d.instr.handler = runFence;
  constexpr Scope scopes[] = {Scope::Block, Scope::Gpu,     Scope::System,
                              Scope::Block, Scope::Cluster, Scope::Gpu};
  const int scope = d.takeOne({"cta", "gl", "sys", "cta", "cluster", "gpu"});
  d.instr.scope = scope < 0 ? Scope::System : scopes[scope];
  return d.end() && d.expectOperands(0);
}

} // namespace

void writeVote(Warp &warp, const NamedBarrier &barrier) {
  const Instr &instr = *std::exchange(warp.voting, nullptr);
  const uint32_t lanes = warp.lanes.alive();
  const uint32_t isDefined = barrier.votesKnown ? fullMask : 0;
  if (Vote(instr.sub) == Vote::Popc) {
    uint32_t out[warpSize];
    std::fill(out, out + warpSize, barrier.votes);
    warp.write(instr.dst[0], out, lanes, isDefined);
    return;
  }
  const bool yes = Vote(instr.sub) == Vote::And
                       ? barrier.votes == barrier.voters
                       : barrier.votes > 0;
  warp.writePredicate(instr.dst[0], yes ? fullMask : 0, lanes, isDefined);
}

void addBarrierInstructions(MnemonicTable &table) {
  table["bar"] = decodeBar;
  table["barrier"] = decodeBar;
  table["fence"] = decodeFence;
  table["membar"] = decodeMembar;
}

} // namespace wna16::emulator
