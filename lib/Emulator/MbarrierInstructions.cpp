//===- MbarrierInstructions.cpp - mbarrier.* ------------------------------===//
//
// Initialisation, arrivals, expected bytes, tests and waits. A wait of a whole
// warp blocks it until the phase ends; a test, or a wait of some lanes whose
// others have work to do, answers false and lets others run.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/MbarrierInstructions.h"

#include "lib/Emulator/Decoder.h"

namespace wna16::emulator {

Mbarrier *findMbarrier(Warp &warp, const Instr &instr, unsigned lane,
                       uint64_t address) {
  if (instr.space == Space::Generic) {
    if (address - sharedWindow >= windowSize) {
      warp.report(Check::Bounds, instr, int(lane),
                  "the address of the mbarrier is not in shared memory");
      return nullptr;
    }
    address -= sharedWindow;
  }
  uint32_t offset = 0;
  Block *block = clusterBlock(warp, instr, lane, address, offset);
  if (!block)
    return nullptr;
  if (offset < spaceBase || offset % 8 ||
      offset - spaceBase + 8 > block->shared.size()) {
    warp.report(offset % 8 ? Check::Alignment : Check::Bounds, instr, int(lane),
                "the address of the mbarrier, shared " +
                    std::to_string(offset) +
                    ", is not a multiple of 8 inside of shared memory");
    return nullptr;
  }
  offset -= spaceBase;
  Mbarrier *mbarrier = block->findMbarrier(offset);
  if (!mbarrier) {
    warp.report(Check::Mbarrier, instr, int(lane), [&] {
      return "there is no mbarrier at shared byte " + std::to_string(offset) +
             (block == &warp.block
                  ? ""
                  : " of block rank " + std::to_string(block->rank)) +
             "; mbarrier.init comes first";
    });
    return nullptr;
  }
  // Its initialisation must have happened before: ordered like any write, or
  // published by fence.mbarrier_init and a barrier of the cluster.
  const bool fenced =
      mbarrier->fenced && mbarrier->publishedIn < warp.clusterPhases;
  if (!fenced && !warp.block.clock.ordered(mbarrier->init, warp.clock, lane)) {
    warp.report(Check::Mbarrier, instr, int(lane), [&] {
      return "the initialisation of the mbarrier at shared byte " +
             std::to_string(offset) + " (line " +
             std::to_string(warp.program.line(mbarrier->init.pc())) +
             ") is not visible here; a barrier between the two, in a cluster "
             "with fence.mbarrier_init before it";
    });
    // Reported once: what follows is the consequence of it.
    mbarrier->init = Stamp();
  }
  return mbarrier;
}

namespace {

enum class Op : uint8_t { Arrive, ArriveExpect, ArriveDrop, Expect, Complete };

/// The state that an arrival returns: the number of its phase.
uint64_t stateOf(const Mbarrier &mbarrier) {
  return uint64_t(mbarrier.phase) << 32 | mbarrier.pending;
}

Step runInit(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses addresses;
  uint32_t valid = laneAddresses(warp, instr, instr.src[0], mask, addresses);
  valid = warp.requireDefined(instr, instr.src[1], valid,
                              "the arrival count of an mbarrier");
  const uint32_t *counts = warp.words(instr.src[1]);
  forEachSpace(
      instr.space, valid, addresses,
      [&](Space space, uint32_t lanes, const LaneAddresses &at) {
        if (!isShared(space)) {
          warp.report(Check::Bounds, instr, int(firstLane(lanes)),
                      "an mbarrier lies in shared memory only");
          return;
        }
        const Resolved to = resolve(warp, instr, Space::Shared,
                                    AccessKind::Write, lanes, at, 8, 8);
        forLanes(to.mask, [&](unsigned lane) {
          const uint32_t offset = to.offset[lane], count = counts[lane];
          if (count == 0 || count > Mbarrier::maxCount) {
            warp.report(Check::Mbarrier, instr, int(lane), [&] {
              return "an mbarrier for " + std::to_string(count) +
                     " arrivals; expected 1 to " +
                     std::to_string(Mbarrier::maxCount);
            });
            return;
          }
          const auto agent = sharedAgent(warp, instr, lane);
          if (const Mbarrier *old = warp.block.findMbarrier(offset)) {
            warp.report(Check::Mbarrier, instr, int(lane), [&] {
              return "there is an mbarrier at shared byte " +
                     std::to_string(offset) + " already, initialised at line " +
                     std::to_string(warp.program.line(old->init.pc())) +
                     "; mbarrier.inval comes first";
            });
            return;
          }
          reportConflict(warp, instr, lane,
                         warp.block.shared.beginBarrier(agent, offset), true);
          Mbarrier &mbarrier = warp.block.addMbarrier(offset);
          mbarrier.expected = mbarrier.pending = count;
          mbarrier.init = agent.stamp();
        });
      });
  ++warp.block.progress;
  return Step::Next;
}

Step runInval(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses addresses;
  const uint32_t valid =
      laneAddresses(warp, instr, instr.src[0], mask, addresses);
  forEachMbarrier(
      warp, instr, valid, addresses, [&](Mbarrier &mbarrier, uint32_t lanes) {
        if (mbarrier.inFlight[0] + mbarrier.inFlight[1]) {
          warp.report(Check::Mbarrier, instr, int(firstLane(lanes)),
                      mbarrier.describe() +
                          " is invalidated while copies that signal it are in "
                          "flight");
          return;
        }
        mbarrier.block->shared.endBarrier(
            sharedAgent(warp, instr, firstLane(lanes)), mbarrier.offset);
        mbarrier.block->removeMbarrier(mbarrier.offset);
      });
  return Step::Next;
}

/// Instr::sub: Op; imm: arrivals unless a source gives them; flag: release.
Step runArrive(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses addresses;
  const uint32_t valid =
      laneAddresses(warp, instr, instr.src[0], mask, addresses);
  const Op op = Op(instr.sub);
  const bool hasNumber = instr.numSrc > 1;
  uint32_t lanesGood = valid;
  if (hasNumber)
    lanesGood = warp.requireDefined(instr, instr.src[1], valid,
                                    "a count for an mbarrier");
  uint64_t states[warpSize] = {};
  const uint32_t done = forEachMbarrier(
      warp, instr, lanesGood, addresses,
      [&](Mbarrier &mbarrier, uint32_t lanes) {
        if (mbarrier.block != &warp.block)
          mbarrier.block->touchedFrom(warp, firstLane(lanes), warp.pc(instr));
        forLanes(lanes,
                 [&](unsigned lane) { states[lane] = stateOf(mbarrier); });
        auto number = [&](unsigned lane) {
          return hasNumber ? uint32_t(warp.lane(instr.src[1], lane)) : 1;
        };
        if (op == Op::ArriveExpect || op == Op::Expect || op == Op::Complete)
          forLanes(lanes, [&](unsigned lane) {
            if (op != Op::Complete)
              mbarrier.expectPc = warp.pc(instr);
            expectBytes(mbarrier, warp.block.cluster,
                        op == Op::Complete ? -int64_t(number(lane))
                                           : int64_t(number(lane)));
          });
        if (op == Op::Complete)
          return advance(mbarrier, warp.block.cluster);
        if (op == Op::Expect)
          return;
        const bool counts = op != Op::ArriveExpect && hasNumber;
        if (op == Op::ArriveDrop)
          forLanes(lanes, [&](unsigned lane) {
            mbarrier.expected -=
                std::min(mbarrier.expected, counts ? number(lane) : 1u);
          });
        if (!counts)
          return arriveOn(mbarrier, warp, instr, lanes, 1, instr.flag);
        forLanes(lanes, [&](unsigned lane) {
          arriveOn(mbarrier, warp, instr, 1u << lane, number(lane), instr.flag);
        });
      });
  if (instr.numDst)
    warp.writeAny(instr.dst[0], states, mask, done);
  return Step::Next;
}

std::string describeMbarrierWait(const Warp &warp) {
  return warp.waitMbarrier ? warp.waitMbarrier->describe()
                           : std::string("an mbarrier");
}

/// Instr::flag: acquire; flag2: try_wait; sub: 1 = by parity, 0 = by state.
Step runWait(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses addresses;
  uint32_t valid = laneAddresses(warp, instr, instr.src[0], mask, addresses);
  valid = warp.requireDefined(instr, instr.src[1], valid,
                              instr.sub ? "the parity of a wait"
                                        : "the state of a wait");
  uint32_t over = 0;
  Mbarrier *missing = nullptr;
  const uint32_t found = forEachMbarrier(
      warp, instr, valid, addresses, [&](Mbarrier &mbarrier, uint32_t lanes) {
        if (mbarrier.block != &warp.block)
          warp.report(Check::Cluster, instr, int(firstLane(lanes)),
                      "a wait on an mbarrier of another block; only its own "
                      "block may wait on an mbarrier");
        uint32_t ended = 0;
        forLanes(lanes, [&](unsigned lane) {
          const uint64_t value = warp.lane(instr.src[1], lane);
          bool isOver;
          if (instr.sub) {
            isOver = mbarrier.phaseOver(uint32_t(value) & 1);
          } else {
            const uint32_t phase = uint32_t(value >> 32);
            isOver = mbarrier.phase != phase;
            if (mbarrier.phase - phase > 1)
              warp.report(Check::Mbarrier, instr, int(lane),
                          "the state of this wait is older than the phase "
                          "before the current one");
          }
          ended |= uint32_t(isOver) << lane;
        });
        if (ended)
          observe(mbarrier, warp, instr, ended, instr.flag);
        if (ended != lanes)
          missing = &mbarrier;
        over |= ended;
      });
  Cluster &cluster = warp.block.cluster;
  const bool randomly = cluster.launch.options.seed != 0;
  if (missing) {
    // A potentially blocking wait may also give up: the first one at each place
    // does, and others now and then, so that a missing loop is found.
    const bool givesUp = warp.gaveUp.insert(warp.pc(instr)).second ||
                         (randomly && cluster.random() % 8 == 0);
    if (instr.flag2 && !over && !warp.lanes.diverged() &&
        mask == warp.lanes.mask() && !givesUp) {
      warp.state = Warp::State::Waiting;
      warp.waitMbarrier = missing;
      warp.describeWait = describeMbarrierWait;
      warp.waitLine = warp.program.source(instr).line;
      return Step::Retry;
    }
    ++warp.block.polls;
  } else {
    ++warp.block.progress;
  }
  warp.writePredicate(instr.dst[0], over, mask, found);
  return missing ? Step::Yield : Step::Next;
}

Step runPendingCount(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t out[warpSize] = {};
  forLanes(mask, [&](unsigned lane) {
    out[lane] = uint32_t(warp.lane(instr.src[0], lane));
  });
  warp.write(instr.dst[0], out, mask, warp.definedLanes(instr.src[0]));
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// Semantics, scope and space, in that order; release or acquire by default.
bool takeOrder(Decoder &d) {
  const int semantics = d.takeOne({"release", "acquire", "relaxed"});
  d.instr.flag = semantics != 2;
  takeScope(d, Scope::Block);
  const int space = d.takeOne({"shared", "shared::cta", "shared::cluster"});
  d.instr.space = space < 0    ? Space::Generic
                  : space == 2 ? Space::SharedCluster
                               : Space::Shared;
  return d.take("b64") && d.end();
}

bool decodeArriveForm(Decoder &d, Op op) {
  if (op == Op::Arrive && d.take("expect_tx"))
    op = Op::ArriveExpect;
  d.skip({"noComplete"}); // a promise that the phase does not end here
  d.instr.sub = uint8_t(op);
  d.instr.handler = runArrive;
  if (!takeOrder(d))
    return d.fail("expected optional semantics, scope and space, then .b64");
  const bool returns =
      op == Op::Arrive || op == Op::ArriveDrop || op == Op::ArriveExpect;
  const size_t first = returns && d.numOperands() > 0 &&
                               d.operand(0).kind != ast::Operand::Kind::Address
                           ? 1
                           : 0;
  if (!d.expectOperands(first + 1, first + 2) ||
      (first && !d.dst(d.operand(0), Type::B64)) ||
      !d.address(d.operand(first), d.instr.space))
    return false;
  return d.numOperands() == first + 1 || d.src(d.operand(first + 1), Type::U32);
}

bool decodeWaitForm(Decoder &d, bool blocking) {
  d.instr.sub = d.take("parity");
  d.instr.flag2 = blocking;
  d.instr.handler = runWait;
  if (!takeOrder(d))
    return d.fail("expected optional semantics, scope and space, then .b64");
  return d.expectOperands(3, blocking ? 4 : 3) &&
         d.dst(d.operand(0), Type::Pred) &&
         d.address(d.operand(1), d.instr.space) &&
         d.src(d.operand(2), d.instr.sub ? Type::U32 : Type::B64);
}

bool decodeMbarrier(Decoder &d) {
  d.instr.cls = InstrClass::Barrier;
  switch (
      d.takeOne({"init", "inval", "arrive", "arrive_drop", "expect_tx",
                 "complete_tx", "test_wait", "try_wait", "pending_count"})) {
  case 0:
    d.instr.handler = runInit;
    return takeOrder(d) && d.expectOperands(2) &&
           d.address(d.operand(0), d.instr.space) &&
           d.src(d.operand(1), Type::U32);
  case 1:
    d.instr.handler = runInval;
    return takeOrder(d) && d.expectOperands(1) &&
           d.address(d.operand(0), d.instr.space);
  case 2:
    return decodeArriveForm(d, Op::Arrive);
  case 3:
    return decodeArriveForm(d, Op::ArriveDrop);
  case 4:
    return decodeArriveForm(d, Op::Expect);
  case 5:
    return decodeArriveForm(d, Op::Complete);
  case 6:
    return decodeWaitForm(d, false);
  case 7:
    return decodeWaitForm(d, true);
  case 8:
    d.instr.handler = runPendingCount;
    return d.take("b64") && d.end() && d.expectOperands(2) &&
           d.dst(d.operand(0), Type::U32) && d.src(d.operand(1), Type::B64);
  default:
    return d.fail("unknown mbarrier operation");
  }
}

} // namespace

void addMbarrierInstructions(MnemonicTable &table) {
  table["mbarrier"] = decodeMbarrier;
}

} // namespace wna16::emulator
