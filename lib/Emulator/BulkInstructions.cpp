//===- BulkInstructions.cpp - cp.async.bulk, st.async, red.async ----------===//
//
// Copies of consecutive bytes by the async engine: into shared memory of a
// block (or several), which an mbarrier counts, and out of it, in groups that
// the issuing lane waits for.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/BulkInstructions.h"

#include "lib/Emulator/MbarrierInstructions.h"

namespace wna16::emulator {

void issueMulticast(Warp &warp, const Instr &instr,
                    const AsyncOperation &operation, uint32_t blocks) {
  Cluster &cluster = warp.block.cluster;
  if (!blocks)
    return cluster.async.issue(instr, operation);
  bool issued = false;
  for (uint32_t rank = 0; blocks >> rank; ++rank) {
    if (!(blocks >> rank & 1))
      continue;
    if (rank >= cluster.blocks.size() || cluster.blocks[rank]->ended()) {
      warp.report(Check::Cluster, instr, int(operation.lane), [&] {
        return "the multicast mask names block rank " + std::to_string(rank) +
               (rank >= cluster.blocks.size() ? ", which does not exist"
                                              : ", which has exited");
      });
      continue;
    }
    AsyncOperation copy = operation;
    copy.sourceCounted = issued;
    for (AsyncRun &run : copy.runs)
      run.to.block = cluster.blocks[rank].get();
    const uint32_t at = operation.mbarrier->offset;
    copy.mbarrier = cluster.blocks[rank]->findMbarrier(at);
    if (!copy.mbarrier) {
      warp.report(Check::Mbarrier, instr, int(operation.lane), [&] {
        return "block rank " + std::to_string(rank) +
               ", a target of this multicast, has no mbarrier at shared byte " +
               std::to_string(at);
      });
      continue;
    }
    cluster.async.issue(instr, std::move(copy));
    issued = true;
  }
}

void joinBulkGroup(Warp &warp, AsyncOperation &operation) {
  operation.group = warp.bulkGroups[operation.lane];
}

/// Alignment of both addresses and the size.
static constexpr uint32_t bulkUnit = 16;

bool findSide(Warp &warp, const Instr &instr, Space space, AccessKind kind,
              unsigned lane, const LaneAddresses &addresses, uint32_t bytes,
              AsyncRun::Side &side) {
  const Resolved found =
      resolve(warp, instr, space, kind, 1u << lane, addresses, bytes, bulkUnit);
  if (!found.mask)
    return false;
  if (isShared(space)) {
    side.block = found.owner[lane];
    side.offset = found.offset[lane];
  } else {
    side.buffer = warp.block.launch.device.below(addresses[lane]);
    side.offset = addresses[lane] - side.buffer->base;
  }
  return true;
}

bool checkBulkSize(Warp &warp, const Instr &instr, unsigned lane,
                   uint32_t bytes) {
  if (bytes % bulkUnit == 0)
    return bytes != 0;
  warp.report(Check::Alignment, instr, int(lane), [&] {
    return "a bulk copy of " + std::to_string(bytes) +
           " bytes; expected a multiple of 16";
  });
  return false;
}

namespace {

/// What a bulk copy goes between.
enum Form : uint8_t { GlobalToShared, SharedToShared, SharedToGlobal };

/// Sources: destination, source, size, mbarrier (not to global memory), and
/// with Instr::flag a multicast mask.
Step runBulkCopy(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses to, from, barriers{};
  uint32_t valid = laneAddresses(warp, instr, instr.src[0], mask, to);
  valid = laneAddresses(warp, instr, instr.src[1], valid, from);
  valid = warp.requireDefined(instr, instr.src[2], valid, "the size of a copy");
  const Form form = Form(instr.sub);
  if (form != SharedToGlobal)
    valid = laneAddresses(warp, instr, instr.src[3], valid, barriers);
  if (instr.flag)
    valid = warp.requireDefined(instr, instr.src[4], valid, "a multicast mask");
  forLanes(valid, [&](unsigned lane) {
    const uint32_t bytes = uint32_t(warp.lane(instr.src[2], lane));
    if (!checkBulkSize(warp, instr, lane, bytes))
      return;
    AsyncOperation operation;
    operation.warp = &warp;
    operation.lane = lane;
    operation.pc = warp.pc(instr);
    AsyncRun run;
    run.bytes = bytes;
    const Space target =
        form == SharedToGlobal ? Space::Global : Space::SharedCluster;
    const Space source = form == GlobalToShared ? Space::Global : Space::Shared;
    if (!findSide(warp, instr, target, AccessKind::AsyncWrite, lane, to, bytes,
                  run.to) ||
        !findSide(warp, instr, source, AccessKind::AsyncRead, lane, from, bytes,
                  run.from))
      return;
    if (form == SharedToGlobal) {
      requireDefinedRun(warp, instr, lane, run, false);
      operation.runs.push_back(run);
      joinBulkGroup(warp, operation);
      warp.block.cluster.async.issue(instr, std::move(operation));
      return;
    }
    operation.runs.push_back(run);
    operation.signalBytes = bytes;
    operation.mbarrier = findMbarrier(warp, instr, lane, barriers[lane]);
    if (!operation.mbarrier)
      return;
    const uint32_t blocks =
        instr.flag ? uint32_t(warp.lane(instr.src[4], lane)) & 0xffff : 0;
    if (!blocks && operation.mbarrier->block != run.to.block) {
      warp.report(Check::Mbarrier, instr, int(lane),
                  "the mbarrier of a copy lies in another block than its "
                  "destination");
      return;
    }
    issueMulticast(warp, instr, operation, blocks);
  });
  return Step::Next;
}

/// Sources: destination, mbarrier, values. Instr::flag: the operation
/// Instr::imm on one value, otherwise a store.
Step runAsyncStore(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses to, barriers;
  uint32_t valid = laneAddresses(warp, instr, instr.src[0], mask, to);
  valid = laneAddresses(warp, instr, instr.src[1], valid, barriers);
  const uint32_t width = instr.elementBytes, bytes = width * instr.elements;
  for (unsigned e = 0; e < instr.elements; ++e)
    valid = warp.requireDefined(instr, instr.src[2 + e], valid,
                                "data that is sent to another block");
  forEachSpace(
      instr.space, valid, to,
      [&](Space space, uint32_t lanes, const LaneAddresses &at) {
        if (!isShared(space)) {
          warp.report(Check::Bounds, instr, int(firstLane(lanes)),
                      std::string(instr.flag ? "red" : "st") +
                          ".async to an address outside shared memory");
          return;
        }
        const Resolved found =
            resolve(warp, instr, space, AccessKind::AsyncWrite, lanes, at,
                    bytes, bytes);
        forLanes(found.mask, [&](unsigned lane) {
          AsyncOperation operation;
          operation.warp = &warp;
          operation.lane = lane;
          operation.pc = warp.pc(instr);
          operation.proxy = false;
          if (instr.flag)
            operation.combine = reduction(AtomicOp(instr.imm), instr.type);
          operation.signalBytes = bytes;
          AsyncRun run;
          run.bytes = bytes;
          run.to.block = found.owner[lane];
          run.to.offset = found.offset[lane];
          operation.runs.push_back(run);
          operation.carried.resize(bytes);
          for (unsigned e = 0; e < instr.elements; ++e) {
            const uint64_t value = warp.lane(instr.src[2 + e], lane);
            std::memcpy(operation.carried.data() + e * width, &value, width);
          }
          operation.mbarrier = findMbarrier(warp, instr, lane, barriers[lane]);
          if (!operation.mbarrier)
            return;
          if (operation.mbarrier->block != run.to.block) {
            warp.report(Check::Mbarrier, instr, int(lane),
                        "the mbarrier of " +
                            std::string(instr.flag ? "red" : "st") +
                            ".async lies in another block than its "
                            "destination");
            return;
          }
          warp.block.cluster.async.issue(instr, std::move(operation));
        });
      });
  return Step::Next;
}

Step runCommit(Warp &warp, const Instr &, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) { ++warp.bulkGroups[lane]; });
  return Step::Next;
}

/// Instr::imm: groups that may stay in flight; flag: .read.
Step runWait(Warp &warp, const Instr &instr, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    const uint32_t open = warp.bulkGroups[lane];
    const uint32_t stay = uint32_t(std::min<uint64_t>(open, instr.imm));
    warp.block.cluster.async.waitGroups(warp, lane, open - stay, instr.flag);
  });
  ++warp.block.progress;
  return Step::Next;
}

/// A prefetch: its addresses have to be good, and nothing else happens.
Step runPrefetch(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses from;
  const uint32_t valid = laneAddresses(warp, instr, instr.src[0], mask, from);
  forLanes(valid, [&](unsigned lane) {
    AsyncRun::Side side;
    findSide(warp, instr, Space::Global, AccessKind::AsyncRead, lane, from,
             uint32_t(warp.lane(instr.src[1], lane)), side);
  });
  return Step::Next;
}

} // namespace

bool decodeBulk(Decoder &d) {
  if (d.take("commit_group")) {
    d.instr.handler = runCommit;
    return d.end() && d.expectOperands(0);
  }
  if (d.take("wait_group")) {
    d.instr.flag = d.take("read");
    d.instr.handler = runWait;
    return d.onlyConstant();
  }
  if (d.take("tensor"))
    return decodeTensorCopy(d);
  if (d.take("prefetch")) {
    if (d.take("tensor"))
      return decodeTensorPrefetch(d);
    d.instr.handler = runPrefetch;
    return d.take("L2") && d.take("global") && (d.skipCacheHints(), d.end()) &&
           d.expectOperands(2, 3) && d.address(d.operand(0), Space::Global) &&
           d.src(d.operand(1), Type::U32);
  }
  const int target = d.takeOne({"shared::cluster", "shared::cta", "global"});
  const int source = d.takeOne({"global", "shared::cta"});
  if (target < 0 || source < 0 || (target == 2) == (source == 0))
    return d.fail("expected a copy between .global and .shared::cta or "
                  ".shared::cluster, or from .shared::cta to .shared::cluster");
  d.instr.handler = runBulkCopy;
  d.instr.space = Space::SharedCluster; // of the mbarrier
  if (target == 2) {
    d.instr.sub = SharedToGlobal;
    if (!d.take("bulk_group"))
      return d.fail("expected .bulk_group");
    d.skipCacheHints();
    return d.end() && d.expectOperands(3, 4) &&
           d.address(d.operand(0), Space::Global) &&
           d.address(d.operand(1), Space::Shared) &&
           d.src(d.operand(2), Type::U32);
  }
  d.instr.sub = source == 0 ? GlobalToShared : SharedToShared;
  if (!d.take("mbarrier::complete_tx::bytes"))
    return d.fail("expected .mbarrier::complete_tx::bytes");
  d.instr.flag = d.take("multicast::cluster");
  d.skipCacheHints();
  return d.end() && d.expectOperands(d.instr.flag ? 5 : 4, 6) &&
         d.address(d.operand(0), Space::SharedCluster) &&
         d.address(d.operand(1), source == 0 ? Space::Global : Space::Shared) &&
         d.src(d.operand(2), Type::U32) &&
         d.address(d.operand(3), Space::SharedCluster) &&
         (!d.instr.flag || d.src(d.operand(4), Type::B16));
}

/// The order of the operands, and how wide they are.
static bool endAsyncStore(Decoder &d, Type type) {
  d.instr.type = type;
  d.instr.elementBytes = uint8_t(bitWidth(type) / 8);
  return d.expectOperands(3) && d.address(d.operand(0), d.instr.space) &&
         d.address(d.operand(2), d.instr.space) &&
         d.srcVector(d.operand(1), type, d.instr.elements);
}

bool decodeAsyncReduction(Decoder &d) {
  d.instr.cls = InstrClass::AsyncCopy;
  d.instr.handler = runAsyncStore;
  d.instr.flag = true;
  if (!d.take("relaxed") || !d.take("cluster"))
    return d.fail("expected .relaxed.cluster");
  d.instr.space =
      d.take("shared::cluster") ? Space::SharedCluster : Space::Generic;
  if (!d.take("mbarrier::complete_tx::bytes"))
    return d.fail("expected .mbarrier::complete_tx::bytes");
  if (!takeReduction(d))
    return false;
  auto type = d.takeType();
  if (!type || !d.end())
    return false;
  // ptxas takes .add.s64, too, which is .add.u64.
  if (!canReduceShared(AtomicOp(d.instr.imm),
                       *type == Type::S64 ? Type::U64 : *type))
    return d.fail("type ." + std::string(typeName(*type)) +
                  " is not supported by this reduction");
  return endAsyncStore(d, *type);
}

bool decodeAsyncStore(Decoder &d) {
  d.instr.cls = InstrClass::AsyncCopy;
  d.instr.handler = runAsyncStore;
  d.skip({"weak"});
  d.instr.space =
      d.take("shared::cluster") ? Space::SharedCluster : Space::Generic;
  if (!d.take("mbarrier::complete_tx::bytes"))
    return d.fail("expected .mbarrier::complete_tx::bytes");
  const int vector = d.takeOne({"v2", "v4"});
  d.instr.elements = vector < 0 ? 1 : uint8_t(2 << vector);
  auto type = d.takeType();
  if (!type || !d.end())
    return false;
  if (bitWidth(*type) != 32 && bitWidth(*type) != 64)
    return d.fail("expected a type of 32 or 64 bits");
  return endAsyncStore(d, *type);
}

} // namespace wna16::emulator
