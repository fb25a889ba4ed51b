//===- ControlFlow.h - where lanes meet again -----------------------------===//
//
// Immediate post-dominators of the instructions of an entry. A warp whose lanes
// took different ways runs them until the immediate post-dominator of the
// branch; text order plays no part, since LLVM prints join blocks before the
// branch that they join.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_CONTROLFLOW_H
#define WNA16_LIB_EMULATOR_CONTROLFLOW_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wna16::emulator {

/// Successors of each node; a node without successors leaves the graph.
using FlowGraph = std::vector<std::vector<uint32_t>>;

/// For each node its immediate post-dominator, or `graph.size()` (the exit)
/// where only the end of the program, or nothing, post-dominates it.
std::vector<uint32_t> immediatePostDominators(const FlowGraph &graph);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_CONTROLFLOW_H
