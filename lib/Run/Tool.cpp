//===- Tool.cpp - wna16-run as a function ---------------------------------===//
//
// Resolve the input, prepare the arguments, run, compare, present.
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Tool.h"

#include "lib/Run/Present.h"

#include "llvm/Support/FileSystem.h"

using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::raw_ostream;

namespace wna16::run {
namespace {

/// Interleaving number `i`: the first is round robin with late copies.
emulator::Options schedule(const Request &request, unsigned i) {
  emulator::Options options = request.emulator;
  if (i > 0) {
    options.seed = request.seed * 1000003 + i;
    options.completion = emulator::Completion::Random;
    if (!request.blockOrderGiven)
      options.blockOrder = emulator::BlockOrder::Random;
  }
  return options;
}

Error writeOutput(const ArgumentData &data, const std::string &file) {
  std::error_code code;
  raw_ostream *out = nullptr;
  llvm::raw_fd_ostream stream(file, code);
  out = &stream;
  if (!code) {
    out->write(reinterpret_cast<const char *>(data.bytes.data()),
               data.bytes.size());
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (code)
    return createStringError("cannot write '" + file + "': " + code.message());
  return Error::success();
}

Error runEmulator(const KernelInput &input, Summary &summary,
                  std::vector<ArgumentData> &arguments,
                  const Reference *reference) {
  const Request &request = summary.request;
  emulator::ParseResult parsed = emulator::parsePtx(input.ptx, input.ptxName);
  if (auto *diagnostic = std::get_if<emulator::Diagnostic>(&parsed))
    return createStringError(diagnostic->str());
  const auto &module = *std::get<0>(parsed);
  const std::vector<ArgumentData> fresh =
      request.schedules > 1 ? arguments : std::vector<ArgumentData>();
  for (unsigned i = 0; i < request.schedules; ++i) {
    if (i > 0)
      arguments = fresh;
    summary.schedule = request.firstSchedule + i;
    summary.options = schedule(request, summary.schedule);
    auto execution = runOnEmulator(input, module, summary.symbols, summary.grid,
                                   summary.options, arguments);
    if (!execution)
      return execution.takeError();
    summary.execution = std::move(*execution);
    if (reference)
      summary.comparison =
          compareWithReference(input.record, arguments, *reference);
    if (!summary.ok())
      break; // the interleaving that failed is the one to show
  }
  return Error::success();
}

Expected<int> runRequest(const Request &request, raw_ostream &out,
                         raw_ostream &err) {
  Expected<KernelInput> input = resolveInput(request, err);
  if (!input)
    return input.takeError();
  const LaunchRecord &record = input->record;
  Expected<SymbolValues> symbols = completeSymbols(record, request.symbols);
  if (!symbols)
    return symbols.takeError();
  Summary summary{*input, request, *symbols};
  auto grid = record.gridBlocks(*symbols);
  if (!grid)
    return grid.takeError();
  summary.grid = *grid;
  auto arguments = prepareArguments(record, *symbols, request);
  if (!arguments)
    return arguments.takeError();

  summary.launched = !llvm::is_contained(*grid, 0);
  if (summary.launched) {
    std::optional<Reference> reference;
    if (!record.problem) {
      summary.noComparison = "the record states no problem";
    } else if (!request.compare) {
      summary.noComparison = "--reference 0";
    } else {
      auto computed = computeReference(record, *arguments);
      if (!computed)
        return computed.takeError();
      reference = std::move(*computed);
    }
    if (request.device == DeviceKind::Gpu) {
      auto execution = runOnGpu(*input, *symbols, *grid, *arguments);
      if (!execution)
        return execution.takeError();
      summary.execution = std::move(*execution);
      if (reference)
        summary.comparison =
            compareWithReference(record, *arguments, *reference);
    } else if (Error error = runEmulator(*input, summary, *arguments,
                                         reference ? &*reference : nullptr)) {
      return error;
    }
  }
  for (const auto &[name, file] : request.outputFiles)
    for (const ArgumentData &data : *arguments)
      if (data.argument->name == name)
        if (Error error = writeOutput(data, file))
          return error;

  if (request.json) {
    printJson(summary, out);
  } else {
    printTable(summary, out);
    if (request.counters && summary.launched &&
        request.device == DeviceKind::Emulator)
      printCounters(summary.execution.counters, request.countLines, out);
  }
  out.flush();
  for (const emulator::Report &report : summary.execution.reports)
    err << report.str() << "\n";
  if (!summary.execution.reports.empty() && input->fromSource)
    err << "note: the lines are those of the PTX; to get it: wna16-compile "
        << request.input << " --target " << record.target << " -o DIR\n";
  if (!summary.ok() && request.schedules > 1)
    err << "note: interleaving " << summary.schedule << " of "
        << request.schedules << " failed; to run it alone: " << request.command
        << " --schedule " << summary.schedule << "\n";
  if (summary.comparison && !summary.comparison->ok())
    err << "error: the result of '" << record.kernel
        << "' is wrong; see the line 'result'\n";
  return summary.ok() ? 0 : 1;
}

} // namespace

int runTool(llvm::ArrayRef<const char *> arguments, raw_ostream &out,
            raw_ostream &err) {
  Expected<Request> request = parseCommandLine(arguments);
  if (request && request->help) {
    out << usage();
    return 0;
  }
  Expected<int> code =
      request ? runRequest(*request, out, err) : request.takeError();
  if (code)
    return *code;
  out.flush();
  std::string message = llvm::toString(code.takeError());
  // Diagnostics of PTX text carry their place already.
  err << (llvm::StringRef(message).contains(": error: ") ? "" : "error: ")
      << message << "\n";
  return 1;
}

} // namespace wna16::run
