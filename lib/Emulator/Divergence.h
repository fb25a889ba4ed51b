//===- Divergence.h - which lanes of a warp are where ---------------------===//
//
// The lanes of a warp that share a program counter form a split. A divergent
// branch turns its split into a parent that waits at the immediate
// post-dominator for its children; a child that arrives there ends, and when
// all have, the parent goes on with their lanes together. One split runs until
// it arrives or leaves; rotate() gives another one its turn, which is what lets
// a lane wait for another lane of its own warp.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_DIVERGENCE_H
#define WNA16_LIB_EMULATOR_DIVERGENCE_H

#include <cstdint>
#include <vector>

namespace wna16::emulator {

class Divergence {
public:
  /// All lanes of `mask` at instruction 0.
  void start(uint32_t mask);

  bool done() const { return leaves.empty(); }
  uint32_t pc() const { return pool[current].pc; }
  uint32_t mask() const { return pool[current].mask; }
  bool diverged() const { return leaves.size() > 1; }
  /// Lanes that have not exited.
  uint32_t alive() const { return aliveMask; }

  /// Moves the running split; it may arrive at its point of reconvergence.
  void moveTo(uint32_t pc) {
    pool[current].pc = pc;
    if (pc == pool[current].join)
      arrive();
  }
  /// Splits the running lanes: `taken` to `target`, the others to `next`; they
  /// meet again at `join`.
  void branch(uint32_t taken, uint32_t target, uint32_t next, uint32_t join);
  /// Lanes `lanes` of the running split are finished; the others move to
  /// `next`.
  void exit(uint32_t lanes, uint32_t next);
  /// Lets another split run, if there is one.
  void rotate();
  /// The lanes and program counters of all splits, the running one last.
  struct Place {
    uint32_t pc, mask;
  };
  std::vector<Place> places() const;

private:
  struct Split {
    uint32_t pc, join, mask;
    int32_t parent;
    uint32_t children;
  };
  uint32_t allocate(Split split);
  /// The running split has reached its join, or has no lanes left.
  void arrive();

  std::vector<Split> pool;
  std::vector<uint32_t> freeSplits, leaves;
  uint32_t current = 0, aliveMask = 0;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_DIVERGENCE_H
