//===- Present.h - results for people and for programs --------------------===//
//
// The table and the JSON that wna16-run prints.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUN_PRESENT_H
#define WNA16_LIB_RUN_PRESENT_H

#include "lib/Run/Execute.h"
#include "lib/Run/Reference.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace wna16::run {

/// Everything about a finished run.
struct Summary {
  const KernelInput &input;
  const Request &request;
  SymbolValues symbols;
  std::array<int64_t, 3> grid{};
  Execution execution{};
  std::optional<Comparison> comparison{};
  std::string noComparison{}; ///< why there is none
  bool launched = true;       ///< false: an empty grid
  /// The interleaving that is shown: its number, and what it ran with.
  unsigned schedule = 0;
  emulator::Options options{};

  bool ok() const {
    return execution.reports.empty() && (!comparison || comparison->ok());
  }
};

void printTable(const Summary &summary, llvm::raw_ostream &out);
/// `lines`: also which lines execute most.
void printCounters(const emulator::Counters &counters, bool lines,
                   llvm::raw_ostream &out);
/// The attributes of a JSON object.
void writeCounters(const emulator::Counters &counters, bool lines,
                   llvm::json::OStream &out);
void printJson(const Summary &summary, llvm::raw_ostream &out);

} // namespace wna16::run

#endif // WNA16_LIB_RUN_PRESENT_H
