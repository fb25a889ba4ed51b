//===- ControlFlow.cpp - where lanes meet again ---------------------------===//
//
// The iterative dominator algorithm of Cooper, Harvey and Kennedy on the
// reversed graph. Lanes that enter an endless loop do not come back, so nobody
// waits for them: ways into one do not count. Compilers leave such loops where
// they know that nobody goes. Inside of it, nodes are treated as if the end of
// the loop had an edge to the exit.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/ControlFlow.h"

#include <algorithm>
#include <utility>

namespace wna16::emulator {

std::vector<uint32_t> immediatePostDominators(const FlowGraph &graph) {
  const uint32_t exit = uint32_t(graph.size());
  constexpr uint32_t none = 0xffffffffu;
  std::vector<std::vector<uint32_t>> predecessors(exit + 1);
  std::vector<std::vector<uint32_t>> successors = graph;
  for (uint32_t node = 0; node < exit; ++node) {
    if (successors[node].empty())
      successors[node].push_back(exit);
    for (uint32_t to : successors[node])
      predecessors[to].push_back(node);
  }

  // Post-order of the reversed graph from the exit, without recursion.
  std::vector<uint32_t> number(exit + 1, none), order;
  std::vector<bool> seen(exit + 1, false);
  auto visit = [&](uint32_t root) {
    std::vector<std::pair<uint32_t, std::size_t>> stack{{root, 0}};
    seen[root] = true;
    while (!stack.empty()) {
      auto &[node, child] = stack.back();
      if (child < predecessors[node].size()) {
        uint32_t to = predecessors[node][child++];
        if (!seen[to]) {
          seen[to] = true;
          stack.push_back({to, 0});
        }
      } else {
        number[node] = uint32_t(order.size());
        order.push_back(node);
        stack.pop_back();
      }
    }
  };
  visit(exit);
  for (uint32_t node = 0; node < exit; ++node) {
    if (seen[node])
      continue;
    auto &into = predecessors[node];
    for (uint32_t from : into)
      if (seen[from])
        successors[from].erase(
            std::remove(successors[from].begin(), successors[from].end(), node),
            successors[from].end());
    into.erase(std::remove_if(into.begin(), into.end(),
                              [&](uint32_t from) { return seen[from]; }),
               into.end());
  }
  // A node that cannot reach the exit gets an edge to it; the latest such node
  // in text is most likely the one that closes the loop.
  for (uint32_t node = exit; node-- > 0;) {
    if (seen[node])
      continue;
    successors[node].push_back(exit);
    predecessors[exit].push_back(node);
    std::fill(seen.begin(), seen.end(), false);
    order.clear();
    visit(exit);
  }

  std::vector<uint32_t> idom(exit + 1, none);
  idom[exit] = exit;
  auto intersect = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (number[a] < number[b])
        a = idom[a];
      while (number[b] < number[a])
        b = idom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = order.size() - 1; i-- > 0;) {
      const uint32_t node = order[i];
      uint32_t best = none;
      for (uint32_t to : successors[node])
        if (idom[to] != none)
          best = best == none ? to : intersect(best, to);
      if (best != idom[node]) {
        idom[node] = best;
        changed = true;
      }
    }
  }
  idom.resize(exit);
  return idom;
}

} // namespace wna16::emulator
