//===- CpuTarget.h - what the compiler knows about CPUs -------------------===//
//
// One row per level of instructions that products are compiled for. Code of a
// level runs on every CPU that has it, whoever made it.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_TARGET_CPUTARGET_H
#define WNA16_LIB_TARGET_CPUTARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace wna16 {

struct CpuTarget {
  /// Name as users write it; also LLVM's name of the CPU.
  llvm::StringRef name;
  llvm::StringRef triple;
  /// Bits of the vectors to compute with.
  unsigned vectorBits;
  /// Vectors of 16 columns that a tile of four rows of sums has: as many as
  /// leave registers for its factors.
  int64_t tileVectors;
  /// Names of the features that LLVM finds on a CPU of this level.
  llvm::ArrayRef<llvm::StringLiteral> features;
};

/// The name that stands for the best level of this machine.
inline constexpr llvm::StringLiteral hostCpuName = "cpu";

/// All rows, lowest level first.
llvm::ArrayRef<CpuTarget> allCpuTargets();

/// The row of `name`, or null; for hostCpuName the best one of this machine.
const CpuTarget *findCpuTarget(llvm::StringRef name);

/// Whether a name means a CPU, be there a row or not.
bool isCpuTargetName(llvm::StringRef name);

/// The error text for a name of a CPU without a row.
std::string unknownCpuTargetMessage(llvm::StringRef name);

} // namespace wna16

#endif // WNA16_LIB_TARGET_CPUTARGET_H
