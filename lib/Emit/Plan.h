//===- Plan.h - which kernels a gemm gets, and why ------------------------===//
//
// The ranges of M of each gemm with their schedules and predicted times, for
// people (--explain) and for programs (--plan), before anything is compiled.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMIT_PLAN_H
#define WNA16_LIB_EMIT_PLAN_H

#include "lib/Schedule/Ranges.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace wna16 {

/// The ranges of one gemm.
struct GemmPlan {
  std::string function;
  const GpuTarget *target = nullptr;
  GemmShape shape;
  std::vector<RangeChoice> ranges;
  /// The attribute of each range, as text.
  std::vector<std::string> schedules;
};

/// The plans of all gemms of `module` without a schedule; errors as of
/// select-schedule.
mlir::FailureOr<std::vector<GemmPlan>> planGemms(mlir::ModuleOp module,
                                                 const GpuTarget &target,
                                                 const RangeOptions &options);

/// For people: per range the schedule, its time, what that is made of, and what
/// else was considered.
void explainPlan(const GemmPlan &plan, llvm::raw_ostream &out);

/// For programs: JSON, format "wna16-plan".
void writePlans(llvm::ArrayRef<GemmPlan> plans, const RangeOptions &options,
                llvm::raw_ostream &out);

} // namespace wna16

#endif // WNA16_LIB_EMIT_PLAN_H
