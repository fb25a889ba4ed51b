//===- Input.cpp - from a file name to PTX and a launch record ------------===//
//
// FILE.ptx with its record, FILE.json which names its PTX, or FILE.mlir.
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Input.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;
namespace path = llvm::sys::path;

namespace wna16::run {

Expected<std::string> readFile(StringRef name) {
  auto buffer = llvm::MemoryBuffer::getFile(name, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '" + name +
                             "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

static std::string beside(StringRef file, StringRef name) {
  if (path::is_absolute(name))
    return name.str();
  llvm::SmallString<256> out(path::parent_path(file));
  path::append(out, name);
  return out.str().str();
}

Expected<KernelInput> resolveInput(const Request &request,
                                   llvm::raw_ostream &err) {
  const StringRef file = request.input, launch = request.launch;
  const StringRef extension = path::extension(file);
  if (extension == ".mlir")
    return compileInput(request, err);
  if (!request.target.empty() || !request.kernel.empty())
    return createStringError("'" + file +
                             "' is compiled already; --target and --kernel go "
                             "with a .mlir file");
  KernelInput input;
  std::string recordPath = launch.str();
  std::string ptxPath;
  if (extension == ".ptx") {
    ptxPath = file.str();
    if (recordPath.empty()) {
      llvm::SmallString<256> sibling(file);
      path::replace_extension(sibling, ".json");
      if (!llvm::sys::fs::exists(sibling))
        return createStringError(
            "'" + file +
            "' needs a launch record: give --launch FILE.json, or "
            "put it beside the PTX as '" +
            sibling + "'");
      recordPath = sibling.str().str();
    }
  } else if (extension == ".json") {
    if (!launch.empty())
      return createStringError("'" + file +
                               "' is a launch record itself; "
                               "--launch goes with a .ptx file");
    recordPath = file.str();
  } else {
    return createStringError("'" + file +
                             "': expected a .ptx, .json or .mlir file");
  }

  Expected<std::string> text = readFile(recordPath);
  if (!text)
    return text.takeError();
  Expected<LaunchRecord> record = LaunchRecord::fromJSON(*text);
  if (!record)
    return createStringError("'" + recordPath +
                             "': " + llvm::toString(record.takeError()));
  input.record = std::move(*record);
  if (ptxPath.empty()) {
    if (!input.record.ptx)
      return createStringError("'" + recordPath + "' names no PTX file");
    ptxPath = beside(recordPath, *input.record.ptx);
  }
  if (input.record.cubin)
    input.cubinPath = beside(recordPath, *input.record.cubin);
  Expected<std::string> ptx = readFile(ptxPath);
  if (!ptx)
    return ptx.takeError();
  input.ptx = std::move(*ptx);
  input.ptxName = ptxPath;
  return input;
}

} // namespace wna16::run
