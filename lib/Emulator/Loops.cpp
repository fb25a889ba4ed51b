//===- Loops.cpp - the loops of an entry ----------------------------------===//
//
// Strongly connected components (Tarjan), then again inside each one without
// its header.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Loops.h"

#include <algorithm>
#include <utility>

namespace wna16::emulator {
namespace {

constexpr uint32_t unseen = 0xffffffffu;

/// Position of each node in a reverse post-order from node 0.
std::vector<uint32_t> reversePostOrder(const FlowGraph &graph) {
  std::vector<uint32_t> number(graph.size(), unseen);
  std::vector<bool> seen(graph.size(), false);
  std::vector<std::pair<uint32_t, size_t>> stack;
  uint32_t next = uint32_t(graph.size());
  if (graph.empty())
    return number;
  stack.push_back({0, 0});
  seen[0] = true;
  while (!stack.empty()) {
    auto &[node, child] = stack.back();
    if (child < graph[node].size()) {
      const uint32_t to = graph[node][child++];
      if (to < graph.size() && !seen[to]) {
        seen[to] = true;
        stack.push_back({to, 0});
      }
    } else {
      number[node] = --next;
      stack.pop_back();
    }
  }
  return number;
}

/// Tarjan's algorithm over the nodes whose `region` is `which`.
class Components {
public:
  Components(const FlowGraph &graph, const std::vector<uint32_t> &region,
             uint32_t which)
      : graph(graph), region(region), which(which) {}

  /// Calls `found` with each component that has a cycle.
  template <typename F>
  void run(const std::vector<uint32_t> &nodes, std::vector<uint32_t> &index,
           std::vector<uint32_t> &low, F &&found) {
    for (uint32_t node : nodes)
      index[node] = unseen;
    for (uint32_t node : nodes)
      if (index[node] == unseen)
        visit(node, index, low, found);
  }

private:
  static constexpr uint32_t finished = unseen - 1;

  template <typename F>
  void visit(uint32_t root, std::vector<uint32_t> &index,
             std::vector<uint32_t> &low, F &found) {
    std::vector<std::pair<uint32_t, size_t>> stack{{root, 0}};
    open.push_back(root);
    index[root] = low[root] = counter++;
    while (!stack.empty()) {
      auto &[node, child] = stack.back();
      if (child < graph[node].size()) {
        const uint32_t to = graph[node][child++];
        if (to >= graph.size() || region[to] != which)
          continue;
        if (index[to] == unseen) {
          index[to] = low[to] = counter++;
          open.push_back(to);
          stack.push_back({to, 0});
        } else if (index[to] != finished) {
          low[node] = std::min(low[node], index[to]);
        }
        continue;
      }
      const uint32_t done = node;
      stack.pop_back();
      if (!stack.empty())
        low[stack.back().first] = std::min(low[stack.back().first], low[done]);
      if (low[done] != index[done])
        continue;
      const auto begin = std::find(open.begin(), open.end(), done);
      std::vector<uint32_t> component(begin, open.end());
      open.erase(begin, open.end());
      for (uint32_t member : component)
        index[member] = finished;
      const auto &next = graph[done];
      if (component.size() > 1 ||
          std::find(next.begin(), next.end(), done) != next.end())
        found(component);
    }
  }

  const FlowGraph &graph;
  const std::vector<uint32_t> &region;
  const uint32_t which;
  uint32_t counter = 0;
  std::vector<uint32_t> open;
};

} // namespace

LoopForest::LoopForest(const FlowGraph &graph) : inner(graph.size(), none) {
  const std::vector<uint32_t> order = reversePostOrder(graph);
  std::vector<uint32_t> index(graph.size()), low(graph.size());
  /// The part of the graph that a node is looked at in; 0: all that is reached.
  std::vector<uint32_t> region(graph.size(), unseen);
  struct Part {
    std::vector<uint32_t> nodes;
    int32_t loop;
  };
  std::vector<Part> work(1);
  work[0].loop = none;
  for (uint32_t node = 0; node < graph.size(); ++node)
    if (order[node] != unseen) {
      region[node] = 0;
      work[0].nodes.push_back(node);
    }
  for (size_t next = 0; next < work.size(); ++next) {
    const Part part = std::move(work[next]);
    Components(graph, region, uint32_t(next))
        .run(part.nodes, index, low, [&](std::vector<uint32_t> &component) {
          Loop loop;
          loop.parent = part.loop;
          loop.depth =
              part.loop == none ? 1 : list[size_t(part.loop)].depth + 1;
          loop.header = *std::min_element(
              component.begin(), component.end(),
              [&](uint32_t a, uint32_t b) { return order[a] < order[b]; });
          for (uint32_t node : component)
            inner[node] = int32_t(list.size());
          std::erase(component, loop.header);
          work.push_back({std::move(component), int32_t(list.size())});
          list.push_back(loop);
        });
    // Nodes change their region only when this part is finished.
    for (size_t later = next + 1; later < work.size(); ++later)
      if (work[later].loop != none &&
          list[size_t(work[later].loop)].parent == part.loop) {
        region[list[size_t(work[later].loop)].header] = unseen;
        for (uint32_t node : work[later].nodes)
          region[node] = uint32_t(later);
      }
  }
}

bool LoopForest::contains(int32_t loop, uint32_t node) const {
  for (int32_t at = innermost(node); at != none; at = list[size_t(at)].parent)
    if (at == loop)
      return true;
  return false;
}

bool LoopForest::avoidable(int32_t loop, uint32_t node,
                           const FlowGraph &graph) const {
  const uint32_t header = list[size_t(loop)].header;
  if (node == header)
    return false;
  std::vector<bool> seen(graph.size(), false);
  std::vector<uint32_t> stack{header};
  while (!stack.empty()) {
    const uint32_t at = stack.back();
    stack.pop_back();
    for (uint32_t to : graph[at]) {
      if (to == header)
        return true;
      if (to == node || seen[to] || !contains(loop, to))
        continue;
      seen[to] = true;
      stack.push_back(to);
    }
  }
  return false;
}

} // namespace wna16::emulator
