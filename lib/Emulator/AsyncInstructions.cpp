//===- AsyncInstructions.cpp - cp.async, groups, arrivals -----------------===//
//
// A copy is pending from its issue until a wait of its lane covers its group.
// By default its bytes move only then, as late as the hardware may; "early"
// moves them at issue, "random" decides per copy. What the checks say does not
// depend on that choice.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/BulkInstructions.h"
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/MbarrierInstructions.h"
#include "lib/Emulator/MemoryAccess.h"

namespace wna16::emulator {
namespace {

/// Moves the bytes of the lanes `mask` of a copy.
void land(Warp &warp, PendingCopy &copy, uint32_t mask) {
  forLanes(mask & ~copy.landed, [&](unsigned lane) {
    uint8_t *to = warp.block.shared.data(copy.destination[lane]);
    const unsigned fromSource = copy.sourceBytes[lane];
    if (fromSource)
      std::memcpy(to, copy.data[lane], fromSource);
    std::memset(to + fromSource, 0, copy.bytes - fromSource);
  });
  copy.landed |= mask;
}

/// Ends the copies of the lanes of `mask` whose group, or with an mbarrier
/// whose number, is below `limits[lane]`.
void complete(Warp &warp, uint32_t mask,
              const std::array<uint32_t, warpSize> &limits,
              const Mbarrier *mbarrier = nullptr) {
  auto &queue = warp.copies.inFlight;
  for (PendingCopy &copy : queue) {
    uint32_t ended = 0;
    forLanes(copy.mask & mask, [&](unsigned lane) {
      const uint32_t place = mbarrier ? copy.number[lane] : copy.group[lane];
      ended |= uint32_t(place < limits[lane]) << lane;
    });
    if (!ended)
      continue;
    land(warp, copy, ended);
    forLanes(ended, [&](unsigned lane) {
      // The bytes belong to the lane, or to the mbarrier that they signal.
      uint32_t agent = copy.mbarrierAgent[lane];
      if (!agent)
        agent = mbarrier ? mbarrier->agent : warp.clock.id;
      warp.block.shared.endCopy(
          Stamp(warp.block.clock.now(), agent, lane, copy.pc, Stamp::Async),
          copy.destination[lane], copy.bytes, copy.undefined[lane],
          copy.sourceBytes[lane]);
    });
    warp.clock.touched = true;
    copy.mask &= ~ended;
  }
  while (!queue.empty() && !queue.front().mask) {
    queue.pop_front();
    --warp.block.copiesInFlight;
  }
}

/// Which of the optional operands after the size an instruction has.
enum Optional : uint8_t { NoOptional, SourceSize, IgnoreSource };

Step runCopy(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses to, from;
  uint32_t valid = laneAddresses(warp, instr, instr.src[0], mask, to);
  valid = laneAddresses(warp, instr, instr.src[1], valid, from);
  const uint32_t bytes = instr.elementBytes;
  PendingCopy copy;
  copy.pc = warp.pc(instr);
  copy.bytes = uint8_t(bytes);
  copy.sourceBytes.fill(uint8_t(bytes));
  uint32_t whole = valid; // lanes that read all bytes of their source
  if (instr.sub == SourceSize) {
    valid = warp.requireDefined(instr, instr.src[2], valid,
                                "the source size of a copy");
    const uint32_t *sizes = warp.words(instr.src[2]);
    forLanes(valid, [&](unsigned lane) {
      if (sizes[lane] > bytes)
        warp.report(Check::Bounds, instr, int(lane), [&] {
          return "the source size is " + std::to_string(sizes[lane]) +
                 ", more than the " + std::to_string(bytes) +
                 " bytes of the copy";
        });
      copy.sourceBytes[lane] = uint8_t(std::min(sizes[lane], bytes));
      if (sizes[lane] < bytes)
        whole &= ~(1u << lane);
    });
  } else if (instr.sub == IgnoreSource) {
    valid = warp.requireDefined(instr, instr.src[2], valid,
                                "the ignore-source predicate of a copy");
    const uint32_t ignore = warp.predicate(instr.src[2]) & valid;
    forLanes(ignore, [&](unsigned lane) { copy.sourceBytes[lane] = 0; });
    whole &= ~ignore;
  }
  whole &= valid;

  const Resolved destination = resolve(
      warp, instr, Space::Shared, AccessKind::Write, valid, to, bytes, bytes);
  auto takeSource = [&](uint32_t lanes, uint32_t count) {
    const Resolved source =
        resolve(warp, instr, Space::Global, AccessKind::Read, lanes, from,
                count, bytes);
    forLanes(source.mask, [&](unsigned lane) {
      copy.source[lane] = from[lane];
      copy.data[lane] = source.data[lane];
      copy.undefined[lane] = source.undefined[lane];
    });
    return source.mask;
  };
  whole &= destination.mask;
  copy.mask = whole ? takeSource(whole, bytes) : 0;
  forLanes(destination.mask & valid & ~whole, [&](unsigned lane) {
    const uint32_t count = copy.sourceBytes[lane];
    copy.mask |= count ? takeSource(1u << lane, count) : 1u << lane;
  });
  countBanks(warp, instr, copy.mask, destination.offset, bytes);
  forLanes(copy.mask, [&](unsigned lane) {
    copy.destination[lane] = destination.offset[lane];
    copy.group[lane] = warp.copies.committed[lane];
    copy.number[lane] = warp.copies.issued[lane]++;
    reportConflict(warp, instr, lane,
                   warp.block.shared.beginCopy(sharedAgent(warp, instr, lane),
                                               destination.offset[lane], bytes),
                   true);
  });
  if (!copy.mask)
    return Step::Next;
  const Completion completion = warp.block.launch.options.completion;
  if (completion == Completion::Early ||
      (completion == Completion::Random && warp.block.random() % 2))
    land(warp, copy, copy.mask);
  warp.copies.inFlight.push_back(copy);
  ++warp.block.copiesInFlight;
  ++warp.block.progress;
  return Step::Next;
}

Step runCommit(Warp &warp, const Instr &, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) { ++warp.copies.committed[lane]; });
  return Step::Next;
}

/// When the copies of all arrivals have been waited for, the arrivals follow.
void landArrivals(Warp &warp, uint32_t mask,
                  const std::array<uint32_t, warpSize> &groups) {
  bool all = true;
  for (const CopyQueue::Arrival &arrival : warp.copies.arrivals)
    forLanes(arrival.lanes, [&](unsigned lane) {
      all &= (mask >> lane & 1) && arrival.group[lane] < groups[lane];
    });
  if (all && !warp.copies.arrivals.empty())
    warp.block.cluster.async.landArrivals(warp);
}

/// Lanes know the copies of the groups that they have waited for, also those
/// whose bytes belong to an mbarrier that others wait for.
void learnOfArrivals(Warp &warp, uint32_t mask,
                     const std::array<uint32_t, warpSize> &groups) {
  for (const CopyQueue::Arrival &arrival : warp.copies.arrivals) {
    uint32_t over = 0;
    forLanes(arrival.lanes & mask, [&](unsigned lane) {
      over |= uint32_t(arrival.group[lane] < groups[lane]) << lane;
    });
    if (!over)
      continue;
    View view;
    view.known.raise(arrival.agent, warp.block.clock.tick());
    warp.block.clock.acquire(warp.clock, over, warp.lanes.alive(), view);
  }
}

/// Instr::flag: wait_all, uncommitted copies included.
Step runWait(Warp &warp, const Instr &instr, uint32_t mask) {
  std::array<uint32_t, warpSize> groups{};
  forLanes(mask, [&](unsigned lane) {
    const uint32_t committed = warp.copies.committed[lane];
    groups[lane] =
        instr.flag
            ? committed + 1
            : committed - std::min<uint32_t>(committed, uint32_t(instr.imm));
  });
  landArrivals(warp, mask, groups);
  complete(warp, mask, groups);
  learnOfArrivals(warp, mask, groups);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// cp.async.mbarrier.arrive
//===----------------------------------------------------------------------===//

/// Arrives on an mbarrier when the copies that the lanes have issued so far are
/// complete. Instr::flag: noinc.
Step runArrive(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses addresses;
  const uint32_t valid =
      laneAddresses(warp, instr, instr.src[0], mask, addresses);
  forEachMbarrier(
      warp, instr, valid, addresses, [&](Mbarrier &mbarrier, uint32_t lanes) {
        if (!instr.flag) // the arrival is one more, not one of those expected
          mbarrier.pending += unsigned(__builtin_popcount(lanes));
        // Copies that these lanes issue later are not waited for.
        std::array<uint32_t, warpSize> upTo{};
        forLanes(lanes,
                 [&](unsigned lane) { upTo[lane] = warp.copies.issued[lane]; });
        for (PendingCopy &copy : warp.copies.inFlight)
          forLanes(copy.mask & lanes, [&](unsigned lane) {
            if (!copy.mbarrierAgent[lane])
              copy.mbarrierAgent[lane] = mbarrier.agent;
          });
        // Those that earlier arrivals wait for are waited for by this one too.
        std::vector<uint32_t> earlier;
        CopyQueue::Arrival *arrival = nullptr;
        for (CopyQueue::Arrival &other : warp.copies.arrivals) {
          if (other.agent == mbarrier.agent)
            arrival = &other;
          else
            earlier.push_back(other.agent);
        }
        if (!arrival)
          arrival = &warp.copies.arrivals.emplace_back(
              CopyQueue::Arrival{mbarrier.agent, 0, {}});
        arrival->lanes |= lanes;
        forLanes(lanes, [&](unsigned lane) {
          arrival->group[lane] = warp.copies.committed[lane];
        });
        AsyncOperation operation;
        operation.warp = &warp;
        operation.lane = firstLane(lanes);
        operation.pc = warp.pc(instr);
        operation.mbarrier = &mbarrier;
        operation.onLanding = [&warp, &mbarrier, lanes, upTo, earlier,
                               pc = operation.pc] {
          // Lane by lane: an arrival says nothing of the copies of others.
          forLanes(lanes, [&](unsigned lane) {
            complete(warp, 1u << lane, upTo, &mbarrier);
            const uint32_t t = warp.block.clock.tick();
            for (uint32_t agent : earlier)
              mbarrier.arriving.known.raise(agent, t);
            arriveOn(mbarrier, warp.block.cluster, pc);
          });
        };
        warp.block.cluster.async.issue(instr, std::move(operation));
      });
  return Step::Next;
}

bool decodeArrive(Decoder &d) {
  d.take("arrive");
  d.instr.flag = d.take("noinc");
  const bool shared = d.takeOne({"shared", "shared::cta"}) >= 0;
  d.instr.space = shared ? Space::Shared : Space::Generic;
  d.instr.handler = runArrive;
  return d.take("b64") && d.end() && d.expectOperands(1) &&
         d.address(d.operand(0), d.instr.space);
}

bool decodeCopy(Decoder &d) {
  d.skip({"shared", "shared::cta", "global"});
  d.skipCacheHints();
  if (!d.end() || !d.expectOperands(3, 5) ||
      !d.address(d.operand(0), Space::Shared) ||
      !d.address(d.operand(1), Space::Global))
    return false;
  auto bytes = d.constant(d.operand(2));
  if (!bytes)
    return false;
  const bool cacheGlobal = d.has("cg");
  if (*bytes != 16 && (cacheGlobal || (*bytes != 4 && *bytes != 8)))
    return d.fail("a copy of " + std::to_string(*bytes) + " bytes; expected " +
                  (cacheGlobal ? "16" : "4, 8 or 16"));
  d.instr.elementBytes = uint8_t(*bytes);
  d.instr.sub = NoOptional;
  d.instr.handler = runCopy;
  if (d.numOperands() < 4)
    return true;
  const Value *value = d.findRegister(d.operand(3));
  if (value && value->cls == RegClass::Wide)
    return true; // a cache policy
  if (value && value->cls == RegClass::Predicate) {
    d.instr.sub = IgnoreSource;
    return d.srcPredicate(d.operand(3));
  }
  d.instr.sub = SourceSize;
  return d.src(d.operand(3), Type::U32);
}

bool decodeCp(Decoder &d) {
  d.instr.cls = InstrClass::AsyncCopy;
  if (d.take("reduce"))
    return d.take("async") && d.take("bulk") && decodeBulkReduce(d);
  if (!d.take("async"))
    return d.fail("expected cp.async or cp.reduce.async.bulk");
  if (d.take("commit_group")) {
    d.instr.handler = runCommit;
    return d.end() && d.expectOperands(0);
  }
  if (d.take("wait_all")) {
    d.instr.flag = true;
    d.instr.handler = runWait;
    return d.end() && d.expectOperands(0);
  }
  if (d.take("wait_group")) {
    d.instr.handler = runWait;
    return d.onlyConstant();
  }
  if (d.take("mbarrier"))
    return decodeArrive(d);
  if (d.take("bulk"))
    return decodeBulk(d);
  if (d.takeOne({"ca", "cg"}) < 0)
    return d.fail("this form of cp.async is not supported");
  return decodeCopy(d);
}

} // namespace

void addAsyncInstructions(MnemonicTable &table) { table["cp"] = decodeCp; }

} // namespace wna16::emulator
