//===- MoeReference.h - tables and sums of a mixture of experts -----------===//
//
// By lists of slots per expert, as docs/spec.md says it.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUN_MOEREFERENCE_H
#define WNA16_LIB_RUN_MOEREFERENCE_H

#include "lib/Run/Reference.h"

namespace wna16::run {

/// The numbers of a table.
std::vector<int32_t> numbersOf(const ArgumentData &data);

/// Per slot of the ids, whether it goes to an expert.
std::vector<bool> keptSlots(const LaunchRouting &routing,
                            const std::vector<ArgumentData> &arguments);

/// The bits of the segments, then of the slots, that wna16.moe_route makes.
llvm::Expected<Reference>
routedItems(const LaunchRouting &routing,
            const std::vector<ArgumentData> &arguments);

/// The rows of y of a wna16.moe_sum.
llvm::Expected<Reference>
summedRows(const LaunchProblem &problem,
           const std::vector<ArgumentData> &arguments);

} // namespace wna16::run

#endif // WNA16_LIB_RUN_MOEREFERENCE_H
