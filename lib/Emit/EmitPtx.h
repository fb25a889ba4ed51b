//===- EmitPtx.h - from the LLVM dialect to PTX text ----------------------===//
//
// The project's own emission step. MLIR's gpu-module-to-binary offers no place
// for what a kernel of this kind needs between translation and optimisation;
// docs/rationale.md lists the traps, test/Emit holds one test for each.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMIT_EMITPTX_H
#define WNA16_LIB_EMIT_EMITPTX_H

#include "lib/Target/GpuTarget.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace wna16 {

/// Registers what translation to LLVM IR needs.
void registerEmitTranslations(mlir::DialectRegistry &registry);

/// What LLVM made of a kernel.
struct EmittedPtx {
  std::string ptx;
  /// The optimised LLVM IR, on request.
  std::string llvmIr;
};

struct EmitOptions {
  /// Also fill `EmittedPtx::llvmIr`.
  bool keepLlvmIr = false;
};

/// Translates, optimises and prints one gpu.module for `target`. Runs
/// `checkEmittable` first. The module itself is left as it is. Errors are
/// diagnostics at the module or at an op in it.
mlir::FailureOr<EmittedPtx> emitPtx(mlir::gpu::GPUModuleOp module,
                                    const GpuTarget &target,
                                    const EmitOptions &options = {});

/// Refuses, with a diagnostic at the op, what LLVM would miscompile, drop or
/// abort on:
///   - an op whose instruction the target lacks,
///   - inline PTX newer than the PTX version that is emitted,
///   - atomicrmw with an order (printed as relaxed),
///   - shared memory as an internal global (its reads fold to undefined),
///   - read-only promises next to a wait for the previous kernel (loads would
///     move above the wait),
///   - a loop annotation under a name that is ignored,
///   - a function name that PTX cannot spell.
mlir::LogicalResult checkEmittable(mlir::gpu::GPUModuleOp module,
                                   const GpuTarget &target);

} // namespace wna16

#endif // WNA16_LIB_EMIT_EMITPTX_H
