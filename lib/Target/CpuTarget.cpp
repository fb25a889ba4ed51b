//===- CpuTarget.cpp - what the compiler knows about CPUs -----------------===//
//
// The levels of the x86-64 psABI from the first one with fma and conversions of
// half precision on.
//
//===----------------------------------------------------------------------===//
#include "lib/Target/CpuTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using llvm::ArrayRef;
using llvm::StringLiteral;
using llvm::StringRef;

namespace wna16 {

static constexpr StringLiteral level3[] = {"avx2", "bmi",   "bmi2", "f16c",
                                           "fma",  "lzcnt", "movbe"};
static constexpr StringLiteral level4[] = {
    "avx2",  "bmi",     "bmi2",     "f16c",     "fma",      "lzcnt",
    "movbe", "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};

static constexpr StringLiteral linux64 = "x86_64-unknown-linux-gnu";

// With 16 registers of 256 bits, sums of 4 rows x 16 columns take 8; with 32 of
// 512 bits, sums of 4 rows x 64 columns take 16.
static constexpr CpuTarget rows[] = {
    {"x86-64-v3", linux64, 256, 1, level3},
    {"x86-64-v4", linux64, 512, 4, level4},
};

ArrayRef<CpuTarget> allCpuTargets() { return rows; }

static const CpuTarget *hostTarget() {
  if (llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArch() !=
      llvm::Triple::x86_64)
    return nullptr;
  llvm::StringMap<bool> found = llvm::sys::getHostCPUFeatures();
  const CpuTarget *best = nullptr;
  for (const CpuTarget &row : rows)
    if (llvm::all_of(row.features,
                     [&](StringRef feature) { return found.lookup(feature); }))
      best = &row;
  return best;
}

const CpuTarget *findCpuTarget(StringRef name) {
  if (name == hostCpuName)
    return hostTarget();
  for (const CpuTarget &row : rows)
    if (row.name == name)
      return &row;
  return nullptr;
}

bool isCpuTargetName(StringRef name) {
  return name == hostCpuName || name.starts_with("x86-64");
}

std::string unknownCpuTargetMessage(StringRef name) {
  std::string text = name == hostCpuName
                         ? "there is no code for the CPU of this machine"
                         : "unknown CPU target '" + name.str() + "'";
  text += "; expected one of ";
  for (const CpuTarget &row : rows)
    text += row.name.str() + ", ";
  return text + "which are x86-64 with at least AVX2, FMA and F16C";
}

} // namespace wna16
