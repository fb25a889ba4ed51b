//===- Stage.h - which phase comes next for a file ------------------------===//
//
// A stage file is the output of a phase. These functions find the next phase
// from the name of the stage or from the ops in a file.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMIT_STAGE_H
#define WNA16_LIB_EMIT_STAGE_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace wna16 {

/// Index in `phases()` of the phase after stage `name` ("source" is before the
/// first); none for an unknown name. The index may be one past the last.
std::optional<size_t> phaseAfter(llvm::StringRef name);

/// "source, import, ..., lower".
std::string stageNames();

/// The same from the ops in a module: the earliest stage that any of them
/// belongs to. None if there is nothing to compile.
std::optional<size_t> firstPhaseFor(mlir::ModuleOp module);

/// Name of the dump file of phase `index`: "10-import.mlir", ...
std::string stageFileName(size_t index);

} // namespace wna16

#endif // WNA16_LIB_EMIT_STAGE_H
