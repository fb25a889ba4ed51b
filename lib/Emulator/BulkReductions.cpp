//===- BulkReductions.cpp - cp.reduce.async.bulk --------------------------===//
//
// Reductions of shared memory into global memory, or into shared memory of the
// cluster, by the async engine, element by element. Each of them is a relaxed
// atomic operation, so two that meet do not race.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/AtomicOps.h"
#include "lib/Emulator/BulkInstructions.h"
#include "lib/Emulator/MbarrierInstructions.h"

namespace wna16::emulator {

bool canReduce(AtomicOp op, Type type) {
  const bool half = type == Type::F16 || type == Type::BF16;
  switch (op) {
  case AtomicOp::Add:
    return bitWidth(type) >= 32 || half;
  case AtomicOp::Min:
  case AtomicOp::Max:
    return half || (!isFloat(type) && bitWidth(type) >= 32);
  case AtomicOp::Inc:
  case AtomicOp::Dec:
    return type == Type::U32;
  case AtomicOp::And:
  case AtomicOp::Or:
  case AtomicOp::Xor:
    return !isFloat(type) && bitWidth(type) >= 32;
  default:
    return false;
  }
}

bool canReduceShared(AtomicOp op, Type type) {
  const bool bitwise =
      op == AtomicOp::And || op == AtomicOp::Or || op == AtomicOp::Xor;
  if (op == AtomicOp::Add && type == Type::U64)
    return true;
  return bitwise
             ? type == Type::B32
             : (type == Type::U32 || type == Type::S32) && canReduce(op, type);
}

bool takeReduction(Decoder &d) {
  constexpr AtomicOp ops[] = {AtomicOp::Add, AtomicOp::Min, AtomicOp::Max,
                              AtomicOp::Inc, AtomicOp::Dec, AtomicOp::And,
                              AtomicOp::Or,  AtomicOp::Xor};
  const int op =
      d.takeOne({"add", "min", "max", "inc", "dec", "and", "or", "xor"});
  if (op < 0)
    return d.fail("expected a reduction such as .add");
  d.instr.imm = uint64_t(ops[op]);
  return true;
}

std::function<void(uint8_t *, const uint8_t *, uint32_t)> reduction(AtomicOp op,
                                                                    Type type) {
  const uint32_t width = bitWidth(type) / 8;
  return [=](uint8_t *to, const uint8_t *from, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i += width) {
      std::lock_guard<std::mutex> lock(atomicLock(to + i));
      uint64_t old = 0, operand = 0;
      std::memcpy(&old, to + i, width);
      std::memcpy(&operand, from + i, width);
      const uint64_t value = applyAtomic(op, type, false, old, operand);
      std::memcpy(to + i, &value, width);
    }
  };
}

void requireDefinedRun(Warp &warp, const Instr &instr, unsigned lane,
                       const AsyncRun &run, bool reduces) {
  if (!run.from.block->shared.defined(uint32_t(run.from.offset), run.bytes))
    warp.report(Check::Uninitialized, instr, int(lane), [&] {
      return "bytes of shared memory from offset " +
             std::to_string(run.from.offset) +
             " on that are copied to global memory were never written";
    });
  const std::vector<uint8_t> &undefined = run.to.buffer->undefined;
  if (!reduces || undefined.empty())
    return;
  for (uint32_t i = 0; i < run.bytes; ++i)
    if (undefined[run.to.offset + i] & 1)
      return warp.report(Check::Uninitialized, instr, int(lane),
                         "reduction into memory that was never written; "
                         "initialise the buffer");
}

/// Sources: destination, source, size, and with Instr::flag, for a destination
/// in shared memory, an mbarrier. Instr::imm: the operation.
static Step runBulkReduce(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses to, from, barriers;
  uint32_t valid = laneAddresses(warp, instr, instr.src[0], mask, to);
  valid = laneAddresses(warp, instr, instr.src[1], valid, from);
  valid = warp.requireDefined(instr, instr.src[2], valid,
                              "the size of a reduction");
  if (instr.flag)
    valid = laneAddresses(warp, instr, instr.src[3], valid, barriers);
  forLanes(valid, [&](unsigned lane) {
    AsyncRun run;
    run.bytes = uint32_t(warp.lane(instr.src[2], lane));
    if (!checkBulkSize(warp, instr, lane, run.bytes) ||
        !findSide(warp, instr, instr.space, AccessKind::AsyncReduce, lane, to,
                  run.bytes, run.to) ||
        !findSide(warp, instr, Space::Shared, AccessKind::AsyncRead, lane, from,
                  run.bytes, run.from))
      return;
    AsyncOperation operation;
    operation.warp = &warp;
    operation.lane = lane;
    operation.pc = warp.pc(instr);
    operation.combine = reduction(AtomicOp(instr.imm), instr.type);
    operation.runs.push_back(run);
    if (instr.flag) {
      operation.signalBytes = run.bytes;
      operation.mbarrier = findMbarrier(warp, instr, lane, barriers[lane]);
      if (!operation.mbarrier)
        return;
      if (operation.mbarrier->block != run.to.block) {
        warp.report(Check::Mbarrier, instr, int(lane),
                    "the mbarrier of a reduction lies in another block than "
                    "its destination");
        return;
      }
    } else {
      requireDefinedRun(warp, instr, lane, run, true);
      joinBulkGroup(warp, operation);
    }
    warp.block.cluster.async.issue(instr, std::move(operation));
  });
  return Step::Next;
}

bool decodeBulkReduce(Decoder &d) {
  if (d.take("tensor"))
    return decodeTensorReduce(d);
  d.instr.handler = runBulkReduce;
  d.instr.flag = d.take("shared::cluster");
  d.instr.space = d.instr.flag ? Space::SharedCluster : Space::Global;
  if ((!d.instr.flag && !d.take("global")) || !d.take("shared::cta") ||
      !d.take(d.instr.flag ? "mbarrier::complete_tx::bytes" : "bulk_group"))
    return d.fail("expected .global.shared::cta.bulk_group or "
                  ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes");
  d.skipCacheHints();
  if (!takeReduction(d))
    return false;
  d.skip({"noftz"});
  auto type = d.takeType();
  if (!type || !d.end())
    return false;
  d.instr.type = *type;
  const auto canDo = d.instr.flag ? canReduceShared : canReduce;
  if (!canDo(AtomicOp(d.instr.imm), *type))
    return d.fail("type ." + std::string(typeName(*type)) +
                  " is not supported by this reduction");
  return d.expectOperands(d.instr.flag ? 4 : 3, 4) &&
         d.address(d.operand(0), d.instr.space) &&
         d.address(d.operand(1), Space::Shared) &&
         d.src(d.operand(2), Type::U32) &&
         (!d.instr.flag || d.address(d.operand(3), Space::SharedCluster));
}

} // namespace wna16::emulator
