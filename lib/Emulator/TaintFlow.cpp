//===- TaintFlow.cpp - data through one instruction -----------------------===//
//
// Registers: the generic rule, exchanges between lanes, and branches. A branch
// that data decides makes what is written until its lanes meet again depend on
// that data. Lanes of a branch that leaves a loop meet behind the loop: how
// often a loop runs says nothing about the order of what it does, but a lot
// about the counter with which it ends.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/TaintFlow.h"

#include "lib/Emulator/Shuffle.h"

#include <algorithm>

namespace wna16::emulator {

TaintFlow::TaintFlow(OrderCheck &check, Warp &warp, const Instr &instr)
    : check(check), table(check.table), warp(warp), instr(instr),
      block(*warp.block.taint), own(block.warps[warp.id]), pc(warp.pc(instr)),
      arrived(warp.lanes.mask()), mask(arrived) {
  if (instr.hasGuard)
    mask &= warp.predicate(instr.guard);
}

void TaintFlow::run() {
  using Flow = OrderCheck::Flow;
  if (!own.regions.empty()) [[unlikely]]
    leaveRegions();
  switch (check.flows[pc]) {
  case Flow::Plain:
    return plain();
  case Flow::Across:
    return across();
  case Flow::Load:
    return load();
  case Flow::LoadMatrix:
    return loadMatrix();
  case Flow::Store:
    return store();
  case Flow::StoreMatrix:
    return storeMatrix();
  case Flow::Atomic:
    return atomic();
  case Flow::Copy:
    return copy();
  case Flow::Engine:
  case Flow::EngineToGlobal:
    return; // see issued()
  case Flow::Shuffle:
    return shuffle();
  case Flow::Branch:
    return branch();
  }
}

Taint TaintFlow::ofAll(const Value &v) const {
  const WarpTaint::Row &row = own.rows[v.index];
  const uint32_t lanes = tainted(v) & mask;
  if (row.common)
    return lanes ? row.common : TaintTable::clean;
  Taint all = TaintTable::clean;
  forLanes(lanes, [&](unsigned lane) { all = join(all, row.each[lane]); });
  return all;
}

void TaintFlow::assignAlike(const Value &v, uint32_t lanes, Taint taint) {
  uint32_t &known = own.lanes[v.index];
  WarpTaint::Row &to = own.rows[v.index];
  const uint32_t others = known & ~mask;
  if (lanes && (!others || to.common == taint)) {
    to.common = taint;
  } else if (lanes) {
    to.split(others);
    forLanes(lanes, [&](unsigned lane) { to.each[lane] = taint; });
  }
  known = others | lanes;
}

void TaintFlow::assign(const Value &v, const Row &row) {
  if (isPlain()) [[likely]] {
    uint32_t lanes = 0;
    Taint common = 0;
    bool alike = true;
    forLanes(mask, [&](unsigned lane) {
      if (!table.isTaint(row[lane]))
        return;
      lanes |= 1u << lane;
      common = common ? common : row[lane];
      alike &= common == row[lane];
    });
    if (alike)
      return assignAlike(v, lanes, common);
  }
  uint32_t &lanes = own.lanes[v.index];
  WarpTaint::Row &to = own.rows[v.index];
  to.split(lanes);
  const uint32_t guard = instr.hasGuard ? tainted(instr.guard) & arrived : 0;
  // A lane that keeps its value because of data depends on that data too.
  forLanes(mask | guard, [&](unsigned lane) {
    Taint taint = mask >> lane & 1 ? row[lane] : of(v, lane);
    if (guard >> lane & 1)
      taint = step(join(taint, of(instr.guard, lane)));
    to.each[lane] = taint;
    lanes &= ~(1u << lane);
    lanes |= uint32_t(table.isTaint(taint)) << lane;
  });
  for (WarpTaint::Region &region : own.regions)
    if (region.lanes & mask &&
        std::none_of(region.written.begin(), region.written.end(),
                     [&](const auto &w) { return w.index == v.index; }))
      region.written.push_back({v.index, pc});
}

void TaintFlow::assignAll(const Value &v, Taint taint) {
  if (isPlain())
    return assignAlike(v, table.isTaint(taint) ? mask : 0, taint);
  Row row;
  row.fill(taint);
  assign(v, row);
}

void TaintFlow::plain() {
  // Sources that are tainted alike, or whose data have one origin, make results
  // that are.
  Taint all = TaintTable::clean;
  uint32_t any = 0;
  bool alike = isPlain();
  for (unsigned i = 0; i < instr.numSrc; ++i) {
    const uint32_t lanes = tainted(instr.src[i]) & mask;
    if (!lanes)
      continue;
    const Taint taint = own.rows[instr.src[i].index].common;
    if (any && taint && (lanes == any || table.sameOrigin(all, taint)))
      all = join(all, taint);
    else if (!any && taint)
      all = taint;
    else
      alike = false;
    any |= lanes;
  }
  if (alike) [[likely]] {
    const Taint taint = any ? step(all) : TaintTable::clean;
    for (unsigned i = 0; i < instr.numDst; ++i)
      assignAlike(instr.dst[i], any, taint);
    return;
  }
  Row row;
  row.fill(TaintTable::clean);
  Taint from = TaintTable::clean, to = TaintTable::clean;
  forLanes(any & mask, [&](unsigned lane) {
    Taint taint = TaintTable::clean;
    for (unsigned i = 0; i < instr.numSrc; ++i)
      taint = join(taint, of(instr.src[i], lane));
    // Lanes mostly agree.
    if (taint != from) {
      from = taint;
      to = step(taint);
    }
    row[lane] = to;
  });
  for (unsigned i = 0; i < instr.numDst; ++i)
    assign(instr.dst[i], row);
}

void TaintFlow::across() {
  Taint all = TaintTable::clean;
  for (unsigned i = 0; i < instr.numSrc; ++i)
    all = join(all, ofAll(instr.src[i]));
  all = step(all);
  for (unsigned i = 0; i < instr.numDst; ++i)
    assignAll(instr.dst[i], all);
}

void TaintFlow::shuffle() {
  const Value &value = instr.src[0], &lanes = instr.src[1],
              &clamp = instr.src[2];
  if (!((tainted(value) | tainted(lanes)) & mask))
    return plain();
  Row row;
  row.fill(TaintTable::clean);
  forLanes(mask, [&](unsigned lane) {
    const ShuffleSource source =
        shuffleSource(Shuffle(instr.sub), lane, warp.words(lanes)[lane],
                      warp.words(clamp)[lane]);
    row[lane] = step(join(of(value, source.lane), of(lanes, lane)));
  });
  for (unsigned i = 0; i < instr.numDst; ++i)
    assign(instr.dst[i], row);
}

void TaintFlow::branch() {
  Row row;
  uint32_t lanes = 0;
  auto add = [&](const Value &v) {
    forLanes(tainted(v) & arrived, [&](unsigned lane) {
      row[lane] =
          lanes >> lane & 1 ? join(row[lane], of(v, lane)) : of(v, lane);
      lanes |= 1u << lane;
    });
  };
  if (instr.hasGuard)
    add(instr.guard);
  for (unsigned i = 0; i < instr.numSrc; ++i)
    add(instr.src[i]);
  if (!lanes)
    return;
  const uint32_t join = instr.reconvergence;
  if (join >= check.program.instrs.size())
    return;
  // A loop may come back before its lanes have met.
  WarpTaint::Region *region = nullptr;
  for (WarpTaint::Region &known : own.regions)
    if (known.branch == pc)
      region = &known;
  if (!region) {
    own.regions.emplace_back();
    region = &own.regions.back();
    region->branch = pc;
    region->join = join;
  }
  region->lanes |= lanes;
  forLanes(lanes,
           [&](unsigned lane) { region->taint[lane] = step(row[lane]); });
}

void TaintFlow::leaveRegions() {
  for (WarpTaint::Region &region : own.regions) {
    region.lanes &= warp.lanes.alive();
    const uint32_t ended = region.join == pc ? region.lanes & arrived : 0;
    if (!ended)
      continue;
    for (const auto &written : region.written)
      forLanes(ended, [&](unsigned lane) {
        WarpTaint::Row &row = own.rows[written.index];
        row.split(own.lanes[written.index]);
        const Taint old = own.lanes[written.index] >> lane & 1
                              ? row.each[lane]
                              : TaintTable::clean;
        row.each[lane] = join(old, table.step(written.pc, region.taint[lane]));
        own.lanes[written.index] |= 1u << lane;
      });
    region.lanes &= ~ended;
  }
  std::erase_if(own.regions,
                [](const WarpTaint::Region &region) { return !region.lanes; });
}

Taint TaintFlow::control(unsigned lane) const {
  Taint taint = TaintTable::clean;
  if (instr.hasGuard)
    taint = of(instr.guard, lane);
  for (const WarpTaint::Region &region : own.regions)
    if (region.lanes >> lane & 1)
      taint = join(taint, region.taint[lane]);
  return taint;
}

} // namespace wna16::emulator
