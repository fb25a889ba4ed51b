//===- Counters.h - what a run did ----------------------------------------===//
//
// Dynamic counts of a launch: instructions by class and line, bytes by space,
// buffer and hint, matrix work, and the bank behaviour of each access to shared
// memory.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_COUNTERS_H
#define WNA16_LIB_EMULATOR_COUNTERS_H

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Where an instruction stands: "in the K loop" is the innermost loop around
/// it.
struct LoopPlace {
  unsigned depth = 0; ///< 0: in no loop
  unsigned line = 0;  ///< of the first instruction of the innermost loop
};

/// Shared-memory accesses of one PTX line.
struct BankCount {
  std::string instruction;
  LoopPlace loop;
  uint64_t executions = 0;
  /// Passes through the 32 banks, and how many a conflict-free pattern needs.
  uint64_t passes = 0, ideal = 0;
  double degree() const { return ideal ? double(passes) / double(ideal) : 1; }
};

/// Bytes of one buffer of global memory.
struct BufferCount {
  uint64_t size = 0;
  /// By lanes; the same with bytes counted once that several lanes of one
  /// instruction access; different bytes (with Options::distinctBytes). Each
  /// byte was read exactly once if the last two are equal, and the whole buffer
  /// was if they are equal to its size.
  uint64_t read = 0, fetched = 0, distinctRead = 0;
  uint64_t written = 0, stored = 0, distinctWritten = 0;
};

/// Accesses to global memory of one kind: "ld", "cp.async" and so on with the
/// cache operators and hints of the opcode.
struct AccessCount {
  uint64_t executions = 0, read = 0, written = 0;
};

/// Matrix instructions of one shape and types.
struct MatrixCount {
  uint64_t count = 0, flop = 0;
};

/// One instruction of the text.
struct LineCount {
  unsigned line = 0;
  std::string instruction;
  LoopPlace loop;
  uint64_t warps = 0, lanes = 0;
};

struct Counters {
  std::array<uint64_t, numInstrClasses> warpInstructions{};
  std::array<uint64_t, numInstrClasses> laneInstructions{};
  /// Bytes moved by loads (also the source of asynchronous copies) and stores.
  uint64_t globalRead = 0, globalWritten = 0, sharedRead = 0, sharedWritten = 0,
           localRead = 0, localWritten = 0;
  uint64_t blocks = 0;
  std::map<std::string, BufferCount> buffers; ///< those that were accessed
  std::map<std::string, AccessCount> accesses;
  std::map<unsigned, BankCount> banks; ///< by PTX line
  std::map<std::string, MatrixCount> matrix;
  std::vector<LineCount> lines; ///< in text order
  bool hasDistinct = false;     ///< distinctRead and distinctWritten are known

  uint64_t totalWarpInstructions() const;
  uint64_t totalLaneInstructions() const;
  uint64_t matrixCount() const;
  uint64_t flop() const;
  /// The shared access with the worst bank conflicts among those in a loop, or
  /// among the others; null if there are no conflicts.
  const std::pair<const unsigned, BankCount> *worstBank(bool inLoop) const;
  /// The lines that execute most, most first.
  std::vector<LineCount> hottest(size_t count) const;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_COUNTERS_H
