//===- TemporaryFile.cpp - files that other programs read and write -------===//
#include "lib/Emit/TemporaryFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using llvm::Error;
using llvm::Expected;
using llvm::SmallString;
using llvm::StringRef;

namespace wna16 {

static Error failure(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

Expected<TemporaryFile> TemporaryFile::create(StringRef suffix) {
  SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("wna16", suffix, path))
    return failure("cannot create a temporary file: " + error.message());
  return TemporaryFile(path.str().str());
}

TemporaryFile::~TemporaryFile() {
  if (!path.empty())
    llvm::sys::fs::remove(path);
}

Expected<std::string> TemporaryFile::read() const {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return failure("cannot read '" + path +
                   "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

Error TemporaryFile::write(StringRef contents) const {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << contents;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return failure("cannot write '" + path + "': " + error.message());
  return Error::success();
}

} // namespace wna16
