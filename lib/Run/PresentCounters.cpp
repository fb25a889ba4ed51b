//===- PresentCounters.cpp - counters for people and for programs ---------===//
//
// The tables that --counters prints, and the same numbers as JSON.
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Present.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using llvm::format;
using llvm::raw_ostream;
namespace json = llvm::json;

namespace wna16::run {
namespace {

using emulator::Counters;

constexpr size_t hottestLines = 20;

llvm::FormattedString name(llvm::StringRef text, unsigned width) {
  return llvm::left_justify(text, width);
}
unsigned long long wide(uint64_t value) { return value; }

/// "none" or "2.00 at line 40 (st.shared.b32)".
std::string conflictText(const Counters &counters, bool inLoop) {
  const auto *worst = counters.worstBank(inLoop);
  if (!worst)
    return "none";
  std::string out;
  llvm::raw_string_ostream(out)
      << format("%.2f", worst->second.degree()) << " at line " << worst->first
      << " (" << worst->second.instruction << ")";
  return out;
}

void printInstructions(const Counters &counters, raw_ostream &out) {
  out << "\ninstructions      warp          lane\n";
  for (unsigned i = 0; i < emulator::numInstrClasses; ++i)
    if (counters.warpInstructions[i])
      out << name(instrClassName(emulator::InstrClass(i)), 12)
          << format("%10llu  %12llu\n", wide(counters.warpInstructions[i]),
                    wide(counters.laneInstructions[i]));
  out << "total       "
      << format("%10llu  %12llu\n", wide(counters.totalWarpInstructions()),
                wide(counters.totalLaneInstructions()));
}

void printBytes(const Counters &counters, raw_ostream &out) {
  auto space = [&](const char *text, uint64_t read, uint64_t written) {
    out << name(text, 12)
        << format("%12llu  %12llu\n", wide(read), wide(written));
  };
  out << "\nbytes               read       written\n";
  space("global", counters.globalRead, counters.globalWritten);
  space("shared", counters.sharedRead, counters.sharedWritten);
  if (counters.localRead || counters.localWritten)
    space("local", counters.localRead, counters.localWritten);
  if (!counters.buffers.empty()) {
    // A byte that several lanes of one instruction read is fetched once.
    out << "\nbuffer              size          read       fetched";
    out << (counters.hasDistinct ? "      distinct" : "");
    out << "       written        stored";
    out << (counters.hasDistinct ? "      distinct\n" : "\n");
    for (const auto &[buffer, c] : counters.buffers) {
      auto column = [&](uint64_t value) {
        out << format("  %12llu", wide(value));
      };
      out << name(buffer, 10);
      for (uint64_t value : {c.size, c.read, c.fetched})
        column(value);
      if (counters.hasDistinct)
        column(c.distinctRead);
      column(c.written);
      column(c.stored);
      if (counters.hasDistinct)
        column(c.distinctWritten);
      out << "\n";
    }
  }
  if (counters.accesses.empty())
    return;
  out << "\nglobal access                             executions          read "
         "      written\n";
  for (const auto &[kind, c] : counters.accesses)
    out << name(kind, 40)
        << format("%12llu  %12llu  %12llu\n", wide(c.executions), wide(c.read),
                  wide(c.written));
}

/// "2    287": depth and header line of the innermost loop, "-" outside loops.
std::string loopText(const emulator::LoopPlace &loop) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  if (loop.depth)
    stream << format("%5u %6u", loop.depth, loop.line);
  else
    stream << "    -      -";
  return out;
}

void printBanks(const Counters &counters, raw_ostream &out) {
  out << "\nshared access, by PTX line                         depth   loop  "
         "executions      passes  degree\n";
  for (const auto &[line, bank] : counters.banks)
    out << format("%6u  ", line) << name(bank.instruction, 43)
        << loopText(bank.loop)
        << format("  %10llu  %10llu  %6.2f\n", wide(bank.executions),
                  wide(bank.passes), bank.degree());
  out << "bank conflicts in loops: " << conflictText(counters, true)
      << "; elsewhere: " << conflictText(counters, false) << "\n";
}

void printLines(const Counters &counters, raw_ostream &out) {
  const double total = double(counters.totalWarpInstructions());
  out << "\nmost executed, by PTX line                         depth   loop  "
         "       warp   share\n";
  for (const emulator::LineCount &count : counters.hottest(hottestLines))
    out << format("%6u  ", count.line) << name(count.instruction, 43)
        << loopText(count.loop)
        << format("  %11llu  %5.1f%%\n", wide(count.warps),
                  total > 0 ? 100 * double(count.warps) / total : 0);
}

void writeLoop(json::OStream &out, const emulator::LoopPlace &loop) {
  out.attribute("depth", int64_t(loop.depth));
  if (loop.depth)
    out.attribute("loop", int64_t(loop.line));
}

} // namespace

void printCounters(const Counters &counters, bool lines, raw_ostream &out) {
  printInstructions(counters, out);
  printBytes(counters, out);
  if (!counters.matrix.empty()) {
    out << "\nmatrix work                                    count            "
           "flop\n";
    for (const auto &[shape, c] : counters.matrix)
      out << name(shape, 40)
          << format("%12llu  %14llu\n", wide(c.count), wide(c.flop));
  }
  if (!counters.banks.empty())
    printBanks(counters, out);
  if (lines)
    printLines(counters, out);
}

void writeCounters(const Counters &counters, bool lines, json::OStream &out) {
  auto number = [&](const char *key, uint64_t value) {
    out.attribute(key, int64_t(value));
  };
  out.attributeObject("warp_instructions", [&] {
    for (unsigned i = 0; i < emulator::numInstrClasses; ++i)
      out.attribute(std::string(instrClassName(emulator::InstrClass(i))),
                    int64_t(counters.warpInstructions[i]));
  });
  number("lane_instructions", counters.totalLaneInstructions());
  number("mma", counters.matrixCount());
  number("flop", counters.flop());
  out.attributeObject("matrix", [&] {
    for (const auto &[shape, c] : counters.matrix)
      out.attributeObject(shape, [&, &c = c] {
        number("count", c.count);
        number("flop", c.flop);
      });
  });
  number("blocks", counters.blocks);
  number("global_read_bytes", counters.globalRead);
  number("global_written_bytes", counters.globalWritten);
  number("shared_read_bytes", counters.sharedRead);
  number("shared_written_bytes", counters.sharedWritten);
  number("local_read_bytes", counters.localRead);
  number("local_written_bytes", counters.localWritten);
  out.attributeObject("buffers", [&] {
    for (const auto &[buffer, c] : counters.buffers)
      out.attributeObject(buffer, [&, &c = c] {
        number("size", c.size);
        number("read", c.read);
        number("fetched", c.fetched);
        if (counters.hasDistinct)
          number("distinct_read", c.distinctRead);
        number("written", c.written);
        number("stored", c.stored);
        if (counters.hasDistinct)
          number("distinct_written", c.distinctWritten);
      });
  });
  out.attributeObject("accesses", [&] {
    for (const auto &[kind, c] : counters.accesses)
      out.attributeObject(kind, [&, &c = c] {
        number("executions", c.executions);
        number("read", c.read);
        number("written", c.written);
      });
  });
  out.attributeArray("banks", [&] {
    for (const auto &[line, bank] : counters.banks)
      out.object([&, &line = line, &bank = bank] {
        number("line", line);
        out.attribute("instruction", bank.instruction);
        writeLoop(out, bank.loop);
        number("executions", bank.executions);
        number("passes", bank.passes);
        number("ideal", bank.ideal);
      });
  });
  if (!lines)
    return;
  out.attributeArray("lines", [&] {
    for (const emulator::LineCount &count : counters.hottest(hottestLines))
      out.object([&] {
        number("line", count.line);
        out.attribute("instruction", count.instruction);
        writeLoop(out, count.loop);
        number("warps", count.warps);
        number("lanes", count.lanes);
      });
  });
}

} // namespace wna16::run
