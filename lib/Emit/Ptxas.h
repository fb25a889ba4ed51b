//===- Ptxas.h - running the PTX assembler --------------------------------===//
//
// Turns PTX into a cubin with the CUDA toolkit's ptxas, as a subprocess without
// a shell. A machine without a toolkit is a normal case: the result then has no
// cubin and a sentence that says so.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMIT_PTXAS_H
#define WNA16_LIB_EMIT_PTXAS_H

#include "lib/Launch/LaunchRecord.h"
#include "lib/Target/GpuTarget.h"

#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wna16 {

/// What ptxas says about one entry.
struct EntryResources {
  int64_t registers = 0;
  int64_t spillStoreBytes = 0;
  int64_t spillLoadBytes = 0;
  int64_t stackBytes = 0;
  int64_t staticSharedBytes = 0;
  int64_t barriers = 0;

  /// The part that a launch record holds.
  LaunchResources forLaunch() const {
    return {registers, spillStoreBytes + spillLoadBytes, staticSharedBytes};
  }
};

/// Result of assembling one PTX text.
struct Assembly {
  /// None if there is no ptxas; `notes` then says where it was looked for.
  std::optional<std::string> cubin;
  /// By entry name.
  std::map<std::string, EntryResources> resources;
  /// Warnings and remarks worth showing (ignored directives, spills).
  std::vector<std::string> notes;
};

/// Path of ptxas: `explicitPath` if not empty; else under $CUDA_HOME, under
/// /usr/local/cuda, or on PATH. Empty if there is none. A given path that is no
/// program is an error.
llvm::Expected<std::string> findPtxas(llvm::StringRef explicitPath);

/// Assembles `ptx` for `target`. A refusal by ptxas is an error that has its
/// text and the command; the PTX then stays in the temporary file that the
/// command names.
llvm::Expected<Assembly> assemblePtx(llvm::StringRef ptx,
                                     const GpuTarget &target,
                                     llvm::StringRef explicitPath = {});

/// Reads the report of `ptxas -v`. Exposed for tests.
void parsePtxasReport(llvm::StringRef report, Assembly &assembly);

} // namespace wna16

#endif // WNA16_LIB_EMIT_PTXAS_H
