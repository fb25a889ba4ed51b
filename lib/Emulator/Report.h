//===- Report.h - what the checks found -----------------------------------===//
//
// A report is a value with a place (PTX line, source line, block, warp, lane).
// The same finding at the same instruction is kept once, with a count.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_REPORT_H
#define WNA16_LIB_EMULATOR_REPORT_H

#include "lib/Emulator/Options.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace wna16::emulator {

struct Report {
  Check check = Check::Launch;
  std::string message;
  std::string file;        ///< PTX file
  unsigned line = 0;       ///< PTX line; 0: no single instruction
  std::string instruction; ///< opcode
  std::string sourceFile;  ///< from .loc, if any
  unsigned sourceLine = 0;
  std::array<uint32_t, 3> block{};
  int warp = -1, lane = -1; ///< -1: not about one warp or lane
  uint64_t count = 1;       ///< how often it was found (lanes and blocks)

  /// `k.ptx:12: error [bounds]: ... (ld.global.b32, block 0,0,0, warp 1, lane
  /// 3)`
  std::string str() const;
};

/// Collects the reports of all workers.
class Reporter {
public:
  explicit Reporter(const Options &options) : options(options) {}

  /// Cheap test before a message is built.
  bool wants(Check check) const { return options.enabled(check); }
  /// Keeps the report that `build` makes unless the same check has reported at
  /// `key` (a program counter) before: then it is counted, and of several
  /// clusters the one with the lowest number is kept, so that a run can be
  /// repeated whatever its threads do.
  template <typename Builder>
  void add(Check check, uint64_t key, uint64_t cluster, const Builder &build) {
    if (!wants(check))
      return;
    std::lock_guard<std::mutex> lock(mutex);
    if (auto entry = known.find({check, key}); entry != known.end()) {
      Report &kept = reports[entry->second.index];
      const uint64_t count = kept.count + 1;
      if (cluster < entry->second.cluster) {
        entry->second.cluster = cluster;
        kept = build();
        kept.check = check;
      }
      kept.count = count;
      return;
    }
    if (reports.size() >= options.maxReports)
      return;
    known[{check, key}] = {reports.size(), cluster};
    reports.push_back(build());
    reports.back().check = check;
    if (reports.size() >= options.maxReports)
      stop.store(true, std::memory_order_relaxed);
  }
  /// Enough reports: workers end.
  bool full() const { return stop.load(std::memory_order_relaxed); }
  /// All reports, in the order in which they were found, but undefined data
  /// after all else that was found until the first deadlock: a missing wait or
  /// barrier is found where the data is written, perhaps long after it was
  /// read.
  std::vector<Report> take();

private:
  const Options &options;
  std::mutex mutex;
  struct Known {
    size_t index = 0; ///< in `reports`
    uint64_t cluster = 0;
  };
  std::map<std::pair<Check, uint64_t>, Known> known;
  std::vector<Report> reports;
  std::atomic<bool> stop{false};
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_REPORT_H
