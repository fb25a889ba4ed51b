//===- Report.cpp - what the checks found ---------------------------------===//
//
// Names of the checks and the one-line forms of reports and diagnostics.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Report.h"

#include "lib/Emulator/Diagnostic.h"

#include <algorithm>

namespace wna16::emulator {
namespace {
constexpr std::string_view names[numChecks] = {
    "bounds",   "alignment",  "access",     "uninitialized", "async",
    "race",     "divergence", "barrier",    "mbarrier",      "proxy",
    "wgmma",    "tensor-map", "dependency", "cluster",       "order",
    "deadlock", "step-limit", "trap",       "unsupported",   "launch"};
} // namespace

std::string_view checkName(Check check) { return names[unsigned(check)]; }

std::optional<Check> parseCheck(std::string_view name) {
  for (unsigned i = 0; i < numChecks; ++i)
    if (names[i] == name)
      return static_cast<Check>(i);
  return std::nullopt;
}

std::string Diagnostic::str() const {
  std::string out = file.empty() ? std::string("<ptx>") : file;
  if (line)
    out += ":" + std::to_string(line);
  if (column)
    out += ":" + std::to_string(column);
  return out + ": error: " + message;
}

std::vector<Report> Reporter::take() {
  auto first = reports.begin();
  while (first != reports.end()) {
    auto last = std::find_if(first, reports.end(), [](const Report &report) {
      return report.check == Check::Deadlock ||
             report.check == Check::StepLimit;
    });
    std::stable_partition(first, last, [](const Report &report) {
      return report.check != Check::Uninitialized;
    });
    first = last == reports.end() ? last : last + 1;
  }
  return std::move(reports);
}

std::string Report::str() const {
  std::string out = file.empty() ? std::string("<ptx>") : file;
  if (line)
    out += ":" + std::to_string(line);
  out += ": error [" + std::string(checkName(check)) + "]: " + message;
  std::string where = instruction;
  auto append = [&](const std::string &text) {
    where += (where.empty() ? "" : ", ") + text;
  };
  if (warp >= 0 || check == Check::Deadlock)
    append("block " + std::to_string(block[0]) + "," +
           std::to_string(block[1]) + "," + std::to_string(block[2]));
  if (warp >= 0)
    append("warp " + std::to_string(warp));
  if (lane >= 0)
    append("lane " + std::to_string(lane));
  if (sourceLine)
    append((sourceFile.empty() ? std::string("source") : sourceFile) + ":" +
           std::to_string(sourceLine));
  if (count > 1)
    append(std::to_string(count) + " times");
  return where.empty() ? out : out + " (" + where + ")";
}

} // namespace wna16::emulator
