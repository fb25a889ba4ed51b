//===- Counters.h - what a run did ----------------------------------------===//
//
// Dynamic counts of a launch: instructions by class, bytes by space, matrix
// work, and the shared-memory bank behaviour of each access instruction.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_COUNTERS_H
#define WNA16_LIB_EMULATOR_COUNTERS_H

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace wna16::emulator {

enum class InstrClass : uint8_t {
  Integer,
  Float,
  Convert,
  Move,
  Control,
  Load,
  Store,
  Atomic,
  AsyncCopy,
  MatrixLoad,
  Matrix,
  Shuffle,
  Barrier,
  Other
};
constexpr unsigned numInstrClasses = unsigned(InstrClass::Other) + 1;
std::string_view instrClassName(InstrClass cls);

/// Shared-memory accesses of one PTX line.
struct BankCount {
  std::string instruction;
  uint64_t executions = 0;
  /// Passes through the 32 banks, and how many a conflict-free pattern needs.
  uint64_t passes = 0, ideal = 0;
  double degree() const { return ideal ? double(passes) / double(ideal) : 1; }
};

struct Counters {
  std::array<uint64_t, numInstrClasses> warpInstructions{};
  std::array<uint64_t, numInstrClasses> laneInstructions{};
  /// Bytes moved by loads (also the source of asynchronous copies) and stores.
  uint64_t globalRead = 0, globalWritten = 0, sharedRead = 0, sharedWritten = 0;
  std::map<std::string, uint64_t> globalReadByBuffer;
  uint64_t blocks = 0;
  std::map<unsigned, BankCount> banks; ///< by PTX line

  uint64_t totalWarpInstructions() const;
  uint64_t totalLaneInstructions() const;
  uint64_t mmaCount() const {
    return warpInstructions[unsigned(InstrClass::Matrix)];
  }
  void add(const Counters &other);
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_COUNTERS_H
