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

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wna16 {

/// Name of the string attribute that holds a record's JSON on an llvm.func.
inline constexpr llvm::StringLiteral launchAttributeName = "wna16.launch";

/// Values of the symbols of one launch.
using SymbolValues = std::map<std::string, int64_t>;

/// A number that is known now, or the name of a symbol known at launch.
struct Extent {
  int64_t value = 0;
  /// Empty for a number.
  std::string symbol;

  Extent() = default;
  Extent(int64_t value) : value(value) {}
  Extent(std::string symbol) : symbol(std::move(symbol)) {}
  Extent(const char *symbol) : symbol(symbol) {}

  bool isSymbol() const { return !symbol.empty(); }
  /// The number; none if the symbol has no value in `values`.
  std::optional<int64_t> evaluate(const SymbolValues &values) const;
  bool operator==(const Extent &) const = default;
};

/// One parameter of the kernel.
struct LaunchArgument {
  enum class Kind { Buffer, Scalar };
  enum class Access { Read, Write, ReadWrite };

  std::string name;
  Kind kind = Kind::Buffer;
  /// f16, bf16, f32, f64, i8, i16, i32 or i64.
  std::string dtype;

  /// \name Buffers: a pointer to global memory
  /// @{
  Access access = Access::Read;
  std::vector<Extent> shape;
  /// In elements, one per dimension; empty means contiguous.
  std::vector<Extent> strides;
  /// In bytes, a power of two.
  int64_t alignment = 1;
  /// "row_major", or the name of a packed layout; packed buffers are
  /// one-dimensional and their shape is a number.
  std::string layout = "row_major";
  /// Shape of the tensor that a packed buffer stands for; may be empty.
  std::vector<int64_t> logicalShape;
  /// Width of a code and the number subtracted from it; packed weights only.
  std::optional<int64_t> bits;
  std::optional<int64_t> offset;
  /// @}

  /// Scalars: what is passed.
  Extent value;

  bool operator==(const LaunchArgument &) const = default;
};

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

/// What the kernel computes, by argument names, for a reference.
struct LaunchProblem {
  std::string op = "gemm";
  std::string x, w, s, y;
  /// Rows of K per scale.
  int64_t group = 0;
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
  static constexpr int64_t formatVersion = 1;

  /// Entry name in the PTX.
  std::string kernel;
  /// Name of the GpuTarget.
  std::string target;
  /// File names relative to the record. Inside the compiler both are unset.
  std::optional<std::string> ptx;
  std::optional<std::string> cubin;
  std::vector<LaunchArgument> arguments;
  std::map<std::string, LaunchSymbol> symbols;
  std::array<GridDimension, 3> grid;
  std::array<int64_t, 3> block = {1, 1, 1};
  std::array<int64_t, 3> cluster = {1, 1, 1};
  /// Dynamic shared memory per block.
  int64_t sharedBytes = 0;
  int64_t workspaceBytes = 0;
  std::optional<LaunchProblem> problem;
  /// The schedule's text, for people; may be empty.
  std::string schedule;
  std::optional<LaunchResources> resources;

  bool operator==(const LaunchRecord &) const = default;

  const LaunchArgument *findArgument(llvm::StringRef name) const;
  int64_t threadsPerBlock() const { return block[0] * block[1] * block[2]; }

  /// Blocks per dimension; any 0 means that there is nothing to launch. An
  /// error names the symbol without a value.
  llvm::Expected<std::array<int64_t, 3>>
  gridBlocks(const SymbolValues &values) const;

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
