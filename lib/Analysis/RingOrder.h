//===- RingOrder.h - roles that wait for each other -----------------------===//
//
// What each agent does to the rings that have barriers, in its own order. Run
// against each other, agents block at acquire until the stage was released, and
// at wait until the step was committed; a state in which none can go on is a
// deadlock.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_ANALYSIS_RINGORDER_H
#define WNA16_LIB_ANALYSIS_RINGORDER_H

#include "dialect/Tile/Tile.h"

#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace wna16 {

class RingOrder {
public:
  /// The next events are those of another agent.
  void beginAgent() { agents.emplace_back(); }
  /// An acquire, commit, wait or release of step `step` of `ring`.
  void record(mlir::Operation *op, mlir::Value ring, int64_t step) {
    agents.back().events.push_back({op, ring, step});
  }
  /// Runs all agents to their ends; an error where one cannot go on [RING-V10].
  mlir::LogicalResult check();

private:
  struct Event {
    mlir::Operation *op;
    mlir::Value ring;
    int64_t step;
  };
  struct Recorded {
    std::vector<Event> events;
    size_t next = 0;
  };
  /// Runs the next event of `agent` if it need not wait.
  bool advance(Recorded &agent);

  std::vector<Recorded> agents;
  llvm::DenseSet<std::pair<mlir::Value, int64_t>> committed, released;
};

} // namespace wna16

#endif // WNA16_LIB_ANALYSIS_RINGORDER_H
