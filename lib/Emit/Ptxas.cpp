//===- Ptxas.cpp - running the PTX assembler ------------------------------===//
//
// Search, subprocess with temporary files, and the parser of its report.
//
//===----------------------------------------------------------------------===//
#include "lib/Emit/Ptxas.h"

#include "lib/Emit/TemporaryFile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using llvm::Error;
using llvm::Expected;
using llvm::SmallString;
using llvm::StringRef;

namespace wna16 {

static Error failure(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

Expected<std::string> findPtxas(StringRef explicitPath) {
  if (!explicitPath.empty()) {
    if (llvm::sys::fs::can_execute(explicitPath))
      return explicitPath.str();
    return failure("'" + explicitPath +
                   "' is not a program; give the path of "
                   "ptxas, or none to search for it");
  }
  std::vector<std::string> roots;
  if (auto home = llvm::sys::Process::GetEnv("CUDA_HOME"))
    roots.push_back(*home);
  roots.push_back("/usr/local/cuda");
  for (const std::string &root : roots) {
    SmallString<128> path(root);
    llvm::sys::path::append(path, "bin", "ptxas");
    if (llvm::sys::fs::can_execute(path))
      return path.str().str();
  }
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  return std::string();
}

/// The number in front of `word` in `line`, e.g. 82 in "Used 82 registers".
static int64_t numberBefore(StringRef line, StringRef word) {
  size_t position = line.find(word);
  if (position == StringRef::npos)
    return 0;
  StringRef head = line.take_front(position).rtrim();
  StringRef digits =
      head.take_back(head.size() - (head.find_last_not_of("0123456789") + 1));
  int64_t number = 0;
  if (digits.getAsInteger(10, number))
    return 0;
  return number;
}

void parsePtxasReport(StringRef report, Assembly &assembly) {
  std::string entry;
  for (StringRef line : llvm::split(report, '\n')) {
    StringRef text = line.trim();
    if (text.empty())
      continue;
    size_t quote = text.find("Compiling entry function '");
    if (quote != StringRef::npos) {
      entry = text.substr(quote).split('\'').second.split('\'').first.str();
      assembly.resources[entry];
      continue;
    }
    EntryResources *resources =
        entry.empty() ? nullptr : &assembly.resources[entry];
    if (resources && text.contains("bytes stack frame")) {
      resources->stackBytes = numberBefore(text, "bytes stack frame");
      resources->spillStoreBytes = numberBefore(text, "bytes spill stores");
      resources->spillLoadBytes = numberBefore(text, "bytes spill loads");
      continue;
    }
    if (resources && text.contains("Used ") && text.contains("registers")) {
      resources->registers = numberBefore(text, "registers");
      resources->barriers = numberBefore(text, "barriers");
      resources->staticSharedBytes = numberBefore(text, "bytes smem");
      continue;
    }
    // Numbered remarks announce that something was ignored or serialised.
    if (text.starts_with("ptxas warning") || text.contains("(C"))
      assembly.notes.push_back(text.str());
  }
}

Expected<Assembly> assemblePtx(StringRef ptx, const GpuTarget &target,
                               StringRef explicitPath) {
  Expected<std::string> program = findPtxas(explicitPath);
  if (!program)
    return program.takeError();
  Assembly assembly;
  if (program->empty()) {
    assembly.notes.push_back(
        "no cubin: ptxas was found neither under $CUDA_HOME, nor under "
        "/usr/local/cuda, nor on PATH; install the CUDA toolkit to get one");
    return assembly;
  }

  Expected<TemporaryFile> input = TemporaryFile::create("ptx");
  if (!input)
    return input.takeError();
  Expected<TemporaryFile> output = TemporaryFile::create("cubin");
  if (!output)
    return output.takeError();
  Expected<TemporaryFile> report = TemporaryFile::create("txt");
  if (!report)
    return report.takeError();
  if (Error error = input->write(ptx))
    return error;

  std::string arch = "-arch=" + target.name.str();
  StringRef arguments[] = {*program,     "-v", "-O3",        arch,
                           input->get(), "-o", output->get()};
  std::optional<StringRef> redirects[] = {StringRef(), report->get(),
                                          report->get()};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(*program, arguments,
                                         /*Env=*/std::nullopt, redirects,
                                         /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &problem);
  Expected<std::string> text = report->read();
  if (!text)
    return text.takeError();
  if (status != 0) {
    std::string command = llvm::join(llvm::ArrayRef(arguments), " ");
    input->keep();
    return failure("ptxas refused the PTX" +
                   (problem.empty() ? "" : " (" + problem + ")") + ":\n" +
                   StringRef(*text).rtrim() + "\nto see it again: " + command);
  }
  Expected<std::string> cubin = output->read();
  if (!cubin)
    return cubin.takeError();
  assembly.cubin = std::move(*cubin);
  parsePtxasReport(*text, assembly);
  return assembly;
}

} // namespace wna16
