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

/// Tables of `positions` positions, in `rows` rows of segments. An error when
/// they need more rows.
llvm::Expected<RoutingTables> makeRouting(const LaunchRouting &routing,
                                          RoutingKind kind, uint64_t seed,
                                          int64_t positions, int64_t rows);

/// The rows of segments that any routing of `positions` positions fits in.
int64_t segmentRowsFor(const LaunchRouting &routing, int64_t positions);

/// A row of x and of y that an expert multiplies; the row of x may not exist.
struct RoutedRow {
  int64_t expert, x, y;
};

/// What the tables say, as wna16.moe_gemm reads them.
std::vector<RoutedRow> routedRows(const LaunchRouting &routing,
                                  const RoutingTables &tables);

} // namespace wna16::run

#endif // WNA16_LIB_RUN_ROUTING_H
