//===- Routing.h - tables of a mixture of experts -------------------------===//
//
// Made up for a launch: which experts the tokens go to, and sometimes tables
// that no router would write.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUN_ROUTING_H
#define WNA16_LIB_RUN_ROUTING_H

#include "lib/Run/Request.h"

namespace wna16::run {

struct RoutingTables {
  /// {expert, first position, positions, 0} each, and a slot per position.
  std::vector<int32_t> segments, slots;
};

/// The tables of wna16.moe_route, without the segments that are not used, from
/// the local expert of every slot, -1 for none.
RoutingTables tablesOf(const LaunchRouting &routing,
                       const std::vector<int64_t> &expertOfSlot);

/// Tables of `positions` positions, in `rows` rows of segments. An error when
/// they need more rows.
llvm::Expected<RoutingTables> makeRouting(const LaunchRouting &routing,
                                          RoutingKind kind, uint64_t seed,
                                          int64_t positions, int64_t rows);

/// The rows of segments that any routing of `positions` positions fits in.
int64_t segmentRowsFor(const LaunchRouting &routing, int64_t positions);

/// Router ids of `slots` slots, below `idEnd` but for those of no expert.
std::vector<int32_t> makeIds(RoutingKind kind, uint64_t seed, int64_t slots,
                             int64_t idEnd);

/// A map of `size` global experts: a slice of them, the last one among it,
/// lives here. With broken tables also numbers that are none of `experts`.
std::vector<int32_t> makeExpertMap(RoutingKind kind, uint64_t seed,
                                   int64_t size, int64_t experts);

/// A row of x and of y that an expert multiplies; the row of x may not exist.
struct RoutedRow {
  int64_t expert, x, y;
};

/// What the tables say, as wna16.moe_gemm reads them.
std::vector<RoutedRow> routedRows(const LaunchRouting &routing,
                                  const RoutingTables &tables);

} // namespace wna16::run

#endif // WNA16_LIB_RUN_ROUTING_H
