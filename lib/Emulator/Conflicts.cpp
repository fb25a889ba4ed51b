//===- Conflicts.cpp - what is wrong with an access, in words -------------===//
//
// Reports of what SharedMemory and GlobalOrder find about an access.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/MemoryAccess.h"
#include "lib/Emulator/Warpgroup.h"

namespace wna16::emulator {

void reportConflict(Warp &warp, const Instr &instr, unsigned lane,
                    const Block &owner, const Conflict &conflict,
                    bool isWrite) {
  if (conflict.kind == Conflict::None)
    return;
  Cluster &cluster = warp.block.cluster;
  const Stamp &other = conflict.other;
  auto text = [&](uint32_t pc) {
    return std::to_string(warp.program.line(pc));
  };
  const std::string byte =
      "shared byte " + std::to_string(conflict.offset) +
      (&owner == &warp.block ? ""
                             : " of block rank " + std::to_string(owner.rank));
  const std::string done = isWrite ? " is written" : " is read";
  const std::string who = cluster.agentName(other.agent()) + " lane " +
                          std::to_string(other.lane());
  switch (conflict.kind) {
  case Conflict::None:
    return;
  case Conflict::Pending:
    return warp.report(Check::Async, instr, int(lane), [&] {
      const std::string opcode =
          warp.program.source(warp.program.instrs[other.pc()]).opcode();
      return byte + (isWrite ? " is overwritten" : " is read") +
             " while the asynchronous copy of line " + text(other.pc()) + " (" +
             who + ") is in flight: data used before its wait; wait for " +
             (opcode.starts_with("cp.async.c") ? "the group" : "the mbarrier") +
             " of that copy first";
    });
  case Conflict::Reading:
    if (const Instr *reader = findWgmmaReader(owner, conflict.offset))
      return warp.report(Check::Wgmma, instr, int(lane), [&] {
        return byte + " is overwritten while the wgmma of line " +
               text(warp.pc(*reader)) +
               " reads it; a wgmma.wait_group that covers it, and a barrier if "
               "another warp waits, come first";
      });
    return warp.report(Check::Async, instr, int(lane), [&] {
      const AsyncOperation *operation =
          cluster.async.findReader(owner, conflict.offset);
      return byte + " is overwritten while an asynchronous operation" +
             (operation ? " of line " + text(operation->pc) : std::string()) +
             " reads it; wait for it first";
    });
  case Conflict::Mbarrier:
    return warp.report(Check::Mbarrier, instr, int(lane), [&] {
      return byte + done + ", which is part of the mbarrier that line " +
             text(other.pc()) +
             " initialised; an mbarrier is opaque until mbarrier.inval";
    });
  case Conflict::Unfenced:
    return warp.report(Check::Proxy, instr, int(lane), [&] {
      return byte + done +
             " by the async proxy, but nothing makes the generic " +
             (other.has(Stamp::Async) ? "copy" : "write") + " of line " +
             text(other.pc()) + " (" + who +
             ") visible to it; fence.proxy.async between the two, by the "
             "writer or by a reader that has synchronised with it";
    });
  case Conflict::Unfinished:
    return warp.report(Check::Proxy, instr, int(lane), [&] {
      return byte +
             " is overwritten by the async proxy, but the load of line " +
             text(other.pc()) + " by " + cluster.agentName(other.agent()) +
             " may still be under way: the arrival behind it does not wait for "
             "its bytes, and their first use comes later; fence.proxy.async by "
             "the loading lanes between the load and the arrival [RING-P1]";
    });
  case Conflict::Write:
  case Conflict::Read:
    break;
  }
  if (!warp.block.clock.exact())
    return;
  if (const Mbarrier *mbarrier = cluster.mbarrierOf(other.agent()))
    return warp.report(Check::Async, instr, int(lane), [&] {
      return byte + done +
             " without a wait for the asynchronous copy of line " +
             text(other.pc()) + ", which signals the mbarrier at shared byte " +
             std::to_string(mbarrier->offset) + "; wait for its phase first";
    });
  if (conflict.kind == Conflict::Read && other.has(Stamp::Proxy)) {
    const bool wgmma = isWgmma(warp.program.instrs[other.pc()]);
    return warp.report(
        wgmma ? Check::Wgmma : Check::Async, instr, int(lane), [&] {
          return byte + done + ", not synchronised with the " +
                 (wgmma ? "wgmma" : "asynchronous operation") + " of line " +
                 text(other.pc()) + " by " + who +
                 ", which reads it; whoever waits for that (" +
                 (wgmma ? "wgmma.wait_group"
                        : "cp.async.bulk.wait_group or the mbarrier") +
                 ") must arrive at a barrier afterwards, not before";
        });
  }
  warp.report(Check::Race, instr, int(lane), [&] {
    const std::string remedy =
        other.agent() == warp.clock.id
            ? "; bar.warp.sync or a barrier between the two orders them"
            : "; a barrier between the two orders them";
    if (conflict.kind == Conflict::Write && other.has(Stamp::Async))
      return byte + done +
             ", not synchronised with the asynchronous copy of "
             "line " +
             text(other.pc()) +
             ", whose wait makes it visible to its own lane only (" + who +
             ")" + remedy;
    return byte + done + ", not synchronised with the " +
           (conflict.kind == Conflict::Write ? "write" : "read") + " of line " +
           text(other.pc()) + " by " + who + remedy;
  });
}

bool checkGlobal(Warp &warp, const Instr &instr, unsigned lane,
                 const Buffer &buffer, uint64_t offset, uint32_t bytes,
                 AccessKind kind) {
  Cluster &cluster = warp.block.cluster;
  const bool writes = isWrite(kind);
  const std::string_view done = writes ? " is written" : " is read";
  auto byte = [&] {
    return "byte " + std::to_string(offset) + " of buffer '" + buffer.name +
           "'" + std::string(done);
  };
  if (buffer.afterDependency && !warp.clock.view.dependency &&
      !(warp.clock.some >> lane & 1 && warp.clock.someView.dependency))
    warp.report(Check::Dependency, instr, int(lane), [&] {
      return byte() +
             " before griddepcontrol.wait, but the previous kernel may still "
             "be at work on it; move the access behind the wait, or a barrier "
             "between this warp and the one that waits";
    });
  if (buffer.readOnly)
    return false;
  if (!cluster.async.empty()) {
    const AsyncOperation *operation =
        cluster.async.findGlobal(buffer, offset, bytes, true);
    if (!operation && writes)
      operation = cluster.async.findGlobal(buffer, offset, bytes, false);
    if (operation && operation->combine && kind == AccessKind::AsyncReduce)
      operation = nullptr; // two reductions do not disturb each other
    if (operation)
      warp.report(Check::Async, instr, int(lane), [&] {
        return byte() + " while the asynchronous operation of line " +
               std::to_string(warp.program.line(operation->pc)) +
               " on it is in flight; wait for it first";
      });
    if (operation)
      return false;
  }
  warp.clock.touched = true;
  const uint32_t pc = warp.pc(instr);
  uint64_t flags = 0;
  if (kind == AccessKind::StrongRead || kind == AccessKind::StrongWrite)
    flags = Stamp::Strong;
  if (kind == AccessKind::AsyncWrite || kind == AccessKind::AsyncReduce)
    flags = Stamp::Async | Stamp::Proxy;
  if (kind == AccessKind::AsyncReduce)
    flags |= Stamp::Strong;
  GlobalOrder &order = cluster.launch.globalOrder;
  const GlobalConflict conflict =
      writes ? order.write(warp, lane, pc, buffer, offset, bytes, flags)
             : order.read(warp, lane, pc, buffer, offset, bytes, flags);
  if (conflict.kind == GlobalConflict::None || !cluster.clock.exact())
    return false;
  const bool sameCluster = conflict.cluster == uint32_t(cluster.number);
  if (sameCluster && conflict.other.agent() == warp.clock.id &&
      conflict.other.pc() == pc && conflict.other.time() == cluster.clock.now())
    return true;
  warp.report(Check::Race, instr, int(lane), [&] {
    const std::string other =
        conflict.other.has(Stamp::Async)
            ? "asynchronous store (nobody has waited for it)"
        : conflict.kind == GlobalConflict::Write ? "write"
                                                 : "read";
    return byte() + ", not synchronised with the " + other + " of line " +
           std::to_string(warp.program.line(conflict.other.pc())) + " by " +
           (sameCluster ? cluster.agentName(conflict.other.agent())
                        : std::string(cluster.blocks.size() > 1 ? "cluster "
                                                                : "block ") +
                              std::to_string(conflict.cluster)) +
           (sameCluster
                ? "; a barrier between the two orders them"
                : "; between blocks only a release (fence.acq_rel.gpu and an "
                  "atomic, or .release) and an acquire of the same address "
                  "order them");
  });
  return false;
}

} // namespace wna16::emulator
