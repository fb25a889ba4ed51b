//===- Present.cpp - results for people and for programs ------------------===//
//
// One fact per line, aligned; findings go to the error stream elsewhere.
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Present.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using llvm::format;
using llvm::formatv;
using llvm::raw_ostream;
namespace json = llvm::json;

namespace wna16::run {
namespace {

std::string dims(std::array<int64_t, 3> d) {
  return formatv("{0}x{1}x{2}", d[0], d[1], d[2]).str();
}

std::string blockOrderName(emulator::BlockOrder order) {
  return order == emulator::BlockOrder::Reverse  ? "reverse"
         : order == emulator::BlockOrder::Random ? "random"
                                                 : "forward";
}

raw_ostream &row(raw_ostream &out, llvm::StringRef name) {
  return out << llvm::left_justify(name, 11);
}

/// How the launch differs from a plain one; empty if it does not.
std::string launchKind(const LaunchRecord &record) {
  std::vector<std::string> parts;
  if (record.cluster != std::array<int64_t, 3>{1, 1, 1})
    parts.push_back("clusters of " + dims(record.cluster));
  if (record.cooperative)
    parts.push_back("cooperative");
  if (record.dependentLaunch)
    parts.push_back("dependent");
  return llvm::join(parts, ", ");
}

/// How many blocks were there at a time, and in which order they started; empty
/// for no limit and ascending order.
std::string residency(const Summary &summary) {
  const emulator::Options &options = summary.options;
  std::vector<std::string> parts;
  if (options.resident)
    parts.push_back(
        summary.input.record.cooperative
            ? "all blocks at a time, the launch is cooperative"
            : formatv("at most {0} {1} at a time", options.resident,
                      options.resident == 1 ? "cluster" : "clusters")
                  .str());
  if (options.blockOrder != emulator::BlockOrder::Forward)
    parts.push_back(blockOrderName(options.blockOrder) + " order of blocks");
  return llvm::join(parts, ", ");
}

} // namespace

void printTable(const Summary &summary, raw_ostream &out) {
  const LaunchRecord &record = summary.input.record;
  const bool gpu = summary.request.device == DeviceKind::Gpu;
  row(out, "kernel") << record.kernel << " ("
                     << llvm::sys::path::filename(summary.input.ptxName) << ", "
                     << record.target << ")\n";
  row(out, "launch") << "grid " << dims(summary.grid) << ", block "
                     << dims(record.block) << ", " << record.sharedBytes
                     << " bytes of dynamic shared memory";
  if (const std::string kind = launchKind(record); !kind.empty())
    out << ", " << kind;
  out << "\n";
  if (!summary.symbols.empty()) {
    row(out, "symbols");
    bool first = true;
    for (const auto &[name, value] : summary.symbols) {
      out << (first ? "" : ", ") << name << " = " << value;
      first = false;
    }
    out << "\n";
  }
  row(out, "device") << (gpu ? "gpu" : "emulator") << "\n";
  if (const std::string text = residency(summary); !gpu && !text.empty())
    row(out, "residency") << text << "\n";
  if (!summary.launched) {
    row(out, "result") << "nothing to launch: the grid is empty\n";
    return;
  }
  const double seconds = summary.execution.seconds;
  row(out, "time") << format("%.3f s", seconds);
  if (!gpu) {
    const double lanes =
        double(summary.execution.counters.totalLaneInstructions());
    out << format(", %.2f M lane instructions, %.1f M/s", lanes / 1e6,
                  seconds > 0 ? lanes / 1e6 / seconds : 0.0);
  }
  out << "\n";
  row(out, "result");
  if (const auto &c = summary.comparison)
    out << format("relative error %.3e (limit %.0e), largest error %.3e, ",
                  c->relativeError, c->tolerance, c->maxError)
        << c->nans << " NaN, " << c->unwritten << " unwritten of "
        << c->elements << ": " << (c->ok() ? "right" : "WRONG") << "\n";
  else
    out << "not compared: " << summary.noComparison << "\n";
  if (!gpu)
    row(out, "checks") << (summary.execution.reports.empty()
                               ? std::string("nothing found")
                               : std::to_string(
                                     summary.execution.reports.size()) +
                                     " findings")
                       << "\n";
}

void printJson(const Summary &summary, raw_ostream &stream) {
  json::OStream out(stream, 2);
  out.object([&] {
    out.attribute("kernel", summary.input.record.kernel);
    out.attribute("ok", summary.ok());
    out.attribute("seconds", summary.execution.seconds);
    if (summary.request.device == DeviceKind::Emulator) {
      const emulator::Options &options = summary.options;
      out.attribute("schedule", int64_t(summary.schedule));
      out.attribute("resident", int64_t(options.resident));
      out.attribute("block_order", blockOrderName(options.blockOrder));
    }
    out.attributeObject("symbols", [&] {
      for (const auto &[name, value] : summary.symbols)
        out.attribute(name, value);
    });
    if (const auto &c = summary.comparison)
      out.attributeObject("comparison", [&] {
        out.attribute("relative_error", c->relativeError);
        out.attribute("max_error", c->maxError);
        out.attribute("tolerance", c->tolerance);
        out.attribute("elements", c->elements);
        out.attribute("nan", c->nans);
        out.attribute("unwritten", c->unwritten);
        out.attribute("right", c->ok());
      });
    out.attributeArray("reports", [&] {
      for (const emulator::Report &report : summary.execution.reports)
        out.object([&] {
          out.attribute("check", std::string(checkName(report.check)));
          out.attribute("message", report.message);
          out.attribute("file", report.file);
          out.attribute("line", int64_t(report.line));
          out.attribute("instruction", report.instruction);
          if (report.sourceLine) {
            out.attribute("source_file", report.sourceFile);
            out.attribute("source_line", int64_t(report.sourceLine));
          }
          out.attributeArray("block", [&] {
            for (uint32_t index : report.block)
              out.value(int64_t(index));
          });
          out.attribute("warp", report.warp);
          out.attribute("lane", report.lane);
          out.attribute("count", int64_t(report.count));
        });
    });
    if (summary.request.device == DeviceKind::Emulator)
      out.attributeObject("counters", [&] {
        writeCounters(summary.execution.counters, summary.request.countLines,
                      out);
      });
  });
  stream << "\n";
}

} // namespace wna16::run
