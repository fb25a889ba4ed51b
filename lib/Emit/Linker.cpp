//===- Linker.cpp - running the linker ------------------------------------===//
//
// Objects of products call at most memset and memcpy, which every process has,
// so no library and no compiler driver is needed.
//
//===----------------------------------------------------------------------===//
#include "lib/Emit/Linker.h"

#include "lib/Emit/TemporaryFile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <optional>

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace wna16 {

static Expected<std::string> findLinker(StringRef explicitPath) {
  if (!explicitPath.empty()) {
    if (llvm::sys::fs::can_execute(explicitPath))
      return explicitPath.str();
    return llvm::createStringError("'" + explicitPath +
                                   "' is not a program; give the path of a "
                                   "linker, or none to search for it");
  }
  for (StringRef name : {"ld.lld", "ld"})
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  return llvm::createStringError(
      "no linker: neither ld.lld nor ld is on PATH; install binutils or lld, "
      "or name a linker with --linker");
}

Expected<std::string> linkObject(StringRef object, StringRef explicitPath) {
  Expected<std::string> program = findLinker(explicitPath);
  if (!program)
    return program.takeError();
  Expected<TemporaryFile> input = TemporaryFile::create("o");
  if (!input)
    return input.takeError();
  Expected<TemporaryFile> output = TemporaryFile::create("so");
  if (!output)
    return output.takeError();
  Expected<TemporaryFile> report = TemporaryFile::create("txt");
  if (!report)
    return report.takeError();
  if (Error error = input->write(object))
    return error;

  StringRef arguments[] = {*program, "-shared", input->get(), "-o",
                           output->get()};
  std::optional<StringRef> redirects[] = {StringRef(), report->get(),
                                          report->get()};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(*program, arguments,
                                         /*Env=*/std::nullopt, redirects,
                                         /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &problem);
  if (status == 0)
    return output->read();
  Expected<std::string> text = report->read();
  if (!text)
    return text.takeError();
  std::string command = llvm::join(llvm::ArrayRef(arguments), " ");
  input->keep();
  return llvm::createStringError(
      "the linker failed" + (problem.empty() ? "" : " (" + problem + ")") +
      ":\n" + StringRef(*text).rtrim() + "\nto see it again: " + command);
}

} // namespace wna16
