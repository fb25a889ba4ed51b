//===- LaunchRecord.h - all that a launcher needs to know -----------------===//
//
// The contract between the compiler and everything that launches a kernel (the
// runtime, the emulator, Python). It lies beside the PTX as NAME.json, and
// inside the compiler it travels as text in the string attribute
// `wna16.launch` of the kernel's llvm.func. A launcher recovers nothing from
// the PTX text.
//
// The text is versioned: a reader refuses another version, an unknown field
// and a record that contradicts itself. This file uses LLVM's JSON library and
// no MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAUNCH_LAUNCHRECORD_H
#define WNA16_LIB_LAUNCH_LAUNCHRECORD_H

#include "lib/Launch/LaunchArgument.h"

#include <array>

namespace wna16 {

/// Name of the string attribute that holds a record's JSON on an llvm.func.
inline constexpr llvm::StringLiteral launchAttributeName = "wna16.launch";

/// What a launcher must check before it uses the value of a symbol.
struct LaunchSymbol {
  int64_t min = 0;
  std::optional<int64_t> max;
  int64_t multipleOf = 1;
  bool operator==(const LaunchSymbol &) const = default;
};

/// One dimension of the grid: ceil(size / tile) blocks.
struct GridDimension {
  Extent size = 1;
  int64_t tile = 1;
  bool operator==(const GridDimension &) const = default;
};

/// Where tokens go in a mixture of experts; what an op does not have is empty.
struct LaunchRouting {
  /// Names of the tables: moe_route writes them, moe_gemm reads them.
  std::string segments = {}, slots = {};
  /// moe_gemm: "token", "slot" or "position".
  std::string xRows = {}, yRows = {};
  /// moe_route, moe_sum: names of router ids, of a map of experts, of weights.
  std::string ids = {}, map = {}, weights = {};
  int64_t experts = 0, topK = 1, segmentRows = 0;
  bool operator==(const LaunchRouting &) const = default;
};

/// What the kernel computes, by argument names, for a reference. A repack has x
/// and y only, moe_sum (x is its h) these and a routing, moe_route a routing.
struct LaunchProblem {
  std::string op = "gemm";
  std::string x, w, s, y;
  /// Rows of K per scale.
  int64_t group = 0;
  /// Empty where there are none.
  std::string zeros = {}, bias = {};
  /// For the ops "moe_gemm", "moe_route" and "moe_sum".
  std::optional<LaunchRouting> routing = {};
  bool operator==(const LaunchProblem &) const = default;
};

/// What ptxas reported.
struct LaunchResources {
  int64_t registers = 0;
  int64_t spillBytes = 0;
  int64_t staticSharedBytes = 0;
  bool operator==(const LaunchResources &) const = default;
};

/// See the top of this file.
struct LaunchRecord {
  static constexpr llvm::StringLiteral formatName = "wna16-launch";
  static constexpr int64_t formatVersion = 2;

  /// Entry name in the PTX; on a CPU `_mlir_ciface_` stands before it.
  std::string kernel;
  /// Name of the GpuTarget or CpuTarget.
  std::string target;
  /// File names relative to the record. Inside the compiler both are unset.
  std::optional<std::string> ptx;
  std::optional<std::string> cubin;
  /// The shared library of a product on a CPU, which has no PTX.
  std::optional<std::string> library;
  std::vector<LaunchArgument> arguments;
  std::map<std::string, LaunchSymbol> symbols;
  std::array<GridDimension, 3> grid;
  /// Where positive: all tiles lie along x, in at most that many blocks that go
  /// on from one to another.
  int64_t persistentBlocks = 0;
  std::array<int64_t, 3> block = {1, 1, 1};
  std::array<int64_t, 3> cluster = {1, 1, 1};
  /// Dynamic shared memory per block.
  int64_t sharedBytes = 0;
  int64_t workspaceBytes = 0;
  /// All blocks run at the same time and may wait for each other.
  bool cooperative = false;
  /// Blocks may start before the kernel in front of this one has ended.
  bool dependentLaunch = false;
  std::optional<LaunchProblem> problem;
  /// The schedule's text, for people; may be empty.
  std::string schedule;
  std::optional<LaunchResources> resources;

  bool operator==(const LaunchRecord &) const = default;

  const LaunchArgument *findArgument(llvm::StringRef name) const;
  /// Where each parameter lies among all bytes that are passed, in the order of
  /// the arguments; one that passes nothing takes no bytes of them.
  std::vector<int64_t> parameterOffsets() const;
  int64_t threadsPerBlock() const { return block[0] * block[1] * block[2]; }

  /// Blocks per dimension; any 0 means that there is nothing to launch. An
  /// error names the symbol without a value, or the dimension that clusters do
  /// not divide.
  llvm::Expected<std::array<int64_t, 3>>
  gridBlocks(const SymbolValues &values) const;

  /// For each symbol its least value that is allowed, but at least 1.
  SymbolValues leastSymbols() const;

  /// Checks the values of one launch against the ranges of `symbols`.
  llvm::Error checkSymbols(const SymbolValues &values) const;

  /// Checks that the record does not contradict itself. `fromJSON` calls it.
  llvm::Error validate() const;

  /// The JSON text, with a newline at the end. The order of fields is fixed:
  /// the same record always gives the same text. Does not validate.
  std::string toJSON() const;

  /// Reads a record. The error says which field, what was expected and what
  /// was found.
  static llvm::Expected<LaunchRecord> fromJSON(llvm::StringRef text);
};

} // namespace wna16

#endif // WNA16_LIB_LAUNCH_LAUNCHRECORD_H
