//===- Register.h - one registration for all tools ------------------------===//
#ifndef WNA16_LIB_REGISTER_REGISTER_H
#define WNA16_LIB_REGISTER_REGISTER_H

#include "mlir/IR/DialectRegistry.h"

namespace wna16 {

/// Dialects of the project and those it lowers to, with their translations.
void registerAll(mlir::DialectRegistry &registry);

/// Passes and pipelines of the project, and the upstream ones that tests use.
void registerAllPasses();

} // namespace wna16

#endif // WNA16_LIB_REGISTER_REGISTER_H
