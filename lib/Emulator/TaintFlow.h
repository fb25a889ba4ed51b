//===- TaintFlow.h - data through one instruction -------------------------===//
//
// What the registers and bytes that an instruction writes depend on. Everything
// is known before it executes, so that sources are read before results
// overwrite them; copies hand their taint on at issue, since nobody may look at
// their bytes before they have landed.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_TAINTFLOW_H
#define WNA16_LIB_EMULATOR_TAINTFLOW_H

#include "lib/Emulator/MemoryAccess.h"
#include "lib/Emulator/OrderCheck.h"

namespace wna16::emulator {

class TaintFlow {
public:
  TaintFlow(OrderCheck &check, Warp &warp, const Instr &instr);
  void run();
  void issued(const AsyncOperation &operation);

  struct Found {
    Taint taint;
    unsigned lane;
  };
  /// The first active lane of `v` whose taint satisfies `test`.
  template <typename F>
  std::optional<Found> findTaint(const Value &v, F &&test) const {
    for (uint32_t rest = tainted(v) & mask; rest; rest &= rest - 1) {
      const unsigned lane = firstLane(rest);
      if (const Taint taint = own.rows[v.index].of(lane); test(taint))
        return Found{taint, lane};
    }
    return std::nullopt;
  }

private:
  using Row = std::array<Taint, warpSize>;
  uint32_t tainted(const Value &v) const { return own.lanes[v.index]; }
  /// Of one lane of a register.
  Taint of(const Value &v, unsigned lane) const {
    return tainted(v) >> lane & 1 ? own.rows[v.index].of(lane)
                                  : TaintTable::clean;
  }
  /// Of all active lanes of a register together.
  Taint ofAll(const Value &v) const;
  Taint join(Taint a, Taint b) const { return table.join(a, b); }
  Taint step(Taint from) { return table.step(pc, from); }
  /// Sets the active lanes of a result; adds what the guard depends on.
  void assign(const Value &v, const Row &row);
  /// Active lanes become tainted in one way, those of `lanes`, or clean. Only
  /// if isPlain().
  void assignAlike(const Value &v, uint32_t lanes, Taint taint);
  /// Neither the guard nor a branch depends on data.
  bool isPlain() const {
    return own.regions.empty() &&
           !(instr.hasGuard && tainted(instr.guard) & arrived);
  }
  void assignAll(const Value &v, Taint taint);

  void leaveRegions();
  void branch();
  void plain();
  void across();
  void shuffle();
  void load();
  void store();
  void atomic();
  void copy();
  void loadMatrix();
  void storeMatrix();

  /// Calls f(space, lane, address) for each active lane of the address in
  /// source `index`.
  template <typename F> void eachAddress(unsigned index, Space space, F &&f);
  /// Data that this instruction reads; `address`: in `space`.
  Taint read(Space space, unsigned lane, uint64_t address, uint32_t bytes);
  Taint readGlobal(const Buffer &buffer, uint64_t offset, uint32_t bytes);
  void write(Space space, unsigned lane, uint64_t address, uint32_t bytes,
             Taint taint);
  void writeGlobal(const Buffer &buffer, uint64_t offset, uint32_t bytes,
                   Taint taint);
  /// The bytes of shared or local memory; null if out of bounds.
  Taint *bytesOf(Space space, unsigned lane, uint64_t address, uint32_t bytes);
  /// What decides that `lane` stores at all.
  Taint control(unsigned lane) const;

  OrderCheck &check;
  TaintTable &table;
  Warp &warp;
  const Instr &instr;
  BlockTaint &block;
  WarpTaint &own;
  const uint32_t pc;
  uint32_t arrived; ///< lanes that are here
  uint32_t mask;    ///< those that the guard lets execute
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_TAINTFLOW_H
