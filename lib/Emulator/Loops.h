//===- Loops.h - the loops of an entry ------------------------------------===//
//
// Which instructions are executed again and again: what counters call "in the
// K loop" and the order check calls "inside a loop".
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_LOOPS_H
#define WNA16_LIB_EMULATOR_LOOPS_H

#include "lib/Emulator/ControlFlow.h"

namespace wna16::emulator {

/// A loop is a maximal set of instructions that can reach each other; taking
/// its header away leaves the loops inside it. Where control flow is reducible
/// these are the natural loops, loops of one header taken together.
class LoopForest {
public:
  static constexpr int32_t none = -1;
  struct Loop {
    uint32_t header = 0;   ///< the instruction through which it is entered
    uint32_t depth = 1;    ///< 1: in no other loop
    int32_t parent = none; ///< smaller than the loop's own number
  };

  LoopForest() = default;
  /// Loops that node 0 reaches; other nodes are in none.
  explicit LoopForest(const FlowGraph &graph);

  const std::vector<Loop> &loops() const { return list; }
  /// The innermost loop that holds a node.
  int32_t innermost(uint32_t node) const {
    return node < inner.size() ? inner[node] : none;
  }
  uint32_t depth(uint32_t node) const {
    const int32_t loop = innermost(node);
    return loop == none ? 0 : list[size_t(loop)].depth;
  }
  bool contains(int32_t loop, uint32_t node) const;
  /// False if every way around `loop`, from its header to its header, leads
  /// through `node`.
  bool avoidable(int32_t loop, uint32_t node, const FlowGraph &graph) const;

private:
  std::vector<Loop> list;
  std::vector<int32_t> inner;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_LOOPS_H
